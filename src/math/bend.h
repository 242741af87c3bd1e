// A way from a to b in a step that need not be straight, t from 0 to 1:
//
//     x(t) = a + t (b − a) + t (1 − t) (c₀ + c₁ t)
//
// With c₀ and c₁ as below it is the cubic through a, the places at one and two thirds of the step,
// and b. Rotations go the same way by their components, and are normalised.
#pragma once

#include "math/vec.h"

typedef struct Bend3 {
    Vec3d c[2];
} Bend3;

typedef struct Bend4 {
    Quatd c[2];
} Bend4;

static inline void bend_of(double a, double third, double two_thirds, double b, double out[2]) {
    double d1 = third - (a + (b - a) / 3.0), d2 = two_thirds - (a + (b - a) * (2.0 / 3.0));
    out[0] = 4.5 * (2.0 * d1 - d2);
    out[1] = 13.5 * (d2 - d1);
}

static inline Bend3 bend_of_points(Vec3d a, Vec3d third, Vec3d two_thirds, Vec3d b) {
    double x[2], y[2], z[2];
    bend_of(a.x, third.x, two_thirds.x, b.x, x);
    bend_of(a.y, third.y, two_thirds.y, b.y, y);
    bend_of(a.z, third.z, two_thirds.z, b.z, z);
    return (Bend3){{{x[0], y[0], z[0]}, {x[1], y[1], z[1]}}};
}

// q with the sign that is nearer to `to`.
static inline Quatd bend_sign(Quatd q, Quatd to) {
    double dot = q.x * to.x + q.y * to.y + q.z * to.z + q.w * to.w;
    return dot < 0.0 ? (Quatd){-q.x, -q.y, -q.z, -q.w} : q;
}

// The places between may have any sign.
static inline Bend4 bend_of_turns(Quatd a, Quatd third, Quatd two_thirds, Quatd b) {
    third = bend_sign(third, a);
    two_thirds = bend_sign(two_thirds, b);
    double x[2], y[2], z[2], w[2];
    bend_of(a.x, third.x, two_thirds.x, b.x, x);
    bend_of(a.y, third.y, two_thirds.y, b.y, y);
    bend_of(a.z, third.z, two_thirds.z, b.z, z);
    bend_of(a.w, third.w, two_thirds.w, b.w, w);
    return (Bend4){{{x[0], y[0], z[0], w[0]}, {x[1], y[1], z[1], w[1]}}};
}

// What comes to the straight way at t.
static inline Vec3d bend_point(const Bend3 *bend, double t) {
    return scaled(addd(bend->c[0], scaled(bend->c[1], t)), t * (1.0 - t));
}

static inline Quatd bend_turn(const Bend4 *bend, Quatd straight, double t) {
    double s = t * (1.0 - t);
    const Quatd *c = bend->c;
    return (Quatd){straight.x + s * (c[0].x + t * c[1].x), straight.y + s * (c[0].y + t * c[1].y),
                   straight.z + s * (c[0].z + t * c[1].z), straight.w + s * (c[0].w + t * c[1].w)};
}
