// Dual marching cubes. In every cell the crossed edges form loops: two edges that the surface joins
// across a face are neighbours. Every loop gets a vertex, every crossed edge of the grid a quad
// between the loops of the four cells around it. That is the dual of a closed surface, so every
// edge of it has two quads.
//
// A face whose corners are inside and outside in turn can be crossed in two ways; as a rule its
// inside corners are cut off. Two cells could then be joined across that face by one loop each, and
// the same two vertices by two edges. Such a face is flipped: its outside corners are cut off, and
// both loops fall apart in two.
#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "geom/iso.h"

typedef struct Loops {
    uint8_t of_edge[12]; // numbers, 255: not crossed
    int count;
} Loops;

typedef struct Tables {
    Loops loops[256];   // no face flipped
    uint8_t twice[256]; // faces across which one loop goes twice
    const IsoCells *cells;
    int32_t *slots; // cell + 1
    uint64_t mask;
} Tables;

// The edge along `axis` at (u, v) on the next two axes, in cyclic order.
static int edge_number(int axis, int u, int v) { return 4 * axis + u + 2 * v; }

static int corner_number(int axis, int at, int u, int v) {
    return at << axis | u << (axis + 1) % 3 | v << (axis + 2) % 3;
}

static void edge_corners(int edge, int *a, int *b) {
    int axis = edge / 4, u = edge & 1, v = edge >> 1 & 1;
    *a = corner_number(axis, 0, u, v);
    *b = corner_number(axis, 1, u, v);
}

// Around the face across `axis` on side `at`: corners, and the edges between each and the next.
static void face_ring(int axis, int at, int corners[4], int edges[4]) {
    static const int us[4] = {0, 1, 1, 0}, vs[4] = {0, 0, 1, 1};
    int next = (axis + 1) % 3, last = (axis + 2) % 3;
    for (int i = 0; i < 4; ++i)
        corners[i] = corner_number(axis, at, us[i], vs[i]);
    // An edge along `next` is at (last, axis), one along `last` at (axis, next).
    edges[0] = edge_number(next, 0, at);
    edges[1] = edge_number(last, at, 1);
    edges[2] = edge_number(next, 1, at);
    edges[3] = edge_number(last, at, 0);
}

static bool is_inside(int inside, int corner) { return inside >> corner & 1; }

static bool is_ambiguous(int inside, const int corners[4]) {
    return is_inside(inside, corners[0]) != is_inside(inside, corners[1]) &&
           is_inside(inside, corners[0]) == is_inside(inside, corners[2]) &&
           is_inside(inside, corners[1]) == is_inside(inside, corners[3]);
}

static void join(uint8_t of_edge[12], int a, int b) {
    uint8_t from = of_edge[a], to = of_edge[b];
    for (int e = 0; e < 12; ++e)
        if (of_edge[e] == from)
            of_edge[e] = to;
}

static void join_face(Loops *loops, int inside, const int corners[4], const int edges[4],
                      bool flip) {
    if (is_ambiguous(inside, corners)) {
        for (int i = 0; i < 4; ++i)
            if (is_inside(inside, corners[i]) != flip)
                join(loops->of_edge, edges[i], edges[(i + 3) % 4]);
        return;
    }
    int last = -1;
    for (int i = 0; i < 4; ++i)
        if (is_inside(inside, corners[i]) != is_inside(inside, corners[(i + 1) % 4])) {
            if (last >= 0)
                join(loops->of_edge, edges[i], edges[last]);
            last = i;
        }
}

static Loops find_loops(int inside, int flips) {
    Loops loops = {.count = 0};
    for (int e = 0; e < 12; ++e) {
        int a, b;
        edge_corners(e, &a, &b);
        loops.of_edge[e] = is_inside(inside, a) != is_inside(inside, b) ? (uint8_t)(100 + e) : 255;
    }
    for (int face = 0; face < 6; ++face) {
        int corners[4], edges[4];
        face_ring(face / 2, face & 1, corners, edges);
        join_face(&loops, inside, corners, edges, flips >> face & 1);
    }
    for (int e = 0; e < 12; ++e) {
        uint8_t name = loops.of_edge[e];
        if (name < 100 || name == 255)
            continue;
        for (int other = e; other < 12; ++other)
            if (loops.of_edge[other] == name)
                loops.of_edge[other] = (uint8_t)loops.count;
        ++loops.count;
    }
    return loops;
}

