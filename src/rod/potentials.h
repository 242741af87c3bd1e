// The elastic potentials of section 5 as plain functions of their arguments, in double precision:
// what is measured and what the sweep is tested against. Rest scale 1 throughout: a rod's
// parametrised radius is its rest radius.
//
// But for shear, every energy is ½ K W², with the stiffnesses K of RodRest, which carry the length of the element.
// Eqs 11 and 14 have the shear and bend terms of appendix A; see docs/physics.md for the errata.
#pragma once

#include "math/vec.h"

// ∇c = d / l, with d from one vertex of the segment to the next and l its (active) rest length.

// Eq. 11 along the rod: W = |∇c| − 1.
static inline double potential_stretch(Vec3d d, double l) { return lengthd(d) / l - 1.0; }

// Eq. 11 across it, w the tangent of the frame: the energy is K (|∇c| − w·∇c), about ½ K γ² |∇c| for an
// angle γ between the two. With eq. 11's one stiffness for both, ½ K |∇c − w|² is the sum of the two.
static inline double potential_shear(Vec3d d, double l, Vec3d w) {
    return (lengthd(d) - dotd(w, d)) / l;
}

// Eq. 18 along the rod: W = s² |∇c| − 1, s the mean scale of both ends, l the rest length without
// activation.
static inline double potential_volume(Vec3d d, double l, double s) {
    return s * s * lengthd(d) / l - 1.0;
}

// Eq. 12: W = s − 1, s the mean scale of both ends.
static inline double potential_cross_section(double s) { return s - 1.0; }

// Eq. 13: W = (s_b − s_a) / l.
static inline double potential_scale_gradient(double sa, double sb, double l) {
    return (sb - sa) / l;
}

// Eq. 40: Darboux vector between the frames p and q, L the mean of their lengths. The quaternion
// product is taken with positive real part; the vector is 2/L times the sine of half the angle.
static inline Vec3d darboux(Quatd p, Quatd q, double L) {
    Quatd b = mulqd(conjugated(p), q);
    double c = (b.w < 0.0 ? -2.0 : 2.0) / L;
    return (Vec3d){c * b.x, c * b.y, c * b.z};
}

// Eq. 14 (with H of eq. 55): W = s Ω − Ω̄. Eqs 19 and 20: W = s³ Ω − Ω̄, first two components.
static inline Vec3d potential_bend(Vec3d omega, Vec3d rest, double s) {
    return subd(scaled(omega, s), rest);
}

static inline Vec3d potential_volume_bend(Vec3d omega, Vec3d rest, double s) {
    return (Vec3d){s * s * s * omega.x - rest.x, s * s * s * omega.y - rest.y, 0.0};
}

// Eqs 15 and 39, divided by L: second difference of the scale over the segments of length l_a, l_b.
static inline double potential_scale_bend(double sp, double s, double sn, double la, double lb) {
    return ((sn - s) / lb - (s - sp) / la) / (0.5 * (la + lb));
}
