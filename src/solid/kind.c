// Solids as a kind of body.
#include <string.h>

#include "base/hash.h"
#include "solid/solid.h"

static void *create_system(const SnAllocator *allocator, BodyRegister *bodies, int workers) {
    (void)workers;
    SolidSystem *solids = sn__alloc(allocator, sizeof(SolidSystem));
    if (solids)
        *solids = (SolidSystem){.allocator = *allocator, .bodies = bodies};
    return solids;
}

static void destroy_system(void *system) {
    SolidSystem *solids = system;
    SnAllocator a = solids->allocator;
    for (int k = 0; k < solids->count; ++k)
        sn__solid_destroy(solids->list[k]);
    sn__free(&a, solids->list, (size_t)solids->capacity * sizeof(Solid *));
    sn__free(&a, solids->order, (size_t)solids->order_capacity * sizeof(Solid *));
    sn__free(&a, solids->groups, (size_t)solids->group_capacity * sizeof(int));
    sn__free(&a, solids, sizeof(SolidSystem));
}

static void destroy(Body *body) {
    SolidSystem *solids = body->system;
    int kept = 0;
    for (int k = 0; k < solids->count; ++k)
        if (solids->list[k] != solid_of(body))
            solids->list[kept++] = solids->list[k];
    assert(kept + 1 == solids->count);
    solids->count = kept;
    sn__solid_destroy(solid_of(body));
}

static void touch(Body *body) { solid_of(body)->touched = true; }

static void untouch(void *system) {
    const SolidSystem *solids = system;
    for (int k = 0; k < solids->count; ++k)
        solids->list[k]->touched = false;
}

static int knot(const Body *body, int point) { return solid_of(body)->knots + point; }

static const double *knot_origin(const Body *body, int number) {
    (void)number;
    return solid_of(body)->origin;
}

// Particles that an edge joins, and those that were in each other when the body was made.
static bool are_neighbours(const Body *body, int i, int j) {
    const Solid *s = solid_of(body);
    const SolidParticle *a = &s->particles[i], *b = &s->particles[j];
    if (lengthd(subd(a->rest, b->rest)) < 1.05 * (a->radius + b->radius))
        return true;
    for (int k = s->first_edge[i]; k < s->first_edge[i + 1]; ++k) {
        const SolidEdge *e = &s->edges[s->edges_of[k]];
        if (!e->broken && (e->i == j || e->j == j))
            return true;
    }
    return false;
}

static void edge(const Body *body, int element, int out[2]) {
    (void)body;
    out[0] = out[1] = element;
}

static Vec3d origin_of(const Solid *s) { return (Vec3d){s->origin[0], s->origin[1], s->origin[2]}; }

static Vec3d point(const Body *body, int i, double *out_radius) {
    const Solid *s = solid_of(body);
    if (out_radius)
        *out_radius = s->particles[i].radius;
    return addd(origin_of(s), s->x[i]);
}

static float rest_radius(const Body *body, int i) {
    return (float)solid_of(body)->particles[i].radius;
}

static SnVec3 shape(const Body *body, int i) { return vec3f(solid_of(body)->particles[i].radii); }

static void origin(const Body *body, double out[3]) {
    memcpy(out, solid_of(body)->origin, 3 * sizeof out[0]);
}

static void read_state(const Body *body, const SnBodyState *out) {
    const Solid *s = solid_of(body);
    for (int i = 0; i < s->count; ++i) {
        if (out->positions)
            out->positions[i] = vec3f(addd(origin_of(s), s->x[i]));
        if (out->velocities)
            out->velocities[i] = vec3f(s->v[i]);
        if (out->scales)
            out->scales[i] = 1.0f;
        if (out->radii)
            out->radii[i] = (float)s->particles[i].radius;
        if (out->scale_velocities)
            out->scale_velocities[i] = 0.0f;
        if (out->frames)
            out->frames[i] = quatf(sn__solid_frame(s, i));
        if (out->angular_velocities)
            out->angular_velocities[i] = vec3f(sn__solid_spin(s, i));
    }
}

