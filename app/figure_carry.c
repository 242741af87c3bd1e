// Section 8.2 of the VIPER paper: bones carry the flesh on them, which speeds up convergence in fast
// motion. Two bones swing, and between them the same muscle twice: carried by the bones before every
// step, and only dragged at its ends. Steps of 1/60 s are one sub-step of more and more iterations.
//
// The error of a muscle is how far its points are from where 1000 iterations take it: the root mean
// square over all points and steps, over its length. (The two do not end at the same place: flesh that
// is dragged lags behind by its inertia.) What is asked for is that 10 iterations with carrying are as
// good as 50 without, and that one has less than a third of the error.
#include "app/figure_kit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CARRIED, DRAGGED, MUSCLES }; // bodies of the scene
#define STEP (1.0 / 60.0)
#define STEPS 30
#define COUNTS 8
#define SETTLED 1000
#define LENGTH 0.32 // m, of the muscles, as in the scene
#define GOOD 1e-3   // of the length: what nobody sees

static const double iterations[COUNTS] = {1, 2, 5, 10, 20, 50, 100, 200};
enum { ONE = 0, TEN = 3, FIFTY = 5 }; // of them
#define LESS 0.3                      // of the error of what is dragged, with one iteration each

// Positions of both muscles after every step.
typedef struct Paths {
    int numbers; // of one muscle in one step
    float *x[MUSCLES];
} Paths;

static void release(Paths *paths) {
    for (int k = 0; k < MUSCLES; ++k)
        free(paths->x[k]);
    *paths = (Paths){0};
}

static SnResult keep(FigureRun *run, int step, Paths *paths) {
    SnPoses poses;
    SnResult result = figure_run_poses(run, &poses);
    for (int k = 0; k < MUSCLES && result.code == SN_OK; ++k) {
        RodPose muscle = figure_rod(&poses, k);
        paths->numbers = 3 * muscle.vertices;
        if (paths->x[k] == NULL)
            paths->x[k] = malloc(STEPS * (size_t)paths->numbers * sizeof(float));
        if (paths->x[k] == NULL)
            return sn_error(SN_ERROR_MEMORY, "figure: no memory for %d points", muscle.vertices);
        for (int i = 0; i < paths->numbers; ++i)
            paths->x[k][step * paths->numbers + i] = muscle.positions[i];
    }
    return result;
}

static SnResult run_all(const Figure *figure, int count, Paths *out) {
    FigureRun run;
    SnResult result = figure_run_begin(figure, "carry", &run);
    if (result.code == SN_OK)
        figure_run_set_steps(&run, STEP, 1, count);
    for (int n = 0; n < STEPS && result.code == SN_OK; ++n) {
        result = figure_run_to(&run, (n + 1) * STEP);
        if (result.code == SN_OK)
            result = keep(&run, n, out);
    }
    figure_run_end(&run);
    return result;
}

static double distance(const float *a, const float *b, int numbers) {
    double sum = 0.0;
    for (int i = 0; i < STEPS * numbers; ++i)
        sum += pow((double)a[i] - (double)b[i], 2.0);
    return sqrt(3.0 * sum / (STEPS * numbers)) / LENGTH;
}

static SnResult measure(const Figure *figure, const Paths *end, double error[MUSCLES][COUNTS]) {
    SnResult result = sn_ok();
    for (int i = 0; i < COUNTS && result.code == SN_OK; ++i) {
        Paths now = {0};
        result = run_all(figure, (int)iterations[i], &now);
        for (int k = 0; k < MUSCLES && result.code == SN_OK; ++k)
            error[k][i] = distance(now.x[k], end->x[k], end->numbers);
        release(&now);
    }
    return result;
}

static void report(Figure *figure, const Paths *end, double error[MUSCLES][COUNTS]) {
    char what[64];
    figure_table_begin("error / length of the muscle");
    for (int i = 0; i < COUNTS; ++i)
        for (int k = 0; k < MUSCLES; ++k) {
            snprintf(what, sizeof what, "%s, %g iterations", k == CARRIED ? "carried" : "dragged",
                     iterations[i]);
            if (k == CARRIED && i == ONE)
                figure_check_below(figure, what, error[k][i], LESS * error[DRAGGED][ONE]);
            else if (k == CARRIED && i == TEN)
                figure_check_below(figure, what, error[k][i], fmax(error[DRAGGED][FIFTY], GOOD));
            else
                figure_table_note(what, error[k][i], "");
        }
    figure_table_note("how far the dragged one ends from the carried",
                      distance(end->x[DRAGGED], end->x[CARRIED], end->numbers), "");
}

static SnResult plot(const Figure *figure, double error[MUSCLES][COUNTS]) {
    const ViewPlotSeries series[MUSCLES] = {
        {"carried by the bones", COUNTS, iterations, error[CARRIED],
         VIEW_PLOT_LINE | VIEW_PLOT_MARKERS, NULL},
        {"dragged at its ends", COUNTS, iterations, error[DRAGGED],
         VIEW_PLOT_LINE | VIEW_PLOT_MARKERS, NULL},
    };
    const ViewPlot chart = {.title = "A muscle between bones that swing: error against iterations",
                            .x = {.label = "iterations per step of 1/60 s", .log = true},
                            .y = {.label = "error / length", .log = true},
                            .series = series,
                            .series_count = MUSCLES};
    return figure_write_plot(figure, &chart);
}

SnResult figure_carry(Figure *figure) {
    Paths end = {0};
    double error[MUSCLES][COUNTS];
    SnResult result = run_all(figure, SETTLED, &end);
    if (result.code == SN_OK)
        result = measure(figure, &end, error);
    if (result.code == SN_OK) {
        report(figure, &end, error);
        result = plot(figure, error);
    }
    release(&end);
    return result;
}
