// Distances and rays to one collider, by its slot, in world coordinates.
#pragma once

#include "math/vec.h"
#include "sinew/world.h"

// Negative inside. The normal, out of the surface, may be NULL.
double sn__collider_distance(const SnWorld *world, uint32_t slot, Vec3d x, Vec3d *out_normal);
// As sn__pill_ray; looks no farther than max_distance.
double sn__collider_ray(const SnWorld *world, uint32_t slot, Vec3d origin, Vec3d direction,
                        double max_distance);
