// Colliders of a world: their shapes, where they go in a step, and what touches them.
#pragma once

#include "base/ids.h"
#include "collide/contact_list.h"
#include "collide/grid.h"
#include "geom/solid.h"
#include "math/bend.h"
#include "sinew/collider.h"

// The gap, m, of a segment that does not touch between its ends: farther than anything comes.
#define NO_TOUCH 1e6f

typedef struct ColliderPose {
    Vec3d position;
    Quatd rotation;
} ColliderPose;

typedef struct Collider {
    SnColliderKind kind;
    SnFrameId frame;
    ColliderPose local; // in the frame
    double origin[3];   // as in the definition; part of the above
    bool placed;        // it was, since it was made
    Vec3d a, b;         // of spheres (both the same) and pills
    float radius[2];
    Vec3d half;
    DistanceGrid grid;
    SnSurface surface;
    SnFilter filter;
    void *user_data;

    // Of a step: from where to where, relative to `base` (m, world), and its two knots.
    double base[3];
    ColliderPose from, to;
    bool curved; // it does not go straight there
    Bend3 bend;
    Bend4 turn_bend;
    // Of a sub-step.
    ColliderPose start, end;
    int knots;
} Collider;

typedef struct ColliderSystem {
    IdPool ids;
    Collider *colliders; // by slot − 1
    int capacity;
} ColliderSystem;

static inline bool sn__collider_in_use(const ColliderSystem *system, uint32_t slot) {
    return slot >= 1 && slot <= system->ids.slot_count &&
           (system->ids.slots[slot - 1].generation & 1);
}

// NULL if it is gone. Why, and whether a pose and a surface will do: colliders.c.
Collider *sn__collider_find(const SnWorld *world, SnColliderId id);
SnResult sn__collider_missing(const SnWorld *world);
SnResult sn__collider_check_pose(SnPose pose, const char *name);
ColliderPose sn__collider_placed(SnPose pose, const double origin[3]);
#define COLLIDER_COOKIE 0x534e434fu

// Where a collider is now, or where its frame takes it by the end of the step.
ColliderPose sn__collider_pose(const SnWorld *world, const Collider *collider, bool target);

// What hangs on the frame stays where it is, in the world.
void sn__colliders_drop_frame(SnWorld *world, SnFrameId frame);
void sn__colliders_begin_step(SnWorld *world);
// For sub-step n of `count`: poses of start and end, and the knots of spheres and pills.
void sn__colliders_substep(SnWorld *world, int n, int count, Knot *knots);
// Around all that it sweeps over in the step.
GridBox sn__collider_box(const Collider *collider);
bool sn__collider_is_round(const Collider *collider); // a sphere or a pill
// Whether x, relative to its base, is inside when the sub-step starts.
bool sn__collider_holds(const Collider *collider, Vec3d x);
// Of a sphere around x, relative to its base, from a box, a plane or a mesh when the sub-step starts.
double sn__collider_gap(const Collider *collider, Vec3d x, double radius, Vec3d *out_normal);
// A ball around the pose's origin that holds the shape, m; 0 of a plane.
double sn__collider_extent(const Collider *collider);
// How far its surface moves in the step, at most, m.
float sn__collider_travel(const Collider *collider);
// A SolidTouch; the context is the world.
void sn__colliders_touch(ContactBatch *batch, const ContactSeed *seeds, const Knot *knots,
                         void *context);
void sn__colliders_destroy(SnWorld *world);
