// Edges are collapsed onto one of their ends. What that costs is told by quadrics (Garland and Heckbert
// 1997): the mean of the squared distances from the planes of all triangles that a vertex has taken in,
// weighted by their areas. Collapses are made in passes of growing error; within a pass, what was changed
// is left alone, so that lists of neighbours made at its beginning hold.
#include "view/simplify.h"

#include "view/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PASSES 50
#define GROWING 10      // of these, every second one with twice the error of the one before
#define ENOUGH 0.99     // of the triangles; where a pass leaves more, it is the last one
#define LEAST_TURN 0.2f // cosine: a triangle may not turn farther by one collapse

// ∫ (n·x + d)² over triangles, and their area.
typedef struct Quadric {
    double xx, xy, xz, yy, yz, zz, x, y, z, one, area;
} Quadric;

typedef struct Simplifier {
    const float *positions;
    uint32_t *triangles;
    int vertex_count, triangle_count;
    Quadric *quadrics;
    int *begin;   // vertex_count + 1: of its corners
    int *corners; // triangle of each
    bool *fixed;  // on a border
    bool *changed;
    float longest;
} Simplifier;

static SnVec3 at(const Simplifier *s, uint32_t vertex) {
    return view_load(s->positions + 3 * (size_t)vertex);
}

static void add_plane(Quadric *q, SnVec3 n, double d, double area) {
    double x = (double)n.x, y = (double)n.y, z = (double)n.z;
    q->xx += area * x * x;
    q->xy += area * x * y;
    q->xz += area * x * z;
    q->yy += area * y * y;
    q->yz += area * y * z;
    q->zz += area * z * z;
    q->x += area * x * d;
    q->y += area * y * d;
    q->z += area * z * d;
    q->one += area * d * d;
    q->area += area;
}

static Quadric sum_of(const Quadric *a, const Quadric *b) {
    return (Quadric){a->xx + b->xx, a->xy + b->xy,   a->xz + b->xz,    a->yy + b->yy,
                     a->yz + b->yz, a->zz + b->zz,   a->x + b->x,      a->y + b->y,
                     a->z + b->z,   a->one + b->one, a->area + b->area};
}

// The mean of the squared distances of a point, m².
static double error_at(const Quadric *q, SnVec3 p) {
    double x = (double)p.x, y = (double)p.y, z = (double)p.z;
    double sum = q->xx * x * x + q->yy * y * y + q->zz * z * z +
                 2.0 * (q->xy * x * y + q->xz * x * z + q->yz * y * z) +
                 2.0 * (q->x * x + q->y * y + q->z * z) + q->one;
    return q->area > 0.0 ? fmax(sum, 0.0) / q->area : 0.0;
}

static SnVec3 across(SnVec3 a, SnVec3 b, SnVec3 c) {
    return sn_vec3_cross(sn_vec3_sub(b, a), sn_vec3_sub(c, a));
}

static void make_quadrics(Simplifier *s) {
    for (int i = 0; i < s->triangle_count; ++i) {
        const uint32_t *t = s->triangles + 3 * (size_t)i;
        SnVec3 a = at(s, t[0]), n = across(a, at(s, t[1]), at(s, t[2]));
        float size = sn_vec3_length(n);
        if (!(size > 0.0f))
            continue;
        n = sn_vec3_scale(n, 1.0f / size);
        for (int k = 0; k < 3; ++k)
            add_plane(&s->quadrics[t[k]], n, -(double)sn_vec3_dot(n, a), 0.5 * (double)size);
    }
}

static void list_corners(Simplifier *s) {
    memset(s->begin, 0, ((size_t)s->vertex_count + 1) * sizeof *s->begin);
    for (int i = 0; i < 3 * s->triangle_count; ++i)
        ++s->begin[s->triangles[i] + 1];
    for (int v = 0; v < s->vertex_count; ++v)
        s->begin[v + 1] += s->begin[v];
    for (int i = 3 * s->triangle_count - 1; i >= 0; --i)
        s->corners[--s->begin[s->triangles[i] + 1]] = i / 3;
    // Each begin is now one place early: that of vertex v lies at v + 1.
    memmove(s->begin, s->begin + 1, (size_t)s->vertex_count * sizeof *s->begin);
    s->begin[s->vertex_count] = 3 * s->triangle_count;
}

static bool has(const uint32_t *t, uint32_t v) { return t[0] == v || t[1] == v || t[2] == v; }

// How many triangles around `a` have `b`, too.
static int shared(const Simplifier *s, uint32_t a, uint32_t b) {
    int count = 0;
    for (int k = s->begin[a]; k < s->begin[a + 1]; ++k)
        count += has(s->triangles + 3 * (size_t)s->corners[k], b);
    return count;
}

static void fix_borders(Simplifier *s) {
    for (int i = 0; i < s->triangle_count; ++i)
        for (int k = 0; k < 3; ++k) {
            uint32_t a = s->triangles[3 * i + k], b = s->triangles[3 * i + (k + 1) % 3];
            if (shared(s, a, b) != 2)
                s->fixed[a] = s->fixed[b] = true;
        }
}

static bool are_neighbours(const Simplifier *s, uint32_t a, uint32_t b) {
    return shared(s, a, b) > 0;
}

