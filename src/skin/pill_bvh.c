#include "skin/pill_bvh.h"

#include <assert.h>

#define LEAF 4
// Every split leaves at most 7/8 on one side, so a tree over 2³¹ pills is not deeper than 160.
#define MAX_DEPTH 176

typedef struct Node {
    double low[3], high[3];
    int begin, end; // in `order`
    int child;      // two of them, one behind the other; 0: a leaf
} Node;

struct PillBvh {
    SnAllocator allocator;
    const Pill *pills;
    int count, node_count;
    int *order;
    Node *nodes; // 2 · count of them
};

static void add_sphere(Node *node, Vec3d centre, double radius) {
    const double c[3] = {centre.x, centre.y, centre.z};
    for (int k = 0; k < 3; ++k) {
        node->low[k] = fmin(node->low[k], c[k] - radius);
        node->high[k] = fmax(node->high[k], c[k] + radius);
    }
}

static Node node_over(const PillBvh *bvh, int begin, int end) {
    Node node = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, begin, end, 0};
    for (int i = begin; i < end; ++i) {
        const Pill *pill = &bvh->pills[bvh->order[i]];
        add_sphere(&node, pill->a, pill->radius_a);
        add_sphere(&node, pill->b, pill->radius_b);
    }
    return node;
}

static double middle_of(const Pill *pill, int axis) {
    const double a[3] = {pill->a.x, pill->a.y, pill->a.z}, b[3] = {pill->b.x, pill->b.y, pill->b.z};
    return 0.5 * (a[axis] + b[axis]);
}

// Across the longest side of the box, in space; by number where that leaves too few on one side.
static int split(PillBvh *bvh, const Node *node) {
    int axis = 0;
    for (int k = 1; k < 3; ++k)
        axis = node->high[k] - node->low[k] > node->high[axis] - node->low[axis] ? k : axis;
    double border = 0.5 * (node->low[axis] + node->high[axis]);
    int cut = node->begin, few = (node->end - node->begin) / 8;
    for (int i = node->begin; i < node->end; ++i) {
        int pill = bvh->order[i];
        if (middle_of(&bvh->pills[pill], axis) < border) {
            bvh->order[i] = bvh->order[cut];
            bvh->order[cut++] = pill;
        }
    }
    bool uneven = cut - node->begin <= few || node->end - cut <= few;
    return uneven ? (node->begin + node->end) / 2 : cut;
}

PillBvh *sn__pill_bvh_create(const SnAllocator *allocator, const Pill *pills, int count) {
    assert(pills && count > 0);
    PillBvh *bvh = sn__alloc(allocator, sizeof *bvh);
    if (bvh == NULL)
        return NULL;
    *bvh = (PillBvh){.allocator = *allocator, .pills = pills, .count = count};
    bvh->order = sn__alloc_array(allocator, (size_t)count, sizeof(int));
    bvh->nodes = sn__alloc_array(allocator, 2 * (size_t)count, sizeof(Node));
    if (bvh->order == NULL || bvh->nodes == NULL) {
        sn__pill_bvh_destroy(bvh);
        return NULL;
    }
    for (int i = 0; i < count; ++i)
        bvh->order[i] = i;
    bvh->nodes[bvh->node_count++] = node_over(bvh, 0, count);
    for (int n = 0; n < bvh->node_count; ++n) {
        Node *node = &bvh->nodes[n];
        if (node->end - node->begin <= LEAF)
            continue;
        int cut = split(bvh, node);
        assert(cut > node->begin && cut < node->end && bvh->node_count + 2 <= 2 * count);
        node->child = bvh->node_count;
        bvh->nodes[bvh->node_count++] = node_over(bvh, node->begin, cut);
        bvh->nodes[bvh->node_count++] = node_over(bvh, cut, node->end);
    }
    return bvh;
}

void sn__pill_bvh_destroy(PillBvh *bvh) {
    SnAllocator a = bvh->allocator;
    sn__free(&a, bvh->order, (size_t)bvh->count * sizeof(int));
    sn__free(&a, bvh->nodes, 2 * (size_t)bvh->count * sizeof(Node));
    sn__free(&a, bvh, sizeof *bvh);
}

// No pill in the box is nearer to x; inside the box a pill may be at any depth.
static double least_distance(const Node *node, Vec3d x) {
    const double at[3] = {x.x, x.y, x.z};
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        double out = fmax(fmax(node->low[k] - at[k], at[k] - node->high[k]), 0.0);
        sum += out * out;
    }
    return sum > 0.0 ? sqrt(sum) : -(double)INFINITY;
}

static int keep(PillNear *near, int count, int capacity, PillNear add) {
    if (count == capacity && !(add.distance < near[count - 1].distance))
        return count;
    int at = count < capacity ? count : count - 1;
    for (; at > 0 && add.distance < near[at - 1].distance; --at)
        near[at] = near[at - 1];
    near[at] = add;
    return count < capacity ? count + 1 : count;
}

int sn__pill_bvh_nearest(const PillBvh *bvh, Vec3d x, PillNear *out_near, int capacity) {
    assert(capacity > 0);
    int stack[MAX_DEPTH], depth = 0, count = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        const Node *node = &bvh->nodes[stack[--depth]];
        if (count == capacity && least_distance(node, x) >= out_near[count - 1].distance)
            continue;
        if (node->child) {
            assert(depth + 2 <= MAX_DEPTH);
            bool second = least_distance(&bvh->nodes[node->child + 1], x) <
                          least_distance(&bvh->nodes[node->child], x);
            stack[depth++] = node->child + !second;
            stack[depth++] = node->child + second;
            continue;
        }
        for (int i = node->begin; i < node->end; ++i) {
            PillNear add = {.pill = bvh->order[i]};
            add.distance = sn__pill_distance(&bvh->pills[add.pill], x, &add.t);
            count = keep(out_near, count, capacity, add);
        }
    }
    return count;
}
