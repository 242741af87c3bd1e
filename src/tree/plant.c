// Planting: from trees, their joints and what holds them to the rows of a grove.
//
// Every connected set of free segments is rooted at something that stands still: a fixed segment, or
// a vertex that is attached; without either, it hangs on nothing. What else holds it becomes props.
// Joints that are not needed to reach a segment close rings.
#include "tree/plant.h"

static TreeCarried carried_from(const Tree *t, int j) {
    const Grove *g = &t->system->groves[t->grove].g;
    int row = t->place[j] / TREE_LANES, i = t->place[j] % TREE_LANES;
    const TreeLoads *l = &g->loads[row];
    return (TreeCarried){sn__tree_pose(t, j),
                         g->state[row].tension[i],
                         {l->fx[i], l->fy[i], l->fz[i]},
                         {l->tx[i], l->ty[i], l->tz[i]}};
}

static size_t lay_out(Planting *p, void *block) {
    Layout layout = {block, 0};
    size_t n = (size_t)p->total, props = (size_t)p->most_props, stills = (size_t)p->most_stills;
    p->tree_of = sn__lay(&layout, n, sizeof(Tree *));
    p->index = sn__lay(&layout, n, sizeof(int));
    p->first = sn__lay(&layout, (size_t)p->grove->tree_count + 1, sizeof(int));
    p->node = sn__lay(&layout, n, sizeof(int));
    p->segment_of = sn__lay(&layout, n, sizeof(int));
    p->joint = sn__lay(&layout, n, sizeof(int));
    p->pin = sn__lay(&layout, n, sizeof(int));
    p->net = sn__lay(&layout, n, sizeof(TreeNode));
    p->still_hold = sn__lay(&layout, stills, sizeof(int));
    p->prop_parent = sn__lay(&layout, props, sizeof(int));
    p->prop_joint = sn__lay(&layout, props, sizeof(int));
    p->give = sn__lay(&layout, n, sizeof(double));
    p->place = sn__lay(&layout, 2 * n + props + stills, sizeof(int));
    p->order = sn__lay(&layout, n, sizeof(int));
    p->carried = sn__lay(&layout, n, sizeof(TreeCarried));
    return layout.used;
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
    return l->held == HELD_VERTEX && !sn__tree_is_fixed(t, t->home[l->index] / 2);
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
        int segment = l->held == HELD_VERTEX ? t->home[l->index] / 2 : l->index;
        if (is_pin(t, k) && !is_rooted_by(p, first + segment, -1, l->index))
            added = add_prop(a, p, t, HOLD_VERTEX, l->index, first + segment, -1);
        if (l->held == HELD_FRAME && !sn__tree_is_fixed(t, segment))
            added = add_prop(a, p, t, HOLD_FRAME, segment, first + segment, -1);
    }
    return added;
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
        sn__plant_fill(&p, &places, stills);
        grove->damped = grove->yields = false;
        for (int k = 0; k < grove->tree_count; ++k) {
            Tree *t = grove->trees[k];
            sn__free(a, t->fresh, (size_t)t->segments * sizeof(TreeCarried));
            t->fresh = NULL;
            grove->damped |= t->material.damping > 0.0f;
            grove->yields |= t->material.yield > 0.0f || t->material.strength > 0.0f;
        }
        done = sn__plant_close_rings(a, &p);
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
