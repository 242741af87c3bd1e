// Linear blend skinning. Here the lanes are not bodies but the elements of one matrix: with 16 lanes
// a bone is one load and four bones are blended by seven instructions, where the elements of
// different bones for different vertices would have to be gathered 48 times. All instruction sets do
// the same operations on the same elements.
#include <assert.h>

#include "math/lanes.h"
#include "skin/wide.h"

#define BATCH 64 // vertices whose normals are normalised together

typedef float Vector __attribute__((vector_size(16), may_alias));
typedef float LooseVector __attribute__((vector_size(16), aligned(4), may_alias));

// A matrix by columns is PARTS vectors of 16 / PARTS lanes. `spread` repeats each of x, y, z, w as
// often as a column is long, so that an element-wise product is a product with a vector once its
// columns are folded into one.
#if WIDE == 16 && defined(__AVX512F__)

#define PARTS 1
typedef float Part __attribute__((vector_size(64), may_alias));

INLINE Part spread(const float *x, int part) {
    (void)part;
    const __m512i each = _mm512_set_epi32(3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0);
    return (Part)_mm512_permutevar_ps(_mm512_broadcast_f32x4(_mm_load_ps(x)), each);
}

INLINE Vector fold(const Part *m) {
    __m256 half = _mm512_castps512_ps256((__m512)m[0]) + _mm512_extractf32x8_ps((__m512)m[0], 1);
    return (Vector)(_mm256_castps256_ps128(half) + _mm256_extractf128_ps(half, 1));
}

#elif WIDE == 8 && defined(__AVX2__)

#define PARTS 2
typedef float Part __attribute__((vector_size(32), may_alias));

INLINE Part spread(const float *x, int part) {
    __m256i each = part == 0 ? _mm256_set_epi32(1, 1, 1, 1, 0, 0, 0, 0)
                             : _mm256_set_epi32(3, 3, 3, 3, 2, 2, 2, 2);
    return (Part)_mm256_permutevar_ps(_mm256_broadcast_ps((const __m128 *)x), each);
}

INLINE Vector fold(const Part *m) {
    __m256 half = (__m256)(m[0] + m[1]);
    return (Vector)(_mm256_castps256_ps128(half) + _mm256_extractf128_ps(half, 1));
}

#else

#define PARTS 4
typedef Vector Part;

INLINE Part spread(const float *x, int part) { return x[part] - (Part){0.0f}; }

INLINE Vector fold(const Part *m) { return (m[0] + m[2]) + (m[1] + m[3]); }

#endif

INLINE Part part_of(const SkinBone *bones, uint32_t bone, int part) {
    return ((const Part *)&bones[bone])[part];
}

INLINE Part blend(const SkinBone *bones, const uint32_t *bone, const float *w, int part) {
    return (w[0] * part_of(bones, bone[0], part) + w[1] * part_of(bones, bone[1], part)) +
           (w[2] * part_of(bones, bone[2], part) + w[3] * part_of(bones, bone[3], part));
}

INLINE Vector cross(Vector a, Vector b) {
    Vector c = a * __builtin_shufflevector(b, b, 1, 2, 0, 3) -
               b * __builtin_shufflevector(a, a, 1, 2, 0, 3);
    return __builtin_shufflevector(c, c, 1, 2, 0, 3);
}

INLINE Vector blend_point(const SkinPoint *p, const SkinBone *bones, Vector *normal) {
    Part at[PARTS], along_u[PARTS], along_v[PARTS];
    for (int k = 0; k < PARTS; ++k) {
        Part all = blend(bones, p->bone, p->weight, k), x = spread(p->x, k);
        at[k] = all * x;
        along_u[k] = all * spread(p->u, k) + blend(bones, p->bone, p->along_u, k) * x;
        along_v[k] = all * spread(p->v, k) + blend(bones, p->bone, p->along_v, k) * x;
    }
    *normal = cross(fold(along_u), fold(along_v));
    return fold(at);
}

// Four floats are written where three belong; the fourth is overwritten by the next, but for the
// last.
INLINE void put3(float *out, Vector value, bool last) {
    if (last) {
        out[0] = value[0];
        out[1] = value[1];
        out[2] = value[2];
    } else {
        *(LooseVector *)out = value;
    }
}

void WIDE_FUNCTION(skin_blend)(const SkinPoint *points, int count, const SkinBone *bones,
                               SnVec3 pivot, float *out_positions, float *out_normals) {
    assert((uintptr_t)bones % 64 == 0 && (uintptr_t)points % 16 == 0);
    const Vector from = {pivot.x, pivot.y, pivot.z, 0.0f};
    Vector normals[BATCH];
    float squares[BATCH] __attribute__((aligned(64))) = {0};
    for (int begin = 0; begin < count; begin += BATCH) {
        int n = count - begin < BATCH ? count - begin : BATCH;
        float *positions = out_positions + 3 * (size_t)begin;
        float *directions = out_normals + 3 * (size_t)begin;
        for (int i = 0; i < n; ++i) {
            Vector position = blend_point(&points[begin + i], bones, &normals[i]);
            put3(positions + 3 * i, from + position, begin + i + 1 == count);
            Vector s = normals[i] * normals[i];
            squares[i] = s[0] + s[1] + s[2];
        }
        // One of no length stays zero.
        for (int i = 0; i < BATCH; i += WIDE) {
            Lanes s = load(squares + i);
            store(squares + i, 1.0f / lanes_sqrt(lanes_max(s, splat(1e-36f))));
        }
        for (int i = 0; i < n; ++i)
            put3(directions + 3 * i, normals[i] * squares[i], begin + i + 1 == count);
    }
}
