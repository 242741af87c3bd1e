// Smooth tubes along chains of vertices, with round ends.
#pragma once

#include "view/triangles.h"

typedef struct ViewTube {
    int vertex_count, segment_count;
    bool closed;
    const float *positions, *radii, *frames; // frames may be NULL
    const ViewLook *look;
} ViewTube;

typedef struct ViewTubeDetail {
    int sides, subdivisions; // per segment
    size_t rings;
} ViewTubeDetail;

// From the size of the tube on the screen.
ViewTubeDetail view_tube_detail(const ViewTube *tube, ViewDetail detail);
SnResult view_tube_add(ViewTriangles *triangles, const ViewTube *tube, ViewDetail detail);
