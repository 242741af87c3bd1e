// How weights change along the surface of a skin at rest.
#pragma once

#include "skin/kernels.h"
#include "skin/surface.h"

typedef struct SkinSlopes {
    const SkinSurface *surface;
    const SnVec3 *positions;
    const int *bones; // SN_SKIN_BONES per vertex
    const float *weights;
    const SnVec3 *normals; // of the vertices
} SkinSlopes;

// What the kernel needs of a vertex.
void sn__skin_point(const SkinSlopes *slopes, int vertex, SkinPoint *out_point);
