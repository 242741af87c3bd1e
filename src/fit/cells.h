// The inside of a surface as cubes: numbered, with the neighbours of each.
#pragma once

#include "fit/surface.h"

typedef struct FitCells {
    Vec3d low;   // the centre of cube 0, 0, 0
    double side; // of a cube, in the mesh's unit
    int size[3]; // of the grid
    int *number; // per cube of the grid: its cell, −1: outside
    int count;
    Vec3d *centres;
    int (*neighbours)[6]; // −x, +x, −y, +y, −z, +z; −1: outside
    double lost;          // volume that hangs together with the rest by less than a face of a cube,
                          // relative to all
} FitCells;

// The largest part that hangs together.
SnResult sn__fit_fill(FitMemory *memory, const FitSurface *surface, FitCells *out);

// All parts, in about so many cubes, at least 1,000. Cubes on both sides of a gap that is thinner than a cube
// are no neighbours.
SnResult sn__fit_fill_all(FitMemory *memory, const FitSurface *surface, int wanted, FitCells *out);

// Places on the grid: its cubes, and that of a cell.
bool sn__fit_is_on_grid(const FitCells *cells, const int at[3]);
size_t sn__fit_cube(const FitCells *cells, const int at[3]);
void sn__fit_cell_place(const FitCells *cells, int cell, int out_at[3]);

// The cell nearest to x, which may be outside; the second one only if it is a few cubes away, else −1.
int sn__fit_nearest_cell(const FitCells *cells, Vec3d x);
int sn__fit_near_cell(const FitCells *cells, Vec3d x);
