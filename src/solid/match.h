// The rotation that fits best.
#pragma once

#include "solid/matrix.h"

// Of all rotations R, the one with the largest tr(Rᵀ A); if there are several, the one nearest to the guess.
// It is a rotation even where A is a reflection or singular, and the guess where A is 0.
Quatd sn__match_rotation(const Mat3 *A, Quatd guess);
