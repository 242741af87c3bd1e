// The scene that sinew flesh writes.
#include "app/flesh.h"
#include "io/file.h"
#include "io/json_write.h"

#include <sinew/scene.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUBSTEPS 4        // enough for lines that jiggle at 12 Hz
#define STILL_SECONDS 2.0 // of a scene in which nothing plays
#define BONE_RADIUS 0.035 // over the length

// The character as the scene file sees it: from its own folder where it lies in that, or below it.
static SnResult path_from(const char *scene, const char *file, char out[PATH_MAX]) {
    char folder[PATH_MAX], full[PATH_MAX], real[PATH_MAX];
    const char *slash = strrchr(scene, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - scene) + 1 : 1,
             slash ? scene : ".");
    if (realpath(file, full) == NULL || realpath(folder, real) == NULL)
        return sn_error(SN_ERROR_FILE, "%.200s: its folder does not exist", scene);
    size_t length = strlen(real);
    bool below = strncmp(full, real, length) == 0 && full[length] == '/';
    snprintf(out, PATH_MAX, "%s", below ? full + length + 1 : full);
    return sn_ok();
}

static void put_text(JsonWriter *json, const char *key, const char *value) {
    sn__json_put_key(json, key);
    sn__json_put_string(json, value);
}

static void put_vec3(JsonWriter *json, const char *key, SnVec3 x) {
    sn__json_put_key(json, key);
    sn__json_open(json, '[');
    sn__json_put_float(json, x.x);
    sn__json_put_float(json, x.y);
    sn__json_put_float(json, x.z);
    sn__json_close(json, ']');
}

static void put_number(JsonWriter *json, const char *key, double value) {
    sn__json_put_key(json, key);
    sn__json_put_double(json, value);
}

static const char *joint_name(const Flesh *flesh, int joint) {
    return sn_skeleton_joint(flesh->skeleton, joint).name;
}

// Bones of limbs that muscles touch, where the next joint tells where they end.
static void put_bones(const Flesh *flesh, JsonWriter *json) {
    static const SnHumanJoint upper[] = {SN_HUMAN_UPPER_ARM_LEFT, SN_HUMAN_FOREARM_LEFT,
                                         SN_HUMAN_THIGH_LEFT, SN_HUMAN_SHIN_LEFT};
    if (!flesh->humanoid) {
        sn__json_put_bool(json, false);
        return;
    }
    sn__json_open(json, '[');
    for (int k = 0; k < 4; ++k)
        for (int side = 0; side < 2; ++side) {
            int from = flesh->joints[(int)upper[k] + side];
            int to = flesh->joints[(int)upper[k] + side + 2];
            if (from < 0 || to < 0)
                continue;
            SnVec3 way = sn_vec3_sub(flesh->places[to], flesh->places[from]);
            sn__json_put_space(json, "\n   ");
            sn__json_open(json, '{');
            put_text(json, "joint", joint_name(flesh, from));
            put_text(json, "to", joint_name(flesh, to));
            put_number(json, "radius", BONE_RADIUS * (double)sn_vec3_length(way));
            sn__json_close(json, '}');
        }
    sn__json_close(json, ']');
}

static void put_profile(JsonWriter *json, const char *key, const SnMuscleProfile *p) {
    sn__json_put_key(json, key);
    sn__json_open(json, '{');
    sn__json_put_key(json, "alpha");
    sn__json_put_int(json, p->alpha);
    sn__json_put_key(json, "beta");
    sn__json_put_int(json, p->beta);
    put_number(json, "eccentricity", (double)p->eccentricity);
    sn__json_close(json, '}');
}

static void put_muscle(const Flesh *flesh, const SnFleshMuscle *m, JsonWriter *json) {
    sn__json_put_space(json, "\n  ");
    sn__json_open(json, '{');
    put_text(json, "name", m->name);
    put_number(json, "volume", (double)m->volume);
    sn__json_put_space(json, "\n   ");
    sn__json_put_key(json, "path");
    sn__json_open(json, '[');
    for (int i = 0; i < m->point_count; ++i) {
        sn__json_open(json, '{');
        put_text(json, "frame", joint_name(flesh, m->path[i].joint));
        put_vec3(json, "position", m->path[i].position);
        sn__json_close(json, '}');
    }
    sn__json_close(json, ']');
    sn__json_put_space(json, "\n   ");
    put_vec3(json, "normal", m->normal);
    put_profile(json, "rest", &m->rest);
    put_profile(json, "active", &m->active);
    if (m->drive_joint >= 0) {
        sn__json_put_space(json, "\n   ");
        sn__json_put_key(json, "activated_by");
        sn__json_open(json, '{');
        put_text(json, "frame", joint_name(flesh, m->drive_joint));
        put_number(json, "from", (double)m->drive_from);
        put_number(json, "to", (double)m->drive_to);
        sn__json_close(json, '}');
    }
    sn__json_close(json, '}');
}

static void put_muscles(const Flesh *flesh, JsonWriter *json) {
    sn__json_put_space(json, "\n ");
    sn__json_put_key(json, "flesh");
    sn__json_open(json, '[');
    for (int i = 0; i < flesh->muscle_count; ++i)
        put_muscle(flesh, &flesh->muscles[i], json);
    sn__json_close(json, ']');
}

static void put_scene(const Flesh *flesh, const char *file, JsonWriter *json) {
    double seconds = flesh->clip >= 0 ? sn_skeleton_clip(flesh->skeleton, flesh->clip).duration : 0;
    sn__json_open(json, '{');
    sn__json_put_key(json, "version");
    sn__json_put_int(json, SN_SCENE_VERSION);
    sn__json_put_space(json, "\n ");
    sn__json_put_key(json, "world");
    sn__json_open(json, '{');
    sn__json_put_key(json, "seconds");
    sn__json_put_double(json, seconds > 0.0 ? seconds : STILL_SECONDS);
    if (flesh->muscle_count > 0) {
        sn__json_put_key(json, "substeps");
        sn__json_put_int(json, SUBSTEPS);
    }
    sn__json_close(json, '}');
    sn__json_put_space(json, "\n ");
    sn__json_put_key(json, "skeleton");
    sn__json_open(json, '{');
    put_text(json, flesh->model ? "model" : "file", file);
    if (flesh->clip >= 0)
        put_text(json, "clip", sn_skeleton_clip(flesh->skeleton, flesh->clip).name);
    sn__json_put_key(json, "implicit");
    sn__json_put_bool(json, true);
    sn__json_put_key(json, "bones");
    put_bones(flesh, json);
    if (flesh->humanoid) {
        sn__json_put_key(json, "visible");
        sn__json_put_bool(json, false);
    }
    sn__json_close(json, '}');
    if (flesh->muscle_count > 0)
        put_muscles(flesh, json);
    sn__json_put_space(json, "\n");
    sn__json_close(json, '}');
    sn__json_put_space(json, "\n");
}

SnResult flesh_write_scene(const Flesh *flesh, const char *path) {
    char file[PATH_MAX];
    SnResult result = sn_ok();
    if (flesh->model)
        snprintf(file, sizeof file, "%s", flesh->model);
    else
        result = path_from(path, flesh->path, file);
    if (result.code != SN_OK)
        return result;
    JsonWriter json = {0};
    FileWriter writer;
    put_scene(flesh, file, &json);
    result = json.out_of_memory ? sn_error(SN_ERROR_MEMORY, "%.200s: no memory", path)
                                : sn__file_begin(&writer, path);
    if (result.code == SN_OK) {
        sn__file_write(&writer, json.text, json.size);
        result = sn__file_end(&writer);
    }
    sn__json_writer_free(&json);
    return result;
}
