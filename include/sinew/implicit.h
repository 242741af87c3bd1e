// Implicit skins: the meshes of a skeleton, moved so that they neither collapse nor pass through
// themselves where joints bend.
//
//     SnImplicitDef def = sn_default_implicit_def();
//     def.skeleton = skeleton;
//     SnImplicit *skin;
//     sn_implicit_create(&def, NULL, &skin);
//     for each frame { sn_skeleton_maps(…, maps); sn_implicit_deform(skin, maps); }
//     SnImplicitMesh mesh = sn_implicit_mesh(skin, 0);
//
// The vertices that follow a joint most of all make a part. A part is a field around its joint: ½ on the
// skin, 1 deep inside, 0 far outside. Fields move rigidly with their joints and are combined; every vertex
// starts where linear or dual quaternion blending puts it, and goes along the gradient until the
// field has the value it had at rest, or until its part touches another one. docs/implicit.md has the method.
#pragma once

#include "muscle_field.h"
#include "skeleton.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SnImplicit SnImplicit;

#define SN_MAX_FIELD_CENTRES 96
#define SN_MAX_SKIN_MUSCLES 4096

typedef enum SnBlending {
    SN_BLEND_LINEAR,
    SN_BLEND_DUAL_QUATERNIONS,
} SnBlending;

// Fat under the skin: it hangs elastically on where fields and muscles put it, and swings after it.
typedef struct SnFat {
    float thickness; // m, of the bound meshes: it swings by less than that; 0: none
    float frequency; // Hz, 0.1 to 1000
    float damping;   // over the critical one, 0 to 0.95
} SnFat;

typedef struct SnImplicitDef {
    uint32_t cookie;            // set by sn_default_implicit_def
    const char *name;           // for error messages, may be NULL; not kept
    const SnSkeleton *skeleton; // must live as long as the skin
    SnBlending start;           // where vertices start from
    int centres;                // of the field of a part, 8 to SN_MAX_FIELD_CENTRES
    int rounds;                 // of relaxation and marching per frame, 1 to 100
    SnFat fat;                  // less where parts are thin, at most 0.3 of their radius
    float bulge;                // how much skin swells next to where it touches itself, 0 to 1
    // Muscles that the skin lies on. When it is made, they must be at rest, where the meshes were bound
    // (sn_skeleton_bound_maps); before every frame, the user moves them. They must live as long as the skin.
    int muscle_count;
    const SnMuscleField *const *muscles;
    // Threads: your own task system, or so many of ours; 0: one per core.
    SnTaskSystem tasks;
    int thread_count;
    SnIsa isa;
} SnImplicitDef;

// Where all joints were when the meshes were bound, in one space: that of the rest pose, as far as both
// agree. Errors are those of sn_implicit_create. It takes memory.
SN_API SnResult sn_skeleton_bound_maps(const SnSkeleton *skeleton, SnMap *out_maps);

// Dual quaternions, 50 centres, 8 rounds, a bulge of 0.1, one thread; no fat, but if it gets a thickness, of 4 Hz
// and a damping of 0.2.
SN_API SnImplicitDef sn_default_implicit_def(void);
// Fits the fields. SN_ERROR_INVALID: the skeleton has no mesh that
// follows two joints, or what the definition has wrong. `allocator` may be NULL: malloc.
SN_API SnResult sn_implicit_create(const SnImplicitDef *def, const SnAllocator *allocator,
                                   SnImplicit **out_skin);
SN_API void sn_implicit_destroy(SnImplicit *skin); // NULL is allowed

// The next frame, with all joints there (sn_skeleton_maps). It begins with what the frame before added
// to blending; in the first one, and where that has gone astray, with blending alone. No allocation.
SN_API SnResult sn_implicit_deform(SnImplicit *skin, const SnMap *maps);
// The same, so long after the frame before: fat swings only with time, and is at rest without.
SN_API SnResult sn_implicit_deform_after(SnImplicit *skin, const SnMap *maps, float seconds);
// Forgets the frame before, for a character that is somewhere else at once.
SN_API void sn_implicit_reset(SnImplicit *skin);

// A mesh of the skeleton as it is after the last sn_implicit_deform; before the first, as it is stored.
// Arrays are those of the mesh in size and live as long as the skin.
typedef struct SnImplicitMesh {
    int vertex_count;
    const SnVec3 *positions, *normals;
    // By blending as `start` says, without fields; NULL for what follows one joint alone.
    const SnVec3 *blended;
} SnImplicitMesh;

SN_API SnImplicitMesh sn_implicit_mesh(const SnImplicit *skin, int mesh); // in [0, count)

typedef struct SnImplicitInfo {
    int part_count;
    int point_count; // places of vertices; those of a seam are one
    int tracked;     // points that follow fields; the others are blended
    double fit;      // m, mean distance of the points of parts from the surfaces of their fields
    double height;   // m, of the meshes at rest, the longest side of the box around them
    // Of the last frame:
    int touching; // points that lie at another part
    int lost;     // points that started anew
    double away;  // m, the largest distance that tracked points have left to go
} SnImplicitInfo;

SN_API SnImplicitInfo sn_implicit_info(const SnImplicit *skin);
// The joint of the part that a muscle lies in, −1 outside [0, muscle_count).
SN_API int sn_implicit_muscle_joint(const SnImplicit *skin, int muscle);
// The joint of a part, in [0, part_count).
SN_API int sn_implicit_part_joint(const SnImplicit *skin, int part);

#ifdef __cplusplus
}
#endif
