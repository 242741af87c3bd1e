// Trees made by code: a birch, a weeping willow and a pine, from trunk to leaves, and their skins.
#pragma once

#include "skin.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SN_MIN_TREE_SEGMENTS 30
#define SN_MAX_TREE_SEGMENTS 1000000

typedef enum SnTreeKind {
    SN_TREE_BIRCH,
    SN_TREE_WILLOW,
    SN_TREE_PINE,
} SnTreeKind;

typedef struct SnTreeDef {
    uint32_t cookie; // set by sn_default_tree_def
    SnTreeKind kind;
    int segments; // leaves are segments, too; the tree has exactly so many
    float height; // m, of the wood; SN_DERIVED: what suits so many segments
    uint32_t seed;
} SnTreeDef;

// 29,973 segments for a birch, 38,825 for a willow and 49,548 for a pine. Other numbers make trees
// of the same shape, with branch levels in the same proportions.
SN_API SnTreeDef sn_default_tree_def(SnTreeKind kind);

// Arrays of one allocation; free them with sn_tree_model_destroy. Edge e leads to vertex e + 1 from
// a vertex nearer to the root, which is vertex 0; so every edge comes after the one it grows from.
typedef struct SnTreeModel {
    int vertex_count, edge_count;
    SnVec3 *positions;  // m, root at the origin, y up
    float *radii;       // per vertex, m; that of an edge at its far end
    float *base_radii;  // per edge, m, at its near end: less than the vertex's where it forks off
    int *edges;         // two vertices per edge, the one nearer to the root first
    uint8_t *leaf;      // per edge: 1 for a leaf or a bundle of needles, 0 for wood
    float *leaf_widths; // per edge: half the width of a leaf's blade, m; 0 for wood
    // Per edge: third axis along it, first axis across a leaf's blade. Those of wood turn no more
    // than they must from one edge to the next.
    SnQuat *frames;
    // Two per vertex, for SnRodDef: a branch turns with its own edges, not with what forks off.
    int *bone_segments;
    SnAllocator allocator;
    size_t size;
} SnTreeModel;

// `allocator` may be NULL: malloc.
SN_API SnResult sn_tree_model(const SnTreeDef *def, const SnAllocator *allocator,
                              SnTreeModel *out_model);
// NULL and a model of all zeros are allowed.
SN_API void sn_tree_model_destroy(SnTreeModel *model);

// A mesh around a tree: bark as tubes along the branches, a leaf as two triangles folded along its
// middle, a bundle of needles (a leaf less than a fifth as wide as long) as two thin ones. Bones are
// the vertices of the model; bark follows those of its branch, a leaf its far end, rigidly.
typedef struct SnTreeSkin {
    int vertex_count, triangle_count;
    int bark_vertex_count, bark_triangle_count; // they come first, leaves follow
    SnVec3 *positions, *normals;
    uint32_t *triangles; // three per triangle, anticlockwise from outside or above
    float *uvs;          // two per vertex; bark: once around, metres along; a leaf: 0 to 1
    int *bones;          // SN_SKIN_BONES per vertex
    float *weights;      // SN_SKIN_BONES per vertex, they sum up to 1
    SnAllocator allocator;
    size_t size;
} SnTreeSkin;

// `sides` of the trunk's tube, 3 to 64; thinner branches have fewer.
SN_API SnResult sn_tree_skin(const SnTreeModel *model, int sides, const SnAllocator *allocator,
                             SnTreeSkin *out_skin);
// NULL and a skin of all zeros are allowed.
SN_API void sn_tree_skin_destroy(SnTreeSkin *skin);

#ifdef __cplusplus
}
#endif
