// A tree of boxes over boxes, for questions that most of them cannot answer.
#pragma once

#include "base/memory.h"
#include "math/vec.h"

typedef struct BvhBox {
    double low[3], high[3];
} BvhBox;

// Nodes are in preorder: the first child of an inner node is the next one.
typedef struct BvhNode {
    BvhBox box;
    int second;       // child of an inner node; 0: a leaf
    int begin, count; // items of a leaf
} BvhNode;

// All zeros is an empty one.
typedef struct Bvh {
    SnAllocator allocator;
    BvhNode *nodes;
    int node_count, node_capacity;
    int *items;
    int item_count, item_capacity;
} Bvh;

// From scratch, or for boxes that have moved since; false: no memory, and the tree is empty.
bool sn__bvh_build(Bvh *bvh, const SnAllocator *allocator, const BvhBox *boxes, int count);
void sn__bvh_refit(Bvh *bvh, const BvhBox *boxes);
void sn__bvh_destroy(Bvh *bvh);

// From a point to the nearest one of a box.
double sn__bvh_distance(const BvhBox *box, Vec3d x);

// A value that no item inside the box can be below.
typedef double BvhBound(const BvhBox *box, void *context);
// Looks at an item and returns the limit from here on.
typedef double BvhVisit(int item, double limit, void *context);

// Visits all items whose box has a bound of at most `limit`, those in nearer boxes first. The limit
// may fall on the way.
void sn__bvh_search(const Bvh *bvh, double limit, BvhBound *bound, BvhVisit *visit, void *context);
