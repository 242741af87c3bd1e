// Planting, second part: the rows of a grove.
#include <assert.h>

#include "stiff/arrange.h"

// A prop holds its point as a mass would that is so many times that of the segment, and whose moment of
// inertia about the segment's other end is so many times that about its axis: more would drown the
// segment's own inertia in double precision. Of segments that are stiffer than heavy, it holds so many
// times as firmly as they are stiff along their axis.
#define PROP_MASS 1e5
#define PROP_INERTIA 3e8
#define PROP_STIFFNESS 100.0
// The first of points that close rings, as far as the segments at them are stiff enough.
#define RING_MASS 1e5
// Nets are to be as good as inextensible, as trees are: so many times as firm as their segments are stiff, and as
// a mass of so many times theirs at least.
#define NET_STIFFNESS 100.0
#define NET_MASS 1e4
// Stiffness of the frames of inner segments that are held in their direction alone, N·m per radian.
#define HELD_STIFFNESS 1e6

static void put_carried(StiffGrove *grove, int slot, const StiffCarried *c) {
    assert(slot >= 0 && slot / STIFF_LANES < grove->g.rows);
    Grove *g = &grove->g;
    StiffLoads *l = &g->loads[slot / STIFF_LANES];
    int i = slot % STIFF_LANES;
    sn__grove_put_pose(g, slot, &c->pose);
    StiffState *s = &g->state[slot / STIFF_LANES];
    s->tension[i] = c->tension;
    s->ax[i] = c->a.x;
    s->ay[i] = c->a.y;
    s->az[i] = c->a.z;
    s->bx[i] = c->b.x;
    s->by[i] = c->b.y;
    s->bz[i] = c->b.z;
    if (!grove->loaded)
        return;
    l->fx[i] = c->force.x;
    l->fy[i] = c->force.y;
    l->fz[i] = c->force.z;
    l->tx[i] = c->torque.x;
    l->ty[i] = c->torque.y;
    l->tz[i] = c->torque.z;
    l->lx[i] = c->levered.x;
    l->ly[i] = c->levered.y;
    l->lz[i] = c->levered.z;
}

static const StiffCarried *carried_of(const Arranging *p, int segment) {
    const StiffRod *t = p->stiff_of[segment];
    return t->fresh ? &t->fresh[p->index[segment]] : &p->carried[segment];
}

#define LANE(field) ((field)[slot % STIFF_LANES])

static void fill_stiffness(StiffRest *r, int slot, const double k[3]) {
    LANE(r->kx) = k[0];
    LANE(r->ky) = k[1];
    LANE(r->kz) = k[2];
}

static void fill_wall(StiffRest *r, int slot, const StiffRod *t, int segment) {
    double k[3];
    sn__stiff_wall_stiffness(t, segment, k);
    fill_stiffness(r, slot, k);
}

static void fill_joint(StiffRest *r, int slot, const StiffRod *t, int joint, int child) {
    const StiffJoint *j = &t->joint[joint];
    assert(j->a == child || j->b == child);
    bool forward = j->b == child;
    LANE(r->end) = forward ? j->end_b : j->end_a;
    LANE(r->far) = forward ? j->end_a : j->end_b;
    LANE(r->sign) = forward ? 1.0 : -1.0;
    LANE(r->ux) = j->rest.x;
    LANE(r->uy) = j->rest.y;
    LANE(r->uz) = j->rest.z;
    LANE(r->uw) = j->rest.w;
    double k[3];
    sn__stiff_joint_stiffness(t, j, k);
    fill_stiffness(r, slot, k);
}

