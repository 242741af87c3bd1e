// Marks that explain: the frames of segments, and contacts. They are seen through everything.
#pragma once

#include "view/triangles.h"

// `mean_radius` is that of the rods, and sets the size of contacts.
SnResult snv__marks_add(SnvTriangles *triangles, const SnvScene *scene, float mean_radius,
                        SnvDetail detail);
