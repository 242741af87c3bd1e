// Parts of the figure `contacts` in which bodies hit something: restitution, energy and momentum.
#include "app/figure_contacts.h"

#include <math.h>

// Short and thick: what an impact leaves in vibrations is little.
static Stick short_rod(ContactKind kind, double x, double height) {
    return (Stick){.kind = kind,
                   .radius = 0.05,
                   .young = 1e7,
                   .segments = 3,
                   .from = sn_vec3((float)x, (float)height, -0.15f),
                   .to = sn_vec3((float)x, (float)height, 0.15f)};
}

// The highest that the centre of mass gets after the first bounce, over where it fell from.
static SnResult try_bounce(Contacts *c, ContactKind kind, int substeps) {
    Yard y;
    const double drop = 0.5, fall = sqrt(2.0 * drop / GRAVITY);
    Stick stick = short_rod(kind, 0.0, 0.05 + drop);
    double weight = stick_mass(&stick) * GRAVITY, highest = 0.0;
    yard_begin(&y, GRAVITY, 0.0);
    yard_floor(&y, 1.0);
    y.substeps = substeps;
    yard_stick(&y, &stick);
    double start = yard_measure(&y).energy_gravity;
    yard_run(&y, 1.1 * fall);
    for (int i = 0; i * DEFAULT_STEP < 1.6 * fall; ++i) {
        yard_step(&y);
        double height = drop + (yard_measure(&y).energy_gravity - start) / weight;
        highest = fmax(highest, height);
    }
    if (y.result.code == SN_OK) {
        check_near_one(c, kind, highest / drop, 0.05, "bounce, %d sub-steps", substeps);
        check_below(c, kind, highest / drop, 1.005, "bounce, %d sub-steps, not above", substeps);
    }
    return yard_end(&y);
}

SnResult try_bounces(Contacts *c) {
    SnResult result = sn_ok();
    for (int kind = 0; kind < CONTACT_KINDS; ++kind)
        for (int i = 0; i < 2 && result.code == SN_OK; ++i)
            result = try_bounce(c, (ContactKind)kind, i == 0 ? 10 : 40);
    return result;
}

// Side by side; the first one flies into the others at 1 m/s.
static SnResult try_line(Contacts *c, ContactKind kind, int count, double gap) {
    Yard y;
    yard_begin(&y, 0.0, 0.0);
    for (int i = 0; i < count; ++i) {
        double x = i == 0 ? -0.12 : (0.1 + gap) * (i - 1);
        Stick stick = short_rod(kind, x, 0.0);
        stick.restitution = 1.0;
        if (i == 0)
            stick.velocity = sn_vec3(1.0f, 0.0f, 0.0f);
        yard_stick(&y, &stick);
    }
    SnMeasures before = yard_measure(&y);
    yard_run(&y, 1.0);
    SnMeasures after = yard_measure(&y);
    if (y.result.code == SN_OK) {
        double energy = after.energy_kinetic / before.energy_kinetic;
        const char *how = gap > 0.0 ? "with gaps" : "touching";
        if (gap > 0.0)
            check_near_one(c, kind, energy, 0.02, "%d %s, kinetic energy", count, how);
        else
            check_below(c, kind, energy, 1.005, "1 into %d %s, kinetic energy", count - 1, how);
        check_near_one(c, kind, after.momentum[0] / before.momentum[0], 1e-5, "%d %s, momentum",
                       count, how);
    }
    return yard_end(&y);
}

SnResult try_rows(Contacts *c) {
    SnResult result = sn_ok();
    for (int kind = 0; kind < CONTACT_KINDS && result.code == SN_OK; ++kind) {
        result = try_line(c, (ContactKind)kind, 3, 0.02);
        if (result.code == SN_OK)
            result = try_line(c, (ContactKind)kind, 6, 0.0);
    }
    return result;
}

// Crossed and off their centres, so that they turn and slide along each other.
static SnResult try_collision(Contacts *c, ContactKind kind, double restitution) {
    Yard y;
    yard_begin(&y, 0.0, 0.0);
    Stick first = {.kind = kind,
                   .radius = 0.02,
                   .young = 1e6,
                   .segments = 10,
                   .restitution = restitution,
                   .velocity = sn_vec3(0.3f, -2.0f, 0.2f),
                   .from = sn_vec3(-0.3f, 0.1f, 0.1f),
                   .to = sn_vec3(0.7f, 0.1f, 0.15f)};
    Stick second = first;
    second.velocity = sn_vec3(0.0f, 0.0f, 0.0f);
    second.from = sn_vec3(0.0f, 0.0f, -0.4f);
    second.to = sn_vec3(0.1f, 0.0f, 0.6f);
    yard_stick(&y, &first);
    yard_stick(&y, &second);
    SnMeasures before = yard_measure(&y);
    yard_run(&y, 1.0);
    SnMeasures after = yard_measure(&y);
    double lost = 0.0, all = 0.0;
    for (int i = 0; i < 3; ++i) {
        lost += (after.momentum[i] - before.momentum[i]) * (after.momentum[i] - before.momentum[i]);
        all += before.momentum[i] * before.momentum[i];
    }
    if (y.result.code == SN_OK)
        check_below(c, kind, sqrt(lost / all), 1e-5, "restitution %g, momentum lost", restitution);
    return yard_end(&y);
}

SnResult try_collisions(Contacts *c) {
    SnResult result = sn_ok();
    for (int kind = 0; kind < CONTACT_KINDS; ++kind)
        for (int i = 0; i < 2 && result.code == SN_OK; ++i)
            result = try_collision(c, (ContactKind)kind, (double)i);
    return result;
}
