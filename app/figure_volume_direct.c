// How fast the two solvers converge. A volume-preserving cantilever, stiff or soft, or an octopus that
// is held by its head, is let go in gravity; its first step is solved with more and more iterations. The
// error is the farthest that a vertex is from where many iterations of the same solver take it, over the
// farthest that any moves. (They do not end at the same place: what is swept so far from its solution is
// made with implicit Euler, the direct solver is second order in time.)
#include "app/figure_kit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STIFF, SOFT, OCTOPUS, SCENES };
enum { SWEPT, DIRECT, SOLVERS }; // rods of the scenes
static const char *const scenes[SCENES] = {"volume-direct-stiff", "volume-direct-soft",
                                           "volume-direct-octopus"};
static const char *const labels[SCENES] = {"stiff, 200 GPa", "soft, 100 kPa", "octopus, 400 kPa"};

#define STEP (1.0 / 60.0)
#define SETTLED 40 // iterations of the direct solver that nobody needs, and sweeps
#define SETTLED_SWEEPS 1000
#define COUNTS 10 // 1, 2, 4 …
#define MAX_VALUES 256

// Positions and scales of both rods after one step.
typedef struct Shapes {
    int vertices;
    double values[SOLVERS][MAX_VALUES];
} Shapes;

typedef struct Results {
    double iterations[COUNTS];
    double error[SCENES][SOLVERS][COUNTS];
} Results;

static SnResult run_once(const Figure *figure, int scene, int iterations, Shapes *out) {
    FigureRun run;
    SnPoses poses;
    SnResult result = figure_run_begin(figure, scenes[scene], &run);
    if (result.code == SN_OK) {
        figure_run_set_steps(&run, STEP, 1, iterations > 0 ? iterations : 1);
        result = figure_run_to(&run, iterations > 0 ? STEP : 0.0);
    }
    if (result.code == SN_OK)
        result = figure_run_poses(&run, &poses);
    for (int k = 0; result.code == SN_OK && k < SOLVERS; ++k) {
        RodPose rod = figure_rod(&poses, k);
        out->vertices = rod.vertices < MAX_VALUES / 3 ? rod.vertices : MAX_VALUES / 3;
        for (int i = 0; i < 3 * out->vertices; ++i) {
            // The rods are beside each other, across z.
            out->values[k][i] = (double)rod.positions[i] - (i % 3 == 2 ? 0.5 * k : 0.0);
        }
    }
    figure_run_end(&run);
    return result;
}

static double farthest(const Shapes *shapes, int k, const double *from) {
    double most = 0.0;
    for (int i = 0; i < shapes->vertices; ++i) {
        const double *a = &shapes->values[k][3 * i], *b = &from[3 * i];
        double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
        most = fmax(most, sqrt(x * x + y * y + z * z));
    }
    return most;
}

static SnResult run_scene(const Figure *figure, int scene, Results *out) {
    static Shapes start, end[SOLVERS], now;
    SnResult result = run_once(figure, scene, 0, &start);
    if (result.code == SN_OK)
        result = run_once(figure, scene, SETTLED_SWEEPS, &end[SWEPT]);
    if (result.code == SN_OK)
        result = run_once(figure, scene, SETTLED, &end[DIRECT]);
    for (int i = 0; result.code == SN_OK && i < COUNTS; ++i) {
        out->iterations[i] = ldexp(1.0, i);
        result = run_once(figure, scene, 1 << i, &now);
        for (int k = 0; result.code == SN_OK && k < SOLVERS; ++k)
            out->error[scene][k][i] =
                farthest(&now, k, end[k].values[k]) / farthest(&start, k, end[k].values[k]);
    }
    return result;
}

// The first number of iterations with an error below the limit; past the last one if there is none.
static double iterations_to(const Results *results, int scene, int k, double limit) {
    for (int i = 0; i < COUNTS; ++i)
        if (results->error[scene][k][i] < limit)
            return results->iterations[i];
    return 2.0 * results->iterations[COUNTS - 1];
}

static void report(Figure *figure, const Results *results) {
    char what[80];
    for (int scene = 0; scene < SCENES; ++scene) {
        char title[80];
        snprintf(title, sizeof title, "%s: iterations to an error below 1 %%, and what is left",
                 labels[scene]);
        figure_table_begin(title);
        double swept = iterations_to(results, scene, SWEPT, 0.01);
        double left = results->error[scene][SWEPT][COUNTS - 1];
        snprintf(what, sizeof what, "sweeps%s", left > 0.01 ? " (not reached)" : "");
        figure_table_note(what, swept, "");
        snprintf(what, sizeof what, "error after %d sweeps", 1 << (COUNTS - 1));
        if (scene != STIFF)
            figure_check_below(figure, what, left, 0.02);
        else
            figure_table_note(what, left, "(too few)");
        figure_check_below(figure, "direct", iterations_to(results, scene, DIRECT, 0.01), 2.0);
        figure_check_below(figure, "error after 4 direct iterations",
                           results->error[scene][DIRECT][2], 1e-3);
    }
}

static SnResult plot(const Figure *figure, const Results *results) {
    static const float blue[3] = {0.33f, 0.50f, 0.70f}, orange[3] = {0.91f, 0.42f, 0.32f};
    static const float teal[3] = {0.25f, 0.66f, 0.60f}, violet[3] = {0.60f, 0.38f, 0.66f};
    const ViewPlotSeries series[] = {
        {"sweeps, stiff", COUNTS, results->iterations, results->error[STIFF][SWEPT],
         VIEW_PLOT_LINE | VIEW_PLOT_MARKERS, blue},
        {"sweeps, soft", COUNTS, results->iterations, results->error[SOFT][SWEPT],
         VIEW_PLOT_DASHES | VIEW_PLOT_MARKERS, blue},
        {"sweeps, octopus", COUNTS, results->iterations, results->error[OCTOPUS][SWEPT],
         VIEW_PLOT_LINE | VIEW_PLOT_MARKERS, teal},
        {"direct, stiff", COUNTS, results->iterations, results->error[STIFF][DIRECT],
         VIEW_PLOT_LINE | VIEW_PLOT_MARKERS, orange},
        {"direct, soft", COUNTS, results->iterations, results->error[SOFT][DIRECT],
         VIEW_PLOT_DASHES | VIEW_PLOT_MARKERS, orange},
        {"direct, octopus", COUNTS, results->iterations, results->error[OCTOPUS][DIRECT],
         VIEW_PLOT_LINE | VIEW_PLOT_MARKERS, violet},
    };
    const ViewPlot chart = {.title = "One step of 1/60 s: error against iterations",
                            .x = {.label = "iterations", .log = true},
                            .y = {.label = "error / motion", .log = true},
                            .series = series,
                            .series_count = 6};
    return figure_write_plot(figure, &chart);
}

SnResult figure_volume_direct(Figure *figure) {
    static Results results;
    memset(&results, 0, sizeof results);
    for (int scene = 0; scene < SCENES; ++scene) {
        SnResult result = run_scene(figure, scene, &results);
        if (result.code != SN_OK)
            return result;
    }
    report(figure, &results);
    return plot(figure, &results);
}
