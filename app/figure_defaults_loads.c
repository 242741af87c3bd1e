// Cases of the figure `defaults` with loads on rods that nothing holds, and of what holds bear.
#include "app/figure_defaults.h"

#include <math.h>

static void begin_free(const Case *c, RodKind kind, Specimen *s) {
    specimen_init(s, kind, c->stuff, c->radius, c->segments);
    specimen_straight(s, c->length, 0.0);
    specimen_begin(s, sn_vec3(0.0f, 0.0f, 0.0f));
}

// What there is of an angular momentum about x a second later.
static SnResult keep_turning(Specimen *s, double given, Finding *out) {
    specimen_run(s, 1.0);
    if (s->result.code == SN_OK)
        out->measured = sn_world_measure(s->world).angular_momentum[0] / given;
    out->expected = 1.0;
    return specimen_end(s);
}

// A torque on the last segment for one step, which would turn a rigid rod at `value` rad/s.
SnResult measure_torque(const Case *c, RodKind kind, Specimen *s, Finding *out) {
    begin_free(c, kind, s);
    double given = c->value * s->mass * c->length * c->length / 12.0;
    specimen_add_torque(s, c->segments - 1, sn_vec3((float)(given / DEFAULT_STEP), 0.0f, 0.0f));
    specimen_step(s);
    s->load_count = 0;
    return keep_turning(s, given, out);
}

// An impulse across the last vertex, which would turn it likewise. About the first vertex, where the world has its
// origin, its lever is the whole length.
SnResult measure_blow(const Case *c, RodKind kind, Specimen *s, Finding *out) {
    begin_free(c, kind, s);
    double impulse = c->value * s->mass * c->length / 6.0;
    if (s->result.code == SN_OK)
        s->result =
            sn_body_add_impulse(s->world, s->rod, c->segments, sn_vec3(0.0f, (float)impulse, 0.0f));
    return keep_turning(s, -impulse * c->length, out);
}

// A force on the last vertex for a second, along the rod, which would give it `value` m/s: all of that is there.
SnResult measure_pushed(const Case *c, RodKind kind, Specimen *s, Finding *out) {
    begin_free(c, kind, s);
    double given = c->value * s->mass;
    specimen_add_force(s, c->segments, sn_vec3(0.0f, 0.0f, (float)given));
    specimen_run(s, 1.0);
    if (s->result.code == SN_OK)
        out->measured = sn_world_measure(s->world).momentum[2] / given;
    out->expected = 1.0;
    return specimen_end(s);
}

static SnReaction reaction(Specimen *s, SnAttachmentId id) {
    SnReaction r = {0};
    if (s->result.code == SN_OK)
        s->result = sn_attachment_reaction(s->world, id, &r);
    return r;
}

static SnAttachmentId hold(Specimen *s, SnAttachmentKind kind, int index) {
    SnAttachmentDef def = sn_default_attachment_def();
    SnAttachmentId id = {0};
    def.kind = kind;
    def.body = s->rod;
    def.index = index;
    if (s->result.code == SN_OK)
        s->result = sn_attachment_create(s->world, &def, &id);
    return id;
}

// The force and the moment of a cantilever's wall under its weight: m g, and m g L/2 where it sags little.
static SnResult bear(const Case *c, RodKind kind, bool moment, Specimen *s, Finding *out) {
    specimen_init(s, kind, c->stuff, c->radius, c->segments);
    specimen_straight(s, c->length, 0.0);
    specimen_begin(s, sn_vec3(0.0f, (float)-GRAVITY, 0.0f));
    SnAttachmentId point = hold(s, SN_ATTACH_VERTEX, 0), frame = hold(s, SN_ATTACH_SEGMENT, 0);
    double flexible = s->young * s->inertia * s->length / s->mass;
    specimen_settle(s, 3.516 / (s->length * s->length) * sqrt(flexible));
    double weight = s->mass * GRAVITY;
    out->measured = moment ? (double)reaction(s, frame).torque.x / (0.5 * weight * c->length)
                           : (double)reaction(s, point).force.y / weight;
    out->expected = moment ? -1.0 : 1.0;
    return specimen_end(s);
}

SnResult measure_wall_force(const Case *c, RodKind kind, Specimen *s, Finding *out) {
    return bear(c, kind, false, s, out);
}

SnResult measure_wall_moment(const Case *c, RodKind kind, Specimen *s, Finding *out) {
    return bear(c, kind, true, s, out);
}

// A moment at the tip of a cantilever makes an arc of `value` rad. Returns the rate of its slowest motion.
static double begin_arc(const Case *c, RodKind kind, Specimen *s) {
    specimen_init(s, kind, c->stuff, c->radius, c->segments);
    specimen_straight(s, c->length, 0.0);
    specimen_begin(s, sn_vec3(0.0f, 0.0f, 0.0f));
    specimen_clamp(s);
    double stiffness = s->young * s->inertia, moment = stiffness * c->value / c->length;
    specimen_add_torque(s, c->segments - 1, sn_vec3((float)-moment, 0.0f, 0.0f));
    return 3.516 / (c->length * c->length) * sqrt(stiffness * c->length / s->mass);
}

SnResult measure_arc(const Case *c, RodKind kind, Specimen *s, Finding *out) {
    specimen_settle(s, begin_arc(c, kind, s));
    out->measured = (double)s->positions[s->segments].y;
    out->expected = c->length * (1.0 - cos(c->value)) / c->value;
    return specimen_end(s);
}

// It rests there: what moves fastest after five seconds, without any damping.
SnResult measure_arc_speed(const Case *c, RodKind kind, Specimen *s, Finding *out) {
    (void)begin_arc(c, kind, s);
    specimen_run(s, 5.0);
    if (s->result.code == SN_OK)
        out->measured = sn_world_measure(s->world).speed_max;
    out->expected = 0.0;
    return specimen_end(s);
}
