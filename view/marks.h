// Marks that explain: the frames of segments, and contacts. They are seen through everything.
#pragma once

#include "view/triangles.h"

// `mean_radius` is that of the rods, and sets the size of contacts.
SnResult view_marks_add(ViewTriangles *triangles, const ViewScene *scene, float mean_radius,
                        ViewDetail detail);
