// Figures 9 and 10 of Deul et al.: the largest |C + α̃λ| left after so many iterations of one step of
// the cantilever at rest, for the direct solver and for Gauss-Seidel in several forms.
//
// The direct solver is that of the engine. It tells what the last solve of a step met, so a step of
// k + 1 iterations tells what k left. The others are in bench/rods_reference.c and rods_classic.c; they
// start from the same rod with the force in the prediction, as the paper has it.
//
// Constraints are in m and rad, without the paper's 1/l at the strain. The paper finds PaOBCR slower
// than Gauss-Seidel on the combined constraint; here, where a quaternion has the mass that its
// segment's inertia gives it, both need the same number of iterations.
#include "app/figure_kit.h"
#include "app/interrupt.h"
#include "bench/rods_classic.h"
#include "bench/rods_reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define STEP 0.01     // s
#define FORCE 1000.0f // N, as in the scenes
#define MOST 128      // samples of a curve
#define FLOOR 1.0e-20

static const int direct_iterations[] = {1, 2, 3, 4, 6, 10, 30, 100, 300, 999};
#define DIRECTS ((int)(sizeof direct_iterations / sizeof direct_iterations[0]))

typedef struct Curve {
    int count;
    double iteration[MOST], residual[MOST];
    double ms; // per iteration
} Curve;

static void sample(Curve *curve, int iteration, double residual) {
    if (curve->count < MOST) {
        curve->iteration[curve->count] = iteration;
        curve->residual[curve->count++] = fmax(residual, FLOOR);
    }
}

// Fifteen samples per decade.
static int next_sample(int iteration) {
    int next = (int)(1.165 * iteration);
    return next > iteration ? next : iteration + 1;
}

// The first sample at or below a residual; 0: none.
static double reached(const Curve *curve, double residual) {
    for (int i = 0; i < curve->count; ++i)
        if (curve->residual[i] <= residual)
            return curve->iteration[i];
    return 0.0;
}

static double residual_at(const Curve *curve, double iteration) {
    int i = 0;
    while (i + 1 < curve->count && curve->iteration[i + 1] <= iteration)
        ++i;
    return curve->residual[i];
}

static SnResult direct_step(FigureRun *run, int iterations) {
    double time = simulation_time(&run->simulation);
    SnResult result = sn_scene_animate(run->scene, run->simulation.world, time + STEP, STEP);
    if (result.code == SN_OK)
        sn_world_step(run->simulation.world, (float)STEP, 1, iterations);
    return result;
}

static SnResult direct_samples(FigureRun *run, void *before, size_t size, Curve *out) {
    SnWorld *world = run->simulation.world;
    SnResult result = sn_world_save(world, before, size);
    for (int i = 0; result.code == SN_OK && i < DIRECTS; ++i) {
        result = direct_step(run, direct_iterations[i] + 1);
        sample(out, direct_iterations[i], sn_world_measure(world).stiff_residual);
        if (result.code == SN_OK)
            result = sn_world_restore(world, before, size);
    }
    return result;
}

static SnResult direct_curve(FigureRun *run, Curve *out) {
    size_t size = sn_world_snapshot_size(run->simulation.world);
    void *before = malloc(size);
    *out = (Curve){0};
    if (before == NULL)
        return sn_error(SN_ERROR_MEMORY, "no memory for a snapshot of %zu bytes", size);
    SnResult result = direct_samples(run, before, size, out);
    free(before);
    return result;
}

static SnResult interrupted_here(void) {
    return interrupted() ? sn_error(SN_ERROR_INVALID, "interrupted") : sn_ok();
}

static SnResult sweep_curve(const FigureRun *run, int most, Curve *out) {
    Reference *reference;
    *out = (Curve){0};
    SnResult result = reference_create(run->simulation.world, sn_scene_body_id(run->scene, 0), STEP,
                                       sn_vec3(0.0f, -FORCE, 0.0f), &reference);
    double start = sn_now_ms();
    for (int i = 1, due = 1; result.code == SN_OK && i <= most; ++i) {
        reference_sweep(reference);
        if (i == due) {
            sample(out, i, reference_residual(reference));
            due = next_sample(i);
            result = interrupted_here();
        }
    }
    out->ms = (sn_now_ms() - start) / most;
    reference_destroy(reference);
    return result;
}

