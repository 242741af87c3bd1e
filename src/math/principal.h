// The principal axes of a symmetric matrix of 3 × 3.
#pragma once

#include "math/vec.h"

// Turns the matrix, which is changed, into its own axes: values along them, and the rotation from them
// to the axes that the matrix was given in.
void sn__principal_axes(double matrix[3][3], double out_values[3], Quatd *out_axes);
