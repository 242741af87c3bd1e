// Points and triangles.
#pragma once

#include "math/vec.h"

// What part of a triangle a point is nearest to. Edge i goes from corner i to the next one.
typedef enum TrianglePart {
    TRIANGLE_CORNER = 0, // 0, 1, 2
    TRIANGLE_EDGE = 3,   // 3, 4, 5
    TRIANGLE_FACE = 6,
} TrianglePart;

// The point of the triangle that is nearest to x, and the part it is in: TRIANGLE_CORNER + i,
// TRIANGLE_EDGE + i or TRIANGLE_FACE.
Vec3d sn__triangle_nearest(const Vec3d corners[3], Vec3d x, int *out_part);
