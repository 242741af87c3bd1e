// The inside of a skeleton.
#pragma once

#include "base/memory.h"
#include "math/map.h"

typedef struct Clip {
    const char *name;
    int channel_count;
    const SnChannelDef *channels; // sorted by joint, then by path
    double first, last;           // s, of all keys; both 0 if there are none
} Clip;

struct SnSkeleton {
    SnAllocator allocator;
    size_t size; // of the block that all of it lies in
    int joint_count, clip_count, mesh_count, image_count;
    SnJointDef *joints;
    bool *carries; // per joint: some part of a mesh follows it most of all
    Clip *clips;
    SnSkeletonMesh *meshes;
    SnSkeletonImage *images;
};

// How many numbers a value of this path has.
static inline int sn__key_width(SnKeyPath path) { return path == SN_KEYS_ROTATION ? 4 : 3; }

// What is wrong with a definition.
SnResult sn__skeleton_check(const SnSkeletonDef *def);

// One joint of a clip, `time` s after its first key; a negative clip is the rest pose.
SnTransform sn__sample_joint(const SnSkeleton *skeleton, int clip, int joint, double time);
SnTransform sn__blend_joint(const SnTransform *a, const SnTransform *b, double weight);
