// The wide kernels of the broad phase, one set per instruction set.
#pragma once

#include "base/wide.h"
#include "collide/grid_data.h"

typedef struct GridSearch {
    Grid *grid;
    GridFilter *filter;
    void *context;
} GridSearch;

typedef struct GridKernels {
    SnTask *search; // over places; the context is a GridSearch
    GridOrder *order;
} GridKernels;

const GridKernels *sn__grid_kernels(SnIsa isa);

#define DECLARE_GRID_KERNELS(isa)                                                                  \
    void PASTE(grid_search, isa)(int begin, int end, int worker, void *search);                    \
    void PASTE(grid_order, isa)(const GridPair *from, GridPair *to, int count, const int *ends,    \
                                int *numbers, int first_key, int key_count);

DECLARE_GRID_KERNELS(scalar)
DECLARE_GRID_KERNELS(v128)
DECLARE_GRID_KERNELS(avx2)
DECLARE_GRID_KERNELS(avx512)
