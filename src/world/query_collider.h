// Distances and rays to one collider, by its slot, in world coordinates.
#pragma once

#include "geom/pill.h"
#include "sinew/world.h"

// Negative inside. The normal, out of the surface, may be NULL.
double sn__collider_distance(const SnWorld *world, uint32_t slot, Vec3d x, Vec3d *out_normal);
// As sn__pill_ray; looks no farther than max_distance.
double sn__collider_ray(const SnWorld *world, uint32_t slot, Vec3d origin, Vec3d direction,
                        double max_distance);

// Between the collider and a pill: how far apart their surfaces are, negative if they overlap; at which
// part of its way from a to b the pill is nearest; and the normal there, out of the collider.
typedef struct ColliderGap {
    double gap, t;
    Vec3d normal;
} ColliderGap;
ColliderGap sn__collider_pill(const SnWorld *world, uint32_t slot, const Pill *pill);
// As sn__collider_ray, of a pill that goes along the direction: how far it comes before it touches, 0 if
// it overlaps at the start, negative if it does not touch within max_distance.
double sn__collider_cast(const SnWorld *world, uint32_t slot, const Pill *pill, Vec3d direction,
                         double max_distance);
