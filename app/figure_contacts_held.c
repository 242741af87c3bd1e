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
        check_below(c, CONTACT_STIFF, awake, 0.0, "do not sleep");
        check_below(c, CONTACT_STIFF, moved, 0.001, "moved, m");
    }
    return yard_end(&y);
}

// Falls from an angle of 0.3 rad. The tip of a rigid rod arrives with √(3 g drop).
static SnResult try_peg(Contacts *c, ContactKind kind, double height) {
    Yard y;
    const double radius = 0.02, angle = 0.3;
    yard_begin(&y, GRAVITY, 0.0);
    yard_floor(&y, 0.0);
    SnVec3 from = sn_vec3(0.0f, (float)(height * radius), 0.0f);
    SnBodyId rod = yard_stick(
        &y, &(Stick){.kind = kind,
                     .radius = radius,
                     .young = 1e7,
                     .segments = 10,
                     .damping = 0.01,
                     .from = from,
                     .to = sn_vec3((float)cos(angle), from.y + (float)sin(angle), 0.0f)});
    yard_hold(&y, rod, SN_ATTACH_VERTEX, 0);
    double fastest = yard_fastest(&y, 2.5), last = yard_fastest(&y, 0.5);
    if (y.result.code == SN_OK) {
        check_below(c, kind, fmax(fastest, last) / sqrt(3.0 * GRAVITY * sin(angle)), 1.1,
                    "height %g r, fastest / fall", height);
        check_below(c, kind, last, 0.01, "height %g r, speed, m/s", height);
    }
    return yard_end(&y);
}

SnResult try_pegs(Contacts *c) {
    static const double heights[] = {1.0, 0.5};
    SnResult result = sn_ok();
    for (int kind = CONTACT_VOLUME; kind < CONTACT_KINDS; ++kind)
        for (int i = 0; i < 2 && result.code == SN_OK; ++i)
            result = try_peg(c, (ContactKind)kind, heights[i]);
    return result;
}

// A force along the strand on its middle: an elastic strand would move there by F L/(4 E A), a
// hundredth of its length here, and its ends by nothing.
static SnResult try_strand(Contacts *c, bool clamped) {
    Yard y;
    const double radius = 0.005, young = 1e7;
    double force = 0.04 * young * FIGURE_PI * radius * radius, worst = 0.0;
    const int segments = 20;
    yard_begin(&y, 0.0, 0.0);
    SnBodyId rod = yard_stick(&y, &(Stick){.kind = CONTACT_STIFF,
                                           .radius = radius,
                                           .young = young,
                                           .segments = segments,
                                           .damping = 0.01,
                                           .drag = 2.0,
                                           .to = sn_vec3(1.0f, 0.0f, 0.0f)});
    for (int end = 0; end < 2; ++end) {
        yard_hold(&y, rod, SN_ATTACH_VERTEX, end * segments);
        if (clamped)
            yard_hold(&y, rod, SN_ATTACH_SEGMENT, end * (segments - 1));
    }
    for (int i = 0; i < 180 && y.result.code == SN_OK; ++i) {
        y.result =
            sn_body_add_force(y.world, rod, segments / 2, sn_vec3((float)-force, 0.0f, 0.0f));
        yard_step(&y);
    }
    for (int end = 0; end < 2; ++end) {
        SnVec3 held = sn_vec3((float)end, 0.0f, 0.0f);
        SnVec3 apart = sn_vec3_sub(yard_point(&y, rod, end * segments), held);
        worst = fmax(worst, figure_length(apart));
    }
    if (y.result.code == SN_OK)
        check_below(c, CONTACT_STIFF, worst / radius, 0.05, "%s give way by / radius",
                    clamped ? "clamps" : "hinges");
    return yard_end(&y);
}

SnResult try_clamps(Contacts *c) {
    SnResult result = try_strand(c, true);
    return result.code == SN_OK ? try_strand(c, false) : result;
}
