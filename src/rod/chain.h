// The direct pass for rods with seams: closed ones, and long ones that lie in several lanes.
//
// The same equations as rod_axial_wide.c, in the order of the rod rather than of the rows, in
// double precision and one rod at a time.
#pragma once

#include "math/band.h"
#include "rod/pack.h"

// What a segment brings into the equations; see rod_axial_wide.c for the symbols.
typedef struct ChainSegment {
    double w[3];
    double kA, kV, kC, kD, eA, eV, eC, eD;
    double s2, gamma, a, inv_a, b, beta, c, q, r;
} ChainSegment;

struct RodChainWork {
    int capacity; // segments
    ChainSegment *segments;
    BandRow *rows; // two per segment and one more
};

// Room for chains of so many segments in this pack.
bool sn__chain_reserve(const SnAllocator *allocator, RodPack *pack, int segments);
void sn__chain_release(const SnAllocator *allocator, RodPack *pack);

void sn__chains_solve(RodPack *pack, bool fresh);
