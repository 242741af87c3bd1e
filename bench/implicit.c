// implicit: what it costs to bring an implicit skin to the next frame, and to make one.
#include "bench/bench.h"
#include "bench/flesh.h"

#include <sinew/implicit.h>

#include <math.h>
#include <stdio.h>

#define FRAMES 48

typedef struct SkinCase {
    const char *name;
    SnCharacter character;
    double seconds; // of its clip
} SkinCase;

static const SkinCase CASES[] = {
    {"skin-alone", SN_CHARACTER_FIGURE, 1.6}, // 19,382 vertices, 12 parts, a jump
    {"arm-skin", SN_CHARACTER_ARM, 1.0},      // 2,172 vertices, 3 parts, bent by 150°
};
enum { CASE_COUNT = sizeof CASES / sizeof CASES[0] };

// The mean of the frames of a clip, ms.
static SnResult play(SnImplicit *skin, const SnSkeleton *skeleton, double seconds, double *out_ms) {
    SnTransform locals[16];
    SnMap maps[16];
    SnResult result = sn_ok();
    double sum = 0.0;
    sn_implicit_reset(skin);
    for (int i = 0; i < FRAMES && result.code == SN_OK; ++i) {
        sn_skeleton_sample(skeleton, 0, seconds * i / FRAMES, locals);
        sn_skeleton_maps(skeleton, locals, NULL, maps);
        double start = sn_now_ms();
        result = sn_implicit_deform(skin, maps);
        sum += sn_now_ms() - start;
    }
    *out_ms = sum / FRAMES;
    return result;
}

static SnResult measure(Bench *bench, const SkinCase *which, int threads) {
    SnSkeleton *skeleton = NULL;
    SnImplicit *skin = NULL;
    SnResult result = sn_character_skeleton(which->character, NULL, &skeleton);
    SnImplicitDef def = sn_default_implicit_def();
    def.skeleton = skeleton;
    def.thread_count = threads;
    def.isa = bench->isa;
    double start = sn_now_ms(), best = INFINITY, ms;
    if (result.code == SN_OK)
        result = sn_implicit_create(&def, NULL, &skin);
    double made = sn_now_ms() - start;
    for (int run = 0; run < bench->runs && result.code == SN_OK; ++run) {
        if (!bench_go_on(bench, (double)run / bench->runs))
            break;
        result = play(skin, skeleton, which->seconds, &ms);
        best = fmin(best, ms);
    }
    if (result.code == SN_OK && !bench->stopped) {
        bench_add_row(bench, which->name, threads, best, "ms");
        if (which->character == SN_CHARACTER_FIGURE)
            bench_add_row(bench, "flesh", threads, made, "ms");
    }
    sn_implicit_destroy(skin);
    sn_skeleton_destroy(skeleton);
    return result;
}

// A character with muscles: lines, fields and skin.
typedef struct FleshCase {
    const char *name, *lines;
    SnCharacter character;
    double seconds; // of its clip
} FleshCase;

static const FleshCase FLESH_CASES[] = {
    {"jump", "jump-lines", SN_CHARACTER_FIGURE, 1.6}, // 50 muscles of 30 points
    {"arm", "arm-lines", SN_CHARACTER_ARM, 1.0},      // 6 muscles of 30 points
};
enum { FLESH_COUNT = sizeof FLESH_CASES / sizeof FLESH_CASES[0] };

typedef struct Fleshed {
    SnScene *scene;
    SnWorld *world;
    SnMuscleField *muscles[64];
    int count;
    SnImplicit *skin;
    double lines, all; // ms
} Fleshed;

