// The few plain types that cross the API. SI units, y up, right-handed.
#pragma once

#include "base.h"

// Positions and velocities beyond these are refused, and no step exceeds the speed.
#define SN_MAX_POSITION 1.0e9f // m
#define SN_MAX_SPEED 1.0e4f    // m/s
#define SN_MAX_SPIN 1.0e5f     // rad/s

// In place of a value: it is derived from others. Any negative value does the same.
#define SN_DERIVED (-1.0f)

typedef struct SnVec3 {
    float x, y, z;
} SnVec3;

// A unit quaternion; the third column of its rotation is a rod's tangent.
typedef struct SnQuat {
    float x, y, z, w;
} SnQuat;

typedef struct SnPose {
    SnVec3 position;
    SnQuat rotation;
} SnPose;

static inline SnVec3 sn_vec3(float x, float y, float z) {
    SnVec3 v = {x, y, z};
    return v;
}

static inline SnQuat sn_quat_identity(void) {
    SnQuat q = {0.0f, 0.0f, 0.0f, 1.0f};
    return q;
}

static inline SnPose sn_pose_identity(void) {
    SnPose p = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}};
    return p;
}
