// Tables 1 and 2 of Deul et al.: how long a step of a whole tree takes, and how many iterations the
// birch needs to get below a residual η, direct and by Gauss-Seidel.
//
// Times are of whole steps, wind included, on one thread; the paper's are of the position correction
// alone, on one core of an Intel Core i7-2600.
//
// The direct solver is that of the engine, with sn_world_set_tolerance. It sees how good a solve was
// when it begins the next one, so it does one more than needed; times count it, the number of
// iterations does not.
//
// Gauss-Seidel is that of bench/rods_reference.c, in double precision and plain code. It starts from two
// of the same steps, with the forces that the engine found there, and is given up after some hundred
// iterations, in which it does not get below the first threshold: its residual stays where the wind's
// push on the leaves puts it, for as long as it takes until all branches agree. The speed-up is
// therefore a lower bound. The paper's birch, which is another one, took 209.
#include "app/figure_kit.h"
#include "app/interrupt.h"
#include "bench/rods_reference.h"

#include <math.h>
#include <stdio.h>

#define TREES 3
static const char *const names[TREES] = {"birch", "willow", "pine"};
static const char *const scenes[TREES] = {"rods-birch", "rods-willow", "rods-pine"};
static const double paper_ms[TREES] = {658.08, 870.31, 1048.74};

#define WARM_UP 25 // steps
#define TIMED 25

typedef struct Timing {
    double segments, mean, best; // ms
} Timing;

static SnResult time_tree(Figure *figure, const char *scene, Timing *out) {
    FigureRun run;
    *out = (Timing){.best = INFINITY};
    figure->threads = 1;
    SnResult result = figure_run_begin(figure, scene, &run);
    for (int i = 0; result.code == SN_OK && i < WARM_UP + TIMED; ++i) {
        result = figure_run_to(&run, (i + 1) * run.simulation.settings.step);
        double ms = (double)sn_world_step_times(run.simulation.world).total;
        if (i >= WARM_UP) {
            out->mean += ms / TIMED;
            out->best = fmin(out->best, ms);
        }
    }
    if (result.code == SN_OK)
        out->segments = sn_body_element_count(run.simulation.world, sn_scene_body_id(run.scene, 0));
    figure_run_end(&run);
    return result;
}

SnResult figure_rods_table1(Figure *figure) {
    static const float blue[3] = {0.33f, 0.50f, 0.70f}, orange[3] = {0.91f, 0.42f, 0.32f};
    double segments[TREES], ms[TREES];
    char what[80];
    figure_table_begin("ms per step of three iterations, one thread, against the paper's");
    for (int i = 0; i < TREES; ++i) {
        Timing timing;
        SnResult result = time_tree(figure, scenes[i], &timing);
        if (result.code != SN_OK)
            return result;
        segments[i] = timing.segments;
        ms[i] = timing.mean;
        snprintf(what, sizeof what, "%s, %.0f segments", names[i], timing.segments);
        figure_check_below(figure, what, timing.mean, 0.2 * paper_ms[i]);
        figure_table_note("  the fastest of them", timing.best, "ms");
        figure_table_note("  the paper's", paper_ms[i], "ms");
    }
    const ViewPlotSeries series[] = {
        {"Deul et al., position correction", TREES, segments, paper_ms,
         VIEW_PLOT_MARKERS | VIEW_PLOT_DASHES, orange},
        {"here, whole step", TREES, segments, ms, VIEW_PLOT_MARKERS | VIEW_PLOT_LINE, blue},
    };
    const ViewPlot chart = {.title = "Birch, willow and pine: time per step of three iterations",
                            .x = {.label = "segments", .low = 25000.0, .high = 55000.0},
                            .y = {.label = "ms", .log = true, .low = 1.0, .high = 1.0e4},
                            .series = series,
                            .series_count = 2};
    return figure_write_plot(figure, &chart);
}

#define LEVELS 3
static const double levels[LEVELS] = {1.0e-2, 1.0e-6, 1.0e-9};
static const double paper_direct[LEVELS] = {1.49, 2.98, 4.15};
static const double paper_sweeps[LEVELS] = {208.73, 2055.23, 3629.69};
static const double paper_speedup[LEVELS] = {25.5, 124.8, 164.6};

#define RISING 50 // steps of the birch, 2 s: the wind rises

typedef struct Direct {
    double iterations, ms; // mean per step
    int unfinished;        // steps that did not get there
} Direct;

static SnResult run_direct(Figure *figure, double level, Direct *out) {
    FigureRun run;
    *out = (Direct){0};
    figure->threads = 1;
    SnResult result = figure_run_begin(figure, scenes[0], &run);
    if (result.code == SN_OK)
        result = sn_world_set_tolerance(run.simulation.world, (float)level);
    figure_run_set_steps(&run, run.simulation.settings.step, 1, 30);
    for (int i = 0; result.code == SN_OK && i < RISING; ++i) {
        result = figure_run_to(&run, (i + 1) * run.simulation.settings.step);
        SnMeasures m = sn_world_measure(run.simulation.world);
        out->iterations += (m.stiff_iterations - 1) / (double)RISING;
        out->ms += (double)sn_world_step_times(run.simulation.world).total / RISING;
        out->unfinished += m.stiff_residual > level;
    }
    figure_run_end(&run);
    return result;
}

#define SAMPLES 2
#define SWEEPS 200
static const double sample_times[SAMPLES] = {0.4, 1.0};

typedef struct Sweeps {
    int iterations[LEVELS]; // 0: never reached
    double residual, ms;    // in the end; per iteration
} Sweeps;

