#include <assert.h>
#include <string.h>

#include "geom/iso.h"

// Cells along the side of a block, and corners.
#define SIDE 8
#define POINTS (SIDE + 1)

// Vertices may move this many cells out of their block while the mesh is relaxed.
#define ROOM 2.0

// A cube of 2^level blocks a side, with the list of the cube it is in.
typedef struct Node {
    int x, y, z; // in blocks
    int level;
    int list, list_count; // in scratch
} Node;

static bool make_room(const SnAllocator *a, int **array, int *capacity, int count) {
    if (count <= *capacity)
        return true;
    int grown = *capacity > count / 2 ? 2 * *capacity : count;
    int *memory = sn__grow(a, *array, (size_t)*capacity * sizeof(int), (size_t)grown * sizeof(int));
    if (memory == NULL)
        return false;
    *array = memory;
    *capacity = grown;
    return true;
}

static Vec3d corner_at(const IsoCells *c, double x, double y, double z) {
    return addd(c->low, (Vec3d){x * c->cell, y * c->cell, z * c->cell});
}

// The pills of the node's list that matter inside the node, behind that list. Returns how many, 0
// if the surface is not in it, −1 without memory.
static int cull(IsoCells *c, const Node *node) {
    double side = (double)(SIDE << node->level), half = 0.5 * side;
    double x = (double)(node->x * SIDE) + half, y = (double)(node->y * SIDE) + half;
    Vec3d centre = corner_at(c, x, y, (double)(node->z * SIDE) + half);
    double reach = 1.001 * c->cell * (half * 1.7320508075688772 + ROOM), nearest = INFINITY;
    int begin = node->list + node->list_count;
    if (!make_room(&c->allocator, &c->scratch, &c->scratch_capacity, begin + node->list_count))
        return -1;
    assert(node->list_count > 0 && node->level >= 0);
    const int *list = c->scratch + node->list;
    for (int i = 0; i < node->list_count; ++i)
        nearest = fmin(nearest, sn__blend_distance(c->blend.pills + list[i], centre));
    if (nearest - c->grow > reach + c->blend.width || nearest - c->grow < -reach)
        return 0;
    int count = 0;
    for (int i = 0; i < node->list_count; ++i) {
        double d = sn__blend_distance(c->blend.pills + list[i], centre);
        if (d <= nearest + 2.0 * reach + 3.0 * c->blend.width)
            c->scratch[begin + count++] = list[i];
    }
    return count;
}

static bool add_cell(IsoCells *c, int block, int x, int y, int z, const float *values) {
    static const int steps[8] = {0,
                                 1,
                                 POINTS,
                                 POINTS + 1,
                                 POINTS * POINTS,
                                 POINTS * POINTS + 1,
                                 POINTS * POINTS + POINTS,
                                 POINTS * POINTS + POINTS + 1};
    const float *first = values + (z * POINTS + y) * POINTS + x;
    int inside = 0;
    for (int i = 0; i < 8; ++i)
        inside |= (first[steps[i]] < 0.0f) << i;
    if (inside == 0 || inside == 255)
        return true;
    if (!sn__reserve(&c->allocator, (void **)&c->cells, &c->cell_capacity, c->cell_count,
                     sizeof(IsoCell)))
        return false;
    const IsoBlock *b = c->blocks + block;
    IsoCell *cell = c->cells + c->cell_count++;
    *cell = (IsoCell){.x = b->x + x, .y = b->y + y, .z = b->z + z, .block = block};
    cell->inside = (uint8_t)inside;
    for (int i = 0; i < 8; ++i)
        cell->corners[i] = first[steps[i]];
    for (int axis = 0; axis < 3; ++axis)
        c->edge_count += (inside & 1) != (inside >> (1 << axis) & 1);
    return true;
}

static bool sample_block(IsoCells *c, int block) {
    assert(block >= 0 && block < c->block_capacity && c->blocks[block].list_count > 0);
    const IsoBlock *b = c->blocks + block;
    float values[POINTS * POINTS * POINTS];
    for (int z = 0; z < POINTS; ++z)
        for (int y = 0; y < POINTS; ++y)
            for (int x = 0; x < POINTS; ++x) {
                Vec3d gradient, p = corner_at(c, b->x + x, b->y + y, b->z + z);
                double value =
                    sn__blend_at(&c->blend, c->lists + b->list, b->list_count, p, &gradient);
                values[(z * POINTS + y) * POINTS + x] = (float)(value - c->grow);
            }
    for (int z = 0; z < SIDE; ++z)
        for (int y = 0; y < SIDE; ++y)
            for (int x = 0; x < SIDE; ++x)
                if (!add_cell(c, block, x, y, z, values))
                    return false;
    return true;
}

static bool add_block(IsoCells *c, const Node *node, int begin, int count) {
    int *lists = c->lists;
    bool room = make_room(&c->allocator, &lists, &c->list_capacity, c->list_count + count) &&
                sn__reserve(&c->allocator, (void **)&c->blocks, &c->block_capacity, c->block_count,
                            sizeof(IsoBlock));
    c->lists = lists;
    if (!room)
        return false;
    memcpy(c->lists + c->list_count, c->scratch + begin, (size_t)count * sizeof(int));
    c->blocks[c->block_count] =
        (IsoBlock){SIDE * node->x, SIDE * node->y, SIDE * node->z, c->list_count, count};
    c->list_count += count;
    return sample_block(c, c->block_count++);
}

static int top_level(double cells) {
    int level = 0;
    while ((double)(SIDE << level) < cells)
        ++level;
    return level;
}

// Down a tree of cubes, depth first. All nodes above one on the stack were pushed later, so what is
// behind its list in `scratch` is free when it is taken.
bool sn__iso_find_cells(IsoCells *c, Vec3d low, Vec3d high, double cell) {
    assert(cell > 0.0 && c->pill_count > 0);
    c->cell = cell;
    c->low = subd(low, (Vec3d){cell, cell, cell});
    c->block_count = c->cell_count = c->list_count = c->edge_count = 0;
    if (!make_room(&c->allocator, &c->scratch, &c->scratch_capacity, c->pill_count))
        return false;
    for (int i = 0; i < c->pill_count; ++i)
        c->scratch[i] = i;
    Vec3d size = subd(high, low);
    int level = top_level(fmax(size.x, fmax(size.y, size.z)) / cell + 2.0);
    Node stack[8 * 32] = {{0, 0, 0, level, 0, c->pill_count}};
    for (int top = 1; top > 0;) {
        Node node = stack[--top];
        int begin = node.list + node.list_count, count = cull(c, &node);
        if (count < 0)
            return false;
        if (count == 0)
            continue;
        if (node.level == 0) {
            if (!add_block(c, &node, begin, count))
                return false;
            continue;
        }
        assert(top + 8 <= (int)(sizeof stack / sizeof stack[0]));
        int half = 1 << (node.level - 1);
        for (int i = 7; i >= 0; --i)
            stack[top++] = (Node){node.x + (i & 1) * half,
                                  node.y + (i >> 1 & 1) * half,
                                  node.z + (i >> 2) * half,
                                  node.level - 1,
                                  begin,
                                  count};
    }
    return true;
}

void sn__iso_free_cells(IsoCells *c) {
    const SnAllocator *a = &c->allocator;
    sn__free(a, c->blocks, (size_t)c->block_capacity * sizeof(IsoBlock));
    sn__free(a, c->cells, (size_t)c->cell_capacity * sizeof(IsoCell));
    sn__free(a, c->lists, (size_t)c->list_capacity * sizeof(int));
    sn__free(a, c->scratch, (size_t)c->scratch_capacity * sizeof(int));
}
