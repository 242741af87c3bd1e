#include "app/simulation.h"

#include <math.h>
#include <stdio.h>

#include <sinew/muscle.h>

SnResult simulation_begin(SnScene *scene, const SnWorldDef *def, Simulation *out_simulation) {
    *out_simulation = (Simulation){.scene = scene, .settings = sn_scene_settings(scene)};
    return sn_scene_build(scene, def, &out_simulation->world);
}

void simulation_end(Simulation *simulation) {
    sn_world_destroy(simulation->world);
    simulation->world = NULL;
}

SnMeasures simulation_measure(const Simulation *simulation) {
    SnWorld *world = simulation->world;
    SnMeasures all = sn_world_measure(world);
    SnPoses poses;
    if (sn_scene_flesh_count(simulation->scene) == 0 || sn_world_poses(world, &poses).code != SN_OK)
        return all;
    double sum = 0.0, most = 0.0;
    int segments = 0;
    for (int k = 0; k < poses.body_count; ++k) {
        SnMeasures own;
        if ((sn_scene_body(simulation->scene, k).flesh_of >= 0 &&
             !sn_body_is_muscle(world, poses.bodies[k])) ||
            sn_body_measure(world, poses.bodies[k], &own).code != SN_OK)
            continue;
        int count = poses.element_begin[k + 1] - poses.element_begin[k];
        sum += own.volume_error_mean * count;
        segments += count;
        most = own.volume_error_max > most ? own.volume_error_max : most;
    }
    all.volume_error_mean = segments > 0 ? sum / segments : 0.0;
    all.volume_error_max = most;
    return all;
}

double simulation_time(const Simulation *simulation) {
    return (double)simulation->steps * simulation->settings.step;
}

int simulation_asleep(const Simulation *simulation) {
    int count = 0;
    for (int i = 0; i < sn_scene_body_count(simulation->scene); ++i)
        count += sn_body_is_asleep(simulation->world, sn_scene_body_id(simulation->scene, i));
    return count;
}

int simulation_last_frame(SnSceneSettings settings, double seconds) {
    return (int)floor(seconds * settings.fps + 1.0e-6);
}

static void add_times(Simulation *simulation, double scene_ms) {
    SnStepTimes times = sn_world_step_times(simulation->world);
    SnStepTimes *sum = &simulation->last_frame;
    sum->animate += times.animate + (float)scene_ms; // keyframes are animation, too
    sum->collide += times.collide;
    sum->predict += times.predict;
    sum->iterate += times.iterate;
    sum->contacts += times.contacts;
    sum->finish += times.finish;
    sum->total += times.total + (float)scene_ms;
}

// "rope", segment 3, or "the world".
static void name_end(const SnWorld *world, const SnBodyPoint *p, char *out, size_t size) {
    if (p->body.index == 0)
        snprintf(out, size, "the world");
    else
        snprintf(out, size, "\"%s\", segment %d", sn_body_name(world, p->body), p->element);
}

// Of what is open by less within a step, m, nobody sees anything at its end.
#define SEEN_GAP 1.0e-4f

// How far a link is open, m, that is not by its compliance or the most it may bear.
static float unwanted_gap(const SnWorld *world, SnLinkId id, const SnLinkDef *def) {
    float gap;
    SnVec3 force;
    if (sn_link_gap(world, id, &gap).code != SN_OK ||
        sn_link_force(world, id, &force).code != SN_OK)
        return 0.0f;
    float size = sn_vec3_length(force);
    bool bears_all = def->max_force > 0.0f && size >= 0.9f * def->max_force;
    return bears_all ? 0.0f : gap - def->compliance * size;
}

static void note_torn_link(Simulation *simulation) {
    const SnWorld *world = simulation->world;
    SnLinkId id = {0, 0};
    SnLinkDef def;
    while ((id = sn_world_next_link(world, id)).index != 0) {
        if (sn_link_read(world, id, &def).code != SN_OK)
            continue;
        float gap = unwanted_gap(world, id, &def);
        if (!(gap > fmaxf(simulation->torn_gap, SEEN_GAP)))
            continue;
        char a[120], b[120];
        name_end(world, &def.a, a, sizeof a);
        name_end(world, &def.b, b, sizeof b);
        snprintf(simulation->torn_link, sizeof simulation->torn_link, "%s to %s", a, b);
        simulation->torn_gap = gap;
    }
}

SnResult simulation_step(Simulation *simulation) {
    const SnSceneSettings *settings = &simulation->settings;
    double start = sn_now_ms();
    double end_time = (double)(simulation->steps + 1) * settings->step;
    SnResult result =
        sn_scene_animate(simulation->scene, simulation->world, end_time, settings->step);
    double animated = sn_now_ms();
    if (result.code != SN_OK)
        return result;
    uint32_t bits = sn_world_step(simulation->world, (float)settings->step, settings->substeps,
                                  settings->iterations);
    simulation->bits |= bits;
    simulation->wall_ms += sn_now_ms() - start;
    ++simulation->steps;
    if (bits & SN_STEP_TORN)
        note_torn_link(simulation);
    add_times(simulation, animated - start);
    return result;
}

SnResult simulation_to_frame(Simulation *simulation, int frame, bool (*stop)(void *context),
                             void *context, bool *out_reached) {
    long target = lround((double)frame / (simulation->settings.fps * simulation->settings.step));
    simulation->last_frame = (SnStepTimes){0};
    *out_reached = true;
    while (simulation->steps < target) {
        if (stop(context)) {
            *out_reached = false;
            break;
        }
        SnResult result = simulation_step(simulation);
        if (result.code != SN_OK)
            return result;
    }
    return sn_ok();
}
