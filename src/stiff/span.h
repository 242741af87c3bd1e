// Which joints of a net are those of its trees, and which close rings.
//
// The direct solver eliminates children before their parents, and what it does to a segment costs the square
// of how many others the tree below it is joined to by rings (fronts.h). So the trees are grown from their
// leaves, in the order of elimination: always where the fewest others are joined. Whoever has no
// neighbour left to hang on then is the root of a tree of its own, which hangs on nothing but rings. In a net of
// n × n meshes that takes some n³, where a single tree, breadth first, would be a comb, and take n⁴.
#pragma once

#include "base/memory.h"

// A connected graph: nodes are segments.
typedef struct SpanGraph {
    int nodes, joints;
    const int (*ends)[2]; // by joint
    int root;
} SpanGraph;

// By node: its parent and the joint with it, −1 for the root and those of other trees. False without memory.
bool sn__span(const SnAllocator *allocator, const SpanGraph *graph, int *out_parent,
              int *out_joint);
