// A skin as it is bound: its mesh, its weights, and the rest shape of the rods it follows. Skins
// with equal definitions share one.
#pragma once

#include "base/memory.h"
#include "math/vec.h"
#include "skin/kernels.h"

// Rods in their rest shape. Bones are their vertices, counted through.
typedef struct SkinRest {
    int bone_count, segment_count;
    SnVec3 *positions; // from the skin's origin
    float *radii;
    SnQuat *frames; // of the segments
    int *edges;     // two bones per segment
} SkinRest;

// False: no memory, and nothing to destroy.
bool sn__skin_rest_create(const SnAllocator *allocator, int bones, int segments, SkinRest *out);
void sn__skin_rest_destroy(const SnAllocator *allocator, SkinRest *rest);

typedef struct SkinModel {
    SnAllocator allocator;
    uint64_t hash; // of all it was made from
    int uses;
    int vertex_count, triangle_count;
    SnVec3 *positions, *normals;
    uint32_t *triangles;
    int *bones;
    float *weights;
    int *bone_segments; // as given, or NULL
    SkinPoint *points;
    SkinRest rest;
    int *incident_begin; // bone_count + 1
    int *incident;       // segments each bone turns with
} SkinModel;

uint64_t sn__skin_model_hash(const SnSkinDef *def, const SkinRest *rest);
// Takes over `rest` if it succeeds. The definition must be valid. NULL: no memory.
SkinModel *sn__skin_model_create(const SnAllocator *allocator, const SnSkinDef *def,
                                 const SkinRest *rest);
void sn__skin_model_destroy(SkinModel *model);

// Rods as they are now: like SkinRest, positions from a pivot.
typedef struct SkinPose {
    const SnVec3 *positions;
    const float *scales;
    const SnQuat *frames;
} SkinPose;

// The turn of a bone is the mean turn of its segments, weighted by their rest length.
void sn__skin_bones(const SkinModel *model, const SkinPose *pose, SkinBone *out_bones);
