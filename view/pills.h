// Pills: all between two spheres, which is what the engine collides.
#pragma once

#include "view/triangles.h"

typedef struct ViewPill {
    SnVec3 a, b;
    float radius_a, radius_b; // > 0
} ViewPill;

size_t view_pill_triangle_count(const ViewPill *pill, ViewDetail detail);
SnResult view_pill_add(ViewTriangles *triangles, const ViewPill *pill, const ViewLook *look,
                       ViewDetail detail);
