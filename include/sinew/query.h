// Questions about where things are. They see the state as it is now, and change nothing.
#pragma once

#include "collider.h"

#ifdef __cplusplus
extern "C" {
#endif

// A place on the surface of a body or a collider; the other id is null.
typedef struct SnHit {
    SnBodyId body;
    SnColliderId collider;
    int element; // of a body: a segment of a rod, a part of a rigid body; −1 of a collider
    float t;     // along the element, from 0 at its first point to 1 at its second
    SnVec3 position;
    SnVec3 normal;  // out of the surface
    float distance; // m: along the way, or from the point (negative inside)
} SnHit;

// The first surface along a ray; one that starts inside hits at distance 0. False: none within
// max_distance. The direction need not be normalised. All queries ask only bodies that the filter
// lets touch.
SN_API bool sn_world_ray_cast(SnWorld *world, SnVec3 origin, SnVec3 direction, float max_distance,
                              SnFilter filter, SnHit *out_hit);
// The first surface that a sphere, or a pill from a to b, touches when it goes in a direction. The hit has
// the place where they touch, the normal out of what is hit, and as its distance how far the shape came;
// what overlaps at the start is hit at distance 0. A radius of 0 is a point or a line. Meshes are asked
// through their grids. Otherwise as sn_world_ray_cast.
SN_API bool sn_world_sphere_cast(SnWorld *world, SnVec3 centre, float radius, SnVec3 direction,
                                 float max_distance, SnFilter filter, SnHit *out_hit);
SN_API bool sn_world_pill_cast(SnWorld *world, SnVec3 a, SnVec3 b, float radius, SnVec3 direction,
                               float max_distance, SnFilter filter, SnHit *out_hit);
// The surface nearest to a point, up to max_distance away.
SN_API bool sn_world_nearest(SnWorld *world, SnVec3 point, float max_distance, SnFilter filter,
                             SnHit *out_hit);
// All elements of bodies and all colliders that a sphere overlaps, elements first, in order of creation.
// Returns how many there are and writes the first `capacity` of them.
SN_API int sn_world_overlap(SnWorld *world, SnVec3 centre, float radius, SnFilter filter,
                            SnHit *out_hits, int capacity);

#ifdef __cplusplus
}
#endif
