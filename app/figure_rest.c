// Figure 7 of the VIPER paper, a hundred octopuses that fall on the floor, and a pile of ropes:
// both must come to rest, without having sunk into each other or lost their volume.
//
// How deep they have sunk into each other is measured from the poses (bench/overlap.h): the engine
// looks at no pairs of bodies that sleep.
//
// Awake, a heap goes on creeping by what the sweeps leave over. Bodies that are slow enough for
// half a second fall asleep, and then nothing moves at all. Both are shown.
#include "app/figure_kit.h"
#include "bench/overlap.h"

#include <math.h>
#include <stdio.h>

#define SHOTS 4

// The largest values of the last half second.
typedef struct Rest {
    double speed, penetration, volume;
    int asleep, bodies;
} Rest;

static SnResult measure_end(FigureRun *run, Rest *rest) {
    double step = run->simulation.settings.step, seconds = run->simulation.settings.seconds;
    SnResult result = figure_run_to(run, seconds - 0.5);
    double time = seconds - 0.5;
    while (result.code == SN_OK && time < seconds - 0.5 * step) {
        time += step;
        result = figure_run_to(run, time);
        SnMeasures measures = sn_world_measure(run->simulation.world);
        rest->speed = fmax(rest->speed, measures.speed_max);
        rest->penetration = fmax(rest->penetration, measures.penetration_max); // of the floor, too
        rest->volume = fmax(rest->volume, measures.volume_error_mean);
    }
    rest->asleep = simulation_asleep(&run->simulation);
    rest->bodies = sn_scene_body_count(run->scene);
    SnPoses poses;
    if (result.code == SN_OK)
        result = figure_run_poses(run, &poses);
    if (result.code == SN_OK)
        rest->penetration = fmax(rest->penetration, overlap_between_rods(&poses));
    return result;
}

// `shots` may be NULL; else they are taken at `times`, the last one at the end.
static SnResult run_to_rest(const Figure *figure, const char *scene, const double *times,
                            FigureView *view, ViewImage *shots, Rest *out_rest) {
    FigureRun run;
    *out_rest = (Rest){0};
    SnResult result = figure_run_begin(figure, scene, &run);
    for (int i = 0; result.code == SN_OK && shots && i + 1 < SHOTS; ++i) {
        result = figure_run_to(&run, times[i]);
        if (result.code == SN_OK)
            result = figure_view_draw(view, &run, &(FigureLook){0}, &shots[i]);
    }
    if (result.code == SN_OK)
        result = measure_end(&run, out_rest);
    if (result.code == SN_OK && shots)
        result = figure_view_draw(view, &run, &(FigureLook){0}, &shots[SHOTS - 1]);
    figure_run_end(&run);
    return result;
}

static void check_asleep(Figure *figure, const Rest *rest, const char *title) {
    figure_table_begin(title);
    figure_table_note("bodies asleep at the end", rest->asleep, "");
    figure_check_below(figure, "bodies awake at the end", rest->bodies - rest->asleep, 0.0);
    figure_check_below(figure, "fastest vertex, m/s", rest->speed, 0.01);
    figure_check_below(figure, "deepest penetration / radius", rest->penetration, 0.02);
    figure_check_below(figure, "volume error, mean of all segments", rest->volume, 0.01);
}

static SnResult write_shots(const Figure *figure, ViewImage *shots, const double *times) {
    char texts[SHOTS][32];
    const char *captions[SHOTS];
    for (int i = 0; i < SHOTS; ++i) {
        snprintf(texts[i], sizeof texts[i], "%.1f s", times[i]);
        captions[i] = texts[i];
    }
    return figure_write_grid(figure, shots, captions, SHOTS, 2);
}

SnResult figure_viper_fig7(Figure *figure) {
    static const double times[SHOTS] = {0.0, 0.9, 1.6, 10.0};
    FigureView view;
    ViewImage shots[SHOTS] = {{0}};
    Rest awake, asleep;
    SnResult result = figure_view_begin(800, 500, &view);
    if (result.code == SN_OK)
        result = run_to_rest(figure, "viper-fig7", times, &view, shots, &awake);
    if (result.code == SN_OK)
        result = run_to_rest(figure, "../octopuses", times, NULL, NULL, &asleep);
    figure_view_end(&view);
    if (result.code != SN_OK) {
        figure_release(shots, SHOTS);
        return result;
    }
    figure_table_begin("10 s after the drop, all awake, worst of the last 0.5 s");
    figure_check_below(figure, "fastest vertex, m/s", awake.speed, 0.01);
    figure_check_below(figure, "deepest penetration / radius", awake.penetration, 0.02);
    figure_check_below(figure, "volume error, mean of all segments", awake.volume, 0.01);
    check_asleep(figure, &asleep, "10 s after the drop, with sleep_speed 0.05 m/s");
    return write_shots(figure, shots, times);
}

SnResult figure_rope_pile(Figure *figure) {
    static const double times[SHOTS] = {0.0, 0.6, 1.2, 6.0};
    FigureView view;
    ViewImage shots[SHOTS] = {{0}};
    Rest rest;
    SnResult result = figure_view_begin(800, 500, &view);
    if (result.code == SN_OK)
        result = run_to_rest(figure, "rope-pile", times, &view, shots, &rest);
    figure_view_end(&view);
    if (result.code != SN_OK) {
        figure_release(shots, SHOTS);
        return result;
    }
    check_asleep(figure, &rest, "6 s after the drop, with sleep_speed 0.05 m/s");
    return write_shots(figure, shots, times);
}
