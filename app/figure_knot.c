// An overhand knot in an elastic rope is pulled tight, and its ends are let go. Bending wants to
// open it. With friction the knot holds; without, the ends slip out and the rope straightens.
//
// A curve with straight ends and a knot in it turns by more than 2π in all (Milnor's bound less the
// 2π of the closing arc), and touches itself where it is tight. A straight rope does neither.
#include "app/figure_kit.h"

#include <math.h>
#include <stdio.h>

#define RELEASE 4.0 // s, as in the scene
#define SHOTS 3
#define CASES 2

typedef struct Knot {
    double turn;  // rad, sum of the angles between segments
    int contacts; // of the rope with itself
    double ends;  // m, from one to the other
} Knot;

static double turn_of(RodPose rod) {
    double sum = 0.0;
    for (int i = 1; i + 1 < rod.vertices; ++i) {
        SnVec3 a = figure_between(rod.positions, i - 1, i);
        SnVec3 b = figure_between(rod.positions, i, i + 1);
        double dot =
            (double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z;
        sum += acos(fmax(-1.0, fmin(1.0, dot / (figure_length(a) * figure_length(b)))));
    }
    return sum;
}

static SnResult read_knot(FigureRun *run, Knot *knot) {
    SnPoses poses;
    SnResult result = figure_run_poses(run, &poses);
    if (result.code == SN_OK) {
        RodPose rod = figure_rod(&poses, 0);
        knot->turn = turn_of(rod);
        knot->contacts = sn_world_contact_events(run->simulation.world).contact_count;
        knot->ends = figure_length(figure_between(rod.positions, 0, rod.vertices - 1));
    }
    return result;
}

// Pulled tight, half a second after it is let go, and at the end.
static SnResult run_knot(const Figure *figure, float friction, FigureView *view, ViewImage *shots,
                         Knot *tight, Knot *end) {
    FigureRun run;
    SnResult result = figure_run_begin(figure, "knot", &run);
    if (result.code == SN_OK) {
        SnSurface surface = sn_default_surface();
        surface.friction = friction;
        result =
            sn_body_set_surface(run.simulation.world, sn_scene_body_id(run.scene, 0), &surface);
    }
    const double times[SHOTS] = {RELEASE - 0.1, RELEASE + 0.5, run.simulation.settings.seconds};
    for (int i = 0; result.code == SN_OK && i < SHOTS; ++i) {
        result = figure_run_to(&run, times[i]);
        if (result.code == SN_OK)
            result = read_knot(&run, i == 0 ? tight : end);
        if (result.code == SN_OK)
            result = figure_view_draw(view, &run, &(FigureLook){0}, &shots[i]);
    }
    figure_run_end(&run);
    return result;
}

static void report(Figure *figure, const Knot *tight, const Knot *end) {
    double full = 2.0 * FIGURE_PI;
    figure_table_begin("pulled tight, 0.1 s before it is let go");
    figure_check_below(figure, "2 pi / turn, friction 0.5", full / tight[0].turn, 1.0);
    figure_check_below(figure, "2 pi / turn, friction 0", full / tight[1].turn, 1.0);
    figure_table_note("contacts, friction 0.5", tight[0].contacts, "");
    figure_table_note("contacts, friction 0", tight[1].contacts, "");
    figure_table_begin("at the end");
    figure_check_below(figure, "2 pi / turn, friction 0.5: the knot holds", full / end[0].turn,
                       1.0);
    figure_check_below(figure, "1 / contacts, friction 0.5", 1.0 / end[0].contacts, 0.5);
    figure_check_below(figure, "turn / (2 pi), friction 0: it is open", end[1].turn / full, 1.0);
    figure_check_below(figure, "contacts, friction 0", end[1].contacts, 0.0);
}

SnResult figure_knot(Figure *figure) {
    static const char *const captions[] = {
        "friction 0.5: pulled tight", "0.5 s after it is let go", "at the end: it holds",
        "no friction: pulled tight",  "0.5 s after it is let go", "at the end: it is open"};
    FigureView view;
    ViewImage shots[CASES * SHOTS] = {{0}};
    Knot tight[CASES] = {{0}}, end[CASES] = {{0}};
    SnResult result = figure_view_begin(640, 400, &view);
    for (int i = 0; result.code == SN_OK && i < CASES; ++i)
        result =
            run_knot(figure, i == 0 ? 0.5f : 0.0f, &view, &shots[SHOTS * i], &tight[i], &end[i]);
    figure_view_end(&view);
    if (result.code != SN_OK) {
        figure_release(shots, CASES * SHOTS);
        return result;
    }
    report(figure, tight, end);
    return figure_write_grid(figure, shots, captions, CASES * SHOTS, SHOTS);
}
