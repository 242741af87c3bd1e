// The joints of a tree have moved each segment from where it would have been without them: by
// h² F/m, or a third of it (scheme.h), F the sum of their forces on it. What a tree is rooted at bears the sum of all that, and
// props what they have pushed with. Moments follow from the strains of the joints at what is held.
#include "stiff/reaction.h"

#include "base/memory.h"
#include "stiff/scheme.h"

#define LANE(field) ((field)[slot % STIFF_LANES])

// Of a rod and what holds it.
typedef struct Support {
    const StiffRod *rod;
    const Grove *g;
    const HeldQuestion *question;
    Vec3d *pull; // by place: of the segment's own joint on it, N
} Support;

static Vec3d place_of(const Grove *g, int slot) {
    const StiffState *s = &g->state[slot / STIFF_LANES];
    return (Vec3d){LANE(s->x), LANE(s->y), LANE(s->z)};
}

static Quatd frame_of(const Grove *g, int slot) {
    const StiffState *s = &g->state[slot / STIFF_LANES];
    return (Quatd){LANE(s->qx), LANE(s->qy), LANE(s->qz), LANE(s->qw)};
}

static Vec3d spin_of(const Grove *g, int slot) {
    const StiffState *s = &g->state[slot / STIFF_LANES];
    return (Vec3d){LANE(s->wx), LANE(s->wy), LANE(s->wz)};
}

static int parent_of(const Grove *g, int slot) {
    return g->row[slot / STIFF_LANES].parent[slot % STIFF_LANES];
}

// h², as far as it is in a displacement.
static double square_of_step(const Support *s) {
    double h2 = s->question->h * s->question->h;
    return s->rod->second ? (1.0 - SECOND_SHARE) * h2 : h2;
}

// What the joints of a segment have done to it in the last sub-step, N. Props and loops are not among
// them: the solver counts those with the outside forces.
static Vec3d moved_by(const Support *s, int slot) {
    const StiffMotion *m = &s->g->motion[slot / STIFF_LANES];
    double mass = LANE(s->g->rest[slot / STIFF_LANES].mass);
    Vec3d alone = {LANE(m->fx), LANE(m->fy), LANE(m->fz)};
    return scaled(subd(place_of(s->g, slot), alone), mass / square_of_step(s));
}

// Segments come before their parents.
static void sum_pulls(const Support *s) {
    const Grove *g = s->g;
    for (int r = 0; r < g->prop_begin; ++r)
        for (int i = 0; i < g->row[r].count; ++i) {
            int slot = r * STIFF_LANES + i, up = parent_of(g, slot);
            s->pull[slot] = addd(s->pull[slot], moved_by(s, slot));
            if (up / STIFF_LANES < g->prop_begin)
                s->pull[up] = addd(s->pull[up], s->pull[slot]);
        }
}

// Of the joint at a place on what lies there: −Aᵀ k (C + τ dC/dt), with the letters of
// stiff_solve_wide.c.
static Vec3d joint_moment(const Grove *g, int slot) {
    const StiffRest *c = &g->rest[slot / STIFF_LANES];
    Quatd own = frame_of(g, slot), up = frame_of(g, parent_of(g, slot));
    double sign = LANE(c->sign);
    Quatd rest = {LANE(c->ux), LANE(c->uy), LANE(c->uz), LANE(c->uw)};
    Quatd stem = mulqd(sign > 0.0 ? up : own, rest);
    Quatd rel = mulqd(conjugated(stem), sign > 0.0 ? own : up);
    double side = rel.w < 0.0 ? -1.0 : 1.0, w = side * rel.w;
    Vec3d v = scaled((Vec3d){rel.x, rel.y, rel.z}, side);
    Vec3d spin = subd(spin_of(g, slot), spin_of(g, parent_of(g, slot)));
    Vec3d turn = scaled(rotated(conjugated(stem), spin), sign);
    Vec3d rate = subd(scaled(turn, w), crossd(v, turn));
    Vec3d strain = addd(scaled(v, 2.0), scaled(rate, LANE(c->damping)));
    Vec3d stress = {LANE(c->kx) * strain.x, LANE(c->ky) * strain.y, LANE(c->kz) * strain.z};
    Vec3d back = addd(scaled(stress, w), crossd(v, stress));
    return scaled(rotated(stem, back), -sign);
}

// What a support does to the tree at one place: a force at a point, and a moment.
typedef struct Push {
    Vec3d force, at, moment;
} Push;

