// Which vertices of rods are joints: all of them, but for large trees and rigid bodies.
#include "io/gltf_data.h"

#include <stdlib.h>

// A rod as trees, one per piece that hangs together, each of which grows from its first vertex. A walk
// meets the vertices in this order, and the root of a piece before the rest of it.
typedef struct Walk {
    int *begin, *neighbours; // of each vertex
    int *order, *parent;     // a root is its own parent
    int *size;               // vertices behind it, itself included
    int root_count;
} Walk;

static bool is_root(const Walk *walk, int vertex) { return walk->parent[vertex] == vertex; }

static bool walk_create(const GltfRod *rod, Walk *walk) {
    size_t n = (size_t)rod->vertex_count;
    walk->begin = calloc(n + 2, sizeof(int));
    walk->neighbours = calloc(2 * (size_t)rod->segment_count + 1, sizeof(int));
    walk->order = calloc(n, sizeof(int));
    walk->parent = calloc(n, sizeof(int));
    walk->size = calloc(n, sizeof(int));
    return walk->begin && walk->neighbours && walk->order && walk->parent && walk->size;
}

static void walk_destroy(Walk *walk) {
    free(walk->begin);
    free(walk->neighbours);
    free(walk->order);
    free(walk->parent);
    free(walk->size);
}

static void list_neighbours(const GltfRod *rod, Walk *walk) {
    int *next = walk->begin + 1; // of each vertex; its begin once all are there
    for (int e = 0; e < 2 * rod->segment_count; ++e)
        ++next[rod->edges[e] + 1];
    for (int i = 0; i < rod->vertex_count; ++i)
        next[i + 1] += next[i];
    for (int e = 0; e < 2 * rod->segment_count; ++e)
        walk->neighbours[next[rod->edges[e]]++] = rod->edges[e ^ 1];
}

// Breadth first through the piece of one vertex. `count` vertices were met before, and so many are now.
static int walk_piece(Walk *walk, int root, int count) {
    int next = count;
    walk->parent[root] = root;
    walk->order[count++] = root;
    for (; next < count; ++next) {
        int v = walk->order[next];
        for (int i = walk->begin[v]; i < walk->begin[v + 1]; ++i) {
            int w = walk->neighbours[i];
            if (walk->parent[w] < 0) {
                walk->parent[w] = v;
                walk->order[count++] = w;
            }
        }
    }
    return count;
}

static void walk_all(const GltfRod *rod, Walk *walk) {
    int count = 0;
    list_neighbours(rod, walk);
    for (int i = 0; i < rod->vertex_count; ++i)
        walk->parent[i] = -1;
    for (int i = 0; i < rod->vertex_count; ++i)
        if (walk->parent[i] < 0) {
            count = walk_piece(walk, i, count);
            ++walk->root_count;
        }
    for (int k = count - 1; k >= 0; --k) {
        int v = walk->order[k];
        ++walk->size[v];
        if (!is_root(walk, v))
            walk->size[walk->parent[v]] += walk->size[v];
    }
}

// The least size such that no more vertices than there may be joints have it, roots included, which
// are joints whatever their size.
static int least_size(const GltfRod *rod, const Walk *walk, int *counts) {
    for (int i = 0; i < rod->vertex_count; ++i)
        if (!is_root(walk, i))
            ++counts[walk->size[i]];
    int joints = walk->root_count, size = rod->vertex_count;
    while (size > 1 && joints + counts[size] <= SN_MAX_GLTF_TREE_JOINTS)
        joints += counts[size--];
    return size + 1;
}

static bool thin_out(SnGltf *gltf, GltfRod *rod, const Walk *walk) {
    size_t n = (size_t)rod->vertex_count;
    int *counts = calloc(n + 1, sizeof *counts);
    int most =
        walk->root_count > SN_MAX_GLTF_TREE_JOINTS ? walk->root_count : SN_MAX_GLTF_TREE_JOINTS;
    int *vertices = sn__arena_alloc(&gltf->arena, (size_t)most, sizeof *vertices);
    int *joint_of = sn__arena_alloc(&gltf->arena, n, sizeof *joint_of);
    if (counts == NULL || vertices == NULL || joint_of == NULL) {
        free(counts);
        return false;
    }
    int least = least_size(rod, walk, counts);
    rod->joint_count = 0;
    for (int k = 0; k < rod->vertex_count; ++k) {
        int v = walk->order[k];
        if (is_root(walk, v) || walk->size[v] >= least) {
            vertices[rod->joint_count] = v;
            joint_of[v] = rod->joint_count++;
        } else {
            joint_of[v] = joint_of[walk->parent[v]];
        }
    }
    rod->joint_vertices = vertices;
    rod->joint_of = joint_of;
    free(counts);
    return true;
}

// All points of a rigid body follow the first, and so do those of one that is not shown.
static bool take_first(SnGltf *gltf, GltfRod *rod) {
    rod->joint_of = sn__arena_alloc(&gltf->arena, (size_t)rod->vertex_count, sizeof(int));
    rod->joint_vertices = rod->joint_of;
    rod->joint_count = 1;
    return rod->joint_of != NULL;
}

bool sn__gltf_choose_joints(SnGltf *gltf) {
    bool good = true;
    for (int r = 0; r < gltf->rod_count && good; ++r) {
        GltfRod *rod = &gltf->rods[r];
        rod->first_joint = gltf->joint_count;
        rod->joint_count = rod->vertex_count;
        if (rod->rigid || rod->hidden)
            good = take_first(gltf, rod);
        else if (rod->skinned && rod->edges && rod->vertex_count > SN_MAX_GLTF_TREE_JOINTS) {
            Walk walk = {0};
            good = walk_create(rod, &walk);
            if (good) {
                walk_all(rod, &walk);
                good = thin_out(gltf, rod, &walk);
            }
            walk_destroy(&walk);
        }
        gltf->joint_count += rod->joint_count;
    }
    return good;
}
