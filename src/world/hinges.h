// Hinges of a world: limits and motors about an axis.
#pragma once

#include "base/ids.h"
#include "collide/contacts.h"
#include "sinew/hinge.h"

// Of a step.
typedef struct HingeSide {
    Body *body; // NULL: the frame
    int element;
    int turn; // of a body that turns as a whole (KnotTurn), 0: it is none
    int tie; // of one that is solved as a whole (BodyKind.tie_turn), −1: it is none, or has too many
    Vec3d shift; // rad, by what has pulled at its ties in this pass
} HingeSide;

typedef struct Hinge {
    SnHingeDef def;
    Vec3d axis; // in the axes of b, or of the frame
    Quatd rest; // of a in those of b, when it was made
    // In snapshots.
    double angle, speed;
    float motor_torque, limit_torque;
    // Of bodies that are solved as a whole: what all of it was in the last sub-step, N·m; the next one starts with it.
    Vec3d bears;
    double motor_bears, limit_bears;
    // Of a step; and how far the frame turns about the axis in it, rad.
    HingeSide side[2];
    double frame_turn;
    // Of a sub-step: the axis in the world, the angle when it began, and multipliers × h².
    Vec3d now;
    double start;
    double motor, limit;
    // Of bodies that are solved as a whole (hinge_tied.c): how far axes may stay apart in this sub-step, all of the torque
    // × h² between both bodies, and how much of it they know.
    Vec3d keeps, torque, told;
} Hinge;

typedef struct HingeSystem {
    IdPool ids;
    Hinge *hinges; // by slot − 1
    int capacity;
} HingeSystem;

static inline bool sn__hinge_in_use(const HingeSystem *system, uint32_t slot) {
    return slot >= 1 && slot <= system->ids.slot_count &&
           (system->ids.slots[slot - 1].generation & 1u);
}

// hinges.c
void sn__hinges_drop_body(SnWorld *world, SnBodyId body);
void sn__hinges_drop_frame(SnWorld *world, SnFrameId frame);
void sn__hinges_destroy(SnWorld *world);
// Of a against b, if they are turned like this; near another one. hinge_solve.c.
double sn__hinge_angle_between(const Hinge *hinge, Quatd a, Quatd b, double near);
// Of a against b or the frame, as bodies lie now; near this one.
double sn__hinge_angle(const SnWorld *world, const Hinge *hinge, double near);
// In the world.
Vec3d sn__hinge_axis(const SnWorld *world, const Hinge *hinge);

// hinge_solve.c: of rigid bodies, and of all of them when steps begin and sub-steps end. Bodies are touched.
void sn__hinges_begin_step(SnWorld *world);
// After links in a pass, and limits once more after contacts: what they push cannot go beyond.
void sn__hinges_solve(SnWorld *world, const ContactPass *pass);
void sn__hinges_stop(SnWorld *world, const ContactPass *pass);
void sn__hinges_end_substep(SnWorld *world, const ContactPass *pass);

// hinge_tied.c: of bodies that are solved as a whole, in turn with their links. When a pass begins; returns more than
// LINKS_TORN (step.c) if one is not solved at all.
double sn__hinges_begin_tied(SnWorld *world, const ContactPass *pass);
// In the first pass, once links have begun, too.
void sn__hinges_start_tied(SnWorld *world);
// Returns how far that turns one at most, rad.
double sn__hinges_solve_tied(SnWorld *world, const ContactPass *pass);
// After the contacts of a pass.
void sn__hinges_tell(SnWorld *world);
// How far it has turned in the sub-step, rad.
double sn__hinge_turned_tied(const SnWorld *world, const Hinge *hinge, const ContactPass *pass);
