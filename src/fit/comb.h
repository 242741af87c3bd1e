// Points of rods on slices: evenly spread within each slice, joined by short rods from one to the next.
#pragma once

#include "fit/slices.h"

// The columns that the rows of a square matrix of costs are given, one each, so that the sum is
// smallest (the Hungarian method, in O(count³)). False: no memory.
bool sn__fit_match(FitMemory *memory, const double *costs, int count, int *out_columns);

// Point j of rod k is number k · slices + j; parts are those of the slices that the points are in.
// False: no memory.
bool sn__fit_comb(FitMemory *memory, const FitSlices *slices, int rods, Vec3d *out_points,
                  int *out_parts);
// Gives points that have moved to other rods where that makes rods shorter. False: no memory.
bool sn__fit_comb_again(FitMemory *memory, const FitSlices *slices, int rods, Vec3d *points,
                        int *parts, bool *out_changed);
