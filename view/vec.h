// The vectors and matrices a renderer needs. Matrices are column-major, as OpenGL takes them.
#pragma once

#include <math.h>
#include <sinew/math.h>

typedef struct ViewMat4 {
    float m[16];
} ViewMat4;

static inline SnVec3 view_load(const float *p) { return sn_vec3(p[0], p[1], p[2]); }

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

// `fallback` where a is too short to have a direction.
static inline SnVec3 sn_vec3_normalise(SnVec3 a, SnVec3 fallback) {
    float length = sn_vec3_length(a);
    return length > 1.0e-20f ? sn_vec3_scale(a, 1.0f / length) : fallback;
}

// A unit vector across the unit vector a.
static inline SnVec3 view_across(SnVec3 a) {
    SnVec3 axis = fabsf(a.y) < 0.9f ? sn_vec3(0.0f, 1.0f, 0.0f) : sn_vec3(1.0f, 0.0f, 0.0f);
    return sn_vec3_normalise(sn_vec3_cross(axis, a), sn_vec3(1.0f, 0.0f, 0.0f));
}

static inline SnVec3 sn_quat_rotate(SnQuat q, SnVec3 v) {
    SnVec3 u = sn_vec3(q.x, q.y, q.z);
    SnVec3 t = sn_vec3_scale(sn_vec3_cross(u, v), 2.0f);
    return sn_vec3_add(sn_vec3_add_scaled(v, t, q.w), sn_vec3_cross(u, t));
}

static inline SnVec3 view_placed(const SnPose *pose, SnVec3 v) {
    return sn_vec3_add(pose->position, sn_quat_rotate(pose->rotation, v));
}

ViewMat4 view_mat4_multiply(const ViewMat4 *a, const ViewMat4 *b);
ViewMat4 view_mat4_perspective(float fov_degrees, float aspect, float near, float far);
ViewMat4 view_mat4_orthographic(SnVec3 low, SnVec3 high);
// Rows are the axes; `eye` goes to the origin and the view is down −z.
ViewMat4 view_mat4_view(SnVec3 eye, SnVec3 right, SnVec3 up, SnVec3 back);
