// Parts of the figure `contacts` in which rods sleep or are held.
#include "app/figure_contacts.h"

#include <math.h>

#define SLEEPERS 8

// The rod that swings is solved side by side with those that sleep.
SnResult try_sleepers(Contacts *c) {
    Yard y;
    SnBodyId rods[SLEEPERS];
    double before[SLEEPERS], moved = 0.0;
    int awake = 0;
    yard_begin(&y, GRAVITY, 0.05);
    yard_floor(&y, 0.0);
    for (int i = 0; i < SLEEPERS; ++i) {
        float x = 0.1f * (float)i;
        rods[i] = yard_stick(&y, &(Stick){.kind = CONTACT_STIFF,
                                          .radius = 0.02,
                                          .young = 1e7,
                                          .segments = 10,
                                          .damping = 0.01,
                                          .from = sn_vec3(x, 0.02f, 0.0f),
                                          .to = sn_vec3(x, 0.02f, 0.5f)});
    }
    SnBodyId swinging = yard_stick(&y, &(Stick){.kind = CONTACT_STIFF,
                                                .radius = 0.02,
                                                .young = 1e7,
                                                .segments = 10,
                                                .from = sn_vec3(0.0f, 2.0f, 0.0f),
                                                .to = sn_vec3(1.0f, 2.0f, 0.0f)});
    yard_hold(&y, swinging, SN_ATTACH_VERTEX, 0);
    yard_run(&y, 2.0);
    for (int i = 0; i < SLEEPERS; ++i)
        before[i] = (double)yard_point(&y, rods[i], 5).y;
    yard_run(&y, 5.0);
    for (int i = 0; i < SLEEPERS && y.result.code == SN_OK; ++i) {
        moved = fmax(moved, fabs((double)yard_point(&y, rods[i], 5).y - before[i]));
        awake += !sn_body_is_asleep(y.world, rods[i]);
    }
    if (y.result.code == SN_OK) {
        check_below(c, CONTACT_STIFF, awake, 0.0, "sleepers, awake");
        check_below(c, CONTACT_STIFF, moved, 0.001, "sleepers, moved, m");
    }
    return yard_end(&y);
}

typedef struct Peg {
    const char *what;
    double height, angle; // over the radius; rad, at the start
    int vertex;           // that is held
} Peg;

// What is held below the height of a radius stays in the floor, and the rest of the rod lies on it.
// The tip of a rigid rod that falls arrives with √(3 g drop); one that bends is faster by a third.
static SnResult try_peg(Contacts *c, ContactKind kind, double young, const Peg *peg) {
    Yard y;
    const double radius = 0.02;
    yard_begin(&y, GRAVITY, 0.0);
    yard_floor(&y, 0.0);
    SnVec3 from = sn_vec3(0.0f, (float)(peg->height * radius), 0.0f);
    SnVec3 along = sn_vec3((float)cos(peg->angle), (float)sin(peg->angle), 0.0f);
    SnBodyId rod = yard_stick(&y, &(Stick){.kind = kind,
                                           .radius = radius,
                                           .young = young,
                                           .segments = 10,
                                           .damping = 0.01,
                                           .from = from,
                                           .to = sn_vec3_add(from, along)});
    yard_hold(&y, rod, SN_ATTACH_VERTEX, peg->vertex);
    double fastest = yard_fastest(&y, 2.5), last = yard_fastest(&y, 0.5);
    if (y.result.code == SN_OK) {
        if (peg->angle > 0.0)
            check_below(c, kind, fmax(fastest, last) / sqrt(3.0 * GRAVITY * sin(peg->angle)), 1.5,
                        "%s, E = %.0e, fastest / fall", peg->what, young);
        check_below(c, kind, last, 0.01, "%s, E = %.0e, speed, m/s", peg->what, young);
    }
    return yard_end(&y);
}

