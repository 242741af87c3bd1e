// Stiffness depends on neither the step size nor the number of sub-steps and iterations: three rods
// under load, bent, stretched and twisted, come to rest at the same place for all of them, once the
// sweeps suffice to get there. Too few leave a rod too soft.
//
// Whether they suffice is told from the runs alone, not from where the rods should be: with more
// iterations nothing moves any more. The most iterations of every step size must be enough.
//
// The torque is small on purpose. What turns a free segment far within one sub-step (here 0.28 rad
// in 1/30 s) is applied as 2 atan(x/2) instead of x, which is too weak: 0.6 % in that case, 31 % at
// ten times the torque.
#include "app/figure_kit.h"

#include <math.h>
#include <stdio.h>

// As in the scene.
#define SEGMENTS 16
#define RADIUS 0.06       // m
#define YOUNG 5.0e5       // Pa
#define SHEAR (YOUNG / 3) // Pa
#define VOLUME 5.0e6      // Pa
#define PULL 0.1          // of the stretched rod: force / (A E)
#define DEFLECTION 0.02   // m, of the bent rod by F L³ / (3 E I)
#define TURN 0.1          // rad, of the twisted rod by T L / (G J)

#define SETTLED 0.002 // the change with more iterations below which there were enough

enum { BENT, STRETCHED, TWISTED, LOADS };

typedef struct Family {
    const char *label;
    double rate; // steps per second
    int substeps;
    int iterations[6];
} Family;

#define FAMILIES 5
#define MEMBERS 6
static const Family families[FAMILIES] = {
    {"1/30 s", 30, 1, {25, 50, 100, 200, 400, 800}},
    {"1/60 s", 60, 1, {12, 25, 50, 100, 200, 400}},
    {"1/240 s", 240, 1, {3, 6, 12, 25, 50, 100}},
    {"1/60 s in 10 sub-steps", 60, 10, {1, 2, 5, 10, 20, 40}},
    {"1/30 s in 50 sub-steps", 30, 50, {1, 2, 3, 4, 8, 16}},
};

typedef struct Results {
    double sweeps[FAMILIES][MEMBERS]; // per second
    double ratio[LOADS][FAMILIES][MEMBERS];
} Results;

// The stretch λ of a volume rod under the axial force PULL · A E: the energy of eqs 11, 12 and 18,
//     ½E (λ − 1)² + G (s − 1)² + ½k_v (s²λ − 1)²,
// is in balance along s (by bisection) and λ (likewise, as the force grows with λ).
static double balanced_scale(double stretch) {
    double low = 0.5, high = 1.0;
    for (int i = 0; i < 60; ++i) {
        double s = 0.5 * (low + high);
        double slope = SHEAR * (s - 1.0) + VOLUME * (s * s * stretch - 1.0) * s * stretch;
        *(slope > 0.0 ? &high : &low) = s;
    }
    return 0.5 * (low + high);
}

static double expected_stretch(void) {
    double low = 1.0, high = 1.0 + 2.0 * PULL;
    for (int i = 0; i < 60; ++i) {
        double stretch = 0.5 * (low + high), s = balanced_scale(stretch);
        double force = YOUNG * (stretch - 1.0) + VOLUME * (s * s * stretch - 1.0) * s * s;
        *(force > PULL * YOUNG ? &high : &low) = stretch;
    }
    return 0.5 * (low + high);
}

// Measured over expected; the bent rod's expected value is that of its joints (see the cantilever).
static void measure(const SnPoses *poses, double ratio[LOADS]) {
    RodPose bent = figure_rod(poses, BENT), stretched = figure_rod(poses, STRETCHED),
            twisted = figure_rod(poses, TWISTED);
    int tip = 3 * (bent.vertices - 1);
    double shear = 0.75 * RADIUS * RADIUS * YOUNG / (0.9 * SHEAR);
    double sunk = -(double)bent.positions[tip + 1] / DEFLECTION;
    ratio[BENT] = sunk / (1.0 + 0.5 / (SEGMENTS * SEGMENTS) + shear);

    // Its length is 1 m; all of it stretches alike.
    ratio[STRETCHED] = ((double)stretched.positions[tip + 2] - 1.0) / (expected_stretch() - 1.0);

    const float *q = twisted.frames + 4 * (twisted.segments - 1);
    ratio[TWISTED] = 2.0 * atan2((double)q[2], (double)q[3]) / TURN;
}

