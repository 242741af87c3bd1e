// Pills: two spheres and all that lies between them. Exact distances, in double precision; what the
// engine's wide narrow phase (collide/) is tested against and what queries use.
#pragma once

#include "math/vec.h"

typedef struct Pill {
    Vec3d a, b;
    double radius_a, radius_b;
} Pill;

// The sphere of the pill, at t from a to b, whose surface is nearest to x: the t that minimises
// ‖x − c(t)‖ − r(t) (VIPER, appendix D, with its offset and projection put right). Where one sphere
// holds the other, the pill is the larger sphere.
double sn__pill_nearest(const Pill *pill, Vec3d x);
// The distance from x to the pill's surface, negative inside.
double sn__pill_distance(const Pill *pill, Vec3d x, double *out_t);

typedef struct PillPair {
    double t, u;  // of the two spheres that are nearest to each other, or deepest in each other
    double gap;   // between their surfaces
    Vec3d normal; // from the second to the first, a unit vector
} PillPair;

// Eq. 29 as the minimum over both parameters.
PillPair sn__pill_pair(const Pill *first, const Pill *second);

// Distance along the ray (direction a unit vector) to where it enters the pill, 0 from inside;
// negative: it does not.
double sn__pill_ray(const Pill *pill, Vec3d origin, Vec3d direction, double *out_t);
