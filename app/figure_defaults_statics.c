// Cases of the figure `defaults` that come to rest under a load.
//
// Slender beams: F L³/(3EI) under a force at the tip and ρ g A L⁴/(8EI) under their weight, and where
// they shear, F L/(0.9 G A) more (Timoshenko; Cowper's 6(1 + ν)/(7 + 6ν) of a circle is 0.86 to 0.9).
// Loads are chosen such that what is expected is a part of the length, small enough for linear theory.
#include "app/figure_defaults.h"

#include <math.h>

#define SHEAR_PART 0.9 // of the area that shears

static SnVec3 down(double amount) { return sn_vec3(0.0f, (float)-amount, 0.0f); }

// The first mode of a clamped beam, which is its slowest motion.
static double beam_rate(const Specimen *s) {
    double flexible = s->young * s->inertia * s->length / s->mass;
    return 3.516 / (s->length * s->length) * sqrt(flexible);
}

static SnResult sag(const Case *c, RodKind kind, bool choose, Specimen *s, Finding *out) {
    specimen_init(s, kind, c->stuff, c->radius, c->segments);
    specimen_straight(s, c->length, 0.0);
    if (choose)
        s->def.solver = SN_SOLVER_AUTO;
    specimen_begin(s, down(GRAVITY));
    specimen_clamp(s);
    specimen_settle(s, beam_rate(s));
    out->measured = -(double)s->positions[s->segments].y;
    out->expected = s->mass * GRAVITY * pow(c->length, 3.0) / (8.0 * s->young * s->inertia);
    return specimen_end(s);
}

SnResult measure_sag(const Case *c, RodKind kind, Specimen *s, Finding *out) {
    return sag(c, kind, false, s, out);
}

SnResult measure_sag_auto(const Case *c, RodKind kind, Specimen *s, Finding *out) {
    return sag(c, kind, true, s, out);
}

// A force at the tip of a cantilever; the value is the deflection of bending alone, over the length.
SnResult measure_tip(const Case *c, RodKind kind, Specimen *s, Finding *out) {
    specimen_init(s, kind, c->stuff, c->radius, c->segments);
    specimen_straight(s, c->length, 0.0);
    double bent = c->value * c->length;
    double force = 3.0 * s->young * s->inertia * bent / pow(c->length, 3.0);
    double sheared =
        kind == KIND_STIFF ? 0.0 : force * c->length / (SHEAR_PART * s->shear * s->area);
    specimen_begin(s, down(0.0));
    specimen_clamp(s);
    specimen_add_force(s, s->segments, down(force));
    specimen_settle(s, beam_rate(s) * sqrt(bent / (bent + sheared)));
    out->measured = -(double)s->positions[s->segments].y;
    out->expected = bent + sheared;
    return specimen_end(s);
}

// A helical spring along y, of `value` turns, whose pitch is 1.5 times the thickness of its wire.
typedef struct Helix {
    double radius, turns, rise; // rise per radian
} Helix;

static Helix helix_of(const Case *c) {
    double turn = 2.0 * FIGURE_PI, rise = 1.5 * 2.0 * c->radius / turn;
    double per_radian = c->length / (c->value * turn);
    return (Helix){sqrt(per_radian * per_radian - rise * rise), c->value, rise};
}

// Castigliano: what a unit force along y at the end moves there. At the angle a, the wire feels the
// moment m = (end − x(a)) × y, of which m·t twists and the rest bends; t is its tangent. For many
// turns of a small pitch and a force on the axis this is 8 D³n/(G d⁴).
static double helix_compliance(const Helix *helix, const Specimen *s) {
    const int parts = 4000;
    double end = 2.0 * FIGURE_PI * helix->turns, step = end / parts, sum = 0.0;
    double speed = hypot(helix->radius, helix->rise); // wire per radian
    for (int i = 0; i < parts; ++i) {
        double a = (i + 0.5) * step;
        double x = helix->radius * (cos(end) - cos(a)), z = helix->radius * (sin(end) - sin(a));
        double mx = -z, mz = x;
        double along = (mx * -helix->radius * sin(a) + mz * helix->radius * cos(a)) / speed;
        double across = mx * mx + mz * mz - along * along;
        sum += (along * along / (2.0 * s->shear) + across / s->young) / s->inertia * speed * step;
    }
    return sum;
}

