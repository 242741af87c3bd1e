#include "geom/bvh.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define LEAF_ITEMS 4
// Halving 2³¹ items never goes deeper.
#define MAX_DEPTH 64

static void box_add(BvhBox *box, const BvhBox *other) {
    for (int c = 0; c < 3; ++c) {
        box->low[c] = fmin(box->low[c], other->low[c]);
        box->high[c] = fmax(box->high[c], other->high[c]);
    }
}

static BvhBox box_of(const BvhBox *boxes, const int *items, int count) {
    assert(count > 0);
    BvhBox box = boxes[items[0]];
    for (int i = 1; i < count; ++i)
        box_add(&box, boxes + items[i]);
    return box;
}

static double centre2(const BvhBox *box, int axis) { return box->low[axis] + box->high[axis]; }

// By the centre, then by the number, so that no two are equal.
static bool before(const BvhBox *boxes, int axis, int a, int b) {
    double x = centre2(boxes + a, axis), y = centre2(boxes + b, axis);
    return x < y || (x == y && a < b);
}

// Puts the k-th item in its place, smaller ones before it and larger ones behind it.
static void select_item(const BvhBox *boxes, int axis, int *items, int count, int k) {
    assert(k >= 0 && k < count);
    int low = 0, high = count - 1;
    while (low < high) {
        int pivot = items[low + (high - low) / 2], i = low, j = high;
        while (i <= j) {
            while (before(boxes, axis, items[i], pivot))
                ++i;
            while (before(boxes, axis, pivot, items[j]))
                --j;
            if (i <= j) {
                int swap = items[i];
                items[i++] = items[j];
                items[j--] = swap;
            }
        }
        if (k <= j)
            high = j;
        else if (k >= i)
            low = i;
        else
            return;
    }
}

static int widest_axis(const BvhBox *boxes, const int *items, int count) {
    double low[3], high[3];
    for (int c = 0; c < 3; ++c)
        low[c] = high[c] = centre2(boxes + items[0], c);
    for (int i = 1; i < count; ++i)
        for (int c = 0; c < 3; ++c) {
            low[c] = fmin(low[c], centre2(boxes + items[i], c));
            high[c] = fmax(high[c], centre2(boxes + items[i], c));
        }
    int axis = high[1] - low[1] > high[0] - low[0] ? 1 : 0;
    return high[2] - low[2] > high[axis] - low[axis] ? 2 : axis;
}

static bool reserve(Bvh *bvh, const SnAllocator *allocator, int count) {
    bvh->allocator = *allocator;
    bvh->node_count = bvh->item_count = 0;
    int nodes = 2 * count;
    if (count <= bvh->item_capacity)
        return true;
    sn__bvh_destroy(bvh);
    bvh->allocator = *allocator;
    bvh->nodes = sn__alloc_array(allocator, (size_t)nodes, sizeof(BvhNode));
    bvh->items = sn__alloc_array(allocator, (size_t)count, sizeof(int));
    bvh->node_capacity = nodes;
    bvh->item_capacity = count;
    if (bvh->nodes && bvh->items)
        return true;
    sn__bvh_destroy(bvh);
    return false;
}

typedef struct Part {
    int begin, count;
    int parent; // whose second child this is; −1: none
} Part;

bool sn__bvh_build(Bvh *bvh, const SnAllocator *allocator, const BvhBox *boxes, int count) {
    assert(count >= 0 && (boxes || count == 0));
    if (!reserve(bvh, allocator, count))
        return false;
    bvh->item_count = count;
    for (int i = 0; i < count; ++i)
        bvh->items[i] = i;
    Part stack[MAX_DEPTH] = {{0, count, -1}};
    for (int top = count > 0 ? 1 : 0; top > 0;) {
        Part part = stack[--top];
        assert(part.count > 0 && bvh->node_count < bvh->node_capacity);
        int *items = bvh->items + part.begin, index = bvh->node_count++;
        BvhNode *node = bvh->nodes + index;
        *node = (BvhNode){.begin = part.begin, .count = part.count};
        if (part.parent >= 0)
            bvh->nodes[part.parent].second = index;
        if (part.count <= LEAF_ITEMS)
            continue;
        int half = part.count / 2;
        select_item(boxes, widest_axis(boxes, items, part.count), items, part.count, half);
        assert(top + 2 <= MAX_DEPTH);
        stack[top++] = (Part){part.begin + half, part.count - half, index};
        stack[top++] = (Part){part.begin, half, -1};
    }
    sn__bvh_refit(bvh, boxes);
    return true;
}

void sn__bvh_refit(Bvh *bvh, const BvhBox *boxes) {
    for (int i = bvh->node_count - 1; i >= 0; --i) {
        BvhNode *node = bvh->nodes + i;
        if (node->second == 0) {
            node->box = box_of(boxes, bvh->items + node->begin, node->count);
            continue;
        }
        node->box = node[1].box;
        box_add(&node->box, &bvh->nodes[node->second].box);
    }
}

void sn__bvh_destroy(Bvh *bvh) {
    sn__free(&bvh->allocator, bvh->nodes, (size_t)bvh->node_capacity * sizeof(BvhNode));
    sn__free(&bvh->allocator, bvh->items, (size_t)bvh->item_capacity * sizeof(int));
    memset(bvh, 0, sizeof *bvh);
}

typedef struct Candidate {
    int node;
    double bound;
} Candidate;

void sn__bvh_search(const Bvh *bvh, double limit, BvhBound *bound, BvhVisit *visit, void *context) {
    if (bvh->node_count == 0)
        return;
    Candidate stack[MAX_DEPTH] = {{0, bound(&bvh->nodes[0].box, context)}};
    for (int top = 1; top > 0;) {
        Candidate at = stack[--top];
        if (!(at.bound <= limit))
            continue;
        const BvhNode *node = bvh->nodes + at.node;
        if (node->second == 0) {
            for (int i = 0; i < node->count; ++i)
                limit = visit(bvh->items[node->begin + i], limit, context);
            continue;
        }
        Candidate near = {at.node + 1, bound(&node[1].box, context)};
        Candidate far = {node->second, bound(&bvh->nodes[node->second].box, context)};
        bool swap = far.bound < near.bound;
        assert(node->second > at.node && top + 2 <= MAX_DEPTH);
        stack[top++] = swap ? near : far;
        stack[top++] = swap ? far : near;
    }
}

double sn__bvh_distance(const BvhBox *box, Vec3d x) {
    const double at[3] = {x.x, x.y, x.z};
    double sum = 0.0;
    for (int c = 0; c < 3; ++c) {
        double d = fmax(0.0, fmax(box->low[c] - at[c], at[c] - box->high[c]));
        sum += d * d;
    }
    return sqrt(sum);
}
