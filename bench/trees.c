// trees: the direct solver on many short rods, one long one, and whole trees.
#include <sinew/tree_model.h>

#include "base/clock.h"
#include "base/result.h"
#include "bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define ITERATIONS 3
#define STEP 0.04f
#define WOOD_YOUNG 12.5e9f
#define WOOD_SHEAR 6.5e9f
#define LEAF_YOUNG 1.2e9f
#define LEAF_SHEAR 0.6e9f
#define LEAF_THICKNESS 2e-4f // m, half of it

static SnResult make_world(const Bench *bench, int threads, SnWorld **out_world) {
    SnWorldDef def = sn_default_world_def();
    def.thread_count = threads;
    def.isa = bench->isa;
    return sn_world_create(&def, out_world);
}

static SnRodDef stiff_def(void) {
    SnRodDef def = sn_default_rod_def();
    def.stiff = true;
    def.filter.mask = 0;
    def.material.density = 1000.0f;
    def.material.young = WOOD_YOUNG;
    def.material.shear = WOOD_SHEAR;
    return def;
}

// The first segment stands still.
static SnResult add_clamped(SnWorld *world, const SnRodDef *def) {
    SnAttachmentDef hold = sn_default_attachment_def();
    SnResult result = sn_rod_create(world, def, &hold.rod);
    hold.kind = SN_ATTACH_VERTEX;
    if (result.code == SN_OK)
        result = sn_attachment_create(world, &hold, NULL);
    hold.kind = SN_ATTACH_SEGMENT;
    if (result.code == SN_OK)
        result = sn_attachment_create(world, &hold, NULL);
    return result;
}

static SnResult add_chains(SnWorld *world, int chains, int segments) {
    SnRodDef def = stiff_def();
    SnVec3 *x = malloc((size_t)(segments + 1) * sizeof *x);
    if (x == NULL)
        return sn__error(SN_ERROR_MEMORY, "trees: no memory");
    for (int i = 0; i <= segments; ++i)
        x[i] = sn_vec3(0.05f * (float)i, 0.0f, 0.0f);
    def.vertex_count = segments + 1;
    def.positions = x;
    def.radius = 0.005f;
    SnResult result = sn__ok();
    for (int k = 0; k < chains && result.code == SN_OK; ++k) {
        def.origin[2] = 0.1 * k;
        result = add_clamped(world, &def);
    }
    free(x);
    return result;
}

static SnSegmentDef *segments_of(const SnTreeModel *model) {
    SnSegmentDef *s = calloc((size_t)model->edge_count, sizeof *s);
    for (int e = 0; s && e < model->edge_count; ++e) {
        if (model->leaf[e]) {
            s[e] = (SnSegmentDef){.young = LEAF_YOUNG,
                                  .shear = LEAF_SHEAR,
                                  .radius_x = model->leaf_widths[e],
                                  .radius_y = LEAF_THICKNESS};
        } else {
            s[e].radius_x = s[e].radius_y =
                0.5f * (model->base_radii[e] + model->radii[model->edges[2 * e + 1]]);
        }
    }
    return s;
}

static SnRodDef rod_of(const SnTreeModel *model, const SnSegmentDef *parts) {
    SnRodDef def = stiff_def();
    def.vertex_count = model->vertex_count;
    def.positions = model->positions;
    def.radii = model->radii;
    def.edges = model->edges;
    def.edge_count = model->edge_count;
    def.frames = model->frames;
    def.segments = parts;
    return def;
}

static SnResult add_trees(SnWorld *world, SnTreeKind kind, int count, int segments) {
    SnTreeDef tree = sn_default_tree_def(kind);
    if (segments > 0)
        tree.segments = segments;
    SnTreeModel model;
    SnResult result = sn_tree_model(&tree, NULL, &model);
    if (result.code != SN_OK)
        return result;
    SnSegmentDef *parts = segments_of(&model);
    SnRodDef def = rod_of(&model, parts);
    if (parts == NULL)
        result = sn__error(SN_ERROR_MEMORY, "trees: no memory");
    for (int k = 0; k < count && result.code == SN_OK; ++k) {
        def.origin[0] = 10.0 * k;
        result = add_clamped(world, &def);
    }
    free(parts);
    sn_tree_model_destroy(&model);
    return result;
}