static SnResult classic_curve(const FigureRun *run, ClassicKind kind, int most, Curve *out) {
    ClassicRod *rod;
    *out = (Curve){0};
    SnResult result = classic_create(kind, run->simulation.world, sn_scene_body_id(run->scene, 0),
                                     STEP, sn_vec3(0.0f, -FORCE, 0.0f), &rod);
    double start = sn_now_ms();
    for (int i = 1, due = 1; result.code == SN_OK && i <= most; ++i) {
        classic_sweep(rod);
        if (i == due) {
            sample(out, i, classic_residual(rod));
            due = next_sample(i);
            result = interrupted_here();
        }
    }
    out->ms = (sn_now_ms() - start) / most;
    classic_destroy(rod);
    return result;
}

static SnResult begin_at_rest(Figure *figure, int segments, FigureRun *run) {
    char scene[32];
    snprintf(scene, sizeof scene, "rods-cantilever-%d", segments);
    SnResult result = figure_run_begin(figure, scene, run);
    return result.code == SN_OK ? figure_run_to(run, run->simulation.settings.seconds) : result;
}

static void note_reached(const char *name, const Curve *curve, double residual) {
    char what[80];
    double iterations = reached(curve, residual);
    snprintf(what, sizeof what, "%s: iterations to %.0e", name, residual);
    if (iterations > 0.0) {
        figure_table_note(what, iterations, "");
    } else {
        snprintf(what, sizeof what, "%s: left after %.0f iterations", name,
                 curve->iteration[curve->count - 1]);
        figure_table_note(what, curve->residual[curve->count - 1], "");
    }
}

#define SIZES 3
static const int sizes[SIZES] = {8, 50, 1000};
static const int most_sweeps[SIZES] = {100000, 100000, 5000};

static void report_fig9(Figure *figure, const Curve direct[SIZES], const Curve sweeps[SIZES]) {
    char what[80], name[32];
    figure_table_begin("direct: residual after one iteration, max |C + alpha lambda|, m and rad");
    for (int i = 0; i < SIZES; ++i) {
        snprintf(what, sizeof what, "%d segments", sizes[i]);
        figure_check_below(figure, what, direct[i].residual[0], 1.0e-12);
    }
    figure_table_begin("Gauss-Seidel");
    for (int i = 0; i < SIZES; ++i) {
        snprintf(name, sizeof name, "%d segments", sizes[i]);
        note_reached(name, &sweeps[i], 1.0e-12);
        snprintf(what, sizeof what, "%d segments: direct after 1 / this after 100", sizes[i]);
        figure_check_below(figure, what, direct[i].residual[0] / residual_at(&sweeps[i], 100.0),
                           1.0e-6);
    }
    for (int i = 0; i + 1 < SIZES; ++i) { // both methods solve the same system
        snprintf(what, sizeof what, "%d segments: left in the end", sizes[i]);
        figure_check_below(figure, what, residual_at(&sweeps[i], most_sweeps[i]), 1.0e-11);
    }
}

static SnResult plot_fig9(const Figure *figure, const Curve direct[SIZES],
                          const Curve sweeps[SIZES]) {
    static const float colours[SIZES][3] = {
        {0.33f, 0.50f, 0.70f}, {0.91f, 0.42f, 0.32f}, {0.30f, 0.60f, 0.40f}};
    ViewPlotSeries series[2 * SIZES];
    char labels[2 * SIZES][40];
    for (int i = 0; i < SIZES; ++i) {
        snprintf(labels[i], sizeof labels[i], "Gauss-Seidel, %d segments", sizes[i]);
        snprintf(labels[SIZES + i], sizeof labels[i], "direct, %d segments", sizes[i]);
        series[i] = (ViewPlotSeries){labels[i],          sweeps[i].count, sweeps[i].iteration,
                                     sweeps[i].residual, VIEW_PLOT_LINE,  colours[i]};
        series[SIZES + i] = (ViewPlotSeries){labels[SIZES + i],
                                             direct[i].count,
                                             direct[i].iteration,
                                             direct[i].residual,
                                             VIEW_PLOT_LINE | VIEW_PLOT_MARKERS,
                                             colours[i]};
    }
    const ViewPlot chart = {
        .title = "Residual of the cantilever, direct and Gauss-Seidel",
        .x = {.label = "iterations", .log = true},
        .y = {.label = "max |C + alpha lambda|", .log = true, .low = 1.0e-18, .high = 1.0e3},
        .series = series,
        .series_count = 2 * SIZES};
    return figure_write_plot(figure, &chart);
}

