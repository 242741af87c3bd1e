// Where a triangle mesh passes through itself.
#pragma once

#include "base/memory.h"
#include "math/vec.h"

// Pairs of triangles that cross each other: an edge of one goes through the inside of the other. Pairs
// that share a point do not count; `point` numbers the points of the vertices, so that those of a seam
// are one. −1: no memory.
int sn__count_crossings(const SnAllocator *allocator, const SnVec3 *positions, const int *point,
                        const uint32_t *triangles, int triangle_count);
// Whether an edge of either triangle goes through the other.
bool sn__triangles_cross(const Vec3d a[3], const Vec3d b[3]);
