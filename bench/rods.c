// rods: what a sweep costs per segment, and what it buys: the stretch of a hanging strand.
#include "bench/bench.h"
#include "bench/creatures.h"
#include "bench/strands.h"

#include <math.h>
#include <stdio.h>

#define STRANDS 1000
#define SEGMENTS 30
#define SWEEPS 20 // per step, as iterations or as sub-steps
#define STEP (1.0f / 60.0f)
#define TIMERS 4 // ways to solve a kind of strand

// The same step in iterations and in sub-steps, swept and solved directly.
static SnResult add_timers(const Bench *bench, bool classic, int threads,
                           BenchTimer timers[TIMERS]) {
    static const char *const kinds[TIMERS] = {"", "-substeps", "-direct", "-direct-substeps"};
    StrandsDef def = {.strands = STRANDS,
                      .segments = SEGMENTS,
                      .classic = classic,
                      .threads = threads,
                      .isa = bench->isa};
    for (int k = 0; k < TIMERS; ++k) {
        bool substeps = k % 2 == 1;
        def.direct = k >= 2;
        BenchTimer *timer = &timers[k];
        *timer = (BenchTimer){.threads = threads, .dt = STEP};
        snprintf(timer->name, sizeof timer->name, "%s%s", classic ? "classic" : "volume", kinds[k]);
        timer->substeps = substeps ? SWEEPS : 1;
        timer->iterations = substeps ? 1 : SWEEPS;
        SnResult result = strands_create(&def, &timer->world);
        if (result.code != SN_OK)
            return result;
    }
    return sn_ok();
}

static SnResult time_sweeps(Bench *bench) {
    BenchTimer timers[4 * TIMERS] = {0};
    int count = 0;
    SnResult result = sn_ok();
    for (int t = 0; t < bench->thread_count_count; ++t)
        for (int classic = 1; classic >= 0 && result.code == SN_OK; --classic) {
            result = add_timers(bench, classic != 0, bench->thread_counts[t], timers + count);
            count += TIMERS;
        }
    if (result.code == SN_OK && bench_time(bench, timers, count, bench->runs))
        for (int i = 0; i < count; ++i) {
            double ns = timers[i].best_ms * 1.0e6 / ((double)STRANDS * SEGMENTS * SWEEPS);
            bench_add_row(bench, timers[i].name, timers[i].threads, ns, "ns");
        }
    for (int i = 0; i < count; ++i)
        sn_world_destroy(timers[i].world);
    return result;
}

#define CREATURES 800

// Creatures, swept and solved directly.
static SnResult time_creatures(Bench *bench) {
    BenchTimer timers[8] = {0};
    int count = 0, segments[8];
    SnResult result = sn_ok();
    for (int k = 0; k < 4 * bench->thread_count_count && result.code == SN_OK; ++k) {
        CreaturesDef def = {.count = CREATURES,
                            .bush = k % 4 >= 2,
                            .direct = k % 2 == 1,
                            .threads = bench->thread_counts[k / 4],
                            .isa = bench->isa};
        BenchTimer *timer = &timers[count];
        *timer =
            (BenchTimer){.threads = def.threads, .dt = STEP, .substeps = 1, .iterations = SWEEPS};
        snprintf(timer->name, sizeof timer->name, "%s%s", def.bush ? "bush" : "octopus",
                 def.direct ? "-direct" : "");
        segments[count++] = creatures_segments(&def);
        result = creatures_create(&def, &timer->world);
    }
    if (result.code == SN_OK && bench_time(bench, timers, count, bench->runs))
        for (int i = 0; i < count; ++i) {
            double ns = timers[i].best_ms * 1.0e6 / ((double)CREATURES * segments[i] * SWEEPS);
            bench_add_row(bench, timers[i].name, timers[i].threads, ns, "ns");
        }
    for (int i = 0; i < count; ++i)
        sn_world_destroy(timers[i].world);
    return result;
}

// A strand so stiff that it should not stretch at all, hanging still: what is left is what the
// sweeps did not solve.
static SnResult hanging_stretch(Bench *bench, int sweeps, bool as_substeps) {
    StrandsDef def = {.strands = 1,
                      .segments = SEGMENTS,
                      .classic = true,
                      .hanging = true,
                      .young = 1.0e9f,
                      .drag = 2.0f,
                      .threads = 1,
                      .isa = bench->isa};
    SnWorld *world;
    SnResult result = strands_create(&def, &world);
    if (result.code != SN_OK)
        return result;
    for (int step = 0; step < 240; ++step)
        sn_world_step(world, STEP, as_substeps ? sweeps : 1, as_substeps ? 1 : sweeps);
    char name[BENCH_NAME_SIZE];
    snprintf(name, sizeof name, "classic-stretch-%s%d", as_substeps ? "" : "iter-", sweeps);
    bench_add_row(bench, name, 1, 100.0 * sn_world_measure(world).stretch_max, "%");
    sn_world_destroy(world);
    return result;
}

SnResult bench_rods(Bench *bench) {
    static const int sweeps[] = {5, 10, 20, 40};
    bench_part(bench, 0, 3);
    SnResult result = time_sweeps(bench);
    bench_part(bench, 1, 3);
    if (result.code == SN_OK)
        result = time_creatures(bench);
    bench_part(bench, 2, 3);
    for (int k = 0; k < 8 && result.code == SN_OK && bench_go_on(bench, k / 8.0); ++k)
        result = hanging_stretch(bench, sweeps[k % 4], k < 4);
    return result;
}
