// What elimination does to a graph: whoever is eliminated leaves its neighbours joined to each other.
//
// Nodes with few neighbours go first (minimum degree), which keeps the fronts of the direct solver of nets
// small (fronts.h).
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

typedef struct FillNode {
    int *to; // neighbours that are left, in no order
    int count, capacity;
    bool gone;
} FillNode;

typedef struct FillGraph {
    int nodes;
    FillNode *node;
    int *mark, stamp;
    uint64_t *queue; // a heap of degree and node, some of them out of date
    int queued, queue_capacity;
} FillGraph;

bool sn__fill_create(const SnAllocator *allocator, FillGraph *graph, int nodes);
void sn__fill_release(const SnAllocator *allocator, FillGraph *graph);
// An edge between two nodes, unless there is one. False without memory.
bool sn__fill_join(const SnAllocator *allocator, FillGraph *graph, int a, int b);
// A node is to be asked for by sn__fill_next; whenever its degree changes, this is done for it.
bool sn__fill_ask(const SnAllocator *allocator, FillGraph *graph, int node);
// The one with the fewest neighbours of those that were asked for, the first of equals; −1: there are
// none. It is not asked for any more.
int sn__fill_next(FillGraph *graph);
// Its neighbours, which stay in FillNode.to, are joined to each other.
bool sn__fill_eliminate(const SnAllocator *allocator, FillGraph *graph, int node);
