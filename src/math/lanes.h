// Wide arithmetic: WIDE floats side by side, one body per lane.
//
// A pack has PACK_LANES lanes whatever the instruction set; kernels walk over it WIDE lanes at a
// time. Only operations that IEEE 754 rounds exactly are used (no fused multiply-add, no
// estimates), so that every width gives the same bits. Included by the *_wide.c files only.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#if defined(__SSE2__) && WIDE > 1
#include <immintrin.h>
#endif

// They stand in for rows of plain floats in memory, which only a type that may alias can do.
typedef float Lanes __attribute__((vector_size(4 * WIDE), may_alias));
typedef int32_t LaneBits __attribute__((vector_size(4 * WIDE), may_alias));

#define INLINE static inline __attribute__((always_inline))

INLINE Lanes load(const float *p) { return *(const Lanes *)p; }
INLINE void store(float *p, Lanes a) { *(Lanes *)p = a; }

// x − 0 is x for every x, so this is a plain broadcast.
INLINE Lanes splat(float x) { return x - (Lanes){0.0f}; }

#if WIDE == 16 && defined(__AVX512F__)

INLINE Lanes lanes_min(Lanes a, Lanes b) { return (Lanes)_mm512_min_ps((__m512)a, (__m512)b); }
INLINE Lanes lanes_max(Lanes a, Lanes b) { return (Lanes)_mm512_max_ps((__m512)a, (__m512)b); }
INLINE Lanes lanes_sqrt(Lanes a) { return (Lanes)_mm512_sqrt_ps((__m512)a); }
// a < b ? x : y
INLINE Lanes lanes_if_less(Lanes a, Lanes b, Lanes x, Lanes y) {
    __mmask16 m = _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LT_OQ);
    return (Lanes)_mm512_mask_blend_ps(m, (__m512)y, (__m512)x);
}

// A bit for every lane in which a < b.
INLINE uint32_t lanes_less(Lanes a, Lanes b) {
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LT_OQ);
}

#elif WIDE == 8 && defined(__AVX2__)

INLINE Lanes lanes_min(Lanes a, Lanes b) { return (Lanes)_mm256_min_ps((__m256)a, (__m256)b); }
INLINE Lanes lanes_max(Lanes a, Lanes b) { return (Lanes)_mm256_max_ps((__m256)a, (__m256)b); }
INLINE Lanes lanes_sqrt(Lanes a) { return (Lanes)_mm256_sqrt_ps((__m256)a); }
INLINE Lanes lanes_if_less(Lanes a, Lanes b, Lanes x, Lanes y) {
    __m256 m = _mm256_cmp_ps((__m256)a, (__m256)b, _CMP_LT_OQ);
    return (Lanes)_mm256_blendv_ps((__m256)y, (__m256)x, m);
}
INLINE uint32_t lanes_less(Lanes a, Lanes b) {
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_LT_OQ));
}

#else

// a < b ? a : b, and b where either is not a number, as SSE has it.
INLINE Lanes lanes_if_less(Lanes a, Lanes b, Lanes x, Lanes y) {
    LaneBits m = (LaneBits)(a < b);
    return (Lanes)((m & (LaneBits)x) | (~m & (LaneBits)y));
}
#if WIDE == 4 && defined(__SSE2__)
INLINE uint32_t lanes_less(Lanes a, Lanes b) { return (uint32_t)_mm_movemask_ps((__m128)(a < b)); }
INLINE Lanes lanes_min(Lanes a, Lanes b) { return (Lanes)_mm_min_ps((__m128)a, (__m128)b); }
INLINE Lanes lanes_max(Lanes a, Lanes b) { return (Lanes)_mm_max_ps((__m128)a, (__m128)b); }
INLINE Lanes lanes_sqrt(Lanes a) { return (Lanes)_mm_sqrt_ps((__m128)a); }
#else
INLINE uint32_t lanes_less(Lanes a, Lanes b) {
    uint32_t bits = 0;
    for (int i = 0; i < WIDE; ++i)
        bits |= (uint32_t)(a[i] < b[i]) << i;
    return bits;
}
INLINE Lanes lanes_min(Lanes a, Lanes b) { return lanes_if_less(a, b, a, b); }
INLINE Lanes lanes_max(Lanes a, Lanes b) { return lanes_if_less(b, a, a, b); }
INLINE Lanes lanes_sqrt(Lanes a) {
    for (int i = 0; i < WIDE; ++i)
        a[i] = __builtin_sqrtf(a[i]);
    return a;
}
#endif
#endif

INLINE bool lanes_any_less(Lanes a, Lanes b) { return lanes_less(a, b) != 0; }
INLINE bool lanes_all_less(Lanes a, Lanes b) { return lanes_less(a, b) == (1u << WIDE) - 1u; }

INLINE Lanes lanes_clamp(Lanes a, float low, float high) {
    return lanes_max(lanes_min(a, splat(high)), splat(low));
}

INLINE Lanes lanes_abs(Lanes a) { return (Lanes)((LaneBits)a & 0x7fffffff); }

// a with its sign flipped where b is negative.
INLINE Lanes lanes_flip_by(Lanes a, Lanes b) {
    return (Lanes)((LaneBits)a ^ ((LaneBits)b & (int32_t)0x80000000));
}

typedef struct Lanes3 {
    Lanes x, y, z;
} Lanes3;

typedef struct Lanes4 {
    Lanes x, y, z, w;
} Lanes4;

