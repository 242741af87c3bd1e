// Stiff rods as rods: reading, writing, loads, holds, measurements.
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "sinew/world.h"
#include "tree/tree.h"

static TreeGrove *grove_of(const Tree *t) { return &t->system->groves[t->grove]; }

static Vec3d origin_of(const Tree *t) { return (Vec3d){t->origin[0], t->origin[1], t->origin[2]}; }

static void destroy(void *body) {
    Tree *t = body;
    sn__trees_remove(t->system, t);
}

static void edge(const void *body, int segment, int out[2]) {
    const Tree *t = body;
    out[0] = t->edge[segment][0];
    out[1] = t->edge[segment][1];
}

static void ends(const void *body, int segment, int out[2]) {
    const Tree *t = body;
    out[0] = t->ends[segment][0];
    out[1] = t->ends[segment][1];
}

static Vec3d vertex(const void *body, int i, double *out_radius) {
    const Tree *t = body;
    if (out_radius)
        *out_radius = (double)t->radius[i];
    return addd(origin_of(t), sn__tree_vertex(t, i, NULL));
}

static void read_state(const void *body, const SnBodyState *out) {
    const Tree *t = body;
    for (int i = 0; i < t->vertices; ++i) {
        Vec3d v, x = addd(origin_of(t), sn__tree_vertex(t, i, &v));
        if (out->positions)
            out->positions[i] = vec3f(x);
        if (out->velocities)
            out->velocities[i] = vec3f(v);
        if (out->scales)
            out->scales[i] = 1.0f;
        if (out->radii)
            out->radii[i] = t->radius[i];
        if (out->scale_velocities)
            out->scale_velocities[i] = 0.0f;
    }
    for (int j = 0; j < t->segments; ++j) {
        TreePose p = sn__tree_pose(t, j);
        if (out->frames)
            out->frames[j] = quatf(p.q);
        if (out->angular_velocities)
            out->angular_velocities[j] = vec3f(p.w);
    }
}

// Segments keep their length: a segment goes to the middle of its two vertices, and along them.
static void write_state(void *body, const SnBodyState *in) {
    Tree *t = body;
    for (int j = 0; j < t->segments; ++j) {
        TreePose p = sn__tree_pose(t, j);
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
        sn__tree_set_pose(t, j, &p);
    }
}

static void load_segment(Tree *t, int j, Vec3d force, Vec3d torque) {
    grove_of(t)->loaded = true;
    if (t->fresh) {
        t->fresh[j].force = addd(t->fresh[j].force, force);
        t->fresh[j].torque = addd(t->fresh[j].torque, torque);
        return;
    }
    TreeLoads *l = &grove_of(t)->g.loads[t->place[j] / TREE_LANES];
    int i = t->place[j] % TREE_LANES;
    l->fx[i] += force.x;
    l->fy[i] += force.y;
    l->fz[i] += force.z;
    l->tx[i] += torque.x;
    l->ty[i] += torque.y;
    l->tz[i] += torque.z;
}

static void add_force(void *body, int i, SnVec3 force) {
    Tree *t = body;
    int j = t->home[i] / 2;
    Vec3d arm = scaled(axis_z(sn__tree_pose(t, j).q), sn__tree_end(t, j, i));
    load_segment(t, j, vec3d(force), crossd(arm, vec3d(force)));
}

static void add_torque(void *body, int segment, SnVec3 torque) {
    load_segment(body, segment, (Vec3d){0}, vec3d(torque));
}

static Vec3d turned_by(const TreeSegment *s, Quatd q, Vec3d torque) {
    Vec3d local = rotated(conjugated(q), torque);
    return rotated(
        q, (Vec3d){local.x / s->inertia[0], local.y / s->inertia[1], local.z / s->inertia[2]});
}

static void add_impulse(void *body, int i, SnVec3 impulse) {
    Tree *t = body;
    int j = t->home[i] / 2;
    if (sn__tree_is_fixed(t, j))
        return;
    TreePose p = sn__tree_pose(t, j);
    const TreeSegment *s = &t->segment[j];
    Vec3d arm = scaled(axis_z(p.q), sn__tree_end(t, j, i));
    p.v = addd(p.v, scaled(vec3d(impulse), 1.0 / s->mass));
    p.w = addd(p.w, turned_by(s, p.q, crossd(arm, vec3d(impulse))));
    sn__tree_set_pose(t, j, &p);
}

static void set_gravity_scale(void *body, float gravity_scale) {
    Tree *t = body;
    t->gravity_scale = (double)gravity_scale;
    grove_of(t)->dirty = true;
}

