// How far a motion reaches, in many directions: enough to frame it tightly from any side.
#pragma once

#include <sinew/math.h>

// Directions are the whole vectors v with |x| + |y| + |z| = SNV_BOUNDS_STEPS.
#define SNV_BOUNDS_STEPS 6
#define SNV_BOUNDS_REACHES (4 * SNV_BOUNDS_STEPS * SNV_BOUNDS_STEPS + 2)

// Start from snv_bounds_empty and add frame after frame.
typedef struct SnvBounds {
    SnVec3 low, high;                // a box around everything
    float reach[SNV_BOUNDS_REACHES]; // the largest p·v over all points, per direction
} SnvBounds;

SnvBounds snv_bounds_empty(void);
bool snv_bounds_is_empty(const SnvBounds *bounds);
// Points x y z with a radius each (radii may be NULL). What is not finite is left out.
void snv_bounds_add(SnvBounds *bounds, const float *positions, const float *radii, int count);

// The largest p·direction over all points: never too small, and a few percent too large as a rule.
float snv__bounds_reach(const SnvBounds *bounds, SnVec3 direction);
