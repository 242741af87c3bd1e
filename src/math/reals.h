// Wide arithmetic in double precision: SN_REALS doubles side by side, half as many lanes as lanes.h
// has in vectors of the same size. For what float cannot hold: the stiffness of a steel wire beside
// the inertia of its segments. Same rules, same bits everywhere. Included by *_wide.c files only.
#pragma once

#include "math/lanes.h"

#define SN_REALS (SN_WIDE > 1 ? SN_WIDE / 2 : 1)

typedef double Reals __attribute__((vector_size(8 * SN_REALS)));
typedef int64_t RealBits __attribute__((vector_size(8 * SN_REALS)));
typedef float RealsStored __attribute__((vector_size(4 * SN_REALS), may_alias));

// Rows are stored as float.
SN_INLINE Reals reals(const float *p) {
    return __builtin_convertvector(*(const RealsStored *)p, Reals);
}
SN_INLINE void store_reals(float *p, Reals a) {
    *(RealsStored *)p = __builtin_convertvector(a, RealsStored);
}

SN_INLINE Reals real(double x) { return x - (Reals){0.0}; }

// a < b ? x : y
SN_INLINE Reals reals_if_less(Reals a, Reals b, Reals x, Reals y) {
    RealBits m = (RealBits)(a < b);
    return (Reals)((m & (RealBits)x) | (~m & (RealBits)y));
}

// The second one where either is not a number.
SN_INLINE Reals reals_min(Reals a, Reals b) { return reals_if_less(a, b, a, b); }
SN_INLINE Reals reals_max(Reals a, Reals b) { return reals_if_less(b, a, a, b); }

SN_INLINE Reals reals_sqrt(Reals a) {
#if SN_REALS == 8
    return (Reals)_mm512_sqrt_pd((__m512d)a);
#elif SN_REALS == 4
    return (Reals)_mm256_sqrt_pd((__m256d)a);
#elif SN_REALS == 2 && defined(__SSE2__)
    return (Reals)_mm_sqrt_pd((__m128d)a);
#else
    for (int i = 0; i < SN_REALS; ++i)
        a[i] = __builtin_sqrt(a[i]);
    return a;
#endif
}

typedef struct Reals3 {
    Reals x, y, z;
} Reals3;

typedef struct Reals4 {
    Reals x, y, z, w;
} Reals4;

SN_INLINE Reals3 radd3(Reals3 a, Reals3 b) { return (Reals3){a.x + b.x, a.y + b.y, a.z + b.z}; }
SN_INLINE Reals3 rsub3(Reals3 a, Reals3 b) { return (Reals3){a.x - b.x, a.y - b.y, a.z - b.z}; }
SN_INLINE Reals3 rmul3(Reals3 a, Reals s) { return (Reals3){a.x * s, a.y * s, a.z * s}; }
SN_INLINE Reals rdot3(Reals3 a, Reals3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
SN_INLINE Reals3 rcross3(Reals3 a, Reals3 b) {
    return (Reals3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

SN_INLINE Reals4 rquat_mul(Reals4 a, Reals4 b) {
    return (Reals4){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                    a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z,
                    a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x,
                    a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

// conj(a) b with a real part that is not negative: from frame a to frame b, in a's axes.
SN_INLINE Reals4 rquat_between(Reals4 a, Reals4 b) {
    Reals4 c = rquat_mul((Reals4){-a.x, -a.y, -a.z, a.w}, b);
    Reals side = reals_if_less(c.w, real(0.0), real(-1.0), real(1.0));
    return (Reals4){c.x * side, c.y * side, c.z * side, c.w * side};
}

SN_INLINE Reals4 rquat_normalise(Reals4 q) {
    Reals n = 1.0 / reals_sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return (Reals4){q.x * n, q.y * n, q.z * n, q.w * n};
}
