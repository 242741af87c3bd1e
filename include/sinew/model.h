// Models made by code: creatures as graphs of pills, and meshes around pills.
#pragma once

#include "math.h"

#ifdef __cplusplus
extern "C" {
#endif

// Arrays of one allocation; free them with sn_model_destroy.
typedef struct SnModel {
    int vertex_count, edge_count;
    SnVec3 *positions; // m
    float *radii;      // m
    int *edges;        // two vertices per edge
    SnAllocator allocator;
    size_t size;
} SnModel;

typedef struct SnMesh {
    int vertex_count, triangle_count;
    SnVec3 *positions, *normals;
    uint32_t *triangles; // three per triangle, anticlockwise from outside
    SnAllocator allocator;
    size_t size;
} SnMesh;

// An octopus: 38 vertices and 38 pills, eight arms on a head with two eyes, y up, its root at the
// origin; `size` is the length of an arm's reach from the root, m. `allocator` may be NULL: malloc.
SN_API SnResult sn_octopus(float size, const SnAllocator *allocator, SnModel *out_model);
SN_API void sn_model_destroy(SnModel *model);

typedef struct SnIsoDef {
    uint32_t cookie; // set by sn_default_iso_def
    int vertex_count, edge_count;
    const SnVec3 *positions;
    const float *radii;
    const int *edges;
    // About so many, 100 to 10 million; more where pills are too thin for triangles so large.
    int triangles;
    // m, how far a crease between pills at a right angle is filled; SN_DERIVED: half the smallest
    // radius.
    float blend;
    float grow; // m, the surface is so far outside the pills
    // m: hollows narrower than twice this are filled, as skin spans from muscle to muscle. The surface is
    // made so much farther outside, and taken back along its normals.
    float close;
    // m: before it is taken back, the surface is blurred over about this width, so that no edges of pills are
    // seen. What has a radius r shrinks by about smooth²/2(r + grow + close).
    float smooth;
} SnIsoDef;

// The skin around a graph of pills: closed, smooth, evenly meshed.
SN_API SnIsoDef sn_default_iso_def(void);
SN_API SnResult sn_iso_mesh(const SnIsoDef *def, const SnAllocator *allocator, SnMesh *out_mesh);
SN_API void sn_mesh_destroy(SnMesh *mesh);

#ifdef __cplusplus
}
#endif