SnResult try_pegs(Contacts *c) {
    static const Peg pegs[] = {{"end at r", 1.0, 0.3, 0},
                               {"end at r/2", 0.5, 0.3, 0},
                               {"middle at r", 1.0, 0.0, 5},
                               {"middle at r/2", 0.5, 0.0, 5}};
    SnResult result = sn_ok();
    for (int kind = CONTACT_VOLUME; kind < CONTACT_KINDS; ++kind)
        for (int i = 0; i < 4; ++i)
            for (int hard = 0; hard < 2 && result.code == SN_OK; ++hard)
                result = try_peg(c, (ContactKind)kind, hard ? 1e10 : 1e7, &pegs[i]);
    return result;
}

#define STRAND_SEGMENTS 20

// How far its ends are from where they are held, how long it is, and the sine of its slope at the first
// of them.
typedef struct Hung {
    double off, length, slope;
} Hung;

static Hung measure_strand(Yard *y, SnBodyId rod, const SnVec3 ends[2]) {
    SnVec3 x[STRAND_SEGMENTS + 1];
    Hung out = {0};
    if (y->result.code == SN_OK)
        y->result = sn_body_read(y->world, rod, &(SnBodyState){.positions = x});
    if (y->result.code != SN_OK)
        return out;
    for (int i = 0; i < STRAND_SEGMENTS; ++i)
        out.length += figure_length(sn_vec3_sub(x[i + 1], x[i]));
    for (int end = 0; end < 2; ++end)
        out.off = fmax(out.off, figure_length(sn_vec3_sub(x[end * STRAND_SEGMENTS], ends[end])));
    SnVec3 quarter = sn_vec3_sub(x[STRAND_SEGMENTS / 4], x[STRAND_SEGMENTS / 4 + 1]);
    out.slope = (double)quarter.y / figure_length(quarter);
    return out;
}

// 1 m long, it spans 0.9 m; a force on its middle pulls with a hundredth of E A at both ends. It is
// longer then by T L/(E A), which is two radii, and its ends stay where they are held. The tension is
// that of a quarter, where the strand is straight.
static SnResult try_strand(Contacts *c, bool clamped) {
    Yard y;
    const char *what = clamped ? "clamps" : "hinges";
    const double radius = 0.005, young = 1e7, sag = 0.5 * sqrt(1.0 - 0.9 * 0.9);
    const SnVec3 middle = sn_vec3(0.45f, (float)-sag, 0.0f);
    const SnVec3 ends[2] = {sn_vec3(0.0f, 0.0f, 0.0f), sn_vec3(0.9f, 0.0f, 0.0f)};
    double stiffness = young * FIGURE_PI * radius * radius, pull = 4.0 * sag * 0.01 * stiffness;
    yard_begin(&y, 0.0, 0.0);
    SnBodyId rod = yard_stick(&y, &(Stick){.kind = CONTACT_STIFF,
                                           .radius = radius,
                                           .young = young,
                                           .segments = STRAND_SEGMENTS,
                                           .damping = 0.01,
                                           .drag = 10.0,
                                           .from = ends[0],
                                           .to = ends[1],
                                           .over = &middle,
                                           .ghost = true});
    for (int end = 0; end < 2; ++end) {
        yard_hold(&y, rod, SN_ATTACH_VERTEX, end * STRAND_SEGMENTS);
        if (clamped)
            yard_hold(&y, rod, SN_ATTACH_SEGMENT, end * (STRAND_SEGMENTS - 1));
    }
    for (int i = 0; i < 180 && y.result.code == SN_OK; ++i) {
        y.result =
            sn_body_add_force(y.world, rod, STRAND_SEGMENTS / 2, sn_vec3(0.0f, (float)-pull, 0.0f));
        yard_step(&y);
    }
    Hung hung = measure_strand(&y, rod, ends);
    if (y.result.code == SN_OK) {
        double tension = 0.5 * pull / hung.slope;
        check_below(c, CONTACT_STIFF, hung.off / radius, 0.05, "%s give way by / radius", what);
        check_near_one(c, CONTACT_STIFF, (hung.length - 1.0) * stiffness / tension, 0.05,
                       "%s, stretch / (T L/(E A))", what);
        check_below(c, CONTACT_STIFF, yard_measure(&y).speed_max, 0.01, "%s, speed, m/s", what);
    }
    return yard_end(&y);
}

SnResult try_clamps(Contacts *c) {
    SnResult result = try_strand(c, true);
    return result.code == SN_OK ? try_strand(c, false) : result;
}
