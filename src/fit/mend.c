// Winding and holes of a shell.
#include <string.h>

#include "fit/surface.h"

// Whether the triangle goes from a to b, not from b to a.
static bool goes_along(const int t[3], int a, int b) {
    return (t[0] == a && t[1] == b) || (t[1] == a && t[2] == b) || (t[2] == a && t[0] == b);
}

static void turn(int t[3]) {
    int swap = t[1];
    t[1] = t[2];
    t[2] = swap;
}

// Goes from a triangle to its neighbours over edges of two, and turns those that wind the other way.
static void spread_winding(FitSurface *surface, const FitEdges *edges, int first, int *queue,
                           bool *seen, bool *turned) {
    int begin = 0, end = 0;
    queue[end++] = first;
    seen[first] = true;
    while (begin < end) {
        int i = queue[begin++];
        for (int c = 0; c < 3; ++c) {
            int a = surface->triangles[i][c], b = surface->triangles[i][(c + 1) % 3];
            const FitEdge *edge = sn__fit_edge(edges, a, b);
            if (edge->count != 2)
                continue;
            int other = edge->triangles[edge->triangles[0] == i];
            if (seen[other])
                continue;
            if (goes_along(surface->triangles[other], a, b)) {
                turn(surface->triangles[other]);
                turned[other] = true;
            }
            seen[other] = true;
            queue[end++] = other;
        }
    }
}

bool sn__fit_mend_winding(FitMemory *memory, FitSurface *surface) {
    FitEdges edges;
    size_t count = (size_t)surface->triangle_count;
    int *queue = sn__fit_alloc(memory, count, sizeof *queue);
    bool *seen = sn__fit_alloc(memory, count, sizeof *seen);
    bool *turned = sn__fit_alloc(memory, count, sizeof *turned);
    if (queue == NULL || seen == NULL || turned == NULL ||
        !sn__fit_find_edges(memory, surface, &edges))
        return false;
    for (uint32_t i = 0; i <= edges.mask; ++i)
        surface->branching_edges += edges.slots[i].count > 2;
    for (int i = 0; i < surface->triangle_count; ++i)
        if (!seen[i])
            spread_winding(surface, &edges, i, queue, seen, turned);
    sn__fit_measure(surface);
    bool inverted = surface->volume < 0.0;
    for (int i = 0; i < surface->triangle_count; ++i) {
        if (inverted)
            turn(surface->triangles[i]);
        surface->turned += turned[i] != inverted;
    }
    return true;
}

// Open edges, each from where to where a triangle that closes it must go.
typedef struct Rims {
    int *next; // per point; −1: no rim starts here
    int *loop; // points of the loop at hand
} Rims;

static int trace_loop(Rims *rims, int first) {
    int count = 0;
    for (int i = first; i >= 0;) {
        int next = rims->next[i];
        rims->next[i] = -1;
        if (next < 0)
            break;
        rims->loop[count++] = i;
        i = next;
    }
    return count;
}

static void close_loop(FitSurface *surface, const int *loop, int count) {
    Vec3d centre = {0.0, 0.0, 0.0};
    for (int i = 0; i < count; ++i)
        centre = addd(centre, surface->points[loop[i]]);
    centre = scaled(centre, 1.0 / count);
    int middle = surface->point_count++;
    surface->points[middle] = centre;
    for (int i = 0; i < count; ++i) {
        int a = loop[i], b = loop[(i + 1) % count];
        int t[3] = {a, b, middle};
        memcpy(surface->triangles[surface->triangle_count++], t, sizeof t);
        surface->hole_area += 0.5 * lengthd(crossd(subd(surface->points[a], centre),
                                                   subd(surface->points[b], centre)));
    }
    ++surface->holes;
}

// Room for the fans: a triangle per open edge, and no more points than edges.
static bool make_room(FitMemory *memory, FitSurface *surface, int open) {
    size_t points = (size_t)(surface->point_count + open);
    size_t count = (size_t)(surface->triangle_count + open);
    Vec3d *positions = sn__fit_alloc(memory, points, sizeof *positions);
    int(*triangles)[3] = sn__fit_alloc(memory, count, sizeof *triangles);
    if (positions == NULL || triangles == NULL)
        return false;
    memcpy(positions, surface->points, (size_t)surface->point_count * sizeof *positions);
    memcpy(triangles, surface->triangles, (size_t)surface->triangle_count * sizeof *triangles);
    surface->points = positions;
    surface->triangles = triangles;
    return true;
}

bool sn__fit_close_holes(FitMemory *memory, FitSurface *surface) {
    FitEdges edges;
    if (!sn__fit_find_edges(memory, surface, &edges))
        return false;
    int open = 0, points = surface->point_count;
    for (uint32_t i = 0; i <= edges.mask; ++i)
        open += edges.slots[i].count == 1;
    if (open == 0)
        return true;
    Rims rims = {sn__fit_alloc(memory, (size_t)points, sizeof *rims.next),
                 sn__fit_alloc(memory, (size_t)points, sizeof *rims.loop)};
    if (rims.next == NULL || rims.loop == NULL || !make_room(memory, surface, open))
        return false;
    for (int i = 0; i < points; ++i)
        rims.next[i] = -1;
    for (uint32_t i = 0; i <= edges.mask; ++i) {
        const FitEdge *edge = edges.slots + i;
        if (edge->count != 1)
            continue;
        bool along = goes_along(surface->triangles[edge->triangles[0]], edge->a, edge->b);
        rims.next[along ? edge->b : edge->a] = along ? edge->a : edge->b;
    }
    sn__fit_measure(surface);
    double area = surface->area;
    for (int i = 0; i < points; ++i) {
        int count = trace_loop(&rims, i);
        if (count >= 3)
            close_loop(surface, rims.loop, count);
    }
    surface->hole_area /= area;
    return true;
}
