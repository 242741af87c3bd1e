// What a renderer needs beyond sinew/math.h. Matrices are column-major, as OpenGL takes them.
#pragma once

#include <math.h>
#include <sinew/math.h>

typedef struct ViewMat4 {
    float m[16];
} ViewMat4;

static inline SnVec3 view_load(const float *p) { return sn_vec3(p[0], p[1], p[2]); }

// A unit vector across the unit vector a.
static inline SnVec3 view_across(SnVec3 a) {
    SnVec3 axis = fabsf(a.y) < 0.9f ? sn_vec3(0.0f, 1.0f, 0.0f) : sn_vec3(1.0f, 0.0f, 0.0f);
    return sn_vec3_normalise(sn_vec3_cross(axis, a), sn_vec3(1.0f, 0.0f, 0.0f));
}

ViewMat4 view_mat4_multiply(const ViewMat4 *a, const ViewMat4 *b);
ViewMat4 view_mat4_perspective(float fov_degrees, float aspect, float near, float far);
ViewMat4 view_mat4_orthographic(SnVec3 low, SnVec3 high);
// Rows are the axes; `eye` goes to the origin and the view is down −z.
ViewMat4 view_mat4_view(SnVec3 eye, SnVec3 right, SnVec3 up, SnVec3 back);
