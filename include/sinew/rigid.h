// Rigid bodies: compounds of spheres and pills that move and turn as a whole. What hangs at the end of
// a rope, lies on a bridge or hits a tree.
//
// Points of the body are the centres of its spheres and the two ends of its pills, in the order of the
// parts; elements are the parts. A point that is attached to a frame is a ball joint, two of them are
// a hinge, three a fixed body; so is one whose part's frame is attached together with a point.
//
// A body keeps its shape whatever holds it. Where targets contradict it, as when two held points are
// led farther apart than they are on the body, the first one attached is met, the second tells only
// the direction of the axis, the third the turn about it, and the rest is ignored. No bit of a step
// tells of it: compare the positions of the points with their targets.
#pragma once

#include "body.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SN_MAX_RIGID_PARTS 4096

// A pill: spheres of radius_a at a and radius_b at b, and all between them. A sphere has b = a, and
// only radius_a counts.
typedef struct SnRigidPart {
    SnVec3 a, b;              // m, in the body's own axes, within 1e4
    float radius_a, radius_b; // m, in [1e-5, 1e4]
    float density;            // kg/m³, in [0.1, 1e6]; 0: that of the body
} SnRigidPart;

typedef struct SnRigidDef {
    uint32_t cookie;          // set by sn_default_rigid_def
    const char *name;         // for messages and sn_world_find_body, may be NULL; copied
    int part_count;           // at least 1
    const SnRigidPart *parts; // copied
    float density;            // kg/m³, in [0.1, 1e6]
    // The body's mass, kg. 0: from the densities; parts that overlap count twice where they do. Any
    // other value, in [1e-9, 1e12], scales mass and inertia alike.
    float mass;
    float drag; // 1/s, in [0, 1e6]: rate at which all velocities decay, as in a viscous medium

    SnPose pose;             // from the body's axes to the world, relative to `origin`
    SnVec3 velocity;         // m/s, of the centre of mass, within SN_MAX_SPEED per component
    SnVec3 angular_velocity; // rad/s, in the world's axes, within SN_MAX_SPIN per component
    // The pose is relative to this point, m. Far from the origin of the world, a body keeps its accuracy
    // if it is placed with this.
    double origin[3];

    SnSurface surface;
    SnFilter filter; // mask 0: touches nothing, and costs nothing
    float gravity_scale;
    void *user_data;
} SnRigidDef;

// Of the density of water, at the origin, without parts: those must be given.
SN_API SnRigidDef sn_default_rigid_def(void);
// SN_ERROR_INVALID for what cannot be used, SN_ERROR_LIMIT for more than SN_MAX_RIGID_PARTS. out_body
// may be NULL.
SN_API SnResult sn_rigid_create(SnWorld *world, const SnRigidDef *def, SnBodyId *out_body);

// A part that is a sphere, or a pill of one radius.
SN_API SnRigidPart sn_rigid_sphere(SnVec3 centre, float radius);
SN_API SnRigidPart sn_rigid_pill(SnVec3 a, SnVec3 b, float radius);

// How the body lies and moves. Its axes are those it was defined in.
typedef struct SnRigidState {
    SnPose pose;             // from the body's axes to the world
    SnVec3 centre;           // of mass, in the world, m
    SnVec3 velocity;         // m/s, of the centre of mass
    SnVec3 angular_velocity; // rad/s, in the world's axes
} SnRigidState;

// SN_ERROR_INVALID if it is not a rigid body.
SN_API SnResult sn_rigid_read(const SnWorld *world, SnBodyId body, SnRigidState *out_state);
// Takes pose, velocity and angular velocity; the centre is ignored.
SN_API SnResult sn_rigid_write(SnWorld *world, SnBodyId body, const SnRigidState *state);
// Mass, kg, and moments of inertia about the centre of mass in the body's axes, kg·m²:
// xx yy zz xy xz yz. Any pointer may be NULL.
SN_API SnResult sn_rigid_inertia(const SnWorld *world, SnBodyId body, float *out_mass,
                                 float out_inertia[6]);

#ifdef __cplusplus
}
#endif
