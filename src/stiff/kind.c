// Stiff rods as rods: reading, writing, loads, holds, measurements.
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "sinew/world.h"
#include "stiff/reaction.h"
#include "stiff/state.h"
#include "stiff/step.h"
#include "stiff/ties.h"
#include "stiff/touch.h"
#include "stiff/validate.h"

static StiffGrove *grove_of(const StiffRod *t) {
    assert(t->grove >= 0 && t->grove < t->system->grove_count);
    return &t->system->groves[t->grove];
}

static Vec3d origin_of(const StiffRod *t) {
    return (Vec3d){t->origin[0], t->origin[1], t->origin[2]};
}

static void *create_system(const SnAllocator *allocator, BodyRegister *bodies, int workers) {
    StiffSystem *rods = sn__alloc(allocator, sizeof(StiffSystem));
    if (rods)
        *rods = (StiffSystem){.allocator = *allocator, .bodies = bodies, .workers = workers};
    return rods;
}

static void destroy_system(void *system) {
    SnAllocator allocator = ((StiffSystem *)system)->allocator;
    sn__stiff_rods_destroy(system);
    sn__free(&allocator, system, sizeof(StiffSystem));
}

static void destroy(Body *body) { sn__stiff_rods_remove(body->system, stiff_of(body)); }

static void edge(const Body *body, int segment, int out[2]) {
    const StiffRod *t = stiff_of(body);
    out[0] = t->edge[segment][0];
    out[1] = t->edge[segment][1];
}

static void ends(const Body *body, int segment, int out[2]) {
    const StiffRod *t = stiff_of(body);
    out[0] = t->ends[segment][0];
    out[1] = t->ends[segment][1];
}

static Vec3d vertex(const Body *body, int i, double *out_radius) {
    const StiffRod *t = stiff_of(body);
    if (out_radius)
        *out_radius = (double)t->radius[i];
    return addd(origin_of(t), sn__stiff_vertex(t, i, NULL));
}

static float rest_radius(const Body *body, int i) { return stiff_of(body)->radius[i]; }

static void origin(const Body *body, double out[3]) {
    memcpy(out, stiff_of(body)->origin, 3 * sizeof out[0]);
}

static void read_state(const Body *body, const SnBodyState *out) {
    const StiffRod *t = stiff_of(body);
    for (int i = 0; (out->positions || out->velocities) && i < t->vertices; ++i) {
        Vec3d v, x = addd(origin_of(t), sn__stiff_vertex(t, i, &v));
        if (out->positions)
            out->positions[i] = vec3f(x);
        if (out->velocities)
            out->velocities[i] = vec3f(v);
    }
    for (int i = 0; i < t->vertices; ++i) {
        if (out->scales)
            out->scales[i] = 1.0f;
        if (out->radii)
            out->radii[i] = t->radius[i];
        if (out->scale_velocities)
            out->scale_velocities[i] = 0.0f;
    }
    for (int j = 0; j < t->segments; ++j) {
        StiffPose p = sn__stiff_pose(t, j);
        if (out->frames)
            out->frames[j] = quatf(p.q);
        if (out->angular_velocities)
            out->angular_velocities[j] = vec3f(p.w);
    }
}

// Segments keep their length: a segment goes to the middle of its two vertices, and along them.
static void write_state(Body *body, const SnBodyState *in) {
    StiffRod *t = stiff_of(body);
    for (int j = 0; j < t->segments; ++j) {
        StiffPose p = sn__stiff_pose(t, j);
        const int *e = t->edge[j];
        if (in->frames)
            p.q = normalisedq(quatd(in->frames[j]));
        if (in->positions) {
            Vec3d a = vec3d(in->positions[e[0]]), b = vec3d(in->positions[e[1]]), d = subd(b, a);
            double length = lengthd(d);
            p.x = subd(scaled(addd(a, b), 0.5), origin_of(t));
            if (length > 0.0)
                p.q =
                    normalisedq(mulqd(rotation_between(axis_z(p.q), scaled(d, 1.0 / length)), p.q));
        }
        if (in->velocities)
            p.v = scaled(addd(vec3d(in->velocities[e[0]]), vec3d(in->velocities[e[1]])), 0.5);
        if (in->angular_velocities) {
            p.w = vec3d(in->angular_velocities[j]);
        } else if (in->velocities) {
            // What its ends say, and its own spin.
            Vec3d axis = axis_z(p.q);
            Vec3d dv = subd(vec3d(in->velocities[e[1]]), vec3d(in->velocities[e[0]]));
            p.w = addd(scaled(crossd(axis, dv), 1.0 / t->segment[j].length),
                       scaled(axis, dotd(axis, p.w)));
        }
        sn__stiff_limit_start(&t->segment[j], &p);
        sn__stiff_set_pose(t, j, &p);
        sn__stiff_forget(t, j);
    }
}

