#include "bench/flesh.h"

#include "bench/bench.h"

#include <sinew/flesh.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUBSTEPS 4 // of a step of 1/60 s, as sinew flesh has them

// Text that grows.
typedef struct Text {
    char *bytes;
    size_t size, room;
} Text;

static void put(Text *text, const char *format, ...) {
    char line[512];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(line, sizeof line, format, list);
    va_end(list);
    if (text->size + (size_t)length + 1 > text->room) {
        text->room = 2 * text->room + 65536;
        char *bytes = realloc(text->bytes, text->room);
        if (bytes == NULL)
            abort();
        text->bytes = bytes;
    }
    memcpy(text->bytes + text->size, line, (size_t)length + 1);
    text->size += (size_t)length;
}

static void put_muscle(Text *text, const SnSkeleton *skeleton, const SnFleshMuscle *m, int points,
                       bool first) {
    put(text, "%s{\"name\":\"%s\",\"points\":%d,\"volume\":%.6g,\"path\":[", first ? "" : ",",
        m->name, points, (double)m->volume);
    for (int i = 0; i < m->point_count; ++i)
        put(text, "%s{\"frame\":\"%s\",\"position\":[%.6g,%.6g,%.6g]}", i ? "," : "",
            sn_skeleton_joint(skeleton, m->path[i].joint).name, (double)m->path[i].position.x,
            (double)m->path[i].position.y, (double)m->path[i].position.z);
    put(text, "],\"normal\":[%.6g,%.6g,%.6g]", (double)m->normal.x, (double)m->normal.y,
        (double)m->normal.z);
    put(text, ",\"rest\":{\"alpha\":%d,\"beta\":%d,\"eccentricity\":%g}", m->rest.alpha,
        m->rest.beta, (double)m->rest.eccentricity);
    put(text, ",\"active\":{\"alpha\":%d,\"beta\":%d,\"eccentricity\":%g}", m->active.alpha,
        m->active.beta, (double)m->active.eccentricity);
    if (m->drive_joint >= 0)
        put(text, ",\"activated_by\":{\"frame\":\"%s\",\"from\":%g,\"to\":%g}",
            sn_skeleton_joint(skeleton, m->drive_joint).name, (double)m->drive_from,
            (double)m->drive_to);
    put(text, "}");
}

static SnResult place(const SnSkeleton *skeleton, SnCharacter character, SnFleshMuscle *muscles,
                      int *count) {
    int joints[SN_HUMAN_JOINT_COUNT], more = 0;
    if (character == SN_CHARACTER_FIGURE) {
        SnResult result = sn_humanoid_find(skeleton, joints);
        return result.code == SN_OK ? sn_humanoid_muscles(skeleton, joints, muscles, count)
                                    : result;
    }
    SnResult result = sn_bone_muscles(skeleton, 0, muscles, count);
    if (result.code == SN_OK)
        result = sn_bone_muscles(skeleton, 1, muscles + *count, &more);
    *count += more;
    return result;
}

SnResult flesh_scene(const FleshCase *which, SnScene **out_scene) {
    SnSkeleton *skeleton = NULL;
    SnFleshMuscle *muscles = calloc(SN_MAX_HUMAN_MUSCLES, sizeof *muscles);
    Text text = {0};
    int count = 0;
    SnResult result = muscles ? sn_character_skeleton(which->character, NULL, &skeleton)
                              : sn_error(SN_ERROR_MEMORY, "bench: no memory");
    if (result.code == SN_OK)
        result = place(skeleton, which->character, muscles, &count);
    if (result.code == SN_OK) {
        put(&text,
            "{\"version\":1,\"skeleton\":{\"model\":\"%s\",\"clip\":\"%s\",\"implicit\":true,",
            sn_character_name(which->character), sn_skeleton_clip(skeleton, which->clip).name);
        put(&text, "\"bones\":true},\"flesh\":[");
        for (int i = 0; i < count; ++i)
            put_muscle(&text, skeleton, &muscles[i], which->points, i == 0);
        put(&text, "]}");
        result = sn_scene_load_text("flesh.json", text.bytes, text.size, out_scene, NULL);
    }
    free(text.bytes);
    free(muscles);
    sn_skeleton_destroy(skeleton);
    return result;
}

typedef struct Fleshed {
    SnScene *scene;
    SnWorld *world;
    SnMuscleField *muscles[SN_MAX_HUMAN_MUSCLES];
    int count;
    SnImplicit *skin;
} Fleshed;

