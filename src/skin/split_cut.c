// Triangles of a mesh, cut along the cells of particles.
#include "skin/split_cut.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"

#define MOST_CORNERS 160
// Sites are moved by this part of the distance between them, so that no plane meets a vertex of the mesh by
// chance, and never more than four cells meet in a point.
#define JITTER 2e-3
#define TRIES 4

// A corner of a triangle that is cut: where it is in the triangle, and what lies along the edge that follows it,
// the plane to another cell or side −1 − k of the triangle.
typedef struct CutCorner {
    Vec3d x;
    double part[3];
    int label;
} CutCorner;

typedef struct CutPolygon {
    int count;
    CutCorner corners[MOST_CORNERS];
} CutPolygon;

// Of one triangle after the other.
typedef struct Cutter {
    SplitCut *cut;
    int *stamps, *queue; // by cell
    CutPolygon polygon, spare;
    int *ids, *vertices; // of the corners of the polygon
} Cutter;

int sn__split_pair_of(const SkinSplit *s, int a, int b) {
    int low = a < b ? a : b, high = a < b ? b : a;
    for (int k = s->pair_begin[low]; k < s->pair_begin[low + 1]; ++k)
        if (s->pairs[k].cells[1] == high)
            return k;
    return -1;
}

int sn__split_point(SplitCut *cut, const int key[KEY_LENGTH], const SplitPoint *fill) {
    int before = cut->point_keys.count, point = sn__key_table_find(&cut->point_keys, key);
    if (point < before)
        return point;
    if (!sn__reserve(&cut->allocator, (void **)&cut->points, &cut->point_capacity, point,
                     sizeof *cut->points))
        return -1;
    cut->points[point] = *fill;
    memcpy(cut->points[point].meets, key + KEY_LENGTH - SPLIT_MEETS, SPLIT_MEETS * sizeof(int));
    return point;
}

bool sn__split_add_vertex(SkinSplit *s, const SplitPoint *p, Vec3d normal, int cell) {
    if (!sn__reserve(&s->allocator, (void **)&s->vertices, &s->vertex_capacity, s->vertex_count,
                     sizeof *s->vertices))
        return false;
    SplitVertex *v = &s->vertices[s->vertex_count++];
    *v = (SplitVertex){
        .position = vec3f(p->x), .normal = vec3f(normal), .cell = cell, .pair = -1, .first = -1};
    memcpy(v->bones, p->bones, sizeof v->bones);
    memcpy(v->weights, p->weights, sizeof v->weights);
    memcpy(v->meets, p->meets, sizeof v->meets);
    return true;
}

bool sn__split_add_triangle(SkinSplit *s, int a, int b, int c) {
    if (!sn__reserve(&s->allocator, (void **)&s->triangles, &s->triangle_capacity,
                     s->triangle_count, sizeof *s->triangles))
        return false;
    uint32_t *t = s->triangles[s->triangle_count++];
    t[0] = (uint32_t)a;
    t[1] = (uint32_t)b;
    t[2] = (uint32_t)c;
    return true;
}

static uint64_t edge_hash(int cell, int from, int to) {
    const int key[3] = {cell, from, to};
    return sn__hash_bytes(0, key, sizeof key);
}

void sn__split_weigh(SplitCut *cut, int cell, const int points[3]) {
    for (int k = 0; k < 3; ++k) {
        int from = points[k], to = points[(k + 1) % 3];
        cut->balance += edge_hash(cell, from, to) - edge_hash(cell, to, from);
    }
}

// The heaviest bones of the corners of a triangle, as the parts of a point in it have them.
static void blend_bones(const SplitMesh *m, const uint32_t *t, const double *part,
                        SplitPoint *out) {
    int bones[3 * SN_SKIN_BONES], count = 0;
    double weights[3 * SN_SKIN_BONES], total = 0.0;
    for (int c = 0; c < 3; ++c) {
        // Vertices at one place follow what the first of them does, so that the cut is closed.
        size_t at = SN_SKIN_BONES * (size_t)m->surface->vertex[m->surface->point[t[c]]];
        for (size_t k = at; k < at + SN_SKIN_BONES; ++k) {
            double w = part[c] * (double)m->weights[k];
            int b = 0;
            while (b < count && bones[b] != m->bones[k])
                ++b;
            if (!(w > 0.0))
                continue;
            weights[b] = b < count ? weights[b] + w : w;
            bones[b] = m->bones[k];
            count = b == count ? count + 1 : count;
        }
    }
    for (int k = 0; k < SN_SKIN_BONES; ++k) {
        int best = 0;
        for (int b = 1; b < count; ++b)
            if (weights[b] > weights[best] ||
                (weights[b] == weights[best] && bones[b] < bones[best]))
                best = b;
        out->bones[k] = k < count ? bones[best] : 0;
        out->weights[k] = k < count ? (float)weights[best] : 0.0f;
        total += (double)out->weights[k];
        weights[best] = 0.0;
    }
    for (int k = 0; k < SN_SKIN_BONES; ++k)
        out->weights[k] = (float)((double)out->weights[k] / total);
}

