// Symmetric positive definite systems with a sparse pattern of 6 × 6 blocks: which order of elimination
// fills little, where blocks then lie, and the factors.
//
// The pattern is a graph: block (i, j) is there if i and j are joined. It is eliminated by minimum degree:
// the node that has the fewest neighbours left comes first, and its neighbours are neighbours of each
// other from then on, which is what fills. Ties are broken by what was touched last, so the order depends
// on the graph alone. Everything else is by place in that order, not by node.
//
// A = L Lᵀ (Cholesky), block by block. Column c of a block is a row of eight doubles in memory, six of
// which are used, so that a column is one or a few wide vectors.
#pragma once

#include "base/memory.h"
#include "base/wide.h"

#define SPARSE_SIZE 6 // of a block
#define SPARSE_ROW 8  // doubles that a column of a block takes in memory

typedef struct SparseBlock {
    double column[SPARSE_SIZE][SPARSE_ROW];
} __attribute__((aligned(64))) SparseBlock;

typedef struct SparseVector {
    double x[SPARSE_ROW]; // the last two are 0
} __attribute__((aligned(64))) SparseVector;

typedef struct SparsePlan {
    int size;   // nodes
    int blocks; // below the diagonal, fill included
    int *place; // by node
    int *first; // by place: its blocks below the diagonal are [first[p], first[p + 1])
    int *rows;  // by block: the place of its row, ascending within a column
    size_t bytes;
    void *memory;
} SparsePlan;

// Edges join two different nodes; the same pair may come twice. False without memory, or if there
// would be more blocks than `most`, which *out_crowded tells apart.
bool sn__sparse_plan(const SnAllocator *allocator, int size, const int (*edges)[2], int edge_count,
                     int most, SparsePlan *out_plan, bool *out_crowded);
void sn__sparse_release(const SnAllocator *allocator, SparsePlan *plan);
// The block of two different places that are joined.
int sn__sparse_find(const SparsePlan *plan, int place, int other);

typedef struct SparseKernels {
    // From A to L, in place: `diagonal` by place (its lower triangle), `below` by block. What is left in the
    // diagonal is the inverses of its blocks of L. False if A is not positive definite; L is of no use then.
    bool (*factor)(const SparsePlan *plan, SparseBlock *diagonal, SparseBlock *below);
    // From the right side to the solution, in place, by place.
    void (*solve)(const SparsePlan *plan, const SparseBlock *diagonal, const SparseBlock *below,
                  SparseVector *x);
    // The same for SPARSE_ROW right sides at once: the unknowns of a place are the columns of a block, and its rows the
    // right sides.
    void (*solve_all)(const SparsePlan *plan, const SparseBlock *diagonal, const SparseBlock *below,
                      SparseBlock *x);
} SparseKernels;

// NULL if the library was built without it.
const SparseKernels *sn__sparse_kernels(SnIsa isa);

#define DECLARE_SPARSE_KERNELS(isa)                                                                \
    bool PASTE(sparse_factor, isa)(const SparsePlan *, SparseBlock *, SparseBlock *);              \
    void PASTE(sparse_solve, isa)(const SparsePlan *, const SparseBlock *, const SparseBlock *,    \
                                  SparseVector *);                                                 \
    void PASTE(sparse_solve_all, isa)(const SparsePlan *, const SparseBlock *,                     \
                                      const SparseBlock *, SparseBlock *);

DECLARE_SPARSE_KERNELS(scalar)
DECLARE_SPARSE_KERNELS(v128)
DECLARE_SPARSE_KERNELS(avx2)
DECLARE_SPARSE_KERNELS(avx512)
