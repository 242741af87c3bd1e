// The broad phase: which boxes overlap.
//
// Boxes lie in the cells of uniform grids, hashed, so that the world has no bounds. A box belongs to
// the level whose cells are just larger than it is, so that large and small ones live side by side.
// Boxes that have not left their cell since the last call stay where they are.
#pragma once

#include "base/memory.h"

// World coordinates, rounded outwards. Nothing overlaps an empty one (low > high).
typedef struct GridBox {
    float low[3], high[3];
} GridBox;

typedef struct GridPair {
    int a, b; // a < b
} GridPair;

typedef struct Grid Grid;

Grid *sn__grid_create(const SnAllocator *allocator); // NULL without memory
void sn__grid_destroy(Grid *grid);

// Must be available; without this, it is the best. The pairs are the same with all.
void sn__grid_set_isa(Grid *grid, SnIsa isa);

// Whether two boxes that overlap may be a pair; called from any worker.
typedef bool GridFilter(int a, int b, void *context);

// All pairs of overlapping boxes that pass the filter, sorted by a, then by b, whatever the history
// of the grid, the number of threads or the order of the cells. The array belongs to the grid and
// is valid until the next call. False: no memory; the pairs are then none.
bool sn__grid_pairs(Grid *grid, const SnTaskSystem *tasks, const GridBox *boxes, int count,
                    GridFilter *filter, void *context, const GridPair **out_pairs,
                    int *out_pair_count);

// Boxes that overlap `box`, in the grid as it was at the last call of sn__grid_pairs, in rising
// order; returns how many and writes the first `capacity`.
int sn__grid_query(const Grid *grid, const GridBox *box, int *out_boxes, int capacity);