static void write_state(Body *body, const SnBodyState *in) {
    Solid *s = solid_of(body);
    for (int i = 0; i < s->count; ++i) {
        Vec3d spin = sn__solid_spin(s, i);
        if (in->positions)
            s->x[i] = subd(vec3d(in->positions[i]), origin_of(s));
        if (in->frames)
            s->q[i] = normalisedq(mulqd(quatd(in->frames[i]), conjugated(s->particles[i].frame)));
        if (in->velocities)
            s->v[i] = vec3d(in->velocities[i]);
        if (in->angular_velocities)
            spin = vec3d(in->angular_velocities[i]);
        sn__solid_set_spin(s, i, spin);
        s->a[i] = s->t[i] = (Vec3d){0};
    }
    s->own.h2 = 0.0;
    s->unfolds = false;
    sn__solid_obey_holds(s);
}

static bool add_force(Body *body, int i, SnVec3 force) {
    Solid *s = solid_of(body);
    s->force[i] = addd(s->force[i], vec3d(force));
    return true;
}

static bool add_torque(Body *body, int i, SnVec3 torque) {
    Solid *s = solid_of(body);
    s->couple[i] = addd(s->couple[i], vec3d(torque));
    return true;
}

static void add_impulse(Body *body, int i, SnVec3 impulse) {
    Solid *s = solid_of(body);
    if (sn__solid_is_held(body, HELD_VERTEX, i))
        return;
    Vec3d v = addd(s->v[i], scaled(vec3d(impulse), 1.0 / s->particles[i].mass));
    s->v[i] = shortened(v, (double)SN_MAX_SPEED);
}

static void gravity_scale_changed(Body *body) {
    solid_of(body)->gravity_scale = (double)body->gravity_scale;
}

static void sleep_changed(Body *body) {
    Solid *s = solid_of(body);
    s->asleep = body->sleep.asleep;
    for (int i = 0; s->asleep && i < s->count; ++i)
        s->v[i] = s->l[i] = s->a[i] = s->t[i] = (Vec3d){0};
}

static float speed(const Body *body) {
    const Solid *s = solid_of(body);
    double most = 0.0;
    for (int i = 0; i < s->count; ++i)
        most =
            fmax(most, lengthd(s->v[i]) + s->particles[i].radius * lengthd(sn__solid_spin(s, i)));
    return (float)most;
}

static void measure(const Body *body, SnVec3 gravity, BodySums *sums) {
    Solid *s = solid_of(body);
    SnMeasures *m = &sums->m;
    for (int i = 0; i < s->count; ++i) {
        double mass = s->particles[i].mass;
        Vec3d x = addd(origin_of(s), s->x[i]), p = scaled(s->v[i], mass);
        Vec3d turn = addd(crossd(x, p), s->l[i]);
        m->mass += mass;
        m->energy_kinetic += 0.5 * dotd(s->v[i], p) + 0.5 * dotd(sn__solid_spin(s, i), s->l[i]);
        m->energy_gravity -= s->gravity_scale * mass * dotd(vec3d(gravity), x);
        m->momentum[0] += p.x;
        m->momentum[1] += p.y;
        m->momentum[2] += p.z;
        m->angular_momentum[0] += turn.x;
        m->angular_momentum[1] += turn.y;
        m->angular_momentum[2] += turn.z;
        m->speed_max = fmax(m->speed_max, lengthd(s->v[i]));
    }
    for (int k = 0; k < s->edge_count; ++k) {
        const SolidEdge *e = &s->edges[k];
        double part = lengthd(subd(s->x[e->j], s->x[e->i])) / lengthd(e->rest) - 1.0;
        if (!e->broken)
            m->stretch_max = fmax(m->stretch_max, fabs(part));
    }
    m->energy_stretch += sn__solid_energy_now(s); // of bending as well: edges do both
    sums->segments += s->count;
}

static uint64_t hash(const Body *body, uint64_t h) {
    const Solid *s = solid_of(body);
    size_t n = (size_t)s->count;
    h = sn__hash_bytes(h, s->origin, sizeof s->origin);
    h = sn__hash_bytes(h, s->x, n * sizeof *s->x);
    h = sn__hash_bytes(h, s->q, n * sizeof *s->q);
    h = sn__hash_bytes(h, s->v, n * sizeof *s->v);
    h = sn__hash_bytes(h, s->l, n * sizeof *s->l);
    for (int k = 0; k < s->edge_count; ++k) {
        h = sn__hash_bytes(h, &s->edges[k].rest, sizeof s->edges[k].rest);
        h = sn__hash_bytes(h, &s->edges[k].broken, sizeof s->edges[k].broken);
    }
    return h;
}

