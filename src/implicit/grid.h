// The field of one part: a signed distance and its gradient on the points of a grid, three-linear
// between them, and what makes a compactly supported field of it.
#pragma once

#include "implicit/hrbf.h"

typedef struct FieldGrid {
    SnAllocator allocator;
    int size[3];         // points
    Vec3d low;           // of the first point
    double cell;         // m
    double reach;        // m: the field is 1 so deep inside and 0 so far outside
    float (*samples)[4]; // gradient and distance, x fastest
} FieldGrid;

#define FIELD_GRID_POINTS 40 // along the longest side, at most

// Room for the function around [low, high]. False: no memory.
bool sn__field_grid_create(const SnAllocator *allocator, Vec3d low, Vec3d high, double reach,
                           FieldGrid *out);
// Samples the function at one layer of points, in [0, size[2]).
void sn__field_grid_sample(FieldGrid *grid, const Hrbf *hrbf, int layer);
void sn__field_grid_destroy(FieldGrid *grid);

static inline size_t sn__field_grid_points(const FieldGrid *g) {
    return (size_t)g->size[0] * (size_t)g->size[1] * (size_t)g->size[2];
}
