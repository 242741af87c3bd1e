// A rope that slides around a post, hauled in against the pull T1: the pull T2 it takes is
// e^(μθ) T1, θ the angle through which the rope turns.
//
// T1 is given; T2 is read from the stretch of the straight part, T = E A (l/l₀ − 1), as a mean over
// the time of the haul, since a rope of segments goes round in small jerks.
#include "app/figure_kit.h"

#include <math.h>
#include <stdio.h>

// As in the scene: ropes with half a turn and with one and a half turns.
#define TURNS 2
#define FRICTIONS 3
#define ROPES (TURNS * FRICTIONS)
#define YOUNG 5.0e6 // Pa
#define RADIUS 0.01 // m
#define LOAD 2.0    // N, T1
#define STRAIGHT 6  // segments next to each end that do not touch the post
#define SETTLED 3.0 // s, when the ropes lie tight and slide

static const double frictions[FRICTIONS] = {0.1, 0.2, 0.3};

typedef struct Rope {
    double rest[2]; // m, of the straight part at the loaded end and at the hauled end
    double pull[2]; // N, summed over the readings
    double turn;    // rad, likewise
} Rope;

static double part_length(RodPose rod, int end) {
    double length = 0.0;
    for (int i = 0; i < STRAIGHT; ++i) {
        int at = end == 0 ? i : rod.segments - STRAIGHT + i;
        length += figure_length(figure_between(rod.positions, at, at + 1));
    }
    return length;
}

// The angle from the downward direction towards the post, of the straight part at an end.
static double lean(RodPose rod, int end) {
    int last = rod.vertices - 1;
    SnVec3 d = end == 0 ? figure_between(rod.positions, 0, STRAIGHT)
                        : figure_between(rod.positions, last, last - STRAIGHT);
    return atan2((double)(end == 0 ? -d.x : d.x), (double)d.y);
}

static void read_rope(Rope *rope, RodPose rod, double turns) {
    double stiffness = YOUNG * FIGURE_PI * RADIUS * RADIUS;
    for (int end = 0; end < 2; ++end)
        rope->pull[end] += stiffness * (part_length(rod, end) / rope->rest[end] - 1.0);
    // A part that leans inwards, up to the post, has been turned less far.
    rope->turn += 2.0 * FIGURE_PI * turns - lean(rod, 0) - lean(rod, 1);
}

static SnResult haul(FigureRun *run, Rope ropes[ROPES], int *out_readings, FigureView *view,
                     ViewImage *image) {
    SnPoses poses;
    SnResult result = figure_run_poses(run, &poses);
    for (int i = 0; result.code == SN_OK && i < ROPES; ++i)
        for (int end = 0; end < 2; ++end)
            ropes[i].rest[end] = part_length(figure_rod(&poses, i), end);
    double step = run->simulation.settings.step, time = SETTLED;
    *out_readings = 0;
    while (result.code == SN_OK && time < run->simulation.settings.seconds - 0.5 * step) {
        time += step;
        result = figure_run_to(run, time);
        if (result.code == SN_OK)
            result = figure_run_poses(run, &poses);
        for (int i = 0; result.code == SN_OK && i < ROPES; ++i)
            read_rope(&ropes[i], figure_rod(&poses, i), i < FRICTIONS ? 0.5 : 1.5);
        *out_readings += 1;
    }
    return result.code == SN_OK ? figure_view_draw(view, run, &(FigureLook){0}, image) : result;
}

static void report(Figure *figure, const Rope ropes[ROPES], int readings) {
    char what[80];
    figure_table_begin("T2 / T1 of a rope that slides around a post");
    for (int i = 0; i < ROPES; ++i) {
        double mu = frictions[i % FRICTIONS], turn = ropes[i].turn / readings;
        snprintf(what, sizeof what, "mu = %.1f, theta = %.3f", mu, turn);
        figure_check_near(figure, what, ropes[i].pull[1] / ropes[i].pull[0], exp(mu * turn), 0.1);
    }
    figure_table_begin("T1, from the stretch of the rope, against the load in N");
    for (int i = 0; i < ROPES; ++i) {
        snprintf(what, sizeof what, "mu = %.1f, %s", frictions[i % FRICTIONS],
                 i < FRICTIONS ? "half a turn" : "one and a half turns");
        figure_check_near(figure, what, ropes[i].pull[0] / readings, LOAD, 0.05);
    }
}

SnResult figure_capstan(Figure *figure) {
    static const char *const caption[] = {
        "hauled in on the left of each post against 2 N on the right; "
        "friction 0.1 (green), 0.2 (sand), 0.3 (red)"};
    FigureRun run;
    FigureView view = {0};
    Rope ropes[ROPES] = {0};
    ViewImage image = {0};
    int readings = 0;
    SnResult result = figure_run_begin(figure, "capstan", &run);
    if (result.code == SN_OK)
        result = figure_view_begin(1200, 640, &view);
    if (result.code == SN_OK)
        result = haul(&run, ropes, &readings, &view, &image);
    figure_view_end(&view);
    figure_run_end(&run);
    if (result.code != SN_OK) {
        figure_release(&image, 1);
        return result;
    }
    report(figure, ropes, readings);
    return figure_write_grid(figure, &image, caption, 1, 1);
}