static void fill_tables(Tables *t) {
    for (int inside = 0; inside < 256; ++inside) {
        t->loops[inside] = find_loops(inside, 0);
        for (int face = 0; face < 6; ++face) {
            int corners[4], edges[4];
            face_ring(face / 2, face & 1, corners, edges);
            const uint8_t *loop = t->loops[inside].of_edge;
            // All four edges in one loop.
            if (is_ambiguous(inside, corners) && loop[edges[0]] == loop[edges[1]] &&
                loop[edges[0]] == loop[edges[2]] && loop[edges[0]] == loop[edges[3]])
                t->twice[inside] |= (uint8_t)(1 << face);
        }
    }
}

static uint64_t slot_of(const Tables *t, int x, int y, int z) {
    uint64_t key = (uint64_t)(uint32_t)x << 42 ^ (uint64_t)(uint32_t)y << 21 ^ (uint32_t)z;
    return sn__hash_mix(sn__hash_mix(1, key), 0) & t->mask;
}

static int find_cell(const Tables *t, int x, int y, int z) {
    for (uint64_t slot = slot_of(t, x, y, z); t->slots[slot] != 0; slot = (slot + 1) & t->mask) {
        const IsoCell *cell = t->cells->cells + t->slots[slot] - 1;
        if (cell->x == x && cell->y == y && cell->z == z)
            return t->slots[slot] - 1;
    }
    return -1;
}

static Loops loops_of(const Tables *t, const IsoCell *cell) {
    return cell->flips ? find_loops(cell->inside, cell->flips) : t->loops[cell->inside];
}

static void find_flips(const Tables *t, IsoCell *cell) {
    for (int face = 0; face < 6; ++face) {
        if (!(t->twice[cell->inside] >> face & 1))
            continue;
        int step = face & 1 ? 1 : -1, axis = face / 2;
        int other = find_cell(t, cell->x + (axis == 0) * step, cell->y + (axis == 1) * step,
                              cell->z + (axis == 2) * step);
        if (other >= 0 && t->twice[t->cells->cells[other].inside] >> (face ^ 1) & 1)
            cell->flips |= (uint8_t)(1 << face);
    }
}

// The mean of where the loop crosses the edges.
static Vec3d loop_centre(const IsoCells *c, const IsoCell *cell, const Loops *loops, int loop) {
    Vec3d sum = {0.0, 0.0, 0.0};
    int count = 0;
    for (int e = 0; e < 12; ++e) {
        if (loops->of_edge[e] != loop)
            continue;
        int a, b;
        edge_corners(e, &a, &b);
        double va = (double)cell->corners[a], vb = (double)cell->corners[b], t = va / (va - vb);
        double x[3];
        for (int axis = 0; axis < 3; ++axis)
            x[axis] = (a >> axis & 1) + (axis == e / 4 ? t : 0.0);
        sum = addd(sum, (Vec3d){x[0], x[1], x[2]});
        ++count;
    }
    assert(count > 0);
    Vec3d at =
        addd(scaled(sum, 1.0 / count), (Vec3d){(double)cell->x, (double)cell->y, (double)cell->z});
    return addd(c->low, scaled(at, c->cell));
}

static void add_vertices(const Tables *t, IsoCell *cell, IsoQuads *q) {
    Loops loops = loops_of(t, cell);
    cell->vertex = q->vertex_count;
    for (int loop = 0; loop < loops.count; ++loop) {
        assert(q->vertex_count < q->vertex_capacity);
        q->positions[q->vertex_count] = loop_centre(t->cells, cell, &loops, loop);
        q->blocks[q->vertex_count++] = cell->block;
    }
}

