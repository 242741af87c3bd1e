// Which pills are nearest to a point: a tree of boxes around them.
#pragma once

#include "base/memory.h"
#include "geom/pill.h"

typedef struct PillBvh PillBvh;

// The pills are not copied. NULL: no memory.
PillBvh *sn__pill_bvh_create(const SnAllocator *allocator, const Pill *pills, int count);
void sn__pill_bvh_destroy(PillBvh *tree);

typedef struct PillNear {
    int pill;
    double distance, t; // as sn__pill_distance
} PillNear;

// The nearest ones, at most `capacity`, in order of their distance; returns how many.
int sn__pill_bvh_nearest(const PillBvh *tree, Vec3d x, PillNear *out_near, int capacity);
