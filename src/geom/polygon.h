// Polygons in a plane, cut into triangles.
#pragma once

#include <stdbool.h>

#include "base/memory.h"

typedef struct Point2 {
    double x, y;
} Point2;

// Loops of corners, one after the other: loop k has those from begin[k] up to begin[k + 1]. Outlines run
// counterclockwise, holes clockwise; no two edges cross.
typedef struct Polygon {
    const Point2 *corners;
    const int *begin; // loop_count + 1
    int loop_count;
} Polygon;

// So many triangles at most come of it.
static inline int sn__polygon_triangles(int corners, int loops) { return corners + 2 * loops; }

// Triangles of corners, counterclockwise, by ears (Meisters 1975): every edge of the polygon is a side of one
// of them, all other sides are shared by two. Returns how many; −1: no memory, or a hole that is in no outline.
int sn__polygon_cut(const SnAllocator *allocator, const Polygon *polygon, int (*out_triangles)[3]);
