// Benchmarks: what they get, what they give, and how all of them measure time.
#pragma once

#include <sinew/world.h>

#define BENCH_MAX_ROWS 64
#define BENCH_NAME_SIZE 40

typedef struct BenchRow {
    char name[BENCH_NAME_SIZE];
    int threads;
    double value;
    const char *unit;
} BenchRow;

typedef struct Bench {
    SnIsa isa;
    int thread_counts[2]; // those to measure with
    int thread_count_count;
    int runs; // of each measurement; the fastest counts
    int most; // bodies of the largest case, where there are several; 0: all cases
    // Called often with the part that is done, 0 to 1. False: stop; complete rows are kept.
    bool (*go_on)(double done, void *context);
    void *context;

    double window_begin, window_end; // the part of the whole that is being done
    bool stopped;
    BenchRow rows[BENCH_MAX_ROWS];
    int row_count;
} Bench;

typedef struct BenchEntry {
    const char *name, *help;
    SnResult (*function)(Bench *bench);
} BenchEntry;

const BenchEntry *bench_entries(int *out_count);

SnResult bench_rods(Bench *bench);
SnResult bench_headline(Bench *bench);
SnResult bench_scaling(Bench *bench);
SnResult bench_octopus(Bench *bench);
SnResult bench_rope_pile(Bench *bench);
SnResult bench_skinning(Bench *bench);
SnResult bench_implicit(Bench *bench);
SnResult bench_broad_phase(Bench *bench);
SnResult bench_crowd(Bench *bench);
SnResult bench_wind(Bench *bench);
SnResult bench_trees(Bench *bench);
SnResult bench_arm(Bench *bench);
SnResult bench_body(Bench *bench);
SnResult bench_viperize(Bench *bench);
SnResult bench_arap(Bench *bench);

void bench_add_row(Bench *bench, const char *name, int threads, double value, const char *unit);
// What follows is part `index` of `count` like ones.
void bench_part(Bench *bench, int index, int count);
// Reports progress within the part; false if the benchmark is to stop.
bool bench_go_on(Bench *bench, double done);

// A step to be timed. The world must be complete: nothing is allocated while the clock runs.
typedef struct BenchTimer {
    char name[BENCH_NAME_SIZE];
    int threads;
    SnWorld *world; // not owned
    float dt;
    int substeps, iterations;
    double best_ms; // of one step, out
    int steps;      // per run, out
} BenchTimer;

// Warms all of them up, then times them in turn, run after run, so that a noisy machine disturbs
// all alike; the fastest run of each counts. False if stopped.
bool bench_time(Bench *bench, BenchTimer *timers, int count, int runs);
