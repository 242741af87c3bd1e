// Rods through slices at given places, and the best fit of them to the mesh.
#pragma once

#include "fit/comb.h"
#include "fit/pills.h"

// Point j of rod k is node k · slice_count + j.
typedef struct FitRods {
    int rod_count, slice_count;
    FitSlices slices;
    FitPills pills;
    int *parts;    // of the slices, per node
    Vec3d *combed; // the points of all nodes before the fit
} FitRods;

// What rods are made from.
typedef struct FitGround {
    const FitCells *cells;
    const FitEnds *ends;
    const double *field;
} FitGround;

// Slices at `places`, from 0 to 1, and rods combed through them, with the radii
// that circles of their areas have.
SnResult sn__fit_lay_rods(FitMemory *memory, const FitGround *ground, int rods, int slices,
                          const double *places, FitRods *out);

// Fits rods to samples, with one radius per slice or, if `own`, with one per node. `rules` has a scale
// and what is to be told. False: no memory.
bool sn__fit_fit_rods(FitMemory *memory, FitRods *rods, const FitSamples *samples, bool own,
                      const FitRules *rules);

// Moves the points of rods that were fitted while their radii stay. False: no memory.
bool sn__fit_settle_rods(FitMemory *memory, FitRods *rods, const FitSamples *samples,
                         const FitRules *rules);
