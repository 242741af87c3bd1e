// A character as muscles are placed on it: its meshes and joints where they were bound.
#pragma once

#include "implicit/implicit.h"
#include "sinew/flesh.h"

typedef struct FleshBody {
    const SnSkeleton *skeleton;
    SnImplicit *skin; // its meshes in one space; no fields
    SnMap *bound;     // joints there
    SnMap *rest;      // and in the rest pose
} FleshBody;

SnResult sn__flesh_body_create(const SnSkeleton *skeleton, FleshBody *out_body);
void sn__flesh_body_destroy(FleshBody *body);

// A bone: from a joint to the next one, or to where the skin that follows the joint ends.
typedef struct FleshBone {
    int joint;
    Vec3d from, to;
    // Across it: the front and the outer side of the character.
    Vec3d front, outer;
} FleshBone;

// `to` may be −1: along `along`, as far as the skin goes. False: it has no length.
bool sn__flesh_bone(const FleshBody *body, int joint, int to, Vec3d along, Vec3d front, double side,
                    FleshBone *out);

// From a point inside the body along a unit vector to the skin, m; 0 if it is not met.
double sn__flesh_ray(const FleshBody *body, Vec3d from, Vec3d way);

// A place on a bone: t of its length from its joint on, at an angle of degrees from the front towards the
// outer side, so deep under the skin: 0 is the bone's axis, 1 the skin.
typedef struct FleshPlace {
    double t, angle, depth;
} FleshPlace;

Vec3d sn__flesh_place(const FleshBody *body, const FleshBone *bone, const FleshPlace *place);
// A muscle with a profile, between two places, as thick as there is room under the skin. False: there is
// none.
bool sn__flesh_muscle(const FleshBody *body, const FleshBone *origin, const FleshPlace *from,
                      const FleshBone *insertion, const FleshPlace *to, SnFleshMuscle *out);
