// Wide arithmetic in double precision, for what float cannot hold: WIDE_DOUBLE doubles side by
// side, half as many lanes as lanes.h has. The same promise: every width gives the same bits. Included
// by the *_wide.c files only, and not together with lanes.h.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#if defined(__SSE2__) && WIDE > 1
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))

#if WIDE == 1
#define WIDE_DOUBLE 1
#else
#define WIDE_DOUBLE (WIDE / 2)
#endif

// They stand in for rows of plain doubles in memory, which only a type that may alias can do.
typedef double Wide __attribute__((vector_size(8 * WIDE_DOUBLE), may_alias));
typedef int64_t WideBits __attribute__((vector_size(8 * WIDE_DOUBLE), may_alias));

INLINE Wide load(const double *p) { return *(const Wide *)p; }
INLINE void store(double *p, Wide a) { *(Wide *)p = a; }

// Rows that are stored as float.
typedef float WideStored __attribute__((vector_size(4 * WIDE_DOUBLE), may_alias));
// The compiler would do it in two halves, and put them together.
#if WIDE_DOUBLE == 8 && defined(__AVX512F__)
INLINE Wide load_floats(const float *p) {
    return (Wide)_mm512_cvtps_pd((__m256) * (const WideStored *)p);
}
INLINE void store_floats(float *p, Wide a) {
    *(WideStored *)p = (WideStored)_mm512_cvtpd_ps((__m512d)a);
}
#elif WIDE_DOUBLE == 4 && defined(__AVX2__)
INLINE Wide load_floats(const float *p) {
    return (Wide)_mm256_cvtps_pd((__m128) * (const WideStored *)p);
}
INLINE void store_floats(float *p, Wide a) {
    *(WideStored *)p = (WideStored)_mm256_cvtpd_ps((__m256d)a);
}
#else
INLINE Wide load_floats(const float *p) {
    return __builtin_convertvector(*(const WideStored *)p, Wide);
}
INLINE void store_floats(float *p, Wide a) {
    *(WideStored *)p = __builtin_convertvector(a, WideStored);
}
#endif

// x − 0 is x for every x, so this is a plain broadcast.
INLINE Wide splat(double x) { return x - (Wide){0.0}; }

// a < b ? x : y, and whether a < b anywhere. The compiler would make vectors of masks first.
#if WIDE_DOUBLE == 8 && defined(__AVX512F__)
INLINE Wide wide_if_less(Wide a, Wide b, Wide x, Wide y) {
    __mmask8 m = _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LT_OQ);
    return (Wide)_mm512_mask_blend_pd(m, (__m512d)y, (__m512d)x);
}
INLINE bool wide_any_less(Wide a, Wide b) {
    return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LT_OQ) != 0;
}
INLINE Wide wide_min(Wide a, Wide b) { return (Wide)_mm512_min_pd((__m512d)a, (__m512d)b); }
INLINE Wide wide_max(Wide a, Wide b) { return (Wide)_mm512_max_pd((__m512d)a, (__m512d)b); }
#elif WIDE_DOUBLE == 4 && defined(__AVX2__)
INLINE Wide wide_if_less(Wide a, Wide b, Wide x, Wide y) {
    __m256d m = _mm256_cmp_pd((__m256d)a, (__m256d)b, _CMP_LT_OQ);
    return (Wide)_mm256_blendv_pd((__m256d)y, (__m256d)x, m);
}
INLINE bool wide_any_less(Wide a, Wide b) {
    return _mm256_movemask_pd(_mm256_cmp_pd((__m256d)a, (__m256d)b, _CMP_LT_OQ)) != 0;
}
INLINE Wide wide_min(Wide a, Wide b) { return (Wide)_mm256_min_pd((__m256d)a, (__m256d)b); }
INLINE Wide wide_max(Wide a, Wide b) { return (Wide)_mm256_max_pd((__m256d)a, (__m256d)b); }
#else
INLINE Wide wide_if_less(Wide a, Wide b, Wide x, Wide y) {
    WideBits m = (WideBits)(a < b);
    return (Wide)((m & (WideBits)x) | (~m & (WideBits)y));
}
INLINE bool wide_any_less(Wide a, Wide b) {
    bool any = false;
    for (int i = 0; i < WIDE_DOUBLE; ++i)
        any |= a[i] < b[i];
    return any;
}
INLINE Wide wide_min(Wide a, Wide b) { return wide_if_less(a, b, a, b); }
INLINE Wide wide_max(Wide a, Wide b) { return wide_if_less(b, a, a, b); }
#endif
INLINE Wide wide_abs(Wide a) { return (Wide)((WideBits)a & INT64_MAX); }

// a with its sign flipped where b is negative.
INLINE Wide wide_flip_by(Wide a, Wide b) { return (Wide)((WideBits)a ^ ((WideBits)b & INT64_MIN)); }

