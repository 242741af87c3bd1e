#include <assert.h>

#include "geom/iso.h"

// Rounds of evening out, and how far a vertex goes towards the middle of its neighbours in one.
#define ROUNDS 10
#define STEP 0.6
#define LAST_PROJECTIONS 3

// Of the differences that normals are made of, in cells.
#define REACH 0.1

typedef struct Sum {
    Vec3d positions;
    double count;
} Sum;

static double value_at(const IsoCells *c, const IsoQuads *q, int i, Vec3d offset, Vec3d *gradient) {
    assert(i >= 0 && i < q->vertex_count && q->blocks[i] < c->block_count);
    const IsoBlock *b = c->blocks + q->blocks[i];
    Vec3d x = addd(q->positions[i], offset);
    return sn__blend_at(&c->blend, c->lists + b->list, b->list_count, x, gradient) - c->grow;
}

// One step of Newton's method to the surface, at most a cell long.
static void project(const IsoCells *c, IsoQuads *q, int i) {
    Vec3d gradient;
    double value = value_at(c, q, i, (Vec3d){0.0, 0.0, 0.0}, &gradient);
    double n = dotd(gradient, gradient);
    if (!(n > 1e-6))
        return;
    double step = value / sqrt(n), most = c->cell;
    q->normals[i] = scaled(gradient, 1.0 / sqrt(n));
    step = fmin(fmax(step, -most), most);
    q->positions[i] = subd(q->positions[i], scaled(q->normals[i], step));
}

static void add_edge(Sum *sums, const IsoQuads *q, int a, int b) {
    sums[a].positions = addd(sums[a].positions, q->positions[b]);
    sums[a].count += 1.0;
    sums[b].positions = addd(sums[b].positions, q->positions[a]);
    sums[b].count += 1.0;
}

// Every vertex slides along the surface towards the middle of its neighbours.
static void even_out(const IsoCells *c, IsoQuads *q, Sum *sums) {
    for (int i = 0; i < q->vertex_count; ++i)
        sums[i] = (Sum){{0.0, 0.0, 0.0}, 0.0};
    for (int i = 0; i < q->quad_count; ++i)
        for (int e = 0; e < 4; ++e)
            add_edge(sums, q, q->quads[i][e], q->quads[i][(e + 1) % 4]);
    for (int i = 0; i < q->vertex_count; ++i) {
        if (sums[i].count == 0.0)
            continue;
        Vec3d way = subd(scaled(sums[i].positions, 1.0 / sums[i].count), q->positions[i]);
        way = subd(way, scaled(q->normals[i], dotd(way, q->normals[i])));
        q->positions[i] = addd(q->positions[i], scaled(way, STEP));
        project(c, q, i);
    }
}

// From the values at the corners of a tetrahedron around the vertex: the gradient that comes with a
// value leaves out how the width of the blend changes.
static void find_normal(const IsoCells *c, IsoQuads *q, int i) {
    static const Vec3d corners[4] = {
        {1.0, 1.0, 1.0}, {1.0, -1.0, -1.0}, {-1.0, 1.0, -1.0}, {-1.0, -1.0, 1.0}};
    Vec3d sum = {0.0, 0.0, 0.0}, unused;
    for (int k = 0; k < 4; ++k) {
        double value = value_at(c, q, i, scaled(corners[k], REACH * c->cell), &unused);
        sum = addd(sum, scaled(corners[k], value));
    }
    double length = lengthd(sum);
    if (length > 0.0)
        q->normals[i] = scaled(sum, 1.0 / length);
}

bool sn__iso_relax(const IsoCells *c, IsoQuads *q) {
    Sum *sums = sn__alloc_array(&c->allocator, (size_t)q->vertex_count, sizeof *sums);
    if (sums == NULL)
        return false;
    for (int i = 0; i < q->vertex_count; ++i)
        project(c, q, i);
    for (int round = 0; round < ROUNDS; ++round)
        even_out(c, q, sums);
    for (int i = 0; i < q->vertex_count; ++i) {
        for (int n = 0; n < LAST_PROJECTIONS; ++n)
            project(c, q, i);
        find_normal(c, q, i);
    }
    sn__free(&c->allocator, sums, (size_t)q->vertex_count * sizeof *sums);
    return true;
}
