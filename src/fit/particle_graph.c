#include "fit/particle_graph.h"

#include <stdlib.h>
#include <string.h>

// Regions of size 1 that share less than this have no edge.
#define LEAST_CONTACT 0.12

static int find_root(int *parents, int i) {
    while (parents[i] != i)
        i = parents[i] = parents[parents[i]];
    return i;
}

static bool unite(int *parents, int a, int b) {
    int p = find_root(parents, a), q = find_root(parents, b);
    parents[p] = q;
    return p != q;
}

// The larger first; of equal ones, those of lower numbers.
static int by_size(const void *a, const void *b) {
    const FitContact *p = a, *q = b;
    if (p->size != q->size)
        return p->size > q->size ? -1 : 1;
    return p->a != q->a ? p->a - q->a : p->b - q->b;
}

static int by_ends(const void *a, const void *b) {
    const int *p = a, *q = b;
    return p[0] != q[0] ? p[0] - q[0] : p[1] - q[1];
}

// Joins parts that do not touch: the tree grows from the first particle's part, and each round takes the
// nearest particle that is not in it yet. `nearest` and `distances` are of every particle.
static void add_bridges(const FitRegions *r, int *parents, int *nearest, double *distances,
                        FitGraph *graph) {
    bool apart = false;
    for (int i = 0; i < r->count; ++i) {
        distances[i] = HUGE_VAL;
        apart = apart || find_root(parents, i) != find_root(parents, 0);
    }
    int added = find_root(parents, 0); // the part that was added last
    while (apart) {
        int best = -1;
        for (int j = 0; j < r->count; ++j) {
            if (find_root(parents, j) != added || distances[j] < 0.0)
                continue;
            distances[j] = -1.0;
            for (int i = 0; i < r->count; ++i) {
                Vec3d d = subd(r->centres[i], r->centres[j]);
                if (distances[i] >= 0.0 && dotd(d, d) < distances[i]) {
                    distances[i] = dotd(d, d);
                    nearest[i] = j;
                }
            }
        }
        for (int i = 0; i < r->count; ++i)
            if (distances[i] >= 0.0 && find_root(parents, i) != added &&
                (best < 0 || distances[i] < distances[best]))
                best = i;
        if (best < 0) // all are in the tree
            return;
        int other = nearest[best];
        graph->edges[graph->edge_count][0] = best < other ? best : other;
        graph->edges[graph->edge_count++][1] = best < other ? other : best;
        ++graph->bridges;
        unite(parents, other, best);
        added = find_root(parents, best);
    }
}

bool sn__fit_list_others(FitMemory *memory, int count, FitGraph *graph) {
    graph->begin = sn__fit_alloc(memory, (size_t)count + 2, sizeof *graph->begin);
    graph->others = sn__fit_alloc(memory, 2 * (size_t)graph->edge_count, sizeof *graph->others);
    if (graph->begin == NULL || graph->others == NULL)
        return false;
    for (int i = 0; i < graph->edge_count; ++i)
        for (int s = 0; s < 2; ++s)
            ++graph->begin[graph->edges[i][s] + 2];
    for (int i = 0; i < count; ++i)
        graph->begin[i + 2] += graph->begin[i + 1];
    for (int i = 0; i < graph->edge_count; ++i)
        for (int s = 0; s < 2; ++s)
            graph->others[graph->begin[graph->edges[i][s] + 1]++] = graph->edges[i][1 - s];
    return true;
}

static int by_pair(const void *a, const void *b) {
    const FitContact *p = a, *q = b;
    return p->a != q->a ? p->a - q->a : p->b - q->b;
}

// A face of cubes is a staircase, but the sum of its normals is that of the plane that it stands for. What is left
// out of the graph is none of its edges' business.
static void find_areas(const FitRegions *r, FitContact *contacts, int count, FitGraph *graph) {
    qsort(contacts, (size_t)count, sizeof *contacts, by_pair);
    for (int k = 0, c = 0; k < graph->edge_count; ++k) {
        FitContact edge = {.a = graph->edges[k][0], .b = graph->edges[k][1]};
        while (c < count && by_pair(&contacts[c], &edge) < 0)
            ++c;
        Vec3d way = subd(r->centres[edge.b], r->centres[edge.a]);
        bool found = c < count && by_pair(&contacts[c], &edge) == 0;
        graph->areas[k] = found ? fmax(dotd(contacts[c].face, way) / lengthd(way), 0.0) : 0.0;
    }
}

bool sn__fit_make_graph(FitMemory *memory, const FitPieces *pieces, const FitRegions *regions,
                        FitGraph *out) {
    *out = (FitGraph){0};
    int contact_count;
    size_t count = (size_t)regions->count;
    FitContact *contacts = sn__fit_region_contacts(memory, pieces, regions, &contact_count);
    int *parents = sn__fit_alloc(memory, count, sizeof *parents);
    int *nearest = sn__fit_alloc(memory, count, sizeof *nearest);
    double *distances = sn__fit_alloc(memory, count, sizeof *distances);
    if (contacts == NULL || parents == NULL || nearest == NULL || distances == NULL)
        return false;
    out->edges = sn__fit_alloc(memory, (size_t)contact_count + count, sizeof *out->edges);
    out->areas = sn__fit_alloc(memory, (size_t)contact_count + count, sizeof *out->areas);
    if (out->edges == NULL || out->areas == NULL)
        return false;
    for (int i = 0; i < regions->count; ++i)
        parents[i] = i;
    double power = pieces->dimension == 3 ? 2.0 / 3.0 : 0.5;
    for (int i = 0; i < contact_count; ++i)
        contacts[i].size /=
            pow(fmin(regions->weights[contacts[i].a], regions->weights[contacts[i].b]), power);
    qsort(contacts, (size_t)contact_count, sizeof *contacts, by_size);
    for (int i = 0; i < contact_count; ++i) {
        bool joins = unite(parents, contacts[i].a, contacts[i].b);
        if (!joins && contacts[i].size < LEAST_CONTACT)
            continue;
        out->edges[out->edge_count][0] = contacts[i].a;
        out->edges[out->edge_count++][1] = contacts[i].b;
    }
    if (!sn__fit_list_others(memory, regions->count, out))
        return false;
    add_bridges(regions, parents, nearest, distances, out);
    qsort(out->edges, (size_t)out->edge_count, sizeof *out->edges, by_ends);
    find_areas(regions, contacts, contact_count, out);
    return true;
}