INLINE Wide wide_sqrt(Wide a) {
#if WIDE_DOUBLE == 8 && defined(__AVX512F__)
    return (Wide)_mm512_sqrt_pd((__m512d)a);
#elif WIDE_DOUBLE == 4 && defined(__AVX2__)
    return (Wide)_mm256_sqrt_pd((__m256d)a);
#elif WIDE_DOUBLE == 2 && defined(__SSE2__)
    return (Wide)_mm_sqrt_pd((__m128d)a);
#else
    for (int i = 0; i < WIDE_DOUBLE; ++i)
        a[i] = __builtin_sqrt(a[i]);
    return a;
#endif
}

// Rows to columns of a square of WIDE_DOUBLE vectors, in exchanges of one element of two rows, of
// two, and of four.
INLINE void wide_transpose(Wide m[WIDE_DOUBLE]) {
#if WIDE_DOUBLE == 8
#define LOW_1(a, b) __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14)
#define HIGH_1(a, b) __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15)
#define LOW_2(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define HIGH_2(a, b) __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#define LOW_4(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
#define HIGH_4(a, b) __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15)
    Wide a0 = LOW_1(m[0], m[1]), a1 = HIGH_1(m[0], m[1]);
    Wide a2 = LOW_1(m[2], m[3]), a3 = HIGH_1(m[2], m[3]);
    Wide a4 = LOW_1(m[4], m[5]), a5 = HIGH_1(m[4], m[5]);
    Wide a6 = LOW_1(m[6], m[7]), a7 = HIGH_1(m[6], m[7]);
    Wide b0 = LOW_2(a0, a2), b2 = HIGH_2(a0, a2), b1 = LOW_2(a1, a3);
    Wide b3 = HIGH_2(a1, a3), b4 = LOW_2(a4, a6), b6 = HIGH_2(a4, a6);
    Wide b5 = LOW_2(a5, a7), b7 = HIGH_2(a5, a7);
    m[0] = LOW_4(b0, b4);
    m[1] = LOW_4(b1, b5);
    m[2] = LOW_4(b2, b6);
    m[3] = LOW_4(b3, b7);
    m[4] = HIGH_4(b0, b4);
    m[5] = HIGH_4(b1, b5);
    m[6] = HIGH_4(b2, b6);
    m[7] = HIGH_4(b3, b7);
#elif WIDE_DOUBLE == 4
    Wide a0 = __builtin_shufflevector(m[0], m[1], 0, 4, 2, 6);
    Wide a1 = __builtin_shufflevector(m[0], m[1], 1, 5, 3, 7);
    Wide a2 = __builtin_shufflevector(m[2], m[3], 0, 4, 2, 6);
    Wide a3 = __builtin_shufflevector(m[2], m[3], 1, 5, 3, 7);
    m[0] = __builtin_shufflevector(a0, a2, 0, 1, 4, 5);
    m[1] = __builtin_shufflevector(a1, a3, 0, 1, 4, 5);
    m[2] = __builtin_shufflevector(a0, a2, 2, 3, 6, 7);
    m[3] = __builtin_shufflevector(a1, a3, 2, 3, 6, 7);
#elif WIDE_DOUBLE == 2
    Wide a = m[0];
    m[0] = __builtin_shufflevector(a, m[1], 0, 2);
    m[1] = __builtin_shufflevector(a, m[1], 1, 3);
#else
    (void)m;
#endif
}

typedef struct Wide3 {
    Wide x, y, z;
} Wide3;

typedef struct Wide4 {
    Wide x, y, z, w;
} Wide4;

// A symmetric 3×3 matrix.
typedef struct WideSym {
    Wide xx, xy, xz, yy, yz, zz;
} WideSym;

// Any 3×3 matrix, by rows.
typedef struct WideMat {
    Wide3 x, y, z;
} WideMat;

