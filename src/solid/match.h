// The rotation that fits best.
#pragma once

#include "solid/matrix.h"

// Of all rotations R, the one with the largest tr(Rᵀ A), from a guess: as match_lanes.h, in double
// precision. It is a rotation even where A is a reflection or singular, and the guess where A is 0.
Quatd sn__match_rotation(const Mat3 *A, Quatd guess);