typedef struct TreesCase {
    const char *name;
    int trees;    // birches; 0: chains
    int chains;   // of `segments`
    int segments; // of each; 0: the paper's birch
} TreesCase;

static SnResult fill(SnWorld *world, const TreesCase *c) {
    return c->trees > 0 ? add_trees(world, SN_TREE_BIRCH, c->trees, c->segments)
                        : add_chains(world, c->chains, c->segments);
}

// From a definition to a world that is ready to step.
static SnResult time_set_up(Bench *bench) {
    double best = INFINITY;
    SnResult result = sn__ok();
    for (int k = 0; k < bench->runs && result.code == SN_OK && bench_go_on(bench, 0.0); ++k) {
        SnWorld *world = NULL;
        SnTreeDef tree = sn_default_tree_def(SN_TREE_PINE);
        SnTreeModel model = {0};
        result = make_world(bench, 1, &world);
        if (result.code == SN_OK)
            result = sn_tree_model(&tree, NULL, &model);
        SnSegmentDef *parts = result.code == SN_OK ? segments_of(&model) : NULL;
        SnRodDef def = rod_of(&model, parts);
        double start = sn__now_ms();
        if (result.code == SN_OK)
            result = add_clamped(world, &def);
        // A snapshot's size is known when the rows are.
        if (result.code == SN_OK)
            sn_world_snapshot_size(world);
        best = fmin(best, sn__now_ms() - start);
        free(parts);
        sn_tree_model_destroy(&model);
        sn_world_destroy(world);
    }
    if (result.code == SN_OK)
        bench_add_row(bench, "pine-set-up", 1, best, "ms");
    return result;
}

SnResult bench_trees(Bench *bench) {
    static const TreesCase cases[] = {
        {"chains-1000x30", 0, 1000, 30},
        {"chain-1x1000", 0, 1, 1000},
        {"birch", 1, 0, 0},
        {"birches-1x1000", 1, 0, 1000},
        {"birches-10x1000", 10, 0, 1000},
        {"birches-100x1000", 100, 0, 1000},
        {"birches-1000x1000", 1000, 0, 1000},
    };
    int count = sizeof cases / sizeof cases[0];
    bench_part(bench, 0, count + 1);
    SnResult result = time_set_up(bench);
    for (int k = 0; k < count && result.code == SN_OK && !bench->stopped; ++k) {
        BenchTimer timers[2] = {0};
        const TreesCase *c = &cases[k];
        bench_part(bench, k + 1, count + 1);
        for (int i = 0; i < bench->thread_count_count && result.code == SN_OK; ++i) {
            timers[i] = (BenchTimer){.threads = bench->thread_counts[i],
                                     .dt = STEP,
                                     .substeps = 1,
                                     .iterations = ITERATIONS};
            result = make_world(bench, timers[i].threads, &timers[i].world);
            if (result.code == SN_OK)
                result = fill(timers[i].world, c);
        }
        // One after the other: worlds that are timed in turn would take the cache from each other.
        bool done = result.code == SN_OK;
        for (int i = 0; i < bench->thread_count_count && done; ++i)
            done = bench_time(bench, &timers[i], 1, bench->runs);
        for (int i = 0; i < bench->thread_count_count; ++i) {
            SnPoses poses = {0};
            if (done && sn_world_poses(timers[i].world, &poses).code == SN_OK) {
                bench_add_row(bench, c->name, timers[i].threads,
                              1e6 * timers[i].best_ms / ITERATIONS / poses.segment_count,
                              "ns/segment/iteration");
                if (c->trees == 1 && c->segments == 0)
                    bench_add_row(bench, "birch-step", timers[i].threads, timers[i].best_ms, "ms");
            }
            sn_world_destroy(timers[i].world);
        }
    }
    return result;
}