INLINE Wide3 add3(Wide3 a, Wide3 b) { return (Wide3){a.x + b.x, a.y + b.y, a.z + b.z}; }
INLINE Wide3 sub3(Wide3 a, Wide3 b) { return (Wide3){a.x - b.x, a.y - b.y, a.z - b.z}; }
INLINE Wide3 mul3(Wide3 a, Wide s) { return (Wide3){a.x * s, a.y * s, a.z * s}; }
INLINE Wide dot3(Wide3 a, Wide3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
INLINE Wide3 cross3(Wide3 a, Wide3 b) {
    return (Wide3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

INLINE WideSym add_sym(WideSym a, WideSym b) {
    return (WideSym){a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yy + b.yy, a.yz + b.yz, a.zz + b.zz};
}
INLINE Wide3 sym_mul3(WideSym a, Wide3 v) {
    return (Wide3){a.xx * v.x + a.xy * v.y + a.xz * v.z, a.xy * v.x + a.yy * v.y + a.yz * v.z,
                   a.xz * v.x + a.yz * v.y + a.zz * v.z};
}
INLINE Wide3 mat_mul3(WideMat m, Wide3 v) {
    return (Wide3){dot3(m.x, v), dot3(m.y, v), dot3(m.z, v)};
}
INLINE Wide3 transposed_mul3(WideMat m, Wide3 v) {
    return add3(add3(mul3(m.x, v.x), mul3(m.y, v.y)), mul3(m.z, v.z));
}
// a·m
INLINE WideMat sym_mul(WideSym a, WideMat m) {
    return (WideMat){add3(add3(mul3(m.x, a.xx), mul3(m.y, a.xy)), mul3(m.z, a.xz)),
                     add3(add3(mul3(m.x, a.xy), mul3(m.y, a.yy)), mul3(m.z, a.yz)),
                     add3(add3(mul3(m.x, a.xz), mul3(m.y, a.yz)), mul3(m.z, a.zz))};
}
INLINE WideMat full(WideSym a) {
    return (WideMat){{a.xx, a.xy, a.xz}, {a.xy, a.yy, a.yz}, {a.xz, a.yz, a.zz}};
}

// The inverse of a positive definite matrix, by its factors L D Lᵀ: no cofactors, whose differences
// would lose what a thin rod's twist is against its bending.
INLINE WideSym sym_inverse(WideSym a) {
    Wide dx = 1.0 / a.xx;
    Wide l_yx = a.xy * dx, l_zx = a.xz * dx;
    Wide dy = 1.0 / (a.yy - l_yx * a.xy);
    Wide below = a.yz - l_zx * a.xy;
    Wide l_zy = below * dy;
    Wide dz = 1.0 / (a.zz - l_zx * a.xz - l_zy * below);
    Wide i_zx = l_yx * l_zy - l_zx; // of L⁻¹, whose other entries are −l
    WideSym x;
    x.zz = dz;
    x.yz = -l_zy * dz;
    x.xz = i_zx * dz;
    x.yy = dy - l_zy * x.yz;
    x.xy = -l_yx * dy - l_zy * x.xz;
    x.xx = dx + l_yx * l_yx * dy + i_zx * x.xz;
    return x;
}

INLINE Wide4 quat_mul(Wide4 a, Wide4 b) {
    return (Wide4){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                   a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z,
                   a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x,
                   a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}
INLINE Wide4 quat_conjugate(Wide4 q) { return (Wide4){-q.x, -q.y, -q.z, q.w}; }
INLINE Wide4 quat_normalise(Wide4 q) {
    Wide n = 1.0 / wide_sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return (Wide4){q.x * n, q.y * n, q.z * n, q.w * n};
}

// conj(a) b
INLINE Wide4 quat_from(Wide4 a, Wide4 b) {
    return (Wide4){a.w * b.x - a.x * b.w - a.y * b.z + a.z * b.y,
                   a.w * b.y - a.y * b.w - a.z * b.x + a.x * b.z,
                   a.w * b.z - a.z * b.w - a.x * b.y + a.y * b.x,
                   a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z};
}

// The same with a real part that is not negative: from frame a to frame b, in a's axes.
INLINE Wide4 quat_between(Wide4 a, Wide4 b) {
    Wide4 c = quat_from(a, b);
    return (Wide4){wide_flip_by(c.x, c.w), wide_flip_by(c.y, c.w), wide_flip_by(c.z, c.w),
                   wide_abs(c.w)};
}

// Columns of the rotation of a unit quaternion.
INLINE Wide3 quat_axis_x(Wide4 q) {
    Wide y = q.y + q.y, z = q.z + q.z;
    return (Wide3){1.0 - (y * q.y + z * q.z), y * q.x + z * q.w, z * q.x - y * q.w};
}
INLINE Wide3 quat_axis_y(Wide4 q) {
    Wide x = q.x + q.x, z = q.z + q.z;
    return (Wide3){x * q.y - z * q.w, 1.0 - (x * q.x + z * q.z), z * q.y + x * q.w};
}
INLINE Wide3 quat_axis_z(Wide4 q) {
    Wide x = q.x + q.x, y = q.y + q.y;
    return (Wide3){x * q.z + y * q.w, y * q.z - x * q.w, 1.0 - (x * q.x + y * q.y)};
}

// q turned by 2 atan(|turn|/2) about the vector.
INLINE Wide4 quat_turned(Wide4 q, Wide3 turn) {
    Wide4 by = {0.5 * turn.x, 0.5 * turn.y, 0.5 * turn.z, splat(1.0)};
    return quat_normalise(quat_mul(by, q));
}
