// Triangles in memory, on their way to the graphics card, and the brush that paints round things.
#pragma once

#include "view/scene.h"

// The last number of a normal where it is not 0: what the pattern is.
#define VIEW_PATTERN_GRID INT16_MAX     // a grid of thin lines
#define VIEW_PATTERN_FURROWS (-16384)   // bark
#define VIEW_PATTERN_MARKS (-INT16_MAX) // bark of a birch

typedef struct ViewVertex {
    float position[3]; // relative to the origin
    int16_t normal[4];
    float pattern[2];  // number of stripes and rings passed so far; of bark, its coordinates
    uint8_t colour[4]; // sRGB; softness from 0.5 up, sheerness from 0.5 down
} ViewVertex;

// Coordinates are taken relative to `origin`, so that a scene far from the world's origin is drawn
// as accurately as one close to it.
typedef struct ViewTriangles {
    ViewVertex *vertices;
    uint32_t *indices;
    size_t vertex_count, vertex_capacity;
    size_t index_count, index_capacity;
    SnVec3 origin;
} ViewTriangles;

// Memory is kept from frame to frame.
void view_triangles_clear(ViewTriangles *triangles, SnVec3 origin);
SnResult view_triangles_reserve(ViewTriangles *triangles, size_t vertices, size_t indices);
void view_triangles_release(ViewTriangles *triangles);

// How fine the triangles are, from what one can see: pixels per radian at the picture's centre.
typedef struct ViewDetail {
    SnVec3 eye;
    float pixels_per_radian;
    float coarseness; // 1, or more where a picture has too many triangles
} ViewDetail;

#define VIEW_MOST_SIDES 32

// Of something round that comes as near to the eye as `reach` around `at`.
float view_pixels_per_metre(ViewDetail detail, SnVec3 at, float reach);
int view_sides_of(ViewDetail detail, float radius_pixels);
int view_cap_rings(int sides); // of half a sphere, so that it is as round as the tube

// A cross-section of something round.
typedef struct ViewRing {
    SnVec3 centre, tangent, axis; // the axis is where the pattern starts
    float radius, slope;          // slope: change of radius per length
    float along;                  // 0 to 1 over the material
} ViewRing;

// What all rings of a thing share: the directions around it and the look.
typedef struct ViewBrush {
    ViewTriangles *triangles;
    const ViewLook *look;
    int sides;
    float cosines[VIEW_MOST_SIDES + 1], sines[VIEW_MOST_SIDES + 1];
    uint8_t colour[4];
} ViewBrush;

ViewBrush view_brush(ViewTriangles *triangles, const ViewLook *look, int sides);
// One ring of vertices, and the triangles that join it to the one before; there must be room for
// sides + 1 vertices and 6·sides indices. `tilt` is the angle of the normals from the
// cross-section's plane towards the tangent.
void view_paint_ring(const ViewBrush *brush, const ViewRing *ring, float tilt, bool join);
void view_colour_bytes(const ViewLook *look, uint8_t out[4]);
