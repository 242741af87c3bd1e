// Rigid bodies: their shape, their mass, how they move, and what holds them.
//
// A body has its centre of mass x, its rotation q, its velocity v and its angular momentum L about the
// centre of mass, in double precision and the world's axes. Its own axes are turned into its principal
// ones when it is made, so that the inertia is three numbers.
//
// What holds it takes degrees of freedom away, and the rest is solved for exactly: a free body has six,
// one that is pinned at a point turns about it, one that is pinned at two turns about the axis through
// them. The knot of that point (its hub) and the inertia about it are what contacts and links see.
#pragma once

#include <assert.h>

#include "body/lead.h"
#include "sinew/rigid.h"

typedef enum RigidFreedom {
    RIGID_FREE,    // moves and turns
    RIGID_PINNED,  // turns about a point that is led
    RIGID_HINGED,  // turns about an axis that is led
    RIGID_UPRIGHT, // moves; its rotation is led
    RIGID_FIXED,   // is led
} RigidFreedom;

// How it lies: all that decides where its points are.
typedef struct RigidPose {
    Vec3d x; // centre of mass, from the body's origin, m
    Quatd q; // from the principal axes to the world
} RigidPose;

typedef struct Rigid {
    struct RigidSystem *system;
    int points, parts;
    double origin[3];
    double mass, drag;
    Vec3d inertia;  // about the principal axes, kg·m²
    Quatd own_axes; // from the axes of the definition to the principal ones
    Vec3d
        own_origin; // of the axes of the definition, in the principal ones from the centre of mass
    Vec3d *local;   // by point, in the principal axes from the centre of mass, m
    float *radius;  // by point
    int (*edge)[2]; // by part
    Quatd *frame;   // by part: from its own axes, the third one along it, to the principal ones

    RigidPose pose;
    Vec3d v, L;
    Vec3d force, torque; // of the next step
    // What the air takes of every change of velocity since the step began, kg/s, and that velocity: its
    // force is among the others.
    double air;
    Vec3d air_from;
    double gravity_scale;
    BodyLead *leads;
    int lead_count, lead_capacity;
    RigidFreedom freedom;
    int held[3]; // leads of the first three held points, as far as there are

    // Of the last sub-step: what pulled at every kilogram, what contacts had learned to press with, as
    // impulse × h, and what held it, as a force and as a torque about the centre of mass.
    Vec3d pulled, pressed, pressed_torque;
    Vec3d held_force, held_torque;

    // Of the collision phase.
    int knots; // the first: points, padded, then the hub; 0: it touches nothing
    int turn;
    bool touched, asleep;
    uint32_t step_bits;
    // Of the sub-step: where it began, where it would go, and what of its momentum that stands for.
    RigidPose start, ahead;
    double left, left_turn;     // what drag leaves of an impulse and of one that turns
    Vec3d hub_start, hub_ahead; // what it turns about, from the body's origin
    Vec3d hub_velocity;
    Vec3d L_ahead;  // about the hub
    double fastest; // it may be in this sub-step (BodyKind.limit), m/s; 0: as fast as it will
    float sent[3], turned[3]; // motion and turn as contacts were told
    size_t bytes;             // of the block of all arrays but the leads
    void *block;
} Rigid;

typedef struct RigidSystem {
    SnAllocator allocator;
    BodyRegister *bodies;
    Rigid **list; // in order of creation
    int count, capacity;
} RigidSystem;

extern const BodyKind sn__rigid_kind;

static inline Rigid *rigid_of(const Body *body) {
    assert(body->kind == &sn__rigid_kind);
    return body->item;
}
static inline int sn__rigid_hub(const Rigid *r) {
    return r->knots + (r->points + KNOT_ROW - 1) / KNOT_ROW * KNOT_ROW;
}

SnResult sn__rigid_check(const SnRigidDef *def);
// The definition must have passed the check. NULL without memory.
Rigid *sn__rigid_create(const SnAllocator *allocator, const SnRigidDef *def);
void sn__rigid_destroy(const SnAllocator *allocator, Rigid *rigid);

// motion.c
static inline Vec3d sn__rigid_point(const Rigid *r, const RigidPose *pose, int point) {
    assert(point >= 0 && point < r->points);
    return addd(pose->x, rotated(pose->q, r->local[point]));
}
Vec3d sn__rigid_spin(const Rigid *rigid);   // angular velocity, rad/s, world
double sn__rigid_speed(const Rigid *rigid); // of its fastest surface, m/s, or a little more
void sn__rigid_set_spin(Rigid *rigid, Vec3d spin);
void sn__rigid_begin_substep(Rigid *rigid, const BodyStep *step, int substep, Vec3d load,
                             Vec3d torque);
// With what contacts added to the motion and the turn that begin_substep foresaw.
void sn__rigid_end_substep(Rigid *rigid, double h, Vec3d moved, Vec3d turned);
void sn__rigid_push(Rigid *rigid, Vec3d by, Vec3d turn);
// Inverse of the inertia about the hub, in the world, as KnotTurn has it; and 1/mass of the hub.
void sn__rigid_response(const Rigid *rigid, float inverse[6], float *mobility);

// fit.c: the rotation, and the spin, of all that come nearest to these points (in the world) and to
// their velocities. What these do not tell stays as it is.
Quatd sn__rigid_fit_rotation(const Rigid *rigid, const SnVec3 *positions);
Vec3d sn__rigid_fit_spin(const Rigid *rigid, const SnVec3 *velocities);

// holds.c
void sn__rigid_find_freedom(Rigid *rigid);
// After a pose or a velocity was set: what is held is where it is held, and only the rest moves.
void sn__rigid_obey_holds(Rigid *rigid);
// Where the held point or the whole body is when this part of the step is over.
Vec3d sn__rigid_led_point(const Rigid *rigid, int k, double time);
RigidPose sn__rigid_led_pose(const Rigid *rigid, double time);
bool sn__rigid_is_held(const Body *body, int held, int index);
HeldPose sn__rigid_held_pose(const Body *body, int index);
int sn__rigid_hold(Body *body, int held, int index, uint32_t owner, const HeldPose *pose);
uint32_t sn__rigid_release(Body *body, int held, int index, int lead);
void sn__rigid_lead(Body *body, int index, int lead, const HeldPath *path);
void sn__rigid_settle(Body *body, int lead);
void sn__rigid_jump(Body *body, int index, int lead, const HeldPose *pose);
uint32_t sn__rigid_lead_owner(const Body *body, int lead);

// reaction.c: after the sub-step, of which v and L at the start are given.
void sn__rigid_note_reaction(Rigid *rigid, double h, Vec3d v, Vec3d L);
bool sn__rigid_reaction(const Body *body, const HeldQuestion *question, HeldReaction *out);

// touch.c
bool sn__rigids_number(void *system, KnotNumbers *numbers);
void sn__rigids_own(const void *system, KnotOwner *owners);
void sn__rigids_add_velocity(const void *system, double sum[4]);
void sn__rigids_bounds(void *system, const TouchBounds *bounds);
void sn__rigid_to_knots(Rigid *rigid, const TouchArrays *touch);
// Before the end of a sub-step of h.
void sn__rigid_paces(const Rigid *rigid, double h, KnotPace *paces);
void sn__rigid_from_knots(Rigid *rigid, const TouchArrays *touch, double h);
