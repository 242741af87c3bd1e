// Planting: from trees, their joints and what holds them to the rows of a grove.
//
// Every connected set of free segments is rooted at something that stands still: a fixed segment, or
// a vertex that is attached; without either, it hangs on nothing. What else holds it becomes props.
// Joints that are not needed to reach a segment close rings.
#include "tree/tree.h"

#include <string.h>

// A prop holds its point as firmly as the rod between it and the root is stiff along its axis, but at
// most as a mass would that is so many times that of the segment: more would drown the segment's own
// inertia in double precision.
#define PROP_MASS 1e5
// Stiffness of the frames of segments that are held in their direction alone, N·m per radian.
#define HELD_FRAME 1e6

static TreeCarried carried_from(const Tree *t, int j) {
    const Grove *g = &t->system->groves[t->grove].g;
    int row = t->place[j] / SN_TREE_LANES, i = t->place[j] % SN_TREE_LANES;
    const TreeLoads *l = &g->loads[row];
    return (TreeCarried){sn__tree_pose(t, j),
                         g->state[row].tension[i],
                         {l->fx[i], l->fy[i], l->fz[i]},
                         {l->tx[i], l->ty[i], l->tz[i]}};
}

static void put_carried(TreeGrove *grove, int place, const TreeCarried *c) {
    Grove *g = &grove->g;
    TreeLoads *l = &g->loads[place / SN_TREE_LANES];
    int i = place % SN_TREE_LANES;
    sn__grove_put_pose(g, place, &c->pose);
    g->state[place / SN_TREE_LANES].tension[i] = c->tension;
    if (!grove->loaded)
        return;
    l->fx[i] = c->force.x;
    l->fy[i] = c->force.y;
    l->fz[i] = c->force.z;
    l->tx[i] = c->torque.x;
    l->ty[i] = c->torque.y;
    l->tz[i] = c->torque.z;
}

// Numbers of a grove's segments run over its trees, one after the other.
typedef struct Planting {
    TreeGrove *grove;
    Tree **tree_of;       // by segment
    int *index;           // in its tree
    int *first;           // by tree
    int *node;            // by segment, −1: fixed
    int *segment_of;      // by node
    int *joint;           // by node: that with its parent, −1: none
    int *pin;             // by root: vertex that it is rooted at, −1: none
    TreeNode *net;        // by node
    int *still_hold;      // by still: its hold
    int *prop_parent;     // nodes
    int *prop_joint;      // joint of its tree, −1: none
    double *give;         // by node, see measure_give
    int *place;           // of nodes, props, stills and looses, one behind the other
    int *order;           // nodes by place
    TreeCarried *carried; // by segment
    int nodes, stills, looses, props, total, most_props, most_stills;
    void *block;
    size_t bytes;
} Planting;

static void *take(char *block, size_t *used, size_t count, size_t size) {
    void *piece = block ? block + *used : NULL;
    *used += (count * size + SN__ALIGN - 1) / SN__ALIGN * SN__ALIGN;
    return piece;
}

static size_t lay_out(Planting *p, char *block) {
    size_t n = (size_t)p->total, used = 0, props = (size_t)p->most_props,
           stills = (size_t)p->most_stills;
    p->tree_of = take(block, &used, n, sizeof(Tree *));
    p->index = take(block, &used, n, sizeof(int));
    p->first = take(block, &used, (size_t)p->grove->tree_count + 1, sizeof(int));
    p->node = take(block, &used, n, sizeof(int));
    p->segment_of = take(block, &used, n, sizeof(int));
    p->joint = take(block, &used, n, sizeof(int));
    p->pin = take(block, &used, n, sizeof(int));
    p->net = take(block, &used, n, sizeof(TreeNode));
    p->still_hold = take(block, &used, stills, sizeof(int));
    p->prop_parent = take(block, &used, props, sizeof(int));
    p->prop_joint = take(block, &used, props, sizeof(int));
    p->give = take(block, &used, n, sizeof(double));
    p->place = take(block, &used, 2 * n + props + stills, sizeof(int));
    p->order = take(block, &used, n, sizeof(int));
    p->carried = take(block, &used, n, sizeof(TreeCarried));
    return used;
}

// Every lead may be a still, and every lead and joint of a fixed segment a prop.
static bool planting_create(const SnAllocator *a, Planting *p, TreeGrove *grove) {
    *p = (Planting){.grove = grove};
    for (int k = 0; k < grove->tree_count; ++k) {
        const Tree *t = grove->trees[k];
        p->total += t->segments;
        p->most_stills += t->lead_count;
        p->most_props += t->lead_count;
        for (int j = 0; j < t->joints; ++j)
            p->most_props +=
                sn__tree_is_fixed(t, t->joint[j].a) || sn__tree_is_fixed(t, t->joint[j].b);
    }
    p->bytes = lay_out(p, NULL);
    p->block = sn__alloc_raw(a, p->bytes);
    if (p->block == NULL)
        return false;
    lay_out(p, p->block);
    for (int k = 0, n = 0; k < grove->tree_count; ++k) {
        p->first[k] = n;
        for (int j = 0; j < grove->trees[k]->segments; ++j, ++n) {
            p->tree_of[n] = grove->trees[k];
            p->index[n] = j;
            p->node[n] = -1;
            if (grove->trees[k]->fresh == NULL)
                p->carried[n] = carried_from(grove->trees[k], j);
        }
    }
    return true;
}