INLINE Lanes3 add3(Lanes3 a, Lanes3 b) { return (Lanes3){a.x + b.x, a.y + b.y, a.z + b.z}; }
INLINE Lanes3 sub3(Lanes3 a, Lanes3 b) { return (Lanes3){a.x - b.x, a.y - b.y, a.z - b.z}; }
INLINE Lanes3 mul3(Lanes3 a, Lanes s) { return (Lanes3){a.x * s, a.y * s, a.z * s}; }
INLINE Lanes dot3(Lanes3 a, Lanes3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
INLINE Lanes3 cross3(Lanes3 a, Lanes3 b) {
    return (Lanes3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// Columns of the rotation of a unit quaternion; the third is a rod's tangent.
INLINE Lanes3 quat_axis_x(Lanes4 q) {
    Lanes y = q.y + q.y, z = q.z + q.z;
    return (Lanes3){1.0f - (y * q.y + z * q.z), y * q.x + z * q.w, z * q.x - y * q.w};
}
INLINE Lanes3 quat_axis_y(Lanes4 q) {
    Lanes x = q.x + q.x, z = q.z + q.z;
    return (Lanes3){x * q.y - z * q.w, 1.0f - (x * q.x + z * q.z), z * q.y + x * q.w};
}
INLINE Lanes3 quat_axis_z(Lanes4 q) {
    Lanes x = q.x + q.x, y = q.y + q.y;
    return (Lanes3){x * q.z + y * q.w, y * q.z - x * q.w, 1.0f - (x * q.x + y * q.y)};
}

INLINE Lanes4 quat_mul(Lanes4 a, Lanes4 b) {
    return (Lanes4){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                    a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z,
                    a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x,
                    a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

INLINE Lanes4 quat_conjugate(Lanes4 q) { return (Lanes4){-q.x, -q.y, -q.z, q.w}; }

INLINE Lanes3 quat_rotate(Lanes4 q, Lanes3 v) {
    Lanes3 u = {q.x, q.y, q.z};
    Lanes3 t = mul3(cross3(u, v), splat(2.0f));
    return add3(add3(v, mul3(t, q.w)), cross3(u, t));
}

INLINE Lanes4 quat_normalise(Lanes4 q) {
    Lanes n = 1.0f / lanes_sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return (Lanes4){q.x * n, q.y * n, q.z * n, q.w * n};
}

// conj(a) b
INLINE Lanes4 quat_from(Lanes4 a, Lanes4 b) {
    return (Lanes4){a.w * b.x - a.x * b.w - a.y * b.z + a.z * b.y,
                    a.w * b.y - a.y * b.w - a.z * b.x + a.x * b.z,
                    a.w * b.z - a.z * b.w - a.x * b.y + a.y * b.x,
                    a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z};
}

// The same with a real part that is not negative: from frame a to frame b, in a's axes.
INLINE Lanes4 quat_between(Lanes4 a, Lanes4 b) {
    Lanes4 c = quat_from(a, b);
    return (Lanes4){lanes_flip_by(c.x, c.w), lanes_flip_by(c.y, c.w), lanes_flip_by(c.z, c.w),
                    lanes_abs(c.w)};
}

// Records of four floats, one per lane, turned into four vectors: out[c] has float c of all of them.
// Record k is at base + stride × index[k], in floats.
#if WIDE == 1

INLINE void gather_fours(const float *base, int stride, const int32_t *index, Lanes out[4]) {
    for (int c = 0; c < 4; ++c)
        out[c][0] = base[(long)stride * index[0] + c];
}

// The way back: record k has float c of in[c]. The first `count` lanes have one.
INLINE void scatter_fours(float *base, int stride, const int32_t *index, int count,
                          const Lanes in[4]) {
    for (int c = 0; c < 4 && count > 0; ++c)
        base[(long)stride * index[0] + c] = in[c][0];
}

#else

typedef float Four __attribute__((vector_size(16), may_alias, aligned(4)));

INLINE void transpose_fours(const Four r[4], Four out[4]) {
    Four ab_low = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5);
    Four ab_high = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
    Four cd_low = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
    Four cd_high = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
    out[0] = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
    out[2] = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
    out[3] = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
}

#if WIDE == 4
#define JOIN_4(p, c) ((Lanes)p[0][c])
#else
#define JOIN_8(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7)
#if WIDE == 8
#define JOIN_4(p, c) ((Lanes)JOIN_8(p[0][c], p[1][c]))
#else
#define JOIN_4(p, c)                                                                               \
    ((Lanes)__builtin_shufflevector(JOIN_8(p[0][c], p[1][c]), JOIN_8(p[2][c], p[3][c]), 0, 1, 2,   \
                                    3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
#endif
#endif

INLINE void gather_fours(const float *base, int stride, const int32_t *index, Lanes out[4]) {
    Four parts[WIDE / 4][4];
    for (int g = 0; g < WIDE / 4; ++g) {
        Four r[4];
        for (int k = 0; k < 4; ++k)
            r[k] = *(const Four *)(base + (long)stride * index[4 * g + k]);
        transpose_fours(r, parts[g]);
    }
    for (int c = 0; c < 4; ++c)
        out[c] = JOIN_4(parts, c);
}

INLINE void scatter_fours(float *base, int stride, const int32_t *index, int count,
                          const Lanes in[4]) {
    for (int g = 0; g < WIDE / 4; ++g) {
        Four r[4], records[4];
        for (int c = 0; c < 4; ++c)
            r[c] = ((const Four *)&in[c])[g];
        transpose_fours(r, records);
        for (int k = 0; k < 4 && 4 * g + k < count; ++k)
            *(Four *)(base + (long)stride * index[4 * g + k]) = records[k];
    }
}

#endif
