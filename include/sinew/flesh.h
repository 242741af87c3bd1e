// Flesh for any character: which joint of a skeleton is which of a person's, and muscles that are placed on
// it, scaled to its proportions.
//
//     int joints[SN_HUMAN_JOINT_COUNT];
//     sn_humanoid_find(skeleton, joints);
//     SnFleshMuscle *muscles = calloc(SN_MAX_HUMAN_MUSCLES, sizeof *muscles);
//     int count;
//     sn_humanoid_muscles(skeleton, joints, muscles, &count);
//
// docs/implicit.md has the table of muscles. Scenes have them as "flesh".
#pragma once

#include "implicit.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SnHumanJoint {
    SN_HUMAN_PELVIS,
    SN_HUMAN_ABDOMEN,
    SN_HUMAN_CHEST,
    SN_HUMAN_HEAD, // or the neck
    // Limbs: each left one is followed by the right one.
    SN_HUMAN_UPPER_ARM_LEFT,
    SN_HUMAN_UPPER_ARM_RIGHT,
    SN_HUMAN_FOREARM_LEFT,
    SN_HUMAN_FOREARM_RIGHT,
    SN_HUMAN_HAND_LEFT,
    SN_HUMAN_HAND_RIGHT,
    SN_HUMAN_THIGH_LEFT,
    SN_HUMAN_THIGH_RIGHT,
    SN_HUMAN_SHIN_LEFT,
    SN_HUMAN_SHIN_RIGHT,
    SN_HUMAN_FOOT_LEFT,
    SN_HUMAN_FOOT_RIGHT,
    SN_HUMAN_JOINT_COUNT,
} SnHumanJoint;

// "pelvis", "upper arm left" and so on.
SN_API const char *sn_human_joint_name(SnHumanJoint joint);

// Which joint of the skeleton is which: by their names as Mixamo, VRM, MakeHuman, CMU, Rigify and plain
// English have them, or, where names say nothing, by the shape of the skeleton with y up. Abdomen, head,
// hands and feet may be −1: there is none. SN_ERROR_INVALID: it is no humanoid, as two arms and two legs of
// two bones each were not found.
SN_API SnResult sn_humanoid_find(const SnSkeleton *skeleton, int out_joints[SN_HUMAN_JOINT_COUNT]);

#define SN_FLESH_POINTS 4

typedef struct SnFleshPoint {
    int joint;
    // In the rigid pose of the joint (sn_map_pose), in metres of the rest pose of the skeleton.
    SnVec3 position;
} SnFleshPoint;

// A muscle on a skeleton: what an entry of "flesh" in a scene says.
typedef struct SnFleshMuscle {
    char name[64];
    int point_count;
    SnFleshPoint path[SN_FLESH_POINTS]; // origin, via points, insertion
    float volume;                       // m³
    SnVec3 normal; // the longer axis of its cross-section, in the first joint's pose
    SnMuscleProfile rest, active;
    int drive_joint;            // whose bend activates it; −1: none
    float drive_from, drive_to; // degrees
} SnFleshMuscle;

#define SN_MAX_HUMAN_MUSCLES 64
#define SN_BONE_MUSCLES 3

// The muscles of a person on these joints, at most SN_MAX_HUMAN_MUSCLES; those that there is no room for
// under the skin are left out.
SN_API SnResult sn_humanoid_muscles(const SnSkeleton *skeleton,
                                    const int joints[SN_HUMAN_JOINT_COUNT],
                                    SnFleshMuscle *out_muscles, int *out_count);
// SN_BONE_MUSCLES around the bone that begins at a joint, for characters that are no humanoids, or fewer
// where there is no room for them under the skin. SN_ERROR_INVALID: the joint has no bone.
SN_API SnResult sn_bone_muscles(const SnSkeleton *skeleton, int joint, SnFleshMuscle *out_muscles,
                                int *out_count);

#ifdef __cplusplus
}
#endif
