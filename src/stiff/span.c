#include "stiff/span.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// Regions of so few hubs are not halved.
#define SMALL 3

enum { UNKNOWN = 0, PLACED = -1 };

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
    bool *walked;           // by joint
    int *first, *links_of;  // by hub, as joints_of
    int *order;             // of hubs: regions that are left
    int *region;            // by hub
    int *way[3];            // by hub: how far it is to three landmarks of its region
    int *queue;             // of hubs
    int *up;                // by hub: the link to what it may hang on
    bool *chosen;           // by hub: it is on the line that halves its region
    int hubs, link_count, regions;
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
    int **by_hub[] = {&s->order,  &s->region, &s->way[0], &s->way[1],
                      &s->way[2], &s->queue,  &s->up};
    for (size_t k = 0; k < sizeof by_hub / sizeof by_hub[0]; ++k)
        *by_hub[k] = sn__lay(&layout, n, sizeof(int));
    s->chosen = sn__lay(&layout, n, sizeof(bool));
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

// Breadth first in the hub's region, from hubs that are in the queue already, whose way is known.
static void search(Span *s, int region, int *way, int count) {
    for (int k = 0; k < count; ++k)
        for (int i = s->first[s->queue[k]]; i < s->first[s->queue[k] + 1]; ++i) {
            int to = other(s->links[s->links_of[i]].hub, s->queue[k]);
            if (s->region[to] != region || way[to] >= 0)
                continue;
            way[to] = way[s->queue[k]] + 1;
            s->queue[count++] = to;
        }
}

// How far it is from one hub of the region to all others, and from the last of `landmarks` to them; returns the
// hub that is farthest from all landmarks.
static int measure_from(Span *s, const int *hubs, int count, int hub, int *way, int landmarks) {
    for (int k = 0; k < count; ++k)
        way[hubs[k]] = -1;
    way[hub] = 0;
    s->queue[0] = hub;
    search(s, s->region[hub], way, 1);
    int best = hubs[0], farthest = -1;
    for (int k = 0; k < count; ++k) {
        int least = way[hubs[k]];
        for (int i = 0; i < landmarks; ++i)
            least = s->way[i][hubs[k]] < least ? s->way[i][hubs[k]] : least;
        if (least > farthest) {
            farthest = least;
            best = hubs[k];
        }
    }
    return best;
}

