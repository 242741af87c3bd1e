// Triangles in memory, on their way to the graphics card, and the brush that paints round things.
#pragma once

#include "view/scene.h"

typedef struct SnvVertex {
    float position[3]; // relative to the origin
    int16_t normal[4]; // the last: 0, or INT16_MAX where the pattern is a grid of thin lines
    float pattern[2];  // number of stripes and rings passed so far
    uint8_t colour[4]; // sRGB; softness from 0.5 up, sheerness from 0.5 down
} SnvVertex;

// Coordinates are taken relative to `origin`, so that a scene far from the world's origin is drawn
// as accurately as one close to it.
typedef struct SnvTriangles {
    SnvVertex *vertices;
    uint32_t *indices;
    size_t vertex_count, vertex_capacity;
    size_t index_count, index_capacity;
    SnVec3 origin;
} SnvTriangles;

// Memory is kept from frame to frame.
void snv__triangles_clear(SnvTriangles *triangles, SnVec3 origin);
SnResult snv__triangles_reserve(SnvTriangles *triangles, size_t vertices, size_t indices);
void snv__triangles_release(SnvTriangles *triangles);

// How fine the triangles are, from what one can see: pixels per radian at the picture's centre.
typedef struct SnvDetail {
    SnVec3 eye;
    float pixels_per_radian;
    float coarseness; // 1, or more where a picture has too many triangles
} SnvDetail;

#define SNV_MOST_SIDES 32

// Of something round that comes as near to the eye as `reach` around `at`.
float snv__pixels_per_metre(SnvDetail detail, SnVec3 at, float reach);
int snv__sides_of(SnvDetail detail, float radius_pixels);
int snv__cap_rings(int sides); // of half a sphere, so that it is as round as the tube

// A cross-section of something round.
typedef struct SnvRing {
    SnVec3 centre, tangent, axis; // the axis is where the pattern starts
    float radius, slope;          // slope: change of radius per length
    float along;                  // 0 to 1 over the material
} SnvRing;

// What all rings of a thing share: the directions around it and the look.
typedef struct SnvBrush {
    SnvTriangles *triangles;
    const SnvLook *look;
    int sides;
    float cosines[SNV_MOST_SIDES + 1], sines[SNV_MOST_SIDES + 1];
    uint8_t colour[4];
} SnvBrush;

SnvBrush snv__brush(SnvTriangles *triangles, const SnvLook *look, int sides);
// One ring of vertices, and the triangles that join it to the one before; there must be room for
// sides + 1 vertices and 6·sides indices. `tilt` is the angle of the normals from the
// cross-section's plane towards the tangent.
void snv__paint_ring(const SnvBrush *brush, const SnvRing *ring, float tilt, bool join);
void snv__colour_bytes(const SnvLook *look, uint8_t out[4]);
