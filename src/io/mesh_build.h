// A mesh as it is read from a file: vertices and faces one after the other.
#pragma once

#include "io/painted_mesh.h"

#include <sinew/skeleton.h>

typedef struct MeshBuild {
    const char *path; // for messages
    SnVec3 *positions;
    float (*colours)[3]; // per vertex
    int vertex_count, position_capacity, colour_capacity;
    bool coloured; // some vertex has a colour
    uint32_t *corners;
    int corner_count, corner_capacity;
    int *materials; // per triangle
    int material_capacity;
    char (*names)[PAINTED_NAME]; // of materials
    int name_count, name_capacity;
    SnResult result; // the first thing that went wrong
} MeshBuild;

static inline bool sn__build_is_good(const MeshBuild *build) { return build->result.code == SN_OK; }
// Line 0: of the file as a whole.
void sn__build_fail(MeshBuild *build, int line, const char *what);

void sn__build_vertex(MeshBuild *build, const double position[3], const float *colour, int line);
// A face of these corners as a fan, painted with this material.
void sn__build_face(MeshBuild *build, const int64_t *corners, int count, int material, int line);
// The number of a material of this name; a new one if there is none yet.
int sn__build_material(MeshBuild *build, const char *name, size_t length);
// The mesh, with vertices in one place made one. Releases what was built.
SnResult sn__build_end(MeshBuild *build, const SnAllocator *allocator, PaintedMesh *out);

// Text, token by token. Numbers are read as C does, in every locale.
typedef struct MeshText {
    const char *at, *end;
    int line; // from 1
} MeshText;

bool sn__text_word(MeshText *text, const char **out_word,
                   size_t *out_length);                  // false: none left here
bool sn__text_number(MeshText *text, double *out_value); // of this line
bool sn__text_integer(MeshText *text, int64_t *out_value);
// The rest of the line is left out; false at the end.
bool sn__text_next_line(MeshText *text);
// Is the word this one?
bool sn__text_is(const char *word, size_t length, const char *expected);

// One file each. The bytes end with a 0.
void sn__mesh_read_obj(MeshBuild *build, const char *bytes, size_t size);
void sn__mesh_read_stl(MeshBuild *build, const char *bytes, size_t size);
void sn__mesh_read_ply(MeshBuild *build, const char *bytes, size_t size);
void sn__mesh_read_off(MeshBuild *build, const char *bytes, size_t size);

// Any of them, or all of a glTF file as one mesh per node; see sn_mesh_read.
// All of it as one mesh, as sn_mesh_read; of a glTF file that has images, the skeleton with what is painted on its
// meshes as well, else NULL. mesh_file.c
SnResult sn__mesh_read_with_paint(const char *path, SnMesh *out_mesh, SnSkeleton **out_paint);
SnResult sn__painted_meshes_read(const char *path, PaintedMeshes *out_meshes);
