// Ellipsoids in contact: how far they are from each other, from pills and from whatever has a distance.
//
// An ellipsoid with the principal axes e and radii a is S = Σ a² e eᵀ, six numbers: xx yy zz xy xz yz. In
// the direction n it reaches h(n) = √(n·S n), at the point S n/h(n). A sphere is S = r².
#pragma once

#include "math/vec.h"

// How far it reaches along the unit vector n, and at which point from its centre; out_point may be NULL.
double sn__ellipsoid_reach(const float shape[6], Vec3d n, Vec3d *out_point);

// The gap between two of them, negative where they overlap, and the normal from b to a. `apart` is from
// the centre of b to that of a.
//
// The gap is the largest of g(n) = n·apart − h_a(n) − h_b(n) over all unit vectors n, and where they
// overlap a local one: the smallest way out. With w = apart − S_a n/h_a − S_b n/h_b, Newton's step across
// n is (H_a + H_b + g)⁻¹ w, H = (S − S n nᵀ S/h²)/h being the radii of curvature. It starts from
// (S_a + S_b)⁻¹ apart, the normal of a surface between them.
double sn__ellipsoids_gap(Vec3d apart, const float a[6], const float b[6], Vec3d *out_normal);

// The same of a surface that is known by its distance: `distance` gives that of a point and the unit gradient.
typedef double SurfaceDistance(const void *surface, Vec3d x, Vec3d *out_gradient);
double sn__ellipsoid_surface_gap(Vec3d centre, const float shape[6], SurfaceDistance *distance,
                                 const void *surface, Vec3d *out_normal);
