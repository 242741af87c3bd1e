// A free rod that flies, spins and vibrates, without gravity, drag or damping, for 20 s.
//
// Its momentum must stay, and with sweeps enough to solve a sub-step its energy may not grow. One
// sweep per sub-step is not enough for long ones: what it leaves unsolved shows up as energy that
// comes and goes. Those runs are reported beside the others, without a check.
//
// Implicit Euler takes energy out of what vibrates at the rate ω²h, and angular momentum out of what
// spins at the rate hΩ²: a rigid rod that starts with Ω has 1/√(1 + 2hΩ²t) of it left. Vibration
// costs more, as the square of its amplitude; VIBRATION is a bound found by trial, not derived.
#include "app/figure_kit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define RUNS 4
static const int substeps[RUNS] = {5, 10, 20, 40};
#define RATE 60 // steps per second, as in the scene

#define SPIN 2.0       // rad/s, as in the scene
#define VIBRATION 0.01 // share of the angular momentum

#define SAMPLES (20 * RATE + 1) // every step of 20 s

typedef struct Drift {
    double time[SAMPLES], energy[SAMPLES]; // energy relative to the start
    double momentum;     // largest change, relative to the sum of all |m v| at the start
    double spin_lost;    // share of the angular momentum at the end
    double spin_turned;  // largest part of it across its first direction, relative
    double energy_above; // largest excess over the least energy before, relative to the start
} Drift;

