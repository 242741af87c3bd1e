#include "stiff/span.h"

#include <assert.h>
#include <string.h>

#include "stiff/fill_graph.h"

// Hubs are nodes at which three ways or more meet, and the root. A link is a chain of others between two of
// them, or none but a joint.
typedef struct Link {
    int hub[2], joint[2]; // the chain's first and last
    bool of_tree;
} Link;

typedef struct Span {
    const SpanGraph *graph;
    int *parent, *joint;    // by node: what is found
    int *begin, *joints_of; // by node: joints_of[begin[i]] up to [i + 1]
    int *degree;            // by node: joints that are left
    bool *pruned;           // by node: it hangs on others as a leaf does
    int *hub_of, *hub;      // by node, −1: none; and back
    Link *links;
    bool *walked;          // by joint
    int *first, *links_of; // by hub, as joints_of
    int *height;           // by hub: links over its leaves
    bool *gone;            // by hub: it is eliminated
    FillGraph fill;
    int hubs, link_count;
    void *block;
    size_t bytes;
} Span;

static size_t lay_out(Span *s, void *block) {
    Layout layout = {block, 0};
    size_t n = (size_t)s->graph->nodes, m = (size_t)s->graph->joints;
    s->begin = sn__lay(&layout, n + 1, sizeof(int));
    s->joints_of = sn__lay(&layout, 2 * m, sizeof(int));
    s->degree = sn__lay(&layout, n, sizeof(int));
    s->pruned = sn__lay(&layout, n, sizeof(bool));
    s->hub_of = sn__lay(&layout, n, sizeof(int));
    s->hub = sn__lay(&layout, n, sizeof(int));
    s->links = sn__lay(&layout, m, sizeof(Link));
    s->walked = sn__lay(&layout, m, sizeof(bool));
    s->first = sn__lay(&layout, n + 1, sizeof(int));
    s->links_of = sn__lay(&layout, 2 * m, sizeof(int));
    s->height = sn__lay(&layout, n, sizeof(int));
    s->gone = sn__lay(&layout, n, sizeof(bool));
    return layout.used;
}

// Lists of what is at each of the `count` ends: begin[i] up to begin[i + 1].
static void list_by_end(int count, int *begin, int *list, int items, const int *ends,
                        size_t stride) {
    memset(begin, 0, (size_t)(count + 1) * sizeof(int));
    for (int k = 0; k < items; ++k)
        for (int e = 0; e < 2; ++e)
            begin[ends[(size_t)k * stride + (size_t)e] + 1] += 1;
    for (int i = 0; i < count; ++i)
        begin[i + 1] += begin[i];
    for (int k = 0; k < items; ++k)
        for (int e = 0; e < 2; ++e)
            list[begin[ends[(size_t)k * stride + (size_t)e]]++] = k;
    for (int i = count; i > 0; --i)
        begin[i] = begin[i - 1];
    begin[0] = 0;
}

static int other(const int ends[2], int one) { return ends[0] == one ? ends[1] : ends[0]; }

static void hang(Span *s, int node, int parent, int joint) {
    s->parent[node] = parent;
    s->joint[node] = joint;
}

// Leaves, and what is one without them.
static void prune(Span *s) {
    const SpanGraph *g = s->graph;
    for (int i = 0; i < g->nodes; ++i)
        s->degree[i] = s->begin[i + 1] - s->begin[i];
    for (int i = 0; i < g->nodes; ++i)
        for (int n = i; n != g->root && s->degree[n] == 1 && !s->pruned[n];) {
            s->pruned[n] = true;
            int k = s->begin[n];
            while (s->pruned[other(g->ends[s->joints_of[k]], n)])
                ++k;
            hang(s, n, other(g->ends[s->joints_of[k]], n), s->joints_of[k]);
            n = s->parent[n];
            s->degree[n] -= 1;
        }
}

// The next joint of a node of a chain, when one has come by another.
static int onward(const Span *s, int node, int from) {
    for (int k = s->begin[node]; k < s->begin[node + 1]; ++k) {
        int joint = s->joints_of[k];
        if (joint != from && !s->pruned[other(s->graph->ends[joint], node)])
            return joint;
    }
    return from;
}

