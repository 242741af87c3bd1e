// Hinges of a world: limits and motors about an axis.
#pragma once

#include "base/ids.h"
#include "collide/contacts.h"
#include "sinew/hinge.h"

typedef struct Hinge {
    SnHingeDef def;
    Vec3d axis; // in the axes of b, or of the frame
    Quatd rest; // of a in those of b, when it was made
    // In snapshots.
    double angle, speed;
    float motor_torque, limit_torque;
    // Of a step: its turns (KnotTurn), 0: none; and how far the frame turns about the axis, rad.
    int turn[2];
    double frame_turn;
    // Of a sub-step: the axis in the world, the angle when it began, and multipliers × h².
    Vec3d now;
    double start;
    double motor, limit;
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
// Of a against b or the frame, as bodies lie now; near this one. hinge_solve.c.
double sn__hinge_angle(const SnWorld *world, const Hinge *hinge, double near);
// In the world.
Vec3d sn__hinge_axis(const SnWorld *world, const Hinge *hinge);

// hinge_solve.c. Bodies are touched.
void sn__hinges_begin_step(SnWorld *world);
// After links in a pass, and limits once more after contacts: what they push cannot go beyond.
void sn__hinges_solve(SnWorld *world, const ContactPass *pass);
void sn__hinges_stop(SnWorld *world, const ContactPass *pass);
void sn__hinges_end_substep(SnWorld *world, const ContactPass *pass);
