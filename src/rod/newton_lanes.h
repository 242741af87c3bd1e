// The numbers of Newton's method: float for rods where that is enough (sn__pack_prepare says for
// which), which is twice as many lanes, and double for the others. So the headers of
// the method are written for Number, and a file that includes them defines NEWTON_DOUBLE as 0 or 1.
#pragma once

#if NEWTON_DOUBLE

#include "math/lanes_double.h"

#define NUMBER_LANES WIDE_DOUBLE
typedef Wide Number;
typedef Wide3 Number3;
typedef Wide4 Number4;

INLINE Number load_row(const float *p) { return load_floats(p); }
INLINE void store_row(float *p, Number a) { store_floats(p, a); }
INLINE Number number_if_less(Number a, Number b, Number x, Number y) {
    return wide_if_less(a, b, x, y);
}
INLINE bool number_any_less(Number a, Number b) { return wide_any_less(a, b); }
INLINE Number number_min(Number a, Number b) { return wide_min(a, b); }
INLINE Number number_max(Number a, Number b) { return wide_max(a, b); }
INLINE Number number_sqrt(Number a) { return wide_sqrt(a); }
INLINE Number number_flip_by(Number a, Number sign) { return wide_flip_by(a, sign); }

// Inertia of what is held.
#define HELD 1e30

#else

#include "math/lanes.h"

#define NUMBER_LANES WIDE
typedef Lanes Number;
typedef Lanes3 Number3;
typedef Lanes4 Number4;

INLINE Number load_row(const float *p) { return load(p); }
INLINE void store_row(float *p, Number a) { store(p, a); }
INLINE Number number_if_less(Number a, Number b, Number x, Number y) {
    return lanes_if_less(a, b, x, y);
}
INLINE bool number_any_less(Number a, Number b) { return lanes_any_less(a, b); }
INLINE Number number_min(Number a, Number b) { return lanes_min(a, b); }
INLINE Number number_max(Number a, Number b) { return lanes_max(a, b); }
INLINE Number number_sqrt(Number a) { return lanes_sqrt(a); }
INLINE Number number_flip_by(Number a, Number sign) { return lanes_flip_by(a, sign); }

// In units in which masses are about 1 (RodPack.unit), and far from the ends of float's range.
#define HELD 1e20f

#endif

// Float is enough for forces, too, where what is small is not made as the difference of what is large: they are then as
// exact as the state, which is float. So they are made on the way; lanes with RodPack.exact read those of
// rod_newton_forces_wide.c.
#define OWN_FORCES (!NEWTON_DOUBLE)

// A loop that is unrolled, so that the numbers of a station can be in registers. Sanitizers would
// take minutes to look at all that.
#ifdef __SANITIZE_ADDRESS__
#define EACH(k, from, to) for (int k = (from); k < (to); ++k)
#else
#define EACH(k, from, to) _Pragma("GCC unroll 8") for (int k = (from); k < (to); ++k)
#endif

// A function that the compiler is to look at alone: where several large ones are one, it does less well.
#define APART static __attribute__((noinline)) void

// Unknowns of a station: x θ s, and the s behind the next one.
enum { X = 0, T = 3, S = 6, SS = 7, UNKNOWNS = 7, BEHIND = 8 };
