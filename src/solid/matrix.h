// 3 × 3 matrices in double precision.
#pragma once

#include "math/vec.h"

typedef struct Mat3 {
    double m[3][3];
} Mat3;

// xx yy zz xy xz yz
typedef struct Sym3 {
    double xx, yy, zz, xy, xz, yz;
} Sym3;

static inline Mat3 mat_of(Quatd q) {
    double x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
    double xx = x2 * q.x, yy = y2 * q.y, zz = z2 * q.z, xy = x2 * q.y, xz = x2 * q.z, yz = y2 * q.z;
    double wx = x2 * q.w, wy = y2 * q.w, wz = z2 * q.w;
    return (Mat3){{{1.0 - (yy + zz), xy - wz, xz + wy},
                   {xy + wz, 1.0 - (xx + zz), yz - wx},
                   {xz - wy, yz + wx, 1.0 - (xx + yy)}}};
}

static inline Vec3d mat_times(const Mat3 *a, Vec3d v) {
    return (Vec3d){a->m[0][0] * v.x + a->m[0][1] * v.y + a->m[0][2] * v.z,
                   a->m[1][0] * v.x + a->m[1][1] * v.y + a->m[1][2] * v.z,
                   a->m[2][0] * v.x + a->m[2][1] * v.y + a->m[2][2] * v.z};
}

static inline Vec3d mat_transposed_times(const Mat3 *a, Vec3d v) {
    return (Vec3d){a->m[0][0] * v.x + a->m[1][0] * v.y + a->m[2][0] * v.z,
                   a->m[0][1] * v.x + a->m[1][1] * v.y + a->m[2][1] * v.z,
                   a->m[0][2] * v.x + a->m[1][2] * v.y + a->m[2][2] * v.z};
}

static inline Mat3 mat_mul(const Mat3 *a, const Mat3 *b) {
    Mat3 c;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            c.m[i][k] = a->m[i][0] * b->m[0][k] + a->m[i][1] * b->m[1][k] + a->m[i][2] * b->m[2][k];
    return c;
}

// a bᵀ
static inline Mat3 mat_mul_transposed(const Mat3 *a, const Mat3 *b) {
    Mat3 c;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            c.m[i][k] = a->m[i][0] * b->m[k][0] + a->m[i][1] * b->m[k][1] + a->m[i][2] * b->m[k][2];
    return c;
}

// aᵀ b
static inline Mat3 mat_transposed_mul(const Mat3 *a, const Mat3 *b) {
    Mat3 c;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            c.m[i][k] = a->m[0][i] * b->m[0][k] + a->m[1][i] * b->m[1][k] + a->m[2][i] * b->m[2][k];
    return c;
}

static inline Mat3 mat_of_sym(const Sym3 *s) {
    return (Mat3){{{s->xx, s->xy, s->xz}, {s->xy, s->yy, s->yz}, {s->xz, s->yz, s->zz}}};
}

static inline Sym3 sym_of(const Mat3 *a) {
    return (Sym3){a->m[0][0], a->m[1][1], a->m[2][2], a->m[0][1], a->m[0][2], a->m[1][2]};
}

// R s Rᵀ
static inline Sym3 sym_turned(const Mat3 *R, const Sym3 *s) {
    Mat3 S = mat_of_sym(s), RS = mat_mul(R, &S), all = mat_mul_transposed(&RS, R);
    return sym_of(&all);
}

static inline Vec3d sym_times(const Sym3 *s, Vec3d v) {
    return (Vec3d){s->xx * v.x + s->xy * v.y + s->xz * v.z, s->xy * v.x + s->yy * v.y + s->yz * v.z,
                   s->xz * v.x + s->yz * v.y + s->zz * v.z};
}

static inline Sym3 sym_inverted(const Sym3 *s) {
    double axx = s->yy * s->zz - s->yz * s->yz, axy = s->xz * s->yz - s->xy * s->zz;
    double axz = s->xy * s->yz - s->xz * s->yy, ayy = s->xx * s->zz - s->xz * s->xz;
    double ayz = s->xy * s->xz - s->xx * s->yz, azz = s->xx * s->yy - s->xy * s->xy;
    double inv = 1.0 / (s->xx * axx + s->xy * axy + s->xz * axz);
    return (Sym3){inv * axx, inv * ayy, inv * azz, inv * axy, inv * axz, inv * ayz};
}

static inline Sym3 sym_scaled(const Sym3 *s, double by) {
    return (Sym3){s->xx * by, s->yy * by, s->zz * by, s->xy * by, s->xz * by, s->yz * by};
}

static inline Sym3 sym_sum(const Sym3 *a, const Sym3 *b) {
    return (Sym3){a->xx + b->xx, a->yy + b->yy, a->zz + b->zz,
                  a->xy + b->xy, a->xz + b->xz, a->yz + b->yz};
}

// tr(s) − s: from second moments to moments of inertia, and from B of an edge to its stiffness.
static inline Sym3 sym_about(const Sym3 *s) {
    return (Sym3){s->yy + s->zz, s->xx + s->zz, s->xx + s->yy, -s->xy, -s->xz, -s->yz};
}

// By the rotation that has τ = 2 tan(angle/2) along its axis.
static inline Quatd turn_by(Vec3d tau) {
    return normalisedq((Quatd){0.5 * tau.x, 0.5 * tau.y, 0.5 * tau.z, 1.0});
}
