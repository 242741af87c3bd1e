#include "bench/bench.h"

#include <math.h>
#include <stdio.h>

// A run is as many steps as take about this long: long for the clock, short beside disturbances.
#define RUN_MS 20.0
#define WARM_UP_STEPS 3

const BenchEntry *bench_entries(int *out_count) {
    static const BenchEntry entries[] = {
        {"rods", "cost of a sweep over 1000 strands of 30 segments; hanging stretch", bench_rods},
        {"headline", "degrees of freedom at 100 Hz with 10 iterations", bench_headline},
        {"scaling", "cost per segment from 1,000 to 1,000,000 segments; two threads against one",
         bench_scaling},
        {"octopus", "a step of 100 and of 1000 octopuses in a pile", bench_octopus},
        {"rope-pile", "a step of 1000 ropes of 30 segments in a pile", bench_rope_pile},
        {"crowd", "1,000 to 100,000 short rods dropped as a block: time, memory, overlap",
         bench_crowd},
        {"implicit", "implicit skins of an arm and of a figure of 19,000 vertices; making one",
         bench_implicit},
        {"skinning", "100 skins of 12,000 triangles, positions and normals", bench_skinning},
        {"broad-phase", "pairs among 1,000 to 1,000,000 segments of ropes, at rest and moving",
         bench_broad_phase},
        {"trees", "stiff rods and trees: cost of an iteration per segment, set-up", bench_trees},
        {"arm", "a limb with 12 muscles of 8 fibres of 8 segments and its skin, which bends",
         bench_arm},
        {"arap",
         "solids of oriented particles: 52 and 180 of them, one, and what it takes to converge",
         bench_arap},
        {"body", "100 muscles of 8 fibres of 8 segments on bones, which bend", bench_body},
        {"wind", "the air at a point, and rods in it", bench_wind},
        {"viperize", "meshes of 40,000 triangles to 8 rods, stage by stage", bench_viperize},
    };
    *out_count = sizeof entries / sizeof entries[0];
    return entries;
}

void bench_add_row(Bench *bench, const char *name, int threads, double value, const char *unit) {
    if (bench->row_count < BENCH_MAX_ROWS) {
        BenchRow *row = &bench->rows[bench->row_count++];
        snprintf(row->name, sizeof row->name, "%s", name);
        row->threads = threads;
        row->value = value;
        row->unit = unit;
    }
}

void bench_part(Bench *bench, int index, int count) {
    bench->window_begin = (double)index / count;
    bench->window_end = (double)(index + 1) / count;
}

bool bench_go_on(Bench *bench, double done) {
    double whole = bench->window_begin + done * (bench->window_end - bench->window_begin);
    bench->stopped = bench->stopped || !bench->go_on(whole, bench->context);
    return !bench->stopped;
}

// Milliseconds per step.
static double time_steps(const BenchTimer *timer, int steps) {
    double start = sn_now_ms();
    for (int i = 0; i < steps; ++i)
        sn_world_step(timer->world, timer->dt, timer->substeps, timer->iterations);
    return (sn_now_ms() - start) / steps;
}

bool bench_time(Bench *bench, BenchTimer *timers, int count, int runs) {
    for (int i = 0; i < count; ++i) {
        double ms = time_steps(&timers[i], WARM_UP_STEPS);
        timers[i].steps = (int)fmin(fmax(ceil(RUN_MS / fmax(ms, 1.0e-6)), 1.0), 10000.0);
        timers[i].best_ms = INFINITY;
    }
    for (int k = 0; k < runs * count; ++k) {
        if (!bench_go_on(bench, (double)k / (runs * count)))
            return false;
        BenchTimer *timer = &timers[k % count];
        timer->best_ms = fmin(timer->best_ms, time_steps(timer, timer->steps));
    }
    return true;
}
