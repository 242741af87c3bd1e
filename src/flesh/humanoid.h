// Which joint is which: by names, and by shape.
#pragma once

#include "sinew/flesh.h"

// True if both arms and both legs are there, each joint below the one before.
bool sn__humanoid_is_whole(const SnSkeleton *skeleton, const int joints[SN_HUMAN_JOINT_COUNT]);
// Whether a joint is below another one, or that itself.
bool sn__is_below(const SnSkeleton *skeleton, int joint, int above);
// The nearest joint that both are below; −1: there is none.
int sn__common_joint(const SnSkeleton *skeleton, int a, int b);

// Limbs and head by what joints are called; −1 for what is not found.
void sn__humanoid_by_names(const SnSkeleton *skeleton, int out_joints[SN_HUMAN_JOINT_COUNT]);
// Limbs and head by where joints are, with y up.
void sn__humanoid_by_shape(const SnSkeleton *skeleton, const SnMap *maps,
                           int out_joints[SN_HUMAN_JOINT_COUNT]);
