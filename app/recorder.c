#include "app/recorder.h"

#include "base/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static SnResult begin_gltf(const SnScene *scene, const SnPoses *poses, SnGltf **out_gltf) {
    size_t count = (size_t)poses->rod_count;
    const char **names = calloc(count + 1, sizeof *names);
    SnColour *colours = calloc(count + 1, sizeof *colours);
    SnResult result = sn__error(SN_ERROR_MEMORY, "glTF: no memory for %zu names", count);
    if (names && colours) {
        for (int i = 0; i < poses->rod_count; i++) {
            names[i] = sn_scene_rod_name(scene, i);
            colours[i] = sn_scene_rod_colour(scene, i);
        }
        SnGltfDef def = sn_default_gltf_def();
        def.title = sn_scene_name(scene);
        def.names = names;
        def.colours = colours;
        result = sn_gltf_begin(poses, &def, out_gltf);
    }
    free(names);
    free(colours);
    return result;
}

SnResult recorder_begin(Sinks *sinks, Simulation *simulation, int threads, int image_frame,
                        Recorder *out_recorder) {
    *out_recorder = (Recorder){
        .sinks = sinks, .image_frame = image_frame, .bounds = snv_bounds_empty(), .last_steps = -1};
    SnPoses poses;
    SnResult result = sn_world_poses(simulation->world, &poses);
    if (result.code != SN_OK) {
        return result;
    }
    if (sinks_wants(sinks, SINK_GLB)) {
        SnResult begun = begin_gltf(simulation->scene, &poses, &out_recorder->gltf);
        if (begun.code != SN_OK) {
            sinks_fail(sinks, SINK_GLB, begun);
        }
    }
    if (sinks_wants(sinks, SINK_STATS)) {
        SnResult opened =
            stats_open(sinks->paths[SINK_STATS], simulation, threads, &out_recorder->stats);
        if (opened.code != SN_OK) {
            sinks_fail(sinks, SINK_STATS, opened);
        }
    }
    return sn__ok();
}

static void keep_image_poses(Recorder *recorder, const SnPoses *poses, double time) {
    SnResult result = pose_copy_make(poses, time, &recorder->image_poses);
    if (result.code != SN_OK) {
        sinks_fail(recorder->sinks, SINK_IMAGE, result);
    }
}

static bool wants_image_poses(const Recorder *recorder) {
    return sinks_wants(recorder->sinks, SINK_IMAGE) && !recorder->image_poses.memory;
}

static SnResult add_poses(Recorder *recorder, Simulation *simulation, bool moved) {
    SnPoses poses;
    SnResult result = sn_world_poses(simulation->world, &poses);
    if (result.code != SN_OK) {
        return result;
    }
    double time = simulation_time(simulation);
    snv_bounds_add(&recorder->bounds, poses.positions, poses.radii, poses.vertex_count);
    if (moved && sinks_wants(recorder->sinks, SINK_GLB)) {
        SnResult added = sn_gltf_frame(recorder->gltf, &poses, time);
        if (added.code != SN_OK) {
            sinks_fail(recorder->sinks, SINK_GLB, added);
        }
    }
    if (recorder->frames == recorder->image_frame && wants_image_poses(recorder)) {
        keep_image_poses(recorder, &poses, time);
    }
    return sn__ok();
}

SnResult recorder_add(Recorder *recorder, Simulation *simulation) {
    // Frames between two steps show the same poses again; files with times hold them once.
    bool moved = simulation->steps != recorder->last_steps;
    recorder->last_steps = simulation->steps;
    SnMeasures measures = sn_world_measure(simulation->world);
    recorder->volume_error_max = fmax(recorder->volume_error_max, measures.volume_error_max);
    if (moved && recorder->stats) {
        stats_add(recorder->stats, simulation, &measures);
    }
    SnResult result = add_poses(recorder, simulation, moved);
    recorder->frames++;
    return result;
}

SnResult recorder_finish(Recorder *recorder, Simulation *simulation) {
    if (recorder->stats) {
        sinks_finish(recorder->sinks, SINK_STATS, stats_close(recorder->stats));
        recorder->stats = NULL;
    }
    // Also if its last frame could not be recorded: what is there is worth having.
    if (recorder->gltf && sn_gltf_frame_count(recorder->gltf) > 0) {
        sinks_finish(recorder->sinks, SINK_GLB,
                     sn_gltf_finish(recorder->gltf, recorder->sinks->paths[SINK_GLB]));
    }
    if (!wants_image_poses(recorder)) {
        return sn__ok();
    }
    SnPoses poses;
    SnResult result = sn_world_poses(simulation->world, &poses);
    if (result.code == SN_OK) {
        keep_image_poses(recorder, &poses, simulation_time(simulation));
    }
    return result;
}

void recorder_release(Recorder *recorder) {
    if (recorder->gltf) {
        sn_gltf_destroy(recorder->gltf);
    }
    if (recorder->stats) {
        stats_close(recorder->stats);
    }
    pose_copy_release(&recorder->image_poses);
    memset(recorder, 0, sizeof *recorder);
}
