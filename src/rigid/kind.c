// Rigid bodies as a kind of body.
#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "rigid/step.h"
#include "rigid/validate.h"

static void *create_system(const SnAllocator *allocator, BodyRegister *bodies, int workers) {
    (void)workers;
    RigidSystem *rigids = sn__alloc(allocator, sizeof(RigidSystem));
    if (rigids)
        *rigids = (RigidSystem){.allocator = *allocator, .bodies = bodies};
    return rigids;
}

static void destroy_system(void *system) {
    RigidSystem *rigids = system;
    SnAllocator a = rigids->allocator;
    for (int k = 0; k < rigids->count; ++k)
        sn__rigid_destroy(&a, rigids->list[k]);
    sn__free(&a, rigids->list, (size_t)rigids->capacity * sizeof(Rigid *));
    sn__free(&a, rigids, sizeof(RigidSystem));
}

static void destroy(Body *body) {
    RigidSystem *rigids = body->system;
    int kept = 0;
    for (int k = 0; k < rigids->count; ++k)
        if (rigids->list[k] != rigid_of(body))
            rigids->list[kept++] = rigids->list[k];
    assert(kept + 1 == rigids->count);
    rigids->count = kept;
    sn__rigid_destroy(&rigids->allocator, rigid_of(body));
}

static void touch(Body *body) { rigid_of(body)->touched = true; }

static void untouch(void *system) {
    const RigidSystem *rigids = system;
    for (int k = 0; k < rigids->count; ++k)
        rigids->list[k]->touched = false;
}

static int passes(const void *system) {
    const RigidSystem *rigids = system;
    for (int k = 0; k < rigids->count; ++k)
        if (rigids->list[k]->touched)
            return 1;
    return 0;
}

static int knot(const Body *body, int point) { return rigid_of(body)->knots + point; }
static int turn(const Body *body) { return rigid_of(body)->turn; }
static int hub(const Body *body) { return sn__rigid_hub(rigid_of(body)); }

static const double *knot_origin(const Body *body, int number) {
    (void)number;
    return rigid_of(body)->origin;
}

// Parts of one body never touch each other.
static bool are_neighbours(const Body *body, int i, int j) {
    (void)body;
    (void)i;
    (void)j;
    return true;
}

static void edge(const Body *body, int part, int out[2]) {
    assert(part >= 0 && part < rigid_of(body)->parts);
    memcpy(out, rigid_of(body)->edge[part], 2 * sizeof out[0]);
}

static Vec3d origin_of(const Rigid *r) { return (Vec3d){r->origin[0], r->origin[1], r->origin[2]}; }

static Vec3d point(const Body *body, int i, double *out_radius) {
    const Rigid *r = rigid_of(body);
    if (out_radius)
        *out_radius = (double)r->radius[i];
    return addd(origin_of(r), sn__rigid_point(r, &r->pose, i));
}

static float rest_radius(const Body *body, int i) { return rigid_of(body)->radius[i]; }

static void origin(const Body *body, double out[3]) {
    memcpy(out, rigid_of(body)->origin, 3 * sizeof out[0]);
}

static Vec3d velocity_at(const Rigid *r, Vec3d arm) {
    return addd(r->v, crossd(sn__rigid_spin(r), arm));
}

static void read_state(const Body *body, const SnBodyState *out) {
    const Rigid *r = rigid_of(body);
    Vec3d spin = sn__rigid_spin(r);
    for (int i = 0; i < r->points; ++i) {
        Vec3d arm = rotated(r->pose.q, r->local[i]);
        if (out->positions)
            out->positions[i] = vec3f(addd(origin_of(r), addd(r->pose.x, arm)));
        if (out->velocities)
            out->velocities[i] = vec3f(addd(r->v, crossd(spin, arm)));
        if (out->scales)
            out->scales[i] = 1.0f;
        if (out->radii)
            out->radii[i] = r->radius[i];
        if (out->scale_velocities)
            out->scale_velocities[i] = 0.0f;
    }
    for (int j = 0; j < r->parts; ++j) {
        if (out->frames)
            out->frames[j] = quatf(normalisedq(mulqd(r->pose.q, r->frame[j])));
        if (out->angular_velocities)
            out->angular_velocities[j] = vec3f(spin);
    }
}

