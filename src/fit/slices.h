// Slices: level sets of the field, as points with areas, and how their parts hang together.
#pragma once

#include "fit/ends.h"

typedef struct FitSlices {
    int count;
    double length;  // of the inside, from source to sink
    double *levels; // values of the field
    double *ways;   // how far along the length, 0 to 1
    // Points on the slices, those of slice j from begin[j] to begin[j + 1].
    int *begin;
    Vec3d *points;
    double *areas;
    int *part_of; // per point, the part of its slice, counted over all slices
    // Parts: pieces of a slice that do not hang together, as those of the heads of a muscle.
    int *part_begin; // per slice
    int part_count;
    double *part_areas;
    // What lies between two slices and hangs together has a number. A part is linked to one of the next
    // slice if above[it] = below[that].
    int *above, *below;
    int *part_rods; // how many rods go through each part
} FitSlices;

// `field` is 0 in the sources and 1 in the sinks. Rods are shared among parts by area. `places` are those
// of the slices on the way from the first (0) to the last (1); NULL: even.
SnResult sn__fit_slice(FitMemory *memory, const FitCells *cells, const FitEnds *ends,
                       const double *field, int rods, int slices, const double *places,
                       FitSlices *out);

// Chooses levels and ways; false: no memory.
bool sn__fit_choose_levels(FitMemory *memory, const FitCells *cells, const FitEnds *ends,
                           const double *field, int rods, const double *places, FitSlices *slices);

// places.c: finds the places at which slices are best. False: no memory.
bool sn__fit_find_places(FitMemory *memory, const FitCells *cells, const FitEnds *ends,
                         const double *field, int rods, int slices, double *out_places);
// Sends each of the rods through the parts from the first slice to the last; false: no memory.
bool sn__fit_share_rods(FitMemory *memory, FitSlices *slices, int rods);

Vec3d sn__fit_gradient(const FitCells *cells, const double *field, int cell);
