// What a scene tells about itself.
#include "base/null.h"
#include "io/scene_data.h"
#include "io/scene_skeleton.h"

#include <string.h>

const char *sn_scene_name(const SnScene *scene) { return GIVEN(scene) ? scene->name : NULL; }

// The file's number `n` behind the scene's own and its meshes: only some skeletons have one.
static const char *skeleton_path(const SnScene *scene, int n) {
    for (int i = 0; i < scene->skeleton_count; ++i)
        if (scene->skeletons[i].path && n-- == 0)
            return scene->skeletons[i].path;
    return NULL;
}

int sn_scene_file_count(const SnScene *scene) {
    int count = GIVEN(scene) ? 1 + scene->mesh_count : 0;
    for (int i = 0; GIVEN(scene) && i < scene->skeleton_count; ++i)
        count += scene->skeletons[i].path != NULL;
    return count;
}

const char *sn_scene_file(const SnScene *scene, int file) {
    if (!GIVEN(scene) || file < 0)
        return NULL;
    if (file == 0)
        return scene->file;
    return file <= scene->mesh_count ? scene->meshes[file - 1].path
                                     : skeleton_path(scene, file - 1 - scene->mesh_count);
}

SnSceneSettings sn_scene_settings(const SnScene *scene) {
    return GIVEN(scene) ? scene->world.settings : (SnSceneSettings){0};
}

SnSceneLook sn_scene_look(const SnScene *scene) {
    return GIVEN(scene) ? scene->look : (SnSceneLook){0};
}

SnSceneCamera sn_scene_camera(const SnScene *scene, double time) {
    if (!GIVEN(scene))
        return (SnSceneCamera){0};
    SnSceneCamera camera = scene->camera;
    for (int i = 0; i < scene->channel_count; ++i) {
        const Channel *channel = &scene->channels[i];
        if (channel->kind == TARGET_CAMERA) {
            float value[4];
            size_t offset = (size_t)((const char *)channel->slot - (const char *)&scene->camera);
            sn__curve_evaluate(&channel->curve, time, value);
            memcpy((char *)&camera + offset, value, (size_t)channel->curve.width * sizeof *value);
        }
    }
    return camera;
}

int sn_scene_body_count(const SnScene *scene) { return GIVEN(scene) ? scene->body_count : 0; }

const char *sn_scene_body_name(const SnScene *scene, int body) {
    return GIVEN(scene) && body >= 0 && body < scene->body_count ? scene->body_names[body] : NULL;
}

SnColour sn_scene_body_colour(const SnScene *scene, int body) {
    if (!GIVEN(scene) || body < 0 || body >= scene->body_count)
        return (SnColour){0, 0, 0};
    const SceneBody *entry = scene->bodies[scene->body_entries[body]];
    return sn__copy_colour(&entry->colours, &entry->place.copies, body - entry->first);
}

SnBodyId sn_scene_body_id(const SnScene *scene, int body) {
    return GIVEN(scene) && body >= 0 && body < scene->body_count ? scene->body_ids[body]
                                                                 : (SnBodyId){0, 0};
}

SnSceneBody sn_scene_body(const SnScene *scene, int body) {
    SnSceneBody out = {.kind = SN_BODY_NONE};
    if (!GIVEN(scene) || body < 0 || body >= scene->body_count)
        return out;
    const SceneBody *entry = scene->bodies[scene->body_entries[body]];
    out.point_count = entry->point_count;
    out.element_count = entry->element_count;
    out.positions = entry->positions;
    out.radii = entry->radii;
    out.edges = entry->edges;
    memcpy(out.section, entry->section, sizeof out.section);
    out.touches = sn__body_filter(entry).mask != 0;
    out.material = entry->material;
    out.attachment_count = entry->attachment_count;
    out.flesh_of = -1;
    entry->kind->describe(entry, &out);
    return out;
}

SnSceneAttachment sn_scene_attachment(const SnScene *scene, int body, int attachment) {
    if (attachment < 0 || attachment >= sn_scene_body(scene, body).attachment_count)
        return (SnSceneAttachment){.frame = -1};
    const SceneBody *entry = scene->bodies[scene->body_entries[body]];
    const SceneAttachment *from = &entry->attachments[attachment];
    return (SnSceneAttachment){from->kind, from->index, from->frame};
}

int sn_scene_material_count(const SnScene *scene) {
    return GIVEN(scene) ? scene->material_count : 0;
}

SnSceneMaterial sn_scene_material(const SnScene *scene, int material) {
    if (!GIVEN(scene) || material < 0 || material >= scene->material_count)
        return (SnSceneMaterial){.name = ""};
    return (SnSceneMaterial){scene->materials[material].name, scene->materials[material].values};
}

int sn_scene_collider_count(const SnScene *scene) {
    return GIVEN(scene) ? scene->collider_count : 0;
}

SnSceneCollider sn_scene_collider(const SnScene *scene, int collider) {
    if (!GIVEN(scene) || collider < 0 || collider >= scene->collider_count)
        return (SnSceneCollider){.name = "", .def = sn_default_collider_def()};
    const SceneColliderEntry *entry = &scene->colliders[scene->collider_entries[collider]];
    return (SnSceneCollider){
        .name = scene->collider_names[collider],
        .id = scene->collider_ids[collider],
        .def = sn__collider_def(scene, collider),
        .colour = sn__copy_colour(&entry->colours, &entry->place.copies, collider - entry->first),
        .visible = entry->visible,
    };
}

int sn_scene_skin_count(const SnScene *scene) { return GIVEN(scene) ? scene->skin_count : 0; }

SnSceneSkin sn_scene_skin(const SnScene *scene, int skin) {
    if (!GIVEN(scene) || skin < 0 || skin >= scene->skin_count)
        return (SnSceneSkin){.name = ""};
    const SceneSkinEntry *entry = &scene->skins[scene->skin_entries[skin]];
    const SceneBody *body = scene->bodies[entry->bodies[0]];
    const SceneColours *colours = entry->colours.count > 0 ? &entry->colours : &body->colours;
    SnSceneSkin out = {
        .name = scene->skin_names[skin],
        .id = scene->skin_ids[skin],
        .colour = sn__copy_colour(colours, &body->place.copies, skin - entry->first),
        .opacity = entry->opacity,
        .outer = entry->outer,
    };
    if (entry->mesh.mesh >= 0 && entry->colours.count == 0)
        out.paint = scene->meshes[entry->mesh.mesh].paint;
    if (entry->tree) {
        out.bark_triangle_count = entry->tree_skin.bark_triangle_count;
        out.bark_vertex_count = entry->tree_skin.bark_vertex_count;
        out.tree_kind = entry->tree->def.kind;
        out.uvs = entry->tree_skin.uvs;
        out.leaf_colour =
            sn__copy_colour(&entry->tree->leaf_colours, &body->place.copies, skin - entry->first);
    }
    return out;
}

int sn_scene_link_count(const SnScene *scene) {
    if (!GIVEN(scene))
        return 0;
    int count = 0;
    for (int i = 0; i < scene->link_count; ++i)
        count += scene->links[i].copy_count;
    return count;
}

int sn_scene_frame_count(const SnScene *scene) { return GIVEN(scene) ? scene->frame_count : 0; }

int sn_scene_field_count(const SnScene *scene) { return GIVEN(scene) ? scene->field_count : 0; }

int sn_scene_animated_count(const SnScene *scene) {
    return GIVEN(scene) ? scene->channel_count : 0;
}