static void fill_node(Arranging *p, int n) {
    StiffGrove *grove = p->grove;
    int segment = p->segment_of[n], slot = p->slot[n], j = p->index[segment];
    StiffRod *t = p->stiff_of[segment];
    const StiffSegment *s = &t->segment[j];
    assert(s->mass > 0.0 && s->length > 0.0 && s->radius[0] > 0.0 && s->radius[1] > 0.0);
    assert(p->joint[n] < t->joints && (p->joint[n] < 0 || p->pin[n] < 0));
    StiffRest *r = &grove->g.rest[slot / STIFF_LANES];
    t->slot[j] = slot;
    LANE(r->mass) = s->mass;
    LANE(r->i1) = s->inertia[0];
    LANE(r->i2) = s->inertia[1];
    LANE(r->i3) = s->inertia[2];
    LANE(r->weight) = t->gravity_scale;
    LANE(r->drag) = (double)t->material.drag;
    LANE(r->damping) = (double)t->material.damping;
    LANE(r->length) = s->length;
    grove->g.reach = fmax(grove->g.reach, 0.5 * s->length);
    LANE(r->wide_x) = s->radius[0];
    LANE(r->wide_y) = s->radius[1];
    if (p->joint[n] >= 0)
        fill_joint(r, slot, t, p->joint[n], j);
    else if (p->pin[n] >= 0)
        LANE(r->end) = sn__stiff_end(t, j, p->pin[n]);
    if (p->pin[n] >= 0 && p->pin[n] == sn__stiff_clamped_at(t, j))
        fill_wall(r, slot, t, j);
    LANE(r->hold) = p->joint[n] >= 0 || p->pin[n] >= 0 ? 1.0 : 0.0;
    put_carried(grove, slot, carried_of(p, segment));
}

// Nodes come after their parents.
static void fill_rooted(Arranging *p) {
    Grove *g = &p->grove->g;
    for (int n = 0; n < p->nodes; ++n) {
        int slot = p->slot[n], parent = p->net[n].parent;
        assert(parent < n);
        double rooted = p->net[n].root >= 0 ? 1.0 : 0.0;
        if (parent >= 0) {
            int up = p->slot[parent];
            rooted = g->rest[up / STIFF_LANES].rooted[up % STIFF_LANES];
        }
        g->rest[slot / STIFF_LANES].rooted[slot % STIFF_LANES] = rooted;
    }
    for (int r = 0; r < g->prop_begin; ++r) {
        g->row[r].standing = g->row[r].forward = true;
        for (int i = 0; i < g->row[r].count; ++i) {
            g->row[r].standing &= g->rest[r].rooted[i] > 0.0;
            g->row[r].forward &= g->rest[r].sign[i] > 0.0;
        }
    }
}

// From a parent's own joint to that of the child or prop.
static void fill_run(Arranging *p, int slot, int parent) {
    if (parent < 0)
        return;
    Grove *g = &p->grove->g;
    StiffRest *r = &g->rest[slot / STIFF_LANES];
    int up = p->slot[parent];
    LANE(r->run) = LANE(r->far) - g->rest[up / STIFF_LANES].end[up % STIFF_LANES];
}

// How a segment gives way along its axis, m/N.
static double axial_give(const StiffSegment *s) {
    return s->length / fmax(sn__stiff_axial_stiffness(s), 1e-12);
}

static const StiffSegment *segment_of(const Arranging *p, int node) {
    int segment = p->segment_of[node];
    return &p->stiff_of[segment]->segment[p->index[segment]];
}

// The ways from props to roots stretch at their joints, where each half of a segment gives way at the
// joint that is nearest. Holds themselves do not: a rod would not be where it is held.
static void measure_give(Arranging *p) {
    for (int n = 0; n < p->nodes; ++n)
        p->give[n] = p->gives[n] = 0.0;
    for (int k = 0; k < p->props; ++k) {
        int n = p->prop_parent[k], parent = p->net[n].parent;
        bool last = true;
        if (!p->prop_holds[k])
            continue;
        for (; parent >= 0 && !(p->give[n] > 0.0); n = parent, parent = p->net[n].parent) {
            const StiffSegment *own = segment_of(p, n), *up = segment_of(p, parent);
            double of_own = last ? 1.0 : 0.5, of_up = p->net[parent].parent < 0 ? 1.0 : 0.5;
            p->give[n] = of_own * axial_give(own) + of_up * axial_give(up);
            p->gives[n] = of_own * own->length + of_up * up->length;
            last = false;
        }
    }
}

static Vec3d place_of(const Grove *g, int slot) {
    const StiffState *s = &g->state[slot / STIFF_LANES];
    return (Vec3d){LANE(s->x), LANE(s->y), LANE(s->z)};
}

static Vec3d axis_of(const Grove *g, int slot) {
    const StiffState *s = &g->state[slot / STIFF_LANES];
    return axis_z((Quatd){LANE(s->qx), LANE(s->qy), LANE(s->qz), LANE(s->qw)});
}

