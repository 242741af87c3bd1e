#include "app/recorder.h"

#include "app/seen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Skins are looked at in every so many frames: they do not go far in between.
#define SKIN_INTERVAL 8

// What the GLB is told about the scene: rods first, then skins.
typedef struct GltfParts {
    const char **names;
    SnColour *colours;
    float (*sections)[2]; // of rods
    bool *hidden;         // rods: muscles under a skin that is shown
    SnSkinMesh *skins;
    float *opacities; // of skins
    int *bark;        // triangles of each skin
    SnColour *leaf_colours;
    SnGltfActor *actors;
} GltfParts;

static SnResult list_parts(const SnScene *scene, const SnWorld *world, const Actors *shown,
                           int rods, GltfParts *parts) {
    int skins = sn_scene_skin_count(scene);
    size_t count = (size_t)rods + (size_t)skins + 1;
    parts->names = calloc(count, sizeof *parts->names);
    parts->colours = calloc(count, sizeof *parts->colours);
    parts->sections = calloc((size_t)rods + 1, sizeof *parts->sections);
    parts->hidden = calloc((size_t)rods + 1, sizeof *parts->hidden);
    parts->skins = calloc((size_t)skins + 1, sizeof *parts->skins);
    parts->opacities = calloc((size_t)skins + 1, sizeof *parts->opacities);
    parts->bark = calloc((size_t)skins + 1, sizeof *parts->bark);
    parts->leaf_colours = calloc((size_t)skins + 1, sizeof *parts->leaf_colours);
    int actors = sn_scene_skeleton_count(scene);
    parts->actors = calloc((size_t)actors + 1, sizeof *parts->actors);
    if (parts->actors == NULL || parts->names == NULL || parts->colours == NULL ||
        parts->sections == NULL || parts->skins == NULL || parts->opacities == NULL ||
        parts->bark == NULL || parts->leaf_colours == NULL || parts->hidden == NULL)
        return sn_error(SN_ERROR_MEMORY, "glTF: no memory for %zu names", count);
    for (int i = 0; i < rods; ++i) {
        parts->names[i] = sn_scene_body_name(scene, i);
        parts->colours[i] = sn_scene_body_colour(scene, i);
        SnSceneBody body = sn_scene_body(scene, i);
        memcpy(parts->sections[i], body.section, sizeof parts->sections[i]);
        parts->hidden[i] = body.flesh_of >= 0 && shown->skins[body.flesh_of];
    }
    for (int i = 0; i < actors; ++i) {
        SnSceneSkeleton from = sn_scene_skeleton(scene, i);
        parts->actors[i] = (SnGltfActor){.name = from.name,
                                         .skeleton = from.skeleton,
                                         .place = from.place,
                                         .cue_count = from.cue_count,
                                         .cues = from.cues,
                                         .shows_mesh = from.shows_mesh,
                                         .skin = shown->skins[i]};
    }
    SnResult result = sn_ok();
    for (int i = 0; i < skins && result.code == SN_OK; ++i) {
        SnSceneSkin skin = sn_scene_skin(scene, i);
        parts->names[rods + i] = skin.name;
        parts->colours[rods + i] = skin.colour;
        parts->opacities[i] = skin.opacity;
        parts->bark[i] = skin.bark_triangle_count;
        parts->leaf_colours[i] = skin.leaf_colour;
        result = sn_skin_mesh(world, skin.id, &parts->skins[i]);
    }
    return result;
}

