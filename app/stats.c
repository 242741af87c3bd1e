#include "app/stats.h"

#include <sinew/muscle.h>

#include "io/file.h"
#include "io/json_write.h"

#include <errno.h>
#include <stdlib.h>

// Scenes with more attachments or bodies than this are crowds; who wants a single one asks in C.
#define MOST_REACTIONS 256
#define MOST_BODIES 64

struct Stats {
    FileWriter file;
    JsonWriter json;
    bool reactions, links; // there are few enough of them
};

// What was written to memory goes to the file.
static void flush(Stats *stats) {
    sn__file_write(&stats->file, stats->json.text, stats->json.size);
    stats->json.size = 0;
}

static void put_number(Stats *stats, const char *key, double value) {
    sn__json_put_key(&stats->json, key);
    sn__json_put_double(&stats->json, value);
}

// A measured time; more digits than a float has would only be noise.
static void put_time(Stats *stats, const char *key, float value) {
    sn__json_put_key(&stats->json, key);
    sn__json_put_float(&stats->json, value);
}

static bool has_few_attachments(const SnWorld *world) {
    SnAttachmentId id = {0, 0};
    int count = 0;
    while (count <= MOST_REACTIONS && (id = sn_world_next_attachment(world, id)).index != 0)
        ++count;
    return count <= MOST_REACTIONS;
}

// What the reactions of every frame belong to, in their order.
static void put_attachments(Stats *stats, const SnWorld *world) {
    static const char *const kinds[] = {[SN_ATTACH_VERTEX] = "vertex",
                                        [SN_ATTACH_SEGMENT] = "segment",
                                        [SN_ATTACH_SCALE] = "scale",
                                        [SN_ATTACH_MARK] = "mark",
                                        [SN_ATTACH_DIRECTION] = "direction"};
    JsonWriter *json = &stats->json;
    sn__json_put_key(json, "attachments");
    sn__json_open(json, '[');
    SnAttachmentId id = {0, 0};
    SnAttachmentDef def;
    while (stats->reactions && (id = sn_world_next_attachment(world, id)).index != 0) {
        if (sn_attachment_read(world, id, &def).code != SN_OK)
            continue;
        sn__json_open(json, '{');
        sn__json_put_key(json, "body");
        sn__json_put_string(json, sn_body_name(world, def.body));
        sn__json_put_key(json, kinds[def.kind]);
        sn__json_put_int(json, def.index);
        sn__json_close(json, '}');
    }
    sn__json_close(json, ']');
}

static bool has_few_links(const SnWorld *world) {
    SnLinkId id = {0, 0};
    int count = 0;
    while (count <= MOST_REACTIONS && (id = sn_world_next_link(world, id)).index != 0)
        ++count;
    return count <= MOST_REACTIONS;
}

static void put_point(Stats *stats, const SnWorld *world, const char *key, const SnBodyPoint *p) {
    JsonWriter *json = &stats->json;
    if (p->body.index == 0)
        return;
    sn__json_put_key(json, key);
    sn__json_open(json, '{');
    sn__json_put_key(json, "body");
    sn__json_put_string(json, sn_body_name(world, p->body));
    sn__json_put_key(json, "segment");
    sn__json_put_int(json, p->element);
    put_number(stats, "t", (double)p->t);
    sn__json_close(json, '}');
}

static void put_vector(Stats *stats, const char *key, SnVec3 v) {
    sn__json_put_key(&stats->json, key);
    sn__json_open(&stats->json, '[');
    sn__json_put_float(&stats->json, v.x);
    sn__json_put_float(&stats->json, v.y);
    sn__json_put_float(&stats->json, v.z);
    sn__json_close(&stats->json, ']');
}

static void put_reactions(Stats *stats, SnWorld *world) {
    JsonWriter *json = &stats->json;
    sn__json_put_key(json, "reactions");
    sn__json_open(json, '[');
    SnAttachmentId id = {0, 0};
    while (stats->reactions && (id = sn_world_next_attachment(world, id)).index != 0) {
        SnReaction reaction = {0};
        if (sn_attachment_reaction(world, id, &reaction).code == SN_ERROR_MEMORY)
            stats->file.error = ENOMEM;
        sn__json_open(json, '{');
        put_vector(stats, "force", reaction.force);
        put_vector(stats, "torque", reaction.torque);
        sn__json_close(json, '}');
    }
    sn__json_close(json, ']');
}

