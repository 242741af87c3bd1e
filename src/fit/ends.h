// Sources and sinks: where a muscle starts and ends.
#pragma once

#include <sinew/fit.h>

#include "fit/field.h"

typedef struct FitEnds {
    uint8_t *kinds;     // per cell: FIT_FREE, FIT_SOURCE or FIT_SINK
    int sources, sinks; // tips that were found in the shape; 0: given
    int moved;          // spheres that hold no part of the mesh: the nearest cell was taken
    double gap;         // the largest distance of a bone that is given
} FitEnds;

// `positions` are those of the mesh as it was given, `centre` what its cells are relative to.
SnResult sn__fit_find_ends(FitMemory *memory, const FitCells *cells, const SnViperizeDef *def,
                           Vec3d centre, FitEnds *out);

// Tips of a shape: cells at the ends of what sticks out. At least two, of which the first two are the
// ends of the longest way through the inside. Where that has a sharp corner, as between two heads that
// meet in one tendon, the corner is a tip, too.
#define FIT_MAX_TIPS 16
typedef struct FitTips {
    int count, cells[FIT_MAX_TIPS];
    int corner;                       // which of them is such a corner, −1: none
    double length;                    // of the longest way
    double *from_first, *from_second; // distances
} FitTips;

bool sn__fit_find_tips(FitMemory *memory, const FitCells *cells, FitTips *out); // false: no memory

// ends.c: both ends from the shape alone; false: no memory.
bool sn__fit_ends_of_shape(FitMemory *memory, const FitCells *cells, FitEnds *ends);
// Marks a tip and the end face that it is a part of: cells that hang together with it and look away from
// the other end, from which distances are. `length` is the largest of these. False: no memory.
bool sn__fit_mark_face(FitMemory *memory, const FitCells *cells, const double *distances, int tip,
                       double length, uint8_t kind, uint8_t *kinds);
