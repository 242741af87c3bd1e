#include "fit/sphere_mesh.h"

#include <string.h>

// Keeps spheres of flat regions, whose centres and radii no plane tells, near the surface.
#define NEAR 1e-3

// The squared distances of a sphere (c, r) from planes that it should touch from inside, by area:
// Σ w (n·p − n·c − r)² = sᵀ A s − 2 bᵀ s + d with s = (c, r), A = Σ w m mᵀ, m = (n, 1), b = Σ w (n·p) m,
// d = Σ w (n·p)². A holds the upper triangle of the matrix, row by row.
typedef struct Quadric {
    double a[10], b[4], d;
} Quadric;

// Two neighbours that may be joined. Out of date if one of them has changed since.
typedef struct Candidate {
    double cost;
    int a, b;
    int version_a, version_b;
    FitSphere sphere;
} Candidate;

// Neighbours of a vertex, as a chain of links.
typedef struct Link {
    int vertex, next;
} Link;

typedef struct Simplifier {
    FitMemory *memory;
    int count, alive;
    Quadric *quadrics;
    int *versions, *first; // version −1: joined to another
    Link *links;
    int link_count, link_capacity, free_link;
    Candidate *heap;
    int heap_count, heap_capacity;
} Simplifier;

static void add_quadric(Quadric *to, const Quadric *from) {
    for (int i = 0; i < 10; ++i)
        to->a[i] += from->a[i];
    for (int i = 0; i < 4; ++i)
        to->b[i] += from->b[i];
    to->d += from->d;
}

// w (m·s − value)².
static void add_term(Quadric *q, const double m[4], double value, double w) {
    for (int i = 0, k = 0; i < 4; ++i) {
        for (int j = i; j < 4; ++j, ++k)
            q->a[k] += w * m[i] * m[j];
        q->b[i] += w * value * m[i];
    }
    q->d += w * value * value;
}

static double error_of(const Quadric *q, const double s[4]) {
    double sum = q->d;
    for (int i = 0, k = 0; i < 4; ++i) {
        sum -= 2.0 * q->b[i] * s[i];
        for (int j = i; j < 4; ++j, ++k)
            sum += (i == j ? 1.0 : 2.0) * q->a[k] * s[i] * s[j];
    }
    return sum;
}

// The best sphere: A s = b, or the same with radius 0 where that would be negative. A is positive
// definite thanks to NEAR.
static double best_sphere(const Quadric *q, FitSphere *out) {
    double s[4] = {0.0};
    for (int size = 4; size >= 3; --size) {
        double l[4][4], y[4];
        for (int i = 0, k = 0; i < 4; ++i)
            for (int j = i; j < 4; ++j, ++k)
                l[j][i] = q->a[k];
        for (int j = 0; j < size; ++j) { // Cholesky, in place
            for (int k = 0; k < j; ++k)
                l[j][j] -= l[j][k] * l[j][k];
            l[j][j] = sqrt(fmax(l[j][j], 1e-300));
            for (int i = j + 1; i < size; ++i) {
                for (int k = 0; k < j; ++k)
                    l[i][j] -= l[i][k] * l[j][k];
                l[i][j] /= l[j][j];
            }
        }
        for (int i = 0; i < size; ++i) {
            y[i] = q->b[i];
            for (int k = 0; k < i; ++k)
                y[i] -= l[i][k] * y[k];
            y[i] /= l[i][i];
        }
        for (int i = size - 1; i >= 0; --i) {
            s[i] = y[i];
            for (int k = i + 1; k < size; ++k)
                s[i] -= l[k][i] * s[k];
            s[i] /= l[i][i];
        }
        if (size == 4 && s[3] >= 0.0)
            break;
        s[3] = 0.0;
    }
    *out = (FitSphere){{s[0], s[1], s[2]}, s[3]};
    return error_of(q, s);
}

static bool push(Simplifier *s, const Candidate *candidate) {
    if (s->heap_count == s->heap_capacity) {
        int capacity = 2 * s->heap_capacity;
        Candidate *heap = sn__fit_alloc(s->memory, (size_t)capacity, sizeof *heap);
        if (heap == NULL)
            return false;
        memcpy(heap, s->heap, (size_t)s->heap_count * sizeof *heap);
        s->heap = heap;
        s->heap_capacity = capacity;
    }
    int slot = s->heap_count++;
    for (; slot > 0 && s->heap[(slot - 1) / 2].cost > candidate->cost; slot = (slot - 1) / 2)
        s->heap[slot] = s->heap[(slot - 1) / 2];
    s->heap[slot] = *candidate;
    return true;
}

static Candidate pop(Simplifier *s) {
    Candidate first = s->heap[0], last = s->heap[--s->heap_count];
    int slot = 0;
    while (2 * slot + 1 < s->heap_count) {
        int child = 2 * slot + 1;
        if (child + 1 < s->heap_count && s->heap[child + 1].cost < s->heap[child].cost)
            ++child;
        if (s->heap[child].cost >= last.cost)
            break;
        s->heap[slot] = s->heap[child];
        slot = child;
    }
    s->heap[slot] = last;
    return first;
}

static bool propose(Simplifier *s, int a, int b) {
    Quadric sum = s->quadrics[a];
    add_quadric(&sum, s->quadrics + b);
    Candidate candidate = {
        .a = a, .b = b, .version_a = s->versions[a], .version_b = s->versions[b]};
    candidate.cost = best_sphere(&sum, &candidate.sphere);
    return push(s, &candidate);
}

static bool is_linked(const Simplifier *s, int a, int b) {
    for (int l = s->first[a]; l >= 0; l = s->links[l].next)
        if (s->links[l].vertex == b)
            return true;
    return false;
}

