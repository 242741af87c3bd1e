// Regions along a curve.
#pragma once

#include "fit/regions.h"

// Cuts a body, all of whose cells hang together, across from end to end, into at most so many slices of one
// length; where it branches, each branch has its own. What goes on in two ways from an end is a ring, which is
// told and not cut. False: no memory.
bool sn__fit_slice_regions(FitMemory *memory, const FitCells *cells, const FitPieces *pieces,
                           int wanted, FitRegions *out, bool *out_is_ring);
