// Skins that split where the solid that they follow breaks.
//
// At creation, the mesh is cut along the cells of the particles (voronoi.h): every vertex belongs to one
// cell, and those at one place follow the same bones as long as nothing breaks, so that no cut is seen. What
// is inside of the mesh of the plane between two cells is their cap, once for each of them, of no size while
// they hold together. What breaks later only changes which of its bones a vertex follows.
#pragma once

#include "sinew/skin.h"
#include "skin/kernels.h"
#include "skin/surface.h"

#define SPLIT_MEETS 4 // so many cells meet at a point at most

// Two cells that touch, the first of the lower number.
typedef struct SplitPair {
    int cells[2];
    int edge; // of the graph, or −1
    int hops; // from one to the other along edges while nothing is broken; −1: there is no way
} SplitPair;

typedef struct SplitVertex {
    SnVec3 position, normal;
    int bones[SN_SKIN_BONES];
    float weights[SN_SKIN_BONES];
    int cell;
    int meets[SPLIT_MEETS];   // the cells that meet there; −1 behind the last
    int pair;                 // whose cap it is on, or −1
    int first;                // vertex of that cap on this side
    unsigned free;            // bones that hang on nothing there, which it keeps: a bit for each
    int leads[SN_SKIN_BONES]; // of its bones; −1: its own cell, or none
} SplitVertex;

typedef struct SkinSplit {
    SnAllocator allocator;
    int cell_count, edge_count;
    int (*edges)[2];
    int *begin, *edges_of; // edges of a particle are edges_of[begin[i]] and so on
    int pair_count;
    SplitPair *pairs;
    int *pair_begin; // of the lower cell
    // Bones that vertices of a cell follow beside its own: the cell, and the bone.
    int lead_count, lead_capacity;
    int (*leads)[2];
    // The mesh: first the surface, then the caps.
    int vertex_count, triangle_count, surface_vertices, surface_triangles;
    int vertex_capacity, triangle_capacity;
    SplitVertex *vertices;
    uint32_t (*triangles)[3];
} SkinSplit;

// A mesh, as it is bound to the particles of one solid.
typedef struct SplitMesh {
    const SkinSurface *surface;
    int vertex_count, triangle_count;
    const SnVec3 *positions, *normals;
    const uint32_t *triangles;
    const int *bones;
    const float *weights;
    int particle_count, edge_count;
    const SnVec3 *particles;
    const int (*edges)[2];
} SplitMesh;

// NULL: no memory. A mesh that is not closed gets no caps.
SkinSplit *sn__skin_split_create(const SnAllocator *allocator, const SplitMesh *mesh);
void sn__skin_split_destroy(SkinSplit *split);

// What is known of a split skin for one state of its body.
typedef struct SplitState {
    bool *broken; // edges
    bool *open;   // pairs
    bool *apart;  // leads: some vertex of the cell has lost the bone
    int *queue, *hops;
} SplitState;

bool sn__split_state_create(const SkinSplit *split, SplitState *out);
void sn__split_state_destroy(const SkinSplit *split, SplitState *state);
// How every vertex follows its bones when the edges are broken that the state says. `whole` is how it does when
// none is.
void sn__skin_split_apply(const SkinSplit *split, SplitState *state, const SkinPoint *whole,
                          SkinPoint *out);