// What one solve leaves over of a load that has just come, a tree without holds keeps as momentum: a tenth of a
// torque, and half and more of a blow on one vertex. With so many, a thousandth is left.
#define LOADED_SOLVES 2
#define STRUCK_SOLVES 3

static void need_solves(StiffGrove *grove, int solves) {
    grove->loaded = grove->loaded > solves ? grove->loaded : solves;
}

// A force that acts so far from the centre along the axis.
static void load_segment(StiffRod *t, int j, Vec3d force, double along, Vec3d torque) {
    assert(j >= 0 && j < t->segments);
    Vec3d levered = scaled(force, along);
    need_solves(grove_of(t), LOADED_SOLVES);
    if (t->fresh) {
        StiffCarried *c = &t->fresh[j];
        c->force = addd(c->force, force);
        c->torque = addd(c->torque, torque);
        c->levered = addd(c->levered, levered);
        return;
    }
    StiffLoads *l = &grove_of(t)->g.loads[t->slot[j] / STIFF_LANES];
    int i = t->slot[j] % STIFF_LANES;
    l->fx[i] += force.x;
    l->fy[i] += force.y;
    l->fz[i] += force.z;
    l->tx[i] += torque.x;
    l->ty[i] += torque.y;
    l->tz[i] += torque.z;
    l->lx[i] += levered.x;
    l->ly[i] += levered.y;
    l->lz[i] += levered.z;
}

static bool add_force(Body *body, int i, SnVec3 force) {
    StiffRod *t = stiff_of(body);
    int j = t->home[i] / 2;
    load_segment(t, j, vec3d(force), sn__stiff_end(t, j, i), (Vec3d){0});
    return true;
}

static bool add_torque(Body *body, int segment, SnVec3 torque) {
    load_segment(stiff_of(body), segment, (Vec3d){0}, 0.0, vec3d(torque));
    return true;
}

static Vec3d turned_by(const StiffSegment *s, Quatd q, Vec3d torque) {
    Vec3d local = rotated(conjugated(q), torque);
    return rotated(
        q, (Vec3d){local.x / s->inertia[0], local.y / s->inertia[1], local.z / s->inertia[2]});
}

static void add_impulse(Body *body, int i, SnVec3 impulse) {
    StiffRod *t = stiff_of(body);
    int j = t->home[i] / 2;
    if (sn__stiff_is_fixed(t, j))
        return;
    StiffPose p = sn__stiff_pose(t, j);
    const StiffSegment *s = &t->segment[j];
    Vec3d arm = scaled(axis_z(p.q), sn__stiff_end(t, j, i));
    p.v = addd(p.v, scaled(vec3d(impulse), 1.0 / s->mass));
    p.w = addd(p.w, turned_by(s, p.q, crossd(arm, vec3d(impulse))));
    sn__stiff_limit_speed(s, &p);
    sn__stiff_set_pose(t, j, &p);
    need_solves(grove_of(t), STRUCK_SOLVES);
}

static void gravity_scale_changed(Body *body) {
    StiffRod *t = stiff_of(body);
    t->gravity_scale = (double)body->gravity_scale;
    grove_of(t)->dirty = true;
}

static void set_material(Body *body, const SnRodMaterial *material) {
    StiffRod *t = stiff_of(body);
    sn__stiff_apply_material(t, material);
    grove_of(t)->dirty = true;
}

static const SnRodMaterial *material_of(const Body *body) { return &stiff_of(body)->material; }

static double tension_of(const StiffRod *t, int j) {
    if (t->fresh)
        return t->fresh[j].tension;
    return grove_of(t)->g.state[t->slot[j] / STIFF_LANES].tension[t->slot[j] % STIFF_LANES];
}

static void remembered_of(const StiffRod *t, int j, Vec3d out[2]) {
    out[0] = t->fresh ? t->fresh[j].a : (Vec3d){0};
    out[1] = t->fresh ? t->fresh[j].b : (Vec3d){0};
    if (t->fresh)
        return;
    const StiffState *s = &grove_of(t)->g.state[t->slot[j] / STIFF_LANES];
    int i = t->slot[j] % STIFF_LANES;
    out[0] = (Vec3d){s->ax[i], s->ay[i], s->az[i]};
    out[1] = (Vec3d){s->bx[i], s->by[i], s->bz[i]};
}

