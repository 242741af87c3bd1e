// Pegs: cylinders with rounded edges, and balls.
#pragma once

#include "view/box.h"
#include "view/triangles.h"

// What cannot be drawn is left out. The box grows by it.
SnResult view_peg_add(ViewTriangles *triangles, const ViewPeg *peg, ViewDetail detail,
                      ViewBox *box);
