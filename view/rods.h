// Rods and creatures as triangles.
#pragma once

#include "view/box.h"
#include "view/triangles.h"

// What a scene's rods came to.
typedef struct SnvRodsDrawn {
    SnvBox box;
    float mean_radius; // 0: none was drawn
    int skipped;       // too short, or with numbers that are not finite
} SnvRodsDrawn;

SnResult snv__rods_add(SnvTriangles *triangles, const SnvRods *rods, SnvDetail detail,
                       SnvRodsDrawn *out_drawn);

// The vertices of a segment of rod i, within the rod.
typedef struct SnvSegment {
    int a, b;
} SnvSegment;

SnvSegment snv__rod_segment(const SnvRods *rods, int i, int segment);
// False for a rod that is left out.
bool snv__rod_is_drawable(const SnvRods *rods, int i);