static uint64_t hash(const Body *body, uint64_t h) {
    const StiffRod *t = stiff_of(body);
    h = sn__hash_bytes(h, t->origin, sizeof t->origin);
    h = sn__hash_bytes(h, &t->material, sizeof t->material);
    for (int j = 0; j < t->segments; ++j) {
        StiffPose p = sn__stiff_pose(t, j);
        double tension = tension_of(t, j);
        h = sn__hash_bytes(h, &p, sizeof p);
        h = sn__hash_bytes(h, &tension, sizeof tension);
        Vec3d remembered[2];
        remembered_of(t, j, remembered);
        h = sn__hash_bytes(h, remembered, sizeof remembered);
    }
    for (int k = 0; k < t->joints; ++k) {
        h = sn__hash_bytes(h, &t->joint[k].rest, sizeof t->joint[k].rest);
        h = sn__hash_bytes(h, &t->joint[k].broken, sizeof t->joint[k].broken);
    }
    for (int i = 0; i < t->points; ++i)
        if (dotd(t->press[i], t->press[i]) > 0.0)
            h = sn__hash_bytes(h, &t->press[i], sizeof t->press[i]);
    return h;
}

static float speed(const Body *body) { return (float)sn__stiff_speed(stiff_of(body)); }

static void limit(Body *body, double most) { stiff_of(body)->fastest = most; }

static void sleep_changed(Body *body) {
    StiffRod *t = stiff_of(body);
    t->asleep = body->sleep.asleep;
    for (int j = 0; t->asleep && j < t->segments; ++j) {
        StiffPose p = sn__stiff_pose(t, j);
        p.v = p.w = (Vec3d){0};
        sn__stiff_set_pose(t, j, &p);
    }
}

static int *lead_at(const StiffRod *t, int held, int index) {
    assert(held == HELD_VERTEX || held == HELD_FRAME);
    assert(index >= 0 && index < (held == HELD_VERTEX ? t->vertices : t->segments));
    return held == HELD_VERTEX ? &t->vertex_lead[index] : &t->frame_lead[index];
}

// The scale of a stiff rod is held by nature.
static bool is_held(const Body *body, int held, int index) {
    return held == HELD_SCALE || *lead_at(stiff_of(body), held, index) >= 0;
}

// Both of a vertex and of a segment of this number, whichever is asked for.
static HeldPose held_pose(const Body *body, int index) {
    const StiffRod *t = stiff_of(body);
    HeldPose pose = {.rotation = {0.0, 0.0, 0.0, 1.0}, .scale = 1.0f};
    if (index < t->vertices)
        pose.position = addd(origin_of(t), sn__stiff_vertex(t, index, NULL));
    if (index < t->segments)
        pose.rotation = t->frame_lead[index] >= 0 ? t->leads[t->frame_lead[index]].q_to
                                                  : sn__stiff_pose(t, index).q;
    return pose;
}

// A segment that is fixed or clamped, at the place it is held at. One that is clamped keeps its angle to
// the wall, which has turned.
static void put_held(StiffRod *t, int segment, Quatd turn) {
    int vertex = sn__stiff_clamped_at(t, segment);
    bool clamped = vertex >= 0;
    if (!clamped && !sn__stiff_is_fixed(t, segment))
        return;
    const int *e = t->edge[segment];
    if (!clamped)
        vertex = t->vertex_lead[e[0]] >= 0 ? e[0] : e[1];
    StiffPose p = {.q = clamped ? normalisedq(mulqd(turn, sn__stiff_pose(t, segment).q))
                                : t->leads[t->frame_lead[segment]].q_from};
    p.x = subd(t->leads[t->vertex_lead[vertex]].x_from,
               scaled(axis_z(p.q), sn__stiff_end(t, segment, vertex)));
    sn__stiff_set_pose(t, segment, &p);
    sn__stiff_forget(t, segment);
    grove_of(t)->dirty = true;
}

static void jump(Body *body, int index, int lead, const HeldPose *pose) {
    (void)index;
    StiffRod *t = stiff_of(body);
    StiffLead *l = &t->leads[lead];
    assert(lead >= 0 && lead < t->lead_count);
    Quatd old = l->q_from, still = {0.0, 0.0, 0.0, 1.0};
    bool fresh = old.x * old.x + old.y * old.y + old.z * old.z + old.w * old.w == 0.0;
    l->x_from = l->x_to = subd(pose->position, origin_of(t));
    l->q_from = l->q_to = normalisedq(pose->rotation);
    l->curved = false;
    if (l->held == HELD_FRAME) {
        put_held(t, l->index, fresh ? still : mulqd(l->q_from, conjugated(old)));
        return;
    }
    for (int k = 0; k < t->lead_count; ++k)
        if (t->leads[k].held == HELD_FRAME && (t->edge[t->leads[k].index][0] == l->index ||
                                               t->edge[t->leads[k].index][1] == l->index))
            put_held(t, t->leads[k].index, still);
}

