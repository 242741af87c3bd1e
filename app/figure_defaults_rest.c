// Cases of the figure `defaults` in which nothing should happen: rods that are in equilibrium and left
// alone, without damping, and free ones whose energy may not grow. Speeds in m/s.
#include "app/figure_defaults.h"

#include <math.h>

#define SECONDS 5.0

static void begin_ring(const Case *c, RodKind kind, SnVec3 gravity, Specimen *s) {
    specimen_init(s, kind, c->stuff, c->radius, c->segments);
    specimen_circle(s, c->length / (2.0 * FIGURE_PI));
    if (gravity.y != 0.0f) {
        s->def.filter = sn_default_filter();
        s->def.origin[1] = c->radius + 0.005;
    }
    specimen_begin(s, gravity);
    if (gravity.y != 0.0f && s->result.code == SN_OK) {
        SnColliderDef floor = sn_default_collider_def();
        s->result = sn_collider_create(s->world, &floor, NULL);
    }
}

// The fastest vertex after a while.
static double speed_after(Specimen *s, double seconds) {
    specimen_run(s, seconds);
    return s->result.code == SN_OK ? sn_world_measure(s->world).speed_max : NAN;
}

SnResult measure_ring(const Case *c, RodKind kind, Specimen *s, Finding *out) {
    begin_ring(c, kind, sn_vec3(0.0f, 0.0f, 0.0f), s);
    out->measured = speed_after(s, SECONDS);
    return specimen_end(s);
}

SnResult measure_ring_floor(const Case *c, RodKind kind, Specimen *s, Finding *out) {
    begin_ring(c, kind, sn_vec3(0.0f, (float)-GRAVITY, 0.0f), s);
    out->measured = speed_after(s, SECONDS);
    return specimen_end(s);
}

SnResult measure_ring_volume(const Case *c, RodKind kind, Specimen *s, Finding *out) {
    begin_ring(c, kind, sn_vec3(0.0f, 0.0f, 0.0f), s);
    specimen_run(s, SECONDS);
    if (s->result.code == SN_OK)
        out->measured = sn_world_measure(s->world).volume_error_max;
    return specimen_end(s);
}

// How far vertices are from a plane through their centre, along the sum of the areas that they enclose with
// it.
static double off_plane(const Specimen *s) {
    SnVec3 centre = sn_vec3(0.0f, 0.0f, 0.0f), area = centre;
    double farthest = 0.0;
    for (int i = 0; i < s->segments; ++i)
        centre = sn_vec3_add(centre, sn_vec3_scale(s->positions[i], 1.0f / (float)s->segments));
    for (int i = 0; i < s->segments; ++i)
        area = sn_vec3_add(area, sn_vec3_cross(sn_vec3_sub(s->positions[i], centre),
                                               sn_vec3_sub(s->positions[i + 1], centre)));
    for (int i = 0; i < s->segments; ++i)
        farthest =
            fmax(farthest, fabs((double)sn_vec3_dot(sn_vec3_sub(s->positions[i], centre), area)));
    return farthest / (double)sn_vec3_length(area);
}

// A straight rod, bent into a ring whose ends are clamped beside each other, with `value` of the twist
// 2π √3 EI/(GJ) at which a closed ring of it is no longer flat (Michell 1889). How far it is from flat, over
// the radius of the ring; the plane itself is free to turn about the tangent at the clamps, as a round rod
// does not tell one direction of bending from another.
SnResult measure_ring_twist(const Case *c, RodKind kind, Specimen *s, Finding *out) {
    double angles[SPECIMEN_MAX], twists[SPECIMEN_MAX];
    specimen_init(s, kind, c->stuff, c->radius, c->segments);
    specimen_straight(s, c->length, 0.0);
    double critical = 2.0 * FIGURE_PI * sqrt(3.0) * s->young / (2.0 * s->shear);
    for (int i = 0; i < s->segments; ++i) {
        double along = (i + 0.5) / s->segments;
        angles[i] = 2.0 * FIGURE_PI * along;
        twists[i] = c->value * critical * along;
    }
    specimen_start(s, angles, twists);
    s->def.velocity = sn_vec3(0.005f, 0.0f, 0.0f); // a push for what is about to bulge
    s->def.material.drag = 2.0f;                   // for what is not, to come back
    specimen_begin(s, sn_vec3(0.0f, 0.0f, 0.0f));
    specimen_hold_end(s, 0, 0.0, 0.0);
    specimen_hold_end(s, s->segments, 2.0 * FIGURE_PI, c->value * critical);
    specimen_run(s, SECONDS);
    specimen_read(s);
    out->measured = off_plane(s) / (c->length / (2.0 * FIGURE_PI));
    return specimen_end(s);
}

// The drag takes out what swings and bounces, at a rate that no rope which excites itself would notice.
static SnResult rope_speed(const Case *c, RodKind kind, double angle, Specimen *s, Finding *out) {
    specimen_init(s, kind, c->stuff, c->radius, c->segments);
    specimen_straight(s, c->length, angle);
    s->def.material.drag = 2.0f;
    specimen_begin(s, sn_vec3(0.0f, (float)-GRAVITY, 0.0f));
    specimen_hold(s, SN_ATTACH_VERTEX, 0);
    if (c->value > 0.0)
        specimen_add_force(s, s->segments,
                           sn_vec3(0.0f, (float)(-c->value * s->mass * GRAVITY), 0.0f));
    out->measured = speed_after(s, 2.0 * SECONDS);
    return specimen_end(s);
}

// A rope that hangs with `value` times its weight at the end.
SnResult measure_hang_speed(const Case *c, RodKind kind, Specimen *s, Finding *out) {
    return rope_speed(c, kind, -0.5 * FIGURE_PI, s, out);
}

// The same, starting level.
SnResult measure_fall_speed(const Case *c, RodKind kind, Specimen *s, Finding *out) {
    return rope_speed(c, kind, 0.0, s, out);
}

// The largest growth of the energy of a free rod, bent by `value` rad and spinning, over its start.
SnResult measure_growth(const Case *c, RodKind kind, Specimen *s, Finding *out) {
    double angles[SPECIMEN_MAX], start = 0.0, most = 0.0;
    specimen_init(s, kind, c->stuff, c->radius, c->segments);
    specimen_straight(s, c->length, 0.0);
    for (int i = 0; i < s->segments; ++i)
        angles[i] = c->value * cos(FIGURE_PI * (i + 0.5) / s->segments);
    specimen_start(s, angles, NULL);
    s->def.angular_velocity = sn_vec3(2.0f, 1.0f, 0.0f);
    specimen_begin(s, sn_vec3(0.0f, 0.0f, 0.0f));
    for (int i = 0; s->result.code == SN_OK && i * DEFAULT_STEP <= SECONDS; ++i) {
        SnMeasures m = sn_world_measure(s->world);
        double energy = figure_energy(&m);
        if (i == 0)
            start = energy;
        most = fmax(most, energy - start);
        specimen_step(s);
    }
    out->measured = most / start;
    return specimen_end(s);
}
