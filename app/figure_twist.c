// A clamped rod with a torque T on its last segment turns there by T L / (G J), J = π r⁴/2.
//
// The first segment is held, so that the wall is at its middle, and the torque acts on the last
// segment as a whole, at its middle: L is the length of all segments but one. A joint that turns
// by θ carries sin θ instead of θ (eq. 40), here less than 0.1 % off.
#include "app/figure_kit.h"

#include <math.h>
#include <stdio.h>

#define RADIUS 0.05    // m, as in the scene
#define LENGTH 1.0     // m, from the wall to the middle of the last segment
#define SHEAR 1.0e5    // Pa
#define TORQUES 3      // in steps of FIRST_TURN; a classic and a volume rod each
#define FIRST_TURN 1.0 // rad

// The turn of the last frame about the rod, which is the z axis. Frames start as the identity.
static double turn_of(RodPose rod) {
    const float *q = rod.frames + 4 * (rod.segments - 1);
    return 2.0 * atan2((double)q[2], (double)q[3]);
}

static void check(Figure *figure, const SnPoses *poses) {
    figure_table_begin("turn of the last segment, rad, against T L / (G J)");
    double rigidity = SHEAR * 0.5 * FIGURE_PI * pow(RADIUS, 4.0);
    for (int i = 0; i < 2 * TORQUES; ++i) {
        double torque = (1 + i % TORQUES) * FIRST_TURN * rigidity / LENGTH;
        char what[80];
        snprintf(what, sizeof what, "%s rod, T = %.4f N m", i < TORQUES ? "classic" : "volume",
                 torque);
        double expected = torque * LENGTH / rigidity;
        double turn = turn_of(figure_rod(poses, i));
        figure_check_near(figure, what, turn, expected, 0.01);
    }
}

SnResult figure_twist(Figure *figure) {
    static const char *const caption[] = {
        "clamped on the left, turned by 1, 2 and 3 rad: classic (blue) and volume (red) rods"};
    FigureRun run;
    FigureView view = {0};
    SnPoses poses;
    ViewImage image = {0};
    SnResult result = figure_run_begin(figure, "twist", &run);
    if (result.code == SN_OK)
        result = figure_run_to(&run, run.simulation.settings.seconds);
    if (result.code == SN_OK)
        result = figure_run_poses(&run, &poses);
    if (result.code == SN_OK) {
        check(figure, &poses);
        result = figure_view_begin(1100, 820, &view);
    }
    if (result.code == SN_OK)
        result = figure_view_draw(&view, &run, &(FigureLook){.stripes = 6}, &image);
    figure_view_end(&view);
    figure_run_end(&run);
    return result.code == SN_OK ? figure_write_grid(figure, &image, caption, 1, 1) : result;
}