static Push of_root(const Support *s, int slot) {
    const StiffRest *c = &s->g->rest[slot / STIFF_LANES];
    Vec3d end = scaled(axis_z(frame_of(s->g, slot)), LANE(c->end));
    return (Push){s->pull[slot], addd(place_of(s->g, slot), end), joint_moment(s->g, slot)};
}

// A prop is a child that stands still: its moment is what it does to itself.
static Push of_prop(const Support *s, int slot) {
    const StiffRest *c = &s->g->rest[slot / STIFF_LANES];
    const StiffMotion *m = &s->g->motion[slot / STIFF_LANES];
    int up = parent_of(s->g, slot);
    Vec3d push = {LANE(m->ox), LANE(m->oy), LANE(m->oz)};
    Vec3d far = scaled(axis_z(frame_of(s->g, up)), LANE(c->far));
    return (Push){scaled(push, 1.0 / square_of_step(s)), addd(place_of(s->g, up), far),
                  scaled(joint_moment(s->g, slot), -1.0)};
}

static void add_push(HeldReaction *sum, Push push, Vec3d about) {
    sum->force = addd(sum->force, push.force);
    Vec3d lever = crossd(subd(push.at, about), push.force);
    sum->torque = addd(sum->torque, addd(push.moment, lever));
}

// The held vertex that a fixed segment is led by (holds.c).
static int led_vertex(const StiffRod *t, int segment) {
    const int *edge = t->edge[segment];
    return t->vertex_lead[edge[0]] >= 0 ? edge[0] : edge[1];
}

// All that one hold does to the tree, as a force at a point and the moment about it.
static void add_hold(const Support *s, const StiffHold *hold, HeldReaction *sum) {
    const Grove *g = s->g;
    int slot = hold->slot;
    bool fixed = hold->kind == HOLD_SEGMENT;
    Vec3d about = place_of(g, slot);
    if (fixed) {
        double end = sn__stiff_end(s->rod, hold->index, led_vertex(s->rod, hold->index));
        about = addd(about, scaled(axis_z(frame_of(g, slot)), end));
    }
    if (slot / STIFF_LANES < g->still_begin) {
        add_push(sum, of_prop(s, slot), about);
        return;
    }
    for (int r = 0; r < g->prop_begin; ++r)
        for (int i = 0; i < g->row[r].count; ++i)
            if (g->row[r].parent[i] == slot)
                add_push(sum, of_root(s, r * STIFF_LANES + i), about);
    if (!fixed)
        return;
    const StiffRod *t = s->rod;
    Vec3d centre = place_of(g, slot);
    Vec3d x = addd(centre, (Vec3d){t->origin[0], t->origin[1], t->origin[2]});
    Vec3d pull = sn__held_pull(s->question, t->gravity_scale, x);
    Push weight = {scaled(pull, -t->segment[hold->index].mass), centre, {0.0, 0.0, 0.0}};
    add_push(sum, weight, about);
}

// Whether what is asked for has a part in the hold.
static bool is_part_of(const StiffHold *hold, const StiffRod *t, const HeldQuestion *question) {
    bool frame = question->held == HELD_FRAME;
    if (hold->rod != t)
        return false;
    if (hold->kind == HOLD_SEGMENT)
        return (frame ? hold->index : led_vertex(t, hold->index)) == question->index;
    if (hold->kind == HOLD_CLAMP)
        return (frame ? hold->index : sn__stiff_clamped_at(t, hold->index)) == question->index;
    return hold->index == question->index && (hold->kind == HOLD_FRAME) == frame;
}

bool sn__stiff_reaction(const Body *body, const HeldQuestion *question, HeldReaction *out) {
    const StiffRod *t = stiff_of(body);
    const StiffGrove *grove = &t->system->groves[t->grove];
    const SnAllocator *allocator = &t->system->allocator;
    // Its rows are not those of the last step.
    if (grove->dirty || t->fresh || question->held == HELD_SCALE)
        return true;
    size_t size = (size_t)grove->g.rows * STIFF_LANES * sizeof(Vec3d);
    Support s = {t, &grove->g, question, sn__alloc(allocator, size)};
    if (s.pull == NULL)
        return false;
    sum_pulls(&s);
    HeldReaction sum = {0};
    for (int k = 0; k < grove->hold_count; ++k)
        if (is_part_of(&grove->holds[k], t, question))
            add_hold(&s, &grove->holds[k], &sum);
    sn__free(allocator, s.pull, size);
    if (question->held == HELD_VERTEX)
        out->force = sum.force;
    else
        out->torque = sum.torque;
    return true;
}