// Of a frame, each with what it ties: scenes release links, and the next frame has fewer.
static void put_links(Stats *stats, const SnWorld *world) {
    JsonWriter *json = &stats->json;
    sn__json_put_key(json, "links");
    sn__json_open(json, '[');
    SnLinkId id = {0, 0};
    while (stats->links && (id = sn_world_next_link(world, id)).index != 0) {
        SnLinkDef def;
        SnVec3 force;
        float gap;
        if (sn_link_read(world, id, &def).code != SN_OK ||
            sn_link_force(world, id, &force).code != SN_OK ||
            sn_link_gap(world, id, &gap).code != SN_OK)
            continue;
        sn__json_open(json, '{');
        put_point(stats, world, "a", &def.a);
        put_point(stats, world, "b", &def.b);
        put_vector(stats, "force", force);
        put_number(stats, "gap", (double)gap);
        sn__json_close(json, '}');
    }
    sn__json_close(json, ']');
}

// Of a frame, all muscles of the scene by name.
static void put_muscles(Stats *stats, const SnWorld *world) {
    JsonWriter *json = &stats->json;
    sn__json_put_key(json, "muscles");
    sn__json_open(json, '[');
    SnBodyId id = {0, 0};
    SnMuscleState muscle;
    while ((id = sn_world_next_body(world, id)).index != 0) {
        if (!sn_body_is_muscle(world, id) || sn_muscle_read(world, id, &muscle).code != SN_OK)
            continue;
        sn__json_open(json, '{');
        sn__json_put_key(json, "name");
        sn__json_put_string(json, sn_body_name(world, id));
        put_number(stats, "activation", (double)muscle.activation);
        put_number(stats, "length", (double)muscle.length);
        put_number(stats, "volume", (double)muscle.volume);
        put_number(stats, "tension", (double)muscle.tension);
        put_vector(stats, "moment_arm", muscle.moment_arm);
        sn__json_close(json, '}');
    }
    sn__json_close(json, ']');
}

static void put_head(Stats *stats, const Simulation *simulation, int threads) {
    JsonWriter *json = &stats->json;
    sn__json_open(json, '{');
    sn__json_put_key(json, "scene");
    sn__json_put_string(json, sn_scene_name(simulation->scene));
    sn__json_put_key(json, "version");
    sn__json_put_string(json, sn_version());
    sn__json_put_key(json, "isa");
    sn__json_put_string(json, sn_isa_name(sn_world_isa(simulation->world)));
    sn__json_put_key(json, "threads");
    sn__json_put_int(json, threads);
    put_number(stats, "step", simulation->settings.step);
    sn__json_put_key(json, "substeps");
    sn__json_put_int(json, simulation->settings.substeps);
    sn__json_put_key(json, "iterations");
    sn__json_put_int(json, simulation->settings.iterations);
    put_attachments(stats, simulation->world);
    sn__json_put_key(json, "frames");
    sn__json_open(json, '[');
}

SnResult stats_open(const char *path, const Simulation *simulation, int threads,
                    Stats **out_stats) {
    Stats *stats = calloc(1, sizeof *stats);
    SnResult result = stats ? sn__file_begin(&stats->file, path)
                            : sn_error(SN_ERROR_MEMORY, "%s: no memory to write it", path);
    if (result.code != SN_OK) {
        free(stats);
        return result;
    }
    stats->reactions = has_few_attachments(simulation->world);
    stats->links = has_few_links(simulation->world);
    put_head(stats, simulation, threads);
    flush(stats);
    *out_stats = stats;
    return sn_ok();
}

static void put_times(Stats *stats, const SnStepTimes *times) {
    sn__json_put_key(&stats->json, "ms");
    sn__json_open(&stats->json, '{');
    put_time(stats, "animate", times->animate);
    put_time(stats, "collide", times->collide);
    put_time(stats, "predict", times->predict);
    put_time(stats, "iterate", times->iterate);
    put_time(stats, "contacts", times->contacts);
    put_time(stats, "finish", times->finish);
    put_time(stats, "total", times->total);
    sn__json_close(&stats->json, '}');
}

