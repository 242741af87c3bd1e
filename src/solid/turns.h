// Rotations and inertia of particles in lanes: mat_of, shortened, turn_by and the like of matrix.h, vec.h and solid.h,
// operation by operation. Included by *_wide.c files only.
#pragma once

#include "math/lines.h"
#include "solid/solid.h"

INLINE WideMat wide_mat_of(Wide4 q) {
    Wide x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z, one = splat(1.0);
    Wide xx = x2 * q.x, yy = y2 * q.y, zz = z2 * q.z, xy = x2 * q.y, xz = x2 * q.z, yz = y2 * q.z;
    Wide wx = x2 * q.w, wy = y2 * q.w, wz = z2 * q.w;
    return (WideMat){{one - (yy + zz), xy - wz, xz + wy},
                     {xy + wz, one - (xx + zz), yz - wx},
                     {xz - wy, yz + wx, one - (xx + yy)}};
}
INLINE WideSym wide_sym_turned(WideMat R, WideSym s) {
    WideMat S = full(s), RS;
    RS.x = transposed_mul3(S, R.x);
    RS.y = transposed_mul3(S, R.y);
    RS.z = transposed_mul3(S, R.z);
    return (WideSym){.xx = dot3(RS.x, R.x),
                     .yy = dot3(RS.y, R.y),
                     .zz = dot3(RS.z, R.z),
                     .xy = dot3(RS.x, R.y),
                     .xz = dot3(RS.x, R.z),
                     .yz = dot3(RS.y, R.z)};
}
INLINE Wide3 wide_shortened(Wide3 a, double most) {
    Wide length = wide_sqrt(dot3(a, a)), all = splat(most);
    return select3(all, length, mul3(a, all / length), a);
}
INLINE Wide4 wide_turn_by(Wide3 tau) {
    return quat_normalise(
        (Wide4){splat(0.5) * tau.x, splat(0.5) * tau.y, splat(0.5) * tau.z, splat(1.0)});
}
INLINE Wide3 wide_tau(Wide4 from, Wide4 to) {
    Wide4 d = quat_mul(to, quat_conjugate(from));
    Wide least = splat(1e-3), none = splat(0.0);
    Wide bounded = wide_if_less(d.w, none, none - least, least);
    Wide w = wide_if_less(least, wide_abs(d.w), d.w, bounded);
    return mul3((Wide3){d.x, d.y, d.z}, splat(2.0) / w);
}