// Around the edge along `axis` at the cell's first corner. Anticlockwise as seen from its far end;
// the other way round if that is inside.
static void add_quad(const Tables *t, const IsoCell *cell, int axis, IsoQuads *q) {
    static const int us[4] = {1, 0, 0, 1}, vs[4] = {1, 1, 0, 0};
    assert(q->quad_count < q->quad_capacity);
    int *quad = q->quads[q->quad_count];
    for (int i = 0; i < 4; ++i) {
        int at[3] = {cell->x, cell->y, cell->z};
        at[(axis + 1) % 3] -= us[i];
        at[(axis + 2) % 3] -= vs[i];
        int found = find_cell(t, at[0], at[1], at[2]);
        if (found < 0)
            return; // blocks that disagree about a corner; none do, but for rounding
        const IsoCell *other = t->cells->cells + found;
        Loops loops = loops_of(t, other);
        quad[cell->inside & 1 ? i : 3 - i] =
            other->vertex + loops.of_edge[edge_number(axis, us[i], vs[i])];
    }
    ++q->quad_count;
}

static bool reserve(const IsoCells *c, Tables *t, IsoQuads *q) {
    uint64_t size = 16;
    while (size < 2 * (uint64_t)c->cell_count)
        size *= 2;
    t->mask = size - 1;
    t->slots = sn__alloc_array(&c->allocator, size, sizeof *t->slots);
    q->allocator = c->allocator;
    q->vertex_capacity = 4 * c->cell_count;
    q->quad_capacity = c->edge_count;
    q->positions = sn__alloc_array(&c->allocator, (size_t)q->vertex_capacity, sizeof(Vec3d));
    q->normals = sn__alloc_array(&c->allocator, (size_t)q->vertex_capacity, sizeof(Vec3d));
    q->blocks = sn__alloc_array(&c->allocator, (size_t)q->vertex_capacity, sizeof(int));
    q->quads = sn__alloc_array(&c->allocator, (size_t)q->quad_capacity, sizeof(int[4]));
    return t->slots && q->positions && q->normals && q->blocks && q->quads;
}

bool sn__iso_make_quads(IsoCells *c, IsoQuads *out) {
    memset(out, 0, sizeof *out);
    Tables *t = sn__alloc(&c->allocator, sizeof *t);
    if (t == NULL)
        return false;
    fill_tables(t);
    t->cells = c;
    bool complete = reserve(c, t, out);
    for (int i = 0; i < c->cell_count && complete; ++i) {
        uint64_t slot = slot_of(t, c->cells[i].x, c->cells[i].y, c->cells[i].z);
        while (t->slots[slot] != 0)
            slot = (slot + 1) & t->mask;
        t->slots[slot] = i + 1;
    }
    for (int i = 0; i < c->cell_count && complete; ++i)
        find_flips(t, c->cells + i);
    for (int i = 0; i < c->cell_count && complete; ++i)
        add_vertices(t, c->cells + i, out);
    for (int i = 0; i < c->cell_count && complete; ++i)
        for (int axis = 0; axis < 3; ++axis) {
            int inside = c->cells[i].inside;
            if (is_inside(inside, 0) != is_inside(inside, 1 << axis))
                add_quad(t, c->cells + i, axis, out);
        }
    if (t->slots)
        sn__free(&c->allocator, t->slots, (size_t)(t->mask + 1) * sizeof *t->slots);
    sn__free(&c->allocator, t, sizeof *t);
    return complete;
}

void sn__iso_free_quads(IsoQuads *q) {
    const SnAllocator *a = &q->allocator;
    sn__free(a, q->positions, (size_t)q->vertex_capacity * sizeof(Vec3d));
    sn__free(a, q->normals, (size_t)q->vertex_capacity * sizeof(Vec3d));
    sn__free(a, q->blocks, (size_t)q->vertex_capacity * sizeof(int));
    sn__free(a, q->quads, (size_t)q->quad_capacity * sizeof(int[4]));
}
