// How far points are from a mesh.
#pragma once

#include "fit/memory.h"
#include "geom/bvh.h"
#include "math/vec.h"

typedef struct FitNearest {
    const Vec3d *points;
    int (*triangles)[3];
    Bvh bvh;
} FitNearest;

// Keeps both lists, which have at least one triangle. False: no memory, and there is nothing to end.
bool sn__fit_nearest_begin(FitMemory *memory, const Vec3d *points, int (*triangles)[3], int count,
                           FitNearest *out);
void sn__fit_nearest_end(FitNearest *nearest);

// The distance from x to the nearest triangle.
double sn__fit_nearest(const FitNearest *nearest, Vec3d x);
