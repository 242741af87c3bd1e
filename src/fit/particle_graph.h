// Which particles hold on to each other, and which of them a mesh follows.
#pragma once

#include "fit/regions.h"

typedef struct FitGraph {
    int edge_count;
    int (*edges)[2]; // the lower number first, in order
    double *areas;   // per edge: of the face between the two regions, across the edge; 0 of bridges
    int bridges;     // edges between parts that do not touch
    // But for bridges, the other ends of the edges of particle i are others[begin[i]] up to others[begin[i + 1]].
    int *begin, *others;
} FitGraph;

// Joins regions that touch over enough of their size to matter, and as few others as it takes for all to
// hang together: those that touch most, and for parts that do not touch the two nearest particles. False: no
// memory.
bool sn__fit_make_graph(FitMemory *memory, const FitPieces *pieces, const FitRegions *regions,
                        FitGraph *out);

// The other ends of the edges of so many particles; false: no memory.
bool sn__fit_list_others(FitMemory *memory, int count, FitGraph *graph);

// Whom a vertex follows: the SN_SKIN_BONES nearest of the particle whose region it is at, its neighbours and
// theirs, with weights (1 − d / d')², d' being the distance of the next one (Sumner et al. 2007, equation
// 4). Others are not asked, however near: they are across a gap. `homes` has the region of every vertex, −1
// where none is known. False: no memory.
bool sn__fit_skin_particles(FitMemory *memory, const FitRegions *regions, const FitGraph *graph,
                            const Vec3d *vertices, const int *homes, int count, int *out_bones,
                            float *out_weights);
