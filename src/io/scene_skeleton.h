// Skeletons of a scene: from files or written inside it.
#pragma once

#include <sinew/implicit.h>
#include <sinew/rig.h>

#include "io/scene_parts.h"

// A pill between two joints, or a part of the skeleton's mesh, in the rigid space of its parent.
typedef struct SceneBone {
    SnBone pill;
    int vertex_count, triangle_count;
    SnVec3 *vertices; // NULL: it is a pill
    uint32_t *triangles;
} SceneBone;

// One entry of "skeleton".
struct SceneSkeleton {
    const char *name;  // "" if it has none
    const char *file;  // as the scene gives it; "" if joints are given
    const char *model; // made by code; "" if it is none
    const char *path;  // seen from where the scene file is seen from; NULL if joints are given
    SnSkeleton *skeleton;
    float scale;
    SnVec3 position;
    SnQuat rotation;
    // What plays: a list, or one clip.
    const char *clip;
    double speed, offset;
    bool loop;
    int cue_count;
    SnCue *cues;
    // Bones, which are the colliders of the scene behind those of the file.
    int bone_count;
    SceneBone *bones;
    SnSurface surface;
    SnFilter filter;
    SceneColours colours;
    bool implicit;      // its meshes are an implicit skin
    SnFat fat;          // under it
    bool mesh, visible; // shown in pictures: its meshes, its bones
    int first_frame;    // its joints are frames of the scene from here on
    SnRig *rig;         // of the world built last
    SnMap *bound;       // joints where meshes were bound, where muscles need them; else NULL
};

// One joint, channel, cue or bone as its table reads it.
typedef struct JointEntry {
    const char *name;
    SnTransform rest;
} JointEntry;

typedef struct ClipEntry {
    const char *name;
} ClipEntry;

typedef struct CueEntry {
    double time, offset, speed, fade;
    bool loop;
} CueEntry;

typedef struct BoneEntry {
    float radius;
} BoneEntry;

// "joints" and "clips" of an entry; NULL after a complaint.
SnSkeleton *sn__read_inline_skeleton(Reader *reader, const Json *json);
// The joint of that name, or −1 after a complaint that suggests the nearest; the same for clips.
int sn__read_joint(Reader *reader, const SnSkeleton *skeleton, const Json *value);
int sn__read_clip(Reader *reader, const SnSkeleton *skeleton, const Json *value);
// "bones": whether there are those between joints, or a list of others. Joints are at rest there.
void sn__read_bones(Reader *reader, const Json *json, const SnMap *rest, SceneSkeleton *entry);
// "JOINT", or "SKELETON/JOINT" if the skeleton has a name.
const char *sn__joint_name(Reader *reader, const SceneSkeleton *entry, int joint);
// Where the space of the skeleton is in the world.
SnMap sn__skeleton_place(const SceneSkeleton *entry);
