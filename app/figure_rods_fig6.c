// Figure 6 of Deul et al.: a strand is fixed at both ends; one of them turns ten times and moves
// towards the other. It buckles into loops that wind around themselves, plectonemes.
//
// Turns go into twist and writhe: Tw + Wr = Lk, and as long as the strand does not pass through
// itself, Lk is what the end was turned by (bench/turns.h). Each passage would change it by two turns.
#include "app/figure_kit.h"
#include "bench/overlap.h"
#include "bench/turns.h"

#include <math.h>
#include <stdio.h>

// As in the scene.
#define RADIUS 0.005 // m
#define TURNS 10
#define SHOTS 4

static const double times[SHOTS] = {2.0, 4.0, 6.0, 20.0};

typedef struct Strand {
    double twist, writhe; // turns
    double overlap;       // of segments that are no neighbours, over the radius
    double speed;         // m/s
    double gap;           // of a joint, by which the strand stretches, over the radius
    int contacts;
} Strand;

// Segments of the tightest half turn, and two more: nearer pairs are near by their bend alone.
static int apart(RodPose rod) {
    double length = figure_length(figure_between(rod.positions, 1, 2));
    return (int)(FIGURE_PI * RADIUS / length) + 2;
}

static SnResult measure(FigureRun *run, Strand *out) {
    SnPoses poses;
    SnResult result = figure_run_poses(run, &poses);
    if (result.code != SN_OK)
        return result;
    RodPose rod = figure_rod(&poses, 0);
    SnMeasures m = sn_world_measure(run->simulation.world);
    double length = 1.0 / rod.segments;
    *out = (Strand){.twist = turns_twist(&poses, 0),
                    .writhe = turns_writhe(&poses, 0),
                    .overlap = overlap_within_strand(&poses, 0, RADIUS, apart(rod)),
                    .speed = m.speed_max,
                    .gap = m.stretch_max * length / RADIUS,
                    .contacts = sn_world_contact_events(run->simulation.world).contact_count};
    return result;
}

static void report(Figure *figure, const Strand strands[SHOTS], const double turned[SHOTS]) {
    char what[80];
    figure_table_begin("turns of the end, against twist + writhe of the strand");
    for (int i = 0; i < SHOTS; ++i) {
        snprintf(what, sizeof what, "at %g s: twist %.2f, writhe %.2f", times[i], strands[i].twist,
                 strands[i].writhe);
        double sum = fabs(strands[i].twist + strands[i].writhe);
        figure_check_near(figure, what, sum, turned[i], 0.02);
    }
    const Strand *end = &strands[SHOTS - 1];
    figure_table_begin("at the end");
    figure_check_below(figure, "4 turns / writhe", 4.0 / fabs(end->writhe), 1.0);
    figure_check_below(figure, "20 / places where it touches itself", 20.0 / end->contacts, 1.0);
    figure_check_below(figure, "deepest overlap / radius", end->overlap, 0.05);
    figure_check_below(figure, "fastest vertex, m/s", end->speed, 0.01);
    figure_table_note("widest gap of a joint / radius", end->gap, "");
}

SnResult figure_rods_fig6(Figure *figure) {
    FigureRun run;
    FigureView view = {0};
    Strand strands[SHOTS];
    ViewImage shots[SHOTS] = {{0}};
    double turned[SHOTS];
    char texts[SHOTS][64];
    const char *captions[SHOTS];
    SnResult result = figure_run_begin(figure, "rods-fig6", &run);
    if (result.code == SN_OK)
        result = figure_view_begin(800, 560, &view);
    for (int i = 0; result.code == SN_OK && i < SHOTS; ++i) {
        turned[i] = fmin(1.0, times[i] / 8.0) * TURNS;
        snprintf(texts[i], sizeof texts[i], "%g s, %g turns", times[i], turned[i]);
        captions[i] = texts[i];
        result = figure_run_to(&run, times[i]);
        if (result.code == SN_OK)
            result = measure(&run, &strands[i]);
        if (result.code == SN_OK)
            result = figure_view_draw(&view, &run, &(FigureLook){.stripes = 2}, &shots[i]);
    }
    figure_view_end(&view);
    figure_run_end(&run);
    if (result.code != SN_OK) {
        figure_release(shots, SHOTS);
        return result;
    }
    report(figure, strands, turned);
    return figure_write_grid(figure, shots, captions, SHOTS, 2);
}
