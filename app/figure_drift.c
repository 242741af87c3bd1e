// A free rod that flies, spins and vibrates, without gravity, drag or damping, for 20 s.
//
// Its momentum must stay. Implicit Euler takes energy out of what turns or vibrates, at the rate ω²h:
// the more sub-steps, the less. It also takes spin: a turn by Ω loses the share hΩ² of its angular
// momentum per second. Both must halve with the sub-step, and neither may grow.
#include "app/figure_kit.h"

#include "base/result.h"

#include <math.h>
#include <stdio.h>

#define RUNS 4
static const int substeps[RUNS] = {5, 10, 20, 40};

#define SAMPLES 201
#define SAMPLE_PERIOD 0.1 // s

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
    for (int i = 0; i < poses->vertex_count; i++) {
        double share = i == 0 || i + 1 == poses->vertex_count ? 0.5 : 1.0;
        for (int c = 0; c < 3; c++) {
            x[c] += share * (double)poses->positions[3 * i + c] / (poses->vertex_count - 1);
        }
    }
    for (int c = 0; c < 3; c++) {
        int a = (c + 1) % 3, b = (c + 2) % 3;
        out[c] = m->angular_momentum[c] - (x[a] * m->momentum[b] - x[b] * m->momentum[a]);
    }
}

static SnResult run_drift(FigureRun *run, Drift *out) {
    double momentum[3], spin[3], first_spin[3], energy = 0.0, least = 0.0, scale = 1.0;
    *out = (Drift){0};
    for (int i = 0; i < SAMPLES; i++) {
        SnPoses poses;
        SnResult result = figure_run_to(run, i * SAMPLE_PERIOD);
        if (result.code == SN_OK) {
            result = figure_run_poses(run, &poses);
        }
        if (result.code != SN_OK) {
            return result;
        }
        SnMeasures m = sn_world_measure(run->simulation.world);
        own_spin(&m, &poses, spin);
        if (i == 0) {
            least = energy = figure_energy(&m);
            scale = sqrt(2.0 * m.mass * m.energy_kinetic);
            for (int c = 0; c < 3; c++) {
                momentum[c] = m.momentum[c];
                first_spin[c] = spin[c];
            }
        }
        double now = figure_energy(&m);
        double along =
            (spin[0] * first_spin[0] + spin[1] * first_spin[1] + spin[2] * first_spin[2]) /
            length3(first_spin);
        out->time[i] = i * SAMPLE_PERIOD;
        out->energy[i] = now / energy;
        out->energy_above = fmax(out->energy_above, (now - least) / energy);
        least = fmin(least, now);
        out->momentum = fmax(out->momentum, distance3(m.momentum, momentum) / scale);
        double across = sqrt(fmax(0.0, pow(length3(spin), 2.0) - along * along));
        out->spin_turned = fmax(out->spin_turned, across / length3(first_spin));
        out->spin_lost = 1.0 - along / length3(first_spin);
    }
    return sn__ok();
}

static void report(Figure *figure, const Drift *drifts) {
    for (int i = 0; i < RUNS; i++) {
        char title[80];
        snprintf(title, sizeof title, "%d sub-steps of 1/%d s, 20 s", substeps[i],
                 60 * substeps[i]);
        figure_table_begin(title);
        figure_check_below(figure, "change of momentum / sqrt(2 m E_kin)", drifts[i].momentum,
                           1e-4);
        figure_check_below(figure, "angular momentum, turned", drifts[i].spin_turned, 1e-3);
        figure_table_note("angular momentum, lost", 100.0 * drifts[i].spin_lost, "%");
        figure_check_below(figure, "growth of energy", drifts[i].energy_above, 1e-3);
        figure_table_note("energy kept after 1 s", 100.0 * drifts[i].energy[10], "%");
        figure_table_note("energy kept after 20 s", 100.0 * drifts[i].energy[SAMPLES - 1], "%");
    }
    figure_table_begin("loss of angular momentum, per sub-step size");
    for (int i = 1; i < RUNS; i++) {
        char what[80];
        snprintf(what, sizeof what, "%d against %d sub-steps", substeps[i - 1], substeps[i]);
        double ratio = log(1.0 - drifts[i - 1].spin_lost) / log(1.0 - drifts[i].spin_lost);
        figure_check_near(figure, what, ratio, 2.0, 0.2);
    }
}

static SnResult plot(const Figure *figure, const Drift *drifts) {
    char labels[RUNS][32];
    SnvPlotSeries series[RUNS];
    for (int i = 0; i < RUNS; i++) {
        snprintf(labels[i], sizeof labels[i], "%d sub-steps", substeps[i]);
        series[i] = (SnvPlotSeries){
            .label = labels[i], .count = SAMPLES, .x = drifts[i].time, .y = drifts[i].energy};
    }
    const SnvPlot chart = {.title = "A free rod without damping: energy over that at the start",
                           .x = {.label = "time, s"},
                           .y = {.label = "energy / energy at the start", .low = 0.0, .high = 1.05},
                           .series = series,
                           .series_count = RUNS};
    return figure_write_plot(figure, &chart);
}

SnResult figure_drift(Figure *figure) {
    Drift drifts[RUNS];
    for (int i = 0; i < RUNS; i++) {
        FigureRun run;
        SnResult result = figure_run_begin(figure, "drift", &run);
        if (result.code == SN_OK) {
            SnSceneSettings settings = run.simulation.settings;
            figure_run_set_steps(&run, settings.step, substeps[i], settings.iterations);
            result = run_drift(&run, &drifts[i]);
        }
        figure_run_end(&run);
        if (result.code != SN_OK) {
            return result;
        }
    }
    report(figure, drifts);
    return plot(figure, drifts);
}
