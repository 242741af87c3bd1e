// scaling: what a sweep costs per segment in small and large worlds, as many strands and as one
// long rod, and what a second thread brings.
#include "bench/bench.h"
#include "bench/strands.h"

#include <stdio.h>

#define SEGMENTS 30
#define SWEEPS 10
#define STEP (1.0f / 60.0f)

static SnResult add_timer(const Bench *bench, int segments, bool lone, int threads,
                          BenchTimer *timer) {
    StrandsDef def = {.strands = lone ? 1 : segments / SEGMENTS,
                      .segments = lone ? segments : SEGMENTS,
                      .coiled = lone,
                      .threads = threads,
                      .isa = bench->isa};
    *timer = (BenchTimer){.threads = threads, .dt = STEP, .substeps = 1, .iterations = SWEEPS};
    snprintf(timer->name, sizeof timer->name, "%s-%d", lone ? "lone" : "segments", segments);
    return strands_create(&def, &timer->world);
}

static void add_rows(Bench *bench, const BenchTimer *timers, int count, int segments) {
    for (int i = 0; i < count; ++i) {
        int whole = i < bench->thread_count_count ? segments / SEGMENTS * SEGMENTS : segments;
        bench_add_row(bench, timers[i].name, timers[i].threads,
                      timers[i].best_ms * 1.0e6 / ((double)whole * SWEEPS), "ns");
    }
    for (int i = 0; i + 1 < count && bench->thread_count_count == 2; i += 2) {
        char name[BENCH_NAME_SIZE];
        snprintf(name, sizeof name, "speedup-%.30s", timers[i].name);
        bench_add_row(bench, name, timers[i + 1].threads, timers[i].best_ms / timers[i + 1].best_ms,
                      "x");
    }
}

// All worlds of one size, measured in turn.
static SnResult time_size(Bench *bench, int segments) {
    BenchTimer timers[4] = {0};
    int count = 0;
    SnResult result = sn_ok();
    for (int lone = 0; lone < 2; ++lone)
        for (int t = 0; t < bench->thread_count_count && result.code == SN_OK; ++t)
            result =
                add_timer(bench, segments, lone != 0, bench->thread_counts[t], &timers[count++]);
    if (result.code == SN_OK && bench_time(bench, timers, count, bench->runs))
        add_rows(bench, timers, count, segments);
    for (int i = 0; i < count; ++i)
        sn_world_destroy(timers[i].world);
    return result;
}

SnResult bench_scaling(Bench *bench) {
    static const int sizes[] = {1000, 10000, 100000, 1000000};
    SnResult result = sn_ok();
    for (int i = 0; i < 4 && result.code == SN_OK && !bench->stopped; ++i) {
        bench_part(bench, i, 4);
        result = time_size(bench, sizes[i]);
    }
    return result;
}
