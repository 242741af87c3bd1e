// Particles in lanes: what lies in memory particle by particle, WIDE_DOUBLE particles at a time. Included by *_wide.c
// files only.
//
// A line is eight doubles that lie side by side in what belongs to a particle. The lines of as many particles as there
// are lanes are read and transposed: number c of all of them is then one wide vector. What is not used of that costs
// nothing. Where there are fewer particles than lanes, the last one fills the rest, and only what there is is written.
// Each particle is reckoned as in plain code, operation by operation, so that every width gives the same bits.
#pragma once

#include <string.h>

#include "math/lanes_double.h"
#include "solid/solid.h"

#define LINE 8
#define LINE_PARTS (LINE / WIDE_DOUBLE)

// They may lie anywhere.
typedef double WideLoose __attribute__((vector_size(8 * WIDE_DOUBLE), aligned(8), may_alias));

typedef struct Lines {
    Wide v[LINE];
} Lines;

// Reads beyond the eight doubles of no line, but there must be eight.
INLINE Lines load_lines(const void *first, size_t stride, int count) {
    Lines out;
    for (int p = 0; p < LINE_PARTS; ++p) {
        for (int l = 0; l < WIDE_DOUBLE; ++l) {
            const char *at = (const char *)first + (size_t)(l < count ? l : count - 1) * stride;
            out.v[p * WIDE_DOUBLE + l] = *(const WideLoose *)((const double *)at + p * WIDE_DOUBLE);
        }
        wide_transpose(&out.v[p * WIDE_DOUBLE]);
    }
    return out;
}

// Those of the particles, or whatever has such a number.
INLINE Lines load_lines_at(const void *first, size_t stride, const int *number, int count) {
    Lines out;
    for (int p = 0; p < LINE_PARTS; ++p) {
        for (int l = 0; l < WIDE_DOUBLE; ++l) {
            const char *at = (const char *)first + (size_t)number[l < count ? l : count - 1] * stride;
            out.v[p * WIDE_DOUBLE + l] = *(const WideLoose *)((const double *)at + p * WIDE_DOUBLE);
        }
        wide_transpose(&out.v[p * WIDE_DOUBLE]);
    }
    return out;
}

// The first `size` doubles of the line of lane l, once they are transposed back.
INLINE void put_line(const Lines *a, int l, void *at, int size) {
    double *to = at;
    for (int p = 0; p * WIDE_DOUBLE < size; ++p) {
        int n = size - p * WIDE_DOUBLE < WIDE_DOUBLE ? size - p * WIDE_DOUBLE : WIDE_DOUBLE;
        memcpy(to + p * WIDE_DOUBLE, &a->v[p * WIDE_DOUBLE + l], (size_t)n * sizeof(double));
    }
}

INLINE Lines lines_back(Lines a) {
    for (int p = 0; p < LINE_PARTS; ++p)
        wide_transpose(&a.v[p * WIDE_DOUBLE]);
    return a;
}

INLINE void store_lines(Lines a, void *first, size_t stride, int size, int count) {
    a = lines_back(a);
    for (int l = 0; l < WIDE_DOUBLE && l < count; ++l)
        put_line(&a, l, (char *)first + (size_t)l * stride, size);
}

INLINE void store_lines_at(Lines a, void *first, size_t stride, const int *number, int size,
                           int count) {
    a = lines_back(a);
    for (int l = 0; l < WIDE_DOUBLE && l < count; ++l)
        put_line(&a, l, (char *)first + (size_t)number[l] * stride, size);
}

INLINE Wide3 three_at(const Lines *a, int at) {
    return (Wide3){a->v[at], a->v[at + 1], a->v[at + 2]};
}
INLINE Wide4 four_at(const Lines *a, int at) {
    return (Wide4){a->v[at], a->v[at + 1], a->v[at + 2], a->v[at + 3]};
}
// As Sym3 has it.
INLINE WideSym sym_at(const Lines *a, int at) {
    return (WideSym){.xx = a->v[at],
                     .yy = a->v[at + 1],
                     .zz = a->v[at + 2],
                     .xy = a->v[at + 3],
                     .xz = a->v[at + 4],
                     .yz = a->v[at + 5]};
}
INLINE void set_three(Lines *a, int at, Wide3 v) {
    a->v[at] = v.x;
    a->v[at + 1] = v.y;
    a->v[at + 2] = v.z;
}
INLINE void set_four(Lines *a, int at, Wide4 q) {
    a->v[at] = q.x;
    a->v[at + 1] = q.y;
    a->v[at + 2] = q.z;
    a->v[at + 3] = q.w;
}
INLINE void set_sym(Lines *a, int at, WideSym m) {
    a->v[at] = m.xx;
    a->v[at + 1] = m.yy;
    a->v[at + 2] = m.zz;
    a->v[at + 3] = m.xy;
    a->v[at + 4] = m.xz;
    a->v[at + 5] = m.yz;
}
INLINE Lines no_lines(void) {
    Lines a;
    for (int c = 0; c < LINE; ++c)
        a.v[c] = splat(0.0);
    return a;
}

INLINE Wide3 select3(Wide a, Wide b, Wide3 x, Wide3 y) {
    return (Wide3){wide_if_less(a, b, x.x, y.x), wide_if_less(a, b, x.y, y.y),
                   wide_if_less(a, b, x.z, y.z)};
}
INLINE Wide4 select4(Wide a, Wide b, Wide4 x, Wide4 y) {
    return (Wide4){wide_if_less(a, b, x.x, y.x), wide_if_less(a, b, x.y, y.y),
                   wide_if_less(a, b, x.z, y.z), wide_if_less(a, b, x.w, y.w)};
}

// As mat_of, shortened, turn_by and the like of matrix.h, vec.h and solid.h.
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
