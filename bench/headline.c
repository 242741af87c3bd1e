// headline: how many degrees of freedom keep up with 100 steps a second.
#include "bench/bench.h"
#include "bench/strands.h"

#include <math.h>
#include <stdio.h>

#define SEGMENTS 30
#define SWEEPS 10
#define STEP 0.01f
#define STEP_MS 10.0
#define DEGREES_PER_SEGMENT 7 // position, scale and frame
#define FIRST_GUESS 4000      // strands
#define MAX_STRANDS 200000
#define REFINEMENTS 4
#define CLOSE_ENOUGH 0.03 // of STEP_MS

static SnResult make_world(const Bench *bench, BenchTimer *timer, int strands) {
    StrandsDef def = {
        .strands = strands, .segments = SEGMENTS, .threads = timer->threads, .isa = bench->isa};
    return strands_create(&def, &timer->world);
}

// Finds the number of strands whose step takes STEP_MS, by rule of three from size to size. Leaves
// the timer with that world.
static SnResult find_size(Bench *bench, BenchTimer *timer, int *out_strands) {
    int strands = FIRST_GUESS;
    for (int i = 0;; ++i) {
        SnResult result = make_world(bench, timer, strands);
        if (result.code != SN_OK || !bench_time(bench, timer, 1, 3))
            return result;
        *out_strands = strands;
        if (i == REFINEMENTS || fabs(timer->best_ms / STEP_MS - 1.0) < CLOSE_ENOUGH)
            return result;
        double next = fmin(fmax(round(strands * STEP_MS / timer->best_ms), 1.0), MAX_STRANDS);
        strands = (int)next;
        sn_world_destroy(timer->world);
        timer->world = NULL;
    }
}

SnResult bench_headline(Bench *bench) {
    BenchTimer timers[4] = {0};
    int strands[4], count = 2 * bench->thread_count_count;
    SnResult result = sn_ok();
    for (int i = 0; i < count && result.code == SN_OK && !bench->stopped; ++i) {
        BenchTimer *timer = &timers[i];
        bool substeps = i % 2 == 1;
        snprintf(timer->name, sizeof timer->name, substeps ? "volume-substeps" : "volume");
        timer->threads = bench->thread_counts[i / 2];
        timer->dt = STEP;
        timer->substeps = substeps ? SWEEPS : 1;
        timer->iterations = substeps ? 1 : SWEEPS;
        bench_part(bench, i, count + 1);
        result = find_size(bench, timer, &strands[i]);
    }
    bench_part(bench, count, count + 1);
    if (result.code == SN_OK && !bench->stopped && bench_time(bench, timers, count, bench->runs)) {
        for (int i = 0; i < count; ++i) {
            // The size is near enough that the rest is the rule of three.
            double segments = (double)strands[i] * SEGMENTS * STEP_MS / timers[i].best_ms;
            bench_add_row(bench, timers[i].name, timers[i].threads,
                          floor(segments * DEGREES_PER_SEGMENT), "dof");
        }
    }
    for (int i = 0; i < count; ++i)
        sn_world_destroy(timers[i].world);
    return result;
}
