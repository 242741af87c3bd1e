#include "app/recorder.h"

#include "app/glb.h"
#include "app/meshopt.h"
#include "app/seen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Skins are looked at in every so many frames: they do not go far in between.
#define SKIN_INTERVAL 8

SnResult recorder_begin(Sinks *sinks, Simulation *simulation, int threads, int image_frame,
                        Recorder *out_recorder) {
    *out_recorder = (Recorder){.sinks = sinks,
                               .scene = simulation->scene,
                               .image_frame = image_frame,
                               .bounds = view_bounds_empty(),
                               .last_steps = -1};
    SnSceneCamera camera = sn_scene_camera(simulation->scene, 0.0);
    out_recorder->frames_itself =
        (sinks_wants(sinks, SINK_IMAGE) || sinks_wants(sinks, SINK_VIDEO) ||
         sinks_wants(sinks, SINK_GLB)) &&
        !(camera.has_position && camera.has_target);
    SnPoses poses;
    SnResult result = actors_begin(simulation->scene, &out_recorder->actors);
    if (result.code == SN_OK)
        result = holders_find(simulation->scene, &out_recorder->holders);
    if (result.code == SN_OK)
        result = sn_world_poses(simulation->world, &poses);
    if (result.code != SN_OK)
        return result;
    if (sinks_wants(sinks, SINK_GLB)) {
        out_recorder->writes_own = !sinks->meshopt && glb_own_file(simulation->scene);
        SnResult begun =
            out_recorder->writes_own
                ? glb_begin_own(simulation->scene, &out_recorder->actors, &out_recorder->gltf)
                : glb_begin(simulation->scene, simulation->world, &out_recorder->actors, &poses,
                            sinks->meshopt ? meshopt_encoder() : NULL, &out_recorder->gltf);
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
    seen_add_bodies(simulation->scene, &poses, &recorder->bounds);
    if (recorder->frames_itself) {
        holders_place(&recorder->holders, &poses);
        seen_add_pegs(recorder->holders.pegs, recorder->holders.count, &recorder->bounds);
    }
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
        const SnPoses none = {0};
        SnResult added = glb_split(recorder->gltf, recorder->scene, simulation->world);
        if (added.code == SN_OK)
            added = sn_gltf_frame(recorder->gltf, recorder->writes_own ? &none : &poses, time);
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
    SnMeasures measures = simulation_measure(simulation);
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
    if (recorder->gltf && sn_gltf_frame_count(recorder->gltf) > 0) {
        const char *path = recorder->sinks->paths[SINK_GLB];
        if (!recorder->writes_own)
            glb_set_camera(recorder->gltf, recorder->scene, &recorder->bounds);
        sinks_finish(recorder->sinks, SINK_GLB,
                     recorder->writes_own
                         ? glb_finish_own(recorder->gltf, recorder->scene, &recorder->bounds, path)
                         : sn_gltf_finish(recorder->gltf, path));
    }
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
    holders_release(&recorder->holders);
    actors_end(&recorder->actors);
    memset(recorder, 0, sizeof *recorder);
}
