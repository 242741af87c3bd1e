// What a grid is made of; for its own files only.
//
// A box lies in the cell of its low corner, at the level whose cells are between one and two times
// as long as its longest side. So it reaches from its cell into the next one along each axis at
// most, and whatever overlaps it has its low corner in reach: at most one cell further down.
//
// Cells are hashed into buckets in blocks of 32 × 8 × 8 that stay together: neighbours are near in
// memory, a row of cells along x is one run of buckets, and cells share a bucket only with cells of
// other blocks. Whether a box in a bucket lies in the cell that was meant is told by its block's
// tag, the hash before it is cut to the table's size: in the reach of one box no two blocks have
// the same.
#pragma once

#include <assert.h>

#include "collide/grid_list.h"

// Cells from 2⁻³² to 2⁶³ m. The last level has all that is larger, in a single bucket.
#define GRID_LEVELS 96
#define GRID_SMALLEST_EXPONENT (-32)
#define GRID_NO_LEVEL 255

// A block's cells along x, and along y and z, as powers of two. A row is long, so that few are cut
// in two.
#define GRID_X_BITS 5
#define GRID_YZ_BITS 3
#define GRID_BLOCK_X (1 << GRID_X_BITS)
#define GRID_BLOCK_YZ (1 << GRID_YZ_BITS)
#define GRID_BLOCK_BUCKETS (GRID_BLOCK_X * GRID_BLOCK_YZ * GRID_BLOCK_YZ)

#define GRID_MAX_BOXES (1 << 28)

// What the boxes of a level cover.
typedef struct GridExtent {
    float low[3], high[3];
    float size[3]; // largest, along each axis
} GridExtent;

// Copies of boxes in the order of their buckets, so that a run of buckets is a linear scan. Place p
// is lane p % GRID_GROUP of group p / GRID_GROUP.
#define GRID_GROUP 16

typedef struct GridGroup {
    int boxes[GRID_GROUP];     // numbers
    uint32_t tags[GRID_GROUP]; // of their blocks
    float low[3][GRID_GROUP], high[3][GRID_GROUP];
} GridGroup;

// Where a box is.
typedef struct GridCell {
    int bucket; // −1: it is empty
    uint32_t tag;
} GridCell;

typedef struct GridLevel {
    float cells_per_metre;
    int first_bucket;
    int bucket_count; // 0: never used; 1: too few boxes, or too large ones, for cells
    unsigned mask;    // of the hash
    int first_place, place_count;
    GridExtent extent;
    float reach[3]; // how many cells down a box may start that ends here
} GridLevel;

struct Grid {
    SnAllocator allocator;
    const struct GridKernels *kernels;
    GridLevel levels[GRID_LEVELS];
    int used_levels[GRID_LEVELS]; // with boxes in them, rising
    int used_level_count;
    int bucket_count; // of all levels

    int box_count;          // in the last call
    int place_count;        // those that are not empty
    GridBuffer cells;       // by box
    GridBuffer order[2];    // by place: bucket and box; the present one and the one before
    GridBuffer starts[2];   // by bucket, and one more: its first place
    int now;                // which of the two
    GridBuffer groups;      // all places
    GridBuffer tallies;     // by worker, of one call
    GridBuffer part_places; // first place of each part of `changes`
    GridList changes;       // bucket and box, or bucket and ~box where it left
    GridList pairs;
};

static inline int *sn__grid_starts(const Grid *grid) { return grid->starts[grid->now].data; }

// The largest integer not above v, which must have room in an int.
static inline int sn__grid_floor(float v) {
    assert(v >= -0x1p31f && v < 0x1p31f);
#ifdef __SSE4_1__
    return (int)__builtin_floorf(v);
#else
    int i = (int)v;
    return i - (v < (float)i);
#endif
}

// Linear before it is mixed, and the mixing is one-to-one: blocks at most two apart along each axis
// never have the same tag.
static inline uint32_t sn__grid_tag(int x, int y, int z) {
    // Shifts, because division would round towards zero.
    uint32_t hash = (uint32_t)(x >> GRID_X_BITS) * 0x9E3779B1u +
                    (uint32_t)(y >> GRID_YZ_BITS) * 0x85EBCA77u +
                    (uint32_t)(z >> GRID_YZ_BITS) * 0xC2B2AE3Du;
    hash = (hash ^ hash >> 16) * 0x7FEB352Du;
    return hash ^ hash >> 15;
}

// For a level with more than one bucket.
static inline int sn__grid_bucket(const GridLevel *level, uint32_t tag, int x, int y, int z) {
    assert(level->bucket_count > 1);
    int row = (z & (GRID_BLOCK_YZ - 1)) * GRID_BLOCK_YZ + (y & (GRID_BLOCK_YZ - 1));
    int inside = row * GRID_BLOCK_X + (x & (GRID_BLOCK_X - 1));
    return level->first_bucket + (int)(tag & level->mask) + inside;
}

// The level of a box, GRID_NO_LEVEL if it is empty or not finite.
int sn__grid_level(const GridBox *box);

// Brings levels, buckets and places up to date; false without memory.
bool sn__grid_build(Grid *grid, const SnTaskSystem *tasks, const GridBox *boxes, int count);

// Fills grid->pairs; false without memory. The pairs are not sorted yet.
bool sn__grid_search(Grid *grid, const SnTaskSystem *tasks, GridFilter *filter, void *context,
                     int64_t *out_count);
