// Figure 7 of the VIPER paper, a hundred octopuses that fall on the floor, and a pile of ropes:
// both must come to rest, without having sunk into each other or lost their volume.
//
// How deep they have sunk into each other is measured here, from the poses, over all pairs of
// segments of different bodies: the engine looks at no pairs of bodies that sleep.
//
// Awake, a heap goes on creeping by what the sweeps leave over. Bodies that are slow enough for
// half a second fall asleep, and then nothing moves at all. Both are shown.
#include "app/figure_kit.h"

#include "geom/pill.h"

#include <math.h>
#include <stdio.h>

#define SHOTS 4

// The largest values of the last half second.
typedef struct Rest {
    double speed, penetration, volume;
    int asleep, bodies;
} Rest;

static Pill pill_of(const SnPoses *poses, int rod, int segment) {
    const int *edge = poses->edges + 2 * segment;
    int a = poses->vertex_begin[rod] + edge[0], b = poses->vertex_begin[rod] + edge[1];
    const float *p = poses->positions + 3 * a, *q = poses->positions + 3 * b;
    return (Pill){{(double)p[0], (double)p[1], (double)p[2]},
                  {(double)q[0], (double)q[1], (double)q[2]},
                  (double)poses->radii[a],
                  (double)poses->radii[b]};
}

// Whether two pills are so far apart along x, y or z that they cannot touch.
static bool are_apart(const Pill *p, const Pill *q) {
    double reach = fmax(p->radius_a, p->radius_b) + fmax(q->radius_a, q->radius_b);
    const Vec3d *a = &p->a, *b = &p->b, *c = &q->a, *d = &q->b;
    return fmin(a->x, b->x) - fmax(c->x, d->x) > reach ||
           fmin(c->x, d->x) - fmax(a->x, b->x) > reach ||
           fmin(a->y, b->y) - fmax(c->y, d->y) > reach ||
           fmin(c->y, d->y) - fmax(a->y, b->y) > reach ||
           fmin(a->z, b->z) - fmax(c->z, d->z) > reach ||
           fmin(c->z, d->z) - fmax(a->z, b->z) > reach;
}

// Where two pills overlap most, as a part of the thinner one's radius there.
static double overlap(const Pill *p, const Pill *q) {
    if (are_apart(p, q))
        return 0.0;
    PillPair pair = sn__pill_pair(p, q);
    double r = p->radius_a + pair.t * (p->radius_b - p->radius_a);
    double s = q->radius_a + pair.u * (q->radius_b - q->radius_a);
    return fmax(0.0, -pair.gap / fmin(r, s));
}

static double deepest_overlap(const SnPoses *poses) {
    double deepest = 0.0;
    for (int i = 0; i < poses->rod_count; ++i) {
        for (int k = poses->segment_begin[i]; k < poses->segment_begin[i + 1]; ++k) {
            Pill pill = pill_of(poses, i, k);
            for (int j = i + 1; j < poses->rod_count; ++j) {
                for (int l = poses->segment_begin[j]; l < poses->segment_begin[j + 1]; ++l) {
                    Pill other = pill_of(poses, j, l);
                    deepest = fmax(deepest, overlap(&pill, &other));
                }
            }
        }
    }
    return deepest;
}

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
    rest->bodies = sn_scene_rod_count(run->scene);
    SnPoses poses;
    if (result.code == SN_OK)
        result = figure_run_poses(run, &poses);
    if (result.code == SN_OK)
        rest->penetration = fmax(rest->penetration, deepest_overlap(&poses));
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
    figure_table_note("fastest vertex", awake.speed, "m/s");
    figure_table_note("deepest penetration / radius", awake.penetration, "");
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
