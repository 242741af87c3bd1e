// arap: solids of oriented particles, in the sizes of the paper's table, and what its solver needs to
// converge beside ours. Blocks and columns stand for the paper's models.
#include "bench/solids.h"

#include <math.h>
#include <string.h>

#include <sinew/collider.h>
#include <sinew/solid.h>

#include "body/world.h"
#include "solid/solid.h"

#define MOST_PARTICLES 300
#define MOST_EDGES 2000
#define FRAMES 60
#define MOST_ITERATIONS 2000

typedef struct Block {
    int n[3], count, edge_count;
    SnVec3 x[MOST_PARTICLES], radii[MOST_PARTICLES];
    float volumes[MOST_PARTICLES];
    int edges[MOST_EDGES][2];
} Block;

static void join(Block *b, const int at[3], int dx, int dy, int dz) {
    const int to[3] = {at[0] + dx, at[1] + dy, at[2] + dz};
    for (int c = 0; c < 3; ++c)
        if (to[c] < 0 || to[c] >= b->n[c])
            return;
    b->edges[b->edge_count][0] = at[0] + b->n[0] * (at[1] + b->n[1] * at[2]);
    b->edges[b->edge_count++][1] = to[0] + b->n[0] * (to[1] + b->n[1] * to[2]);
}

// Cells of this size; `braced`: with diagonals across every second face, so that a particle has some nine
// neighbours, as in the paper.
static void fill_block(Block *b, int nx, int ny, int nz, float cell, bool braced) {
    *b = (Block){.n = {nx, ny, nz}};
    for (int i = 0; i < nx * ny * nz; ++i, ++b->count) {
        const int at[3] = {i % nx, i / nx % ny, i / (nx * ny)};
        b->x[i] = sn_vec3(cell * (float)at[0], cell * (float)at[1], cell * (float)at[2]);
        b->radii[i] = sn_vec3(0.5f * cell, 0.5f * cell, 0.5f * cell);
        b->volumes[i] = cell * cell * cell;
        join(b, at, 1, 0, 0);
        join(b, at, 0, 1, 0);
        join(b, at, 0, 0, 1);
        if (braced && (at[0] + at[1] + at[2]) % 2 == 0) {
            join(b, at, 1, 1, 0);
            join(b, at, 0, 1, 1);
            join(b, at, 1, 0, 1);
            join(b, at, 1, -1, 0);
        }
    }
}

static SnResult add_block(SnWorld *world, const Block *b, SnVec3 at, float young) {
    SnSolidDef def = sn_default_solid_def();
    def.particle_count = b->count;
    def.positions = b->x;
    def.radii = b->radii;
    def.volumes = b->volumes;
    def.edge_count = b->edge_count;
    def.edges = (const int(*)[2])b->edges;
    def.material.young = young;
    def.origin[0] = (double)at.x;
    def.origin[1] = (double)at.y;
    def.origin[2] = (double)at.z;
    return sn_solid_create(world, &def, NULL);
}

typedef struct Crowd {
    const char *name;
    int blocks, columns, side; // side: models beside each other in a layer
    int shape[3];
} Crowd;

static SnResult make_crowd(const Bench *bench, const Crowd *crowd, int threads, SnWorld **out) {
    static Block block, column;
    SnWorldDef def = sn_default_world_def();
    def.thread_count = threads;
    def.isa = bench->isa;
    SnResult result = sn_world_create(&def, out);
    SnColliderDef floor = sn_default_collider_def();
    floor.kind = SN_COLLIDER_PLANE;
    if (result.code == SN_OK)
        result = sn_collider_create(*out, &floor, NULL);
    fill_block(&block, crowd->shape[0], crowd->shape[1], crowd->shape[2], 0.08f, true);
    fill_block(&column, 1, 10, 1, 0.1f, false);
    float room = 0.1f * (float)(crowd->shape[0] + 1);
    for (int k = 0; k < crowd->blocks && result.code == SN_OK; ++k) {
        int layer = crowd->side * crowd->side, in = k % layer;
        result =
            add_block(*out, &block,
                      sn_vec3(room * (float)(in % crowd->side), 0.1f + room * (float)(k / layer),
                              room * (float)(in / crowd->side)),
                      1e5f);
    }
    for (int k = 0; k < crowd->columns && result.code == SN_OK; ++k)
        result = add_block(
            *out, &column,
            sn_vec3(-0.4f, 0.06f, room * (float)crowd->side * (float)k / (float)crowd->columns),
            1e6f);
    return result;
}

