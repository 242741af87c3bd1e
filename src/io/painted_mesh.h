// Meshes of a file with what is painted on them: colours of vertices, and materials.
#pragma once

#include <sinew/model.h>

#define PAINTED_NAME 64

typedef struct PaintedMesh {
    char name[PAINTED_NAME]; // of the node that shows it; empty in files without nodes
    SnMesh mesh;
    float (*colours)[3]; // per corner of a triangle, 0 to 1 as the file has them; NULL: none
    int *materials;      // per triangle, in `material_names`
    int material_count;
    char (*material_names)[PAINTED_NAME];
} PaintedMesh;

typedef struct PaintedMeshes {
    int count;
    PaintedMesh *meshes;
} PaintedMeshes;

// Room for what is painted on out->mesh; false: no memory. Destroy it in any case.
bool sn__painted_mesh_make_room(PaintedMesh *out, int materials, bool colours);
void sn__painted_mesh_destroy(PaintedMesh *mesh);
void sn__painted_meshes_destroy(PaintedMeshes *meshes);

// Copies as much of a name as there is room for.
void sn__painted_name(char out[PAINTED_NAME], const char *name);

// gltf_meshes.c: one mesh for every node of a .glb or .gltf file that shows triangles, named after the
// node or, if that has no name, after its mesh, where the file's rest pose has it.
SnResult sn__meshes_read_gltf(const char *path, PaintedMeshes *out_meshes);