static bool add_link(Simplifier *s, int a, int b) {
    int l = s->free_link;
    if (l >= 0)
        s->free_link = s->links[l].next;
    else if (s->link_count < s->link_capacity)
        l = s->link_count++;
    else
        return false;
    s->links[l] = (Link){b, s->first[a]};
    s->first[a] = l;
    return true;
}

static void remove_link(Simplifier *s, int a, int b) {
    int *at = &s->first[a];
    while (*at >= 0 && s->links[*at].vertex != b)
        at = &s->links[*at].next;
    if (*at < 0)
        return;
    int l = *at;
    *at = s->links[l].next;
    s->links[l].next = s->free_link;
    s->free_link = l;
}

// b becomes part of a, and all costs around a are new.
static bool join(Simplifier *s, int a, int b) {
    add_quadric(s->quadrics + a, s->quadrics + b);
    remove_link(s, a, b);
    while (s->first[b] >= 0) {
        int other = s->links[s->first[b]].vertex;
        remove_link(s, b, other);
        remove_link(s, other, b);
        if (other != a && !is_linked(s, a, other))
            (void)(add_link(s, a, other) && add_link(s, other, a));
    }
    s->versions[b] = -1;
    ++s->versions[a];
    --s->alive;
    for (int l = s->first[a]; l >= 0; l = s->links[l].next)
        if (!propose(s, a, s->links[l].vertex))
            return false;
    return true;
}

static void add_triangle(Simplifier *s, const FitSurface *surface, const int t[3]) {
    Vec3d p = surface->points[t[0]];
    Vec3d n = crossd(subd(surface->points[t[1]], p), subd(surface->points[t[2]], p));
    double twice = lengthd(n);
    n = scaled(n, 1.0 / twice);
    const double m[4] = {n.x, n.y, n.z, 1.0};
    const double axes[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    for (int c = 0; c < 3; ++c) {
        Quadric *q = s->quadrics + t[c];
        Vec3d x = surface->points[t[c]];
        add_term(q, m, dotd(n, p), twice / 6.0);
        const double at[4] = {x.x, x.y, x.z, 0.0};
        for (int i = 0; i < 4; ++i)
            add_term(q, axes[i], at[i], NEAR * twice / 6.0);
    }
}

static bool begin(Simplifier *s, const FitSurface *surface) {
    size_t count = (size_t)surface->point_count;
    s->count = surface->point_count;
    // Each edge has two links, each triangle three edges; joining never makes more.
    s->link_capacity = 6 * surface->triangle_count;
    s->heap_capacity = 6 * surface->triangle_count;
    s->free_link = -1;
    s->quadrics = sn__fit_alloc(s->memory, count, sizeof *s->quadrics);
    s->versions = sn__fit_alloc(s->memory, count, sizeof *s->versions);
    s->first = sn__fit_alloc(s->memory, count, sizeof *s->first);
    s->links = sn__fit_alloc(s->memory, (size_t)s->link_capacity, sizeof *s->links);
    s->heap = sn__fit_alloc(s->memory, (size_t)s->heap_capacity, sizeof *s->heap);
    if (!s->quadrics || !s->versions || !s->first || !s->links || !s->heap)
        return false;
    for (int i = 0; i < s->count; ++i) {
        s->first[i] = -1;
        s->versions[i] = -1;
    }
    for (int i = 0; i < surface->triangle_count; ++i) {
        const int *t = surface->triangles[i];
        add_triangle(s, surface, t);
        for (int c = 0; c < 3; ++c) {
            int a = t[c], b = t[(c + 1) % 3];
            s->alive += s->versions[a] < 0;
            s->versions[a] = 0;
            if (!is_linked(s, a, b))
                (void)(add_link(s, a, b) && add_link(s, b, a));
        }
    }
    for (int a = 0; a < s->count; ++a)
        for (int l = s->first[a]; l >= 0; l = s->links[l].next)
            if (a < s->links[l].vertex && !propose(s, a, s->links[l].vertex))
                return false;
    return true;
}

static bool hand_out(Simplifier *s, FitSphereMesh *out) {
    int *number = sn__fit_alloc(s->memory, (size_t)s->count, sizeof *number);
    out->spheres = sn__fit_alloc(s->memory, (size_t)s->alive, sizeof *out->spheres);
    out->edges = sn__fit_alloc(s->memory, (size_t)s->alive * (size_t)s->alive, sizeof *out->edges);
    if (number == NULL || out->spheres == NULL || out->edges == NULL)
        return false;
    out->sphere_count = out->edge_count = 0;
    for (int i = 0; i < s->count; ++i)
        if (s->versions[i] >= 0) {
            best_sphere(s->quadrics + i, out->spheres + out->sphere_count);
            number[i] = out->sphere_count++;
        }
    for (int a = 0; a < s->count; ++a)
        for (int l = s->versions[a] >= 0 ? s->first[a] : -1; l >= 0; l = s->links[l].next)
            if (a < s->links[l].vertex) {
                int *edge = out->edges[out->edge_count++];
                edge[0] = number[a];
                edge[1] = number[s->links[l].vertex];
            }
    return true;
}

bool sn__fit_simplify(FitMemory *memory, const FitSurface *surface, int spheres,
                      FitSphereMesh *out) {
    Simplifier s = {.memory = memory};
    if (!begin(&s, surface))
        return false;
    while (s.alive > spheres && s.heap_count > 0) {
        Candidate c = pop(&s);
        if (s.versions[c.a] == c.version_a && s.versions[c.b] == c.version_b &&
            s.versions[c.a] >= 0 && s.versions[c.b] >= 0 && !join(&s, c.a, c.b))
            return false;
    }
    return hand_out(&s, out);
}
