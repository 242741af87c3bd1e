#include "view/vec.h"

ViewMat4 view_mat4_multiply(const ViewMat4 *a, const ViewMat4 *b) {
    ViewMat4 c;
    for (int column = 0; column < 4; ++column)
        for (int row = 0; row < 4; ++row) {
            float sum = 0.0f;
            for (int k = 0; k < 4; ++k)
                sum += a->m[4 * k + row] * b->m[4 * column + k];
            c.m[4 * column + row] = sum;
        }
    return c;
}

ViewMat4 view_mat4_perspective(float fov_degrees, float aspect, float near, float far) {
    float f = 1.0f / tanf(0.5f * fov_degrees * 3.14159265f / 180.0f);
    ViewMat4 p = {{0}};
    p.m[0] = f / aspect;
    p.m[5] = f;
    p.m[10] = (far + near) / (near - far);
    p.m[11] = -1.0f;
    p.m[14] = 2.0f * far * near / (near - far);
    return p;
}

ViewMat4 view_mat4_orthographic(SnVec3 low, SnVec3 high) {
    ViewMat4 p = {{0}};
    p.m[0] = 2.0f / (high.x - low.x);
    p.m[5] = 2.0f / (high.y - low.y);
    p.m[10] = -2.0f / (high.z - low.z);
    p.m[12] = -(high.x + low.x) / (high.x - low.x);
    p.m[13] = -(high.y + low.y) / (high.y - low.y);
    // The view looks down −z, so the nearest point has the highest z.
    p.m[14] = (high.z + low.z) / (high.z - low.z);
    p.m[15] = 1.0f;
    return p;
}

ViewMat4 view_mat4_view(SnVec3 eye, SnVec3 right, SnVec3 up, SnVec3 back) {
    ViewMat4 v = {{right.x, up.x, back.x, 0.0f, right.y, up.y, back.y, 0.0f, right.z, up.z, back.z,
                   0.0f, -sn_vec3_dot(right, eye), -sn_vec3_dot(up, eye), -sn_vec3_dot(back, eye),
                   1.0f}};
    return v;
}
