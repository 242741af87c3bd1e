// Parts of the figure `contacts` in which rods bear weights that are linked to them.
#include "app/figure_contacts.h"

#include <math.h>

static double link_gap(Yard *y, SnBodyId rod, int vertex, SnBodyId weight) {
    return figure_length(sn_vec3_sub(yard_point(y, rod, vertex), yard_point(y, weight, 0)));
}

// From level, without damping. The sum of kinetic, elastic and potential energy never exceeds that at
// the start, and nothing gets much faster than it could by falling: a rope whose last segment is as
// heavy as the weight, in short sub-steps, reaches 1.18 of that.
static SnResult try_swing(Contacts *c, ContactKind kind) {
    Yard y;
    const Stick rope = {.kind = kind,
                        .radius = 0.01,
                        .young = 1e7,
                        .segments = 20,
                        .to = sn_vec3(1.0f, 0.0f, 0.0f),
                        .ghost = true};
    double mass = stick_mass(&rope), gap = 0.0, growth = 0.0, fastest = 0.0;
    yard_begin(&y, GRAVITY, 0.0);
    SnBodyId rod = yard_stick(&y, &rope), weight = yard_weight(&y, rope.to, 5.0 * mass, 0.0);
    yard_hold(&y, rod, SN_ATTACH_VERTEX, 0);
    yard_link(&y, rod, rope.segments - 1, 1.0, weight);
    SnMeasures measures = yard_measure(&y);
    double start = figure_energy(&measures);
    for (int i = 0; i < 300 && y.result.code == SN_OK; ++i) {
        yard_step(&y);
        measures = yard_measure(&y);
        growth = fmax(growth, figure_energy(&measures) - start);
        fastest = fmax(fastest, measures.speed_max);
        gap = fmax(gap, link_gap(&y, rod, rope.segments, weight));
    }
    if (y.result.code == SN_OK) {
        check_below(c, kind, growth / (6.0 * mass * GRAVITY), 0.005,
                    "swing, energy gained / weight, m");
        check_below(c, kind, fastest / sqrt(2.0 * GRAVITY), 1.25, "swing, fastest / sqrt(2 g L)");
        check_below(c, kind, gap, 0.01, "swing, link's gap / length");
    }
    return yard_end(&y);
}

SnResult try_swings(Contacts *c) {
    SnResult result = sn_ok();
    for (int kind = CONTACT_VOLUME; kind < CONTACT_KINDS && result.code == SN_OK; ++kind)
        result = try_swing(c, (ContactKind)kind);
    return result;
}

// Longer than what it spans, and stretched by 1.1 %, stiff ones, too, as they are held at both ends: the
// weight of 51 bridges pulls at an angle of 26 degrees. The weight is there at the
// start, or swings down from the height of the ends.
static SnResult try_bridge(Contacts *c, ContactKind kind, bool swings) {
    Yard y;
    const double sag = 0.436;
    const SnVec3 middle = sn_vec3(0.9f, swings ? 0.0f : (float)-sag, swings ? (float)sag : 0.0f);
    const Stick bridge = {.kind = kind,
                          .radius = 0.02,
                          .young = 1e8,
                          .segments = 20,
                          .damping = 0.01,
                          .drag = 2.0,
                          .to = sn_vec3(1.8f, 0.0f, 0.0f),
                          .over = &middle};
    const char *how = swings ? "swings" : "hangs";
    yard_begin(&y, GRAVITY, 0.0);
    SnBodyId rod = yard_stick(&y, &bridge);
    SnBodyId weight = yard_weight(&y, middle, 50.0 * stick_mass(&bridge), 2.0);
    yard_hold(&y, rod, SN_ATTACH_VERTEX, 0);
    yard_hold(&y, rod, SN_ATTACH_VERTEX, bridge.segments);
    yard_link(&y, rod, bridge.segments / 2, 0.0, weight);
    double fastest = yard_fastest(&y, 9.5), speed = yard_fastest(&y, 0.5);
    double gap = link_gap(&y, rod, bridge.segments / 2, weight);
    if (y.result.code == SN_OK) {
        check_below(c, kind, fmax(fastest, speed) / sqrt(2.0 * GRAVITY * sag), 1.25,
                    "bridge %s, fastest / sqrt(2 g sag)", how);
        check_below(c, kind, speed, 0.01, "bridge %s, speed, m/s", how);
        check_below(c, kind, gap / 2.0, 0.01, "bridge %s, link's gap / length", how);
        check_below(c, kind, yard_measure(&y).stretch_max, 0.025, "bridge %s, stretch of a segment",
                    how);
    }
    return yard_end(&y);
}

SnResult try_bridges(Contacts *c) {
    SnResult result = sn_ok();
    for (int kind = CONTACT_VOLUME; kind < CONTACT_KINDS; ++kind)
        for (int i = 0; i < 2 && result.code == SN_OK; ++i)
            result = try_bridge(c, (ContactKind)kind, i == 1);
    return result;
}

// A thousand times its mass stretches an elastic rod by 1 %.
static SnResult try_hang(Contacts *c, ContactKind kind, int ratio) {
    Yard y;
    const Stick stick = {.kind = kind,
                         .radius = 0.01,
                         .young = 1e9,
                         .segments = 10,
                         .damping = 0.01,
                         .drag = 2.0,
                         .to = sn_vec3(0.0f, -1.0f, 0.0f),
                         .ghost = true};
    yard_begin(&y, GRAVITY, 0.0);
    SnBodyId rod = yard_stick(&y, &stick);
    SnBodyId weight = yard_weight(&y, stick.to, ratio * stick_mass(&stick), 2.0);
    yard_hold(&y, rod, SN_ATTACH_VERTEX, 0);
    yard_link(&y, rod, stick.segments - 1, 1.0, weight);
    yard_run(&y, 9.5);
    double speed = yard_fastest(&y, 0.5), gap = link_gap(&y, rod, stick.segments, weight);
    if (y.result.code == SN_OK) {
        check_below(c, kind, speed, 0.01, "1:%d, speed, m/s", ratio);
        check_below(c, kind, gap, 0.01, "1:%d, link's gap / length", ratio);
        check_below(c, kind, yard_measure(&y).stretch_max, kind == CONTACT_STIFF ? 0.001 : 0.015,
                    "1:%d, stretch of a segment", ratio);
    }
    return yard_end(&y);
}

SnResult try_hanging(Contacts *c) {
    static const int ratios[] = {10, 50, 100, 1000};
    SnResult result = sn_ok();
    for (int kind = CONTACT_VOLUME; kind < CONTACT_KINDS; ++kind)
        for (int i = 0; i < 4 && result.code == SN_OK; ++i)
            result = try_hang(c, (ContactKind)kind, ratios[i]);
    return result;
}
