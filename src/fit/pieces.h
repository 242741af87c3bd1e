// A body in small pieces that particles share among themselves: cubes of its inside, or bits of its
// surface.
#pragma once

#include "fit/cells.h"

typedef struct FitPieces {
    int count;
    Vec3d *centres;
    double *weights; // the volume of each, or its area
    double total;    // of all weights
    double inertia;  // of a piece about its own centre: the mean square of a coordinate
    int dimension;   // 3: volumes, 2: areas
    // Those that a piece touches are neighbours[begin[i]] up to neighbours[begin[i + 1]].
    int *begin, *neighbours;
    double *contacts; // per neighbour: the area that they share, or the length
    // What hangs together is a part.
    int part_count;
    int *parts; // per piece
} FitPieces;

// The cubes of an inside; `volume` is what they have together. False: no memory.
bool sn__fit_pieces_of_cells(FitMemory *memory, const FitCells *cells, double volume,
                             FitPieces *out);
// About so many bits of all triangles, or as many as there are triangles. first[i] is the first bit of
// triangle i, first[triangle_count] their number. False: no memory.
bool sn__fit_pieces_of_surface(FitMemory *memory, const FitSurface *surface, int wanted,
                               int **out_first, FitPieces *out);
// The bit at a corner of a triangle.
int sn__fit_corner_piece(const int *first, int triangle, int corner);