// The mean of two seconds in which they fall and come to lie on each other, 6 sub-steps to a frame of 1/30 s.
static SnResult time_crowd(Bench *bench, const Crowd *crowd, int threads) {
    double best = 1e300;
    for (int run = 0; run < bench->runs && !bench->stopped; ++run) {
        SnWorld *world = NULL;
        SnResult result = make_crowd(bench, crowd, threads, &world);
        if (result.code != SN_OK) {
            sn_world_destroy(world);
            return result;
        }
        double start = sn_now_ms();
        bool going = true;
        for (int n = 0; n < FRAMES && going; ++n) {
            sn_world_step(world, 1.0f / 30.0f, 6, 1);
            going = bench_go_on(bench, ((double)run + (double)n / FRAMES) / bench->runs);
        }
        if (going)
            best = fmin(best, (sn_now_ms() - start) / FRAMES);
        sn_world_destroy(world);
    }
    if (best < 1e300)
        bench_add_row(bench, crowd->name, threads, best, "ms/step");
    return sn_ok();
}

// One body of 100 particles that wobbles and spins, one sub-step of 1/30 s to a frame.
static SnResult time_one(Bench *bench) {
    static Block block;
    SnWorldDef def = sn_default_world_def();
    def.thread_count = 1;
    def.isa = bench->isa;
    def.gravity = sn_vec3(0.0f, 0.0f, 0.0f);
    SnWorld *world = NULL;
    SnResult result = sn_world_create(&def, &world);
    fill_block(&block, 25, 2, 2, 0.05f, false);
    if (result.code == SN_OK)
        result = add_block(world, &block, sn_vec3(0.0f, 0.0f, 0.0f), 1e5f);
    SnBodyId body = sn_world_next_body(world, (SnBodyId){0, 0});
    if (result.code == SN_OK)
        result = sn_body_add_impulse(world, body, 0, sn_vec3(0.0f, 0.5f, 0.2f));
    BenchTimer timer = {.name = "dinosaur",
                        .threads = 1,
                        .world = world,
                        .dt = 1.0f / 30.0f,
                        .substeps = 1,
                        .iterations = 10};
    if (result.code == SN_OK && bench_time(bench, &timer, 1, bench->runs))
        bench_add_row(bench, "dinosaur", 1, timer.best_ms, "ms/step");
    sn_world_destroy(world);
    return result;
}

// A bar of 300 particles that is held at one end, in one sub-step of 1/60 s under a weight.
typedef struct Bar {
    SnWorld *world;
    Solid *solid;
    SolidStep step;
} Bar;

static SnResult make_bar(const Bench *bench, Bar *bar) {
    static Block block;
    SnWorldDef def = sn_default_world_def();
    def.thread_count = 1;
    def.isa = bench->isa;
    SnResult result = sn_world_create(&def, &bar->world);
    fill_block(&block, 12, 5, 5, 0.05f, false);
    if (result.code == SN_OK)
        result = add_block(bar->world, &block, sn_vec3(0.0f, 0.0f, 0.0f), 1e8f);
    if (result.code != SN_OK)
        return result;
    bar->solid = ((SolidSystem *)sn__world_system(bar->world, &sn__solid_kind))->list[0];
    BodyStep step = {.isa = sn_world_isa(bar->world), .dt = 1.0f / 60.0f, .substeps = 1};
    bar->step = sn__solid_step(&step, true);
    return result;
}

