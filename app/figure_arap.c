// Figures 2 and 4 of Choi and Lee 2017: bars that are once, twice and four times as stiff under their own
// weight, and a body that comes back from one point.
#include "app/figure_kit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <sinew/solid.h>

#define BARS 3
#define PARTICLES 20
#define CELL 0.05 // m, as in the scene
#define YOUNG 1e8 // Pa, of the first bar
#define GRAVITY 9.81
// A row of particles bends by this part of what a beam of square section does (docs/physics.md#solids).
#define ROW 1.085

// Weights m g at 1 to 19 cells from the wall, each bending the bar as far as itself: Σ w x² (3 L − x)/(6 E I).
static double sag_of(double young) {
    double sum = 0.0, length = (PARTICLES - 1) * CELL, inertia = pow(CELL, 4.0) / 12.0;
    double weight = 1000.0 * CELL * CELL * CELL * GRAVITY;
    for (int i = 1; i < PARTICLES; ++i) {
        double x = i * CELL;
        sum += weight * x * x * (3.0 * length - x) / (6.0 * young * inertia);
    }
    return ROW * sum;
}

static void check_bars(Figure *figure, const SnPoses *poses) {
    figure_table_begin("sag of the last particle, m, against beam theory");
    for (int k = 0; k < BARS; ++k) {
        double factor = pow(2.0, k);
        char what[40];
        RodPose bar = figure_rod(poses, k);
        SnVec3 d = figure_between(bar.positions, 0, PARTICLES - 1);
        snprintf(what, sizeof what, "%g × as stiff", factor);
        figure_check_near(figure, what, -(double)d.y, sag_of(factor * YOUNG), 0.02);
    }
}

SnResult figure_arap_fig2(Figure *figure) {
    static const char *const caption[] = {
        "20 particles each: green is twice, blue four times as stiff as red"};
    FigureRun run;
    FigureView view = {0};
    SnPoses poses;
    ViewImage image = {0};
    SnResult result = figure_run_begin(figure, "arap-fig2", &run);
    if (result.code == SN_OK)
        result = figure_run_to(&run, run.simulation.settings.seconds);
    if (result.code == SN_OK)
        result = figure_run_poses(&run, &poses);
    if (result.code == SN_OK) {
        check_bars(figure, &poses);
        result = figure_view_begin(1000, 600, &view);
    }
    if (result.code == SN_OK)
        result = figure_view_draw(&view, &run, &(FigureLook){0}, &image);
    figure_view_end(&view);
    figure_run_end(&run);
    return result.code == SN_OK ? figure_write_grid(figure, &image, caption, 1, 1) : result;
}

#define PICTURES 4
#define HELD 58 // particle, as in the scene

// All particles go where the held one is.
static SnResult crush(SnWorld *world, SnBodyId body) {
    int count = sn_body_point_count(world, body);
    SnVec3 *x = malloc((size_t)count * sizeof *x);
    SnBodyState state = {.positions = x};
    SnResult result = x ? sn_body_read(world, body, &state)
                        : sn_error(SN_ERROR_MEMORY, "arap-fig4: no memory for %d particles", count);
    for (int i = 0; result.code == SN_OK && i < count; ++i)
        x[i] = x[HELD];
    if (result.code == SN_OK)
        result = sn_body_write(world, body, &state);
    free(x);
    return result;
}

static double largest_strain(const SnWorld *world, SnBodyId body) {
    int count = sn_solid_edge_count(world, body);
    float *strains = malloc((size_t)count * sizeof *strains);
    double most = strains && sn_solid_edges(world, body, NULL, strains).code == SN_OK ? 0.0 : 1e9;
    for (int k = 0; strains && k < count; ++k)
        most = fmax(most, fabs((double)strains[k]));
    free(strains);
    return most;
}

SnResult figure_arap_fig4(Figure *figure) {
    static const char *const captions[PICTURES] = {"all in one point", "after 0.05 s",
                                                   "after 0.15 s", "after 2 s"};
    static const double times[PICTURES] = {0.0, 0.05, 0.15, 2.0};
    FigureRun run;
    FigureView view = {0};
    ViewImage images[PICTURES] = {{0}};
    SnResult result = figure_run_begin(figure, "arap-fig4", &run);
    SnBodyId body = {0};
    if (result.code == SN_OK) {
        body = sn_world_find_body(run.simulation.world, "body");
        result = crush(run.simulation.world, body);
    }
    if (result.code == SN_OK)
        result = figure_view_begin(640, 480, &view);
    for (int k = 0; k < PICTURES && result.code == SN_OK; ++k) {
        result = figure_run_to(&run, times[k]);
        if (result.code == SN_OK)
            result = figure_view_draw(&view, &run, &(FigureLook){0}, &images[k]);
    }
    if (result.code == SN_OK) {
        SnMeasures m = sn_world_measure(run.simulation.world);
        figure_table_begin("a body of 108 particles that was in one point, after 2 s");
        figure_check_below(figure, "largest strain of an edge",
                           largest_strain(run.simulation.world, body), 0.01);
        figure_check_below(figure, "fastest particle, m/s", m.speed_max, 0.05);
    }
    figure_view_end(&view);
    figure_run_end(&run);
    if (result.code == SN_OK)
        return figure_write_grid(figure, images, captions, PICTURES, 2);
    figure_release(images, PICTURES);
    return result;
}
