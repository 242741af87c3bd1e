// Regions: which pieces of a body each particle stands for.
#pragma once

#include "fit/pieces.h"
#include "fit/report.h"

typedef struct FitRegions {
    int count;
    int *owner;      // per piece; −1: it is in a part that has no region
    Vec3d *centres;  // of mass
    double *weights; // volume or area; together they are those of all pieces
    int *seeds;      // the piece of each that is nearest to its centre
    int left_out;    // parts that are too small for a region, or too many
} FitRegions;

// A centroidal Voronoi tessellation of at most so many regions, by Lloyd's method: every piece belongs to
// the region with the nearest centre that it can be reached from without leaving that region. Regions hang
// together. It starts from halves of halves, cut across their longest axes, and is the same every time.
// False: no memory.
bool sn__fit_make_regions(FitMemory *memory, const FitPieces *pieces, int wanted, FitTold *told,
                          double from, double to, FitRegions *out);

// Room for so many regions, none of which owns anything. False: no memory.
bool sn__fit_create_regions(FitMemory *memory, const FitPieces *pieces, int count, FitRegions *out);
// Centres, weights and seeds of regions whose owners are known.
void sn__fit_weigh_regions(const FitPieces *pieces, FitRegions *regions);

// Two regions that touch, and how much.
typedef struct FitContact {
    int a, b; // a < b
    double size;
    Vec3d face; // from a to b: the sum of what pieces share, each along its normal
} FitContact;

// All of them, in order; NULL: no memory.
FitContact *sn__fit_region_contacts(FitMemory *memory, const FitPieces *pieces,
                                    const FitRegions *regions, int *out_count);