static const TreeCarried *carried_of(const Planting *p, int segment) {
    const Tree *t = p->tree_of[segment];
    return t->fresh ? &t->fresh[p->index[segment]] : &p->carried[segment];
}

static bool add_hold(const SnAllocator *a, TreeGrove *grove, Tree *tree, TreeHoldKind kind,
                     int index) {
    if (!sn__reserve(a, (void **)&grove->holds, &grove->hold_capacity, grove->hold_count,
                     sizeof(TreeHold)))
        return false;
    grove->holds[grove->hold_count++] = (TreeHold){tree, kind, index, -1};
    return true;
}

static int add_node(Planting *p, int segment, int parent, int root, int joint, int pin) {
    int n = p->nodes++;
    p->node[segment] = n;
    p->segment_of[n] = segment;
    p->joint[n] = joint;
    p->pin[n] = pin;
    p->net[n] = (TreeNode){parent, root};
    return n;
}

static int other_side(const TreeJoint *joint, int segment) {
    return joint->a == segment ? joint->b : joint->a;
}

// All free segments that hang together with the last node.
static void grow(Planting *p, int first, int from) {
    for (int n = from; n < p->nodes; ++n) {
        int segment = p->segment_of[n];
        const Tree *t = p->tree_of[segment];
        int j = p->index[segment];
        for (int k = t->joints_begin[j]; k < t->joints_begin[j + 1]; ++k) {
            const TreeJoint *joint = &t->joint[t->joints_of[k]];
            int to = other_side(joint, j);
            if (joint->broken || p->node[first + to] >= 0 || sn__tree_is_fixed(t, to))
                continue;
            add_node(p, first + to, n, 0, t->joints_of[k], -1);
        }
    }
}

static bool add_still(const SnAllocator *a, Planting *p, Tree *t, TreeHoldKind kind, int index) {
    if (!add_hold(a, p->grove, t, kind, index))
        return false;
    p->still_hold[p->stills++] = p->grove->hold_count - 1;
    return true;
}

static bool add_prop(const SnAllocator *a, Planting *p, Tree *t, TreeHoldKind kind, int index,
                     int segment, int joint) {
    if (!add_hold(a, p->grove, t, kind, index))
        return false;
    p->prop_parent[p->props] = p->node[segment];
    p->prop_joint[p->props++] = joint;
    return true;
}

static bool root_at_fixed(const SnAllocator *a, Planting *p, Tree *t, int first) {
    for (int j = 0; j < t->segments; ++j) {
        if (!sn__tree_is_fixed(t, j))
            continue;
        if (!add_still(a, p, t, HOLD_SEGMENT, j))
            return false;
        for (int k = t->joints_begin[j]; k < t->joints_begin[j + 1]; ++k) {
            const TreeJoint *joint = &t->joint[t->joints_of[k]];
            int to = first + other_side(joint, j);
            if (joint->broken || sn__tree_is_fixed(t, to - first) || p->node[to] >= 0)
                continue;
            grow(p, first, add_node(p, to, -1, p->stills - 1, t->joints_of[k], -1));
        }
    }
    return true;
}

// Vertices that are held by no fixed segment.
static bool is_pin(const Tree *t, int lead) {
    const TreeLead *l = &t->leads[lead];
    return l->held == SN_HELD_VERTEX && !sn__tree_is_fixed(t, t->home[l->index] / 2);
}

static bool root_at_pins(const SnAllocator *a, Planting *p, Tree *t, int first) {
    for (int k = 0; k < t->lead_count; ++k) {
        int vertex = t->leads[k].index;
        int segment = first + t->home[vertex] / 2;
        if (!is_pin(t, k) || p->node[segment] >= 0)
            continue;
        if (!add_still(a, p, t, HOLD_VERTEX, vertex))
            return false;
        grow(p, first, add_node(p, segment, -1, p->stills - 1, -1, vertex));
    }
    return true;
}

static void root_in_mid_air(Planting *p, const Tree *t, int first) {
    for (int j = 0; j < t->segments; ++j)
        if (p->node[first + j] < 0 && !sn__tree_is_fixed(t, j))
            grow(p, first, add_node(p, first + j, -1, ~p->looses++, -1, -1));
}

static bool is_rooted_by(const Planting *p, int segment, int joint, int pin) {
    int n = p->node[segment];
    return p->net[n].parent < 0 && p->joint[n] == joint && p->pin[n] == pin;
}

