// Figures 5 and 7 of Choi and Lee 2017: soft bodies made from meshes fall on a floor, alone and many of
// them within a fence of soft columns.
#include "app/figure_kit.h"

#include <sinew/solid.h>

#include <math.h>
#include <stdio.h>

#define SHOTS 4

// What a run has and where it ends.
typedef struct Fall {
    int bodies, particles, edges, vertices;
    double speed, penetration, outside;
    double frame_ms; // of a step of 1/30 s, on average
} Fall;

static SnResult count(FigureRun *run, Fall *fall) {
    SnWorld *world = run->simulation.world;
    fall->bodies = sn_scene_body_count(run->scene);
    for (int i = 0; i < fall->bodies; ++i) {
        SnBodyId body = sn_scene_body_id(run->scene, i);
        fall->particles += sn_body_point_count(world, body);
        fall->edges += sn_solid_edge_count(world, body);
    }
    SnSkinPoses skins;
    SnResult result = sn_world_skins(world, &skins);
    fall->vertices = result.code == SN_OK ? skins.vertex_count : 0;
    return result;
}

// How far the farthest particle is from the middle, along the floor.
static SnResult find_farthest(FigureRun *run, double *out) {
    SnPoses poses;
    SnResult result = figure_run_poses(run, &poses);
    for (int i = 0; result.code == SN_OK && i < poses.point_count; ++i)
        *out =
            fmax(*out, hypot((double)poses.positions[3 * i], (double)poses.positions[3 * i + 2]));
    return result;
}

// Shots are taken at `times`.
static SnResult run_fall(const Figure *figure, const char *scene, const double *times,
                         int shot_count, FigureView *view, ViewImage *shots, Fall *out_fall) {
    FigureRun run;
    *out_fall = (Fall){0};
    SnResult result = figure_run_begin(figure, scene, &run);
    if (result.code == SN_OK)
        result = count(&run, out_fall);
    double spent = 0.0;
    for (int i = 0; result.code == SN_OK && i < shot_count; ++i) {
        double began = sn_now_ms();
        result = figure_run_to(&run, times[i]);
        spent += sn_now_ms() - began;
        if (result.code == SN_OK)
            result = figure_view_draw(view, &run, &(FigureLook){0}, &shots[i]);
    }
    if (result.code == SN_OK) {
        SnMeasures measures = sn_world_measure(run.simulation.world);
        out_fall->speed = measures.speed_max;
        out_fall->penetration = measures.penetration_max;
        out_fall->frame_ms = spent / (30.0 * times[shot_count - 1]);
        result = find_farthest(&run, &out_fall->outside);
    }
    figure_run_end(&run);
    return result;
}

static SnResult write_shots(const Figure *figure, ViewImage *shots, const char *const *names,
                            const double *times) {
    char texts[SHOTS][64];
    const char *captions[SHOTS];
    for (int i = 0; i < SHOTS; ++i) {
        snprintf(texts[i], sizeof texts[i], "%s%.1f s", names[i], times[i]);
        captions[i] = texts[i];
    }
    return figure_write_grid(figure, shots, captions, SHOTS, 2);
}

SnResult figure_arap_fig5(Figure *figure) {
    static const double times[SHOTS] = {0.0, 0.5, 0.8, 8.0};
    static const char *const names[SHOTS] = {"", "", "", ""};
    FigureView view;
    ViewImage shots[SHOTS] = {{0}};
    Fall fall;
    SnResult result = figure_view_begin(800, 500, &view);
    if (result.code == SN_OK)
        result = run_fall(figure, "arap-fig5", times, SHOTS, &view, shots, &fall);
    figure_view_end(&view);
    if (result.code != SN_OK) {
        figure_release(shots, SHOTS);
        return result;
    }
    figure_table_begin("a dinosaur, 8 s after the drop");
    figure_check_near(figure, "particles", fall.particles, 100.0, 0.0);
    figure_table_note("edges (paper: 261)", fall.edges, "");
    figure_table_note("vertices of the surface (paper: 4,334)", fall.vertices, "");
    figure_check_below(figure, "fastest particle, m/s", fall.speed, 0.01);
    figure_check_below(figure, "deepest penetration / radius", fall.penetration, 0.05);
    return write_shots(figure, shots, names, times);
}

static void check_crowd(Figure *figure, const char *title, const Fall *fall, int particles,
                        double fence) {
    figure_table_begin(title);
    figure_check_near(figure, "particles", fall->particles, particles, 0.0);
    figure_table_note("edges", fall->edges, "");
    figure_table_note("vertices of the surfaces", fall->vertices, "");
    figure_table_note("time of a frame of 1/30 s", fall->frame_ms, "ms");
    figure_table_note("fastest particle", fall->speed, "m/s");
    figure_table_note("deepest penetration / radius", fall->penetration, "");
    figure_check_below(figure, "farthest particle from the middle, m", fall->outside, fence);
}

SnResult figure_arap_fig7(Figure *figure) {
    static const double times[SHOTS] = {0.7, 3.0, 0.7, 3.0};
    static const char *const names[SHOTS] = {"52 models, ", "52 models, ", "180 models, ",
                                             "180 models, "};
    FigureView view;
    ViewImage shots[SHOTS] = {{0}};
    Fall few, many;
    SnResult result = figure_view_begin(800, 500, &view);
    if (result.code == SN_OK)
        result = run_fall(figure, "arap-fig7-52", times, 2, &view, shots, &few);
    if (result.code == SN_OK)
        result = run_fall(figure, "arap-fig7-180", times + 2, 2, &view, shots + 2, &many);
    figure_view_end(&view);
    if (result.code != SN_OK) {
        figure_release(shots, SHOTS);
        return result;
    }
    // As many particles as in the paper's table 1, which has 18,574 and 18,640 edges.
    check_crowd(figure, "40 bodies within 12 columns, 3 s after the drop", &few, 4120, 3.0);
    check_crowd(figure, "168 bodies within 12 columns, 3 s after the drop", &many, 4404, 3.5);
    return write_shots(figure, shots, names, times);
}