// The point of a joint on the parent, and the centre of the segment that hangs there.
static Vec3d joint_on(const Arranging *p, int n) {
    const Grove *g = &p->grove->g;
    int slot = p->slot[n], up = p->slot[p->net[n].parent];
    double far = LANE(g->rest[slot / STIFF_LANES].far);
    return addd(place_of(g, up), scaled(axis_of(g, up), far));
}

static Vec3d end_of(const Arranging *p, int n) {
    const Grove *g = &p->grove->g;
    int slot = p->slot[n];
    return scaled(axis_of(g, slot), LANE(g->rest[slot / STIFF_LANES].end));
}

// As long as the way was, if it is the same, or else as it is where segments were carried to.
static bool goes_same_way(const Arranging *p, int n) {
    const StiffCarried *c = carried_of(p, p->segment_of[n]);
    const StiffCarried *up = carried_of(p, p->segment_of[p->net[n].parent]);
    return c->longer != 0.0 && c->up == up->slot;
}

static void fill_stretch(Arranging *p) {
    Grove *g = &p->grove->g;
    for (int n = 0; n < p->nodes && g->stretch; ++n) {
        int slot = p->slot[n];
        if (!(p->give[n] > 0.0))
            continue;
        StiffStretch *s = &g->stretch[slot / STIFF_LANES];
        Vec3d gap = subd(addd(place_of(g, slot), end_of(p, n)), joint_on(p, n));
        LANE(s->give) = p->give[n];
        LANE(s->most) = p->gives[n];
        LANE(s->longer) = goes_same_way(p, n) ? carried_of(p, p->segment_of[n])->longer
                                              : dotd(gap, axis_of(g, p->slot[p->net[n].parent]));
    }
}

// On the way from its parent, or from it to what is its parent now.
static bool was_stretched(const Arranging *p, int n) {
    if (p->net[n].parent < 0)
        return false;
    const StiffCarried *c = carried_of(p, p->segment_of[n]);
    const StiffCarried *up = carried_of(p, p->segment_of[p->net[n].parent]);
    return c->longer != 0.0 || (up->longer != 0.0 && up->up == c->slot);
}

// Ways that were longer and cannot be any more are closed. That is no motion: within a sub-step it would
// be a blow. What hangs on them comes along.
static void close_stretch(Arranging *p) {
    Grove *g = &p->grove->g;
    for (int n = 0; n < p->nodes; ++n) {
        int slot = p->slot[n], parent = p->net[n].parent;
        p->by[n] = parent >= 0 ? p->by[parent] : (Vec3d){0};
        if (was_stretched(p, n) && !(p->give[n] > 0.0))
            p->by[n] = subd(joint_on(p, n), addd(place_of(g, slot), end_of(p, n)));
        StiffState *s = &g->state[slot / STIFF_LANES];
        if (!(dotd(p->by[n], p->by[n]) > 0.0))
            continue;
        LANE(s->x) += p->by[n].x;
        LANE(s->y) += p->by[n].y;
        LANE(s->z) += p->by[n].z;
    }
}

static void fill_prop(Arranging *p, int k, const StiffHold *hold) {
    assert(p->prop_parent[k] >= 0);
    StiffRod *t = hold->rod;
    int slot = hold->slot, j = p->index[p->segment_of[p->prop_parent[k]]];
    StiffRest *r = &p->grove->g.rest[slot / STIFF_LANES];
    const StiffSegment *s = &t->segment[j];
    LANE(r->hold) = p->prop_holds[k] ? PROP_STIFFNESS / axial_give(s) : 0.0;
    LANE(r->mass) =
        fmin(PROP_MASS * s->mass, PROP_INERTIA * s->inertia[2] / (s->length * s->length));
    LANE(r->damping) = (double)t->material.damping;
    const int *ends = t->edge[j];
    if (p->prop_joint[k] >= 0) {
        fill_joint(r, slot, t, p->prop_joint[k], hold->index);
    } else if (hold->kind == HOLD_VERTEX) {
        LANE(r->far) = sn__stiff_end(t, j, hold->index);
    } else if (hold->kind == HOLD_CLAMP) {
        LANE(r->far) = sn__stiff_end(t, j, sn__stiff_clamped_at(t, j));
        fill_wall(r, slot, t, j);
    } else {
        LANE(r->kx) = LANE(r->ky) = LANE(r->kz) = HELD_STIFFNESS;
        if (sn__stiff_is_end(t, j, ends[0]) || sn__stiff_is_end(t, j, ends[1]))
            fill_wall(r, slot, t, j);
    }
    fill_run(p, slot, p->prop_parent[k]);
}

