// Segments that hang together in rings get the tree that the direct solver wants (span.h), in place of the one
// that they were found by.
#include <assert.h>
#include <string.h>

#include "stiff/arrange.h"
#include "stiff/span.h"

// Nodes [begin, end) are one connected set, the first of them its root.
typedef struct Net {
    int begin, nodes, joints;
    int (*ends)[2];    // by joint, from `begin` on
    int *of;           // by joint: of the rod
    int *parent, *up;  // by node: and the joint with it
    int *order;        // parents first
    int *child, *next; // of a node: the first, and the next of the same parent; −1: none
    int *segment;      // by node, as it was
    void *block;
    size_t bytes;
} Net;

static bool is_inner(const Arranging *p, int first, const StiffRod *t, int joint) {
    const StiffJoint *j = &t->joint[joint];
    return !j->broken && p->node[first + j->a] >= 0 && p->node[first + j->b] >= 0;
}

// Every joint is listed by both of its segments.
static void count_joints(const Arranging *p, Net *net) {
    for (int n = net->begin; n < net->begin + net->nodes; ++n) {
        int segment = p->segment_of[n], j = p->index[segment], first = segment - j;
        const StiffRod *t = p->stiff_of[segment];
        for (int k = t->joints_begin[j]; k < t->joints_begin[j + 1]; ++k) {
            const StiffJoint *joint = &t->joint[t->joints_of[k]];
            if (joint->a != j || !is_inner(p, first, t, t->joints_of[k]))
                continue;
            if (net->ends) {
                net->ends[net->joints][0] = n - net->begin;
                net->ends[net->joints][1] = p->node[first + joint->b] - net->begin;
                net->of[net->joints] = t->joints_of[k];
            }
            net->joints += 1;
        }
    }
}

static size_t lay_out(Net *net, void *block) {
    Layout layout = {block, 0};
    size_t n = (size_t)net->nodes, m = (size_t)net->joints;
    net->ends = sn__lay(&layout, m, sizeof(int[2]));
    net->of = sn__lay(&layout, m, sizeof(int));
    net->parent = sn__lay(&layout, n, sizeof(int));
    net->up = sn__lay(&layout, n, sizeof(int));
    net->order = sn__lay(&layout, n, sizeof(int));
    net->child = sn__lay(&layout, n, sizeof(int));
    net->next = sn__lay(&layout, n, sizeof(int));
    net->segment = sn__lay(&layout, n, sizeof(int));
    return layout.used;
}

static void order_nodes(Net *net) {
    for (int i = 0; i < net->nodes; ++i)
        net->child[i] = -1;
    for (int i = net->nodes; i-- > 0;) {
        if (net->parent[i] < 0)
            continue;
        net->next[i] = net->child[net->parent[i]];
        net->child[net->parent[i]] = i;
    }
    int count = 0;
    for (int i = 0; i < net->nodes; ++i)
        if (net->parent[i] < 0)
            net->order[count++] = i;
    for (int k = 0; k < count; ++k)
        for (int i = net->child[net->order[k]]; i >= 0; i = net->next[i])
            net->order[count++] = i;
    assert(count == net->nodes);
}

static void renumber(Arranging *p, Net *net) {
    memcpy(net->segment, p->segment_of + net->begin, (size_t)net->nodes * sizeof(int));
    for (int k = 0; k < net->nodes; ++k) {
        int i = net->order[k], n = net->begin + k;
        p->segment_of[n] = net->segment[i];
        p->node[net->segment[i]] = n;
        if (i == 0)
            continue; // the root stays what it is
        bool root = net->parent[i] < 0;
        p->pin[n] = -1;
        p->joint[n] = root ? -1 : net->of[net->up[i]];
        p->net[n] = root ? (StiffNode){-1, ~p->looses++}
                         : (StiffNode){p->node[net->segment[net->parent[i]]], 0};
    }
}

static bool span_net(const SnAllocator *a, Arranging *p, int begin, int end) {
    Net net = {.begin = begin, .nodes = end - begin};
    count_joints(p, &net);
    if (net.joints < net.nodes)
        return true;
    net.bytes = lay_out(&net, NULL);
    net.block = sn__alloc_raw(a, net.bytes);
    if (net.block == NULL)
        return false;
    lay_out(&net, net.block);
    net.joints = 0;
    count_joints(p, &net);
    SpanGraph graph = {net.nodes, net.joints, (const int(*)[2])net.ends, 0};
    bool done = sn__span(a, &graph, net.parent, net.up);
    if (done) {
        order_nodes(&net);
        renumber(p, &net);
    }
    sn__free(a, net.block, net.bytes);
    return done;
}

bool sn__plant_span_nets(const SnAllocator *a, Arranging *p) {
    for (int begin = 0, end; begin < p->nodes; begin = end) {
        // Roots of other trees are only made behind `begin`.
        for (end = begin + 1; end < p->nodes && p->net[end].parent >= 0;)
            ++end;
        if (!span_net(a, p, begin, end))
            return false;
    }
    return true;
}
