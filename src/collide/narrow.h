// The narrow phase in lanes: where two pills are nearest to each other. Included by *_wide.c only.
//
// Eq. 29 with its arg max put right: the minimum over (t, u) in [0, 1]² of
//
//     f = ‖c_a(t) − c_b(u)‖ − r_a(t) − r_b(u),
//
// a convex function. Either both spheres are inside their segments, which has a closed form, or one
// is at an end, and the other is where that end projects to (appendix D, with its offset put
// right). The candidates are five, so the result is exact and needs no search.
#pragma once

#include "math/lanes.h"

typedef struct LanePill {
    Lanes3 a, e;             // first centre, and from it to the second
    Lanes ra, dr;            // first radius, and from it to the second
    Lanes inv_len2, tangent; // 1/|e|², and tan of the slope / |e|; both of them bounded
    Lanes end;               // where one sphere holds the other: the t of the larger one; else −1
} LanePill;

typedef struct LanePair {
    Lanes t, u, gap;
    Lanes3 normal; // from b to a
} LanePair;

// Smaller than any length that matters, squared.
#define NARROW_TINY 1e-20f
#define NARROW_TINIEST 1e-30f // the same, to the fourth power

INLINE LanePill lane_pill(Lanes3 a, Lanes3 b, Lanes ra, Lanes rb) {
    LanePill p = {.a = a, .e = sub3(b, a), .ra = ra, .dr = rb - ra};
    Lanes len2 = dot3(p.e, p.e), one = splat(1.0f), zero = splat(0.0f);
    Lanes cone2 = len2 - p.dr * p.dr;
    p.inv_len2 = one / lanes_max(len2, splat(NARROW_TINY));
    p.tangent = p.dr / lanes_sqrt(lanes_max(cone2 * len2, splat(NARROW_TINIEST)));
    Lanes larger = lanes_if_less(zero, p.dr, one, zero);
    p.end = lanes_if_less(zero, cone2, splat(-1.0f), larger);
    return p;
}

// Appendix D: the sphere nearest to the point, by its parameter.
INLINE Lanes pill_project(const LanePill *p, Lanes3 point) {
    Lanes3 d = sub3(point, p->a);
    Lanes along = dot3(d, p->e) * p->inv_len2;
    Lanes3 foot = sub3(d, mul3(p->e, along));
    Lanes t = along + lanes_sqrt(dot3(foot, foot)) * p->tangent;
    t = lanes_clamp(t, 0.0f, 1.0f);
    return lanes_if_less(p->end, splat(0.0f), t, p->end);
}

INLINE Lanes3 pill_centre(const LanePill *p, Lanes t) { return add3(p->a, mul3(p->e, t)); }
INLINE Lanes pill_radius(const LanePill *p, Lanes t) { return p->ra + p->dr * t; }

INLINE Lanes pill_gap(const LanePill *a, const LanePill *b, Lanes t, Lanes u) {
    Lanes3 d = sub3(pill_centre(a, t), pill_centre(b, u));
    return lanes_sqrt(dot3(d, d)) - pill_radius(a, t) - pill_radius(b, u);
}

// Both inside: the unit normal n has n·e_a = Δr_a and n·e_b = −Δr_b, and a part γ along e_a × e_b;
// then c_a(t) − c_b(u) = D n is linear in t, u and D. Where that does not exist or leads outside,
// the parameters are clamped; the candidate is then no worse than useless.
INLINE void pill_inside(const LanePill *a, const LanePill *b, Lanes *t, Lanes *u) {
    Lanes aa = dot3(a->e, a->e), bb = dot3(b->e, b->e), ab = dot3(a->e, b->e);
    Lanes3 w = sub3(a->a, b->a), across = cross3(a->e, b->e);
    Lanes inv = 1.0f / lanes_max(dot3(across, across), 1e-12f * aa * bb + NARROW_TINIEST);
    Lanes p = inv * (bb * a->dr + ab * b->dr), q = -inv * (ab * a->dr + aa * b->dr);
    // n = p e_a + q e_b + γ across, inv = 1/|across|².
    Lanes in_plane = p * a->dr - q * b->dr; // its part in the plane, squared
    Lanes gamma2 = lanes_max(1.0f - in_plane, splat(1e-6f)) * inv;
    // across·(w + t e_a − u e_b) = across·w = D γ |across|².
    Lanes height = lanes_abs(dot3(across, w));
    Lanes D = height * inv / lanes_sqrt(gamma2);
    // w + t e_a − u e_b = D n, dotted with e_a and e_b.
    Lanes ra = D * a->dr - dot3(w, a->e), rb = -D * b->dr - dot3(w, b->e);
    *t = lanes_clamp(inv * (bb * ra - ab * rb), 0.0f, 1.0f);
    *u = lanes_clamp(inv * (ab * ra - aa * rb), 0.0f, 1.0f);
}

