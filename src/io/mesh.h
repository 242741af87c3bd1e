// Meshes from files.
#pragma once

#include <sinew/model.h>

#define MESH_LIMIT (1 << 27) // vertices, and triangles

// Zeroed arrays in one block, as sn_mesh_destroy wants it. `allocator` may be NULL: malloc. False:
// no memory.
bool sn__mesh_create(const SnAllocator *allocator, int vertices, int triangles, SnMesh *out_mesh);
// Makes vertices in one place one vertex. False: no memory.
bool sn__mesh_weld(SnMesh *mesh);
// Smooth normals from the triangles; vertices in one place count as one.
bool sn__mesh_make_normals(SnMesh *mesh);
