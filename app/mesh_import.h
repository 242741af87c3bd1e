// Meshes from files of any kind: glTF by our own reader, OBJ, STL, PLY and the rest by Assimp.
#pragma once

#include <sinew/model.h>

// Picks by the file's extension. Free the mesh with sn_mesh_destroy.
SnResult mesh_import(const char *path, SnMesh *out_mesh);
