#include "io/painted_mesh.h"

#include <stdio.h>
#include <stdlib.h>

bool sn__painted_mesh_make_room(PaintedMesh *out, int materials, bool colours) {
    size_t triangles = (size_t)out->mesh.triangle_count;
    out->materials = calloc(triangles + 1, sizeof *out->materials);
    out->material_names = calloc((size_t)materials + 1, sizeof *out->material_names);
    out->colours = colours ? calloc(3 * triangles + 1, sizeof *out->colours) : NULL;
    return out->materials && out->material_names && (out->colours || !colours);
}

void sn__painted_mesh_destroy(PaintedMesh *mesh) {
    sn_mesh_destroy(&mesh->mesh);
    free(mesh->colours);
    free(mesh->materials);
    free(mesh->material_names);
    *mesh = (PaintedMesh){0};
}

void sn__painted_meshes_destroy(PaintedMeshes *meshes) {
    for (int i = 0; i < meshes->count; ++i)
        sn__painted_mesh_destroy(&meshes->meshes[i]);
    free(meshes->meshes);
    *meshes = (PaintedMeshes){0};
}

void sn__painted_name(char out[PAINTED_NAME], const char *name) {
    snprintf(out, PAINTED_NAME, "%s", name);
}