// Vertices beside both ends: two, or a handle would close.
static int common_neighbours(const Simplifier *s, uint32_t a, uint32_t b) {
    int count = 0;
    for (int k = s->begin[a]; k < s->begin[a + 1]; ++k) {
        const uint32_t *t = s->triangles + 3 * (size_t)s->corners[k];
        // Each neighbour once: the corner behind `a`.
        uint32_t next = t[0] == a ? t[1] : t[1] == a ? t[2] : t[0];
        count += next != b && are_neighbours(s, b, next);
    }
    return count;
}

// No triangle around `from` turns over, and no edge gets too long, where it comes to lie at `to`.
static bool keeps_shape(const Simplifier *s, uint32_t from, uint32_t to) {
    SnVec3 x = at(s, to);
    for (int k = s->begin[from]; k < s->begin[from + 1]; ++k) {
        const uint32_t *t = s->triangles + 3 * (size_t)s->corners[k];
        if (has(t, to))
            continue;
        SnVec3 p[3], q[3];
        for (int c = 0; c < 3; ++c) {
            p[c] = at(s, t[c]);
            q[c] = t[c] == from ? x : p[c];
            SnVec3 edge = sn_vec3_sub(x, p[c]);
            if (t[c] != from && sn_vec3_dot(edge, edge) > s->longest * s->longest)
                return false;
        }
        SnVec3 before = across(p[0], p[1], p[2]), after = across(q[0], q[1], q[2]);
        float sizes = sn_vec3_length(before) * sn_vec3_length(after);
        if (!(sn_vec3_dot(before, after) > LEAST_TURN * sizes))
            return false;
    }
    return true;
}

static bool may_collapse(const Simplifier *s, uint32_t from, uint32_t to, double most) {
    if (s->fixed[from] || s->changed[from] || s->changed[to])
        return false;
    Quadric both = sum_of(&s->quadrics[from], &s->quadrics[to]);
    return error_at(&both, at(s, to)) <= most && common_neighbours(s, from, to) == 2 &&
           keeps_shape(s, from, to);
}

static void collapse(Simplifier *s, uint32_t from, uint32_t to) {
    s->quadrics[to] = sum_of(&s->quadrics[from], &s->quadrics[to]);
    for (int k = s->begin[from]; k < s->begin[from + 1]; ++k) {
        uint32_t *t = s->triangles + 3 * (size_t)s->corners[k];
        for (int c = 0; c < 3; ++c) {
            s->changed[t[c]] = true;
            t[c] = t[c] == from ? to : t[c];
        }
    }
    for (int k = s->begin[to]; k < s->begin[to + 1]; ++k)
        for (int c = 0; c < 3; ++c)
            s->changed[s->triangles[3 * (size_t)s->corners[k] + (size_t)c]] = true;
}

static void drop_flat(Simplifier *s) {
    int kept = 0;
    for (int i = 0; i < s->triangle_count; ++i) {
        uint32_t t[3];
        memcpy(t, s->triangles + 3 * (size_t)i, sizeof t);
        if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0])
            memcpy(s->triangles + 3 * (size_t)kept++, t, sizeof t);
    }
    s->triangle_count = kept;
}

static void pass(Simplifier *s, double most) {
    list_corners(s);
    memset(s->changed, 0, (size_t)s->vertex_count * sizeof *s->changed);
    for (int i = 0; i < 3 * s->triangle_count; ++i) {
        uint32_t a = s->triangles[i], b = s->triangles[i % 3 == 2 ? i - 2 : i + 1];
        if (a == b)
            continue;
        if (may_collapse(s, a, b, most))
            collapse(s, a, b);
        else if (may_collapse(s, b, a, most))
            collapse(s, b, a);
    }
    drop_flat(s);
}

int view_simplify(const float *positions, int vertex_count, uint32_t *triangles, int triangle_count,
                  float error, float longest) {
    Simplifier s = {.positions = positions,
                    .triangles = triangles,
                    .vertex_count = vertex_count,
                    .triangle_count = triangle_count,
                    .longest = longest};
    size_t vertices = (size_t)vertex_count;
    s.quadrics = calloc(vertices, sizeof *s.quadrics);
    s.begin = calloc(vertices + 2, sizeof *s.begin);
    s.corners = calloc(3 * (size_t)triangle_count + 1, sizeof *s.corners);
    s.fixed = calloc(vertices, sizeof *s.fixed);
    s.changed = calloc(vertices, sizeof *s.changed);
    bool good = s.quadrics && s.begin && s.corners && s.fixed && s.changed;
    if (good) {
        make_quadrics(&s);
        list_corners(&s);
        fix_borders(&s);
        int before = 0;
        for (int k = 1; k < PASSES && (k <= GROWING || s.triangle_count < ENOUGH * before); ++k) {
            double part = ldexp((double)error, k < GROWING ? (k - GROWING) / 2 : 0);
            before = s.triangle_count;
            pass(&s, part * part);
        }
    }
    free(s.quadrics);
    free(s.begin);
    free(s.corners);
    free(s.fixed);
    free(s.changed);
    return good ? s.triangle_count : -1;
}