static void sort3(int *a) {
    for (int i = 1; i < 3; ++i)
        for (int k = i; k > 0 && a[k] < a[k - 1]; --k) {
            int other = a[k];
            a[k] = a[k - 1];
            a[k - 1] = other;
        }
}

static CutCorner between(const CutCorner *a, const CutCorner *b, double t, int label) {
    CutCorner c = {addd(a->x, scaled(subd(b->x, a->x), t)), {0}, label};
    for (int k = 0; k < 3; ++k)
        c.part[k] = a->part[k] + t * (b->part[k] - a->part[k]);
    return c;
}

// Leaves what is on this side of n·x = c.
static bool cut_polygon(CutPolygon *p, CutPolygon *old, Vec3d n, double c, int label) {
    *old = *p;
    p->count = 0;
    for (int k = 0; k < old->count; ++k) {
        const CutCorner *a = &old->corners[k], *b = &old->corners[(k + 1) % old->count];
        double from = dotd(n, a->x) - c, to = dotd(n, b->x) - c;
        if (p->count + 2 > MOST_CORNERS)
            return false;
        if (from <= 0.0)
            p->corners[p->count++] = *a;
        if ((from <= 0.0) != (to <= 0.0))
            p->corners[p->count++] =
                between(a, b, from / (from - to), from <= 0.0 ? label : a->label);
    }
    return true;
}

static bool cut_to_cell(Cutter *cutter, int triangle, int cell) {
    const SplitMesh *m = cutter->cut->mesh;
    const Voronoi *v = &cutter->cut->voronoi;
    CutPolygon *p = &cutter->polygon;
    p->count = 3;
    for (int k = 0; k < 3; ++k)
        p->corners[k] = (CutCorner){
            vec3d(m->positions[m->triangles[3 * triangle + k]]), {k == 0, k == 1, k == 2}, -1 - k};
    for (int i = v->begin[cell]; i < v->begin[cell + 1] && p->count > 0; ++i) {
        Vec3d n = subd(v->sites[v->neighbours[i]], v->sites[cell]);
        double c = 0.5 * dotd(n, addd(v->sites[v->neighbours[i]], v->sites[cell]));
        if (!cut_polygon(p, &cutter->spare, n, c, v->neighbours[i]))
            return false;
    }
    return true;
}

// What a corner lies on decides which point it is.
static int point_of(Cutter *cutter, int triangle, int cell, int corner) {
    const SplitMesh *m = cutter->cut->mesh;
    const uint32_t *t = m->triangles + 3 * (size_t)triangle;
    const CutPolygon *p = &cutter->polygon;
    const CutCorner *c = &p->corners[corner];
    int before = p->corners[(corner + p->count - 1) % p->count].label, after = c->label;
    int key[KEY_LENGTH] = {-1, -1, cell, -1, -1, -1};
    if (before < 0 && after < 0) {
        key[0] = m->surface->point[t[-1 - after]];
    } else if (before < 0 || after < 0) {
        int side = before < 0 ? -1 - before : -1 - after, other = before < 0 ? after : before;
        int a = m->surface->point[t[side]], b = m->surface->point[t[(side + 1) % 3]];
        key[0] = a < b ? a : b;
        key[1] = a < b ? b : a;
        key[2] = cell < other ? cell : other;
        key[3] = cell < other ? other : cell;
    } else {
        int cells[3] = {cell, before, after};
        sort3(cells);
        key[0] = -2 - triangle;
        memcpy(key + 2, cells, sizeof cells);
    }
    SplitPoint fill = {.x = c->x};
    blend_bones(m, t, c->part, &fill);
    return sn__split_point(cutter->cut, key, &fill);
}