static SnResult run_member(Figure *figure, const Family *family, int iterations,
                           double ratio[LOADS]) {
    FigureRun run;
    SnPoses poses;
    SnResult result = figure_run_begin(figure, "independence", &run);
    if (result.code == SN_OK) {
        figure_run_set_steps(&run, 1.0 / family->rate, family->substeps, iterations);
        result = figure_run_to(&run, run.simulation.settings.seconds);
    }
    if (result.code == SN_OK)
        result = figure_run_poses(&run, &poses);
    if (result.code == SN_OK)
        measure(&poses, ratio);
    figure_run_end(&run);
    return result;
}

static SnResult run_families(Figure *figure, Results *out) {
    for (int f = 0; f < FAMILIES; ++f)
        for (int i = 0; i < MEMBERS; ++i) {
            double ratio[LOADS];
            int iterations = families[f].iterations[i];
            SnResult result = run_member(figure, &families[f], iterations, ratio);
            if (result.code != SN_OK)
                return result;
            out->sweeps[f][i] = families[f].rate * families[f].substeps * iterations;
            for (int load = 0; load < LOADS; ++load)
                out->ratio[load][f][i] = ratio[load];
        }
    return sn_ok();
}

// Of the three rods, the one that is farthest off.
static double worst_ratio(const Results *results, int f, int i) {
    double worst = 1.0;
    for (int load = 0; load < LOADS; ++load) {
        double ratio = results->ratio[load][f][i];
        worst = fabs(ratio - 1.0) > fabs(worst - 1.0) ? ratio : worst;
    }
    return worst;
}

// The last of a family has none with more iterations to compare with; it must agree with the one
// before.
static bool settled(const Results *results, int f, int i) {
    int other = i + 1 < MEMBERS ? i + 1 : i - 1;
    for (int load = 0; load < LOADS; ++load)
        if (fabs(results->ratio[load][f][i] - results->ratio[load][f][other]) > SETTLED)
            return false;
    return true;
}

static void report(Figure *figure, const Results *results) {
    figure_table_begin("at rest over the analytic value, the worst of the three rods");
    for (int f = 0; f < FAMILIES; ++f)
        for (int i = 0; i < MEMBERS; ++i) {
            char what[80];
            snprintf(what, sizeof what, "%s, iterations: %d", families[f].label,
                     families[f].iterations[i]);
            double worst = worst_ratio(results, f, i);
            if (i + 1 == MEMBERS || settled(results, f, i))
                figure_check_near(figure, what, worst, 1.0, 0.01);
            else
                figure_table_note(what, worst, "(too few sweeps)");
        }
}

static SnResult plot(const Figure *figure, const Results *results) {
    static const char *const titles[LOADS] = {"bent: F L^3 / (3 E I)", "stretched",
                                              "twisted: T L / (G J)"};
    ViewImage images[LOADS] = {{0}};
    for (int load = 0; load < LOADS; ++load) {
        ViewPlotSeries series[FAMILIES];
        for (int f = 0; f < FAMILIES; ++f)
            series[f] = (ViewPlotSeries){.label = families[f].label,
                                         .count = MEMBERS,
                                         .x = results->sweeps[f],
                                         .y = results->ratio[load][f],
                                         .style = VIEW_PLOT_LINE | VIEW_PLOT_MARKERS};
        const ViewPlot chart = {.title = titles[load],
                                .x = {.label = "sweeps per second", .log = true},
                                .y = {.label = "measured / expected", .low = 0.9, .high = 1.5},
                                .series = series,
                                .series_count = FAMILIES,
                                .width = 760,
                                .height = 640};
        SnResult result = view_plot_draw(&chart, &images[load]);
        if (result.code != SN_OK) {
            for (int i = 0; i < load; ++i)
                view_image_release(&images[i]);
            return result;
        }
    }
    return figure_write_grid(figure, images, NULL, LOADS, LOADS);
}

SnResult figure_independence(Figure *figure) {
    Results results = {0};
    SnResult result = run_families(figure, &results);
    if (result.code != SN_OK)
        return result;
    report(figure, &results);
    return plot(figure, &results);
}
