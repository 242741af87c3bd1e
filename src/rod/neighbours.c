// Segments of one rod that are too close to each other to touch.
#include <assert.h>

#include "rod/graph.h"
#include "rod/touch.h"

static float radius_of(const RodSystem *rods, const Rod *rod, int segment) {
    int edge[2];
    sn__rod_edge(rods, rod, segment, edge);
    RodAddress a = sn__rod_address(rods, rod, edge[0]), b = sn__rod_address(rods, rod, edge[1]);
    return fmaxf(a.pack->rest[a.row].radius[a.lane], b.pack->rest[b.row].radius[b.lane]);
}

static float length_of(const RodSystem *rods, const Rod *rod, int segment) {
    RodAddress at = sn__rod_address(rods, rod, segment);
    return at.pack->rest[at.row].length[at.lane];
}

static bool too_close(float arc, float radii) { return arc < HAIRPIN * radii; }

// The arc between two segments of a chain, as if those between were as long as the two on average.
static bool chain_neighbours(const RodSystem *rods, const Rod *rod, int i, int j) {
    int apart = i < j ? j - i : i - j;
    if (rod->closed && apart > rod->segments - apart)
        apart = rod->segments - apart;
    if (apart <= 1)
        return true;
    float length = 0.5f * (length_of(rods, rod, i) + length_of(rods, rod, j));
    return too_close((float)(apart - 1) * length,
                     radius_of(rods, rod, i) + radius_of(rods, rod, j));
}

static size_t words(const Rod *rod) { return ((size_t)rod->segments + 63) / 64; }

bool sn__rod_are_neighbours(const Body *body, int i, int j) {
    const Rod *rod = rod_of(body);
    assert(i >= 0 && i < rod->segments && j >= 0 && j < rod->segments);
    if (rod->near == NULL)
        return chain_neighbours(rods_of(body), rod, i, j);
    return (rod->near[(size_t)i * words(rod) + (size_t)j / 64] >> (j % 64)) & 1;
}

// A walk over a creature from one segment, as far as neighbours may be.
typedef struct Walk {
    const RodSystem *rods;
    const Rod *rod;
    const RodGraph *graph;
    float *arc;   // by vertex: its distance from the segment, negative where the walk was not
    int *queue;   // vertices
    float widest; // radius of all segments
} Walk;

static void reach(Walk *walk, int *end, int vertex, float arc) {
    if (walk->arc[vertex] >= 0.0f && walk->arc[vertex] <= arc)
        return;
    assert(walk->arc[vertex] >= 0.0f || *end < walk->rod->vertices);
    if (walk->arc[vertex] < 0.0f)
        walk->queue[(*end)++] = vertex;
    walk->arc[vertex] = arc;
}

// Sets the bits of segment i. Vertices are visited breadth first; around a cycle the first way found
// counts.
static void find_neighbours_of(Walk *walk, int i, uint64_t *bits) {
    const RodGraph *g = walk->graph;
    float radius = radius_of(walk->rods, walk->rod, i);
    int end = 0;
    reach(walk, &end, g->edge[i][0], 0.0f);
    reach(walk, &end, g->edge[i][1], 0.0f);
    for (int begin = 0; begin < end; ++begin) {
        int vertex = walk->queue[begin];
        float arc = walk->arc[vertex];
        for (int k = g->incident_begin[vertex]; k < g->incident_begin[vertex + 1]; ++k) {
            int j = g->incident[k];
            int other = g->edge[j][0] == vertex ? g->edge[j][1] : g->edge[j][0];
            // A segment between two visited vertices is counted from the one visited first.
            bool counted = walk->arc[other] >= 0.0f && walk->arc[other] < arc;
            if (j == i || counted)
                continue;
            if (too_close(arc, radius + radius_of(walk->rods, walk->rod, j)))
                bits[j / 64] |= (uint64_t)1 << (j % 64);
            float further = arc + length_of(walk->rods, walk->rod, j);
            if (too_close(further, radius + walk->widest))
                reach(walk, &end, other, further);
        }
    }
    for (int k = 0; k < end; ++k)
        walk->arc[walk->queue[k]] = -1.0f;
}

bool sn__rod_find_neighbours(const RodSystem *rods, Rod *rod) {
    const RodGraph *graph = rods->packs[rod->pack]->graph;
    if (graph == NULL || rod->near)
        return true;
    const SnAllocator *a = &rods->allocator;
    size_t n = (size_t)rod->vertices;
    Walk walk = {.rods = rods, .rod = rod, .graph = graph};
    walk.arc = sn__alloc_array(a, n, sizeof(float));
    walk.queue = sn__alloc_array(a, n, sizeof(int));
    rod->near = sn__alloc_array(a, (size_t)rod->segments * words(rod), sizeof(uint64_t));
    bool complete = walk.arc && walk.queue && rod->near;
    for (int i = 0; complete && i < rod->vertices; ++i)
        walk.arc[i] = -1.0f;
    for (int i = 0; complete && i < rod->segments; ++i)
        walk.widest = fmaxf(walk.widest, radius_of(rods, rod, i));
    for (int i = 0; complete && i < rod->segments; ++i)
        find_neighbours_of(&walk, i, rod->near + (size_t)i * words(rod));
    sn__free(a, walk.arc, n * sizeof(float));
    sn__free(a, walk.queue, n * sizeof(int));
    if (!complete)
        sn__rod_forget_neighbours(rods, rod);
    return complete;
}

void sn__rod_forget_neighbours(const RodSystem *rods, Rod *rod) {
    sn__free(&rods->allocator, rod->near, (size_t)rod->segments * words(rod) * sizeof(uint64_t));
    rod->near = NULL;
}
