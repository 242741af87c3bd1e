// Table 1 of Choi and Lee 2017: what a frame of 1/30 s costs in their scenes, with the same sub-steps and iterations, beside
// their times. Those are of an Intel Core i7 at 2.9 GHz, on one core but for the last two, which had four; ours are of
// all threads of this machine, whatever else it does. They are the mean of the first two seconds, in which bodies fall on
// each other, with all of a step but drawing and skins.
#include "app/figure_kit.h"

#include <math.h>
#include <stdio.h>

#include <sinew/solid.h>

#define FRAMES 60
#define CASES 8
static const struct {
    const char *name, *scene;
    int substeps, iterations;
    double paper,
        allowed; // ms; what is allowed may be INFINITY: it depends on what else the machine does
} cases[CASES] = {
    {"bar manipulation", "arap-fig1", 1, 10, 0.34, 0.34},
    {"bar stiffness", "arap-fig2", 1, 10, 0.34, 0.34},
    {"dinosaur inverted", "arap-fig4", 1, 10, 0.94, 0.94},
    {"dinosaur falling", "arap-fig5", 3, 3, 1.15, INFINITY},
    {"sheet", "arap-fig6-rod", 1, 10, 2.32, INFINITY},
    {"bunny and sheet", "arap-fig6-sheet", 6, 2, 12.48, INFINITY},
    {"52 models", "arap-fig7-52", 6, 2, 26.24, INFINITY},
    {"180 models", "arap-fig7-180", 6, 2, 27.14, INFINITY},
};

typedef struct Cost {
    double bodies, contacts, total; // ms per frame
    int particles, edges;
} Cost;

static void count(const SnWorld *world, Cost *cost) {
    for (SnBodyId id = sn_world_next_body(world, (SnBodyId){0, 0}); id.index != 0;
         id = sn_world_next_body(world, id)) {
        cost->particles += sn_body_point_count(world, id);
        cost->edges += sn_solid_edge_count(world, id);
    }
}

static SnResult measure(Figure *figure, int k, Cost *out) {
    FigureRun run;
    *out = (Cost){0};
    SnResult result = figure_run_begin(figure, cases[k].scene, &run);
    if (result.code == SN_OK) {
        figure_run_set_steps(&run, 1.0 / 30.0, cases[k].substeps, cases[k].iterations);
        count(run.simulation.world, out);
    }
    for (int i = 1; i <= FRAMES && result.code == SN_OK; ++i) {
        result = figure_run_to(&run, i / 30.0);
        SnStepTimes t = sn_world_step_times(run.simulation.world);
        out->bodies += (double)(t.predict + t.iterate + t.finish) / FRAMES;
        out->contacts += (double)(t.collide + t.contacts) / FRAMES;
        out->total += (double)t.total / FRAMES;
    }
    figure_run_end(&run);
    return result;
}

SnResult figure_arap_table1(Figure *figure) {
    double particles[CASES], ms[CASES], paper[CASES];
    figure_table_begin("ms per frame of 1/30 s");
    for (int k = 0; k < CASES; ++k) {
        Cost cost;
        char what[80];
        SnResult result = measure(figure, k, &cost);
        if (result.code != SN_OK)
            return result;
        snprintf(what, sizeof what, "%s: %d particles, %d edges", cases[k].name, cost.particles,
                 cost.edges);
        if (cases[k].allowed < INFINITY)
            figure_check_below(figure, what, cost.total, cases[k].allowed);
        else
            figure_table_note(what, cost.total, "ms");
        figure_table_note("  bodies", cost.bodies, "ms");
        figure_table_note("  contacts", cost.contacts, "ms");
        figure_table_note("  the paper's total", cases[k].paper, "ms");
        particles[k] = cost.particles;
        ms[k] = cost.total;
        paper[k] = cases[k].paper;
    }
    const ViewPlotSeries series[] = {
        {"Choi and Lee", CASES, particles, paper, VIEW_PLOT_MARKERS, NULL},
        {"here", CASES, particles, ms, VIEW_PLOT_MARKERS, NULL},
    };
    const ViewPlot chart = {.title = "Time per frame of 1/30 s",
                            .x = {.label = "particles", .log = true},
                            .y = {.label = "ms", .log = true},
                            .series = series,
                            .series_count = 2};
    return figure_write_plot(figure, &chart);
}
