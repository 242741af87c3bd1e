// The few plain types that cross the API, and what one does with them. SI units, y up, right-handed.
//
// All functions are plain float arithmetic, inline, and never fail: what is not finite goes through.
#pragma once

#include "base.h"

#include <math.h>

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

static inline SnVec3 sn_vec3_add(SnVec3 a, SnVec3 b) {
    return sn_vec3(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline SnVec3 sn_vec3_sub(SnVec3 a, SnVec3 b) {
    return sn_vec3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline SnVec3 sn_vec3_scale(SnVec3 a, float s) { return sn_vec3(a.x * s, a.y * s, a.z * s); }

// a + b·s
static inline SnVec3 sn_vec3_add_scaled(SnVec3 a, SnVec3 b, float s) {
    return sn_vec3(a.x + b.x * s, a.y + b.y * s, a.z + b.z * s);
}

static inline float sn_vec3_dot(SnVec3 a, SnVec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static inline SnVec3 sn_vec3_cross(SnVec3 a, SnVec3 b) {
    return sn_vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline float sn_vec3_length(SnVec3 a) { return sqrtf(sn_vec3_dot(a, a)); }

// The unit vector along a; `fallback`, as it is, where a is shorter than 1e-20 and has no direction.
static inline SnVec3 sn_vec3_normalise(SnVec3 a, SnVec3 fallback) {
    float length = sn_vec3_length(a);
    return length > 1.0e-20f ? sn_vec3_scale(a, 1.0f / length) : fallback;
}

// The rotation by `angle` (rad) about a unit vector, anticlockwise where that points at the viewer.
static inline SnQuat sn_quat_about(SnVec3 axis, float angle) {
    float s = sinf(0.5f * angle);
    SnQuat q = {axis.x * s, axis.y * s, axis.z * s, cosf(0.5f * angle)};
    return q;
}

// The other way round, for unit quaternions.
static inline SnQuat sn_quat_inverse(SnQuat q) {
    SnQuat r = {-q.x, -q.y, -q.z, q.w};
    return r;
}

// First b, then a. Rounding makes long products drift from length 1: normalise them at times.
static inline SnQuat sn_quat_multiply(SnQuat a, SnQuat b) {
    SnQuat q = {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z,
                a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x,
                a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
    return q;
}

// The identity where q is 0.
static inline SnQuat sn_quat_normalise(SnQuat q) {
    float length = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    if (!(length > 0.0f))
        return sn_quat_identity();
    SnQuat r = {q.x / length, q.y / length, q.z / length, q.w / length};
    return r;
}

static inline SnVec3 sn_quat_rotate(SnQuat q, SnVec3 v) {
    SnVec3 u = sn_vec3(q.x, q.y, q.z);
    SnVec3 t = sn_vec3_scale(sn_vec3_cross(u, v), 2.0f);
    return sn_vec3_add(sn_vec3_add_scaled(v, t, q.w), sn_vec3_cross(u, t));
}

// A point of the pose's own space, in the world.
static inline SnVec3 sn_pose_apply(SnPose pose, SnVec3 point) {
    return sn_vec3_add(pose.position, sn_quat_rotate(pose.rotation, point));
}
