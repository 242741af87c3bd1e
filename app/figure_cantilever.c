// A cantilever under a small load F at its tip sinks by F L³ / (3 E I), I = π r⁴/4.
//
// A clamp holds the rod at its first vertex, by half a joint, and the joints behind it turn by
// F (n − j) l² / EI each, which sums up to
//
//     F l³/EI · (n²/2 + n (n − 1)(2n − 1)/6) = F L³/(3EI) · (1 + 1/(2n²)):
//
// the discrete rod is too soft by 1/(2n²). Shear adds F L/(0.9 G A).
#include "app/figure_kit.h"

#include <math.h>
#include <stdio.h>

// As in the scenes.
#define LENGTH 1.0       // m
#define RADIUS 0.06      // m
#define YOUNG 5.0e5      // Pa
#define SHEAR 1.666667e5 // Pa
#define DEFLECTION 0.02  // m, of the continuous rod: the load is 3 E I / L³ times this

#define SIZES 4
static const int sizes[SIZES] = {8, 16, 32, 64};

enum { CLASSIC_ROD, VOLUME_ROD, KINDS }; // in the scenes

static double expected_ratio(int n) {
    double shear = 0.75 * RADIUS * RADIUS / (LENGTH * LENGTH) * YOUNG / (0.9 * SHEAR);
    return 1.0 + 0.5 / ((double)n * n) + shear;
}

// Deflection over that of the continuous rod.
static SnResult run_size(Figure *figure, int n, double ratio[KINDS]) {
    char scene[32];
    snprintf(scene, sizeof scene, "cantilever-%d", n);
    FigureRun run;
    SnPoses poses;
    SnResult result = figure_run_begin(figure, scene, &run);
    if (result.code == SN_OK)
        result = figure_run_to(&run, run.simulation.settings.seconds);
    if (result.code == SN_OK)
        result = figure_run_poses(&run, &poses);
    for (int kind = 0; result.code == SN_OK && kind < KINDS; ++kind) {
        RodPose rod = figure_rod(&poses, kind);
        ratio[kind] = -(double)rod.positions[3 * (rod.vertices - 1) + 1] / DEFLECTION;
    }
    figure_run_end(&run);
    return result;
}

static void report(Figure *figure, double ratio[SIZES][KINDS]) {
    static const char *const names[KINDS] = {"classic", "volume"};
    char what[80];
    figure_table_begin("deflection of the tip, m, against F L^3 / (3 E I)");
    for (int kind = 0; kind < KINDS; ++kind)
        for (int i = 0; i < SIZES; ++i) {
            snprintf(what, sizeof what, "%s rod, %d segments", names[kind], sizes[i]);
            figure_check_near(figure, what, ratio[i][kind] * DEFLECTION, DEFLECTION, 0.02);
        }
    figure_table_begin("the same against the discrete rod, which shears as well");
    for (int kind = 0; kind < KINDS; ++kind)
        for (int i = 0; i < SIZES; ++i) {
            snprintf(what, sizeof what, "%s rod, %d segments", names[kind], sizes[i]);
            figure_check_near(figure, what, ratio[i][kind] * DEFLECTION,
                              expected_ratio(sizes[i]) * DEFLECTION, 0.003);
        }
}

#define CURVE 57 // points of the expected curves

static SnResult plot(const Figure *figure, double ratio[SIZES][KINDS]) {
    static const float orange[3] = {0.91f, 0.42f, 0.32f}, blue[3] = {0.33f, 0.50f, 0.70f};
    static const float grey[3] = {0.45f, 0.45f, 0.45f};
    double n[SIZES], measured[KINDS][SIZES], curve_n[CURVE], curve[CURVE];
    for (int i = 0; i < SIZES; ++i) {
        n[i] = sizes[i];
        measured[CLASSIC_ROD][i] = ratio[i][CLASSIC_ROD];
        measured[VOLUME_ROD][i] = ratio[i][VOLUME_ROD];
    }
    for (int i = 0; i < CURVE; ++i) {
        curve_n[i] = 8 + i;
        curve[i] = expected_ratio(8 + i);
    }
    const ViewPlotSeries series[] = {
        {"classic rod", SIZES, n, measured[CLASSIC_ROD], VIEW_PLOT_MARKERS, blue},
        {"volume rod", SIZES, n, measured[VOLUME_ROD], VIEW_PLOT_MARKERS, orange},
        {"1 + 1/(2n^2) + shear", CURVE, curve_n, curve, VIEW_PLOT_DASHES, grey},
    };
    const ViewPlot chart = {.title = "Cantilever: deflection over F L^3 / (3 E I)",
                            .x = {.label = "segments n", .low = 0.0, .high = 70.0},
                            .y = {.label = "measured / expected", .low = 1.0, .high = 1.02},
                            .series = series,
                            .series_count = 3};
    return figure_write_plot(figure, &chart);
}

SnResult figure_cantilever(Figure *figure) {
    double ratio[SIZES][KINDS] = {{0}};
    for (int i = 0; i < SIZES; ++i) {
        SnResult result = run_size(figure, sizes[i], ratio[i]);
        if (result.code != SN_OK)
            return result;
    }
    report(figure, ratio);
    return plot(figure, ratio);
}
