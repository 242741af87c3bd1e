// What a scene tells about itself.
#include "io/scene_data.h"

#include <string.h>

const char *sn_scene_name(const SnScene *scene) { return scene->name; }

SnSceneSettings sn_scene_settings(const SnScene *scene) { return scene->world.settings; }

SnSceneLook sn_scene_look(const SnScene *scene) { return scene->look; }

SnSceneCamera sn_scene_camera(const SnScene *scene, double time) {
    SnSceneCamera camera = scene->camera;
    for (int i = 0; i < scene->channel_count; i++) {
        const SnChannel *channel = &scene->channels[i];
        if (channel->kind == SN__TARGET_CAMERA) {
            float value[4];
            size_t offset = (size_t)((const char *)channel->slot - (const char *)&scene->camera);
            sn__curve_evaluate(&channel->curve, time, value);
            memcpy((char *)&camera + offset, value, (size_t)channel->curve.width * sizeof *value);
        }
    }
    return camera;
}

int sn_scene_rod_count(const SnScene *scene) { return scene->rod_count; }

const char *sn_scene_rod_name(const SnScene *scene, int rod) {
    return rod >= 0 && rod < scene->rod_count ? scene->rod_names[rod] : NULL;
}

SnColour sn_scene_rod_colour(const SnScene *scene, int rod) {
    if (rod < 0 || rod >= scene->rod_count) {
        return (SnColour){0, 0, 0};
    }
    const SnSceneRod *entry = &scene->rods[scene->rod_entries[rod]];
    return entry->colours[(rod - entry->first_rod) % entry->colour_count];
}