static SnResult set_apart(const Fleshed *f) {
    SnResult result = sn_ok();
    for (int i = 0; i < sn_scene_flesh_count(f->scene) && result.code == SN_OK; ++i)
        result = sn_body_set_filter(f->world,
                                    sn_scene_body_id(f->scene, sn_scene_flesh(f->scene, i).body),
                                    (SnFilter){1, 0, 0});
    return result;
}

static SnResult make(const FleshCase *which, int threads, SnIsa isa, Fleshed *f) {
    SnResult result = flesh_scene(which, &f->scene);
    SnWorldDef world = sn_default_world_def();
    world.thread_count = threads;
    world.isa = isa;
    if (result.code == SN_OK)
        result = sn_scene_build(f->scene, &world, &f->world);
    if (result.code == SN_OK && which->apart)
        result = set_apart(f);
    int count = result.code == SN_OK ? sn_scene_flesh_count(f->scene) : 0;
    for (f->count = 0; f->count < count && result.code == SN_OK; ++f->count)
        result = sn_scene_flesh_field(f->scene, f->count, NULL, &f->muscles[f->count]);
    SnImplicitDef def = sn_default_implicit_def();
    def.skeleton = result.code == SN_OK ? sn_scene_skeleton(f->scene, 0).skeleton : NULL;
    def.muscle_count = which->bare ? 0 : f->count;
    def.muscles = (const SnMuscleField *const *)f->muscles;
    def.thread_count = threads;
    def.isa = isa;
    return result.code == SN_OK ? sn_implicit_create(&def, NULL, &f->skin) : result;
}

static SnResult step_lines(const Fleshed *f, double time) {
    SnResult result = sn_ok();
    for (int k = 1; k <= 2 && result.code == SN_OK; ++k) {
        result = sn_scene_animate(f->scene, f->world, time - (2 - k) / 60.0, 1.0 / 60.0);
        sn_world_step(f->world, 1.0f / 60.0f, SUBSTEPS, 1);
    }
    return result;
}

static SnResult move_skin(const Fleshed *f, double time, bool bare) {
    SnSceneSkeleton skeleton = sn_scene_skeleton(f->scene, 0);
    SnTransform locals[16];
    SnMap maps[16];
    SnPoses poses;
    SnResult result = sn_ok();
    sn_skeleton_play(skeleton.skeleton, skeleton.cues, skeleton.cue_count, time, locals);
    sn_skeleton_maps(skeleton.skeleton, locals, &skeleton.place, maps);
    sn_world_poses(f->world, &poses);
    for (int m = 0; m < f->count && result.code == SN_OK && !bare; ++m)
        result = sn_scene_move_flesh(f->scene, m, time, maps, &poses, f->muscles[m]);
    return result.code == SN_OK ? sn_implicit_deform(f->skin, maps) : result;
}

static SnResult play(const FleshCase *which, const Fleshed *f, FleshTimes *out) {
    SnResult result = sn_ok();
    int frames = (int)(30.0 * which->seconds);
    for (int i = 1; i <= frames && result.code == SN_OK; ++i) {
        double start = sn_now_ms();
        result = step_lines(f, i / 30.0);
        double middle = sn_now_ms();
        if (result.code == SN_OK)
            result = move_skin(f, i / 30.0, which->bare);
        out->lines += (middle - start) / frames;
        out->skin += (sn_now_ms() - middle) / frames;
    }
    return result;
}

SnResult flesh_measure(const FleshCase *which, int threads, SnIsa isa, FleshTimes *out) {
    Fleshed f = {0};
    *out = (FleshTimes){0};
    SnResult result = make(which, threads, isa, &f);
    if (result.code == SN_OK) {
        const SnSkeleton *skeleton = sn_scene_skeleton(f.scene, 0).skeleton;
        out->vertices = sn_skeleton_mesh(skeleton, 0).vertex_count;
        out->joints = sn_skeleton_joint_count(skeleton);
        out->muscles = f.count;
        out->points = f.count * (which->points - 2);
        result = play(which, &f, out);
    }
    sn_implicit_destroy(f.skin);
    for (int i = 0; i < f.count; ++i)
        sn_muscle_field_destroy(f.muscles[i]);
    sn_world_destroy(f.world);
    sn_scene_destroy(f.scene);
    return result;
}