static void set_material(void *body, const SnRodMaterial *material) {
    Tree *t = body;
    sn__tree_apply_material(t, material);
    grove_of(t)->dirty = true;
}

static uint64_t hash(const void *body, uint64_t h) {
    const Tree *t = body;
    h = sn__hash_bytes(h, t->origin, sizeof t->origin);
    for (int j = 0; j < t->segments; ++j) {
        TreePose p = sn__tree_pose(t, j);
        h = sn__hash_bytes(h, &p, sizeof p);
    }
    return h;
}

static Vec3d spin_momentum(const TreeSegment *s, const TreePose *p) {
    Vec3d local = rotated(conjugated(p->q), p->w);
    return rotated(
        p->q, (Vec3d){local.x * s->inertia[0], local.y * s->inertia[1], local.z * s->inertia[2]});
}

static void measure_joint(const Tree *t, const TreeJoint *j, SnMeasures *m) {
    TreePose a = sn__tree_pose(t, j->a), b = sn__tree_pose(t, j->b);
    Quatd rel = mulqd(conjugated(mulqd(a.q, j->rest)), b.q);
    m->energy_bend +=
        2.0 * (j->k[0] * rel.x * rel.x + j->k[1] * rel.y * rel.y + j->k[2] * rel.z * rel.z);
    Vec3d gap =
        subd(addd(a.x, scaled(axis_z(a.q), j->end_a)), addd(b.x, scaled(axis_z(b.q), j->end_b)));
    m->stretch_max = fmax(m->stretch_max, lengthd(gap) / t->segment[j->b].length);
}

static void measure(const void *body, SnVec3 gravity, RodSums *sums) {
    const Tree *t = body;
    SnMeasures *m = &sums->m;
    for (int j = 0; j < t->segments; ++j) {
        const TreeSegment *s = &t->segment[j];
        TreePose p = sn__tree_pose(t, j);
        Vec3d x = addd(origin_of(t), p.x), momentum = scaled(p.v, s->mass);
        Vec3d spin = spin_momentum(s, &p), turn = addd(crossd(x, momentum), spin);
        m->mass += s->mass;
        m->energy_kinetic += 0.5 * dotd(p.v, momentum) + 0.5 * dotd(p.w, spin);
        m->energy_gravity -= t->gravity_scale * s->mass * dotd(vec3d(gravity), x);
        m->momentum[0] += momentum.x;
        m->momentum[1] += momentum.y;
        m->momentum[2] += momentum.z;
        m->angular_momentum[0] += turn.x;
        m->angular_momentum[1] += turn.y;
        m->angular_momentum[2] += turn.z;
        sums->segments += 1;
    }
    for (int i = 0; i < t->vertices; ++i) {
        Vec3d v;
        sn__tree_vertex(t, i, &v);
        m->speed_max = fmax(m->speed_max, lengthd(v));
    }
    for (int k = 0; k < t->joints; ++k)
        if (!t->joint[k].broken)
            measure_joint(t, &t->joint[k], m);
}

static RodRestTime *rest(void *body) { return &((Tree *)body)->rest; }

static float speed(const void *body) {
    const Tree *t = body;
    double most = 0.0;
    for (int j = 0; j < t->segments; ++j) {
        TreePose p = sn__tree_pose(t, j);
        double turning = 0.5 * t->segment[j].length * lengthd(p.w);
        most = fmax(most, lengthd(p.v) + turning);
    }
    return (float)most;
}

static void stop(void *body) {
    Tree *t = body;
    for (int j = 0; j < t->segments; ++j) {
        TreePose p = sn__tree_pose(t, j);
        p.v = p.w = (Vec3d){0};
        sn__tree_set_pose(t, j, &p);
    }
}

static int *lead_at(const Tree *t, int held, int index) {
    return held == HELD_VERTEX ? &t->vertex_lead[index] : &t->frame_lead[index];
}

// The scale of a stiff rod is held by nature.
static bool is_held(const void *body, int held, int index) {
    return held == HELD_SCALE || *lead_at(body, held, index) >= 0;
}

// Both of a vertex and of a segment of this number, whichever is asked for.
static HeldPlace held_place(const void *body, int index) {
    const Tree *t = body;
    HeldPlace place = {.rotation = {0.0, 0.0, 0.0, 1.0}, .scale = 1.0f};
    if (index < t->vertices)
        place.position = addd(origin_of(t), sn__tree_vertex(t, index, NULL));
    if (index < t->segments)
        place.rotation = sn__tree_pose(t, index).q;
    return place;
}