static SnResult begin_gltf(const SnScene *scene, const SnWorld *world, const Actors *shown,
                           const SnPoses *poses, SnGltf **out_gltf) {
    GltfParts parts = {0};
    SnResult result = list_parts(scene, world, shown, poses->body_count, &parts);
    if (result.code == SN_OK) {
        SnGltfDef def = sn_default_gltf_def();
        def.title = sn_scene_name(scene);
        def.names = parts.names;
        def.colours = parts.colours;
        def.sections = parts.sections[0];
        def.hidden = parts.hidden;
        def.skin_count = sn_scene_skin_count(scene);
        def.skins = parts.skins;
        def.skin_names = parts.names + poses->body_count;
        def.skin_colours = parts.colours + poses->body_count;
        def.skin_opacities = parts.opacities;
        def.skin_bark = parts.bark;
        def.skin_leaf_colours = parts.leaf_colours;
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
    free(parts.actors);
    return result;
}

SnResult recorder_begin(Sinks *sinks, Simulation *simulation, int threads, int image_frame,
                        Recorder *out_recorder) {
    *out_recorder = (Recorder){.sinks = sinks,
                               .image_frame = image_frame,
                               .bounds = view_bounds_empty(),
                               .last_steps = -1};
    SnSceneCamera camera = sn_scene_camera(simulation->scene, 0.0);
    out_recorder->frames_itself =
        (sinks_wants(sinks, SINK_IMAGE) || sinks_wants(sinks, SINK_VIDEO)) &&
        !(camera.has_position && camera.has_target);
    SnPoses poses;
    SnResult result = actors_begin(simulation->scene, &out_recorder->actors);
    if (result.code == SN_OK)
        result = sn_world_poses(simulation->world, &poses);
    if (result.code != SN_OK)
        return result;
    if (sinks_wants(sinks, SINK_GLB)) {
        SnResult begun = begin_gltf(simulation->scene, simulation->world, &out_recorder->actors,
                                    &poses, &out_recorder->gltf);
        if (begun.code != SN_OK)
            sinks_fail(sinks, SINK_GLB, begun);
    }
    if (sinks_wants(sinks, SINK_CACHE)) {
        SnResult opened =
            cache_open(sinks->paths[SINK_CACHE], &out_recorder->actors, &out_recorder->cache);
        if (opened.code != SN_OK)
            sinks_fail(sinks, SINK_CACHE, opened);
    }
    if (sinks_wants(sinks, SINK_STATS)) {
        SnResult opened =
            stats_open(sinks->paths[SINK_STATS], simulation, threads, &out_recorder->stats);
        if (opened.code != SN_OK)
            sinks_fail(sinks, SINK_STATS, opened);
    }
    return sn_ok();
}

// The moment of the picture, in a copy that outlives the world.
static void keep_image_moment(Recorder *recorder, Simulation *simulation) {
    Moment now = {0};
    SnResult result =
        moment_take(simulation->scene, simulation->world, simulation_time(simulation), &now);
    if (result.code == SN_OK)
        result = moment_copy(&now, &recorder->image_moment);
    if (result.code != SN_OK)
        sinks_fail(recorder->sinks, SINK_IMAGE, result);
    moment_release(&now);
}

static bool wants_image_moment(const Recorder *recorder) {
    return sinks_wants(recorder->sinks, SINK_IMAGE) && recorder->image_moment.memory == NULL;
}

static SnResult add_poses(Recorder *recorder, Simulation *simulation, bool moved) {
    SnPoses poses;
    SnResult result = sn_world_poses(simulation->world, &poses);
    if (result.code != SN_OK)
        return result;
    double time = simulation_time(simulation);
    view_bounds_add(&recorder->bounds, poses.positions, poses.radii, poses.point_count);
    result = actors_place(&recorder->actors, time, &poses);
    if (result.code != SN_OK)
        return result;
    if (recorder->cache)
        cache_add(recorder->cache, &recorder->actors);
    actors_bounds(&recorder->actors, &recorder->bounds);
    if (recorder->frames_itself && recorder->frames % SKIN_INTERVAL == 0)
        result = seen_add_skins(simulation->world, &recorder->bounds);
    if (result.code != SN_OK)
        return result;
    if (moved && sinks_wants(recorder->sinks, SINK_GLB)) {
        SnResult added = sn_gltf_frame(recorder->gltf, &poses, time);
        if (added.code != SN_OK)
            sinks_fail(recorder->sinks, SINK_GLB, added);
    }
    if (recorder->frames == recorder->image_frame && wants_image_moment(recorder))
        keep_image_moment(recorder, simulation);
    return sn_ok();
}

SnResult recorder_add(Recorder *recorder, Simulation *simulation) {
    // Frames between two steps show the same poses again; files with times hold them once.
    bool moved = simulation->steps != recorder->last_steps;
    recorder->last_steps = simulation->steps;
    SnMeasures measures = sn_world_measure(simulation->world);
    recorder->last = measures;
    recorder->volume_error_max = fmax(recorder->volume_error_max, measures.volume_error_max);
    if (moved && recorder->stats)
        stats_add(recorder->stats, simulation, &measures);
    SnResult result = add_poses(recorder, simulation, moved);
    ++recorder->frames;
    return result;
}

void recorder_write(Recorder *recorder) {
    if (recorder->cache) {
        sinks_finish(recorder->sinks, SINK_CACHE, cache_close(recorder->cache));
        recorder->cache = NULL;
    }
    if (recorder->stats) {
        sinks_finish(recorder->sinks, SINK_STATS, stats_close(recorder->stats));
        recorder->stats = NULL;
    }
    // Also if its last frame could not be recorded: what is there is worth having.
    if (recorder->gltf && sn_gltf_frame_count(recorder->gltf) > 0)
        sinks_finish(recorder->sinks, SINK_GLB,
                     sn_gltf_finish(recorder->gltf, recorder->sinks->paths[SINK_GLB]));
}

void recorder_finish(Recorder *recorder, Simulation *simulation) {
    recorder_write(recorder);
    if (recorder->frames_itself)
        seen_add_scenery(simulation->scene, simulation->world, &recorder->bounds);
    if (wants_image_moment(recorder))
        keep_image_moment(recorder, simulation);
}

void recorder_release(Recorder *recorder) {
    if (recorder->gltf)
        sn_gltf_destroy(recorder->gltf);
    if (recorder->stats)
        stats_close(recorder->stats);
    if (recorder->cache)
        cache_close(recorder->cache);
    moment_release(&recorder->image_moment);
    actors_end(&recorder->actors);
    memset(recorder, 0, sizeof *recorder);
}
