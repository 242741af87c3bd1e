// Bodies: what can be asked of everything that moves, whatever its kind.
//
// A body has points and elements. The points of a rod are its vertices and its elements the segments
// between them; those of a rigid body are the ends and the bodies of its pills and spheres. Forces act
// on points, torques on elements; contacts, hits, links and attachments name a body and one of either.
//
// Functions that return SnResult return SN_ERROR_STALE for an id of a body that is gone,
// SN_ERROR_INVALID for a NULL pointer or a number out of range, and then change nothing.
#pragma once

#include "contact.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SnBodyKind {
    SN_BODY_NONE,      // a stale or null id
    SN_BODY_ROD,       // rod.h: volume-preserving and classic rods, and creatures
    SN_BODY_STIFF_ROD, // rod.h, with SnRodDef.stiff: rigid segments, twigs, trees, nets
    SN_BODY_RIGID,     // rigid.h: a compound of spheres and pills
    SN_BODY_SOLID,     // solid.h: a graph of ellipsoidal particles
} SnBodyKind;

// Destroys the body, with what is attached or linked to it and the skins that follow it.
SN_API SnResult sn_body_destroy(SnWorld *world, SnBodyId body);
SN_API bool sn_body_is_valid(const SnWorld *world, SnBodyId body);
SN_API SnBodyKind sn_body_kind(const SnWorld *world, SnBodyId body);
// 0 for a stale id.
SN_API int sn_body_point_count(const SnWorld *world, SnBodyId body);
SN_API int sn_body_element_count(const SnWorld *world, SnBodyId body);
// The two points of every element, element_count pairs; a sphere has the same point twice.
SN_API SnResult sn_body_edges(const SnWorld *world, SnBodyId body, int *out_edges);
// As in the definition; "" if it had none, NULL for a stale id. Valid as long as the body.
SN_API const char *sn_body_name(const SnWorld *world, SnBodyId body);
// The first body in order of creation that has this name, or the null id.
SN_API SnBodyId sn_world_find_body(const SnWorld *world, const char *name);
// The body created after this one, or the first one after the null id; null behind the last one and
// for a stale id. for (b = sn_world_next_body(w, null); b.index != 0; b = sn_world_next_body(w, b))
SN_API SnBodyId sn_world_next_body(const SnWorld *world, SnBodyId body);
SN_API int sn_world_body_count(const SnWorld *world);
// As in the definition, until set otherwise; NULL for a stale id.
SN_API void *sn_body_user_data(const SnWorld *world, SnBodyId body);
SN_API SnResult sn_body_set_user_data(SnWorld *world, SnBodyId body, void *user_data);

// State. Any pointer may be NULL. Arrays hold point_count or element_count entries; positions are
// in the world (m), velocities in m/s, frames are unit quaternions from the element to the world (the
// third axis of a segment or pill is along it), angular velocities in rad/s in the world's axes. Scales
// are 1, and their velocities (1/s) 0, but for rods that preserve their volume.
typedef struct SnBodyState {
    SnVec3 *positions;          // per point
    float *scales;              // per point: radius / rest radius
    float *radii;               // per point, m
    SnQuat *frames;             // per element
    SnVec3 *velocities;         // per point
    float *scale_velocities;    // per point
    SnVec3 *angular_velocities; // per element
} SnBodyState;

// Fills the arrays that are not NULL with the state as it is now.
SN_API SnResult sn_body_read(const SnWorld *world, SnBodyId body, const SnBodyState *out_state);
// Writes the arrays that are not NULL (radii are ignored: set scales). Positions must be within
// SN_MAX_POSITION, velocities within SN_MAX_SPEED and SN_MAX_SPIN per component, scales within
// [0.05, 20], which no motion leaves. What sn_body_read gave is always accepted.
//
// Segments of stiff rods keep their length: each goes to the middle of its points, along them. One that
// spins so fast that an end would get beyond SN_MAX_SPEED is slowed down.
//
// A rigid body keeps its shape. It turns as the first frame says, or without frames as its points fit
// best to the positions given, and then goes where they are nearest; points that are in a line tell
// nothing of the turn about it, which stays as it is. Velocities likewise: the spin is the first
// angular velocity, or else what fits best to the velocities of the points. Those may be as fast as the
// spin makes them: SN_MAX_SPEED and SN_MAX_SPIN bound the velocity of the centre of mass and the spin
// that come out of it, and what is faster is slowed down to them. Held points stay where they are held.
SN_API SnResult sn_body_write(SnWorld *world, SnBodyId body, const SnBodyState *state);

// The point in the world, m, from which the body's positions are stored in single precision. It
// follows a body that goes far.
SN_API SnResult sn_body_origin(const SnWorld *world, SnBodyId body, double out_origin[3]);

// Loads of the next step: forces (N) on points and torques (N·m, in the world's axes) on elements act
// during one step and are then forgotten; they add up over calls. Impulses (N·s) change velocities
// at once, those of rods that are solved directly within the next step; no speed gets beyond
// SN_MAX_SPEED.
SN_API SnResult sn_body_add_force(SnWorld *world, SnBodyId body, int point, SnVec3 force);
SN_API SnResult sn_body_add_torque(SnWorld *world, SnBodyId body, int element, SnVec3 torque);
SN_API SnResult sn_body_add_impulse(SnWorld *world, SnBodyId body, int point, SnVec3 impulse);

// Factor on the world's gravity for this body, within ±1000; 0 for a stale id.
SN_API SnResult sn_body_set_gravity_scale(SnWorld *world, SnBodyId body, float gravity_scale);
SN_API float sn_body_gravity_scale(const SnWorld *world, SnBodyId body);
SN_API SnResult sn_body_set_surface(SnWorld *world, SnBodyId body, const SnSurface *surface);
SN_API SnResult sn_body_surface(const SnWorld *world, SnBodyId body, SnSurface *out_surface);
SN_API SnResult sn_body_set_filter(SnWorld *world, SnBodyId body, SnFilter filter);
SN_API SnResult sn_body_filter(const SnWorld *world, SnBodyId body, SnFilter *out_filter);

// Lets two bodies, or a body and a collider, pass through each other, or touch again.
SN_API SnResult sn_bodies_ignore(SnWorld *world, SnBodyId a, SnBodyId b, bool ignore);
SN_API SnResult sn_body_ignore_collider(SnWorld *world, SnBodyId body, SnColliderId collider,
                                        bool ignore);
// Whether they were told to; false for a stale id.
SN_API bool sn_bodies_are_ignored(const SnWorld *world, SnBodyId a, SnBodyId b);
SN_API bool sn_body_ignores_collider(const SnWorld *world, SnBodyId body, SnColliderId collider);

// A body that rests, with all it touches, is not simulated until something moves it: see
// SnWorldDef.sleep_speed. Forces, writes and moving neighbours wake it; sn_body_wake does, too.
SN_API bool sn_body_is_asleep(const SnWorld *world, SnBodyId body);
SN_API SnResult sn_body_wake(SnWorld *world, SnBodyId body);

#ifdef __cplusplus
}
#endif
