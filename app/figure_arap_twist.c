// Figure 1 of Choi and Lee 2017: a bar of 20 particles. Vertices at one end are held, and a single one at the other is
// twisted and moved by one position and three direction constraints.
#include "app/figure_kit.h"

#include <math.h>

#include <sinew/solid.h>

#define PARTICLES 20
#define HELD 4 // particles that a mark follows
#define PICTURES 4

// The turn from one particle to the next, degrees.
static double turn_between(const float *frames, int i) {
    const float *p = frames + 4 * i, *q = p + 4;
    double w = fabs((double)p[0] * (double)q[0] + (double)p[1] * (double)q[1] +
                    (double)p[2] * (double)q[2] + (double)p[3] * (double)q[3]);
    return 2.0 * acos(fmin(w, 1.0)) * 180.0 / FIGURE_PI;
}

// The vertex is where the hand is, and turned as it is: by 270 degrees about x. Joints between what marks hold have the
// same share of the twist.
static SnResult check_twist(Figure *figure, FigureRun *run) {
    SnPoses poses;
    SnVec3 place, up;
    SnResult result = figure_run_poses(run, &poses);
    SnWorld *world = run->simulation.world;
    SnBodyId body = sn_world_find_body(world, "bar");
    if (result.code == SN_OK)
        result = sn_solid_mark(world, body, 0, &place, NULL);
    if (result.code == SN_OK)
        result = sn_solid_mark(world, body, 1, NULL, &up);
    if (result.code != SN_OK)
        return result;
    RodPose bar = figure_rod(&poses, 0);
    double least = 1e9, most = 0.0;
    for (int i = HELD; i + 1 < PARTICLES - HELD; ++i) {
        least = fmin(least, turn_between(bar.frames, i));
        most = fmax(most, turn_between(bar.frames, i));
    }
    figure_table_begin("while the hand holds still");
    figure_check_near(figure, "x of the vertex, m", (double)place.x, 0.5, 0.001);
    figure_check_near(figure, "its turn, degrees",
                      180.0 + atan2((double)-up.z, (double)-up.y) * 180.0 / FIGURE_PI, 270.0,
                      0.005);
    figure_check_near(figure, "least over most turn from particle to particle", least / most, 1.0,
                      0.02);
    return result;
}

static void check_end(Figure *figure, SnWorld *world) {
    SnMeasures m = sn_world_measure(world);
    figure_table_begin("after the hand has come back");
    figure_check_below(figure, "largest strain of an edge", m.stretch_max, 0.001);
    figure_check_below(figure, "fastest particle, m/s", m.speed_max, 0.01);
}

SnResult figure_arap_fig1(Figure *figure) {
    static const char *const captions[PICTURES] = {"at rest", "twisted by three quarters",
                                                   "and bent", "brought back"};
    static const double times[PICTURES] = {0.0, 3.0, 4.6, 8.0};
    FigureRun run;
    FigureView view = {0};
    ViewImage images[PICTURES] = {{0}};
    SnResult result = figure_run_begin(figure, "arap-fig1", &run);
    if (result.code == SN_OK)
        result = figure_view_begin(640, 480, &view);
    for (int k = 0; k < PICTURES && result.code == SN_OK; ++k) {
        result = figure_run_to(&run, times[k]);
        if (result.code == SN_OK && k == 1)
            result = check_twist(figure, &run);
        if (result.code == SN_OK)
            result = figure_view_draw(&view, &run, &(FigureLook){0}, &images[k]);
    }
    if (result.code == SN_OK)
        check_end(figure, run.simulation.world);
    figure_view_end(&view);
    figure_run_end(&run);
    if (result.code == SN_OK)
        return figure_write_grid(figure, images, captions, PICTURES, 2);
    figure_release(images, PICTURES);
    return result;
}
