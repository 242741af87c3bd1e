// Figures 1, 7 and 8 of Deul et al.: trees of their sizes in a wind that rises from a breeze to a
// storm and dies, at their 40 ms and three iterations per step.
//
// They must stay whole and finite in the storm, sway, and come to rest after it. Without wind the air
// takes energy out and nothing puts any in, so that it must never grow.
#include "app/figure_kit.h"

#include <math.h>
#include <stdio.h>

#define SHOTS 3
#define CALM 4.0 // s, when the wind has died, as in the scenes

typedef struct Specimen {
    const char *name;
    const char *scene;
    double lean; // m, by which its top must be seen to sway, at least
} Specimen;

typedef struct Weathered {
    int segments;
    double gale;      // m/s, of the fastest vertex in the storm
    double sway;      // m, of the highest vertex, at most
    double residual;  // left after two iterations of a step
    double growth;    // of the energy in a step without wind, over what the storm put in
    double end_speed; // m/s
    double stretch;   // of the worst segment
    uint32_t bits;
} Weathered;

static int highest(RodPose rod) {
    int top = 0;
    for (int i = 0; i < rod.vertices; ++i)
        top = rod.positions[3 * i + 1] > rod.positions[3 * top + 1] ? i : top;
    return top;
}

// In motion and in bending.
static double lively(const SnMeasures *m) { return m->energy_kinetic + m->energy_elastic; }

static SnResult weather(FigureRun *run, const double *times, FigureView *view, ViewImage *shots,
                        Weathered *out) {
    double step = run->simulation.settings.step, most = 0.0, before = 0.0;
    int steps = (int)lround(run->simulation.settings.seconds / step), top = 0, shot = 0;
    float start[3] = {0};
    *out = (Weathered){0};
    for (int i = 0; i <= steps; ++i) {
        double time = i * step;
        SnPoses poses;
        SnResult result = figure_run_to(run, time);
        if (result.code == SN_OK)
            result = figure_run_poses(run, &poses);
        if (result.code != SN_OK)
            return result;
        RodPose rod = figure_rod(&poses, 0);
        top = i == 0 ? highest(rod) : top;
        const float *p = rod.positions + 3 * top;
        for (int k = 0; k < 3 && i == 0; ++k)
            start[k] = p[k];
        SnMeasures m = sn_world_measure(run->simulation.world);
        double energy = figure_energy(&m);
        most = fmax(most, lively(&m));
        out->segments = rod.segments;
        out->sway = fmax(out->sway, hypot((double)(p[0] - start[0]), (double)(p[2] - start[2])));
        out->gale = fmax(out->gale, m.speed_max);
        out->residual = fmax(out->residual, m.stiff_residual);
        out->stretch = fmax(out->stretch, m.stretch_max);
        out->end_speed = m.speed_max;
        if (time > CALM + 1.5 * step)
            out->growth = fmax(out->growth, (energy - before) / most);
        before = energy;
        if (shot < SHOTS && time >= times[shot] - 0.5 * step) {
            result = figure_view_draw(view, run, &(FigureLook){0}, &shots[shot++]);
            if (result.code != SN_OK)
                return result;
        }
    }
    out->bits = run->simulation.bits;
    return sn_ok();
}

static void report(Figure *figure, const Specimen *tree, const Weathered *w) {
    char what[80];
    snprintf(what, sizeof what, "%s of %d segments, 40 ms, 3 iterations", tree->name, w->segments);
    figure_table_begin(what);
    figure_table_note("fastest vertex in the storm", w->gale, "m/s");
    figure_table_note("largest residual after two iterations", w->residual, "m, rad");
    snprintf(what, sizeof what, "%g m / largest sway of the top", tree->lean);
    figure_check_below(figure, what, tree->lean / w->sway, 1.0);
    figure_check_below(figure, "steps that ran into a limit (bits)", w->bits, 0.0);
    figure_check_below(figure, "largest stretch of a segment", w->stretch, 0.02);
    figure_check_below(figure, "growth of energy per step without wind", w->growth, 1.0e-4);
    figure_check_below(figure, "fastest vertex at the end, m/s", w->end_speed, 0.01);
}

static SnResult run_tree(Figure *figure, const Specimen *tree, FigureView *view, ViewImage *shots) {
    FigureRun run;
    Weathered w;
    figure->threads = 0;
    SnResult result = figure_run_begin(figure, tree->scene, &run);
    if (result.code == SN_OK) {
        const double times[SHOTS] = {0.0, 2.9, run.simulation.settings.seconds};
        result = weather(&run, times, view, shots, &w);
    }
    figure_run_end(&run);
    if (result.code == SN_OK)
        report(figure, tree, &w);
    return result;
}

static SnResult run_trees(Figure *figure, const Specimen *trees, int count) {
    static const char *const moments[SHOTS] = {"calm", "storm", "after it"};
    ViewImage shots[2 * SHOTS] = {{0}};
    const char *captions[2 * SHOTS];
    FigureView view;
    SnResult result = figure_view_begin(720, 640, &view);
    for (int i = 0; result.code == SN_OK && i < count; ++i)
        result = run_tree(figure, &trees[i], &view, shots + i * SHOTS);
    figure_view_end(&view);
    if (result.code != SN_OK) {
        figure_release(shots, count * SHOTS);
        return result;
    }
    for (int i = 0; i < count * SHOTS; ++i)
        captions[i] = moments[i % SHOTS];
    return figure_write_grid(figure, shots, captions, count * SHOTS, SHOTS);
}

SnResult figure_rods_fig7(Figure *figure) {
    static const Specimen trees[2] = {{"birch", "rods-birch", 0.1},
                                      {"willow", "rods-willow", 0.05}};
    return run_trees(figure, trees, 2);
}

SnResult figure_rods_fig8(Figure *figure) {
    static const Specimen pine = {"pine", "rods-pine", 0.05};
    return run_trees(figure, &pine, 1);
}
