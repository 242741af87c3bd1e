// Coarser lists of a mesh's triangles, of the same vertices, for pictures in which its own are smaller than a
// pixel. Copies of a mesh share them.
#pragma once

#include "view/scene.h"

#define VIEW_COARSE_LEVELS 12

// For a fixed word this is a bijection of the key: two lists that differ do not fall together by what
// follows the difference.
static inline uint64_t view_mix(uint64_t key, uint64_t word) {
    key = (key ^ word) * 0x9E3779B97F4A7C15u;
    return key ^ (key >> 32);
}

typedef struct ViewTriangleList {
    uint32_t *triangles; // three vertices each, from 0
    int count;
} ViewTriangleList;

// A mesh by what its triangles are: their hash.
typedef struct ViewCoarse {
    uint64_t key;
    int triangle_count;
    bool is_closed; // and looks outwards
    float edge,
        reach; // m: mean length of its edges, and how far its vertices are from the first one
    ViewTriangleList levels[VIEW_COARSE_LEVELS]; // made when they are wanted
} ViewCoarse;

typedef struct ViewCoarseTable {
    ViewCoarse *entries;
    int count, capacity;
} ViewCoarseTable;

// The entry of a mesh whose triangles have this hash, −1 without memory.
int view_coarse_find(ViewCoarseTable *table, const ViewMesh *mesh, uint64_t key);
// The level at which errors are no more than a quarter of a pixel; −1: all triangles.
int view_coarse_level(const ViewCoarse *coarse, const ViewMesh *mesh, SnVec3 eye,
                      float pixels_per_radian);
// The triangles of a level; NULL without memory. The mesh's shape as it is now decides which go.
const ViewTriangleList *view_coarse_list(ViewCoarse *coarse, const ViewMesh *mesh, int level);
void view_coarse_release(ViewCoarseTable *table);