SnResult measure_spring(const Case *c, RodKind kind, Specimen *s, Finding *out) {
    Helix helix = helix_of(c);
    double end = 2.0 * FIGURE_PI * helix.turns;
    specimen_init(s, kind, c->stuff, c->radius, c->segments);
    specimen_straight(s, c->length, 0.0);
    s->def.frames = NULL;
    for (int i = 0; i < s->vertices; ++i) {
        double a = end * i / s->segments;
        s->rest[i] = sn_vec3((float)(helix.radius * cos(a)), (float)(-helix.rise * a),
                             (float)(helix.radius * sin(a)));
    }
    double compliance = helix_compliance(&helix, s), height = helix.rise * end;
    double force = 0.01 * height / compliance;
    specimen_begin(s, down(0.0));
    specimen_clamp(s);
    specimen_add_force(s, s->segments, down(force));
    specimen_settle(s, sqrt(1.0 / (compliance * s->mass)));
    double moved = -((double)s->positions[s->segments].y - (double)s->rest[s->segments].y);
    out->measured = force / moved;
    out->expected = 1.0 / compliance;
    return specimen_end(s);
}

// A column under the axial load P and a small force F across its tip gives way by
//     F L/P (tan(kL)/(kL) − 1), kL = π/2 √(P/P_c),
// so where it ends tells the load P_c at which it would buckle.
static double column_bent(double force, double length, double load, double critical) {
    double k = 0.5 * FIGURE_PI * sqrt(load / critical);
    return force * length / load * (tan(k) / k - 1.0);
}

static double critical_from(double force, double length, double load, double bent) {
    double low = 1.0 + 1e-9, high = 1e3; // over the load
    for (int i = 0; i < 80; ++i) {
        double middle = 0.5 * (low + high);
        *(column_bent(force, length, load, middle * load) > bent ? &low : &high) = middle;
    }
    return 0.5 * (low + high) * load;
}

// The tip's deflection under `part` of Euler's load, and the small force across.
static double load_column(const Case *c, RodKind kind, double part, Specimen *s,
                          double *out_force) {
    specimen_init(s, kind, c->stuff, c->radius, c->segments);
    specimen_straight(s, c->length, 0.0);
    double euler = 0.25 * pow(FIGURE_PI / c->length, 2.0) * s->young * s->inertia;
    double force = 0.005 * c->length / column_bent(1.0, c->length, part * euler, euler);
    specimen_begin(s, down(0.0));
    specimen_clamp(s);
    specimen_add_force(s, s->segments, sn_vec3(0.0f, (float)-force, (float)(-part * euler)));
    specimen_settle(s, beam_rate(s) * sqrt(1.0 - part));
    *out_force = force;
    return -(double)s->positions[s->segments].y;
}

SnResult measure_column(const Case *c, RodKind kind, Specimen *s, Finding *out) {
    SnResult result = sn_ok();
    // A column that has collapsed tells nothing; one with less on it may.
    for (double part = 0.8; result.code == SN_OK && part > 0.04; part *= 0.5) {
        double force, bent = load_column(c, kind, part, s, &force);
        double euler = 0.25 * pow(FIGURE_PI / c->length, 2.0) * s->young * s->inertia;
        result = specimen_end(s);
        out->expected = euler;
        bool stands = (double)s->positions[c->segments].z > 0.9 * c->length;
        if (stands && fabs(bent) < 0.1 * c->length) {
            out->measured = critical_from(force, c->length, part * euler, bent);
            return result;
        }
        out->measured = 0.0;
    }
    return result;
}

