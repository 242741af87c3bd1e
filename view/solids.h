// Planes, pills and boxes that rods touch.
#pragma once

#include "view/box.h"
#include "view/triangles.h"

// All but planes, which have no end. What cannot be drawn is left out. The box grows by the rest.
SnResult view_solid_add(ViewTriangles *triangles, const ViewSolid *solid, ViewDetail detail,
                        ViewBox *box);
// A part of the plane that is large beside the box, seen from above only: who is below it wants to
// see what is on it. The box grows by where the shadow of what is in
// it falls on the plane, `light` being the direction the light comes from.
SnResult view_plane_add(ViewTriangles *triangles, const ViewSolid *solid, SnVec3 light,
                        ViewBox *box);
// The distance between lines of a grid on a plane beside things of this size: 1, 2 or 5 times a
// power of ten.
float view_grid_spacing(float size);