static void put_at_rest(Bar *bar) {
    Solid *s = bar->solid;
    for (int i = 0; i < s->count; ++i) {
        SolidWork *w = &s->work[i];
        Sym3 rest = s->particles[i].inertia;
        bool held = i % 12 == 0;
        *w = (SolidWork){.x_start = s->particles[i].rest,
                         .q_start = {0.0, 0.0, 0.0, 1.0},
                         .inertia = rest,
                         .held_x = held,
                         .held_q = held};
        if (!held)
            w->u = w->aim = (Vec3d){0.0, -1000.0 * bar->step.h * bar->step.h, 0.0};
        s->q[i] = (Quatd){0.0, 0.0, 0.0, 1.0};
    }
    s->material.damping = 0.0f;
    s->own.h2 = 0.0;
}

static double tip(const Bar *bar) { return bar->solid->work[bar->solid->count - 1].u.y; }

// The paper's solver: rotations that fit to the places, then places for these rotations.
static int alternate(Bar *bar, double wanted) {
    Solid *s = bar->solid;
    put_at_rest(bar);
    for (int k = 1; k <= MOST_ITERATIONS; ++k) {
        sn__solid_match_turns(s);
        for (int i = 0; i < s->count; ++i)
            s->work[i].held_q = true;
        sn__solids_solve(&s, 1, &bar->step, SOLID_ENDS);
        for (int i = 0; i < s->count; ++i)
            s->work[i].held_q = i % 12 == 0;
        s->own.h2 = 0.0;
        if (fabs(tip(bar) - wanted) < 0.01 * fabs(wanted))
            return k;
    }
    return MOST_ITERATIONS;
}

static SnResult count_iterations(Bench *bench) {
    Bar bar = {0};
    SnResult result = make_bar(bench, &bar);
    if (result.code == SN_OK) {
        put_at_rest(&bar);
        bar.solid->iterations = 0;
        sn__solids_solve(&bar.solid, 1, &bar.step, SOLID_ENDS);
        bench_add_row(bench, "bar-300, Newton", 1, bar.solid->iterations, "iterations");
        bench_add_row(bench, "bar-300, local/global", 1, alternate(&bar, tip(&bar)), "iterations");
    }
    sn_world_destroy(bar.world);
    return result;
}

// Order, symbolic and numeric factorisation of a body of 300 particles, as after a break.
static SnResult time_factors(Bench *bench) {
    Bar bar = {0};
    SnResult result = make_bar(bench, &bar);
    double best = 1e300;
    for (int run = 0; run < 20 * bench->runs && result.code == SN_OK; ++run) {
        const SnAllocator allocator = sn__default_allocator();
        const SolidGraph *graph = bar.solid->graph;
        SparsePlan plan;
        bool crowded;
        double start = sn_now_ms();
        if (!sn__sparse_plan(&allocator, bar.solid->count, (const int(*)[2])graph->pairs,
                             graph->pair_count, 1 << 20, &plan, &crowded))
            result = sn_error(SN_ERROR_MEMORY, "bench: no memory");
        else
            sn__sparse_release(&allocator, &plan);
        sn__solid_factor_rest(bar.solid, &bar.step);
        best = fmin(best, sn_now_ms() - start);
    }
    if (result.code == SN_OK)
        bench_add_row(bench, "factor-300", 1, best, "ms");
    sn_world_destroy(bar.world);
    return result;
}

SnResult bench_arap(Bench *bench) {
    const Crowd crowds[] = {{"models-52", 40, 12, 4, {5, 5, 4}},
                            {"models-180", 150, 30, 6, {3, 3, 3}}};
    int parts = 3 + 2 * bench->thread_count_count, part = 0;
    bench_part(bench, part++, parts);
    SnResult result = count_iterations(bench);
    if (result.code == SN_OK)
        result = time_factors(bench);
    bench_part(bench, part++, parts);
    if (result.code == SN_OK)
        result = time_one(bench);
    for (int c = 0; c < 2; ++c)
        for (int t = 0; t < bench->thread_count_count && result.code == SN_OK; ++t) {
            bench_part(bench, part++, parts);
            if (!bench->stopped)
                result = time_crowd(bench, &crowds[c], bench->thread_counts[t]);
        }
    bench_part(bench, part++, parts);
    if (result.code == SN_OK && !bench->stopped)
        result = bench_solid_skins(bench);
    return result;
}
