// Which joints of a net are those of its tree, and which close rings.
//
// The direct solver eliminates children before their parents, and what it does to a segment costs the square
// of how many others the tree below it is joined to by rings (fronts.h). So the tree is grown from its
// leaves, as one eliminates: always where the fewest others are joined, and never so that what is left falls
// apart. In a net of n × n meshes it is then n³, where breadth first would make a comb of it, and n⁴.
#pragma once

#include "base/memory.h"

// A connected graph: nodes are segments.
typedef struct SpanGraph {
    int nodes, joints;
    const int (*ends)[2]; // by joint
    int root;
} SpanGraph;

// By node: its parent and the joint with it, −1 for the root. False without memory.
bool sn__span(const SnAllocator *allocator, const SpanGraph *graph, int *out_parent,
              int *out_joint);
