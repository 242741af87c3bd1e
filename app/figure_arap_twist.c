// Figure 1 of Choi and Lee 2017: a bar of 20 particles, one end of which is held, the other twisted and moved by a hand.
#include "app/figure_kit.h"

#include <math.h>

#include <sinew/solid.h>

#define PARTICLES 20
#define TURN 270.0 // degrees, as in the scene
#define PICTURES 4

// The turn from one particle to the next, degrees.
static double turn_between(const float *frames, int i) {
    const float *p = frames + 4 * i, *q = p + 4;
    double w = fabs((double)p[0] * (double)q[0] + (double)p[1] * (double)q[1] +
                    (double)p[2] * (double)q[2] + (double)p[3] * (double)q[3]);
    return 2.0 * acos(fmin(w, 1.0)) * 180.0 / FIGURE_PI;
}

// Every joint has its share of the twist.
static SnResult check_twist(Figure *figure, FigureRun *run) {
    SnPoses poses;
    SnResult result = figure_run_poses(run, &poses);
    if (result.code != SN_OK)
        return result;
    RodPose bar = figure_rod(&poses, 0);
    double least = 1e9, most = 0.0;
    for (int i = 0; i + 1 < PARTICLES; ++i) {
        least = fmin(least, turn_between(bar.frames, i));
        most = fmax(most, turn_between(bar.frames, i));
    }
    figure_table_begin("turn from particle to particle while the hand holds still, degrees");
    figure_check_near(figure, "least", least, TURN / (PARTICLES - 1), 0.02);
    figure_check_near(figure, "most", most, TURN / (PARTICLES - 1), 0.02);
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
