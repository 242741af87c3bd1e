// Meshes of simple bodies: grids of vertices with exact normals.
#pragma once

#include "sinew/solid_model.h"

// Those that are no animals.
SnResult sn__simple_solid_mesh(SnSolidShape shape, float size, int triangles,
                               const SnAllocator *allocator, SnMesh *out_mesh);
