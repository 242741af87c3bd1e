// Figure 3 of Choi and Lee 2017: how far a bar sags under its own weight against the number of iterations in a step of
// 1/30 s: Sinew's, that of the paper's solver, and that of plain shape matching of oriented particles, both in
// bench/chain_methods.c. The first bar of figure 2; the stiffness of the paper's is set so that it sags about as far, as
// its k has no unit that Young's modulus could be told from, and shape matching has none at all. Sinew's solver goes on
// until it has arrived, three or four iterations, whatever number it is given.
#include "app/figure_kit.h"
#include "bench/chain_methods.h"

#include <stdio.h>

// As in the scene.
#define PARTICLES 20
#define CELL 0.05
#define YOUNG 1e8
#define ALIKE 0.22 // k (v + v) over E A/l

#define OURS 4
#define PAPERS 6
#define MATCHED 5
static const double our_iterations[OURS] = {1, 10, 100, 1000};
static const double paper_iterations[PAPERS] = {1, 3, 10, 30, 100, 1000};
static const double matched_iterations[MATCHED] = {1, 10, 100, 1000, 10000};

typedef struct Sags {
    double ours[OURS], papers[PAPERS], matched[MATCHED]; // m
} Sags;

static SnResult find_ours(Figure *figure, int iterations, double *out_sag) {
    FigureRun run;
    SnPoses poses;
    SnResult result = figure_run_begin(figure, "arap-fig2", &run);
    if (result.code == SN_OK) {
        figure_run_set_steps(&run, 1.0 / 30.0, 1, iterations);
        result = figure_run_to(&run, run.simulation.settings.seconds);
    }
    if (result.code == SN_OK)
        result = figure_run_poses(&run, &poses);
    if (result.code == SN_OK)
        *out_sag = -(double)figure_between(figure_rod(&poses, 0).positions, 0, PARTICLES - 1).y;
    figure_run_end(&run);
    return result;
}

static void report(Figure *figure, const Sags *sags) {
    char what[60];
    figure_table_begin("sag at rest, m, against that of most iterations");
    for (int i = 0; i + 1 < OURS; ++i) {
        snprintf(what, sizeof what, "Sinew, %g iterations", our_iterations[i]);
        figure_check_near(figure, what, sags->ours[i], sags->ours[OURS - 1], 0.02);
    }
    figure_check_near(figure, "the paper's solver, 100 iterations", sags->papers[4],
                      sags->papers[PAPERS - 1], 0.02);
    figure_table_begin("the others");
    for (int i = 0; i < PAPERS; ++i) {
        snprintf(what, sizeof what, "the paper's solver, %g iterations", paper_iterations[i]);
        figure_table_note(what, sags->papers[i], "m");
    }
    for (int i = 0; i < MATCHED; ++i) {
        snprintf(what, sizeof what, "shape matching, %g iterations", matched_iterations[i]);
        figure_table_note(what, sags->matched[i], "m");
    }
    figure_check_below(figure, "shape matching, 10,000 over 100 iterations",
                       sags->matched[MATCHED - 1] / sags->matched[2], 0.1);
}

SnResult figure_arap_fig3(Figure *figure) {
    const ChainDef bar = {.particles = PARTICLES,
                          .cell = CELL,
                          .density = 1000.0,
                          .gravity = 9.81,
                          .k = ALIKE * YOUNG / (2.0 * CELL * CELL),
                          .h = 1.0 / 30.0};
    Sags sags;
    SnResult result = sn_ok();
    for (int i = 0; i < OURS && result.code == SN_OK; ++i)
        result = find_ours(figure, (int)our_iterations[i], &sags.ours[i]);
    if (result.code != SN_OK)
        return result;
    for (int i = 0; i < PAPERS; ++i)
        sags.papers[i] = chain_sag(&bar, CHAIN_LOCAL_GLOBAL, (int)paper_iterations[i]);
    for (int i = 0; i < MATCHED; ++i)
        sags.matched[i] = chain_sag(&bar, CHAIN_SHAPE_MATCHING, (int)matched_iterations[i]);
    report(figure, &sags);
    const unsigned style = VIEW_PLOT_LINE | VIEW_PLOT_MARKERS;
    const ViewPlotSeries series[] = {
        {"Sinew", OURS, our_iterations, sags.ours, style, NULL},
        {"Choi and Lee, local and global in turn", PAPERS, paper_iterations, sags.papers, style,
         NULL},
        {"shape matching of oriented particles", MATCHED, matched_iterations, sags.matched, style,
         NULL},
    };
    const ViewPlot chart = {.title = "Sag of a bar of 20 particles, 1 m long",
                            .x = {.label = "iterations in a step of 1/30 s", .log = true},
                            .y = {.label = "m", .log = true, .low = 0.01, .high = 2.0},
                            .series = series,
                            .series_count = 3};
    return figure_write_plot(figure, &chart);
}
