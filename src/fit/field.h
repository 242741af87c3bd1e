// Functions over the cells: distances and harmonic fields.
#pragma once

#include "fit/cells.h"

// Lengths of shortest ways through the inside from the cells with `from`, over faces, edges and
// corners of cubes; false: no memory. With `from` NULL, from the one cell `first`.
bool sn__fit_distances(FitMemory *memory, const FitCells *cells, const bool *from, int first,
                       double *out);

// Solves Laplace's equation with free walls: 0 where kinds is FIT_SOURCE, 1 where it is FIT_SINK.
// False: no memory.
#define FIT_FREE 0
#define FIT_SOURCE 1
#define FIT_SINK 2
bool sn__fit_harmonic(FitMemory *memory, const FitCells *cells, const uint8_t *kinds, double *out);