static SnResult sweep(Reference *reference, Sweeps *out) {
    double start = sn_now_ms();
    int level = 0;
    for (int i = 0; i < SWEEPS; ++i) {
        out->residual = reference_sweep(reference); // what the sweeps before this one left
        while (level < LEVELS && out->residual <= levels[level])
            out->iterations[level++] = i;
        if (interrupted())
            return sn_error(SN_ERROR_INVALID, "interrupted");
    }
    out->ms = (sn_now_ms() - start) / SWEEPS;
    return sn_ok();
}

static SnResult sweep_step(FigureRun *run, Sweeps *out) {
    Reference *reference;
    const SnWorld *world = run->simulation.world;
    double step = run->simulation.settings.step;
    *out = (Sweeps){0};
    SnResult result = reference_create(world, sn_scene_body_id(run->scene, 0), step,
                                       sn_vec3(0, 0, 0), &reference);
    if (result.code == SN_OK)
        result = figure_run_to(run, simulation_time(&run->simulation) + step);
    if (result.code == SN_OK) {
        reference_push(reference, world);
        result = sweep(reference, out);
    }
    reference_destroy(reference);
    return result;
}

static SnResult run_sweeps(Figure *figure, Sweeps sweeps[SAMPLES]) {
    FigureRun run;
    figure->threads = 1;
    SnResult result = figure_run_begin(figure, scenes[0], &run);
    for (int i = 0; result.code == SN_OK && i < SAMPLES; ++i) {
        result = figure_run_to(&run, sample_times[i]);
        if (result.code == SN_OK)
            result = sweep_step(&run, &sweeps[i]);
    }
    figure_run_end(&run);
    return result;
}

// Iterations of Gauss-Seidel to a level, or the most there were.
static double mean_sweeps(const Sweeps sweeps[SAMPLES], int level, bool *out_bound) {
    double sum = 0.0;
    *out_bound = false;
    for (int i = 0; i < SAMPLES; ++i) {
        *out_bound |= sweeps[i].iterations[level] == 0;
        sum += sweeps[i].iterations[level] > 0 ? sweeps[i].iterations[level] : SWEEPS;
    }
    return sum / SAMPLES;
}

static void report(Figure *figure, const Direct direct[LEVELS], const Sweeps sweeps[SAMPLES]) {
    static const double most[LEVELS] = {2.0, 4.0, 6.0};
    char what[80];
    figure_table_begin("birch in a rising wind, mean iterations per step of 40 ms");
    for (int i = 0; i < LEVELS; ++i) {
        snprintf(what, sizeof what, "direct to %.0e (paper: %.2f)", levels[i], paper_direct[i]);
        figure_check_below(figure, what, direct[i].iterations, most[i]);
        figure_check_below(figure, "  steps that did not get there", direct[i].unfinished, 0.0);
    }
    for (int k = 0; k < SAMPLES; ++k) {
        snprintf(what, sizeof what, "Gauss-Seidel at %.1f s, left after %d", sample_times[k],
                 SWEEPS);
        figure_table_note(what, sweeps[k].residual, "m, rad");
    }
    for (int i = 0; i < LEVELS; ++i) {
        bool bound;
        double mean = mean_sweeps(sweeps, i, &bound), ms = 0.0;
        for (int k = 0; k < SAMPLES; ++k)
            ms += sweeps[k].ms / SAMPLES;
        snprintf(what, sizeof what, "Gauss-Seidel to %.0e (paper: %.0f)", levels[i],
                 paper_sweeps[i]);
        figure_table_note(what, mean, bound ? "and more" : "");
        snprintf(what, sizeof what, "  time, direct / Gauss-Seidel (paper: 1/%.1f)",
                 paper_speedup[i]);
        figure_check_below(figure, what, direct[i].ms / (mean * ms), 0.1);
    }
}

static SnResult plot(const Figure *figure, const Direct direct[LEVELS],
                     const Sweeps sweeps[SAMPLES]) {
    static const float blue[3] = {0.33f, 0.50f, 0.70f}, orange[3] = {0.91f, 0.42f, 0.32f};
    double here[LEVELS], theirs[LEVELS];
    bool bound;
    for (int i = 0; i < LEVELS; ++i) {
        here[i] = direct[i].iterations;
        theirs[i] = mean_sweeps(sweeps, i, &bound);
    }
    const ViewPlotSeries series[] = {
        {"direct, here", LEVELS, levels, here, VIEW_PLOT_LINE | VIEW_PLOT_MARKERS, blue},
        {"direct, Deul et al.", LEVELS, levels, paper_direct, VIEW_PLOT_DASHES | VIEW_PLOT_MARKERS,
         blue},
        {"Gauss-Seidel, Deul et al.", LEVELS, levels, paper_sweeps,
         VIEW_PLOT_DASHES | VIEW_PLOT_MARKERS, orange},
        {bound ? "Gauss-Seidel, here: given up" : "Gauss-Seidel, here", LEVELS, levels, theirs,
         VIEW_PLOT_MARKERS, orange},
    };
    const ViewPlot chart = {.title = "Birch in a rising wind: iterations to a residual",
                            .x = {.label = "residual, m and rad", .log = true},
                            .y = {.label = "iterations", .log = true, .low = 0.5, .high = 2.0e5},
                            .series = series,
                            .series_count = 4};
    return figure_write_plot(figure, &chart);
}

SnResult figure_rods_table2(Figure *figure) {
    Direct direct[LEVELS];
    Sweeps sweeps[SAMPLES];
    SnResult result = sn_ok();
    for (int i = 0; result.code == SN_OK && i < LEVELS; ++i)
        result = run_direct(figure, levels[i], &direct[i]);
    if (result.code == SN_OK)
        result = run_sweeps(figure, sweeps);
    if (result.code != SN_OK)
        return result;
    report(figure, direct, sweeps);
    return plot(figure, direct, sweeps);
}
