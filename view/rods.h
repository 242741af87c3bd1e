// Rods and creatures as triangles.
#pragma once

#include "view/box.h"
#include "view/triangles.h"

// What a scene's rods came to.
typedef struct ViewRodsDrawn {
    ViewBox box;
    float mean_radius; // 0: none was drawn
    int skipped;       // too short, or with numbers that are not finite
} ViewRodsDrawn;

SnResult view_rods_add(ViewTriangles *triangles, const ViewRods *rods, ViewDetail detail,
                       ViewRodsDrawn *out_drawn);

// The vertices of a segment of rod i, within the rod.
typedef struct ViewSegment {
    int a, b;
} ViewSegment;

ViewSegment view_rod_segment(const ViewRods *rods, int i, int segment);
// The first torn end of this rod, from this segment on, or of a later one; torn_count if there is none.
int view_first_torn(const SnTornEnd *torn, int torn_count, int rod, int segment);
// False for a rod that is left out.
bool view_rod_is_drawable(const ViewRods *rods, int i);
