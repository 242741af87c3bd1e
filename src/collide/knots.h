// Knots: the vertices of all bodies as contacts see them.
//
// A contact touches two vertices of each side. In the packs of a body their numbers lie in a dozen
// cache lines; here, each is one line. Bodies copy their state in before the contacts of a sub-step
// are solved and take it back after. A segment has its turn about its own axis in the knot of the
// same number. Knot 0 is nobody's and cannot move.
#pragma once

#include "base/memory.h"
#include "math/vec.h"

#define KNOT_ROW 16 // knots of one row of a pack lie side by side

typedef struct Knot {
    float start[4];  // at the start of the sub-step: position from the body's origin, radius; m
    float motion[4]; // since then: displacement, change of radius; m
    float push[3];   // out of an overlap, m: it moves the vertex, but is no velocity
    float roll;      // of the segment about its axis since the start of the sub-step, rad
    float mobility;  // 1/mass
    float radial;    // of the radius, with the stiffness that holds it
    float spin;      // of the roll: 1/inertia
    float rolled;    // the roll before the contacts
} __attribute__((aligned(64))) Knot;

// The turning of a body that turns as a whole, beside the knot of the point that it turns about. Turn 0
// is nobody's and cannot move.
typedef struct KnotTurn {
    float inverse[6]; // of the inertia about that point, in the world: xx yy zz xy xz yz, 1/(kg·m²)
    float fill[2];    // what is written together is a vector of its own
    float turn[3];    // since the start of the sub-step, rad
    float fill_2;
    float push[3]; // out of an overlap, rad: it turns the body, but is no velocity
    float fill_3;
    float load[3]; // torque of contacts × h² for the next sub-step; taken, and left at 0
    // Of a body that is an ellipsoid about its knot (ellipsoid.h), as it is turned when the sub-step begins;
    // the knot has its largest radius. All 0: it is what its elements are.
    float shape[6];
    float fill_4[7];
} __attribute__((aligned(64))) KnotTurn;

// How far a body turns by a torque × h².
static inline Vec3d sn__turned_by(const KnotTurn *turn, Vec3d torque) {
    const float *i = turn->inverse;
    return (Vec3d){(double)i[0] * torque.x + (double)i[3] * torque.y + (double)i[4] * torque.z,
                   (double)i[3] * torque.x + (double)i[1] * torque.y + (double)i[5] * torque.z,
                   (double)i[4] * torque.x + (double)i[5] * torque.y + (double)i[2] * torque.z};
}

// How far a knot would come in the sub-step if nothing acted on it, m.
typedef struct KnotPace {
    float by[3];
    // How often a bounce would gain what forces do in a sub-step: 1 where velocities are always the
    // mean ones of sub-steps, 2 where they are so only while something touches the body.
    float gains;
} KnotPace;

// How far the surface at a knot has come at most since the step began, m; by knot. Whoever is
// farther apart than both sides have come need not be looked at.
typedef struct KnotWays {
    float *gone;  // when the sub-step began
    float *ahead; // with what it is about to move in it
} KnotWays;