// What holds the tree beside its roots.
static bool prop_up(const SnAllocator *a, Planting *p, Tree *t, int first) {
    bool added = true;
    for (int k = 0; k < t->joints && added; ++k) {
        const TreeJoint *joint = &t->joint[k];
        if (joint->broken)
            continue;
        bool fixed_a = sn__tree_is_fixed(t, joint->a), fixed_b = sn__tree_is_fixed(t, joint->b);
        if (fixed_a != fixed_b) {
            int free = first + (fixed_a ? joint->b : joint->a);
            int fixed = fixed_a ? joint->a : joint->b;
            if (!is_rooted_by(p, free, k, -1))
                added = add_prop(a, p, t, HOLD_SEGMENT, fixed, free, k);
        }
    }
    for (int k = 0; k < t->lead_count && added; ++k) {
        const TreeLead *l = &t->leads[k];
        int segment = l->held == SN_HELD_VERTEX ? t->home[l->index] / 2 : l->index;
        if (is_pin(t, k) && !is_rooted_by(p, first + segment, -1, l->index))
            added = add_prop(a, p, t, HOLD_VERTEX, l->index, first + segment, -1);
        if (l->held == SN_HELD_FRAME && !sn__tree_is_fixed(t, segment))
            added = add_prop(a, p, t, HOLD_FRAME, segment, first + segment, -1);
    }
    return added;
}

#define LANE(field) ((field)[place % SN_TREE_LANES])

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
    TreeRest *r = &grove->g.rest[place / SN_TREE_LANES];
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
            rooted = g->rest[up / SN_TREE_LANES].rooted[up % SN_TREE_LANES];
        }
        g->rest[place / SN_TREE_LANES].rooted[place % SN_TREE_LANES] = rooted;
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
    TreeRest *r = &g->rest[place / SN_TREE_LANES];
    int up = p->place[parent];
    LANE(r->run) = LANE(r->far) - g->rest[up / SN_TREE_LANES].end[up % SN_TREE_LANES];
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
    TreeRest *r = &p->grove->g.rest[place / SN_TREE_LANES];
    LANE(r->hold) = 1.0 / p->give[p->prop_parent[k]];
    LANE(r->mass) = PROP_MASS * t->segment[j].mass;
    LANE(r->damping) = (double)t->material.damping;
    if (p->prop_joint[k] >= 0) {
        fill_joint(r, place, &t->joint[p->prop_joint[k]], hold->index);
    } else if (hold->kind == HOLD_VERTEX) {
        LANE(r->far) = sn__tree_end(t, j, hold->index);
    } else {
        LANE(r->hold) = 0.0;
        LANE(r->kx) = LANE(r->ky) = LANE(r->kz) = HELD_FRAME;
    }
    fill_run(p, place, p->prop_parent[k]);
}

static void fill_rows(Planting *p, const TreePlaces *places, int first_prop_hold) {
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

static bool close_rings(const SnAllocator *a, Planting *p) {
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

bool sn__grove_plant(TreeSystem *system, TreeGrove *grove) {
    const SnAllocator *a = &system->allocator;
    Planting p;
    if (!planting_create(a, &p, grove))
        return false;
    grove->hold_count = 0;
    bool done = true;
    for (int k = 0; k < grove->tree_count && done; ++k) {
        Tree *t = grove->trees[k];
        done = root_at_fixed(a, &p, t, p.first[k]) && root_at_pins(a, &p, t, p.first[k]);
        if (done)
            root_in_mid_air(&p, t, p.first[k]);
    }
    int stills = grove->hold_count;
    for (int k = 0; k < grove->tree_count && done; ++k)
        done = prop_up(a, &p, grove->trees[k], p.first[k]);
    TreeNet net = {p.nodes, p.net, p.props, p.prop_parent, p.stills, p.looses};
    TreePlaces places = {p.place, p.place + p.total, p.place + p.total + p.most_props,
                         p.place + p.total + p.most_props + p.most_stills, p.order};
    done = done && sn__grove_schedule(a, &grove->g, &net, &places);
    if (done && (grove->g.part_count == 1 || sn__grove_reserve_own(a, &grove->g))) {
        fill_rows(&p, &places, stills);
        grove->damped = grove->yields = false;
        for (int k = 0; k < grove->tree_count; ++k) {
            Tree *t = grove->trees[k];
            sn__free(a, t->fresh, (size_t)t->segments * sizeof(TreeCarried));
            t->fresh = NULL;
            grove->damped |= t->material.damping > 0.0f;
            grove->yields |= t->material.yield > 0.0f || t->material.strength > 0.0f;
        }
        done = close_rings(a, &p);
        grove->dirty = !done;
    } else {
        done = false;
    }
    sn__free(a, p.block, p.bytes);
    return done;
}

bool sn__trees_plant(TreeSystem *system) {
    bool done = true;
    for (int k = 0; k < system->grove_count; ++k)
        if (system->groves[k].dirty)
            done = sn__grove_plant(system, &system->groves[k]) && done;
    return done;
}