static void find_links(Span *s) {
    const SpanGraph *g = s->graph;
    for (int i = 0; i < g->nodes; ++i) {
        bool is_hub = i == g->root || (!s->pruned[i] && s->degree[i] > 2);
        s->hub_of[i] = is_hub ? s->hubs : -1;
        if (is_hub)
            s->hub[s->hubs++] = i;
    }
    for (int k = 0; k < s->hubs; ++k)
        for (int i = s->begin[s->hub[k]]; i < s->begin[s->hub[k] + 1]; ++i) {
            int joint = s->joints_of[i], node = other(g->ends[joint], s->hub[k]);
            if (s->walked[joint] || s->pruned[node])
                continue;
            Link *l = &s->links[s->link_count++];
            l->hub[0] = k;
            l->joint[0] = joint;
            for (; s->hub_of[node] < 0; node = other(g->ends[joint], node))
                joint = onward(s, node, joint);
            l->hub[1] = s->hub_of[node];
            l->joint[1] = joint;
            s->walked[l->joint[0]] = s->walked[joint] = true;
        }
    list_by_end(s->hubs, s->first, s->links_of, s->link_count, s->links[0].hub,
                sizeof(Link) / sizeof(int));
}

// From the hub to its parent: all on the way hang on the next.
static void hang_along(Span *s, const Link *l, int end) {
    int node = s->hub[l->hub[end]], joint = l->joint[end], top = s->hub[l->hub[1 - end]];
    while (node != top) {
        int up = other(s->graph->ends[joint], node);
        hang(s, node, up, joint);
        node = up;
        joint = onward(s, node, joint);
    }
}

// A link that closes a ring: its chain hangs on both of its hubs, one half each.
static void cut(Span *s, const Link *l) {
    int node[2] = {s->hub[l->hub[0]], s->hub[l->hub[1]]}, joint[2] = {l->joint[0], l->joint[1]};
    for (int e = 0; joint[0] != joint[1]; e = 1 - e) {
        int down = other(s->graph->ends[joint[e]], node[e]);
        hang(s, down, node[e], joint[e]);
        node[e] = down;
        joint[e] = onward(s, down, joint[e]);
    }
}

// A hub that is eliminated hangs on one of its neighbours that are left, that over which the tree stays lowest;
// without any, it is a root. Its other links are cut.
static void hang_hub(Span *s, int hub) {
    int best = -1;
    s->gone[hub] = true;
    for (int i = s->first[hub]; i < s->first[hub + 1]; ++i) {
        int to = other(s->links[s->links_of[i]].hub, hub);
        if (!s->gone[to] && (best < 0 || s->height[to] < s->height[other(s->links[best].hub, hub)]))
            best = s->links_of[i];
    }
    if (best < 0)
        return;
    Link *up = &s->links[best];
    int to = other(up->hub, hub);
    up->of_tree = true;
    hang_along(s, up, up->hub[0] == hub ? 0 : 1);
    s->height[to] = s->height[hub] >= s->height[to] ? s->height[hub] + 1 : s->height[to];
}

static bool grow(const SnAllocator *a, Span *s) {
    int root = s->hub_of[s->graph->root];
    bool done = sn__fill_create(a, &s->fill, s->hubs);
    for (int k = 0; k < s->link_count && done; ++k)
        done = sn__fill_join(a, &s->fill, s->links[k].hub[0], s->links[k].hub[1]);
    for (int k = 0; k < s->hubs && done; ++k)
        done = sn__fill_ask(a, &s->fill, k);
    for (int hub; done && (hub = sn__fill_next(&s->fill)) >= 0;)
        if (hub != root) {
            hang_hub(s, hub);
            done = sn__fill_eliminate(a, &s->fill, hub);
        }
    for (int k = 0; k < s->link_count; ++k)
        if (!s->links[k].of_tree)
            cut(s, &s->links[k]);
    sn__fill_release(a, &s->fill);
    return done;
}

bool sn__span(const SnAllocator *a, const SpanGraph *graph, int *out_parent, int *out_joint) {
    Span s = {.graph = graph, .parent = out_parent, .joint = out_joint};
    assert(graph->nodes > 0 && graph->root >= 0 && graph->root < graph->nodes);
    s.bytes = lay_out(&s, NULL);
    s.block = sn__alloc(a, s.bytes);
    if (s.block == NULL)
        return false;
    lay_out(&s, s.block);
    list_by_end(graph->nodes, s.begin, s.joints_of, graph->joints, graph->ends[0], 2);
    for (int i = 0; i < graph->nodes; ++i)
        hang(&s, i, -1, -1);
    prune(&s);
    find_links(&s);
    bool done = grow(a, &s);
    sn__free(a, s.block, s.bytes);
    return done;
}
