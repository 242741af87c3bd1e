// Winding and holes of a shell.
#include <string.h>

#include "fit/surface.h"

#define PI 3.14159265358979323846

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
// They are in the queue afterwards, and their number comes back.
static int spread_winding(FitSurface *surface, const FitEdges *edges, int first, int *queue,
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
    return end;
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

// How often triangles, but for those of one shell, wind around x: the sum of the solid angles that they
// are seen at (van Oosterom and Strackee 1983).
static double winding_at(const FitSurface *surface, const int *shells, int except, Vec3d x) {
    double sum = 0.0;
    for (int i = 0; i < surface->triangle_count; ++i) {
        if (shells[i] == except)
            continue;
        const int *t = surface->triangles[i];
        Vec3d a = subd(surface->points[t[0]], x), b = subd(surface->points[t[1]], x),
              c = subd(surface->points[t[2]], x);
        double la = lengthd(a), lb = lengthd(b), lc = lengthd(c);
        sum += atan2(dotd(a, crossd(b, c)),
                     la * lb * lc + dotd(a, b) * lc + dotd(b, c) * la + dotd(c, a) * lb);
    }
    return sum / (2.0 * PI);
}

// Six times the volume between some triangles and one of their corners.
static double shell_volume(const FitSurface *surface, const int *list, int count) {
    Vec3d from = surface->points[surface->triangles[list[0]][0]];
    double volume = 0.0;
    for (int i = 0; i < count; ++i) {
        const int *t = surface->triangles[list[i]];
        volume +=
            dotd(subd(surface->points[t[0]], from),
                 crossd(subd(surface->points[t[1]], from), subd(surface->points[t[2]], from)));
    }
    return volume;
}

static void turn_shell(FitSurface *surface, const int *shells, int shell) {
    for (int i = 0; i < surface->triangle_count; ++i)
        if (shells[i] == shell)
            turn(surface->triangles[i]);
}

bool sn__fit_mend_shells(FitMemory *memory, FitSurface *surface) {
    FitEdges edges;
    size_t count = (size_t)surface->triangle_count;
    int *queue = sn__fit_alloc(memory, count, sizeof *queue);
    int *shells = sn__fit_alloc(memory, count, sizeof *shells);
    int *inward = sn__fit_alloc(memory, count, sizeof *inward); // shells that were given so
    bool *seen = sn__fit_alloc(memory, count, sizeof *seen);
    bool *turned = sn__fit_alloc(memory, count, sizeof *turned);
    if (queue == NULL || shells == NULL || inward == NULL || seen == NULL || turned == NULL ||
        !sn__fit_find_edges(memory, surface, &edges))
        return false;
    for (uint32_t i = 0; i <= edges.mask; ++i)
        surface->branching_edges += edges.slots[i].count > 2;
    int inward_count = 0;
    for (int first = 0; first < surface->triangle_count; ++first) {
        if (seen[first])
            continue;
        int size = spread_winding(surface, &edges, first, queue, seen, turned), changed = 0;
        bool inverted = shell_volume(surface, queue, size) < 0.0;
        for (int k = 0; k < size; ++k) {
            shells[queue[k]] = surface->shells;
            changed += turned[queue[k]] != inverted;
            if (inverted)
                turn(surface->triangles[queue[k]]);
        }
        // Most of a shell tells which way it was meant to wind.
        bool was_inward = 2 * changed > size;
        surface->turned += was_inward ? size - changed : changed;
        if (was_inward)
            inward[inward_count++] = first;
        ++surface->shells;
    }
    for (int i = 0; i < inward_count; ++i) {
        int shell = shells[inward[i]];
        const int *t = surface->triangles[inward[i]];
        if (winding_at(surface, shells, shell, surface->points[t[0]]) > 0.5)
            turn_shell(surface, shells, shell);
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
