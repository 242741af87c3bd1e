// Planting: from trees, their joints and what holds them to the rows of a grove.
//
// Every connected set of free segments is rooted at something that stands still: a fixed segment, a
// clamp, or a vertex that is attached; without any, it hangs on nothing. What else holds it becomes props.
// Joints that are not needed to reach a segment close rings.
#include "stiff/arrange.h"

#include <assert.h>

#include "stiff/holds.h"

static StiffCarried carried_from(const StiffRod *t, int j) {
    assert(t->grove >= 0 && t->slot[j] >= 0);
    const Grove *g = &t->system->groves[t->grove].g;
    int row = t->slot[j] / STIFF_LANES, i = t->slot[j] % STIFF_LANES;
    const StiffLoads *l = &g->loads[row];
    const StiffState *s = &g->state[row];
    return (StiffCarried){.pose = sn__stiff_pose(t, j),
                          .tension = s->tension[i],
                          .a = {s->ax[i], s->ay[i], s->az[i]},
                          .b = {s->bx[i], s->by[i], s->bz[i]},
                          .force = {l->fx[i], l->fy[i], l->fz[i]},
                          .torque = {l->tx[i], l->ty[i], l->tz[i]},
                          .levered = {l->lx[i], l->ly[i], l->lz[i]},
                          .slot = t->slot[j],
                          .up = g->row[row].parent[i],
                          .longer = g->stretch ? g->stretch[row].longer[i] : 0.0};
}

// What loops have found, for those that are made of the same joints.
static void carry_loops(const StiffGrove *grove) {
    for (int k = 0; k < grove->g.loop_count; ++k) {
        const StiffLoop *l = &grove->g.loops[k];
        StiffJoint *j = &grove->rods[l->rod]->joint[l->joint];
        j->ring_strain = l->strain;
        j->ring_force = l->force;
    }
}

static size_t lay_out(Arranging *p, void *block) {
    Layout layout = {block, 0};
    size_t n = (size_t)p->total, props = (size_t)p->most_props, stills = (size_t)p->most_stills;
    p->stiff_of = sn__lay(&layout, n, sizeof(StiffRod *));
    p->index = sn__lay(&layout, n, sizeof(int));
    p->first = sn__lay(&layout, (size_t)p->grove->rod_count + 1, sizeof(int));
    p->node = sn__lay(&layout, n, sizeof(int));
    p->segment_of = sn__lay(&layout, n, sizeof(int));
    p->joint = sn__lay(&layout, n, sizeof(int));
    p->pin = sn__lay(&layout, n, sizeof(int));
    p->net = sn__lay(&layout, n, sizeof(StiffNode));
    p->still_hold = sn__lay(&layout, stills, sizeof(int));
    p->prop_parent = sn__lay(&layout, props, sizeof(int));
    p->prop_joint = sn__lay(&layout, props, sizeof(int));
    p->prop_holds = sn__lay(&layout, props, sizeof(bool));
    p->give = sn__lay(&layout, n, sizeof(double));
    p->gives = sn__lay(&layout, n, sizeof(double));
    p->slot = sn__lay(&layout, 2 * n + props + stills, sizeof(int));
    p->order = sn__lay(&layout, n, sizeof(int));
    p->carried = sn__lay(&layout, n, sizeof(StiffCarried));
    p->by = sn__lay(&layout, n, sizeof(Vec3d));
    return layout.used;
}

// Every lead may be a still, and every lead and joint of a fixed segment a prop.
static bool arranging_create(const SnAllocator *a, Arranging *p, StiffGrove *grove) {
    *p = (Arranging){.grove = grove};
    for (int k = 0; k < grove->rod_count; ++k) {
        const StiffRod *t = grove->rods[k];
        p->total += t->segments;
        p->most_stills += t->lead_count;
        p->most_props += t->lead_count;
        for (int j = 0; j < t->joints; ++j)
            p->most_props +=
                sn__stiff_is_fixed(t, t->joint[j].a) || sn__stiff_is_fixed(t, t->joint[j].b);
    }
    p->bytes = lay_out(p, NULL);
    p->block = sn__alloc_raw(a, p->bytes);
    if (p->block == NULL)
        return false;
    lay_out(p, p->block);
    for (int k = 0, n = 0; k < grove->rod_count; ++k) {
        p->first[k] = n;
        for (int j = 0; j < grove->rods[k]->segments; ++j, ++n) {
            p->stiff_of[n] = grove->rods[k];
            p->index[n] = j;
            p->node[n] = -1;
            if (grove->rods[k]->fresh == NULL)
                p->carried[n] = carried_from(grove->rods[k], j);
        }
    }
    return true;
}

