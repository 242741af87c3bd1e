#include "app/glb.h"

#include "app/scenery.h"
#include "app/stage.h"
#include "app/terminal.h"

#include <stdlib.h>
#include <string.h>

#define ASPECT (16.0f / 9.0f) // of a camera that is framed; players have their own

// What the GLB is told about the scene: rods first, then skins, then colliders.
typedef struct GltfParts {
    const char **names;
    SnColour *colours;
    float (*sections)[2]; // of rods
    bool *hidden;         // rods: muscles under a skin that is shown
    SnSkinMesh *skins;
    float *opacities; // of skins
    int *bark;        // triangles of each skin
    SnColour *leaf_colours;
    const SnSkeleton **paints;
    SnGltfActor *actors;
    Scenery scenery;
} GltfParts;

static SnGltfActor actor_of(const SnScene *scene, const Actors *shown, int skeleton) {
    SnSceneSkeleton from = sn_scene_skeleton(scene, skeleton);
    return (SnGltfActor){.name = from.name,
                         .skeleton = from.skeleton,
                         .place = from.place,
                         .cue_count = from.cue_count,
                         .cues = from.cues,
                         .shows_mesh = from.shows_mesh,
                         .skin = shown->skins[skeleton]};
}

static SnResult list_parts(const SnScene *scene, const SnWorld *world, const Actors *shown,
                           int rods, GltfParts *parts) {
    int own = sn_scene_skin_count(scene), skins = own + parts->scenery.count;
    size_t count = (size_t)rods + (size_t)skins + 1;
    parts->names = calloc(count, sizeof *parts->names);
    parts->colours = calloc(count, sizeof *parts->colours);
    parts->sections = calloc((size_t)rods + 1, sizeof *parts->sections);
    parts->hidden = calloc((size_t)rods + 1, sizeof *parts->hidden);
    parts->skins = calloc((size_t)skins + 1, sizeof *parts->skins);
    parts->opacities = calloc((size_t)skins + 1, sizeof *parts->opacities);
    parts->bark = calloc((size_t)skins + 1, sizeof *parts->bark);
    parts->leaf_colours = calloc((size_t)skins + 1, sizeof *parts->leaf_colours);
    parts->paints = calloc((size_t)skins + 1, sizeof *parts->paints);
    int actors = sn_scene_skeleton_count(scene);
    parts->actors = calloc((size_t)actors + 1, sizeof *parts->actors);
    if (parts->actors == NULL || parts->names == NULL || parts->colours == NULL ||
        parts->sections == NULL || parts->skins == NULL || parts->opacities == NULL ||
        parts->bark == NULL || parts->leaf_colours == NULL || parts->hidden == NULL ||
        parts->paints == NULL)
        return sn_error(SN_ERROR_MEMORY, "glTF: no memory for %zu names", count);
    for (int i = 0; i < rods; ++i) {
        parts->names[i] = sn_scene_body_name(scene, i);
        parts->colours[i] = sn_scene_body_colour(scene, i);
        SnSceneBody body = sn_scene_body(scene, i);
        memcpy(parts->sections[i], body.section, sizeof parts->sections[i]);
        parts->hidden[i] = body.flesh_of >= 0 && shown->skins[body.flesh_of];
    }
    for (int i = 0; i < actors; ++i)
        parts->actors[i] = actor_of(scene, shown, i);
    SnResult result = sn_ok();
    for (int i = 0; i < own && result.code == SN_OK; ++i) {
        SnSceneSkin skin = sn_scene_skin(scene, i);
        parts->names[rods + i] = skin.name;
        parts->colours[rods + i] = skin.colour;
        parts->opacities[i] = skin.opacity;
        parts->bark[i] = skin.bark_triangle_count;
        parts->leaf_colours[i] = skin.leaf_colour;
        parts->paints[i] = skin.paint;
        result = sn_skin_mesh(world, skin.id, &parts->skins[i]);
    }
    for (int i = 0; i < parts->scenery.count; ++i) {
        parts->names[rods + own + i] = parts->scenery.names[i];
        parts->colours[rods + own + i] = parts->scenery.colours[i];
        parts->opacities[own + i] = 1.0f;
        parts->skins[own + i] = parts->scenery.meshes[i];
    }
    return result;
}

