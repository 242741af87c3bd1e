// A skin as it is bound: its mesh, its weights, and the rest shape of what it follows. Skins with
// equal definitions share one.
#pragma once

#include "base/memory.h"
#include "geom/pill.h"
#include "skin/kernels.h"
#include "skin/split.h"

// What a skin follows, at rest: bones, which are points of bodies and frames, and the pills that they
// are wrapped in, segments of bodies and colliders on frames.
typedef struct SkinRest {
    int bone_count, pill_count;
    SnVec3 *positions; // of the bones, from the skin's origin
    Pill *pills;       // from there, too
    int *edges;        // the bones at both ends of a pill; on a frame they are the same
} SkinRest;

// False: no memory, and nothing to destroy.
bool sn__skin_rest_create(const SnAllocator *allocator, int bones, int pills, SkinRest *out);
void sn__skin_rest_destroy(const SnAllocator *allocator, SkinRest *rest);

typedef struct SkinModel {
    SnAllocator allocator;
    uint64_t hash; // of all it was made from
    int uses;
    int given_vertices, given_triangles; // of the definition: a split mesh has more
    int vertex_count, triangle_count;
    SnVec3 *positions, *normals;
    uint32_t *triangles;
    int *bones;
    float *weights;
    SkinPoint *points;
    SkinRest rest;
    SkinSplit *split; // NULL: it stays in one piece
    int *leads;       // of a split one: SN_SKIN_BONES per vertex
} SkinModel;

// The edges of the solid that a skin splits with.
typedef struct SkinGraph {
    int edge_count;
    int (*edges)[2];
} SkinGraph;

uint64_t sn__skin_model_hash(const SnSkinDef *def, const SkinRest *rest, const SkinGraph *graph);
// Takes over `rest` if it succeeds. The definition must be valid. NULL: no memory.
SkinModel *sn__skin_model_create(const SnAllocator *allocator, const SnSkinDef *def,
                                 const SkinRest *rest, const SkinGraph *graph);
void sn__skin_model_destroy(SkinModel *model);

// A bone that rests at `rest`, as the blend reads it. Its position is from a pivot.
SkinBone sn__skin_bone(Vec3d position, SnQuat rotation, float scale, SnVec3 rest);