// Slower along the same direction, as far as no component is beyond `most`.
static Vec3d slowed(Vec3d v, double most) {
    double largest = fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
    return largest > most ? scaled(v, most / largest) : v;
}

static void write_state(Body *body, const SnBodyState *in) {
    Rigid *r = rigid_of(body);
    Vec3d x = {0}, v = {0}, spin = sn__rigid_spin(r);
    if (in->frames)
        r->pose.q = normalisedq(mulqd(quatd(in->frames[0]), conjugated(r->frame[0])));
    else if (in->positions)
        r->pose.q = sn__rigid_fit_rotation(r, in->positions);
    sn__rigid_set_spin(r, spin);
    if (in->angular_velocities)
        spin = vec3d(in->angular_velocities[0]);
    else if (in->velocities)
        spin = sn__rigid_fit_spin(r, in->velocities);
    for (int i = 0; i < r->points; ++i) {
        Vec3d arm = rotated(r->pose.q, r->local[i]);
        if (in->positions)
            x = addd(x, subd(vec3d(in->positions[i]), addd(origin_of(r), arm)));
        if (in->velocities)
            v = addd(v, subd(vec3d(in->velocities[i]), crossd(spin, arm)));
    }
    if (in->positions)
        r->pose.x = scaled(x, 1.0 / (double)r->points);
    if (in->velocities)
        r->v = slowed(scaled(v, 1.0 / (double)r->points), (double)SN_MAX_SPEED);
    sn__rigid_set_spin(r, slowed(spin, (double)SN_MAX_SPIN));
    sn__rigid_obey_holds(r);
}

static bool add_force(Body *body, int i, SnVec3 force) {
    assert(i >= 0 && i < rigid_of(body)->points);
    Rigid *r = rigid_of(body);
    r->force = addd(r->force, vec3d(force));
    r->torque = addd(r->torque, crossd(rotated(r->pose.q, r->local[i]), vec3d(force)));
    return true;
}

static bool add_torque(Body *body, int part, SnVec3 torque) {
    (void)part;
    Rigid *r = rigid_of(body);
    r->torque = addd(r->torque, vec3d(torque));
    return true;
}

static Vec3d within(Vec3d v, double most) {
    double length = lengthd(v);
    return length > most ? scaled(v, most / length) : v;
}

// As contacts do: what holds the body answers with it.
static void add_impulse(Body *body, int i, SnVec3 impulse) {
    assert(i >= 0 && i < rigid_of(body)->points);
    Rigid *r = rigid_of(body);
    KnotTurn turns;
    float mobility;
    sn__rigid_response(r, turns.inverse, &mobility);
    bool pinned = r->freedom == RIGID_PINNED || r->freedom == RIGID_HINGED;
    Vec3d hub = pinned ? r->local[r->leads[r->held[0]].index] : (Vec3d){0};
    Vec3d arm = rotated(r->pose.q, subd(r->local[i], hub)), J = vec3d(impulse);
    Vec3d spin = sn__turned_by(&turns, crossd(arm, J));
    Vec3d by = addd(scaled(J, (double)mobility), crossd(rotated(r->pose.q, hub), spin));
    r->v = within(addd(r->v, by), (double)SN_MAX_SPEED);
    sn__rigid_set_spin(r, within(addd(sn__rigid_spin(r), spin), (double)SN_MAX_SPIN));
}

static void gravity_scale_changed(Body *body) {
    rigid_of(body)->gravity_scale = (double)body->gravity_scale;
}

static void sleep_changed(Body *body) {
    Rigid *r = rigid_of(body);
    r->asleep = body->sleep.asleep;
    if (r->asleep)
        r->v = r->L = (Vec3d){0};
}

static float speed(const Body *body) { return (float)sn__rigid_speed(rigid_of(body)); }

static void limit(Body *body, double most) { rigid_of(body)->fastest = most; }

