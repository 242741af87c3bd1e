// Which particles of a body are joined, and the memory of the matrix that follows from it. Bodies with the same pairs
// share their graph; what a body holds by marks joins particles that no edge does.
#include <string.h>

#include "solid/marks.h"

#define MOST_BLOCKS 2000000

void sn__solid_release_graph(SolidSystem *solids, SolidGraph *graph) {
    const SnAllocator *a = &solids->allocator;
    if (graph == NULL || --graph->users > 0)
        return;
    sn__sparse_release(a, &graph->plan);
    sn__free(a, graph->pairs, (size_t)graph->pair_count * sizeof *graph->pairs);
    sn__free(a, graph, sizeof *graph);
}

static SolidGraph *create(const SnAllocator *a, int particles, const int (*pairs)[2], int count,
                          bool *out_crowded) {
    size_t size = (size_t)count * sizeof *pairs;
    SolidGraph *g = sn__alloc(a, sizeof *g);
    if (g == NULL)
        return NULL;
    *g = (SolidGraph){.users = 1, .pair_count = count, .pairs = sn__alloc(a, size)};
    if (g->pairs && size > 0)
        memcpy(g->pairs, pairs, size);
    if (g->pairs && sn__sparse_plan(a, particles, pairs, count, MOST_BLOCKS, &g->plan, out_crowded))
        return g;
    sn__free(a, g->pairs, size);
    sn__free(a, g, sizeof *g);
    return NULL;
}

SolidGraph *sn__solid_find_graph(SolidSystem *solids, int particles, const int (*pairs)[2],
                                 int count, bool *out_crowded) {
    size_t size = (size_t)count * sizeof *pairs;
    for (int k = 0; k < solids->count; ++k) {
        SolidGraph *g = solids->list[k]->graph;
        if (g->plan.size == particles && g->pair_count == count &&
            (size == 0 || memcmp(g->pairs, pairs, size) == 0)) {
            ++g->users;
            return g;
        }
    }
    return create(&solids->allocator, particles, pairs, count, out_crowded);
}

static size_t matrix_bytes(const SparsePlan *plan) {
    return ((size_t)plan->size + (size_t)plan->blocks) * sizeof(SparseBlock);
}

void sn__solid_drop_graph(Solid *s) {
    SolidGraph *graph = s->graph;
    if (graph == NULL)
        return;
    sn__free(&s->system->allocator, s->own.diagonal, matrix_bytes(&graph->plan));
    s->graph = NULL;
    sn__solid_release_graph(s->system, graph);
}

bool sn__solid_take_graph(Solid *s, SolidGraph *graph) {
    SparseBlock *matrix = sn__alloc(&s->system->allocator, matrix_bytes(&graph->plan));
    if (matrix == NULL)
        return false;
    sn__solid_drop_graph(s);
    s->graph = graph;
    s->own = (SolidFactors){.diagonal = matrix, .below = matrix + graph->plan.size};
    return true;
}

void sn__solid_find_blocks(Solid *s) {
    const SparsePlan *plan = &s->graph->plan;
    for (int k = 0; k < s->edge_count; ++k) {
        SolidEdge *e = &s->edges[k];
        e->block = sn__sparse_find(plan, plan->place[e->i], plan->place[e->j]);
    }
    for (int n = 0; n < s->mark_count; ++n) {
        SolidMark *m = &s->marks[n];
        for (int a = 0; a < m->count; ++a)
            for (int b = a + 1; b < m->count; ++b)
                m->block[a][b] =
                    sn__sparse_find(plan, plan->place[m->particle[a]], plan->place[m->particle[b]]);
    }
}
