// The rotation that matches two sets of vectors best, lane by lane. Included by *_wide.c files only.
//
// Of all rotations R, the one with the largest tr(Rᵀ A), A = Σ a āᵀ, carries the vectors ā nearest to
// the vectors a (VIPER, eq. 34). It is found from a guess by Newton's method, and where that would lead
// away from the maximum by the step of Müller et al. 2016, "A robust method to extract the rotational
// part of deformations", which goes uphill from everywhere. With B = Rᵀ A and R exp[ω],
//
//     tr(Rᵀ A) changes by β·ω − ½ ωᵀ K ω,  β = (B₃₂ − B₂₃, B₁₃ − B₃₁, B₂₁ − B₁₂),  K = tr B − sym B.
//
// It is a rotation even where A is singular or a reflection, and the guess where A is 0.
#pragma once

#include "math/lanes.h"

// Rows of a 3 × 3 matrix.
typedef struct LanesMatrix {
    Lanes3 x, y, z;
} LanesMatrix;

// A += a bᵀ
INLINE void matrix_add_outer(LanesMatrix *A, Lanes3 a, Lanes3 b) {
    A->x = add3(A->x, mul3(b, a.x));
    A->y = add3(A->y, mul3(b, a.y));
    A->z = add3(A->z, mul3(b, a.z));
}

INLINE LanesMatrix matrix_sum(LanesMatrix a, LanesMatrix b) {
    return (LanesMatrix){add3(a.x, b.x), add3(a.y, b.y), add3(a.z, b.z)};
}

INLINE Lanes3 matrix_times(const LanesMatrix *A, Lanes3 v) {
    return (Lanes3){dot3(A->x, v), dot3(A->y, v), dot3(A->z, v)};
}

INLINE LanesMatrix matrix_of(Lanes4 q) {
    Lanes3 x = quat_axis_x(q), y = quat_axis_y(q), z = quat_axis_z(q);
    return (LanesMatrix){{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}};
}

// tr(Rᵀ A)
INLINE Lanes matrix_dot(const LanesMatrix *R, const LanesMatrix *A) {
    return dot3(R->x, A->x) + dot3(R->y, A->y) + dot3(R->z, A->z);
}

INLINE LanesMatrix matrix_transposed_times(const LanesMatrix *R, const LanesMatrix *A) {
    LanesMatrix B;
    B.x = add3(add3(mul3(A->x, R->x.x), mul3(A->y, R->y.x)), mul3(A->z, R->z.x));
    B.y = add3(add3(mul3(A->x, R->x.y), mul3(A->y, R->y.y)), mul3(A->z, R->z.y));
    B.z = add3(add3(mul3(A->x, R->x.z), mul3(A->y, R->y.z)), mul3(A->z, R->z.z));
    return B;
}

INLINE Lanes4 select4(Lanes a, Lanes b, Lanes4 x, Lanes4 y) {
    return (Lanes4){lanes_if_less(a, b, x.x, y.x), lanes_if_less(a, b, x.y, y.y),
                    lanes_if_less(a, b, x.z, y.z), lanes_if_less(a, b, x.w, y.w)};
}

#define MATCH_STEPS 12       // more than Newton's method needs from anywhere near
#define MATCH_REACHED 3e-7f  // of |A|: what float leaves of β
#define MATCH_LEVEL 1e-2f    // of |A|: what K has at least where it is trusted
#define MATCH_FARTHEST 0.75f // rad, of one step

// K⁻¹ β where K is positive, else β / |tr B|.
INLINE Lanes3 match_step(const LanesMatrix *B, Lanes3 beta, Lanes size) {
    Lanes t = B->x.x + B->y.y + B->z.z;
    Lanes xx = t - B->x.x, yy = t - B->y.y, zz = t - B->z.z;
    Lanes xy = -0.5f * (B->x.y + B->y.x), xz = -0.5f * (B->x.z + B->z.x),
          yz = -0.5f * (B->y.z + B->z.y);
    // The adjugate, whose first diagonal entry and determinant are minors of K.
    Lanes axx = yy * zz - yz * yz, axy = xz * yz - xy * zz, axz = xy * yz - xz * yy;
    Lanes ayy = xx * zz - xz * xz, ayz = xy * xz - xx * yz, azz = xx * yy - xy * xy;
    Lanes det = xx * axx + xy * axy + xz * axz;
    Lanes level = MATCH_LEVEL * size, zero = splat(0.0f), one = splat(1.0f);
    Lanes positive = lanes_if_less(level, xx, one, zero) *
                     lanes_if_less(level * level, azz, one, zero) *
                     lanes_if_less(level * level * level, det, one, zero);
    Lanes inv = 1.0f / lanes_if_less(zero, positive, det, one);
    Lanes gentle = 1.0f / (lanes_abs(t) + level + 1e-30f);
    Lanes3 newton = {inv * (axx * beta.x + axy * beta.y + axz * beta.z),
                     inv * (axy * beta.x + ayy * beta.y + ayz * beta.z),
                     inv * (axz * beta.x + ayz * beta.y + azz * beta.z)};
    Lanes3 step = {lanes_if_less(zero, positive, newton.x, gentle * beta.x),
                   lanes_if_less(zero, positive, newton.y, gentle * beta.y),
                   lanes_if_less(zero, positive, newton.z, gentle * beta.z)};
    Lanes length = lanes_sqrt(dot3(step, step));
    return mul3(step, MATCH_FARTHEST / lanes_max(length, splat(MATCH_FARTHEST)));
}

// The guess is a unit quaternion. A lane that has arrived stays as it is while others go on.
INLINE Lanes4 match_rotation(const LanesMatrix *A, Lanes4 guess) {
    // Numbers of order 1, whatever the unit: minors of a small matrix would be beyond float.
    Lanes norm = lanes_sqrt(matrix_dot(A, A));
    Lanes unit = 1.0f / lanes_max(norm, splat(1e-30f)), size = norm * unit;
    LanesMatrix a = {mul3(A->x, unit), mul3(A->y, unit), mul3(A->z, unit)};
    Lanes4 q = guess;
    for (int k = 0; k < MATCH_STEPS; ++k) {
        LanesMatrix R = matrix_of(q), B = matrix_transposed_times(&R, &a);
        Lanes3 beta = {B.z.y - B.y.z, B.x.z - B.z.x, B.y.x - B.x.y};
        Lanes wrong = dot3(beta, beta);
        Lanes enough = MATCH_REACHED * MATCH_REACHED * size * size;
        if (!lanes_any_less(enough, wrong))
            break;
        Lanes3 half = mul3(match_step(&B, beta, size), splat(0.5f));
        Lanes4 turned = quat_normalise(quat_mul(q, (Lanes4){half.x, half.y, half.z, splat(1.0f)}));
        q = select4(enough, wrong, turned, q);
    }
    return q;
}