// Vertices of one place have normals of their own along a crease.
static int vertex_of(Cutter *cutter, int triangle, int cell, int corner, int point) {
    SplitCut *cut = cutter->cut;
    const SplitMesh *m = cut->mesh;
    const uint32_t *t = m->triangles + 3 * (size_t)triangle;
    const CutPolygon *p = &cutter->polygon;
    const CutCorner *c = &p->corners[corner];
    int before = p->corners[(corner + p->count - 1) % p->count].label, after = c->label;
    int key[KEY_LENGTH] = {point, cell, -1, -1, -1, -1};
    if (before < 0 && after < 0) {
        key[2] = (int)t[-1 - after];
    } else if (before < 0 || after < 0) {
        int side = before < 0 ? -1 - before : -1 - after;
        int a = (int)t[side], b = (int)t[(side + 1) % 3];
        key[2] = a < b ? a : b;
        key[3] = a < b ? b : a;
    }
    int count = cut->vertex_keys.count, vertex = sn__key_table_find(&cut->vertex_keys, key);
    if (vertex < count)
        return vertex;
    Vec3d normal = {0};
    for (int k = 0; k < 3; ++k)
        normal = addd(normal, scaled(vec3d(m->normals[t[k]]), c->part[k]));
    return sn__split_add_vertex(cut->split, &cut->points[point], normal, cell) ? vertex : -1;
}

static bool add_rim(SplitCut *cut, int cell, int other, int from, int to) {
    if (other < cell)
        return true; // the other one tells
    if (!sn__reserve(&cut->allocator, (void **)&cut->rims, &cut->rim_capacity, cut->rim_count,
                     sizeof *cut->rims))
        return false;
    cut->rims[cut->rim_count++] = (SplitRim){sn__split_pair_of(cut->split, cell, other), from, to};
    return true;
}

static bool take_polygon(Cutter *cutter, int triangle, int cell) {
    SplitCut *cut = cutter->cut;
    const CutPolygon *p = &cutter->polygon;
    int *ids = cutter->ids, *vertices = cutter->vertices;
    for (int k = 0; k < p->count; ++k) {
        ids[k] = point_of(cutter, triangle, cell, k);
        vertices[k] = ids[k] < 0 ? -1 : vertex_of(cutter, triangle, cell, k, ids[k]);
        if (vertices[k] < 0)
            return false;
    }
    for (int k = 0; k < p->count; ++k)
        if (p->corners[k].label >= 0 &&
            !add_rim(cut, cell, p->corners[k].label, ids[k], ids[(k + 1) % p->count]))
            return false;
    for (int k = 1; k + 1 < p->count; ++k) {
        const int points[3] = {ids[0], ids[k], ids[k + 1]};
        sn__split_weigh(cut, cell, points);
        if (!sn__split_add_triangle(cut->split, vertices[0], vertices[k], vertices[k + 1]))
            return false;
    }
    return true;
}

// The cell that a place is in: from any other one always to a nearer neighbour.
static int cell_of(const Voronoi *v, Vec3d x, int start) {
    Vec3d d = subd(v->sites[start], x);
    double least = dotd(d, d);
    for (int best = start, cell = -1; best != cell;) {
        cell = best;
        start = cell;
        for (int i = v->begin[cell]; i < v->begin[cell + 1]; ++i) {
            d = subd(v->sites[v->neighbours[i]], x);
            if (dotd(d, d) < least) {
                least = dotd(d, d);
                best = v->neighbours[i];
            }
        }
    }
    return start;
}

// Through all cells that a triangle is in. Stamps are its number plus one.
static bool cut_triangle(Cutter *cutter, int triangle, int *start) {
    const SplitMesh *m = cutter->cut->mesh;
    int count = 0;
    *start =
        cell_of(&cutter->cut->voronoi, vec3d(m->positions[m->triangles[3 * triangle]]), *start);
    cutter->queue[count++] = *start;
    cutter->stamps[*start] = triangle + 1;
    for (int at = 0; at < count; ++at) {
        int cell = cutter->queue[at];
        const CutPolygon *p = &cutter->polygon;
        if (!cut_to_cell(cutter, triangle, cell))
            return false;
        if (p->count < 3)
            continue;
        if (!take_polygon(cutter, triangle, cell))
            return false;
        for (int k = 0; k < p->count; ++k) {
            int other = p->corners[k].label;
            if (other >= 0 && cutter->stamps[other] != triangle + 1) {
                cutter->stamps[other] = triangle + 1;
                cutter->queue[count++] = other;
            }
        }
    }
    return true;
}

