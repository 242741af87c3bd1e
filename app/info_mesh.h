// What sinew info says of triangles.
#pragma once

// A mesh file: triangles, shells, bounds. Returns an exit status.
int mesh_info(const char *path);
// The same lines of a file that has more to tell; nothing if it has no triangles.
void print_mesh_of(const char *path);