// Candidates that are as good as the best one, within the tolerance, are averaged: f is convex, so
// the mean is as good as well. Pills that lie side by side then touch in the middle of where they
// do, and the contact does not jump from end to end: it moves along as they lean, and turns them back the more softly
// the wider the tolerance is. At a thousandth, two light rods that bear a heap tremble in every sub-step; at this one,
// they overlap by up to a hundredth of a radius more at one end. Pills that cross have one place to touch: near an
// end of one, the mean with that end would lean away from it, and what lies there would roll off.
#define SIDE_BY_SIDE 16.0f // 1/sin² of the angle from which on pills cross
#define NARROW_TOLERANCE 3e-2f
#define SPHERE 1e-6f // (length/radii)⁴ up to which one is a sphere, which leans on nothing
#define SPHERE_TOLERANCE 1e-3f
#define CROSS_TOLERANCE 1e-6f
INLINE void candidate(const LanePill *a, const LanePill *b, Lanes t, Lanes u, Lanes best,
                      Lanes inv_tolerance, Lanes share, Lanes *sum, Lanes *sum_t, Lanes *sum_u) {
    Lanes f = pill_gap(a, b, t, u);
    Lanes weight = lanes_max(1.0f - (f - best) * inv_tolerance, splat(0.0f));
    weight *= weight * share;
    *sum += weight;
    *sum_t += weight * t;
    *sum_u += weight * u;
}

// The one inside is anywhere where pills are parallel. If it must not matter, `even`, it counts only as
// far as no ends do.
INLINE LanePair narrow(const LanePill *a, const LanePill *b, bool even) {
    Lanes zero = splat(0.0f), one = splat(1.0f);
    Lanes u0 = pill_project(b, a->a), u1 = pill_project(b, pill_centre(a, one));
    Lanes t0 = pill_project(a, b->a), t1 = pill_project(a, pill_centre(b, one));
    Lanes t, u;
    pill_inside(a, b, &t, &u);
    u = pill_project(b, pill_centre(a, t)); // takes out what rounding left in nearly parallel pills
    Lanes best = lanes_min(pill_gap(a, b, zero, u0), pill_gap(a, b, one, u1));
    best = lanes_min(best, lanes_min(pill_gap(a, b, t0, zero), pill_gap(a, b, t1, one)));
    best = lanes_min(best, pill_gap(a, b, t, u));

    Lanes size = a->ra + lanes_max(a->dr, zero) + b->ra + lanes_max(b->dr, zero);
    Lanes3 across = cross3(a->e, b->e);
    Lanes sides = dot3(a->e, a->e) * dot3(b->e, b->e), square = dot3(across, across);
    Lanes parallel = 1.0f - SIDE_BY_SIDE * square / lanes_max(sides, splat(NARROW_TINIEST));
    Lanes widest = lanes_if_less(SPHERE * size * size * size * size, sides, splat(NARROW_TOLERANCE),
                                 splat(SPHERE_TOLERANCE));
    Lanes inv_tolerance = 1.0f / (size * lanes_max(widest * parallel, splat(CROSS_TOLERANCE)));
    Lanes sum = zero, sum_t = zero, sum_u = zero, share = one;
    candidate(a, b, zero, u0, best, inv_tolerance, share, &sum, &sum_t, &sum_u);
    candidate(a, b, one, u1, best, inv_tolerance, share, &sum, &sum_t, &sum_u);
    candidate(a, b, t0, zero, best, inv_tolerance, share, &sum, &sum_t, &sum_u);
    candidate(a, b, t1, one, best, inv_tolerance, share, &sum, &sum_t, &sum_u);
    if (even)
        share = lanes_max(1.0f - 0.5f * sum, splat(NARROW_TINIEST));
    candidate(a, b, t, u, best, inv_tolerance, share, &sum, &sum_t, &sum_u);

    LanePair pair = {.t = sum_t / sum, .u = sum_u / sum};
    Lanes3 d = sub3(pill_centre(a, pair.t), pill_centre(b, pair.u));
    Lanes distance = lanes_sqrt(dot3(d, d));
    // Axes that meet: across both, or across the first one.
    Lanes3 other = {a->e.z, zero, -a->e.x};
    other.x = lanes_if_less(splat(NARROW_TINY), dot3(other, other), other.x, one);
    Lanes few = splat(1e-12f) * sides;
    across.x = lanes_if_less(few, square, across.x, other.x);
    across.y = lanes_if_less(few, square, across.y, other.y);
    across.z = lanes_if_less(few, square, across.z, other.z);
    Lanes close = 1e-6f * size;
    Lanes inv_d = 1.0f / lanes_max(distance, close),
          inv_a = 1.0f / lanes_sqrt(dot3(across, across));
    pair.normal.x = lanes_if_less(close, distance, d.x * inv_d, across.x * inv_a);
    pair.normal.y = lanes_if_less(close, distance, d.y * inv_d, across.y * inv_a);
    pair.normal.z = lanes_if_less(close, distance, d.z * inv_d, across.z * inv_a);
    pair.gap = distance - pill_radius(a, pair.t) - pill_radius(b, pair.u);
    return pair;
}