bool sn__plant_stretches(Arranging *p) {
    measure_give(p);
    for (int n = 0; n < p->nodes; ++n)
        if (p->give[n] > 0.0)
            return true;
    return false;
}

void sn__plant_fill(Arranging *p, const StiffSlots *slots, int first_prop_hold) {
    StiffGrove *grove = p->grove;
    grove->g.reach = 0.0;
    // Row after row, so that a line of eight lanes is filled at once.
    for (int k = 0; k < p->nodes; ++k)
        fill_node(p, p->order[k]);
    fill_rooted(p);
    for (int n = 0; n < p->nodes; ++n)
        fill_run(p, p->slot[n], p->net[n].parent);
    for (int k = 0; k < p->stills; ++k) {
        StiffHold *hold = &grove->holds[p->still_hold[k]];
        hold->slot = slots->still[k];
        if (hold->kind == HOLD_SEGMENT)
            hold->rod->slot[hold->index] = hold->slot;
    }
    fill_stretch(p);
    close_stretch(p);
    for (int k = 0; k < p->props; ++k) {
        StiffHold *hold = &grove->holds[first_prop_hold + k];
        hold->slot = slots->prop[k];
        fill_prop(p, k, hold);
    }
    // Poses of what stands still: where it stood.
    for (int n = 0; n < p->total; ++n)
        if (p->node[n] < 0)
            put_carried(grove, p->stiff_of[n]->slot[p->index[n]], carried_of(p, n));
}

static bool is_reached_by(const Arranging *p, int first, int segment, int joint) {
    assert(p->node[first + segment] >= 0);
    return p->joint[p->node[first + segment]] == joint;
}

// Points of a loop are held as firmly as the two halves at it are stiff along their axes.
static StiffLoop loop_of(const StiffRod *t, int rod, int joint) {
    const StiffJoint *j = &t->joint[joint];
    const StiffSegment *a = &t->segment[j->a], *b = &t->segment[j->b];
    return (StiffLoop){.rod = rod,
                       .joint = joint,
                       .slot = {t->slot[j->a], t->slot[j->b]},
                       .end = {j->end_a, j->end_b},
                       .rest = j->rest,
                       .k = {j->k[0], j->k[1], j->k[2]},
                       .damping = (double)t->material.damping,
                       .hold = 2.0 / (axial_give(a) + axial_give(b)),
                       .most = RING_MASS * fmin(a->mass, b->mass),
                       .strain = j->ring_strain,
                       .force = j->ring_force};
}

bool sn__plant_close_rings(const SnAllocator *a, Arranging *p) {
    Grove *g = &p->grove->g;
    g->loop_count = 0;
    for (int k = 0; k < p->grove->rod_count; ++k) {
        const StiffRod *t = p->grove->rods[k];
        for (int i = 0; i < t->joints; ++i) {
            const StiffJoint *j = &t->joint[i];
            if (j->broken || sn__stiff_is_fixed(t, j->a) || sn__stiff_is_fixed(t, j->b) ||
                is_reached_by(p, p->first[k], j->a, i) || is_reached_by(p, p->first[k], j->b, i))
                continue;
            if (!sn__reserve(a, (void **)&g->loops, &g->loop_capacity, g->loop_count,
                             sizeof(StiffLoop)))
                return false;
            g->loops[g->loop_count++] = loop_of(t, k, i);
        }
    }
    bool done = sn__grove_reserve_fronts(a, g);
    for (int k = 0; k < g->loop_count; ++k)
        if (!g->loops[k].alone) {
            g->loops[k].hold *= NET_STIFFNESS;
            g->loops[k].least = NET_MASS / RING_MASS * g->loops[k].most;
        }
    return done;
}