static bool add_hold(const SnAllocator *a, StiffGrove *grove, StiffRod *rod, StiffHoldKind kind,
                     int index) {
    if (!sn__reserve(a, (void **)&grove->holds, &grove->hold_capacity, grove->hold_count,
                     sizeof(StiffHold)))
        return false;
    grove->holds[grove->hold_count++] = (StiffHold){rod, kind, index, -1};
    return true;
}

static int add_node(Arranging *p, int segment, int parent, int root, int joint, int pin) {
    assert(p->nodes < p->total && p->node[segment] < 0 && parent < p->nodes);
    int n = p->nodes++;
    p->node[segment] = n;
    p->segment_of[n] = segment;
    p->joint[n] = joint;
    p->pin[n] = pin;
    p->net[n] = (StiffNode){parent, root};
    return n;
}

static int other_side(const StiffJoint *joint, int segment) {
    assert(joint->a == segment || joint->b == segment);
    return joint->a == segment ? joint->b : joint->a;
}

// All free segments that hang together with the last node.
static void grow(Arranging *p, int first, int from) {
    for (int n = from; n < p->nodes; ++n) {
        int segment = p->segment_of[n];
        const StiffRod *t = p->stiff_of[segment];
        int j = p->index[segment];
        for (int k = t->joints_begin[j]; k < t->joints_begin[j + 1]; ++k) {
            const StiffJoint *joint = &t->joint[t->joints_of[k]];
            int to = other_side(joint, j);
            if (joint->broken || p->node[first + to] >= 0 || sn__stiff_is_fixed(t, to))
                continue;
            add_node(p, first + to, n, 0, t->joints_of[k], -1);
        }
    }
}

static bool add_still(const SnAllocator *a, Arranging *p, StiffRod *t, StiffHoldKind kind,
                      int index) {
    if (!add_hold(a, p->grove, t, kind, index))
        return false;
    assert(p->stills < p->most_stills);
    p->still_hold[p->stills++] = p->grove->hold_count - 1;
    return true;
}

static bool add_prop(const SnAllocator *a, Arranging *p, StiffRod *t, StiffHoldKind kind, int index,
                     int segment, int joint) {
    if (!add_hold(a, p->grove, t, kind, index))
        return false;
    assert(p->props < p->most_props && p->node[segment] >= 0);
    p->prop_parent[p->props] = p->node[segment];
    p->prop_holds[p->props] = kind != HOLD_FRAME;
    p->prop_joint[p->props++] = joint;
    return true;
}

static bool root_at_fixed(const SnAllocator *a, Arranging *p, StiffRod *t, int first) {
    for (int j = 0; j < t->segments; ++j) {
        if (!sn__stiff_is_fixed(t, j))
            continue;
        if (!add_still(a, p, t, HOLD_SEGMENT, j))
            return false;
        for (int k = t->joints_begin[j]; k < t->joints_begin[j + 1]; ++k) {
            const StiffJoint *joint = &t->joint[t->joints_of[k]];
            int to = first + other_side(joint, j);
            if (joint->broken || sn__stiff_is_fixed(t, to - first) || p->node[to] >= 0)
                continue;
            grow(p, first, add_node(p, to, -1, p->stills - 1, t->joints_of[k], -1));
        }
    }
    return true;
}

static bool root_at_clamps(const SnAllocator *a, Arranging *p, StiffRod *t, int first) {
    for (int j = 0; j < t->segments; ++j) {
        int vertex = sn__stiff_clamped_at(t, j);
        if (vertex < 0 || p->node[first + j] >= 0)
            continue;
        if (!add_still(a, p, t, HOLD_CLAMP, j))
            return false;
        grow(p, first, add_node(p, first + j, -1, p->stills - 1, -1, vertex));
    }
    return true;
}

// Vertices that are held by no fixed segment, and not as a clamp.
static bool is_pin(const StiffRod *t, int lead) {
    const StiffLead *l = &t->leads[lead];
    if (l->held != HELD_VERTEX)
        return false;
    int segment = t->home[l->index] / 2;
    return !sn__stiff_is_fixed(t, segment) && sn__stiff_clamped_at(t, segment) != l->index;
}

