// A cell is a box from which what is nearer to another site is cut off, one site after the other, the nearest
// first, until the next one is too far away to reach it.
#include "skin/voronoi.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SIDES 128
#define MOST_CORNERS 64

// A side of a cell, counterclockwise as seen from outside.
typedef struct Side {
    int label; // the site beyond it
    int count;
    Vec3d x[MOST_CORNERS];
    int next[MOST_CORNERS]; // the side that shares the edge after a corner
    // Where it was cut last: new corners, and the sides on whose edges they are.
    bool cut;
    Vec3d enters;
    int leaves_by;
} Side;

typedef struct Cell {
    int count;
    bool crowded; // it has more sides than there is room for
    Side sides[MOST_SIDES];
} Cell;

typedef struct Far {
    double square;
    int site;
} Far;

static int by_distance(const void *a, const void *b) {
    const Far *p = a, *q = b;
    if (p->square != q->square)
        return p->square < q->square ? -1 : 1;
    return p->site - q->site;
}

static void start_box(Cell *cell, int sites, Vec3d low, Vec3d high) {
    // Corners by bits: x, y, z of the high end. Side 2 k is the low one across axis k.
    static const int corners[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                      {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    cell->count = 6;
    cell->crowded = false;
    for (int s = 0; s < 6; ++s) {
        Side *side = &cell->sides[s];
        side->label = sites + s;
        side->count = 4;
        for (int k = 0; k < 4; ++k) {
            int here = corners[s][k], then = corners[s][(k + 1) % 4];
            side->x[k] = (Vec3d){here & 1 ? high.x : low.x, here & 2 ? high.y : low.y,
                                 here & 4 ? high.z : low.z};
            // The other side that has both of them.
            for (int axis = 0; axis < 3; ++axis)
                if (axis != s / 2 && (here >> axis & 1) == (then >> axis & 1))
                    side->next[k] = sites + 2 * axis + (here >> axis & 1);
        }
    }
}

static double reach_of(const Cell *cell, Vec3d site) {
    double most = 0.0;
    for (int s = 0; s < cell->count; ++s)
        for (int k = 0; k < cell->sides[s].count; ++k) {
            Vec3d d = subd(cell->sides[s].x[k], site);
            most = fmax(most, dotd(d, d));
        }
    return most;
}

static void put(Cell *cell, Side *side, Vec3d x, int next) {
    if (side->count == MOST_CORNERS) {
        cell->crowded = true;
        return;
    }
    side->x[side->count] = x;
    side->next[side->count++] = next;
}

// Leaves what is on this side of n·x = c.
static void cut_side(Cell *cell, Side *side, Vec3d n, double c, int label) {
    const Side old = *side;
    side->count = 0;
    side->cut = false;
    for (int k = 0; k < old.count; ++k) {
        Vec3d a = old.x[k], b = old.x[(k + 1) % old.count];
        double from = dotd(n, a) - c, to = dotd(n, b) - c;
        if (from <= 0.0)
            put(cell, side, a, old.next[k]);
        if ((from <= 0.0) == (to <= 0.0))
            continue;
        Vec3d x = addd(a, scaled(subd(b, a), from / (from - to)));
        put(cell, side, x, from <= 0.0 ? label : old.next[k]);
        side->cut = true;
        if (from <= 0.0)
            side->leaves_by = old.next[k];
        else
            side->enters = x;
    }
}

static Side *side_of(Cell *cell, int label) {
    for (int s = 0; s < cell->count; ++s)
        if (cell->sides[s].label == label)
            return &cell->sides[s];
    return NULL;
}

// The new side goes around along all that were cut.
static void close_cut(Cell *cell, int label) {
    Side *first = NULL, *side, *added = &cell->sides[cell->count];
    for (int s = 0; s < cell->count && first == NULL; ++s)
        first = cell->sides[s].cut ? &cell->sides[s] : NULL;
    if (first == NULL)
        return;
    if (cell->count == MOST_SIDES) {
        cell->crowded = true;
        return;
    }
    added->label = label;
    added->count = 0;
    side = first;
    do {
        put(cell, added, side->enters, side->label);
        side = side_of(cell, side->leaves_by);
        cell->crowded = cell->crowded || side == NULL || !side->cut;
    } while (!cell->crowded && side != first);
    ++cell->count;
}

static void cut(Cell *cell, Vec3d n, double c, int label) {
    for (int s = 0; s < cell->count; ++s)
        cut_side(cell, &cell->sides[s], n, c, label);
    close_cut(cell, label);
    int kept = 0;
    for (int s = 0; s < cell->count; ++s)
        if (cell->sides[s].count >= 3) {
            if (kept < s)
                cell->sides[kept] = cell->sides[s];
            ++kept;
        }
    cell->count = kept;
}

static void make_cell(const Voronoi *v, int site, Far *order, Vec3d low, Vec3d high, Cell *cell) {
    Vec3d here = v->sites[site];
    int count = 0;
    for (int k = 0; k < v->site_count; ++k) {
        Vec3d d = subd(v->sites[k], here);
        if (k != site)
            order[count++] = (Far){dotd(d, d), k};
    }
    qsort(order, (size_t)count, sizeof *order, by_distance);
    start_box(cell, v->site_count, low, high);
    double reach = reach_of(cell, here);
    for (int k = 0; k < count && order[k].square <= 4.0 * reach && !cell->crowded; ++k) {
        Vec3d other = v->sites[order[k].site], n = subd(other, here);
        cut(cell, n, 0.5 * dotd(n, addd(other, here)), order[k].site);
        reach = reach_of(cell, here);
    }
}

static bool add_face(Voronoi *v, int site, const Side *side) {
    const SnAllocator *a = &v->allocator;
    if (!sn__reserve(a, (void **)&v->faces, &v->face_capacity, v->face_count, sizeof *v->faces))
        return false;
    v->faces[v->face_count++] = (VoronoiFace){site, side->label, v->corner_count, side->count};
    for (int k = 0; k < side->count; ++k) {
        if (!sn__reserve(a, (void **)&v->corners, &v->corner_capacity, v->corner_count,
                         sizeof *v->corners))
            return false;
        v->corners[v->corner_count++] = (VoronoiCorner){side->x[k], side->next[k]};
    }
    return true;
}

static bool take_cell(Voronoi *v, int site, const Cell *cell) {
    v->begin[site] = v->neighbour_count;
    for (int s = 0; s < cell->count; ++s) {
        const Side *side = &cell->sides[s];
        if (side->label >= v->site_count)
            continue;
        if (!sn__reserve(&v->allocator, (void **)&v->neighbours, &v->neighbour_capacity,
                         v->neighbour_count, sizeof(int)))
            return false;
        v->neighbours[v->neighbour_count++] = side->label;
        if (side->label > site && !add_face(v, site, side))
            return false;
    }
    v->begin[site + 1] = v->neighbour_count;
    return true;
}

bool sn__voronoi_create(const SnAllocator *a, const Vec3d *sites, int count, Vec3d low, Vec3d high,
                        Voronoi *out) {
    size_t n = (size_t)count;
    *out = (Voronoi){.allocator = *a, .site_count = count};
    out->sites = sn__alloc_array(a, n, sizeof *sites);
    out->begin = sn__alloc_array(a, n + 1, sizeof(int));
    Far *order = sn__alloc_array(a, n, sizeof *order);
    Cell *cell = sn__alloc(a, sizeof *cell);
    bool complete = out->sites && out->begin && order && cell;
    if (complete)
        memcpy(out->sites, sites, n * sizeof *sites);
    for (int i = 0; i < count && complete; ++i) {
        make_cell(out, i, order, low, high, cell);
        complete = !cell->crowded && take_cell(out, i, cell);
    }
    sn__free(a, order, n * sizeof *order);
    sn__free(a, cell, sizeof *cell);
    if (!complete)
        sn__voronoi_destroy(out);
    return complete;
}

void sn__voronoi_destroy(Voronoi *v) {
    const SnAllocator a = v->allocator;
    size_t n = (size_t)v->site_count;
    sn__free(&a, v->sites, n * sizeof *v->sites);
    sn__free(&a, v->begin, (n + 1) * sizeof(int));
    sn__free(&a, v->neighbours, (size_t)v->neighbour_capacity * sizeof(int));
    sn__free(&a, v->faces, (size_t)v->face_capacity * sizeof *v->faces);
    sn__free(&a, v->corners, (size_t)v->corner_capacity * sizeof *v->corners);
    *v = (Voronoi){.allocator = a};
}
