// octopus and rope-pile: a step of bodies that lie in a pile, with friction and self-collision, and
// where its time goes.
#include "bench/bench.h"
#include "bench/pile.h"

#include <stdio.h>

// Settling is the first nine tenths of a part.
static bool go_on(double done, void *context) { return bench_go_on(context, 0.9 * done); }

static void add_stages(Bench *bench, const BenchTimer *timer) {
    SnStepTimes times = sn_world_step_times(timer->world);
    const struct {
        const char *stage;
        float ms;
    } stages[] = {{"collide", times.collide},
                  {"rods", times.predict + times.iterate + times.finish},
                  {"contacts", times.contacts}};
    for (int i = 0; i < 3; ++i) {
        char name[BENCH_NAME_SIZE];
        snprintf(name, sizeof name, "%.20s-%s", timer->name, stages[i].stage);
        bench_add_row(bench, name, timer->threads, (double)stages[i].ms, "ms");
    }
}

static SnResult time_pile(Bench *bench, const char *name, PileDef def, double *out_ms) {
    BenchTimer timer = {
        .threads = def.threads, .dt = PILE_STEP, .substeps = PILE_SUBSTEPS, .iterations = 1};
    snprintf(timer.name, sizeof timer.name, "%s-%d", name, def.bodies);
    def.isa = bench->isa;
    def.go_on = go_on;
    def.context = bench;
    SnResult result = pile_create(&def, &timer.world);
    if (result.code == SN_OK && bench_time(bench, &timer, 1, bench->runs)) {
        *out_ms = timer.best_ms;
        bench_add_row(bench, timer.name, timer.threads, timer.best_ms, "ms");
        add_stages(bench, &timer);
        char contacts[BENCH_NAME_SIZE];
        snprintf(contacts, sizeof contacts, "%.20s-contacts-count", timer.name);
        bench_add_row(bench, contacts, timer.threads,
                      (double)sn_world_contact_events(timer.world).contact_count, "1");
    }
    sn_world_destroy(timer.world);
    return result;
}

SnResult bench_octopus(Bench *bench) {
    static const int sizes[] = {100, 1000};
    double ms[2] = {0.0, 0.0};
    SnResult result = sn_ok();
    int parts = 4 * bench->thread_count_count;
    for (int t = 0; t < bench->thread_count_count; ++t)
        for (int swept = 0; swept < 2; ++swept) {
            const char *name = swept ? "octopus-swept" : "octopus";
            for (int i = 0; i < 2 && result.code == SN_OK && !bench->stopped; ++i) {
                bench_part(bench, 4 * t + 2 * swept + i, parts);
                PileDef def = {.bodies = sizes[i],
                               .solver = swept ? SN_SOLVER_SWEEP : SN_SOLVER_AUTO,
                               .seconds = 4.0,
                               .threads = bench->thread_counts[t]};
                result = time_pile(bench, name, def, &ms[i]);
            }
            char ratio[BENCH_NAME_SIZE];
            snprintf(ratio, sizeof ratio, "%s-1000-to-100", name);
            if (ms[0] > 0.0 && !bench->stopped)
                bench_add_row(bench, ratio, bench->thread_counts[t], ms[1] / ms[0], "x");
        }
    return result;
}

SnResult bench_rope_pile(Bench *bench) {
    SnResult result = sn_ok();
    for (int t = 0; t < bench->thread_count_count && result.code == SN_OK; ++t) {
        double ms;
        bench_part(bench, t, bench->thread_count_count);
        PileDef def = {
            .bodies = 1000, .ropes = true, .seconds = 6.0, .threads = bench->thread_counts[t]};
        result = time_pile(bench, "ropes", def, &ms);
    }
    return result;
}
