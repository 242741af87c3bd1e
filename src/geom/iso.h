// The two halves of sn_iso_mesh: finding the cells that the surface goes through, and making a mesh
// of them.
#pragma once

#include "base/memory.h"
#include "geom/blend.h"

#define ISO_MAX_CELLS (1 << 20) // along an axis

// A cube of eight cells a side, with the pills that matter near it.
typedef struct IsoBlock {
    int x, y, z; // of its first cell
    int list, list_count;
} IsoBlock;

// A cell that the surface goes through. Corner i is at x + (i & 1), y + (i >> 1 & 1), z + (i >> 2).
typedef struct IsoCell {
    int x, y, z;
    int block;
    int vertex;       // the first of its vertices
    uint8_t inside;   // a bit per corner
    uint8_t flips;    // a bit per face, see iso_mesh.c
    float corners[8]; // values
} IsoCell;

typedef struct IsoCells {
    SnAllocator allocator;
    Blend blend;
    int pill_count;
    double grow;
    Vec3d low; // of cell 0, 0, 0
    double cell;
    IsoBlock *blocks;
    int block_count, block_capacity;
    IsoCell *cells;
    int cell_count, cell_capacity;
    int *lists; // of blocks
    int list_count, list_capacity;
    int *scratch; // lists of the blocks on the way down
    int scratch_capacity;
    int edge_count; // of the grid, that the surface crosses: quads of the mesh
} IsoCells;

// Between `low` and `high` all of the surface lies. False: no memory.
bool sn__iso_find_cells(IsoCells *cells, Vec3d low, Vec3d high, double cell);
void sn__iso_free_cells(IsoCells *cells);

// Vertices on the surface and four of them per quad, anticlockwise from outside.
typedef struct IsoQuads {
    SnAllocator allocator;
    Vec3d *positions, *normals;
    int *blocks; // of the vertices
    int vertex_count, vertex_capacity;
    int (*quads)[4];
    int quad_count, quad_capacity;
} IsoQuads;

bool sn__iso_make_quads(IsoCells *cells, IsoQuads *out); // false: no memory
bool sn__iso_relax(const IsoCells *cells, IsoQuads *quads);
// Rounds of smoothing, and the normals that the surface has then. False: no memory. The first tells
// how many it takes to blur the surface over a width.
double sn__iso_rounds(const IsoQuads *quads, double width);
bool sn__iso_smooth(IsoQuads *quads, int rounds);
void sn__iso_free_quads(IsoQuads *quads);
