// broad-phase: the cost of finding pairs among the segments of ropes that wander through a cube,
// with everything at rest and with everything moving 1 cm a call, at two densities, whose
// difference is the cost of a pair. Cold: so many cubes in turn that all have a million boxes
// together. A small one alone stays in the caches, and the branches of a thousand boxes are learned
// by heart when they come again and again.
#include "base/tasks.h"
#include "bench/bench.h"
#include "collide/grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SEGMENTS 30
#define LENGTH 0.05 // of a segment, m
#define RADIUS 0.0125
#define SPEED 0.01 // m per call
#define FRAMES 3
#define RUN_MS 20.0
#define COLD_BOXES 1000000

// Of all cubes one segment long, how many would be filled; about 1 and 3 pairs a box.
static const double densities[2] = {0.25, 0.75};

typedef struct Ropes {
    int count; // boxes
    GridBox *frames[FRAMES];
} Ropes;

typedef struct Case {
    Ropes *ropes;
    SnTaskSystem tasks;
    Grid *grid;
    bool moving;
    int calls; // so far
    int pair_count;
    double best_ms; // of one call
} Case;

static double random_real(uint64_t *state) {
    *state += 0x9E3779B97F4A7C15u;
    uint64_t z = (*state ^ (*state >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static double random_sign(uint64_t *state) { return 2.0 * random_real(state) - 1.0; }

// The next segment of a rope that ends at `from` and went along `way`: it bends a little, and turns
// back at the walls.
static void add_segment(double *from, double *way, double side, GridBox *box, uint64_t *state) {
    double square = 0.0;
    for (int c = 0; c < 3; ++c) {
        way[c] += 0.3 * random_sign(state);
        square += way[c] * way[c];
    }
    for (int c = 0; c < 3; ++c) {
        way[c] /= sqrt(fmax(square, 1.0e-12));
        if (fabs(from[c] + LENGTH * way[c] - 0.5 * side) > 0.5 * side)
            way[c] = -way[c];
        double to = from[c] + LENGTH * way[c];
        box->low[c] = (float)(fmin(from[c], to) - RADIUS);
        box->high[c] = (float)(fmax(from[c], to) + RADIUS);
        from[c] = to;
    }
}

static SnResult make_ropes(const SnAllocator *allocator, int count, double density, uint64_t seed,
                           Ropes *ropes) {
    ropes->count = count;
    for (int f = 0; f < FRAMES; ++f) {
        ropes->frames[f] = sn__alloc_array(allocator, (size_t)count, sizeof(GridBox));
        if (ropes->frames[f] == NULL)
            return sn_error(SN_ERROR_MEMORY, "no memory for %d boxes", count);
    }
    double side = LENGTH * cbrt(count / density), from[3] = {0}, way[3] = {0};
    uint64_t state = seed;
    for (int i = 0; i < count; ++i) {
        for (int c = 0; c < 3 && i % SEGMENTS == 0; ++c) {
            from[c] = side * random_real(&state);
            way[c] = random_sign(&state);
        }
        GridBox *box = &ropes->frames[0][i];
        add_segment(from, way, side, box, &state);
        for (int f = 1; f < FRAMES; ++f)
            ropes->frames[f][i] = *box;
        for (int c = 0; c < 3; ++c) {
            float step = (float)(SPEED * random_sign(&state));
            for (int f = 1; f < FRAMES; ++f) {
                ropes->frames[f][i].low[c] += (float)f * step;
                ropes->frames[f][i].high[c] += (float)f * step;
            }
        }
    }
    return sn_ok();
}

static void free_ropes(const SnAllocator *allocator, Ropes *ropes) {
    for (int f = 0; f < FRAMES; ++f)
        sn__free(allocator, ropes->frames[f], (size_t)ropes->count * sizeof(GridBox));
}

// Neighbours along a rope do not collide.
static bool filter(int a, int b, void *context) {
    (void)context;
    return b - a > 2 || a / SEGMENTS != b / SEGMENTS;
}

// Milliseconds of one call; below 0 without memory.
static double time_call(Case *test) {
    // 2, 1, 0, 1, and again: there and back.
    int frame = test->moving ? abs((test->calls++ & 3) - 2) : 0;
    const GridPair *pairs;
    double start = sn_now_ms();
    bool done = sn__grid_pairs(test->grid, &test->tasks, test->ropes->frames[frame],
                               test->ropes->count, filter, NULL, &pairs, &test->pair_count);
    return done ? sn_now_ms() - start : -1.0;
}

// In turn, so that a noisy machine disturbs all alike; the fastest call counts.
static SnResult time_cases(Bench *bench, Case *cases, int count) {
    for (int i = 0; i < count; ++i) {
        cases[i].best_ms = INFINITY;
        for (int call = 0; call < FRAMES; ++call) {
            if (time_call(&cases[i]) >= 0.0)
                continue;
            return sn_error(SN_ERROR_MEMORY, "no memory for the pairs of %d boxes",
                            cases[i].ropes->count);
        }
    }
    for (int k = 0; k < bench->runs * count; ++k) {
        if (!bench_go_on(bench, (double)k / (bench->runs * count)))
            break;
        Case *test = &cases[k % count];
        double begin = sn_now_ms();
        do {
            double ms = time_call(test);
            test->best_ms = ms >= 0.0 ? fmin(test->best_ms, ms) : test->best_ms;
        } while (sn_now_ms() - begin < RUN_MS);
    }
    return sn_ok();
}

// Cases are sparse, dense, dense and moving.
static void add_rows(Bench *bench, const Case *cases, int threads) {
    double count = cases[0].ropes->count, ns[3], pairs[3];
    for (int i = 0; i < 3; ++i) {
        ns[i] = cases[i].best_ms * 1.0e6 / count;
        pairs[i] = cases[i].pair_count / count;
    }
    double pair = (ns[1] - ns[0]) / (pairs[1] - pairs[0]);
    const struct {
        const char *name;
        double value;
        const char *unit;
    } rows[] = {{"rest", ns[1], "ns"},
                {"moving", ns[2], "ns"},
                {"pair", pair, "ns"},
                {"box", ns[0] - pairs[0] * pair, "ns"},
                {"pairs-per-box", pairs[1], "1"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        char name[BENCH_NAME_SIZE];
        snprintf(name, sizeof name, "%s-%d", rows[i].name, cases[0].ropes->count);
        bench_add_row(bench, name, threads, rows[i].value, rows[i].unit);
    }
}

static SnResult time_threads(Bench *bench, const SnAllocator *allocator, Ropes *ropes,
                             int threads) {
    TaskPool *pool = NULL;
    SnResult result = sn__pool_create(allocator, threads, &pool);
    Case cases[3] = {{.ropes = &ropes[0]}, {.ropes = &ropes[1]}, {.ropes = &ropes[1]}};
    for (int i = 0; i < 3 && result.code == SN_OK; ++i) {
        cases[i].tasks = sn__pool_tasks(pool);
        cases[i].moving = i == 2;
        cases[i].grid = sn__grid_create(allocator);
        if (cases[i].grid == NULL)
            result = sn_error(SN_ERROR_MEMORY, "no memory for a grid");
        else
            sn__grid_set_isa(cases[i].grid, bench->isa);
    }
    if (result.code == SN_OK)
        result = time_cases(bench, cases, 3);
    if (result.code == SN_OK && !bench->stopped)
        add_rows(bench, cases, threads);
    for (int i = 0; i < 3; ++i)
        sn__grid_destroy(cases[i].grid);
    sn__pool_destroy(pool);
    return result;
}

// Milliseconds of a call for every case; below 0 without memory.
static double time_round(Case *cases, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
        double ms = time_call(&cases[i]);
        if (ms < 0.0)
            return ms;
        sum += ms;
    }
    return sum;
}

static SnResult time_cold_cases(Bench *bench, Case *cases, int count, int threads) {
    double best_ms = INFINITY;
    for (int k = 0; k <= bench->runs; ++k) {
        if (!bench_go_on(bench, (double)k / (bench->runs + 1)))
            return sn_ok();
        double ms = time_round(cases, count);
        if (ms < 0.0)
            return sn_error(SN_ERROR_MEMORY, "no memory for the pairs of %d boxes", COLD_BOXES);
        best_ms = k > 0 ? fmin(best_ms, ms) : best_ms; // the first one makes the tables
    }
    char name[BENCH_NAME_SIZE];
    snprintf(name, sizeof name, "cold-%d", cases[0].ropes->count);
    bench_add_row(bench, name, threads, best_ms * 1.0e6 / COLD_BOXES, "ns");
    return sn_ok();
}

static SnResult time_cold(Bench *bench, const SnAllocator *allocator, int size, int threads) {
    int count = COLD_BOXES / size;
    TaskPool *pool = NULL;
    Case *cases = sn__alloc_array(allocator, (size_t)count, sizeof(Case));
    Ropes *ropes = sn__alloc_array(allocator, (size_t)count, sizeof(Ropes));
    SnResult result = sn_error(SN_ERROR_MEMORY, "no memory for %d grids", count);
    if (cases && ropes)
        result = sn__pool_create(allocator, threads, &pool);
    for (int i = 0; i < count && result.code == SN_OK; ++i) {
        cases[i] = (Case){
            .ropes = &ropes[i], .tasks = sn__pool_tasks(pool), .grid = sn__grid_create(allocator)};
        result = make_ropes(allocator, size, densities[1], (uint64_t)i + 1, &ropes[i]);
        if (cases[i].grid)
            sn__grid_set_isa(cases[i].grid, bench->isa);
        else
            result = sn_error(SN_ERROR_MEMORY, "no memory for a grid");
    }
    if (result.code == SN_OK)
        result = time_cold_cases(bench, cases, count, threads);
    for (int i = 0; i < count && cases && ropes; ++i) {
        sn__grid_destroy(cases[i].grid);
        free_ropes(allocator, &ropes[i]);
    }
    sn__pool_destroy(pool);
    sn__free(allocator, cases, (size_t)count * sizeof(Case));
    sn__free(allocator, ropes, (size_t)count * sizeof(Ropes));
    return result;
}

SnResult bench_broad_phase(Bench *bench) {
    static const int sizes[] = {1000, 10000, 100000, 1000000};
    SnAllocator allocator = sn__default_allocator();
    SnResult result = sn_ok();
    for (int i = 0; i < 4 && result.code == SN_OK && !bench->stopped; ++i) {
        Ropes ropes[2] = {{0}};
        for (int k = 0; k < 2 && result.code == SN_OK; ++k)
            result = make_ropes(&allocator, sizes[i], densities[k], 1, &ropes[k]);
        for (int t = 0; t < bench->thread_count_count && result.code == SN_OK; ++t) {
            int part = 2 * (i * bench->thread_count_count + t);
            bench_part(bench, part, 8 * bench->thread_count_count);
            result = time_threads(bench, &allocator, ropes, bench->thread_counts[t]);
            bench_part(bench, part + 1, 8 * bench->thread_count_count);
            if (result.code == SN_OK && !bench->stopped)
                result = time_cold(bench, &allocator, sizes[i], bench->thread_counts[t]);
        }
        for (int k = 0; k < 2; ++k)
            free_ropes(&allocator, &ropes[k]);
    }
    return result;
}
