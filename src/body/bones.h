// Bones: every point of a body is one. Where it is, how it has turned since the rest pose and how wide
// it is, is computed here and nowhere else; skins, recordings and pictures follow these.
#pragma once

#include "body/kind.h"

// Arrays of one body, as in SnPoses.
typedef struct BodyBones {
    SnVec3 *offsets;   // per point, from the origin below: precise however far away the body is
    SnVec3 *positions; // per point, in the world
    SnQuat *rotations; // per point, since the rest pose
    float *scales, *radii;
    SnQuat *frames; // per element
    SnVec3 *shapes; // per element
    int *edges;     // two per element
} BodyBones;

// Fills the arrays. Returns the origin: where the first point is.
Vec3d sn__body_bones(const Body *body, const BodyBones *out);

// The ends of elements that broke off their points, in the order of elements; `number` is the body's in
// SnPoses.
int sn__body_torn_count(const Body *body);
void sn__body_torn(const Body *body, int number, SnTornEnd *out_ends);
