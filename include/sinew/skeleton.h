// Skeletons: joints that hang on each other, clips that move them, and meshes that follow them.
//
//     SnSkeleton *skeleton; // from a file (skeleton_file.h), or from sn_skeleton_create
//     SnCue walk = sn_default_cue();
//     walk.clip = sn_skeleton_find_clip(skeleton, "walk");
//     sn_skeleton_play(skeleton, &walk, 1, time, locals);
//     sn_skeleton_maps(skeleton, locals, NULL, maps);
//
// A skeleton never changes once it is made: any number of characters and threads may share one. What
// plays is a list of cues, and the pose is a function of time alone. rig.h brings one into a world.
#pragma once

#include "math.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SnSkeleton SnSkeleton;

#define SN_MAX_JOINTS (1 << 20)
#define SN_MESH_JOINTS 8 // that one vertex of a mesh follows, at most

// First the scale along its axes, then the rotation, then the translation.
typedef struct SnTransform {
    SnVec3 translation;
    SnQuat rotation;
    SnVec3 scale;
} SnTransform;

// Where the axes of a space and its origin are in another one: x·p.x + y·p.y + z·p.z + origin. With
// it go scales of any sort, also negative ones and those that shear.
typedef struct SnMap {
    SnVec3 x, y, z, origin;
} SnMap;

typedef struct SnJointDef {
    const char *name; // "" or NULL: none
    int parent;       // a joint before this one; −1: none
    SnTransform rest; // relative to its parent
    bool bone;        // it is a bone's end: between two such joints there is a bone
} SnJointDef;

typedef enum SnKeyPath {
    SN_KEYS_TRANSLATION, // x y z
    SN_KEYS_ROTATION,    // x y z w
    SN_KEYS_SCALE,       // x y z
} SnKeyPath;

typedef enum SnKeyCurve {
    SN_KEYS_LINEAR, // straight between keys, along the great circle for rotations
    SN_KEYS_STEP,   // each key holds until the next
    SN_KEYS_CUBIC, // cubic; each key has three values: the slope before it (1/s), itself, the slope after
} SnKeyCurve;

// What one part of one joint does.
typedef struct SnChannelDef {
    int joint;
    SnKeyPath path;
    SnKeyCurve curve;
    int key_count;       // at least 1
    const float *times;  // s, increasing
    const float *values; // three or four numbers per value
} SnChannelDef;

typedef struct SnClipDef {
    const char *name; // "" or NULL: none
    int channel_count;
    const SnChannelDef *channels; // at most one per joint and path
} SnClipDef;

// A mesh that follows joints by linear blending. What follows one joint alone is rigid.
typedef struct SnSkeletonMesh {
    const char *name;
    int vertex_count, triangle_count, joint_count;
    const SnVec3 *positions, *normals; // in the space that the binds lead out of
    const uint32_t *triangles;         // three per triangle
    const int *joints;                 // those it follows
    const SnMap *binds;                // one per such joint: from the mesh's space to the joint's
    const int *vertex_joints;    // SN_MESH_JOINTS per vertex, counted in `joints`; 0 if unused
    const float *vertex_weights; // they sum up to 1; 0 if unused
    float colour[3];             // linear light
    const float *texcoords;      // two per vertex, as glTF has them; NULL: none
    int image;                   // that is painted on it, if it has these; −1: none
} SnSkeletonMesh;

// A PNG or JPEG file that meshes are painted with, byte for byte. Nothing here looks into it; it goes
// with the skeleton into GLB files.
typedef struct SnSkeletonImage {
    const char *mime; // "image/png" or "image/jpeg"
    const void *bytes;
    size_t size;
} SnSkeletonImage;

typedef struct SnSkeletonDef {
    uint32_t cookie;  // set by sn_default_skeleton_def
    const char *name; // for error messages, may be NULL; not kept
    int joint_count, clip_count, mesh_count, image_count;
    const SnJointDef *joints;
    const SnClipDef *clips;
    const SnSkeletonMesh *meshes;
    const SnSkeletonImage *images;
} SnSkeletonDef;

// Nothing in it; at least one joint must be given.
SN_API SnSkeletonDef sn_default_skeleton_def(void);
// Copies all of the definition. SN_ERROR_INVALID names what cannot be used: a parent that does not
// come before its child, times that do not increase, numbers that are not finite. `allocator` may be
// NULL: malloc.
SN_API SnResult sn_skeleton_create(const SnSkeletonDef *def, const SnAllocator *allocator,
                                   SnSkeleton **out_skeleton);
SN_API void sn_skeleton_destroy(SnSkeleton *skeleton); // NULL is allowed