static void put_energies(Stats *stats, const SnMeasures *m) {
    sn__json_put_key(&stats->json, "energy");
    sn__json_open(&stats->json, '{');
    put_number(stats, "stretch", m->energy_stretch);
    put_number(stats, "shear", m->energy_shear);
    put_number(stats, "bend", m->energy_bend);
    put_number(stats, "twist", m->energy_twist);
    put_number(stats, "scale", m->energy_scale);
    put_number(stats, "volume", m->energy_volume);
    put_number(stats, "kinetic", m->energy_kinetic);
    put_number(stats, "gravity", m->energy_gravity);
    put_number(stats, "total", m->energy_elastic + m->energy_kinetic + m->energy_gravity);
    sn__json_close(&stats->json, '}');
}

// Where a point of all poses is, m.
static void put_place(Stats *stats, const char *key, const SnPoses *poses, int point) {
    const float *x = poses->positions + 3 * (size_t)point;
    put_vector(stats, key, sn_vec3(x[0], x[1], x[2]));
}

static void put_bodies(Stats *stats, SnWorld *world) {
    JsonWriter *json = &stats->json;
    sn__json_put_key(json, "bodies");
    sn__json_open(json, '[');
    SnPoses poses;
    bool few =
        sn_world_body_count(world) <= MOST_BODIES && sn_world_poses(world, &poses).code == SN_OK;
    for (int k = 0; few && k < poses.body_count; ++k) {
        SnMeasures measures;
        if (sn_body_measure(world, poses.bodies[k], &measures).code != SN_OK)
            continue;
        sn__json_open(json, '{');
        sn__json_put_key(json, "name");
        sn__json_put_string(json, sn_body_name(world, poses.bodies[k]));
        put_place(stats, "first", &poses, poses.point_begin[k]);
        put_place(stats, "last", &poses, poses.point_begin[k + 1] - 1);
        put_energies(stats, &measures);
        sn__json_close(json, '}');
    }
    sn__json_close(json, ']');
}

void stats_add(Stats *stats, const Simulation *simulation, const SnMeasures *measures) {
    JsonWriter *json = &stats->json;
    sn__json_put_space(json, json->comma ? "" : "\n");
    sn__json_open(json, '{');
    put_number(stats, "time", simulation_time(simulation));
    put_times(stats, &simulation->last_frame);
    sn__json_put_key(json, "volume_error");
    sn__json_open(json, '{');
    put_number(stats, "mean", measures->volume_error_mean);
    put_number(stats, "max", measures->volume_error_max);
    sn__json_close(json, '}');
    put_number(stats, "stretch_max", measures->stretch_max);
    put_number(stats, "speed_max", measures->speed_max);
    sn__json_put_key(json, "contacts");
    sn__json_put_int(json, sn_world_contact_events(simulation->world).contact_count);
    put_number(stats, "penetration_max", measures->penetration_max);
    sn__json_put_key(json, "asleep");
    sn__json_put_int(json, simulation_asleep(simulation));
    put_energies(stats, measures);
    put_number(stats, "residual", measures->residual);
    sn__json_put_key(json, "stiff");
    sn__json_open(json, '{');
    put_number(stats, "residual", measures->stiff_residual);
    sn__json_put_key(json, "iterations");
    sn__json_put_int(json, measures->stiff_iterations);
    sn__json_put_key(json, "broken_joints");
    sn__json_put_int(json, measures->broken_joints);
    sn__json_close(json, '}');
    put_reactions(stats, simulation->world);
    put_links(stats, simulation->world);
    put_muscles(stats, simulation->world);
    put_bodies(stats, simulation->world);
    sn__json_close(json, '}');
    sn__json_put_space(json, "\n");
    flush(stats);
}

SnResult stats_close(Stats *stats) {
    sn__json_close(&stats->json, ']');
    sn__json_close(&stats->json, '}');
    sn__json_put_space(&stats->json, "\n");
    flush(stats);
    if (stats->json.out_of_memory)
        stats->file.error = ENOMEM;
    SnResult result = sn__file_end(&stats->file);
    sn__json_writer_free(&stats->json);
    free(stats);
    return result;
}
