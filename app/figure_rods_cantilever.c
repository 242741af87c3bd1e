// The cantilever of Deul et al. (section 5): a rod of 10 m held at one end, with a force on the other.
//
// A segment is in the wall, fixed, and n follow it; the force acts on the centre of the last, L from the
// wall. The joint at i l turns by F (L − i l) l / EI, that at the wall by half of it, and the last centre
// sinks by
//
//     F l/EI (½ L² + Σ (L − i l)²) ≈ F L³/(3EI) · (1 + 1/(2n²)):
//
// refining makes it better. Under larger loads, the deflection is that of the elastica,
// θ'' = −(F/EI) cos θ, θ(0) = 0, θ'(L) = 0, integrated here.
#include "app/figure_kit.h"

#include <math.h>
#include <stdio.h>

// As in the scenes.
#define LENGTH 10.0 // m
#define RADIUS 0.5  // m
#define YOUNG 1.0e9 // Pa
#define FORCE 1.0e3 // N
#define STEP 0.04   // s, of the solve whose residual is measured

#define SIZES 3
static const int sizes[SIZES] = {8, 50, 1000};

// Loads of rods-elastica, F L²/EI; L is 1 m.
#define LOADS 5
static const double loads[LOADS] = {0.5, 1.0, 2.0, 5.0, 10.0};

typedef struct Beam {
    double sunk;     // m, of the last centre
    double residual; // after one iteration
} Beam;

static SnResult run_size(Figure *figure, int n, Beam *beam) {
    char scene[32];
    snprintf(scene, sizeof scene, "rods-cantilever-%d", n);
    FigureRun run;
    SnPoses poses;
    SnResult result = figure_run_begin(figure, scene, &run);
    if (result.code == SN_OK)
        result = figure_run_to(&run, run.simulation.settings.seconds);
    if (result.code == SN_OK)
        result = figure_run_poses(&run, &poses);
    if (result.code == SN_OK) {
        RodPose rod = figure_rod(&poses, 0);
        const float *end = rod.positions + 3 * (rod.vertices - 1);
        beam->sunk = -0.5 * ((double)end[1] + (double)end[-2]);
        // A solve tells what it met: the second one, what the first left.
        double time = simulation_time(&run.simulation);
        result = sn_scene_animate(run.scene, run.simulation.world, time + STEP, STEP);
        sn_world_step(run.simulation.world, (float)STEP, 1, 2);
        beam->residual = sn_world_measure(run.simulation.world).stiff_residual;
    }
    figure_run_end(&run);
    return result;
}

// The curve from the wall with the curvature κ there: runge-kutta. Returns the curvature at the end.
static double shoot(double load, double kappa, double tip[2]) {
    const int steps = 2000;
    double h = 1.0 / steps, theta = 0.0;
    tip[0] = tip[1] = 0.0;
    for (int i = 0; i < steps; ++i) {
        double k1 = -load * cos(theta);
        double middle = theta + 0.5 * h * (kappa + 0.25 * h * k1);
        double k2 = -load * cos(middle);
        double end = theta + h * (kappa + 0.5 * h * k2);
        double k4 = -load * cos(end);
        tip[0] += h * (cos(theta) + 4.0 * cos(middle) + cos(end)) / 6.0;
        tip[1] += h * (sin(theta) + 4.0 * sin(middle) + sin(end)) / 6.0;
        theta += h * (kappa + h * (k1 + 2.0 * k2) / 6.0);
        kappa += h * (k1 + 4.0 * k2 + k4) / 6.0;
    }
    return kappa;
}

// Where the tip is, along and down, over L.
static void elastica(double load, double tip[2]) {
    double low = 0.0, high = 10.0 * load;
    for (int i = 0; i < 80; ++i) {
        double kappa = 0.5 * (low + high);
        *(shoot(load, kappa, tip) > 0.0 ? &high : &low) = kappa;
    }
}

typedef struct Bent {
    double tip[LOADS][2];
    ViewImage image;
} Bent;

static SnResult run_elastica(Figure *figure, Bent *bent) {
    FigureRun run;
    FigureView view = {0};
    SnPoses poses;
    SnResult result = figure_run_begin(figure, "rods-elastica", &run);
    if (result.code == SN_OK)
        result = figure_run_to(&run, run.simulation.settings.seconds);
    if (result.code == SN_OK)
        result = figure_run_poses(&run, &poses);
    for (int i = 0; result.code == SN_OK && i < LOADS; ++i) {
        RodPose rod = figure_rod(&poses, i);
        const float *end = rod.positions + 3 * (rod.vertices - 1);
        bent->tip[i][0] = 0.5 * ((double)end[2] + (double)end[-1]);
        bent->tip[i][1] = -0.5 * ((double)end[1] + (double)end[-2]);
    }
    if (result.code == SN_OK)
        result = figure_view_begin(900, 640, &view);
    if (result.code == SN_OK)
        result = figure_view_draw(&view, &run, &(FigureLook){0}, &bent->image);
    figure_view_end(&view);
    figure_run_end(&run);
    return result;
}

