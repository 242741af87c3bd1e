// How far a motion reaches, in many directions: enough to frame it tightly from any side.
#pragma once

#include <sinew/math.h>

// Directions are the whole vectors v with |x| + |y| + |z| = VIEW_BOUNDS_STEPS.
#define VIEW_BOUNDS_STEPS 6
#define VIEW_BOUNDS_REACHES (4 * VIEW_BOUNDS_STEPS * VIEW_BOUNDS_STEPS + 2)

// Start from view_bounds_empty and add frame after frame.
typedef struct ViewBounds {
    SnVec3 low, high;                 // a box around everything
    float reach[VIEW_BOUNDS_REACHES]; // the largest p·v over all points, per direction
} ViewBounds;

ViewBounds view_bounds_empty(void);
bool view_bounds_is_empty(const ViewBounds *bounds);
// Points x y z with a radius each (radii may be NULL). What is not finite is left out.
void view_bounds_add(ViewBounds *bounds, const float *positions, const float *radii, int count);

// The largest p·direction over all points: never too small, and a few percent too large as a rule.
float view_bounds_reach(const ViewBounds *bounds, SnVec3 direction);