static double length3(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

static double distance3(const double a[3], const double b[3]) {
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return length3(d);
}

// About the centre of mass: what the flight of the rod adds is taken off. With the momentum p and
// the centre x = v t of a rod that started at the origin, that is x × p.
static void own_spin(const SnMeasures *m, const SnPoses *poses, double out[3]) {
    double x[3] = {0};
    for (int i = 0; i < poses->point_count; ++i) {
        double share = i == 0 || i + 1 == poses->point_count ? 0.5 : 1.0;
        for (int c = 0; c < 3; ++c)
            x[c] += share * (double)poses->positions[3 * i + c] / (poses->point_count - 1);
    }
    for (int c = 0; c < 3; ++c) {
        int a = (c + 1) % 3, b = (c + 2) % 3;
        out[c] = m->angular_momentum[c] - (x[a] * m->momentum[b] - x[b] * m->momentum[a]);
    }
}

static SnResult run_drift(FigureRun *run, Drift *out) {
    double momentum[3], spin[3], first_spin[3], energy = 0.0, least = 0.0, scale = 1.0;
    *out = (Drift){0};
    for (int i = 0; i < SAMPLES; ++i) {
        SnPoses poses;
        SnResult result = figure_run_to(run, (double)i / RATE);
        if (result.code == SN_OK)
            result = figure_run_poses(run, &poses);
        if (result.code != SN_OK)
            return result;
        SnMeasures m = sn_world_measure(run->simulation.world);
        own_spin(&m, &poses, spin);
        if (i == 0) {
            least = energy = figure_energy(&m);
            scale = sqrt(2.0 * m.mass * m.energy_kinetic);
            for (int c = 0; c < 3; ++c) {
                momentum[c] = m.momentum[c];
                first_spin[c] = spin[c];
            }
        }
        double now = figure_energy(&m);
        double along =
            (spin[0] * first_spin[0] + spin[1] * first_spin[1] + spin[2] * first_spin[2]) /
            length3(first_spin);
        out->time[i] = (double)i / RATE;
        out->energy[i] = now / energy;
        out->energy_above = fmax(out->energy_above, (now - least) / energy);
        least = fmin(least, now);
        out->momentum = fmax(out->momentum, distance3(m.momentum, momentum) / scale);
        double across = sqrt(fmax(0.0, pow(length3(spin), 2.0) - along * along));
        out->spin_turned = fmax(out->spin_turned, across / length3(first_spin));
        out->spin_lost = 1.0 - along / length3(first_spin);
    }
    return sn_ok();
}

static void report(Figure *figure, const Drift *drifts) {
    for (int i = 0; i < RUNS; ++i) {
        char title[80];
        snprintf(title, sizeof title, "%d sub-steps of 1/%d s, 8 iterations", substeps[i],
                 RATE * substeps[i]);
        figure_table_begin(title);
        figure_check_below(figure, "change of momentum / sqrt(2 m E_kin)", drifts[i].momentum,
                           1e-4);
        // Rounding of the frames: float's resolution in every sub-step.
        figure_check_below(figure, "angular momentum, turned", drifts[i].spin_turned,
                           6e-8 * RATE * substeps[i] * 20.0);
        double rigid =
            1.0 - 1.0 / sqrt(1.0 + 2.0 * SPIN * SPIN * 20.0 / ((double)RATE * substeps[i]));
        figure_check_below(figure, "angular momentum, lost", drifts[i].spin_lost,
                           rigid + VIBRATION);
        figure_check_below(figure, "growth of energy", drifts[i].energy_above, 1e-3);
        figure_table_note("energy kept after 1 s", 100.0 * drifts[i].energy[RATE], "%");
        figure_table_note("energy kept after 20 s", 100.0 * drifts[i].energy[SAMPLES - 1], "%");
    }
}

static void report_single(const Drift *drifts) {
    figure_table_begin("with 1 iteration, not checked: growth of energy");
    for (int i = 0; i < RUNS; ++i) {
        char what[80];
        snprintf(what, sizeof what, "%d sub-steps of 1/%d s", substeps[i], RATE * substeps[i]);
        figure_table_note(what, drifts[i].energy_above, "");
    }
}

static SnResult plot(const Figure *figure, const Drift *solved, const Drift *single) {
    char labels[2 * RUNS][48];
    ViewPlotSeries series[2 * RUNS];
    for (int i = 0; i < 2 * RUNS; ++i) {
        const Drift *drift = i < RUNS ? &solved[i] : &single[i - RUNS];
        int count = i < RUNS ? 8 : 1;
        snprintf(labels[i], sizeof labels[i], "%d sub-steps, %d iteration%s", substeps[i % RUNS],
                 count, count > 1 ? "s" : "");
        series[i] = (ViewPlotSeries){.label = labels[i],
                                     .count = SAMPLES,
                                     .x = drift->time,
                                     .y = drift->energy,
                                     .style = i < RUNS ? VIEW_PLOT_LINE : VIEW_PLOT_DASHES};
    }
    const ViewPlot chart = {.title = "A free rod without damping: energy over that at the start",
                            .x = {.label = "time, s"},
                            .y = {.label = "energy / energy at the start", .low = 0.0, .high = 1.2},
                            .series = series,
                            .series_count = 2 * RUNS};
    return figure_write_plot(figure, &chart);
}

// All sub-step counts with so many iterations.
static SnResult run_all(Figure *figure, int iterations, Drift *drifts) {
    SnResult result = sn_ok();
    for (int i = 0; i < RUNS && result.code == SN_OK; ++i) {
        FigureRun run;
        result = figure_run_begin(figure, "drift", &run);
        if (result.code == SN_OK) {
            figure_run_set_steps(&run, 1.0 / RATE, substeps[i], iterations);
            result = run_drift(&run, &drifts[i]);
        }
        figure_run_end(&run);
    }
    return result;
}

SnResult figure_drift(Figure *figure) {
    Drift *drifts = calloc(2 * RUNS, sizeof *drifts);
    if (drifts == NULL)
        return sn_error(SN_ERROR_MEMORY, "drift: no memory for %d runs", 2 * RUNS);
    Drift *solved = drifts, *single = drifts + RUNS;
    SnResult result = run_all(figure, 8, solved);
    if (result.code == SN_OK)
        result = run_all(figure, 1, single);
    if (result.code == SN_OK) {
        report(figure, solved);
        report_single(single);
        result = plot(figure, solved, single);
    }
    free(drifts);
    return result;
}
