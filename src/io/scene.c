// What a scene tells about itself.
#include "io/scene_data.h"

#include <string.h>

const char *sn_scene_name(const SnScene *scene) { return scene->name; }

SnSceneSettings sn_scene_settings(const SnScene *scene) { return scene->world.settings; }

SnSceneLook sn_scene_look(const SnScene *scene) { return scene->look; }

SnSceneCamera sn_scene_camera(const SnScene *scene, double time) {
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

int sn_scene_body_count(const SnScene *scene) { return scene->rod_count; }

const char *sn_scene_body_name(const SnScene *scene, int rod) {
    return rod >= 0 && rod < scene->rod_count ? scene->rod_names[rod] : NULL;
}

SnColour sn_scene_body_colour(const SnScene *scene, int rod) {
    if (rod < 0 || rod >= scene->rod_count)
        return (SnColour){0, 0, 0};
    const SceneRod *entry = &scene->rods[scene->rod_entries[rod]];
    return sn__copy_colour(&entry->colours, &entry->place.copies, rod - entry->first_rod);
}

SnBodyId sn_scene_body_id(const SnScene *scene, int rod) {
    return rod >= 0 && rod < scene->rod_count ? scene->rod_ids[rod] : (SnBodyId){0, 0};
}

int sn_scene_collider_count(const SnScene *scene) { return scene->collider_count; }

SnSceneCollider sn_scene_collider(const SnScene *scene, int collider) {
    if (collider < 0 || collider >= scene->collider_count)
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

int sn_scene_skin_count(const SnScene *scene) { return scene->skin_count; }

SnSceneSkin sn_scene_skin(const SnScene *scene, int skin) {
    if (skin < 0 || skin >= scene->skin_count)
        return (SnSceneSkin){.name = ""};
    const SceneSkinEntry *entry = &scene->skins[scene->skin_entries[skin]];
    const SceneRod *rod = &scene->rods[entry->rods[0]];
    const SceneColours *colours = entry->colours.count > 0 ? &entry->colours : &rod->colours;
    SnSceneSkin out = {
        .name = scene->skin_names[skin],
        .id = scene->skin_ids[skin],
        .colour = sn__copy_colour(colours, &rod->place.copies, skin - entry->first),
    };
    if (entry->tree) {
        out.bark_triangle_count = entry->tree_skin.bark_triangle_count;
        out.bark_vertex_count = entry->tree_skin.bark_vertex_count;
        out.leaf_colour =
            sn__copy_colour(&entry->tree->leaf_colours, &rod->place.copies, skin - entry->first);
    }
    return out;
}

int sn_scene_link_count(const SnScene *scene) {
    int count = 0;
    for (int i = 0; i < scene->link_count; ++i)
        count += scene->links[i].copy_count;
    return count;
}
