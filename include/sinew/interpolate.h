// Poses between two steps, for pictures at another rate than that of the steps.
//
//     accumulator += frame_time;
//     for (; accumulator >= step; accumulator -= step) {
//         sn_world_step(world, step, 8, 1);
//         sn_interpolator_push(interpolator, world);
//     }
//     sn_interpolator_poses(interpolator, accumulator / step, &poses);
//     … draw poses …
//
// A picture shows what was up to one step ago, and moves evenly however steps and pictures fall.
#pragma once

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SnInterpolator SnInterpolator;

// Empty. The allocator may be NULL, malloc then; it is copied.
SN_API SnResult sn_interpolator_create(const SnAllocator *allocator,
                                       SnInterpolator **out_interpolator);
SN_API void sn_interpolator_destroy(SnInterpolator *interpolator); // NULL is allowed
// Takes the world's poses as the newest; what was the newest becomes the older one. Memory is taken only
// where there is more than ever before. After sn_world_restore or a jump, push twice: nothing then slides
// to its new place.
SN_API SnResult sn_interpolator_push(SnInterpolator *interpolator, SnWorld *world);
// At this part of the way from the older poses to the newest, 0 to 1; beyond that it is taken as 0 or 1.
// Positions, radii and scales go straight, rotations the shorter way round. What was not there in the
// older poses, or had another number of points then, is as it is in the newest, and so are kinds, edges
// and torn ends. Valid until the next push or the next call of this. SN_ERROR_INVALID before the first
// push.
SN_API SnResult sn_interpolator_poses(SnInterpolator *interpolator, float part, SnPoses *out_poses);

#ifdef __cplusplus
}
#endif
