// A skeleton in a world: a frame for every joint, which moves as the joint does, and bones, pills that
// bodies touch and cannot move.
//
//     SnRigDef def = sn_default_rig_def();
//     def.skeleton = skeleton;
//     def.cues = &walk;
//     def.cue_count = 1;
//     sn_rig_create(world, &def, &rig);
//     attachment.frame = sn_rig_frame(rig, sn_skeleton_find_joint(skeleton, "hand"));
//     for each step { sn_rig_move(rig, world, time + step, step); sn_world_step(world, step, …); }
#pragma once

#include "collider.h"
#include "skeleton.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SnRig SnRig;

typedef struct SnRigDef {
    uint32_t cookie;              // set by sn_default_rig_def
    const SnSkeleton *skeleton;   // kept: it must live as long as the rig
    const SnAllocator *allocator; // of the rig itself; NULL: the world's. Not kept
    // Where the skeleton's space is in the world: scaled, turned, moved.
    float scale;
    SnPose pose;
    int cue_count;
    const SnCue *cues; // copied; none: it stands at rest
    double time;       // s, at which it starts
    // Bones of your own, in coordinates of their parents (SnBone); copied. Without any, and with
    // `own_bones` false, they are those of sn_skeleton_bones at rest.
    bool own_bones;
    int bone_count;
    const SnBone *bones;
    SnSurface surface; // of the bones
    SnFilter filter;
} SnRigDef;

// Of its own size, where the world's origin is, from time 0 on.
SN_API SnRigDef sn_default_rig_def(void);
// Makes the frames and bones in the world. SN_ERROR_INVALID for what cannot be used.
SN_API SnResult sn_rig_create(SnWorld *world, const SnRigDef *def, SnRig **out_rig);
// Frees the rig; its frames and bones stay in the world, which may be gone. NULL is allowed.
SN_API void sn_rig_destroy(SnRig *rig);
// Takes its frames and bones out of the world. What was attached to them stays where it is.
SN_API SnResult sn_rig_remove(SnRig *rig, SnWorld *world);

// Other cues from now on; they are copied. A fade from what plays now needs that cue as the first one.
SN_API SnResult sn_rig_set_cues(SnRig *rig, const SnCue *cues, int cue_count);
// Those that play, valid until others are set. Returns their number.
SN_API int sn_rig_cues(const SnRig *rig, const SnCue **out_cues);
// To be called before every step, of `step` seconds, that ends at `time`: joints move there as the
// clip does, along curves within the step (sn_frame_set_path). Where the clip jumps or has a kink,
// they go evenly over the step. No memory is taken.
SN_API SnResult sn_rig_move(SnRig *rig, SnWorld *world, double time, double step);

SN_API const SnSkeleton *sn_rig_skeleton(const SnRig *rig);
// The frame of a joint, null outside [0, joint count). sn_frame_pose and sn_frame_target tell where it
// is at the start and at the end of the next step. Of the joint's scale it knows nothing.
SN_API SnFrameId sn_rig_frame(const SnRig *rig, int joint);
// The joints with their scales, in the world, when the next step starts and when it ends: one map per
// joint, valid until the rig moves again. Either may be NULL.
SN_API void sn_rig_maps(const SnRig *rig, const SnMap **out_start, const SnMap **out_end);

SN_API int sn_rig_bone_count(const SnRig *rig);
SN_API SnBone sn_rig_bone(const SnRig *rig, int bone); // in [0, count)
SN_API SnColliderId sn_rig_bone_collider(const SnRig *rig, int bone);

#ifdef __cplusplus
}
#endif
