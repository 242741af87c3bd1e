// The wide kernel of skins, one table per instruction set.
#pragma once

#include "sinew/skin.h"

// A bone as a matrix by columns: scale × rotation since the rest pose, then the translation. It leads
// from the skin's origin to places relative to a pivot near the skin, so that nothing is lost far
// from the origin of the world before the very last addition.
typedef struct SkinBone {
    float column[4][4];
} __attribute__((aligned(64))) SkinBone;

// A vertex at rest. Its position and two tangents are followed by how the weights change along
// those, so that the normal takes part in what neighbouring bones do to each other: where a rod
// bulges, or an arm bends away from a head, turning the rest normal is not enough.
typedef struct SkinPoint {
    float x[4], u[4], v[4]; // x has 1 as its last, the unit tangents 0; u × v is the normal
    float weight[SN_SKIN_BONES], along_u[SN_SKIN_BONES], along_v[SN_SKIN_BONES];
    uint32_t bone[SN_SKIN_BONES];
} __attribute__((aligned(16))) SkinPoint;

// Linear blend skinning with scale. x' = Σ w_k (s_k R_k (x̄ − x̄_k) + x_k); the normal is that of the
// blended surface, ∂x'/∂u × ∂x'/∂v. Three floats per point each, no gaps.
typedef void SkinBlend(const SkinPoint *points, int count, const SkinBone *bones, SnVec3 pivot,
                       float *out_positions, float *out_normals);

// NULL if the library was built without it.
SkinBlend *sn__skin_blend(SnIsa isa);
