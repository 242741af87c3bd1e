// Pills: all between two spheres, which is what the engine collides.
#pragma once

#include "view/triangles.h"

typedef struct SnvPill {
    SnVec3 a, b;
    float radius_a, radius_b; // > 0
} SnvPill;

size_t snv__pill_triangle_count(const SnvPill *pill, SnvDetail detail);
SnResult snv__pill_add(SnvTriangles *triangles, const SnvPill *pill, const SnvLook *look,
                       SnvDetail detail);
