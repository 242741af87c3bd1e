// Meshes from files of any kind: glTF by our own reader, OBJ, STL, PLY and the rest by Assimp.
#pragma once

#include "io/painted_mesh.h"

// All of a file as one mesh. Picks by the file's extension. Free the mesh with sn_mesh_destroy.
SnResult mesh_import(const char *path, SnMesh *out_mesh);

// The meshes of a glTF file one by one, all of any other file as one, with what is painted on them.
// Free them with sn__painted_meshes_destroy.
SnResult meshes_import(const char *path, PaintedMeshes *out_meshes);

// Whether the name of a file ends as those of meshes do.
bool mesh_import_knows(const char *path);
