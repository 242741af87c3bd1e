#include "app/mesh_import.h"

#include "io/file.h"
#include "io/mesh.h"

#include <sinew/gltf.h>

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
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

// What is painted on the triangles of a mesh, which come behind `triangle` others.
static void copy_paint(const struct aiMesh *from, PaintedMesh *to, int triangle) {
    for (unsigned f = 0; f < from->mNumFaces; ++f) {
        const struct aiFace *face = &from->mFaces[f];
        if (face->mNumIndices != 3)
            continue;
        to->materials[triangle] = (int)from->mMaterialIndex;
        for (int c = 0; c < 3 && to->colours; ++c) {
            const struct aiColor4D white = {1, 1, 1, 1};
            struct aiColor4D colour =
                from->mColors[0] ? from->mColors[0][face->mIndices[c]] : white;
            float *out = to->colours[3 * triangle + c];
            out[0] = (float)colour.r;
            out[1] = (float)colour.g;
            out[2] = (float)colour.b;
        }
        ++triangle;
    }
}

static bool make_paint(const struct aiScene *scene, PaintedMesh *out) {
    bool colours = false;
    for (unsigned m = 0; m < scene->mNumMeshes; ++m)
        colours = colours || scene->mMeshes[m]->mColors[0];
    if (!sn__painted_mesh_make_room(out, (int)scene->mNumMaterials, colours))
        return false;
    out->material_count = (int)scene->mNumMaterials;
    for (unsigned i = 0; i < scene->mNumMaterials; ++i) {
        struct aiString name = {0};
        if (aiGetMaterialString(scene->mMaterials[i], AI_MATKEY_NAME, &name) == aiReturn_SUCCESS)
            sn__painted_name(out->material_names[i], name.data);
    }
    return true;
}

static SnResult copy_scene(const char *path, const struct aiScene *scene, PaintedMesh *out) {
    int64_t vertices, triangles;
    if (!count_triangles(scene, &vertices, &triangles))
        return sn_error(SN_ERROR_LIMIT, "%s: more than %d vertices or triangles", path, MESH_LIMIT);
    if (triangles == 0)
        return sn_error(SN_ERROR_FORMAT, "%s: has no triangles", path);
    if (!sn__mesh_create(NULL, (int)vertices, (int)triangles, &out->mesh) ||
        !make_paint(scene, out))
        return sn_error(SN_ERROR_MEMORY, "%s: no memory for its mesh", path);
    int first = 0, triangle = 0;
    for (unsigned m = 0; m < scene->mNumMeshes; ++m) {
        int before = triangle;
        if (!copy_mesh(scene->mMeshes[m], &out->mesh, first, &triangle))
            return sn_error(SN_ERROR_FORMAT, "%s: a position is not within %g m, or an index wrong",
                            path, (double)SN_MAX_POSITION);
        copy_paint(scene->mMeshes[m], out, before);
        first += (int)scene->mMeshes[m]->mNumVertices;
    }
    if (!sn__mesh_weld(&out->mesh) || !sn__mesh_make_normals(&out->mesh))
        return sn_error(SN_ERROR_MEMORY, "%s: no memory for its mesh", path);
    return sn_ok();
}

// Assimp does not tell files that are missing from those it cannot read, and waits for pipes.
static SnResult check_readable(const char *path) {
    SnResult result = sn__file_is_regular(path);
    if (result.code != SN_OK)
        return result;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return sn_error(SN_ERROR_FILE, "%s: %s", path, strerror(errno));
    fclose(file);
    return sn_ok();
}

static SnResult import_other(const char *path, PaintedMesh *out) {
    *out = (PaintedMesh){0};
    SnResult result = check_readable(path);
    if (result.code != SN_OK)
        return result;
    struct aiPropertyStore *settings = aiCreatePropertyStore();
    if (settings == NULL)
        return sn_error(SN_ERROR_MEMORY, "%s: no memory to read it", path);
    aiSetImportPropertyInteger(settings, AI_CONFIG_PP_SBP_REMOVE,
                               aiPrimitiveType_POINT | aiPrimitiveType_LINE);
    const struct aiScene *scene = aiImportFileExWithProperties(
        path, aiProcess_Triangulate | aiProcess_PreTransformVertices | aiProcess_SortByPType, NULL,
        settings);
    if (scene)
        result = copy_scene(path, scene, out);
    else if (strstr(aiGetErrorString(), "No output meshes")) // which is said of points alone
        result = sn_error(SN_ERROR_FORMAT, "%s: has no triangles", path);
    else
        result = sn_error(SN_ERROR_FORMAT, "%s: %.150s", path, aiGetErrorString());
    aiReleaseImport(scene);
    aiReleasePropertyStore(settings);
    if (result.code != SN_OK)
        sn__painted_mesh_destroy(out);
    return result;
}

static bool has_ending(const char *path, const char *const *endings, size_t count) {
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < count; ++i)
        if (strcasecmp(dot + 1, endings[i]) == 0)
            return true;
    return false;
}

static bool is_gltf(const char *path) {
    static const char *const endings[] = {"glb", "gltf"};
    return has_ending(path, endings, sizeof endings / sizeof endings[0]);
}

bool mesh_import_knows(const char *path) {
    static const char *const endings[] = {"obj", "stl", "ply", "glb", "gltf",
                                          "off", "fbx", "dae", "3ds"};
    return has_ending(path, endings, sizeof endings / sizeof endings[0]);
}

SnResult mesh_import(const char *path, SnMesh *out_mesh) {
    *out_mesh = (SnMesh){0};
    if (is_gltf(path))
        return sn_mesh_read_gltf(path, NULL, out_mesh);
    PaintedMesh painted;
    SnResult result = import_other(path, &painted);
    *out_mesh = painted.mesh;
    painted.mesh = (SnMesh){0};
    sn__painted_mesh_destroy(&painted);
    return result;
}

SnResult meshes_import(const char *path, PaintedMeshes *out_meshes) {
    *out_meshes = (PaintedMeshes){0};
    if (is_gltf(path))
        return sn__meshes_read_gltf(path, out_meshes);
    out_meshes->meshes = calloc(1, sizeof *out_meshes->meshes);
    if (out_meshes->meshes == NULL)
        return sn_error(SN_ERROR_MEMORY, "%s: no memory for its mesh", path);
    out_meshes->count = 1;
    SnResult result = import_other(path, &out_meshes->meshes[0]);
    if (result.code != SN_OK)
        sn__painted_meshes_destroy(out_meshes);
    return result;
}