static void visit(void *system, BodyVisit *call, void *context) {
    const SolidSystem *solids = system;
    for (int k = 0; k < solids->count; ++k) {
        Solid *s = solids->list[k];
        size_t n = (size_t)s->count;
        call(context, BLOCK_DOUBLES, s->origin, sizeof s->origin);
        call(context, BLOCK_DOUBLES, s->x, n * sizeof *s->x);
        call(context, BLOCK_DOUBLES, s->q, n * sizeof *s->q);
        call(context, BLOCK_DOUBLES, s->v, n * sizeof *s->v);
        call(context, BLOCK_MOMENTA, s->l, n * sizeof *s->l);
        call(context, BLOCK_MOMENTA, s->a, n * sizeof *s->a);
        call(context, BLOCK_MOMENTA, s->t, n * sizeof *s->t);
        call(context, BLOCK_FLAGS, &s->unfolds, sizeof s->unfolds);
        for (int e = 0; e < s->edge_count; ++e) {
            call(context, BLOCK_DOUBLES, &s->edges[e].rest, sizeof s->edges[e].rest);
            call(context, BLOCK_FLAGS, &s->edges[e].broken, sizeof s->edges[e].broken);
        }
        for (int i = 0; i < s->lead_count; ++i) {
            BodyLead *l = &s->leads[i];
            sn__visit_lead(l, call, context);
        }
    }
}

static void restored(void *system) {
    const SolidSystem *solids = system;
    const Body *body;
    for (int k = 0; (body = sn__bodies_next(solids->bodies, &sn__solid_kind, &k)) != NULL; ++k) {
        Solid *s = solid_of(body);
        s->asleep = body->sleep.asleep;
        s->own.h2 = 0.0;
        sn__solid_look_at_wear(s);
        for (int i = 0; i < s->count; ++i)
            s->force[i] = s->couple[i] = (Vec3d){0};
    }
}

// A quarter of what overlaps may stay.
static BodyCalm calm(const void *system) {
    (void)system;
    return (BodyCalm){.part = 5e-4f};
}

const BodyKind sn__solid_kind = {
    .name = "solid",
    .number = SN_BODY_SOLID,
    .create_system = create_system,
    .destroy_system = destroy_system,

    .begin = sn__solids_begin,
    .step_alone = sn__solids_step_alone,
    .pass = sn__solids_pass,
    .end = sn__solids_end,
    .report = sn__solids_report,

    .number_knots = sn__solids_number,
    .own = sn__solids_own,
    .add_velocity = sn__solids_add_velocity,
    .bounds = sn__solids_bounds,
    .touch = touch,
    .untouch = untouch,
    .passes = sn__solids_passes,
    .calm = calm,
    .knot = knot,
    .knot_origin = knot_origin,
    .are_neighbours = are_neighbours,
    .tie = sn__solid_tie,
    .answer = sn__solid_answer,

    .destroy = destroy,
    .edge = edge,
    .ends = edge,
    .point = point,
    .rest_radius = rest_radius,
    .shape = shape,
    .read = read_state,
    .write = write_state,
    .origin = origin,
    .add_force = add_force,
    .add_torque = add_torque,
    .add_impulse = add_impulse,
    .gravity_scale_changed = gravity_scale_changed,
    .sleep_changed = sleep_changed,
    .speed = speed,
    .measure = measure,
    .hash = hash,

    .is_held = sn__solid_is_held,
    .held_pose = sn__solid_held_pose,
    .marks = sn__solid_mark_count,
    .mark_pose = sn__solid_mark_pose,
    .hold = sn__solid_hold,
    .release = sn__solid_release,
    .lead = sn__solid_lead,
    .settle = sn__solid_settle,
    .jump = sn__solid_jump,
    .lead_owner = sn__solid_lead_owner,
    .reaction = sn__solid_reaction,

    .visit = visit,
    .restored = restored,
    .validate = sn__solids_validate,
};
