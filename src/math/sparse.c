#include "math/sparse.h"

#include <assert.h>
#include <string.h>

#include "base/isa.h"

#define NONE (-1)

// The graph of what is left while nodes are eliminated.
typedef struct Remains {
    const SnAllocator *allocator;
    int size;
    int **near; // by node: its neighbours, ascending
    int *count, *capacity;
    // Nodes of one degree are a list; the next and the one before by node, the first by degree.
    int *next, *before, *head;
    int *merged; // room for one list
    int lowest;  // no node that is left has a lower degree
} Remains;

static bool reserve(Remains *g, int node, int count) {
    if (count <= g->capacity[node])
        return true;
    int grown = count + count / 2 + 4;
    int *list = sn__grow(g->allocator, g->near[node], (size_t)g->capacity[node] * sizeof(int),
                         (size_t)grown * sizeof(int));
    if (list == NULL)
        return false;
    g->near[node] = list;
    g->capacity[node] = grown;
    return true;
}

static bool insert(Remains *g, int node, int other) {
    int at = g->count[node];
    while (at > 0 && g->near[node][at - 1] > other)
        --at;
    if (at > 0 && g->near[node][at - 1] == other)
        return true;
    if (!reserve(g, node, g->count[node] + 1))
        return false;
    int *list = g->near[node];
    memmove(list + at + 1, list + at, (size_t)(g->count[node] - at) * sizeof(int));
    list[at] = other;
    ++g->count[node];
    return true;
}

static void unlink_node(Remains *g, int node) {
    int next = g->next[node], before = g->before[node];
    if (before == NONE)
        g->head[g->count[node]] = next;
    else
        g->next[before] = next;
    if (next != NONE)
        g->before[next] = before;
}

static void link_node(Remains *g, int node) {
    int degree = g->count[node], first = g->head[degree];
    g->next[node] = first;
    g->before[node] = NONE;
    g->head[degree] = node;
    if (first != NONE)
        g->before[first] = node;
    g->lowest = degree < g->lowest ? degree : g->lowest;
}

static int pick(Remains *g) {
    while (g->head[g->lowest] == NONE)
        ++g->lowest;
    int node = g->head[g->lowest];
    unlink_node(g, node);
    return node;
}

// The neighbours of `node`, but for itself, join those of `other`, which loses `node`.
static bool join(Remains *g, int other, int node) {
    const int *a = g->near[other], *b = g->near[node];
    int i = 0, j = 0, n = 0;
    while (i < g->count[other] || j < g->count[node]) {
        int x = i < g->count[other] ? a[i] : g->size, y = j < g->count[node] ? b[j] : g->size;
        int least = x < y ? x : y;
        i += x == least;
        j += y == least;
        if (least != node && least != other)
            g->merged[n++] = least;
    }
    if (!reserve(g, other, n))
        return false;
    memcpy(g->near[other], g->merged, (size_t)n * sizeof(int));
    g->count[other] = n;
    return true;
}

static bool eliminate(Remains *g, int node) {
    for (int k = 0; k < g->count[node]; ++k) {
        int other = g->near[node][k];
        unlink_node(g, other);
        if (!join(g, other, node))
            return false;
        link_node(g, other);
    }
    return true;
}

static bool fill_graph(Remains *g, const int (*edges)[2], int edge_count) {
    for (int e = 0; e < edge_count; ++e) {
        assert(edges[e][0] != edges[e][1]);
        if (!insert(g, edges[e][0], edges[e][1]) || !insert(g, edges[e][1], edges[e][0]))
            return false;
    }
    for (int d = 0; d <= g->size; ++d)
        g->head[d] = NONE;
    g->lowest = g->size;
    for (int k = g->size - 1; k >= 0; --k)
        link_node(g, k);
    return true;
}

static void lay(Layout *layout, int size, int blocks, SparsePlan *plan) {
    plan->place = sn__lay(layout, (size_t)size, sizeof(int));
    plan->first = sn__lay(layout, (size_t)size + 1, sizeof(int));
    plan->rows = sn__lay(layout, (size_t)blocks, sizeof(int));
}