static int hold(Body *body, int held, int index, uint32_t owner, const HeldPose *pose) {
    StiffRod *t = stiff_of(body);
    if (!sn__reserve(&t->system->allocator, (void **)&t->leads, &t->lead_capacity, t->lead_count,
                     sizeof(StiffLead)))
        return -1;
    assert(*lead_at(t, held, index) < 0);
    int number = t->lead_count++;
    t->leads[number] = (StiffLead){.index = index, .held = held, .owner = owner};
    *lead_at(t, held, index) = number;
    jump(body, index, number, pose);
    grove_of(t)->dirty = true;
    return number;
}

static uint32_t release(Body *body, int held, int index, int lead) {
    StiffRod *t = stiff_of(body);
    assert(lead >= 0 && lead < t->lead_count && *lead_at(t, held, index) == lead);
    *lead_at(t, held, index) = -1;
    StiffLead *last = &t->leads[--t->lead_count];
    if (lead != t->lead_count) {
        t->leads[lead] = *last;
        *lead_at(t, last->held, last->index) = lead;
    }
    grove_of(t)->dirty = true;
    return last->owner;
}

static void lead_to(Body *body, int index, int lead, const HeldPath *path) {
    (void)index;
    StiffRod *t = stiff_of(body);
    StiffLead *l = &t->leads[lead];
    assert(lead >= 0 && lead < t->lead_count);
    l->x_to = subd(path->to.position, origin_of(t));
    l->q_to = bend_sign(normalisedq(path->to.rotation), l->q_from);
    l->curved = path->curved;
    if (!l->curved)
        return;
    const HeldPose *via = path->via;
    l->x_bend = bend_of_points(l->x_from, subd(via[0].position, origin_of(t)),
                               subd(via[1].position, origin_of(t)), l->x_to);
    l->q_bend = bend_of_turns(l->q_from, normalisedq(via[0].rotation), normalisedq(via[1].rotation),
                              l->q_to);
}

static void settle(Body *body, int lead) {
    assert(lead >= 0 && lead < stiff_of(body)->lead_count);
    StiffLead *l = &stiff_of(body)->leads[lead];
    l->x_from = l->x_to;
    l->q_from = l->q_to;
    l->curved = false;
}

static uint32_t owner(const Body *body, int lead) {
    const StiffRod *t = stiff_of(body);
    return lead < t->lead_count ? t->leads[lead].owner : 0;
}

static BodyCalm calm(const void *system) {
    (void)system;
    return (BodyCalm){.part = 1e-5f};
}

const BodyKind sn__stiff_kind = {
    .name = "stiff rod",
    .number = SN_BODY_STIFF_ROD,
    .create_system = create_system,
    .destroy_system = destroy_system,

    .begin = sn__stiff_rods_begin,
    .step_alone = sn__stiff_rods_step_alone,
    .pass = sn__stiff_rods_pass,
    .end = sn__stiff_rods_end,
    .report = sn__stiff_rods_report,
    .press = sn__stiff_press,
    .forget_press = sn__stiff_rods_forget_press,

    .number_knots = sn__stiff_rods_number,
    .own = sn__stiff_rods_own,
    .add_velocity = sn__stiff_rods_add_velocity,
    .bounds = sn__stiff_rods_bounds,
    .touch = sn__stiff_touch,
    .untouch = sn__stiff_rods_untouch,
    .passes = sn__stiff_rods_passes,
    .calm = calm,
    .tie = sn__stiff_tie,
    .tie_turn = sn__stiff_tie_turn,
    .turning = sn__stiff_turning,
    .twist = sn__stiff_twist,
    .answer = sn__stiff_answer,
    .drift = sn__stiff_drift,
    .knot = sn__stiff_knot,
    .knot_origin = sn__stiff_knot_origin,
    .are_neighbours = sn__stiff_are_neighbours,

    .destroy = destroy,
    .edge = edge,
    .ends = ends,
    .point = vertex,
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
    .measure = sn__stiff_measure,
    .hash = hash,
    .torn_count = sn__stiff_torn_count,
    .torn_end = sn__stiff_torn_end,
    .set_material = set_material,
    .material = material_of,

    .is_held = is_held,
    .held_pose = held_pose,
    .hold = hold,
    .release = release,
    .lead = lead_to,
    .settle = settle,
    .jump = jump,
    .lead_owner = owner,
    .reaction = sn__stiff_reaction,

    .arrange = sn__stiff_arrange,
    .visit_shape = sn__stiff_rods_visit_joints,
    .visit = sn__stiff_rods_visit,
    .restored_shape = sn__stiff_rods_restored_joints,
    .restored = sn__stiff_rods_restored,
    .validate = sn__stiff_rods_validate,
};
