// What lies in memory one after the other, in lanes: particles, contacts, WIDE_DOUBLE of them at a time. Included by
// *_wide.c files only.
//
// A line is eight doubles, or floats, that lie side by side in what belongs to one of them. The lines of as many as
// there are lanes are read and transposed: number c of all of them is then one wide vector. What is not used of that
// costs nothing. Where there are fewer than lanes, the last one fills the rest, and only what there is is written. Each
// is reckoned as in plain code, operation by operation, so that every width gives the same bits.
#pragma once

#include <string.h>

#include "math/lanes_double.h"

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
            const char *at =
                (const char *)first + (size_t)number[l < count ? l : count - 1] * stride;
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

INLINE Wide load_floats_anywhere(const float *p) {
    WideStored v;
    memcpy(&v, p, sizeof v);
    return load_floats((const float *)&v);
}

// Of lanes that each have a place of their own.
INLINE Lines load_float_lines(const float *const at[WIDE_DOUBLE]) {
    Lines out;
    for (int p = 0; p < LINE_PARTS; ++p) {
        for (int l = 0; l < WIDE_DOUBLE; ++l)
            out.v[p * WIDE_DOUBLE + l] = load_floats_anywhere(at[l] + p * WIDE_DOUBLE);
        wide_transpose(&out.v[p * WIDE_DOUBLE]);
    }
    return out;
}

// The line of lane l, once it is transposed back, as floats.
INLINE void put_floats(const Lines *a, int l, float *to, int size) {
    float line[LINE] __attribute__((aligned(64)));
    for (int p = 0; p < LINE_PARTS; ++p)
        store_floats(&line[p * WIDE_DOUBLE], a->v[p * WIDE_DOUBLE + l]);
    memcpy(to, line, (size_t)size * sizeof *to);
}

// The same, in halves of four floats each.
INLINE void put_halves(const Lines *a, int l, float *to, float *to_2) {
    float line[LINE] __attribute__((aligned(64)));
    for (int p = 0; p < LINE_PARTS; ++p)
        store_floats(&line[p * WIDE_DOUBLE], a->v[p * WIDE_DOUBLE + l]);
    memcpy(to, line, 4 * sizeof *to);
    memcpy(to_2, line + 4, 4 * sizeof *to);
}

// As a float has it. What is reckoned in double from floats and then rounded is what floats give, for sums, products,
// quotients and roots (Figueroa 1995).
INLINE Wide rounded(Wide a) {
    float line[WIDE_DOUBLE] __attribute__((aligned(64)));
    store_floats(line, a);
    return load_floats(line);
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