static void measure(const Body *body, SnVec3 gravity, BodySums *sums) {
    const Rigid *r = rigid_of(body);
    SnMeasures *m = &sums->m;
    Vec3d x = addd(origin_of(r), r->pose.x), p = scaled(r->v, r->mass);
    Vec3d turn = addd(crossd(x, p), r->L);
    m->mass += r->mass;
    m->energy_kinetic += 0.5 * dotd(r->v, p) + 0.5 * dotd(sn__rigid_spin(r), r->L);
    m->energy_gravity -= r->gravity_scale * r->mass * dotd(vec3d(gravity), x);
    m->momentum[0] += p.x;
    m->momentum[1] += p.y;
    m->momentum[2] += p.z;
    m->angular_momentum[0] += turn.x;
    m->angular_momentum[1] += turn.y;
    m->angular_momentum[2] += turn.z;
    for (int i = 0; i < r->points; ++i)
        m->speed_max = fmax(m->speed_max, lengthd(velocity_at(r, rotated(r->pose.q, r->local[i]))));
    sums->segments += r->parts;
}

static uint64_t hash(const Body *body, uint64_t h) {
    const Rigid *r = rigid_of(body);
    h = sn__hash_bytes(h, r->origin, sizeof r->origin);
    h = sn__hash_bytes(h, &r->pose, sizeof r->pose);
    h = sn__hash_bytes(h, &r->v, sizeof r->v);
    return sn__hash_bytes(h, &r->L, sizeof r->L);
}

static void visit(void *system, BodyVisit *call, void *context) {
    const RigidSystem *rigids = system;
    for (int k = 0; k < rigids->count; ++k) {
        Rigid *r = rigids->list[k];
        call(context, BLOCK_DOUBLES, r->origin, sizeof r->origin);
        call(context, BLOCK_DOUBLES, &r->pose, sizeof r->pose);
        call(context, BLOCK_DOUBLES, &r->v, sizeof r->v);
        call(context, BLOCK_MOMENTA, &r->L, sizeof r->L);
        for (int i = 0; i < r->lead_count; ++i) {
            BodyLead *l = &r->leads[i];
            sn__visit_lead(l, call, context);
        }
    }
}

static void restored(void *system) {
    const RigidSystem *rigids = system;
    const Body *body;
    for (int k = 0; (body = sn__bodies_next(rigids->bodies, &sn__rigid_kind, &k)) != NULL; ++k) {
        rigid_of(body)->asleep = body->sleep.asleep;
        rigid_of(body)->force = rigid_of(body)->torque = (Vec3d){0};
    }
}

const BodyKind sn__rigid_kind = {
    .name = "rigid body",
    .number = SN_BODY_RIGID,
    .create_system = create_system,
    .destroy_system = destroy_system,

    .begin = sn__rigids_begin,
    .step_alone = sn__rigids_step_alone,
    .pass = sn__rigids_pass,
    .end = sn__rigids_end,
    .report = sn__rigids_report,

    .number_knots = sn__rigids_number,
    .own = sn__rigids_own,
    .add_velocity = sn__rigids_add_velocity,
    .bounds = sn__rigids_bounds,
    .touch = touch,
    .untouch = untouch,
    .passes = passes,
    .knot = knot,
    .knot_origin = knot_origin,
    .are_neighbours = are_neighbours,
    .turn = turn,
    .hub = hub,

    .destroy = destroy,
    .edge = edge,
    .ends = edge,
    .point = point,
    .rest_radius = rest_radius,
    .read = read_state,
    .write = write_state,
    .origin = origin,
    .add_force = add_force,
    .add_torque = add_torque,
    .add_impulse = add_impulse,
    .gravity_scale_changed = gravity_scale_changed,
    .sleep_changed = sleep_changed,
    .limit = limit,
    .speed = speed,
    .measure = measure,
    .hash = hash,

    .is_held = sn__rigid_is_held,
    .held_pose = sn__rigid_held_pose,
    .hold = sn__rigid_hold,
    .release = sn__rigid_release,
    .lead = sn__rigid_lead,
    .settle = sn__rigid_settle,
    .jump = sn__rigid_jump,
    .lead_owner = sn__rigid_lead_owner,
    .reaction = sn__rigid_reaction,

    .visit = visit,
    .restored = restored,
    .validate = sn__rigids_validate,
};
