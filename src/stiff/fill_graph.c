#include "stiff/fill_graph.h"

#include <assert.h>

bool sn__fill_create(const SnAllocator *a, FillGraph *g, int nodes) {
    *g = (FillGraph){.nodes = nodes};
    g->node = sn__alloc_array(a, (size_t)nodes, sizeof(FillNode));
    g->mark = sn__alloc_array(a, (size_t)nodes, sizeof(int));
    if (g->node && g->mark)
        return true;
    sn__fill_release(a, g);
    return false;
}

void sn__fill_release(const SnAllocator *a, FillGraph *g) {
    for (int i = 0; i < g->nodes && g->node; ++i)
        sn__free(a, g->node[i].to, (size_t)g->node[i].capacity * sizeof(int));
    sn__free(a, g->node, (size_t)g->nodes * sizeof(FillNode));
    sn__free(a, g->mark, (size_t)g->nodes * sizeof(int));
    sn__free(a, g->queue, (size_t)g->queue_capacity * sizeof(uint64_t));
    *g = (FillGraph){0};
}

static bool add(const SnAllocator *a, FillNode *n, int to) {
    if (!sn__reserve(a, (void **)&n->to, &n->capacity, n->count, sizeof(int)))
        return false;
    n->to[n->count++] = to;
    return true;
}

static bool is_joined(const FillNode *n, int to) {
    for (int k = 0; k < n->count; ++k)
        if (n->to[k] == to)
            return true;
    return false;
}

bool sn__fill_join(const SnAllocator *allocator, FillGraph *g, int a, int b) {
    assert(a >= 0 && a < g->nodes && b >= 0 && b < g->nodes);
    FillNode *of_a = &g->node[a], *of_b = &g->node[b];
    bool few = of_a->count < of_b->count;
    if (a == b || (few ? is_joined(of_a, b) : is_joined(of_b, a)))
        return true;
    return add(allocator, of_a, b) && add(allocator, of_b, a);
}

bool sn__fill_ask(const SnAllocator *a, FillGraph *g, int node) {
    if (!sn__reserve(a, (void **)&g->queue, &g->queue_capacity, g->queued, sizeof(uint64_t)))
        return false;
    uint64_t key = (uint64_t)g->node[node].count << 32 | (uint32_t)node;
    int at = g->queued++;
    for (; at > 0 && g->queue[(at - 1) / 2] > key; at = (at - 1) / 2)
        g->queue[at] = g->queue[(at - 1) / 2];
    g->queue[at] = key;
    return true;
}

static uint64_t take_first(FillGraph *g) {
    uint64_t first = g->queue[0], last = g->queue[--g->queued];
    int at = 0, child;
    while ((child = 2 * at + 1) < g->queued) {
        if (child + 1 < g->queued && g->queue[child + 1] < g->queue[child])
            child += 1;
        if (g->queue[child] >= last)
            break;
        g->queue[at] = g->queue[child];
        at = child;
    }
    g->queue[at] = last;
    return first;
}

int sn__fill_next(FillGraph *g) {
    while (g->queued > 0) {
        uint64_t first = take_first(g);
        const FillNode *n = &g->node[(uint32_t)first];
        if (!n->gone && (uint64_t)n->count == first >> 32)
            return (int)(uint32_t)first;
    }
    return -1;
}

static void remove_from(FillNode *n, int to) {
    int k = 0;
    while (n->to[k] != to)
        ++k;
    n->to[k] = n->to[--n->count];
}

bool sn__fill_eliminate(const SnAllocator *a, FillGraph *g, int node) {
    const FillNode *gone = &g->node[node];
    assert(!gone->gone);
    g->node[node].gone = true;
    for (int k = 0; k < gone->count; ++k) {
        FillNode *n = &g->node[gone->to[k]];
        remove_from(n, node);
        g->stamp += 1;
        g->mark[gone->to[k]] = g->stamp;
        for (int i = 0; i < n->count; ++i)
            g->mark[n->to[i]] = g->stamp;
        for (int i = 0; i < gone->count; ++i)
            if (g->mark[gone->to[i]] != g->stamp && !add(a, n, gone->to[i]))
                return false;
    }
    for (int k = 0; k < gone->count; ++k)
        if (!sn__fill_ask(a, g, gone->to[k]))
            return false;
    return true;
}
