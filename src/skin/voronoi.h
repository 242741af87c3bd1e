// Cells of points: all that is nearer to one of them than to any other, within a box.
#pragma once

#include "base/memory.h"
#include "math/vec.h"

// A corner of a face between two cells. The edge that follows it lies in the cell of `third`, too; sites from
// site_count up are the six sides of the box.
typedef struct VoronoiCorner {
    Vec3d x;
    int third;
} VoronoiCorner;

// Between a site and one of a higher number; counterclockwise as seen from that one.
typedef struct VoronoiFace {
    int cell, other, first, count; // its corners
} VoronoiFace;

typedef struct Voronoi {
    SnAllocator allocator;
    int site_count;
    Vec3d *sites;
    int *begin; // site_count + 1: whose cells touch that of a site
    int *neighbours;
    int neighbour_count, neighbour_capacity;
    VoronoiFace *faces;
    int face_count, face_capacity;
    VoronoiCorner *corners;
    int corner_count, corner_capacity;
} Voronoi;

// The sites must be in the box, and no four of them on a circle, no five on a sphere. False: no memory, or a cell
// of too many sides.
bool sn__voronoi_create(const SnAllocator *allocator, const Vec3d *sites, int count, Vec3d low,
                        Vec3d high, Voronoi *out);
void sn__voronoi_destroy(Voronoi *voronoi);