static void sort(int *list, int count) {
    for (int k = 1; k < count; ++k)
        for (int i = k; i > 0 && list[i - 1] > list[i]; --i) {
            int swap = list[i];
            list[i] = list[i - 1];
            list[i - 1] = swap;
        }
}

// What each node had for neighbours when its turn came are the rows of its column.
static bool write_plan(const Remains *g, const int *order, SparsePlan *plan) {
    int blocks = 0;
    for (int k = 0; k < g->size; ++k)
        blocks += g->count[k];
    Layout measure = {0};
    lay(&measure, g->size, blocks, plan);
    Layout layout = {.memory = sn__alloc(g->allocator, measure.used)};
    if (layout.memory == NULL)
        return false;
    *plan = (SparsePlan){
        .size = g->size, .blocks = blocks, .bytes = measure.used, .memory = layout.memory};
    lay(&layout, g->size, blocks, plan);
    for (int p = 0; p < g->size; ++p)
        plan->place[order[p]] = p;
    for (int p = 0, at = 0; p < g->size; ++p) {
        int node = order[p], n = g->count[node];
        plan->first[p] = at;
        for (int k = 0; k < n; ++k)
            plan->rows[at + k] = plan->place[g->near[node][k]];
        sort(plan->rows + at, n);
        at += n;
    }
    plan->first[g->size] = blocks;
    return true;
}

static bool make_plan(Remains *g, const int (*edges)[2], int edge_count, int most, int *order,
                      SparsePlan *plan, bool *out_crowded) {
    if (!fill_graph(g, edges, edge_count))
        return false;
    long blocks = 0;
    for (int p = 0; p < g->size; ++p) {
        order[p] = pick(g);
        blocks += g->count[order[p]];
        if (blocks > most) {
            *out_crowded = true;
            return false;
        }
        if (!eliminate(g, order[p]))
            return false;
    }
    return write_plan(g, order, plan);
}

bool sn__sparse_plan(const SnAllocator *allocator, int size, const int (*edges)[2], int edge_count,
                     int most, SparsePlan *out_plan, bool *out_crowded) {
    assert(size > 0 && edge_count >= 0);
    size_t n = (size_t)size, ints = 7 * n + 1;
    *out_crowded = false;
    Remains g = {.allocator = allocator, .size = size};
    g.near = sn__alloc_array(allocator, n, sizeof(int *));
    int *room = sn__alloc_array(allocator, ints, sizeof(int));
    bool made = g.near && room;
    if (made) {
        g.count = room;
        g.capacity = room + n;
        g.next = room + 2 * n;
        g.before = room + 3 * n;
        g.merged = room + 4 * n;
        g.head = room + 6 * n;
        made = make_plan(&g, edges, edge_count, most, room + 5 * n, out_plan, out_crowded);
    }
    for (int k = 0; g.near && room && k < size; ++k)
        sn__free(allocator, g.near[k], (size_t)g.capacity[k] * sizeof(int));
    sn__free(allocator, g.near, n * sizeof(int *));
    sn__free(allocator, room, ints * sizeof(int));
    return made;
}

void sn__sparse_release(const SnAllocator *allocator, SparsePlan *plan) {
    sn__free(allocator, plan->memory, plan->bytes);
    *plan = (SparsePlan){0};
}

int sn__sparse_find(const SparsePlan *plan, int place, int other) {
    int column = place < other ? place : other, row = place < other ? other : place;
    int low = plan->first[column], high = plan->first[column + 1] - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (plan->rows[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    assert(low < plan->first[column + 1] && plan->rows[low] == row);
    return low;
}

#define TABLE(isa)                                                                                 \
    { PASTE(sparse_factor, isa), PASTE(sparse_solve, isa), PASTE(sparse_solve_all, isa) }

const SparseKernels *sn__sparse_kernels(SnIsa isa) {
    static const SparseKernels kernels[ISA_COUNT] = BY_ISA(TABLE);
    return sn__isa_compiled(isa) ? &kernels[isa] : NULL;
}
