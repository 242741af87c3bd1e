// Planting, second part: the rows of a grove.
#include "tree/plant.h"

// A prop holds its point as firmly as the rod between it and the root is stiff along its axis, but at
// most as a mass would that is so many times that of the segment: more would drown the segment's own
// inertia in double precision.
#define PROP_MASS 1e5
// Stiffness of the frames of segments that are held in their direction alone, N·m per radian.
#define HELD_STIFFNESS 1e6

static void put_carried(TreeGrove *grove, int place, const TreeCarried *c) {
    Grove *g = &grove->g;
    TreeLoads *l = &g->loads[place / TREE_LANES];
    int i = place % TREE_LANES;
    sn__grove_put_pose(g, place, &c->pose);
    g->state[place / TREE_LANES].tension[i] = c->tension;
    if (!grove->loaded)
        return;
    l->fx[i] = c->force.x;
    l->fy[i] = c->force.y;
    l->fz[i] = c->force.z;
    l->tx[i] = c->torque.x;
    l->ty[i] = c->torque.y;
    l->tz[i] = c->torque.z;
}

static const TreeCarried *carried_of(const Planting *p, int segment) {
    const Tree *t = p->tree_of[segment];
    return t->fresh ? &t->fresh[p->index[segment]] : &p->carried[segment];
}

#define LANE(field) ((field)[place % TREE_LANES])

static void fill_joint(TreeRest *r, int place, const TreeJoint *j, int child) {
    bool forward = j->b == child;
    LANE(r->end) = forward ? j->end_b : j->end_a;
    LANE(r->far) = forward ? j->end_a : j->end_b;
    LANE(r->sign) = forward ? 1.0 : -1.0;
    LANE(r->ux) = j->rest.x;
    LANE(r->uy) = j->rest.y;
    LANE(r->uz) = j->rest.z;
    LANE(r->uw) = j->rest.w;
    LANE(r->kx) = j->k[0];
    LANE(r->ky) = j->k[1];
    LANE(r->kz) = j->k[2];
}

static void fill_node(Planting *p, int n) {
    TreeGrove *grove = p->grove;
    int segment = p->segment_of[n], place = p->place[n], j = p->index[segment];
    Tree *t = p->tree_of[segment];
    const TreeSegment *s = &t->segment[j];
    TreeRest *r = &grove->g.rest[place / TREE_LANES];
    t->place[j] = place;
    LANE(r->mass) = s->mass;
    LANE(r->i1) = s->inertia[0];
    LANE(r->i2) = s->inertia[1];
    LANE(r->i3) = s->inertia[2];
    LANE(r->weight) = t->gravity_scale;
    LANE(r->drag) = (double)t->material.drag;
    LANE(r->damping) = (double)t->material.damping;
    LANE(r->length) = s->length;
    LANE(r->wide_x) = s->radius[0];
    LANE(r->wide_y) = s->radius[1];
    if (p->joint[n] >= 0)
        fill_joint(r, place, &t->joint[p->joint[n]], j);
    else if (p->pin[n] >= 0)
        LANE(r->end) = sn__tree_end(t, j, p->pin[n]);
    LANE(r->hold) = p->joint[n] >= 0 || p->pin[n] >= 0 ? 1.0 : 0.0;
    put_carried(grove, place, carried_of(p, segment));
}

