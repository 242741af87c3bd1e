// What the cut of a skin is made with: points that cells share, and how its outlines are found.
#pragma once

#include "skin/key_table.h"
#include "skin/split.h"
#include "skin/voronoi.h"

// A place on the cut mesh: a vertex, or where the plane between two cells cuts an edge, the line between three a
// triangle, or where four cells meet.
typedef struct SplitPoint {
    Vec3d x;
    int bones[SN_SKIN_BONES];
    float weights[SN_SKIN_BONES];
    int meets[SPLIT_MEETS];
} SplitPoint;

// The surface of the lower cell ends there, on the plane to the higher one.
typedef struct SplitRim {
    int pair, from, to; // points
} SplitRim;

typedef struct SplitCut {
    SnAllocator allocator;
    const SplitMesh *mesh;
    SkinSplit *split;
    Voronoi voronoi;
    KeyTable point_keys, vertex_keys;
    SplitPoint *points;
    int point_capacity;
    SplitRim *rims;
    int rim_count, rim_capacity;
    uint64_t balance; // 0 if every directed edge of a cell's surface has its opposite
} SplitCut;

// The number of the pair of two cells; −1: they do not touch.
int sn__split_pair_of(const SkinSplit *split, int a, int b);
// The point of a key, which is made by `fill` if it is new; −1: no memory. The cells of the key are its last four.
int sn__split_point(SplitCut *cut, const int key[KEY_LENGTH], const SplitPoint *fill);
// A vertex at a point, which is new; false: no memory.
bool sn__split_add_vertex(SkinSplit *split, const SplitPoint *point, Vec3d normal, int cell);
bool sn__split_add_triangle(SkinSplit *split, int a, int b, int c);
// Counts a triangle of points among the surface of a cell.
void sn__split_weigh(SplitCut *cut, int cell, const int points[3]);
// split.c: which bones follow each other while nothing is broken. False: no memory.
bool sn__split_measure(SkinSplit *split);
// split_caps.c: of a closed mesh. False: no memory, or what is not closed.
bool sn__split_add_caps(SplitCut *cut);