static bool root_at_pins(const SnAllocator *a, Arranging *p, StiffRod *t, int first) {
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

static void root_in_mid_air(Arranging *p, const StiffRod *t, int first) {
    for (int j = 0; j < t->segments; ++j)
        if (p->node[first + j] < 0 && !sn__stiff_is_fixed(t, j))
            grow(p, first, add_node(p, first + j, -1, ~p->looses++, -1, -1));
}

static bool is_rooted_by(const Arranging *p, int segment, int joint, int pin) {
    assert(p->node[segment] >= 0);
    int n = p->node[segment];
    return p->net[n].parent < 0 && p->joint[n] == joint && p->pin[n] == pin;
}

// What holds the tree beside its roots.
static bool prop_up(const SnAllocator *a, Arranging *p, StiffRod *t, int first) {
    bool added = true;
    for (int k = 0; k < t->joints && added; ++k) {
        const StiffJoint *joint = &t->joint[k];
        if (joint->broken)
            continue;
        bool fixed_a = sn__stiff_is_fixed(t, joint->a), fixed_b = sn__stiff_is_fixed(t, joint->b);
        if (fixed_a != fixed_b) {
            int free = first + (fixed_a ? joint->b : joint->a);
            int fixed = fixed_a ? joint->a : joint->b;
            if (!is_rooted_by(p, free, k, -1))
                added = add_prop(a, p, t, HOLD_SEGMENT, fixed, free, k);
        }
    }
    for (int k = 0; k < t->lead_count && added; ++k) {
        const StiffLead *l = &t->leads[k];
        int segment = l->held == HELD_VERTEX ? t->home[l->index] / 2 : l->index;
        if (is_pin(t, k) && !is_rooted_by(p, first + segment, -1, l->index))
            added = add_prop(a, p, t, HOLD_VERTEX, l->index, first + segment, -1);
        if (l->held != HELD_FRAME || sn__stiff_is_fixed(t, segment))
            continue;
        int clamp = sn__stiff_clamped_at(t, segment);
        if (clamp < 0)
            added = add_prop(a, p, t, HOLD_FRAME, segment, first + segment, -1);
        else if (!is_rooted_by(p, first + segment, -1, clamp))
            added = add_prop(a, p, t, HOLD_CLAMP, segment, first + segment, -1);
    }
    return added;
}

bool sn__grove_arrange(StiffSystem *system, StiffGrove *grove) {
    const SnAllocator *a = &system->allocator;
    Arranging p;
    if (!arranging_create(a, &p, grove))
        return false;
    grove->hold_count = 0;
    carry_loops(grove);
    bool done = true;
    for (int k = 0; k < grove->rod_count && done; ++k) {
        StiffRod *t = grove->rods[k];
        done = root_at_fixed(a, &p, t, p.first[k]) && root_at_clamps(a, &p, t, p.first[k]) &&
               root_at_pins(a, &p, t, p.first[k]);
        if (done)
            root_in_mid_air(&p, t, p.first[k]);
    }
    done = done && sn__plant_span_nets(a, &p);
    int stills = grove->hold_count;
    for (int k = 0; k < grove->rod_count && done; ++k)
        done = prop_up(a, &p, grove->rods[k], p.first[k]);
    StiffNet net = {p.nodes, p.net, p.props, p.prop_parent, p.stills, p.looses};
    StiffSlots slots = {p.slot, p.slot + p.total, p.slot + p.total + p.most_props,
                        p.slot + p.total + p.most_props + p.most_stills, p.order};
    done = done && sn__grove_schedule(a, &grove->g, &net, &slots) &&
           sn__grove_reserve_stretch(a, &grove->g, sn__plant_stretches(&p));
    if (done && (grove->g.part_count == 1 || sn__grove_reserve_own(a, &grove->g))) {
        sn__plant_fill(&p, &slots, stills);
        grove->damped = grove->yields = false;
        for (int k = 0; k < grove->rod_count; ++k) {
            StiffRod *t = grove->rods[k];
            sn__free(a, t->fresh, (size_t)t->segments * sizeof(StiffCarried));
            t->fresh = NULL;
            t->second = false;
            grove->damped |= t->material.damping > 0.0f;
            grove->yields |= t->material.yield > 0.0f || t->material.strength > 0.0f;
        }
        done = sn__plant_close_rings(a, &p);
        grove->dirty = !done;
        sn__grove_lead(grove, 0.0);
    } else {
        done = false;
    }
    sn__free(a, p.block, p.bytes);
    return done;
}

bool sn__stiff_arrange_all(StiffSystem *system) {
    bool done = true;
    for (int k = 0; k < system->grove_count; ++k)
        if (system->groves[k].dirty)
            done = sn__grove_arrange(system, &system->groves[k]) && done;
    return done;
}