static int compare_ints(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

// On which side of the middle a hub lies, by how much nearer it is to one landmark than to another. In a net,
// all hubs of one difference are a straight line of it, where those of one distance are a diagonal.
static int side_of(const Span *s, int hub, const int pair[2]) {
    return s->way[pair[0]][hub] - s->way[pair[1]][hub];
}

static bool is_on_line(const Span *s, int hub, const int pair[2], int middle) {
    if (side_of(s, hub, pair) < middle)
        return false;
    for (int i = s->first[hub]; i < s->first[hub + 1]; ++i) {
        int to = other(s->links[s->links_of[i]].hub, hub);
        if (s->region[to] == s->region[hub] && side_of(s, to, pair) < middle)
            return true;
    }
    return false;
}

// Marks the hubs of the shortest line that halves the region; all of it, if none does.
static void find_line(Span *s, const int *hubs, int count) {
    static const int pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    int start = measure_from(s, hubs, count, hubs[0], s->way[0], 0);
    int end = measure_from(s, hubs, count, start, s->way[0], 0);
    int third = measure_from(s, hubs, count, end, s->way[1], 1);
    measure_from(s, hubs, count, third, s->way[2], 2);
    int best = -1, shortest = count, best_middle = 0;
    for (int p = 0; p < 3; ++p) {
        int length = 0;
        for (int k = 0; k < count; ++k)
            s->queue[k] = side_of(s, hubs[k], pairs[p]);
        qsort(s->queue, (size_t)count, sizeof(int), compare_ints);
        int middle = s->queue[count / 2];
        for (int k = 0; k < count; ++k)
            length += is_on_line(s, hubs[k], pairs[p], middle);
        if (length > 0 && length < shortest) {
            shortest = length;
            best_middle = middle;
            best = p;
        }
    }
    for (int k = 0; k < count; ++k)
        s->chosen[hubs[k]] =
            count <= SMALL || best < 0 || is_on_line(s, hubs[k], pairs[best], best_middle);
}

// The way from the tree so far to every hub of the region, as far as possible over those that are chosen.
static void find_ways(Span *s, const int *hubs, int count) {
    int ahead = 0, later = 0, region = s->region[hubs[0]]; // a queue, and that of those one way longer
    int *queue = s->queue, *next = s->way[0];
    for (int k = 0; k < count; ++k)
        s->up[hubs[k]] = -1;
    for (int k = 0; k < count; ++k)
        for (int i = s->first[hubs[k]]; i < s->first[hubs[k] + 1] && s->up[hubs[k]] < 0; ++i) {
            const Link *l = &s->links[s->links_of[i]];
            if (s->region[other(l->hub, hubs[k])] != PLACED)
                continue;
            s->up[hubs[k]] = s->links_of[i];
            *(s->chosen[hubs[k]] ? &queue[ahead++] : &next[later++]) = hubs[k];
        }
    for (int k = 0; k < ahead || later > 0;) {
        if (k == ahead) {
            memcpy(queue, next, (size_t)later * sizeof(int));
            ahead = later;
            k = later = 0;
        }
        int hub = queue[k++];
        for (int i = s->first[hub]; i < s->first[hub + 1]; ++i) {
            int to = other(s->links[s->links_of[i]].hub, hub);
            if (s->region[to] != region || s->up[to] >= 0)
                continue;
            s->up[to] = s->links_of[i];
            *(s->chosen[to] ? &queue[ahead++] : &next[later++]) = to;
        }
    }
}

// Those that are chosen, and the ways to them, hang on the tree.
static void place_chosen(Span *s, const int *hubs, int count) {
    for (int k = 0; k < count; ++k)
        for (int hub = hubs[k]; s->chosen[hubs[k]] && s->region[hub] != PLACED;) {
            Link *l = &s->links[s->up[hub]];
            s->region[hub] = PLACED;
            l->of_tree = true;
            hang_along(s, l, l->hub[0] == hub ? 0 : 1);
            hub = other(l->hub, hub);
        }
}

// What is left of a region, or of all hubs: connected sets, one after the other in the list. Returns its end.
static int part(Span *s, int *list, int count, int end) {
    for (int k = 0; k < count; ++k)
        if (s->region[list[k]] != PLACED)
            s->region[list[k]] = UNKNOWN;
    for (int k = 0; k < count; ++k) {
        if (s->region[list[k]] != UNKNOWN)
            continue;
        int begin = end, region = ++s->regions;
        s->order[end++] = list[k];
        s->region[list[k]] = region;
        for (int i = begin; i < end; ++i)
            for (int j = s->first[s->order[i]]; j < s->first[s->order[i] + 1]; ++j) {
                int to = other(s->links[s->links_of[j]].hub, s->order[i]);
                if (s->region[to] != UNKNOWN)
                    continue;
                s->region[to] = region;
                s->order[end++] = to;
            }
    }
    return end;
}

// Regions lie one after the other, and the last one is halved first.
static void grow(Span *s) {
    for (int k = 0; k < s->hubs; ++k)
        s->queue[k] = k;
    s->region[s->hub_of[s->graph->root]] = PLACED;
    for (int end = part(s, s->queue, s->hubs, 0); end > 0;) {
        int begin = end - 1;
        while (begin > 0 && s->region[s->order[begin - 1]] == s->region[s->order[end - 1]])
            --begin;
        int count = end - begin;
        int *hubs = s->order + begin;
        find_line(s, hubs, count);
        find_ways(s, hubs, count);
        place_chosen(s, hubs, count);
        memcpy(s->queue, hubs, (size_t)count * sizeof(int));
        end = part(s, s->queue, count, begin);
    }
    for (int k = 0; k < s->link_count; ++k)
        if (!s->links[k].of_tree)
            cut(s, &s->links[k]);
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
    hang(&s, graph->root, -1, -1);
    prune(&s);
    find_links(&s);
    grow(&s);
    sn__free(a, s.block, s.bytes);
    return true;
}
