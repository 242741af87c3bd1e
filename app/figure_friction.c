// Coulomb friction of rods that lie along the way they slide.
//
// On a plate that tilts at the rate Ω, a rod starts to slide at tan φ = μ. From then on it gains
// speed as v ≈ ½ g Ω √(1 + μ²) (t − t₀)², so √v is a straight line in time, which two readings take
// back to t₀. Pushed to the speed v on the level, it slides v²/(2μg).
#include "app/figure_kit.h"

#include <math.h>
#include <stdio.h>

// As in the scenes.
#define RODS 3
#define TILT_START 1.0 // s
#define TILT_RATE (3.0 * FIGURE_PI / 180.0)
#define PUSH 2.0 // m/s
#define GRAVITY 9.81

static const double frictions[RODS] = {0.2, 0.4, 0.6};

// Distances from the axis at which the plate turns, along the plate, of the rods' first vertices.
static SnResult places(FigureRun *run, double place[RODS]) {
    SnPoses poses;
    SnResult result = figure_run_poses(run, &poses);
    double time = simulation_time(&run->simulation);
    double angle = fmax(0.0, time - TILT_START) * TILT_RATE;
    for (int i = 0; result.code == SN_OK && i < RODS; ++i) {
        const float *p = figure_rod(&poses, i).positions;
        place[i] = (double)p[0] * cos(angle) - (double)p[1] * sin(angle);
    }
    return result;
}

// When each rod starts to slide: the readings are taken when it passes two speeds.
typedef struct Start {
    double speed[2], time[2];
    int readings;
} Start;

static void read_speed(Start *start, double speed, double time) {
    static const double thresholds[2] = {0.05, 0.2}; // m/s
    if (start->readings < 2 && speed > thresholds[start->readings]) {
        start->speed[start->readings] = speed;
        start->time[start->readings++] = time;
    }
}

static double start_time(const Start *start) {
    double a = sqrt(start->speed[0]), b = sqrt(start->speed[1]);
    return (b * start->time[0] - a * start->time[1]) / (b - a);
}

static SnResult run_slope(Figure *figure, FigureView *view, ViewImage *image) {
    FigureRun run;
    Start starts[RODS] = {0};
    double before[RODS], now[RODS];
    SnResult result = figure_run_begin(figure, "friction-slope", &run);
    if (result.code == SN_OK)
        result = places(&run, before);
    double step = run.simulation.settings.step;
    int count = (int)lround(run.simulation.settings.seconds / step), shot = count * 5 / 8;
    for (int k = 1; result.code == SN_OK && k <= count; ++k) {
        result = figure_run_to(&run, k * step);
        if (result.code == SN_OK)
            result = places(&run, now);
        for (int i = 0; result.code == SN_OK && i < RODS; ++i) {
            read_speed(&starts[i], (now[i] - before[i]) / step, (k - 0.5) * step);
            before[i] = now[i];
        }
        if (result.code == SN_OK && k == shot)
            result = figure_view_draw(view, &run, &(FigureLook){0}, image);
    }
    figure_run_end(&run);
    if (result.code != SN_OK)
        return result;
    figure_table_begin("tan of the angle at which a rod starts to slide");
    for (int i = 0; i < RODS; ++i) {
        char what[80];
        snprintf(what, sizeof what, "mu = %.1f", frictions[i]);
        double angle =
            starts[i].readings == 2 ? (start_time(&starts[i]) - TILT_START) * TILT_RATE : 0.0;
        figure_check_near(figure, what, tan(angle), frictions[i], 0.05);
    }
    return result;
}

static SnResult run_push(Figure *figure, FigureView *view, ViewImage *image) {
    FigureRun run;
    SnPoses poses;
    double from[RODS], speed = 0.0;
    SnResult result = figure_run_begin(figure, "friction-push", &run);
    if (result.code == SN_OK)
        result = figure_run_poses(&run, &poses);
    for (int i = 0; result.code == SN_OK && i < RODS; ++i)
        from[i] = (double)figure_rod(&poses, i).positions[0];
    if (result.code == SN_OK)
        result = figure_run_to(&run, run.simulation.settings.seconds);
    if (result.code == SN_OK)
        result = figure_view_draw(view, &run, &(FigureLook){0}, image);
    if (result.code == SN_OK) {
        speed = sn_world_measure(run.simulation.world).speed_max;
        result = figure_run_poses(&run, &poses);
    }
    if (result.code == SN_OK)
        figure_table_begin("distance a push of 2 m/s takes it, m");
    for (int i = 0; result.code == SN_OK && i < RODS; ++i) {
        char what[80];
        snprintf(what, sizeof what, "mu = %.1f", frictions[i]);
        double way = (double)figure_rod(&poses, i).positions[0] - from[i];
        figure_check_near(figure, what, way, PUSH * PUSH / (2.0 * frictions[i] * GRAVITY), 0.05);
    }
    if (result.code == SN_OK)
        figure_check_below(figure, "fastest vertex afterwards, m/s", speed, 0.001);
    figure_run_end(&run);
    return result;
}

SnResult figure_friction(Figure *figure) {
    static const char *const captions[] = {"tilted: friction 0.2 (gone), 0.4, 0.6",
                                           "pushed at 2 m/s: friction 0.2, 0.4, 0.6"};
    FigureView view;
    ViewImage images[2] = {{0}};
    SnResult result = figure_view_begin(760, 540, &view);
    if (result.code == SN_OK)
        result = run_slope(figure, &view, &images[0]);
    if (result.code == SN_OK)
        result = run_push(figure, &view, &images[1]);
    figure_view_end(&view);
    if (result.code == SN_OK)
        return figure_write_grid(figure, images, captions, 2, 2);
    figure_release(images, 2);
    return result;
}
