// crowd: a block of short rods that is dropped on the floor, from 1,000 to 100,000 of them: what a step
// and a contact cost, how much memory there is in use, and how deep rods get into each other.
#include "bench/bench.h"

#include <math.h>
#include <stdio.h>

#include "base/hash.h"
#include "base/memory.h"

#define STEP (1.0f / 60.0f)
#define SUBSTEPS 10
#define STEPS 40 // the fall, and the blow that goes through all layers
#define VERTICES 4
#define RADIUS 0.02f
#define SEGMENT 0.06f
// From rod to rod, along and across them; and from layer to layer.
#define PITCH_ALONG 0.23
#define PITCH_ACROSS 0.05
#define DROP 0.1

typedef struct Crowd {
    const Bench *bench;
    SnWorld *world;
    int rods, threads;
    SnAllocator allocator;
    size_t bytes, peak; // of the world's memory
    double step_ms, contact_ms;
    double contacts; // sums over all steps
    int most_contacts;
    double overlap;
} Crowd;

static void *allocate(size_t size, size_t align, void *context) {
    Crowd *crowd = context;
    void *memory = crowd->allocator.allocate(size, align, crowd->allocator.context);
    if (memory == NULL)
        return NULL;
    crowd->bytes += size;
    crowd->peak = crowd->bytes > crowd->peak ? crowd->bytes : crowd->peak;
    return memory;
}

static void release(void *memory, size_t size, void *context) {
    Crowd *crowd = context;
    crowd->bytes -= size;
    crowd->allocator.release(memory, size, crowd->allocator.context);
}

// Between −1 and 1, the same for the same numbers.
static float noise(uint64_t a, uint64_t b) {
    return (float)(sn__hash_mix(sn__hash_mix(a, b), 7) >> 40) / 8388608.0f - 1.0f;
}

// Layers of rods side by side, those of every other layer across the ones below: as high as it is wide.
static SnResult add_rods(SnWorld *world, int count) {
    double volume = PITCH_ALONG * PITCH_ACROSS * PITCH_ACROSS * (double)count;
    int along = (int)ceil(cbrt(volume) / PITCH_ALONG);
    int across = (int)ceil(cbrt(volume) / PITCH_ACROSS);
    SnVec3 positions[VERTICES];
    SnRodDef rod = sn_default_rod_def();
    rod.vertex_count = VERTICES;
    rod.positions = positions;
    rod.radius = RADIUS;
    rod.solver = SN_SOLVER_SWEEP;
    SnResult result = sn_ok();
    for (int i = 0; i < count && result.code == SN_OK; ++i) {
        int layer = i / (along * across);
        double x = PITCH_ALONG * (i / across % along), z = PITCH_ACROSS * (i % across);
        for (int v = 0; v < VERTICES; ++v) {
            float t = SEGMENT * ((float)v - 0.5f * (VERTICES - 1));
            float s = 0.1f * RADIUS * noise(1, (uint64_t)(i * VERTICES + v));
            positions[v] = layer % 2 ? sn_vec3(t, s, s) : sn_vec3(s, s, t);
        }
        rod.origin[0] = layer % 2 ? x : z;
        rod.origin[1] = DROP + PITCH_ACROSS * layer;
        rod.origin[2] = layer % 2 ? z : x;
        result = sn_rod_create(world, &rod, NULL);
    }
    return result;
}

static SnResult create(Crowd *crowd) {
    SnWorldDef def = sn_default_world_def();
    def.thread_count = crowd->threads;
    def.isa = crowd->bench->isa;
    crowd->allocator = sn__default_allocator();
    def.allocator = (SnAllocator){allocate, release, crowd};
    SnResult result = sn_world_create(&def, &crowd->world);
    SnColliderDef floor = sn_default_collider_def();
    floor.kind = SN_COLLIDER_PLANE;
    if (result.code == SN_OK)
        result = sn_collider_create(crowd->world, &floor, NULL);
    return result.code == SN_OK ? add_rods(crowd->world, crowd->rods) : result;
}

static bool drop(Bench *bench, Crowd *crowd) {
    for (int i = 0; i < STEPS; ++i) {
        if (!bench_go_on(bench, (double)i / STEPS))
            return false;
        sn_world_step(crowd->world, STEP, SUBSTEPS, 1);
        SnStepTimes times = sn_world_step_times(crowd->world);
        int contacts = sn_world_contact_events(crowd->world).contact_count;
        crowd->step_ms += (double)times.total;
        crowd->contact_ms += (double)times.contacts;
        crowd->contacts += contacts;
        crowd->most_contacts = contacts > crowd->most_contacts ? contacts : crowd->most_contacts;
        crowd->overlap = fmax(crowd->overlap, sn_world_measure(crowd->world).penetration_max);
    }
    return true;
}

static void add_rows(Bench *bench, const Crowd *crowd) {
    const struct {
        const char *what;
        double value;
        const char *unit;
    } rows[] = {
        {"step", crowd->step_ms / STEPS, "ms"},
        {"contacts-count", (double)crowd->most_contacts, "1"},
        {"contact", 1e6 * crowd->contact_ms / (crowd->contacts * SUBSTEPS), "ns"},
        {"memory", (double)crowd->peak * 1e-6, "MB"},
        {"overlap", crowd->overlap, "radii"},
    };
    for (int i = 0; i < 5; ++i) {
        char name[BENCH_NAME_SIZE];
        snprintf(name, sizeof name, "crowd-%d-%s", crowd->rods, rows[i].what);
        bench_add_row(bench, name, crowd->threads, rows[i].value, rows[i].unit);
    }
}

SnResult bench_crowd(Bench *bench) {
    static const int sizes[] = {1000, 10000, 100000};
    SnResult result = sn_ok();
    for (int i = 0; i < 3; ++i)
        for (int t = 0; t < bench->thread_count_count; ++t) {
            if (bench->most > 0 && sizes[i] > bench->most)
                continue;
            Crowd crowd = {.bench = bench, .rods = sizes[i], .threads = bench->thread_counts[t]};
            result = create(&crowd);
            if (result.code == SN_OK && drop(bench, &crowd))
                add_rows(bench, &crowd);
            sn_world_destroy(crowd.world);
            if (result.code != SN_OK || bench->stopped)
                return result;
        }
    return result;
}
