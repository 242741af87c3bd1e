// Smoothing of an iso-surface: what pills leave of their edges goes, what is wider stays.
#include "geom/iso.h"

// In a round, every vertex goes half of the way to the mean of its neighbours. With edges of length h
// that blurs the surface by a bell curve of variance h²/4 along each direction, so that n rounds blur
// it over √n h/2.
#define SHARE 0.5

typedef struct Sums {
    Vec3d *places;
    int *counts;
} Sums;

static void add(const IsoQuads *q, Sums *sums, int from, int to) {
    sums->places[to] = addd(sums->places[to], q->positions[from]);
    ++sums->counts[to];
}

static void smooth_once(IsoQuads *q, Sums *sums) {
    for (int i = 0; i < q->vertex_count; ++i) {
        sums->places[i] = (Vec3d){0};
        sums->counts[i] = 0;
    }
    for (int i = 0; i < q->quad_count; ++i)
        for (int k = 0; k < 4; ++k) { // every edge comes twice, once from each side
            int a = q->quads[i][k], b = q->quads[i][(k + 1) % 4];
            add(q, sums, a, b);
            add(q, sums, b, a);
        }
    for (int i = 0; i < q->vertex_count; ++i) {
        if (sums->counts[i] == 0)
            continue;
        Vec3d mean = scaled(sums->places[i], 1.0 / sums->counts[i]);
        q->positions[i] = addd(q->positions[i], scaled(subd(mean, q->positions[i]), SHARE));
    }
}

// Normals of the quads, by their areas: half the cross product of the diagonals.
static void take_normals(IsoQuads *q, Vec3d *sums) {
    for (int i = 0; i < q->vertex_count; ++i)
        sums[i] = (Vec3d){0};
    for (int i = 0; i < q->quad_count; ++i) {
        const int *v = q->quads[i];
        Vec3d n = crossd(subd(q->positions[v[2]], q->positions[v[0]]),
                         subd(q->positions[v[3]], q->positions[v[1]]));
        for (int k = 0; k < 4; ++k)
            sums[v[k]] = addd(sums[v[k]], n);
    }
    for (int i = 0; i < q->vertex_count; ++i) {
        double length = lengthd(sums[i]);
        if (length > 0.0)
            q->normals[i] = scaled(sums[i], 1.0 / length);
    }
}

double sn__iso_rounds(const IsoQuads *q, double width) {
    double squares = 0.0;
    for (int i = 0; i < q->quad_count; ++i)
        for (int k = 0; k < 4; ++k) {
            Vec3d edge = subd(q->positions[q->quads[i][k]], q->positions[q->quads[i][(k + 1) % 4]]);
            squares += dotd(edge, edge) / (4.0 * q->quad_count);
        }
    return squares > 0.0 ? ceil(4.0 * width * width / squares) : 0.0;
}

bool sn__iso_smooth(IsoQuads *q, int rounds) {
    if (rounds == 0)
        return true;
    size_t n = (size_t)q->vertex_count;
    Sums sums = {sn__alloc_array(&q->allocator, n, sizeof(Vec3d)),
                 sn__alloc_array(&q->allocator, n, sizeof(int))};
    bool complete = sums.places && sums.counts;
    for (int round = 0; round < rounds && complete; ++round)
        smooth_once(q, &sums);
    if (complete)
        take_normals(q, sums.places);
    sn__free(&q->allocator, sums.places, n * sizeof(Vec3d));
    sn__free(&q->allocator, sums.counts, n * sizeof(int));
    return complete;
}