// The turn of the last segment's middle under a torque, T L/(G J) times 1 − 1/(2n). Where shear is
// left to the engine, it should be that of what hardly changes its volume, a third of Young's.
SnResult measure_turn(const Case *c, RodKind kind, Specimen *s, Finding *out) {
    specimen_init(s, kind, c->stuff, c->radius, c->segments);
    specimen_straight(s, c->length, 0.0);
    if (s->shear <= 0.0)
        s->shear = s->young / 3.0;
    double torque = c->value * 2.0 * s->shear * s->inertia / c->length;
    double rate = 0.5 * FIGURE_PI / c->length * sqrt(s->shear * s->area * c->length / s->mass);
    specimen_begin(s, down(0.0));
    specimen_clamp(s);
    specimen_add_torque(s, s->segments - 1, sn_vec3(0.0f, 0.0f, (float)torque));
    specimen_settle(s, rate);
    out->measured = specimen_twist(s, s->segments - 1);
    out->expected = c->value * (1.0 - 0.5 / c->segments);
    return specimen_end(s);
}

// A rope that hangs, with `value` times its weight at the end: how much longer it is.
SnResult measure_hang(const Case *c, RodKind kind, Specimen *s, Finding *out) {
    specimen_init(s, kind, c->stuff, c->radius, c->segments);
    specimen_straight(s, c->length, -0.5 * FIGURE_PI);
    double weight = s->mass * GRAVITY;
    specimen_begin(s, down(GRAVITY));
    specimen_hold(s, SN_ATTACH_VERTEX, 0);
    if (c->value > 0.0)
        specimen_add_force(s, s->segments, down(c->value * weight));
    specimen_settle(s, sqrt(GRAVITY / c->length));
    out->measured = -(double)s->positions[s->segments].y - c->length;
    out->expected = (0.5 + c->value) * weight * c->length / (s->stretch_modulus * s->area);
    return specimen_end(s);
}

// A rope held at both ends and pulled in its middle, `value` times its weight. Both halves are
// straight, θ below the horizontal: 2 E A (1/cos θ − 1) sin θ is the force.
SnResult measure_pull(const Case *c, RodKind kind, Specimen *s, Finding *out) {
    specimen_init(s, kind, c->stuff, c->radius, c->segments);
    specimen_straight(s, c->length, 0.0);
    double pull = c->value * s->mass * GRAVITY, low = 0.0, high = 1.5;
    for (int i = 0; i < 60; ++i) {
        double angle = 0.5 * (low + high), strain = 1.0 / cos(angle) - 1.0;
        *(2.0 * s->stretch_modulus * s->area * strain * sin(angle) > pull ? &high : &low) = angle;
    }
    specimen_begin(s, down(0.0));
    specimen_hold(s, SN_ATTACH_VERTEX, 0);
    specimen_hold(s, SN_ATTACH_VERTEX, s->segments);
    specimen_add_force(s, s->segments / 2, down(pull));
    specimen_settle(s, 10.0);
    out->measured = -(double)s->positions[s->segments / 2].y;
    out->expected = 0.5 * c->length * tan(low);
    return specimen_end(s);
}

// A closed ring between two forces: its diameter shrinks by (π/4 − 2/π) F R³/(EI); `value` over R.
SnResult measure_squash(const Case *c, RodKind kind, Specimen *s, Finding *out) {
    double wide = c->length / (2.0 * FIGURE_PI);
    specimen_init(s, kind, c->stuff, c->radius, c->segments);
    specimen_circle(s, wide);
    double gives = (0.25 * FIGURE_PI - 2.0 / FIGURE_PI) * pow(wide, 3.0) / (s->young * s->inertia);
    double force = c->value * wide / gives;
    double rate = 2.683 / (wide * wide) * sqrt(s->young * s->inertia * s->length / s->mass);
    specimen_begin(s, down(0.0));
    specimen_add_force(s, 0, sn_vec3((float)-force, 0.0f, 0.0f));
    specimen_add_force(s, s->segments / 2, sn_vec3((float)force, 0.0f, 0.0f));
    specimen_settle(s, rate);
    double now = (double)s->positions[0].x - (double)s->positions[s->segments / 2].x;
    out->measured = 2.0 * wide - now;
    // Thin rings but for that: shear, and what the compression of its sides takes.
    double area = FIGURE_PI * c->radius * c->radius;
    double thick = 0.25 * FIGURE_PI * wide / area *
                   (1.0 / (0.9 * (double)s->def.material.shear) + 1.0 / s->young);
    out->expected = force * (gives + (kind == KIND_STIFF ? 0.0 : thick));
    return specimen_end(s);
}
