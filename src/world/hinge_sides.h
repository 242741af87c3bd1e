// What a hinge turns: a body that turns as a whole, or an element of one that is solved as a whole. The latter answers
// to a torque with all of itself, as it does to links (link_tied.c).
#pragma once

#include "world/world.h"

static inline bool sn__side_is_tied(const HingeSide *side) {
    return side->body && side->body->kind->tie_turn;
}

// One of its sides belongs to a body that is solved as a whole.
static inline bool sn__hinge_is_tied(const Hinge *hinge) {
    return sn__side_is_tied(&hinge->side[0]) || sn__side_is_tied(&hinge->side[1]);
}

// When a step begins.
void sn__hinge_bind(SnWorld *world, SnBodyId id, int element, HingeSide *side);
// How a side is turned when the sub-step begins, and as it is now; of a frame, at its end.
Quatd sn__hinge_began(const SnWorld *world, const Hinge *hinge, int side, const ContactPass *pass);
Quatd sn__hinge_now(const SnWorld *world, const Hinge *hinge, int side, const ContactPass *pass);
// By how much a turns against b along each axis by torques × h² between them along each.
typedef struct HingeMobility {
    Vec3d by[3];
} HingeMobility;
HingeMobility sn__hinge_mobility(const SnWorld *world, const Hinge *hinge);
// What a torque × h² on a, and against it on b, does to both.
void sn__hinge_turn(SnWorld *world, const Hinge *hinge, Vec3d torque);
