#include "geom/polygon.h"

#include <assert.h>
#include <math.h>

// Twice the area, positive if it is counterclockwise.
static double turn(Point2 a, Point2 b, Point2 c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static double loop_area(const Polygon *p, int loop) {
    int first = p->begin[loop], end = p->begin[loop + 1];
    double sum = 0.0;
    for (int i = first + 1; i + 1 < end; ++i)
        sum += turn(p->corners[first], p->corners[i], p->corners[i + 1]);
    return 0.5 * sum;
}

static bool is_within(const Polygon *p, int loop, Point2 x) {
    bool inside = false;
    int first = p->begin[loop], end = p->begin[loop + 1];
    for (int i = first, last = end - 1; i < end; last = i++) {
        Point2 a = p->corners[last], b = p->corners[i];
        if ((a.y > x.y) != (b.y > x.y) && (b.x - a.x) * (x.y - a.y) / (b.y - a.y) + a.x > x.x)
            inside = !inside;
    }
    return inside;
}

static bool crosses(Point2 a, Point2 b, Point2 c, Point2 d) {
    return (turn(a, b, c) > 0.0) != (turn(a, b, d) > 0.0) &&
           (turn(c, d, a) > 0.0) != (turn(c, d, b) > 0.0);
}

// An outline with the holes that were joined to it: corners in order, some of them twice.
typedef struct Ring {
    const Polygon *polygon;
    int *corners, *spare;
    int count;
} Ring;

// The smallest outline around a hole; −1: there is none.
static int outline_of(const Polygon *p, int hole) {
    int best = -1;
    double least = INFINITY;
    for (int k = 0; k < p->loop_count; ++k) {
        double area = loop_area(p, k);
        if (area > 0.0 && area < least && is_within(p, k, p->corners[p->begin[hole]])) {
            least = area;
            best = k;
        }
    }
    return best;
}

static bool is_corner(int corner, int a, int b) { return corner == a || corner == b; }

// Whether nothing of the ring and of the loops that are still apart is between two corners.
static bool sees(const Ring *ring, const int *apart, int from, int to) {
    const Polygon *p = ring->polygon;
    Point2 a = p->corners[from], b = p->corners[to];
    for (int i = 0; i < ring->count; ++i) {
        int c = ring->corners[i], d = ring->corners[(i + 1) % ring->count];
        if (!is_corner(c, from, to) && !is_corner(d, from, to) &&
            crosses(a, b, p->corners[c], p->corners[d]))
            return false;
    }
    for (int k = 0; k < p->loop_count; ++k)
        for (int i = p->begin[k]; i < p->begin[k + 1] && apart[k]; ++i) {
            int d = i + 1 < p->begin[k + 1] ? i + 1 : p->begin[k];
            if (!is_corner(i, from, to) && !is_corner(d, from, to) &&
                crosses(a, b, p->corners[i], p->corners[d]))
                return false;
        }
    return true;
}

// Joins a hole to the ring by a bridge that is walked both ways.
static void join(Ring *ring, int hole, int corner, int place) {
    const Polygon *p = ring->polygon;
    int first = p->begin[hole], length = p->begin[hole + 1] - first, count = 0;
    for (int i = 0; i <= place; ++i)
        ring->spare[count++] = ring->corners[i];
    for (int i = 0; i <= length; ++i)
        ring->spare[count++] = first + (corner - first + i) % length;
    for (int i = place; i < ring->count; ++i)
        ring->spare[count++] = ring->corners[i];
    int *old = ring->corners;
    ring->corners = ring->spare;
    ring->spare = old;
    ring->count = count;
}

// The shortest bridge from a corner of a hole, if there is one.
static bool join_at(Ring *ring, const int *apart, int hole, int corner) {
    const Point2 *x = ring->polygon->corners;
    int best = -1;
    double least = INFINITY;
    for (int i = 0; i < ring->count; ++i) {
        double dx = x[ring->corners[i]].x - x[corner].x, dy = x[ring->corners[i]].y - x[corner].y;
        double square = dx * dx + dy * dy;
        if (square < least && sees(ring, apart, corner, ring->corners[i])) {
            least = square;
            best = i;
        }
    }
    if (best >= 0)
        join(ring, hole, corner, best);
    return best >= 0;
}

static bool join_hole(Ring *ring, int *apart, int hole) {
    for (int c = ring->polygon->begin[hole]; c < ring->polygon->begin[hole + 1]; ++c)
        if (join_at(ring, apart, hole, c)) {
            apart[hole] = 0;
            return true;
        }
    return false;
}

// The holes of an outline, whichever can be reached next.
static void join_holes(Ring *ring, int outline, int *apart) {
    for (bool joined = true; joined;) {
        joined = false;
        for (int k = 0; k < ring->polygon->loop_count; ++k)
            if (apart[k] && outline_of(ring->polygon, k) == outline)
                joined = join_hole(ring, apart, k) || joined;
    }
}

static bool is_ear(const Ring *ring, int at) {
    const Point2 *x = ring->polygon->corners;
    int n = ring->count, i = ring->corners[(at + n - 1) % n], j = ring->corners[at],
        k = ring->corners[(at + 1) % n];
    if (!(turn(x[i], x[j], x[k]) > 0.0))
        return false;
    for (int m = 0; m < n; ++m) {
        int other = ring->corners[m];
        if (!is_corner(other, i, j) && other != k && turn(x[i], x[j], x[other]) >= 0.0 &&
            turn(x[j], x[k], x[other]) >= 0.0 && turn(x[k], x[i], x[other]) >= 0.0)
            return false;
    }
    return true;
}

// What is left without an ear has no area but for rounding: any corner will do.
static int clip(Ring *ring, int (*out)[3]) {
    int count = 0, at = 0;
    while (ring->count > 2) {
        int tried = 0;
        while (tried < ring->count && !is_ear(ring, at % ring->count)) {
            ++tried;
            ++at;
        }
        int n = ring->count, here = at % n;
        out[count][0] = ring->corners[(here + n - 1) % n];
        out[count][1] = ring->corners[here];
        out[count++][2] = ring->corners[(here + 1) % n];
        for (int i = here; i + 1 < n; ++i)
            ring->corners[i] = ring->corners[i + 1];
        --ring->count;
        at = here + 1; // not the next one, which would make a fan of slivers
    }
    return count;
}

static int cut_all(Ring *ring, int *apart, int (*out)[3]) {
    const Polygon *p = ring->polygon;
    int count = 0;
    for (int k = 0; k < p->loop_count; ++k)
        apart[k] = loop_area(p, k) < 0.0;
    for (int k = 0; k < p->loop_count; ++k)
        if (apart[k] && outline_of(p, k) < 0)
            return -1;
    for (int k = 0; k < p->loop_count; ++k) {
        if (loop_area(p, k) < 0.0)
            continue;
        ring->count = 0;
        for (int i = p->begin[k]; i < p->begin[k + 1]; ++i)
            ring->corners[ring->count++] = i;
        join_holes(ring, k, apart);
        count += clip(ring, out + count);
    }
    for (int k = 0; k < p->loop_count; ++k)
        if (apart[k])
            return -1;
    return count;
}

int sn__polygon_cut(const SnAllocator *a, const Polygon *polygon, int (*out_triangles)[3]) {
    int loops = polygon->loop_count;
    size_t room = (size_t)(polygon->begin[loops] + 2 * loops) * sizeof(int),
           marks = (size_t)loops * sizeof(int);
    assert(loops > 0);
    Ring ring = {polygon, sn__alloc(a, room), sn__alloc(a, room), 0};
    int *apart = sn__alloc(a, marks);
    int count = -1;
    if (ring.corners && ring.spare && apart)
        count = cut_all(&ring, apart, out_triangles);
    sn__free(a, ring.corners, room);
    sn__free(a, ring.spare, room);
    sn__free(a, apart, marks);
    return count;
}
