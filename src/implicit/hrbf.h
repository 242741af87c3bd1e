// Hermite radial basis functions: a smooth function that is zero at given points and has a given unit
// normal as its gradient there. Near the points it is as good as the signed distance to the surface
// that they lie on, negative inside.
#pragma once

#include "base/memory.h"
#include "math/vec.h"

#define HRBF_MOST_CENTRES 128

// f(x) = Σ λ_i |x − c_i|³ + β_i · ∇|x − c_i|³, with x and c_i in units of `size` from `middle`.
typedef struct Hrbf {
    int count;
    Vec3d middle;
    double size;
    Vec3d centres[HRBF_MOST_CENTRES];
    Vec3d normals[HRBF_MOST_CENTRES];
    double spacing; // of a centre from its nearest neighbour, the mean of all
    double lambda[HRBF_MOST_CENTRES];
    Vec3d beta[HRBF_MOST_CENTRES];
} Hrbf;

// Solves for the coefficients, 4 `count` linear equations. Centres lie apart, normals have length 1.
// SN_ERROR_INVALID: the equations have no unique solution, as where two centres are one point.
SnResult sn__hrbf_fit(const SnAllocator *allocator, const Vec3d *centres, const Vec3d *normals,
                      int count, Hrbf *out);
// The value, in the unit of the centres, and its gradient.
double sn__hrbf_at(const Hrbf *hrbf, Vec3d x, Vec3d *out_gradient);
// The same, but far from all centres no nearer than half as far as the nearest of them says that the
// surface is: there, cubes of distances that almost cancel out may give anything.
double sn__hrbf_bounded(const Hrbf *hrbf, Vec3d x, Vec3d *out_gradient);
