// Linear systems with two diagonals on either side of the main one, in double precision.
#pragma once

// lower2 x₋₂ + lower1 x₋₁ + diag x + upper1 x₊₁ + upper2 x₊₂ = right[0]. The solution replaces
// right[0]; the rest is overwritten.
typedef struct BandRow {
    double lower2, lower1, diag, upper1, upper2;
    double right[3];
} BandRow;

// By elimination without pivoting: for positive definite matrices (not necessarily symmetric).
// Entries that point outside are ignored.
void sn__band_solve(BandRow *rows, int count);

// The same for rows in a ring, the last one before the first. At least six rows.
void sn__band_solve_ring(BandRow *rows, int count);