// A segment that stands still, at the place it is held at.
static void put_fixed(Tree *t, int segment) {
    if (!sn__tree_is_fixed(t, segment))
        return;
    const int *e = t->edge[segment];
    int vertex = t->vertex_lead[e[0]] >= 0 ? e[0] : e[1];
    TreePose p = {.q = t->leads[t->frame_lead[segment]].q_from};
    p.x = subd(t->leads[t->vertex_lead[vertex]].x_from,
               scaled(axis_z(p.q), sn__tree_end(t, segment, vertex)));
    sn__tree_set_pose(t, segment, &p);
}

static void jump(void *body, int lead, const HeldPlace *place) {
    Tree *t = body;
    TreeLead *l = &t->leads[lead];
    l->x_from = l->x_to = subd(place->position, origin_of(t));
    l->q_from = l->q_to = normalisedq(place->rotation);
    if (l->held == HELD_FRAME) {
        put_fixed(t, l->index);
        return;
    }
    for (int k = 0; k < t->lead_count; ++k)
        if (t->leads[k].held == HELD_FRAME && (t->edge[t->leads[k].index][0] == l->index ||
                                               t->edge[t->leads[k].index][1] == l->index))
            put_fixed(t, t->leads[k].index);
}

static int hold(void *body, int held, int index, uint32_t owner, const HeldPlace *place) {
    Tree *t = body;
    if (!sn__reserve(&t->system->allocator, (void **)&t->leads, &t->lead_capacity, t->lead_count,
                     sizeof(TreeLead)))
        return -1;
    int number = t->lead_count++;
    t->leads[number] = (TreeLead){.index = index, .held = held, .owner = owner};
    *lead_at(t, held, index) = number;
    jump(t, number, place);
    grove_of(t)->dirty = true;
    return number;
}

static uint32_t release(void *body, int held, int index, int lead) {
    Tree *t = body;
    *lead_at(t, held, index) = -1;
    TreeLead *last = &t->leads[--t->lead_count];
    if (lead != t->lead_count) {
        t->leads[lead] = *last;
        *lead_at(t, last->held, last->index) = lead;
    }
    grove_of(t)->dirty = true;
    return last->owner;
}

static void lead_to(void *body, int lead, const HeldPlace *place) {
    Tree *t = body;
    TreeLead *l = &t->leads[lead];
    Quatd q = normalisedq(place->rotation), from = l->q_from;
    double dot = q.x * from.x + q.y * from.y + q.z * from.z + q.w * from.w;
    l->x_to = subd(place->position, origin_of(t));
    l->q_to = dot < 0.0 ? (Quatd){-q.x, -q.y, -q.z, -q.w} : q;
}

static void settle(void *body, int lead) {
    TreeLead *l = &((Tree *)body)->leads[lead];
    l->x_from = l->x_to;
    l->q_from = l->q_to;
}

static uint32_t owner(const void *body, int lead) {
    const Tree *t = body;
    return lead < t->lead_count ? t->leads[lead].owner : 0;
}

static int knot(const void *body, int i) { return ((const Tree *)body)->knots + i; }

static const double *knot_origin(const void *body) { return ((const Tree *)body)->origin; }

static void touch(void *body) { ((Tree *)body)->touched = true; }

// Segments that have a vertex in common, or are so close along the tree that they touch at rest.
static bool are_neighbours(const void *body, int i, int j) {
    const Tree *t = body;
    const int *a = t->edge[i], *b = t->edge[j];
    if (a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1])
        return true;
    Vec3d nearest = {0};
    double gap = 1e30;
    for (int e = 0; e < 4; ++e) {
        int p = a[e / 2], q = b[e % 2];
        nearest = subd(vec3d(t->rest_positions[p]), vec3d(t->rest_positions[q]));
        gap = fmin(gap, lengthd(nearest) - (double)t->radius[p] - (double)t->radius[q]);
    }
    return gap < 0.0;
}

const RodKind sn__tree_kind = {
    .destroy = destroy,
    .edge = edge,
    .ends = ends,
    .vertex = vertex,
    .read = read_state,
    .write = write_state,
    .add_force = add_force,
    .add_torque = add_torque,
    .add_impulse = add_impulse,
    .set_gravity_scale = set_gravity_scale,
    .set_material = set_material,
    .hash = hash,
    .measure = measure,
    .rest = rest,
    .speed = speed,
    .stop = stop,
    .is_held = is_held,
    .held_place = held_place,
    .hold = hold,
    .release = release,
    .lead = lead_to,
    .settle = settle,
    .jump = jump,
    .owner = owner,
    .knot = knot,
    .origin = knot_origin,
    .touch = touch,
    .are_neighbours = are_neighbours,
};
