// Meshes of bodies made by code, to be filled with particles.
#pragma once

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SnSolidShape {
    SN_SOLID_DINOSAUR, // four legs, a long neck and a long tail, looking along x
    SN_SOLID_RABBIT,   // sitting, ears up, looking along x
    SN_SOLID_FIGURE,   // a person with arms away from the body, looking along z
    SN_SOLID_TORUS,    // around y, its tube 0.4 times as thick as the ring's radius
    SN_SOLID_BAR,      // along x, eight times as long as wide and high
    SN_SOLID_SHEET,    // a square across y, without thickness
    SN_SOLID_COLUMN,   // a cylinder along y, four times as high as wide
    SN_SOLID_SHAPE_COUNT,
} SnSolidShape;

// "dinosaur", "rabbit", "figure", "torus", "bar", "sheet", "column".
SN_API const char *sn_solid_shape_name(SnSolidShape shape);

// A mesh of about so many triangles, 200 to 1 million (those with limbs: 2,000 or more), closed but for the
// sheet. The middle of the box around it is at the origin, the longest side of that box is `size`, m,
// within [1e-3, 1000]. `allocator` may be NULL: malloc. Free it with sn_mesh_destroy.
SN_API SnResult sn_solid_mesh(SnSolidShape shape, float size, int triangles,
                              const SnAllocator *allocator, SnMesh *out_mesh);

#ifdef __cplusplus
}
#endif
