// Pegs: cylinders with rounded edges, and balls.
#pragma once

#include "view/box.h"
#include "view/triangles.h"

// What cannot be drawn is left out. The box grows by it.
SnResult snv__peg_add(SnvTriangles *triangles, const SnvPeg *peg, SnvDetail detail, SnvBox *box);
