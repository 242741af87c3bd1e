// Mesh files that colliders and skins name.
#include "base/null.h"
#include "io/mesh_build.h"
#include "io/scene_parts.h"
#include "io/tables.h"

#include <sinew/mesh_file.h>

#include <string.h>

// The number of the file in the scene's list, where it is put if it is new.
static int find_file(Reader *reader, SnScene *scene, const char *file) {
    for (int i = 0; i < scene->mesh_count; ++i)
        if (strcmp(scene->meshes[i].file, file) == 0)
            return i;
    const char *path = sn__scene_path(scene, file);
    reader->out_of_memory |= path == NULL;
    scene->meshes[scene->mesh_count] = (SceneMesh){.file = file, .path = path};
    return scene->mesh_count++;
}

bool sn__read_mesh_use(Reader *reader, SnScene *scene, const Json *json, MeshUse *use) {
    use->mesh = -1;
    use->scale = 1;
    use->rotation = sn_quat_identity();
    if (json->kind == JSON_STRING ? !sn__read_text(reader, json, &use->file)
                                  : !sn__read_object(reader, json, &sn__table_mesh, use))
        return false;
    if (!use->file[0]) {
        sn__reader_error(reader, json, "\"file\" is empty");
        return false;
    }
    use->mesh = find_file(reader, scene, use->file);
    return true;
}

void sn_scene_set_mesh_loader(SnScene *scene, SnMeshLoader *loader, void *context) {
    if (!GIVEN(scene))
        return;
    scene->mesh_loader = loader;
    scene->mesh_context = context;
}

// Paths are relative to the folder of the scene file.
const char *sn__scene_path(SnScene *scene, const char *file) {
    const char *slash = file[0] == '/' ? NULL : strrchr(scene->file, '/');
    size_t folder = slash ? (size_t)(slash - scene->file) + 1 : 0, length = strlen(file);
    char *path = sn__arena_alloc(&scene->arena, folder + length + 1, 1);
    if (path) {
        memcpy(path, scene->file, folder);
        memcpy(path + folder, file, length + 1);
    }
    return path;
}

static SnResult load_mesh(SnScene *scene, SceneMesh *mesh) {
    SnResult result = scene->mesh_loader
                          ? scene->mesh_loader(mesh->path, scene->mesh_context, &mesh->mesh)
                          : sn__mesh_read_with_paint(mesh->path, &mesh->mesh, &mesh->paint);
    mesh->loaded = result.code == SN_OK;
    return result;
}

static SnResult place_mesh(SnScene *scene, const SnMesh *mesh, MeshUse *use) {
    size_t count = (size_t)mesh->vertex_count;
    SnVec3 *positions = sn__arena_alloc(&scene->arena, count, sizeof *positions);
    SnVec3 *normals = sn__arena_alloc(&scene->arena, count, sizeof *normals);
    if (positions == NULL || normals == NULL)
        return sn_error(SN_ERROR_MEMORY, "no memory for the %zu vertices of a mesh", count);
    const Placement place = {.rotation = quatd(use->rotation), .position = vec3d(use->position)};
    for (size_t i = 0; i < count; ++i) {
        SnVec3 v = mesh->positions[i];
        v = sn_vec3(v.x * use->scale, v.y * use->scale, v.z * use->scale);
        positions[i] = sn__place_point(&place, v);
        if (mesh->normals)
            normals[i] = sn__place_direction(&place, mesh->normals[i]);
    }
    use->positions = positions;
    use->normals = mesh->normals ? normals : NULL;
    return sn_ok();
}

SnResult sn__scene_use_mesh(SnScene *scene, MeshUse *use) {
    SceneMesh *file = &scene->meshes[use->mesh];
    if (use->positions)
        return sn_ok();
    SnResult result = file->loaded ? sn_ok() : load_mesh(scene, file);
    if (result.code != SN_OK)
        return result;
    return place_mesh(scene, &file->mesh, use);
}

void sn__scene_free_meshes(SnScene *scene) {
    for (int i = 0; i < scene->mesh_count; ++i)
        if (scene->meshes[i].loaded) {
            sn_mesh_destroy(&scene->meshes[i].mesh);
            sn_skeleton_destroy(scene->meshes[i].paint);
        }
    for (int i = 0; i < scene->skin_entry_count; ++i) {
        if (scene->skins[i].iso_mesh.vertex_count > 0)
            sn_mesh_destroy(&scene->skins[i].iso_mesh);
        sn_tree_skin_destroy(&scene->skins[i].tree_skin);
    }
}
