// Figure 6 of Deul et al.: a strand is fixed at both ends; one of them turns ten times and moves
// towards the other. It buckles into loops that wind around themselves, plectonemes.
//
// Turns go into twist and writhe: Tw + Wr = Lk, and as long as the strand does not pass through
// itself, Lk is what the end was turned by (Călugăreanu, White, Fuller). Each passage would change it
// by two turns. Writhe is the double sum of the angles that pairs of segments are seen under
// (Klenin and Langowski, Computation of writhe in modelling of supercoiled DNA, 2000), with the ends
// carried on straight, far out.
#include "app/figure_kit.h"

#include "geom/pill.h"
#include "math/vec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// As in the scene.
#define RADIUS 0.005 // m
#define TURNS 10
#define SHOTS 4
#define FAR 100.0 // m

static const double times[SHOTS] = {2.0, 4.0, 6.0, 20.0};

typedef struct Strand {
    double twist, writhe; // turns
    double overlap;       // of segments that are no neighbours, over the radius
    double speed;         // m/s
    double gap;           // between the strand and its clamps, over the radius
    int contacts;
} Strand;

static Vec3d point_at(RodPose rod, int i) {
    const float *p = rod.positions + 3 * i;
    return (Vec3d){(double)p[0], (double)p[1], (double)p[2]};
}

// The strand with its ends carried on along z: vertices + 2 points.
static void carry_on(RodPose rod, Vec3d *out) {
    for (int i = 0; i < rod.vertices; ++i)
        out[i + 1] = point_at(rod, i);
    out[0] = subd(out[1], (Vec3d){0.0, 0.0, FAR});
    out[rod.vertices + 1] = addd(out[rod.vertices], (Vec3d){0.0, 0.0, FAR});
}

static double angle_between(Vec3d a, Vec3d b) {
    double length = lengthd(a) * lengthd(b);
    return length > 0.0 ? asin(fmax(-1.0, fmin(1.0, dotd(a, b) / length))) : 0.0;
}

// Gauss' integral over two straight segments, without 1/4π: the solid angle of the directions in
// which they are seen to cross, with the sign of the crossing.
static double crossing(Vec3d a, Vec3d b, Vec3d c, Vec3d d) {
    Vec3d ac = subd(c, a), ad = subd(d, a), bc = subd(c, b), bd = subd(d, b);
    Vec3d n1 = crossd(ac, ad), n2 = crossd(ad, bd), n3 = crossd(bd, bc), n4 = crossd(bc, ac);
    double angle = angle_between(n1, n2) + angle_between(n2, n3) + angle_between(n3, n4) +
                   angle_between(n4, n1);
    double side = dotd(crossd(subd(d, c), subd(b, a)), ac);
    return side > 0.0 ? angle : -angle;
}

static double writhe_of(const Vec3d *points, int segments) {
    double sum = 0.0;
    for (int i = 2; i < segments; ++i)
        for (int j = 0; j + 1 < i; ++j)
            sum += crossing(points[i], points[i + 1], points[j], points[j + 1]);
    return 2.0 * sum / (4.0 * FIGURE_PI);
}

// Twist at the joints: a turn about the segments' axis.
static double twist_of(RodPose rod) {
    double sum = 0.0;
    for (int i = 0; i + 1 < rod.segments; ++i) {
        const float *p = rod.frames + 4 * i, *q = p + 4;
        Quatd a = {(double)p[0], (double)p[1], (double)p[2], (double)p[3]};
        Quatd b = {(double)q[0], (double)q[1], (double)q[2], (double)q[3]};
        Quatd rel = mulqd(conjugated(a), b);
        sum += remainder(2.0 * atan2(rel.z, rel.w), 2.0 * FIGURE_PI);
    }
    return sum / (2.0 * FIGURE_PI);
}

static double deepest_overlap(RodPose rod) {
    double deepest = 0.0, length = lengthd(subd(point_at(rod, 2), point_at(rod, 1)));
    int apart = (int)(FIGURE_PI * RADIUS / length) + 2; // as near as the tightest bend brings them
    for (int i = 0; i < rod.segments; ++i) {
        Pill p = {point_at(rod, i), point_at(rod, i + 1), RADIUS, RADIUS};
        for (int j = i + apart; j < rod.segments; ++j) {
            Pill q = {point_at(rod, j), point_at(rod, j + 1), RADIUS, RADIUS};
            deepest = fmax(deepest, -sn__pill_pair(&p, &q).gap / RADIUS);
        }
    }
    return deepest;
}

static SnResult measure(FigureRun *run, Strand *out) {
    SnPoses poses;
    SnResult result = figure_run_poses(run, &poses);
    if (result.code != SN_OK)
        return result;
    RodPose rod = figure_rod(&poses, 0);
    Vec3d *points = malloc(((size_t)rod.vertices + 2) * sizeof *points);
    if (points == NULL)
        return sn_error(SN_ERROR_MEMORY, "no memory for %d points", rod.vertices);
    carry_on(rod, points);
    SnMeasures m = sn_world_measure(run->simulation.world);
    double length = 1.0 / rod.segments;
    *out = (Strand){.twist = twist_of(rod),
                    .writhe = writhe_of(points, rod.vertices + 1),
                    .overlap = deepest_overlap(rod),
                    .speed = m.speed_max,
                    .gap = m.stretch_max * length / RADIUS,
                    .contacts = sn_world_contact_events(run->simulation.world).contact_count};
    free(points);
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
    figure_table_note("widest gap at a clamp / radius", end->gap, "");
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