SnResult figure_rods_fig9(Figure *figure) {
    Curve *curves = calloc(2 * SIZES, sizeof *curves);
    if (curves == NULL)
        return sn_error(SN_ERROR_MEMORY, "no memory for curves");
    Curve *direct = curves, *sweeps = curves + SIZES;
    SnResult result = sn_ok();
    for (int i = 0; result.code == SN_OK && i < SIZES; ++i) {
        FigureRun run;
        result = begin_at_rest(figure, sizes[i], &run);
        if (result.code == SN_OK)
            result = direct_curve(&run, &direct[i]);
        if (result.code == SN_OK)
            result = sweep_curve(&run, most_sweeps[i], &sweeps[i]);
        figure_run_end(&run);
    }
    if (result.code == SN_OK) {
        report_fig9(figure, direct, sweeps);
        result = plot_fig9(figure, direct, sweeps);
    }
    free(curves);
    return result;
}

enum { DIRECT, COMBINED, PAOBCR, PBER, METHODS };

static void report_fig10(Figure *figure, const Curve curves[METHODS]) {
    static const char *const names[METHODS] = {"direct", "Gauss-Seidel", "PaOBCR", "PBER"};
    figure_table_begin("50 segments: max |C + alpha lambda|, m and rad");
    figure_check_below(figure, "direct, after one iteration", curves[DIRECT].residual[0], 1.0e-12);
    for (int i = COMBINED; i < METHODS; ++i) {
        note_reached(names[i], &curves[i], 1.0e-9);
        figure_table_note("  microseconds per iteration", 1.0e3 * curves[i].ms, "");
    }
    double combined = residual_at(&curves[COMBINED], 10000.0);
    figure_check_below(figure, "after 10,000 iterations: Gauss-Seidel / PBER",
                       combined / residual_at(&curves[PBER], 10000.0), 1.0);
    for (int i = COMBINED; i < METHODS; ++i) {
        char what[80];
        snprintf(what, sizeof what, "direct after 1 / %s after 100", names[i]);
        figure_check_below(figure, what,
                           curves[DIRECT].residual[0] / residual_at(&curves[i], 100.0), 1.0e-6);
    }
}

static SnResult plot_fig10(const Figure *figure, const Curve curves[METHODS]) {
    static const char *const labels[METHODS] = {"direct", "Gauss-Seidel, combined constraint",
                                                "PaOBCR (Kugelstadt, Schoemer)",
                                                "PBER (Umetani, Schmidt, Stam)"};
    ViewPlotSeries series[METHODS];
    for (int i = 0; i < METHODS; ++i)
        series[i] =
            (ViewPlotSeries){labels[i],
                             curves[i].count,
                             curves[i].iteration,
                             curves[i].residual,
                             i == DIRECT ? VIEW_PLOT_LINE | VIEW_PLOT_MARKERS : VIEW_PLOT_LINE,
                             NULL};
    const ViewPlot chart = {
        .title = "Residual of the cantilever of 50 segments",
        .x = {.label = "iterations", .log = true},
        .y = {.label = "max |C + alpha lambda|", .log = true, .low = 1.0e-18, .high = 1.0e3},
        .series = series,
        .series_count = METHODS};
    return figure_write_plot(figure, &chart);
}

SnResult figure_rods_fig10(Figure *figure) {
    FigureRun run;
    Curve *curves = calloc(METHODS, sizeof *curves);
    if (curves == NULL)
        return sn_error(SN_ERROR_MEMORY, "no memory for curves");
    SnResult result = begin_at_rest(figure, 50, &run);
    if (result.code == SN_OK)
        result = direct_curve(&run, &curves[DIRECT]);
    if (result.code == SN_OK)
        result = sweep_curve(&run, 100000, &curves[COMBINED]);
    if (result.code == SN_OK)
        result = classic_curve(&run, CLASSIC_PAOBCR, 100000, &curves[PAOBCR]);
    if (result.code == SN_OK)
        result = classic_curve(&run, CLASSIC_PBER, 100000, &curves[PBER]);
    figure_run_end(&run);
    if (result.code == SN_OK) {
        report_fig10(figure, curves);
        result = plot_fig10(figure, curves);
    }
    free(curves);
    return result;
}
