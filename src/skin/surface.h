// The mesh of a skin as a surface: which of its vertices are one point, and what lies around it.
//
// Files repeat vertices along seams, and STL gives every triangle its own. What is smoothed or
// summed over the mesh goes by points, so that the surface stays closed there.
#pragma once

#include "base/memory.h"
#include "math/vec.h"

typedef struct SkinSurface {
    SnAllocator allocator;
    int vertex_count, point_count;
    int *point;      // of every vertex
    int *vertex;     // of every point: the first vertex there
    int *begin;      // point_count + 1, where a point's neighbours begin
    int *neighbours; // points; an edge between two triangles is listed twice
    int neighbour_count;
} SkinSurface;

// Triangle indices must be valid. False: no memory.
bool sn__skin_surface_create(const SnAllocator *allocator, const SnVec3 *positions,
                             int vertex_count, const uint32_t *triangles, int triangle_count,
                             SkinSurface *out_surface);
void sn__skin_surface_destroy(SkinSurface *surface);

// Unit normals of the points; up where there is no triangle. A corner counts by its triangle's area
// over the squares of both its sides, which is exact where the points lie on a sphere (Max 1999).
void sn__skin_surface_normals(const SkinSurface *surface, const SnVec3 *positions,
                              const uint32_t *triangles, int triangle_count, Vec3d *out_normals);
