// Pills: all between two spheres, which is what the engine collides.
#pragma once

#include "view/triangles.h"

typedef struct ViewPill {
    SnVec3 a, b;
    float radius_a, radius_b; // > 0
} ViewPill;

size_t view_pill_triangle_count(const ViewPill *pill, ViewDetail detail);
// An ellipsoid about the middle of a sphere: its radii along the axes of the frame.
SnResult view_ellipsoid_add(ViewTriangles *triangles, const ViewPill *sphere, SnVec3 radii,
                            SnQuat frame, const ViewLook *look, ViewDetail detail);
SnResult view_pill_add(ViewTriangles *triangles, const ViewPill *pill, const ViewLook *look,
                       ViewDetail detail);
