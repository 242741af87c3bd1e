// Reading, writing and loading the elements of one rod, and what snapshots and hashes are made of.
#pragma once

#include "rod/rods.h"

void sn__rod_read(const RodSystem *rods, const Rod *rod, const SnBodyState *out);
SnResult sn__rod_write(RodSystem *rods, const Rod *rod, const SnBodyState *state);

// Loads of the next step: a force and the radial force on a vertex, a torque on a segment.
SnResult sn__rod_add_force(RodSystem *rods, const Rod *rod, int vertex, SnVec3 force, float gamma);
SnResult sn__rod_add_torque(RodSystem *rods, const Rod *rod, int segment, SnVec3 torque);
SnResult sn__rod_add_impulse(RodSystem *rods, const Rod *rod, int vertex, SnVec3 impulse);
SnResult sn__rod_set_length_scale(RodSystem *rods, const Rod *rod, int first, int count,
                                  float length_scale);
SnResult sn__rod_set_gravity_scale(RodSystem *rods, const Rod *rod, float gravity_scale);

// Where one rod's part of the flat pose arrays begins.
typedef struct RodPoseArrays {
    float *positions, *radii, *scales, *frames;
} RodPoseArrays;

void sn__rod_copy_pose(const RodSystem *rods, const Rod *rod, const RodPoseArrays *to);

uint64_t sn__rod_hash(const RodSystem *rods, const Rod *rod, uint64_t hash);

// Calls `visit` for every block of memory that a step may change, always in the same order.
typedef void RodVisit(void *context, void *block, size_t size);
void sn__rods_visit(const RodSystem *rods, RodVisit *visit, void *context);
// After these blocks were overwritten.
void sn__rods_restored(RodSystem *rods);
