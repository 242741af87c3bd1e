// The wide kernels of trees, one table per instruction set.
#pragma once

#include "sinew/base.h"
#include "tree/grove.h"

typedef struct TreeKernels {
    // The way up: rows [begin, end) of joints or props, from poses to factors, each handing its
    // inertia to its parents. Those from `exports` on keep it until `import`. Returns the residual.
    double (*up)(Grove *grove, int begin, int exports, int end, double h);
    void (*import)(Grove *grove, int begin, int end);
    // What free trees hang on, and what stands still.
    void (*ground)(Grove *grove);
    // The way down: rows [begin, end), from their parents' motion to their own, and to new poses.
    void (*down)(Grove *grove, int begin, int end);
} TreeKernels;

// NULL if the library was built without it.
const TreeKernels *sn__tree_kernels(SnIsa isa);
