// Signed distances to the other solids: boxes, half-spaces, and meshes through a grid.
#pragma once

#include "base/memory.h"
#include "math/vec.h"

// Distance to the box [−half, half], negative inside, and the unit gradient.
double sn__box_distance(Vec3d half, Vec3d x, Vec3d *out_gradient);
double sn__box_ray(Vec3d half, Vec3d origin, Vec3d direction); // as sn__pill_ray
// The t in [0, 1] at which a sphere that goes from a to b while its radius goes from ra to rb is
// nearest to the box (the distance to a convex solid is convex along the way).
double sn__box_pill(Vec3d half, const Vec3d a, double ra, const Vec3d b, double rb);

// Distances on the points of a grid around a mesh; three-linear between them.
typedef struct DistanceGrid {
    SnAllocator allocator;
    int size[3];     // points
    double low[3];   // of the first point
    double cell;     // m
    float *distance; // x fastest
} DistanceGrid;

#define MAX_GRID_POINTS (1 << 26)

// A closed mesh has an inside; an open one is taken as a shell of that thickness (m). A cell of 0 is
// a 64th of the mesh's longest side, a shell of 0 two cells. The message of the result does not name
// the mesh.
SnResult sn__distance_grid_create(const SnAllocator *allocator, const SnVec3 *vertices,
                                  int vertex_count, const uint32_t *triangles, int triangle_count,
                                  double cell, double shell, DistanceGrid *out_grid);
void sn__distance_grid_destroy(DistanceGrid *grid);
// The gradient is a unit vector. Outside the grid: the distance to where the nearest point of its
// border has its foot on the surface, which is exact above flat ground and never too small.
double sn__distance_grid_at(const DistanceGrid *grid, Vec3d x, Vec3d *out_gradient);
