// Triangles for rods and pegs.
#pragma once

#include "view/scene.h"

typedef struct SnvVertex {
    float position[3]; // relative to the mesh's origin
    int16_t normal[4];
    float pattern[2];  // number of stripes and rings passed so far
    uint8_t colour[4]; // sRGB, softness
} SnvVertex;

typedef struct SnvMesh {
    SnvVertex *vertices;
    uint32_t *indices;
    size_t vertex_count, vertex_capacity;
    size_t index_count, index_capacity;
    int skipped_rods; // too short, or with numbers that are not finite
    float mean_radius;
    SnvBounds bounds; // of what is drawn, in the world
} SnvMesh;

// How fine the triangles are, from what one can see: pixels per radian at the picture's centre.
typedef struct SnvDetail {
    SnVec3 eye;
    float pixels_per_radian;
} SnvDetail;

// Rebuilds the mesh; its memory is kept from frame to frame. Coordinates are taken relative to
// `origin`, so that a scene far from the world's origin is drawn as accurately as one close to it.
SnResult snv__mesh_build(SnvMesh *mesh, const SnvScene *scene, SnVec3 origin, SnvDetail detail);
void snv__mesh_release(SnvMesh *mesh);