// Nodes come after their parents.
static void fill_rooted(Planting *p) {
    Grove *g = &p->grove->g;
    for (int n = 0; n < p->nodes; ++n) {
        int place = p->place[n], parent = p->net[n].parent;
        double rooted = p->net[n].root >= 0 ? 1.0 : 0.0;
        if (parent >= 0) {
            int up = p->place[parent];
            rooted = g->rest[up / TREE_LANES].rooted[up % TREE_LANES];
        }
        g->rest[place / TREE_LANES].rooted[place % TREE_LANES] = rooted;
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
static void fill_run(Planting *p, int place, int parent) {
    if (parent < 0)
        return;
    Grove *g = &p->grove->g;
    TreeRest *r = &g->rest[place / TREE_LANES];
    int up = p->place[parent];
    LANE(r->run) = LANE(r->far) - g->rest[up / TREE_LANES].end[up % TREE_LANES];
}

// How a segment gives way along its axis, m/N.
static double axial_give(const TreeSegment *s) {
    double area = 3.14159265358979323846 * s->radius[0] * s->radius[1];
    return s->length / fmax(s->young * area, 1e-12);
}

// How the way from each node to its root gives way along its axis, m/N. Nodes come after their parents.
static void measure_give(Planting *p) {
    for (int n = 0; n < p->nodes; ++n) {
        int segment = p->segment_of[n], parent = p->net[n].parent;
        const TreeSegment *s = &p->tree_of[segment]->segment[p->index[segment]];
        p->give[n] = axial_give(s) + (parent >= 0 ? p->give[parent] : 0.0);
    }
}

static void fill_prop(Planting *p, int k, const TreeHold *hold) {
    Tree *t = hold->tree;
    int place = hold->place, j = p->index[p->segment_of[p->prop_parent[k]]];
    TreeRest *r = &p->grove->g.rest[place / TREE_LANES];
    LANE(r->hold) = 1.0 / p->give[p->prop_parent[k]];
    LANE(r->mass) = PROP_MASS * t->segment[j].mass;
    LANE(r->damping) = (double)t->material.damping;
    if (p->prop_joint[k] >= 0) {
        fill_joint(r, place, &t->joint[p->prop_joint[k]], hold->index);
    } else if (hold->kind == HOLD_VERTEX) {
        LANE(r->far) = sn__tree_end(t, j, hold->index);
    } else {
        LANE(r->hold) = 0.0;
        LANE(r->kx) = LANE(r->ky) = LANE(r->kz) = HELD_STIFFNESS;
    }
    fill_run(p, place, p->prop_parent[k]);
}

void sn__plant_fill(Planting *p, const TreePlaces *places, int first_prop_hold) {
    TreeGrove *grove = p->grove;
    // Row after row, so that a line of eight lanes is filled at once.
    for (int k = 0; k < p->nodes; ++k)
        fill_node(p, p->order[k]);
    fill_rooted(p);
    for (int n = 0; n < p->nodes; ++n)
        fill_run(p, p->place[n], p->net[n].parent);
    for (int k = 0; k < p->stills; ++k) {
        TreeHold *hold = &grove->holds[p->still_hold[k]];
        hold->place = places->still[k];
        if (hold->kind == HOLD_SEGMENT)
            hold->tree->place[hold->index] = hold->place;
    }
    measure_give(p);
    for (int k = 0; k < p->props; ++k) {
        TreeHold *hold = &grove->holds[first_prop_hold + k];
        hold->place = places->prop[k];
        fill_prop(p, k, hold);
    }
    // Poses of what stands still: where it stood.
    for (int n = 0; n < p->total; ++n)
        if (p->node[n] < 0)
            put_carried(grove, p->tree_of[n]->place[p->index[n]], carried_of(p, n));
}

static bool is_reached_by(const Planting *p, int first, int segment, int joint) {
    return p->joint[p->node[first + segment]] == joint;
}

// Points of a loop are held as firmly as the two halves at it are stiff along their axes.
static TreeLoop loop_of(const Tree *t, int tree, const TreeJoint *j) {
    const TreeSegment *a = &t->segment[j->a], *b = &t->segment[j->b];
    return (TreeLoop){.tree = tree,
                      .place = {t->place[j->a], t->place[j->b]},
                      .end = {j->end_a, j->end_b},
                      .rest = j->rest,
                      .k = {j->k[0], j->k[1], j->k[2]},
                      .damping = (double)t->material.damping,
                      .hold = 2.0 / (axial_give(a) + axial_give(b)),
                      .most = PROP_MASS * fmin(a->mass, b->mass)};
}

bool sn__plant_close_rings(const SnAllocator *a, Planting *p) {
    Grove *g = &p->grove->g;
    g->loop_count = 0;
    for (int k = 0; k < p->grove->tree_count; ++k) {
        const Tree *t = p->grove->trees[k];
        for (int i = 0; i < t->joints; ++i) {
            const TreeJoint *j = &t->joint[i];
            if (j->broken || sn__tree_is_fixed(t, j->a) || sn__tree_is_fixed(t, j->b) ||
                is_reached_by(p, p->first[k], j->a, i) || is_reached_by(p, p->first[k], j->b, i))
                continue;
            if (!sn__reserve(a, (void **)&g->loops, &g->loop_capacity, g->loop_count,
                             sizeof(TreeLoop)))
                return false;
            g->loops[g->loop_count++] = loop_of(t, k, j);
        }
    }
    return g->loop_count == 0 || (sn__grove_reserve_give(a, g) && sn__grove_reserve_reply(a, g));
}