SN_API int sn_skeleton_joint_count(const SnSkeleton *skeleton);
// `joint` must be in [0, count). The name is never NULL and lives as long as the skeleton.
SN_API SnJointDef sn_skeleton_joint(const SnSkeleton *skeleton, int joint);
// The first one of that name, or −1.
SN_API int sn_skeleton_find_joint(const SnSkeleton *skeleton, const char *name);

typedef struct SnClip {
    const char *name; // never NULL
    double duration;  // s, from its first key to its last
    int channel_count;
} SnClip;

SN_API int sn_skeleton_clip_count(const SnSkeleton *skeleton);
SN_API SnClip sn_skeleton_clip(const SnSkeleton *skeleton, int clip); // in [0, count)
SN_API int sn_skeleton_find_clip(const SnSkeleton *skeleton, const char *name);

SN_API int sn_skeleton_mesh_count(const SnSkeleton *skeleton);
// `mesh` must be in [0, count). Its arrays live as long as the skeleton.
SN_API SnSkeletonMesh sn_skeleton_mesh(const SnSkeleton *skeleton, int mesh);
SN_API int sn_skeleton_image_count(const SnSkeleton *skeleton);
SN_API SnSkeletonImage sn_skeleton_image(const SnSkeleton *skeleton, int image); // in [0, count)

// Poses: one transform per joint, relative to its parent.

// As it is without a clip.
SN_API SnResult sn_skeleton_rest(const SnSkeleton *skeleton, SnTransform *out_locals);
// A clip, `time` seconds after its first key; before that it holds its first key, and after its last
// key that one. What the clip does not move is at rest.
SN_API SnResult sn_skeleton_sample(const SnSkeleton *skeleton, int clip, double time,
                                   SnTransform *out_locals);
// Between two poses: a at weight 0, b at 1. Rotations go along the great circle, the shorter way.
// out_locals may be a or b.
SN_API SnResult sn_skeleton_blend(const SnSkeleton *skeleton, const SnTransform *a,
                                  const SnTransform *b, float weight, SnTransform *out_locals);

// From some time on, a clip plays.
typedef struct SnCue {
    double start;  // s
    int clip;      // −1: the rest pose
    double offset; // s, where in the clip it starts
    double speed;  // 2: twice as fast, 0: it stands, negative: backwards
    bool loop;     // else it stays at its end
    double fade;   // s, over which it takes the place of the cue before; both play meanwhile
} SnCue;

// The rest pose from time 0 on; a clip would be looped at its own speed.
SN_API SnCue sn_default_cue(void);
// Where a cue has come to in its clip, s after the first key.
SN_API double sn_skeleton_cue_time(const SnSkeleton *skeleton, const SnCue *cue, double time);
// The pose at `time`. Cues are in the order of their starts; before the first one starts, it stands
// at its beginning. Fades begin and end gently. No cues: the rest pose.
SN_API SnResult sn_skeleton_play(const SnSkeleton *skeleton, const SnCue *cues, int cue_count,
                                 double time, SnTransform *out_locals);

// Where all joints are: `place` leads from the skeleton's space to the one that is asked for, NULL:
// they are the same.
SN_API SnResult sn_skeleton_maps(const SnSkeleton *skeleton, const SnTransform *locals,
                                 const SnMap *place, SnMap *out_maps);
// What is rigid in a map: its origin and the rotation nearest to it, which turns as the map turns,
// however that scales. Of a map that mirrors, it is that of the map with all axes reversed; of one
// that is flat, it is not defined and the identity.
SN_API SnPose sn_map_pose(const SnMap *map);
// A mesh with its joints there. out_normals may be NULL. Arrays are those of the mesh in size.
SN_API SnResult sn_skeleton_deform(const SnSkeleton *skeleton, int mesh, const SnMap *maps,
                                   SnVec3 *out_positions, SnVec3 *out_normals);

// A pill between a joint and its parent, in the coordinates of the parent's rigid pose.
typedef struct SnBone {
    int joint, parent;
    SnVec3 from, to; // m
    float radius;    // m
} SnBone;

// The bones of a skeleton in these places, as many as there are: one for every joint that is a bone's
// end as its parent is, and lies apart from it. A root that no part
// of a mesh follows most of all, where there are meshes, only steers the others and has no bones. The radius is a tenth of the length, but no more than
// a fifth of the mean length of all bones, so that one long bone of many stays slim. `out_bones` may
// be NULL; it has room for as many bones as there are joints.
SN_API int sn_skeleton_bones(const SnSkeleton *skeleton, const SnMap *maps, SnBone *out_bones);

#ifdef __cplusplus
}
#endif
