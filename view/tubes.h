// Smooth tubes along chains of vertices, with round ends.
#pragma once

#include "view/triangles.h"

typedef struct SnvTube {
    int vertex_count, segment_count;
    bool closed;
    const float *positions, *radii, *frames; // frames may be NULL
    const SnvLook *look;
} SnvTube;

typedef struct SnvTubeDetail {
    int sides, subdivisions; // per segment
    size_t rings;
} SnvTubeDetail;

// From the size of the tube on the screen.
SnvTubeDetail snv__tube_detail(const SnvTube *tube, SnvDetail detail);
SnResult snv__tube_add(SnvTriangles *triangles, const SnvTube *tube, SnvDetail detail);