static double analytic(void) {
    return FORCE * pow(LENGTH, 3.0) / (3.0 * YOUNG * 0.25 * FIGURE_PI * pow(RADIUS, 4.0));
}

// The same of n rigid segments.
static double of_segments(int n) {
    double l = 1.0 / (n - 0.5), sum = 0.5;
    for (int i = 1; i < n; ++i)
        sum += (1.0 - i * l) * (1.0 - i * l);
    return 3.0 * l * sum * analytic();
}

static void report(Figure *figure, const Beam beams[SIZES], const Bent *bent) {
    char what[80];
    double expected = analytic();
    figure_table_begin("deflection of the last centre, m, against F L^3 / (3 E I)");
    for (int i = 0; i < SIZES; ++i) {
        snprintf(what, sizeof what, "%d segments", sizes[i]);
        figure_check_near(figure, what, beams[i].sunk, expected, i == 0 ? 0.01 : 0.001);
    }
    figure_check_below(figure, "error at 50 segments / at 8",
                       fabs(beams[1].sunk - expected) / fabs(beams[0].sunk - expected), 0.1);
    figure_check_below(figure, "error at 1000 segments / at 50",
                       fabs(beams[2].sunk - expected) / fabs(beams[1].sunk - expected), 0.1);
    figure_table_begin("the same against the discrete rod");
    for (int i = 0; i < SIZES; ++i) {
        snprintf(what, sizeof what, "%d segments", sizes[i]);
        figure_check_near(figure, what, beams[i].sunk, of_segments(sizes[i]), 2.0e-5);
    }
    figure_table_begin("residual after one iteration, max |C + alpha lambda|, m and rad");
    for (int i = 0; i < SIZES; ++i) {
        snprintf(what, sizeof what, "%d segments", sizes[i]);
        figure_check_below(figure, what, beams[i].residual, 1.0e-12);
    }
    figure_table_begin("large loads: tip of the elastica, m (L = 1 m, 50 segments)");
    for (int i = 0; i < LOADS; ++i) {
        double tip[2];
        elastica(loads[i], tip);
        snprintf(what, sizeof what, "F L^2 / (E I) = %g, down", loads[i]);
        figure_check_near(figure, what, bent->tip[i][1], tip[1], 0.01);
        snprintf(what, sizeof what, "F L^2 / (E I) = %g, along", loads[i]);
        figure_check_near(figure, what, bent->tip[i][0], tip[0], 0.01);
    }
}

#define CURVE 40

static SnResult draw_plot(const Beam beams[SIZES], ViewImage *out_image) {
    double n[SIZES], error[SIZES], curve_n[CURVE], curve[CURVE];
    for (int i = 0; i < SIZES; ++i) {
        n[i] = sizes[i];
        error[i] = fabs(beams[i].sunk / analytic() - 1.0);
    }
    for (int i = 0; i < CURVE; ++i) {
        curve_n[i] = 5.0 * pow(300.0, i / (CURVE - 1.0));
        curve[i] = 0.5 / (curve_n[i] * curve_n[i]);
    }
    const ViewPlotSeries series[] = {
        {"measured", SIZES, n, error, VIEW_PLOT_MARKERS, NULL},
        {"1 / (2 n^2)", CURVE, curve_n, curve, VIEW_PLOT_DASHES, NULL},
    };
    const ViewPlot chart = {.title = "Deflection against F L^3 / (3 E I)",
                            .x = {.label = "segments n", .log = true},
                            .y = {.label = "|measured / expected - 1|", .log = true},
                            .series = series,
                            .series_count = 2,
                            .width = 900,
                            .height = 640};
    return view_plot_draw(&chart, out_image);
}

SnResult figure_rods_cantilever(Figure *figure) {
    static const char *const captions[2] = {"", "loads F L^2 / (E I) = 0.5, 1, 2, 5, 10"};
    Beam beams[SIZES];
    Bent bent = {0};
    ViewImage images[2] = {{0}};
    SnResult result = sn_ok();
    for (int i = 0; result.code == SN_OK && i < SIZES; ++i)
        result = run_size(figure, sizes[i], &beams[i]);
    if (result.code == SN_OK)
        result = run_elastica(figure, &bent);
    images[1] = bent.image;
    if (result.code == SN_OK) {
        report(figure, beams, &bent);
        result = draw_plot(beams, &images[0]);
    }
    if (result.code != SN_OK) {
        figure_release(images, 2);
        return result;
    }
    return figure_write_grid(figure, images, captions, 2, 2);
}
