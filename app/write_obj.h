// A mesh as an OBJ file.
#pragma once

#include <sinew/world.h>

typedef struct ObjMesh {
    int vertex_count, triangle_count;
    const SnVec3 *positions;
    const uint32_t *triangles;
    // Where a vertex goes, for example to metres.
    SnVec3 (*place)(const void *context, SnVec3 x);
    const void *context;
} ObjMesh;

SnResult write_obj(const ObjMesh *mesh, const char *path);
