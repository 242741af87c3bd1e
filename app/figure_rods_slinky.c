// The Slinky of Deul et al. (figure 1): a helical spring of 500 segments that is helped over the first
// edge and then walks down a stairway by itself, at 10 ms per step and three iterations.
//
// It walks where its two ends come down in turn, one stair after the other: the last one on the first
// stair, the first one on the second, and so on, each while the other end is not below.
#include "app/figure_kit.h"

#include <math.h>
#include <stdio.h>

// As in the scene.
#define STAIRS 6 // to the floor
#define RISE 0.1 // m
#define TREAD 0.1
#define NEAR 0.008 // m, how near to a stair an end has come down
#define SHOTS 6

static const double times[SHOTS] = {0.3, 0.75, 1.15, 1.6, 2.25, 4.0};

typedef struct Walk {
    int landed;           // stairs
    double when[STAIRS];  // s
    double stretch, deep; // of the worst segment; deepest contact, over the radius
    double high;          // m, of the highest point in the end
    int contacts;         // at most
    uint32_t bits;
} Walk;

static void look_at(const SnPoses *poses, double time, Walk *walk) {
    RodPose rod = figure_rod(poses, 0);
    const float *first = rod.positions, *last = rod.positions + 3 * (rod.vertices - 1);
    walk->high = 0.0;
    for (int i = 0; i < rod.vertices; ++i)
        walk->high = fmax(walk->high, (double)rod.positions[3 * i + 1]);
    if (walk->landed == STAIRS)
        return;
    int stair = walk->landed + 1;
    const float *down = stair % 2 ? last : first, *up = stair % 2 ? first : last;
    double height = (STAIRS - stair) * RISE;
    bool there = (double)down[1] < height + NEAR && (double)down[0] > (stair - 1.5) * TREAD;
    if (there && (double)up[1] > height)
        walk->when[walk->landed++] = time;
}

static SnResult watch(FigureRun *run, FigureView *view, ViewImage *shots, Walk *walk) {
    double step = run->simulation.settings.step;
    int steps = (int)lround(run->simulation.settings.seconds / step), shot = 0;
    *walk = (Walk){0};
    for (int i = 1; i <= steps; ++i) {
        SnPoses poses;
        SnResult result = figure_run_to(run, i * step);
        if (result.code == SN_OK)
            result = figure_run_poses(run, &poses);
        if (result.code == SN_OK) {
            SnMeasures m = sn_world_measure(run->simulation.world);
            look_at(&poses, i * step, walk);
            walk->stretch = fmax(walk->stretch, m.stretch_max);
            walk->deep = fmax(walk->deep, m.penetration_max);
            int contacts = sn_world_contact_events(run->simulation.world).contact_count;
            walk->contacts = contacts > walk->contacts ? contacts : walk->contacts;
        }
        if (result.code == SN_OK && shot < SHOTS && i * step >= times[shot] - 0.5 * step)
            result = figure_view_draw(view, run, &(FigureLook){0}, &shots[shot++]);
        if (result.code != SN_OK)
            return result;
    }
    walk->bits = run->simulation.bits;
    return sn_ok();
}

static void report(Figure *figure, const Walk *walk) {
    char what[80];
    figure_table_begin("500 segments, 10 ms, 4 sub-steps of 3 iterations");
    for (int i = 0; i < walk->landed; ++i) {
        snprintf(what, sizeof what, "stair %d, by its %s end", i + 1, i % 2 ? "first" : "last");
        figure_table_note(what, walk->when[i], "s");
    }
    figure_check_below(figure, "5 / stairs that it came down, end over end",
                       walk->landed ? 5.0 / walk->landed : INFINITY, 1.0);
    figure_check_below(figure, "highest point in the end, m", walk->high, RISE);
    figure_check_below(figure, "largest stretch of a segment", walk->stretch, 0.5);
    figure_check_below(figure, "steps that ran into a limit (bits)", walk->bits, 0.0);
    figure_table_note("most contacts", walk->contacts, "");
    figure_table_note("deepest penetration / radius", walk->deep, "");
}

SnResult figure_rods_slinky(Figure *figure) {
    FigureRun run;
    FigureView view = {0};
    Walk walk = {0};
    ViewImage shots[SHOTS] = {{0}};
    char texts[SHOTS][32];
    const char *captions[SHOTS];
    SnResult result = figure_run_begin(figure, "rods-slinky", &run);
    if (result.code == SN_OK)
        result = figure_view_begin(560, 520, &view);
    if (result.code == SN_OK)
        result = watch(&run, &view, shots, &walk);
    figure_view_end(&view);
    figure_run_end(&run);
    if (result.code != SN_OK) {
        figure_release(shots, SHOTS);
        return result;
    }
    for (int i = 0; i < SHOTS; ++i) {
        snprintf(texts[i], sizeof texts[i], "%g s", times[i]);
        captions[i] = texts[i];
    }
    report(figure, &walk);
    return figure_write_grid(figure, shots, captions, SHOTS, 3);
}
