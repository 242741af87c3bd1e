// The surface of a rod: rings of vertices, skinned to one joint per rod vertex, with round caps at
// open ends.
#pragma once

#include "math/vec.h"

#include <stdint.h>

// How fine the surface is.
typedef struct TubeDetail {
    int sides;             // vertices of a ring
    int rings_per_segment; // at least 1: the ring at each rod vertex
    int cap_rings;         // between the end ring and the pole
} TubeDetail;

// A rod in bind pose.
typedef struct TubeMesh {
    int vertex_count;
    bool closed;
    const SnVec3 *positions;
    const SnQuat *frames; // at the joints; the third axis is the tangent
    const float *radii;   // at scale 1
    float section[2];     // factors on them along the axes across; 0: 1
} TubeMesh;

#define TUBE_WEIGHT 65535

// As it lies in the file.
typedef struct TubeVertex {
    float position[3], normal[3];
    uint16_t joints[4];
    uint16_t weights[4]; // their sum is TUBE_WEIGHT
} TubeVertex;

size_t sn__tube_vertex_count(const TubeDetail *detail, const TubeMesh *tube);
size_t sn__tube_index_count(const TubeDetail *detail, const TubeMesh *tube);
void sn__tube_vertices(const TubeDetail *detail, const TubeMesh *tube, TubeVertex *out);
void sn__tube_indices(const TubeDetail *detail, const TubeMesh *tube, uint32_t *out);
