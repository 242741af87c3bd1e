// What moving air does to a straight piece of a body, by its shape and how it lies.
#pragma once

#include <assert.h>

#include "math/vec.h"

// On the frontal area, circular cylinder in cross flow, Reynolds numbers 10³ to 2·10⁵ (Hoerner,
// Fluid-Dynamic Drag, 1965, chapter 3, has 1.1 to 1.2).
#define DRAG_ACROSS 1.1
// On the area of a thin plate of moderate aspect ratio, flow normal to it (Hoerner: 1.17).
#define DRAG_PLATE 1.2
// On the wetted surface, along it: a laminar boundary layer of a twig or leaf, 1.33/√Re at
// Re = 4·10³ (Blasius).
#define DRAG_ALONG 0.02

typedef struct Drag {
    Vec3d force;        // N
    double coefficient; // N·s/m: the force is at most this times the relative velocity
} Drag;

// A segment of elliptic section with half widths a and b along axis[0] and axis[1], its length along
// axis[2]; u is the velocity of the air relative to it, ρ the air's density. With A the wider one
// of a and b, B the narrower, and u_A, u_B, u_t the parts of u:
//
//     F_B = ½ρ 2A l C |u|_f u_B,   C from 1.1 (round) to 1.2 (flat)
//     F_A = ½ρ (2B l 1.1 B/A + 4 (A − B) l 0.02) |u|_f u_A
//     F_t = ½ρ p l 0.02 |u_t| u_t,  p = 4A + (2π − 4)B the perimeter
//
// 1.1 B/A is Hoerner's value of elliptic sections in flow along their longer axis, to which friction
// along the faces is added. |u|_f² = u_A² + u_B² + f u_t², f = 1 − B/A: flow along a cylinder does
// not add to what is across it, but for a plate both are flow past its face.
//
// Divided by 1 + h coefficient/m, the force cannot turn the relative motion round within a step h.
static inline Drag sn__drag(Vec3d u, const Vec3d axis[3], double length, double a, double b,
                            double density) {
    int wide = a < b, thin = 1 - wide;
    assert(a >= 0.0 && b >= 0.0 && length >= 0.0 && density >= 0.0);
    double A = fmax(a, b), B = fmin(a, b), ratio = A > 0.0 ? B / A : 1.0, flat = 1.0 - ratio;
    double along_wide = dotd(u, axis[wide]), normal = dotd(u, axis[thin]), t = dotd(u, axis[2]);
    double speed = sqrt(along_wide * along_wide + normal * normal + flat * t * t);
    double half = 0.5 * density * length;
    double plate = DRAG_ACROSS + (DRAG_PLATE - DRAG_ACROSS) * flat;
    double edge = 2.0 * B * DRAG_ACROSS * ratio + 4.0 * (A - B) * DRAG_ALONG;
    double c_normal = half * 2.0 * A * plate * speed, c_edge = half * edge * speed;
    double perimeter = 4.0 * A + (6.2831853071795865 - 4.0) * B;
    double c_along = half * perimeter * DRAG_ALONG * fabs(t);
    Vec3d force = addd(scaled(axis[thin], c_normal * normal),
                       addd(scaled(axis[wide], c_edge * along_wide), scaled(axis[2], c_along * t)));
    return (Drag){force, fmax(c_normal, fmax(c_edge, c_along))};
}