static SnResult make_flesh(Bench *bench, const FleshCase *which, int threads, Fleshed *f) {
    SnResult result = flesh_scene(which->character, &f->scene);
    SnWorldDef world = sn_default_world_def();
    world.thread_count = threads;
    world.isa = bench->isa;
    if (result.code == SN_OK)
        result = sn_scene_build(f->scene, &world, &f->world);
    int count = result.code == SN_OK ? sn_scene_flesh_count(f->scene) : 0;
    for (f->count = 0; f->count < count && result.code == SN_OK; ++f->count) {
        SnSceneFlesh flesh = sn_scene_flesh(f->scene, f->count);
        result = sn_muscle_field_create(&flesh.rest, NULL, &f->muscles[f->count]);
    }
    SnImplicitDef def = sn_default_implicit_def();
    def.skeleton = result.code == SN_OK ? sn_scene_skeleton(f->scene, 0).skeleton : NULL;
    def.muscle_count = f->count;
    def.muscles = (const SnMuscleField *const *)f->muscles;
    def.thread_count = threads;
    def.isa = bench->isa;
    return result.code == SN_OK ? sn_implicit_create(&def, NULL, &f->skin) : result;
}

// Frames of a thirtieth of a second, each of two steps of ten sub-steps.
static SnResult play_flesh(const FleshCase *which, Fleshed *f) {
    SnSceneSkeleton skeleton = sn_scene_skeleton(f->scene, 0);
    SnTransform locals[16];
    SnMap maps[16];
    SnPoses poses;
    SnResult result = sn_ok();
    int frames = (int)(30.0 * which->seconds);
    for (int i = 1; i <= frames && result.code == SN_OK; ++i) {
        double time = i / 30.0, start = sn_now_ms();
        for (int k = 1; k <= 2 && result.code == SN_OK; ++k) {
            result = sn_scene_animate(f->scene, f->world, time - (2 - k) / 60.0, 1.0 / 60.0);
            sn_world_step(f->world, 1.0f / 60.0f, 10, 1);
        }
        f->lines += (sn_now_ms() - start) / frames;
        sn_skeleton_play(skeleton.skeleton, skeleton.cues, skeleton.cue_count, time, locals);
        sn_skeleton_maps(skeleton.skeleton, locals, &skeleton.place, maps);
        sn_world_poses(f->world, &poses);
        for (int m = 0; m < f->count && result.code == SN_OK; ++m)
            result = sn_scene_move_flesh(f->scene, m, time, maps, &poses, f->muscles[m]);
        if (result.code == SN_OK)
            result = sn_implicit_deform(f->skin, maps);
        f->all += (sn_now_ms() - start) / frames;
    }
    return result;
}

static SnResult measure_flesh(Bench *bench, const FleshCase *which, int threads) {
    double best = INFINITY, lines = INFINITY;
    SnResult result = sn_ok();
    for (int run = 0; run < bench->runs && result.code == SN_OK; ++run) {
        if (!bench_go_on(bench, (double)run / bench->runs))
            break;
        Fleshed f = {0};
        result = make_flesh(bench, which, threads, &f);
        if (result.code == SN_OK)
            result = play_flesh(which, &f);
        best = fmin(best, f.all);
        lines = fmin(lines, f.lines);
        sn_implicit_destroy(f.skin);
        for (int i = 0; i < f.count; ++i)
            sn_muscle_field_destroy(f.muscles[i]);
        sn_world_destroy(f.world);
        sn_scene_destroy(f.scene);
    }
    if (result.code == SN_OK && !bench->stopped) {
        bench_add_row(bench, which->name, threads, best, "ms");
        bench_add_row(bench, which->lines, threads, lines, "ms");
    }
    return result;
}

SnResult bench_implicit(Bench *bench) {
    SnResult result = sn_ok();
    int count = (CASE_COUNT + FLESH_COUNT) * bench->thread_count_count;
    for (int i = 0; i < count && result.code == SN_OK && !bench->stopped; ++i) {
        bench_part(bench, i, count);
        int which = i % (CASE_COUNT + FLESH_COUNT);
        int threads = bench->thread_counts[i / (CASE_COUNT + FLESH_COUNT)];
        result = which < CASE_COUNT
                     ? measure(bench, &CASES[which], threads)
                     : measure_flesh(bench, &FLESH_CASES[which - CASE_COUNT], threads);
    }
    return result;
}
