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
    {"skin-alone", SN_CHARACTER_FIGURE, 1.6}, // 19,252 vertices, 12 parts, a jump
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

// Characters with muscles: lines, fields and skin.
static const struct {
    const char *name, *lines;
    FleshCase character;
} FLESH_CASES[] = {
    {"jump", "jump-lines", {SN_CHARACTER_FIGURE, .seconds = 1.6, .points = 30}}, // 50 muscles
    {"arm", "arm-lines", {SN_CHARACTER_ARM, .seconds = 1.0, .points = 30}},      // 6 muscles
};
enum { FLESH_COUNT = sizeof FLESH_CASES / sizeof FLESH_CASES[0] };

static SnResult measure_flesh(Bench *bench, int which, int threads) {
    double best = INFINITY, lines = INFINITY;
    SnResult result = sn_ok();
    for (int run = 0; run < bench->runs && result.code == SN_OK; ++run) {
        if (!bench_go_on(bench, (double)run / bench->runs))
            break;
        FleshTimes times;
        result = flesh_measure(&FLESH_CASES[which].character, threads, bench->isa, &times);
        best = fmin(best, times.lines + times.skin);
        lines = fmin(lines, times.lines);
    }
    if (result.code == SN_OK && !bench->stopped) {
        bench_add_row(bench, FLESH_CASES[which].name, threads, best, "ms");
        bench_add_row(bench, FLESH_CASES[which].lines, threads, lines, "ms");
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
        result = which < CASE_COUNT ? measure(bench, &CASES[which], threads)
                                    : measure_flesh(bench, which - CASE_COUNT, threads);
    }
    return result;
}
