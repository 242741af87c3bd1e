// Cases of the figure `defaults` that vibrate, spin and swing, without any damping.
#include "app/figure_defaults.h"
#include "app/figure_modes.h"

#include <math.h>

#define PERIODS 10
#define MODE_ANGLE 0.02 // rad, the largest slope of a beam that vibrates: small enough to be linear

static Series series;

static void begin_beam(const Case *c, RodKind kind, int mode, Specimen *s) {
    specimen_init(s, kind, c->stuff, c->radius, c->segments);
    specimen_straight(s, c->length, 0.0);
    start_bending(s, mode, MODE_ANGLE);
    specimen_begin(s, sn_vec3(0.0f, 0.0f, 0.0f));
    specimen_clamp(s);
}

// Mode `value` of a clamped beam, Hz.
SnResult measure_bending(const Case *c, RodKind kind, Specimen *s, Finding *out) {
    int mode = (int)c->value;
    begin_beam(c, kind, mode, s);
    double expected = bending_frequency(s, mode), period = 2.0 * FIGURE_PI / expected;
    record_bending(s, mode, (mode == 1 ? 3.0 : 5.0) * period, &series);
    out->measured = series_frequency(&series, expected) / (2.0 * FIGURE_PI);
    out->expected = expected / (2.0 * FIGURE_PI);
    return specimen_end(s);
}

SnResult measure_amplitude(const Case *c, RodKind kind, Specimen *s, Finding *out) {
    begin_beam(c, kind, 1, s);
    double expected = bending_frequency(s, 1), period = 2.0 * FIGURE_PI / expected;
    record_bending(s, 1, (PERIODS + 0.6) * period, &series);
    out->measured = series_amplitude(&series, expected, PERIODS * period);
    out->expected = 1.0;
    return specimen_end(s);
}

SnResult measure_torsion(const Case *c, RodKind kind, Specimen *s, Finding *out) {
    specimen_init(s, kind, c->stuff, c->radius, c->segments);
    specimen_straight(s, c->length, 0.0);
    start_torsion(s, 0.2);
    specimen_begin(s, sn_vec3(0.0f, 0.0f, 0.0f));
    specimen_clamp(s);
    double expected = torsion_frequency(s);
    record_torsion(s, 5.0 * 2.0 * FIGURE_PI / expected, &series);
    out->measured = series_frequency(&series, expected) / (2.0 * FIGURE_PI);
    out->expected = expected / (2.0 * FIGURE_PI);
    return specimen_end(s);
}

// The angular momentum that a free rod has left after 20 s of turning at `value` rad/s.
SnResult measure_spin(const Case *c, RodKind kind, Specimen *s, Finding *out) {
    specimen_init(s, kind, c->stuff, c->radius, c->segments);
    specimen_straight(s, c->length, 0.0);
    s->def.angular_velocity = sn_vec3((float)c->value, 0.0f, 0.0f);
    specimen_begin(s, sn_vec3(0.0f, 0.0f, 0.0f));
    if (s->result.code != SN_OK)
        return specimen_end(s);
    double before = sn_world_measure(s->world).angular_momentum[0];
    specimen_run(s, 20.0);
    out->measured = sn_world_measure(s->world).angular_momentum[0] / before;
    out->expected = 1.0;
    return specimen_end(s);
}

// A straight rod on a hinge, `value` degrees from hanging: the angle of its tip over time.
static double begin_pendulum(const Case *c, RodKind kind, Specimen *s) {
    double angle = c->value * FIGURE_PI / 180.0;
    specimen_init(s, kind, c->stuff, c->radius, c->segments);
    specimen_straight(s, c->length, angle - 0.5 * FIGURE_PI);
    specimen_begin(s, sn_vec3(0.0f, (float)-GRAVITY, 0.0f));
    specimen_hold(s, SN_ATTACH_VERTEX, 0);
    // T₀/agm(1, cos ½θ) is 4 √(I/(m g d)) K(sin ½θ), with I/(m d) = ⅔ L.
    double a = 1.0, b = cos(0.5 * angle);
    for (int i = 0; i < 8; ++i) {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return 2.0 * FIGURE_PI * sqrt(2.0 * c->length / (3.0 * GRAVITY)) / a;
}

static void record_pendulum(Specimen *s, double seconds) {
    int steps = (int)ceil(seconds / DEFAULT_STEP);
    for (int i = 0; i <= steps && i < SERIES_MAX; ++i) {
        if (i > 0)
            specimen_step(s);
        specimen_read(s);
        SnVec3 tip = s->positions[s->segments];
        series.value[i] = atan2((double)tip.z, (double)-tip.y);
        series.count = i + 1;
    }
}

// The mean time between passages through the lowest point in one direction.
SnResult measure_period(const Case *c, RodKind kind, Specimen *s, Finding *out) {
    double expected = begin_pendulum(c, kind, s), first = NAN, last = NAN;
    int passages = -1;
    record_pendulum(s, 5.0 * expected);
    for (int i = 1; i < series.count; ++i) {
        double a = series.value[i - 1], b = series.value[i];
        if (!(a > 0.0 && b <= 0.0))
            continue;
        last = (i - 1 + a / (a - b)) * DEFAULT_STEP;
        if (++passages == 0)
            first = last;
    }
    out->measured = passages > 0 ? (last - first) / passages : NAN;
    out->expected = expected;
    return specimen_end(s);
}

// How far it still swings to the side it came from after ten periods, over where it started.
SnResult measure_swing(const Case *c, RodKind kind, Specimen *s, Finding *out) {
    double period = begin_pendulum(c, kind, s), farthest = 0.0;
    record_pendulum(s, (PERIODS + 0.5) * period);
    for (int i = (int)((PERIODS - 0.5) * period / DEFAULT_STEP); i < series.count; ++i)
        farthest = fmax(farthest, series.value[i]);
    out->measured = farthest / (c->value * FIGURE_PI / 180.0);
    out->expected = 1.0;
    return specimen_end(s);
}
