#include "sinew/mesh_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/null.h"
#include "io/file.h"
#include "io/gltf_skeleton.h"
#include "io/mesh_build.h"
#include "sinew/gltf.h"

#define FILE_LIMIT ((size_t)2 << 30)

typedef void Read(MeshBuild *build, const char *bytes, size_t size);

static const struct {
    const char *ending;
    Read *read; // NULL: glTF
} formats[] = {{"obj", sn__mesh_read_obj},
               {"stl", sn__mesh_read_stl},
               {"ply", sn__mesh_read_ply},
               {"off", sn__mesh_read_off},
               {"glb", NULL},
               {"gltf", NULL}};
#define FORMAT_COUNT ((int)(sizeof formats / sizeof formats[0]))

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

// −1: none that is known.
static int format_of(const char *path) {
    const char *dot = strrchr(path, '.');
    for (int k = 0; dot && k < FORMAT_COUNT; ++k) {
        const char *a = dot + 1, *b = formats[k].ending;
        while (*a && *b && lower(*a) == *b) {
            ++a;
            ++b;
        }
        if (*a == '\0' && *b == '\0')
            return k;
    }
    return -1;
}

bool sn_mesh_file_is_known(const char *path) { return GIVEN(path) && format_of(path) >= 0; }

static SnResult unknown(const char *path) {
    return sn_error(SN_ERROR_FORMAT,
                    "%s: its name does not end as those of meshes that can be read: "
                    ".obj, .stl, .ply, .off, .glb, .gltf",
                    path);
}

// All but glTF.
static SnResult read_painted(const char *path, Read *read, const SnAllocator *allocator,
                             PaintedMesh *out) {
    *out = (PaintedMesh){0};
    char *bytes;
    size_t size;
    SnResult result = sn__file_read_regular(path, FILE_LIMIT, &bytes, &size);
    if (result.code != SN_OK)
        return result;
    MeshBuild build = {.path = path};
    read(&build, bytes, size);
    free(bytes);
    return sn__build_end(&build, allocator, out);
}

SnResult sn_mesh_read(const char *path, const SnAllocator *allocator, SnMesh *out_mesh) {
    if (path == NULL || out_mesh == NULL)
        return sn__null(path ? "mesh: out_mesh" : "mesh: path");
    *out_mesh = (SnMesh){0};
    int format = format_of(path);
    if (format < 0)
        return unknown(path);
    if (formats[format].read == NULL)
        return sn_mesh_read_gltf(path, allocator, out_mesh);
    PaintedMesh painted;
    SnResult result = read_painted(path, formats[format].read, allocator, &painted);
    *out_mesh = painted.mesh;
    painted.mesh = (SnMesh){0};
    sn__painted_mesh_destroy(&painted);
    return result;
}

SnResult sn__mesh_read_with_paint(const char *path, SnMesh *out_mesh, SnSkeleton **out_paint) {
    int format = format_of(path);
    *out_paint = NULL;
    if (format < 0 || formats[format].read != NULL)
        return sn_mesh_read(path, NULL, out_mesh);
    SnResult result = sn__gltf_read_mesh(path, NULL, out_mesh, out_paint);
    if (result.code == SN_OK && sn_skeleton_image_count(*out_paint) == 0) {
        sn_skeleton_destroy(*out_paint);
        *out_paint = NULL;
    }
    return result;
}

SnResult sn__painted_meshes_read(const char *path, PaintedMeshes *out_meshes) {
    *out_meshes = (PaintedMeshes){0};
    int format = format_of(path);
    if (format < 0)
        return unknown(path);
    if (formats[format].read == NULL)
        return sn__meshes_read_gltf(path, out_meshes);
    out_meshes->meshes = calloc(1, sizeof *out_meshes->meshes);
    if (out_meshes->meshes == NULL)
        return sn_error(SN_ERROR_MEMORY, "%s: no memory for its mesh", path);
    out_meshes->count = 1;
    SnResult result = read_painted(path, formats[format].read, NULL, &out_meshes->meshes[0]);
    if (result.code != SN_OK)
        sn__painted_meshes_destroy(out_meshes);
    return result;
}
