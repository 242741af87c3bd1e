// Any bytes as a scene file: it is refused with a message, or it builds a world that can be stepped, or
// the world refuses it. Scenes that would only take long are left out.
#include <sinew/scene.h>

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST_POINTS 2000

static bool is_small(const SnScene *scene) {
    long long points = sn_scene_skin_count(scene) > 4 ? MOST_POINTS : 0;
    for (int i = 0; i < sn_scene_body_count(scene) && points < MOST_POINTS; ++i)
        points += sn_scene_body(scene, i).point_count;
    return points < MOST_POINTS && sn_scene_collider_count(scene) < 100 &&
           sn_scene_link_count(scene) < 100;
}

static void run(SnScene *scene) {
    SnWorldDef def = sn_default_world_def();
    SnSceneSettings settings = sn_scene_settings(scene);
    SnWorld *world;
    if (sn_scene_build(scene, &def, &world).code != SN_OK)
        return;
    if (sn_scene_animate(scene, world, settings.step, settings.step).code == SN_OK)
        sn_world_step(world, (float)settings.step, 2, 1);
    SnPoses poses;
    sn_world_poses(world, &poses);
    sn_world_destroy(world);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    SnScene *scene;
    static SnSceneErrors errors;
    if (sn_scene_load_text("fuzz", (const char *)data, size, &scene, &errors).code != SN_OK)
        return 0;
    if (is_small(scene))
        run(scene);
    sn_scene_destroy(scene);
    return 0;
}
