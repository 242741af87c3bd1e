#include "skin/pill_tree.h"

#define LEAF 4
// Every split leaves at most 7/8 on one side, so a tree over 2³¹ pills is not deeper than 160.
#define MAX_DEPTH 176

typedef struct Node {
    double low[3], high[3];
    int begin, end; // in `order`
    int child;      // two of them, one behind the other; 0: a leaf
} Node;

struct PillTree {
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

static Node node_over(const PillTree *tree, int begin, int end) {
    Node node = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, begin, end, 0};
    for (int i = begin; i < end; ++i) {
        const Pill *pill = &tree->pills[tree->order[i]];
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
static int split(PillTree *tree, const Node *node) {
    int axis = 0;
    for (int k = 1; k < 3; ++k)
        axis = node->high[k] - node->low[k] > node->high[axis] - node->low[axis] ? k : axis;
    double border = 0.5 * (node->low[axis] + node->high[axis]);
    int cut = node->begin, few = (node->end - node->begin) / 8;
    for (int i = node->begin; i < node->end; ++i) {
        int pill = tree->order[i];
        if (middle_of(&tree->pills[pill], axis) < border) {
            tree->order[i] = tree->order[cut];
            tree->order[cut++] = pill;
        }
    }
    bool uneven = cut - node->begin <= few || node->end - cut <= few;
    return uneven ? (node->begin + node->end) / 2 : cut;
}

PillTree *sn__pill_tree_create(const SnAllocator *allocator, const Pill *pills, int count) {
    PillTree *tree = sn__alloc(allocator, sizeof *tree);
    if (tree == NULL)
        return NULL;
    *tree = (PillTree){.allocator = *allocator, .pills = pills, .count = count};
    tree->order = sn__alloc_array(allocator, (size_t)count, sizeof(int));
    tree->nodes = sn__alloc_array(allocator, 2 * (size_t)count, sizeof(Node));
    if (tree->order == NULL || tree->nodes == NULL) {
        sn__pill_tree_destroy(tree);
        return NULL;
    }
    for (int i = 0; i < count; ++i)
        tree->order[i] = i;
    tree->nodes[tree->node_count++] = node_over(tree, 0, count);
    for (int n = 0; n < tree->node_count; ++n) {
        Node *node = &tree->nodes[n];
        if (node->end - node->begin <= LEAF)
            continue;
        int cut = split(tree, node);
        node->child = tree->node_count;
        tree->nodes[tree->node_count++] = node_over(tree, node->begin, cut);
        tree->nodes[tree->node_count++] = node_over(tree, cut, node->end);
    }
    return tree;
}

void sn__pill_tree_destroy(PillTree *tree) {
    SnAllocator a = tree->allocator;
    sn__free(&a, tree->order, (size_t)tree->count * sizeof(int));
    sn__free(&a, tree->nodes, 2 * (size_t)tree->count * sizeof(Node));
    sn__free(&a, tree, sizeof *tree);
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

int sn__pill_tree_nearest(const PillTree *tree, Vec3d x, PillNear *out_near, int capacity) {
    int stack[MAX_DEPTH], depth = 0, count = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        const Node *node = &tree->nodes[stack[--depth]];
        if (count == capacity && least_distance(node, x) >= out_near[count - 1].distance)
            continue;
        if (node->child) {
            bool second = least_distance(&tree->nodes[node->child + 1], x) <
                          least_distance(&tree->nodes[node->child], x);
            stack[depth++] = node->child + !second;
            stack[depth++] = node->child + second;
            continue;
        }
        for (int i = node->begin; i < node->end; ++i) {
            PillNear add = {.pill = tree->order[i]};
            add.distance = sn__pill_distance(&tree->pills[add.pill], x, &add.t);
            count = keep(out_near, count, capacity, add);
        }
    }
    return count;
}