static bool cut_surface(SplitCut *cut) {
    const SnAllocator *a = &cut->allocator;
    size_t cells = (size_t)cut->mesh->particle_count * sizeof(int),
           row = MOST_CORNERS * sizeof(int);
    Cutter *cutter = sn__alloc(a, sizeof *cutter);
    if (cutter == NULL)
        return false;
    *cutter = (Cutter){.cut = cut,
                       .stamps = sn__alloc(a, cells),
                       .queue = sn__alloc(a, cells),
                       .ids = sn__alloc(a, row),
                       .vertices = sn__alloc(a, row)};
    bool good = cutter->stamps && cutter->queue && cutter->ids && cutter->vertices;
    for (int t = 0, start = 0; t < cut->mesh->triangle_count && good; ++t)
        good = cut_triangle(cutter, t, &start);
    sn__free(a, cutter->stamps, cells);
    sn__free(a, cutter->queue, cells);
    sn__free(a, cutter->ids, row);
    sn__free(a, cutter->vertices, row);
    sn__free(a, cutter, sizeof *cutter);
    cut->split->surface_vertices = cut->split->vertex_count;
    cut->split->surface_triangles = cut->split->triangle_count;
    return good;
}

// Whether every edge of the mesh is passed once each way.
static bool is_closed(const SplitMesh *m) {
    uint64_t balance = 0;
    for (int i = 0; i < 3 * m->triangle_count; ++i) {
        int from = m->surface->point[m->triangles[i]];
        int to = m->surface->point[m->triangles[i - i % 3 + (i + 1) % 3]];
        balance += edge_hash(0, from, to) - edge_hash(0, to, from);
    }
    return balance == 0;
}

static double spacing_of(const SplitMesh *m, Vec3d size) {
    double sum = 0.0;
    for (int k = 0; k < m->edge_count; ++k)
        sum +=
            lengthd(subd(vec3d(m->particles[m->edges[k][0]]), vec3d(m->particles[m->edges[k][1]])));
    return m->edge_count > 0 ? sum / m->edge_count : lengthd(size) / cbrt(m->particle_count);
}

static double noise(int seed, int number) {
    const int key[2] = {seed, number};
    return (double)(sn__hash_bytes(7, key, sizeof key) >> 11) * 0x1p-52 - 1.0;
}

static bool make_cells(SplitCut *cut, int seed) {
    const SplitMesh *m = cut->mesh;
    size_t n = (size_t)m->particle_count;
    Vec3d low = vec3d(m->particles[0]), high = low;
    for (int i = 0; i < m->vertex_count + m->particle_count; ++i) {
        Vec3d x = vec3d(i < m->vertex_count ? m->positions[i] : m->particles[i - m->vertex_count]);
        low = (Vec3d){fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z)};
        high = (Vec3d){fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z)};
    }
    double by = JITTER * spacing_of(m, subd(high, low)),
           around = 0.1 * lengthd(subd(high, low)) + by;
    Vec3d wide = {around, around, around},
          *sites = sn__alloc_array(&cut->allocator, n, sizeof *sites);
    for (int i = 0; i < m->particle_count && sites; ++i) {
        Vec3d off = {noise(seed, 3 * i), noise(seed, 3 * i + 1), noise(seed, 3 * i + 2)};
        sites[i] = addd(vec3d(m->particles[i]), scaled(off, by));
    }
    bool good = sites && sn__voronoi_create(&cut->allocator, sites, m->particle_count,
                                            subd(low, wide), addd(high, wide), &cut->voronoi);
    sn__free(&cut->allocator, sites, n * sizeof *sites);
    return good;
}

static bool list_edges(SkinSplit *s, const SplitMesh *m) {
    const SnAllocator *a = &s->allocator;
    size_t n = (size_t)s->cell_count, edges = (size_t)s->edge_count;
    s->edges = sn__alloc_array(a, edges, sizeof *s->edges);
    s->begin = sn__alloc_array(a, n + 1, sizeof(int));
    s->edges_of = sn__alloc_array(a, 2 * edges, sizeof(int));
    if (!s->edges || !s->begin || !s->edges_of)
        return false;
    if (edges > 0)
        memcpy(s->edges, m->edges, edges * sizeof *s->edges);
    for (int k = 0; k < s->edge_count; ++k) {
        ++s->begin[s->edges[k][0]];
        ++s->begin[s->edges[k][1]];
    }
    for (int i = 1; i <= s->cell_count; ++i)
        s->begin[i] += s->begin[i - 1];
    for (int k = s->edge_count - 1; k >= 0; --k)
        for (int end = 1; end >= 0; --end)
            s->edges_of[--s->begin[s->edges[k][end]]] = k;
    return true;
}