SnResult glb_begin(const SnScene *scene, const SnWorld *world, const Actors *shown,
                   const SnPoses *poses, const SnGltfEncoder *encoder, SnGltf **out_gltf) {
    GltfParts parts = {0};
    ViewBounds bounds = view_bounds_empty();
    view_bounds_add(&bounds, poses->positions, poses->radii, poses->point_count);
    SnResult result = scenery_make(scene, world, &bounds, &parts.scenery);
    if (result.code == SN_OK)
        result = list_parts(scene, world, shown, poses->body_count, &parts);
    if (result.code == SN_OK) {
        SnGltfDef def = sn_default_gltf_def();
        def.title = sn_scene_name(scene);
        def.encoder = encoder;
        def.names = parts.names;
        def.colours = parts.colours;
        def.sections = parts.sections[0];
        def.hidden = parts.hidden;
        def.skin_count = sn_scene_skin_count(scene) + parts.scenery.count;
        def.skins = parts.skins;
        def.skin_names = parts.names + poses->body_count;
        def.skin_colours = parts.colours + poses->body_count;
        def.skin_opacities = parts.opacities;
        def.skin_bark = parts.bark;
        def.skin_leaf_colours = parts.leaf_colours;
        def.skin_paints = parts.paints;
        def.actor_count = sn_scene_skeleton_count(scene);
        def.actors = parts.actors;
        result = sn_gltf_begin(poses, &def, out_gltf);
    }
    free(parts.names);
    free(parts.colours);
    free(parts.sections);
    free(parts.hidden);
    free(parts.skins);
    free(parts.opacities);
    free(parts.bark);
    free(parts.leaf_colours);
    free(parts.paints);
    free(parts.actors);
    scenery_release(&parts.scenery);
    return result;
}

SnResult glb_split(SnGltf *gltf, const SnScene *scene, SnWorld *world) {
    SnResult result = sn_ok();
    for (int i = 0; i < sn_scene_skin_count(scene) && result.code == SN_OK; ++i) {
        SnSkinMesh mesh;
        result = sn_skin_mesh(world, sn_scene_skin(scene, i).id, &mesh);
        if (result.code != SN_OK || mesh.lead_count == 0)
            continue;
        bool *apart = calloc((size_t)mesh.lead_count, sizeof *apart);
        if (apart == NULL)
            return sn_error(SN_ERROR_MEMORY, "glTF: no memory for %d leads", mesh.lead_count);
        result = sn_skin_apart(world, sn_scene_skin(scene, i).id, apart);
        if (result.code == SN_OK)
            result = sn_gltf_split(gltf, i, apart);
        free(apart);
    }
    return result;
}

static bool is_identity(const SnMap *map) {
    const SnMap none = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};
    return memcmp(map, &none, sizeof none) == 0;
}

const char *glb_own_file(const SnScene *scene) {
    SnSceneSkeleton skeleton = sn_scene_skeleton(scene, 0);
    const char *end = skeleton.path ? strrchr(skeleton.path, '.') : NULL;
    bool alone = sn_scene_skeleton_count(scene) == 1 && skeleton.implicit && skeleton.shows_mesh &&
                 sn_scene_skin_count(scene) == 0 && end && strcmp(end, ".glb") == 0 &&
                 is_identity(&skeleton.place);
    for (int i = 0; i < sn_scene_body_count(scene) && alone; ++i)
        alone = sn_scene_body(scene, i).flesh_of == 0;
    for (int i = 0; i < sn_scene_collider_count(scene) && alone; ++i)
        alone = !sn_scene_collider(scene, i).visible;
    return alone ? skeleton.path : NULL;
}

SnResult glb_begin_own(const SnScene *scene, const Actors *shown, SnGltf **out_gltf) {
    const SnPoses none = {0};
    SnGltfActor actor = actor_of(scene, shown, 0);
    SnGltfDef def = sn_default_gltf_def();
    def.title = sn_scene_name(scene);
    def.actor_count = 1;
    def.actors = &actor;
    return sn_gltf_begin(&none, &def, out_gltf);
}

SnResult glb_finish_own(SnGltf *gltf, const SnScene *scene, const ViewBounds *bounds,
                        const char *path) {
    SnResult result = sn_gltf_finish_onto(gltf, glb_own_file(scene), path);
    if (result.code != SN_ERROR_INVALID)
        return result;
    say_note("%s: it is written anew, with the recording alone", result.message);
    glb_set_camera(gltf, scene, bounds);
    return sn_gltf_finish(gltf, path);
}

void glb_set_camera(SnGltf *gltf, const SnScene *scene, const ViewBounds *bounds) {
    if (view_bounds_is_empty(bounds))
        return;
    ViewCamera framed = view_camera_frame(bounds, ASPECT, false);
    ViewCamera camera = stage_camera(scene, &framed, 0.0);
    SnGltfCamera own = {camera.position, camera.target, camera.fov};
    sn_gltf_set_camera(gltf, &own);
}
