// Meshes from files: OBJ, STL, PLY, OFF and glTF. Part of sinew::io.
#pragma once

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

// All triangles of a file as one mesh; the ending of its name tells the format (.obj, .stl, .ply, .off,
// .glb, .gltf, in any case). Vertices in one place become one, and normals are smooth. Faces of more than
// three corners are cut into a fan, which is right for convex ones. Lines and points are left out. Units are
// those of the file. `allocator` may be NULL: malloc. Free the mesh with sn_mesh_destroy.
//
// SN_ERROR_FILE for a file that cannot be read, SN_ERROR_FORMAT, with the line where there are lines, for one
// that is malformed, has no triangles or numbers beyond SN_MAX_POSITION; SN_ERROR_LIMIT for one that is too
// large. Nothing is left behind then.
SN_API SnResult sn_mesh_read(const char *path, const SnAllocator *allocator, SnMesh *out_mesh);
// Whether it knows the ending of this name.
SN_API bool sn_mesh_file_is_known(const char *path);

#ifdef __cplusplus
}
#endif
