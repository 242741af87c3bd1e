#include "app/mesh_import.h"

#include "io/mesh.h"

#include <sinew/gltf.h>

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

// The meshes of a scene, already moved by their nodes.
static bool count_triangles(const struct aiScene *scene, int64_t *vertices, int64_t *triangles) {
    *vertices = *triangles = 0;
    for (unsigned m = 0; m < scene->mNumMeshes; ++m) {
        const struct aiMesh *mesh = scene->mMeshes[m];
        *vertices += mesh->mNumVertices;
        for (unsigned f = 0; f < mesh->mNumFaces; ++f)
            *triangles += mesh->mFaces[f].mNumIndices == 3;
    }
    return *vertices <= MESH_LIMIT && *triangles <= MESH_LIMIT;
}

// NaN is not.
static bool is_within(SnVec3 x, float bound) {
    return fabsf(x.x) <= bound && fabsf(x.y) <= bound && fabsf(x.z) <= bound;
}

// False: a position that is not finite, or an index that points nowhere.
static bool copy_mesh(const struct aiMesh *from, SnMesh *to, int first_vertex, int *triangle) {
    for (unsigned i = 0; i < from->mNumVertices; ++i) {
        struct aiVector3D x = from->mVertices[i];
        to->positions[first_vertex + (int)i] = sn_vec3((float)x.x, (float)x.y, (float)x.z);
        if (!is_within(to->positions[first_vertex + (int)i], SN_MAX_POSITION))
            return false;
    }
    for (unsigned f = 0; f < from->mNumFaces; ++f) {
        const struct aiFace *face = &from->mFaces[f];
        if (face->mNumIndices != 3)
            continue;
        for (int c = 0; c < 3; ++c) {
            if (face->mIndices[c] >= from->mNumVertices)
                return false;
            to->triangles[3 * *triangle + c] = (uint32_t)first_vertex + face->mIndices[c];
        }
        ++*triangle;
    }
    return true;
}

static SnResult copy_scene(const char *path, const struct aiScene *scene, SnMesh *out_mesh) {
    int64_t vertices, triangles;
    if (!count_triangles(scene, &vertices, &triangles))
        return sn_error(SN_ERROR_LIMIT, "%s: more than %d vertices or triangles", path, MESH_LIMIT);
    if (triangles == 0)
        return sn_error(SN_ERROR_FORMAT, "%s: has no triangles", path);
    if (!sn__mesh_create(NULL, (int)vertices, (int)triangles, out_mesh))
        return sn_error(SN_ERROR_MEMORY, "%s: no memory for its mesh", path);
    int first = 0, triangle = 0;
    bool good = true;
    for (unsigned m = 0; m < scene->mNumMeshes && good; ++m) {
        good = copy_mesh(scene->mMeshes[m], out_mesh, first, &triangle);
        first += (int)scene->mMeshes[m]->mNumVertices;
    }
    SnResult result = sn_ok();
    if (!good)
        result = sn_error(SN_ERROR_FORMAT, "%s: a position is not within %g m, or an index wrong",
                          path, (double)SN_MAX_POSITION);
    else if (!sn__mesh_weld(out_mesh) || !sn__mesh_make_normals(out_mesh))
        result = sn_error(SN_ERROR_MEMORY, "%s: no memory for its mesh", path);
    if (result.code != SN_OK)
        sn_mesh_destroy(out_mesh);
    return result;
}

// Assimp does not tell files that are missing from those it cannot read.
static SnResult check_readable(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return sn_error(SN_ERROR_FILE, "%s: %s", path, strerror(errno));
    fclose(file);
    return sn_ok();
}

static SnResult import_other(const char *path, SnMesh *out_mesh) {
    struct aiPropertyStore *settings = aiCreatePropertyStore();
    if (settings == NULL)
        return sn_error(SN_ERROR_MEMORY, "%s: no memory to read it", path);
    aiSetImportPropertyInteger(settings, AI_CONFIG_PP_SBP_REMOVE,
                               aiPrimitiveType_POINT | aiPrimitiveType_LINE);
    const struct aiScene *scene = aiImportFileExWithProperties(
        path, aiProcess_Triangulate | aiProcess_PreTransformVertices | aiProcess_SortByPType, NULL,
        settings);
    SnResult result = scene ? copy_scene(path, scene, out_mesh)
                            : sn_error(SN_ERROR_FORMAT, "%s: %.150s", path, aiGetErrorString());
    aiReleaseImport(scene);
    aiReleasePropertyStore(settings);
    return result;
}

SnResult mesh_import(const char *path, SnMesh *out_mesh) {
    *out_mesh = (SnMesh){0};
    const char *dot = strrchr(path, '.');
    if (dot && (strcasecmp(dot, ".glb") == 0 || strcasecmp(dot, ".gltf") == 0))
        return sn_mesh_read_gltf(path, NULL, out_mesh);
    SnResult result = check_readable(path);
    return result.code == SN_OK ? import_other(path, out_mesh) : result;
}