static bool list_pairs(SkinSplit *s, const Voronoi *v) {
    s->pair_count = v->face_count;
    s->pairs = sn__alloc_array(&s->allocator, (size_t)v->face_count, sizeof *s->pairs);
    s->pair_begin = sn__alloc_array(&s->allocator, (size_t)s->cell_count + 1, sizeof(int));
    if (!s->pairs || !s->pair_begin)
        return false;
    for (int k = 0; k < v->face_count; ++k) {
        const VoronoiFace *f = &v->faces[k];
        s->pairs[k] = (SplitPair){{f->cell, f->other}, -1, -1};
        s->pair_begin[f->cell + 1] = k + 1;
        for (int i = s->begin[f->cell]; i < s->begin[f->cell + 1]; ++i) {
            const int *edge = s->edges[s->edges_of[i]];
            if (edge[0] == f->other || edge[1] == f->other)
                s->pairs[k].edge = s->edges_of[i];
        }
    }
    for (int i = 0; i < s->cell_count; ++i) // those without any
        if (s->pair_begin[i + 1] < s->pair_begin[i])
            s->pair_begin[i + 1] = s->pair_begin[i];
    return true;
}

static void end_cut(SplitCut *cut) {
    const SnAllocator *a = &cut->allocator;
    sn__voronoi_destroy(&cut->voronoi);
    sn__key_table_destroy(&cut->point_keys);
    sn__key_table_destroy(&cut->vertex_keys);
    sn__free(a, cut->points, (size_t)cut->point_capacity * sizeof *cut->points);
    sn__free(a, cut->rims, (size_t)cut->rim_capacity * sizeof *cut->rims);
}

// With caps or without; NULL if it failed.
static SkinSplit *try_cut(const SnAllocator *a, const SplitMesh *m, int seed, bool caps) {
    SkinSplit *s = sn__alloc(a, sizeof *s);
    if (s == NULL)
        return NULL;
    *s = (SkinSplit){.allocator = *a, .cell_count = m->particle_count, .edge_count = m->edge_count};
    SplitCut cut = {.allocator = *a,
                    .mesh = m,
                    .split = s,
                    .voronoi = {.allocator = *a},
                    .point_keys = {.allocator = *a},
                    .vertex_keys = {.allocator = *a}};
    bool good = make_cells(&cut, seed) && list_edges(s, m) && list_pairs(s, &cut.voronoi) &&
                cut_surface(&cut) && (!caps || (sn__split_add_caps(&cut) && cut.balance == 0)) &&
                sn__split_measure(s);
    end_cut(&cut);
    if (good)
        return s;
    sn__skin_split_destroy(s);
    return NULL;
}

SkinSplit *sn__skin_split_create(const SnAllocator *a, const SplitMesh *mesh) {
    SkinSplit *split = NULL;
    if (is_closed(mesh))
        for (int seed = 0; seed < TRIES && split == NULL; ++seed)
            split = try_cut(a, mesh, seed, true);
    for (int seed = 0; seed < TRIES && split == NULL; ++seed)
        split = try_cut(a, mesh, seed, false);
    return split;
}

void sn__skin_split_destroy(SkinSplit *s) {
    const SnAllocator a = s->allocator;
    size_t n = (size_t)s->cell_count, edges = (size_t)s->edge_count;
    sn__free(&a, s->edges, edges * sizeof *s->edges);
    sn__free(&a, s->begin, (n + 1) * sizeof(int));
    sn__free(&a, s->edges_of, 2 * edges * sizeof(int));
    sn__free(&a, s->pairs, (size_t)s->pair_count * sizeof *s->pairs);
    sn__free(&a, s->pair_begin, (n + 1) * sizeof(int));
    sn__free(&a, s->leads, (size_t)s->lead_capacity * sizeof *s->leads);
    sn__free(&a, s->vertices, (size_t)s->vertex_capacity * sizeof *s->vertices);
    sn__free(&a, s->triangles, (size_t)s->triangle_capacity * sizeof *s->triangles);
    sn__free(&a, s, sizeof *s);
}
