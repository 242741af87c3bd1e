// trees: the direct solver on many short rods, one long one, rings, a net, and whole trees.
#include <sinew/tree_model.h>

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

// The first segment stands still. Rings hang from their first vertex: fixed, it would cut them open.
static SnResult add_held(SnWorld *world, const SnRodDef *def) {
    SnAttachmentDef hold = sn_default_attachment_def();
    SnResult result = sn_rod_create(world, def, &hold.body);
    hold.kind = SN_ATTACH_VERTEX;
    if (result.code == SN_OK)
        result = sn_attachment_create(world, &hold, NULL);
    hold.kind = SN_ATTACH_SEGMENT;
    if (result.code == SN_OK && !def->closed)
        result = sn_attachment_create(world, &hold, NULL);
    return result;
}

// Straight, or rings of the same length.
static SnResult add_rods(SnWorld *world, int count, int segments, bool closed) {
    SnRodDef def = stiff_def();
    SnVec3 *x = malloc((size_t)(segments + 1) * sizeof *x);
    if (x == NULL)
        return sn_error(SN_ERROR_MEMORY, "trees: no memory");
    float turn = 6.2831853f / (float)segments, length = 0.05f;
    for (int i = 0; i <= segments; ++i)
        x[i] = closed ? sn_vec3(length / turn * cosf(turn * (float)i),
                                length / turn * sinf(turn * (float)i), 0.0f)
                      : sn_vec3(length * (float)i, 0.0f, 0.0f);
    def.closed = closed;
    def.vertex_count = closed ? segments : segments + 1;
    def.positions = x;
    def.radius = 0.005f;
    SnResult result = sn_ok();
    for (int k = 0; k < count && result.code == SN_OK; ++k) {
        def.origin[2] = 0.1 * k;
        result = add_held(world, &def);
    }
    free(x);
    return result;
}

static SnResult add_chains(SnWorld *world, int count, int segments) {
    return add_rods(world, count, segments, false);
}

static SnResult add_rings(SnWorld *world, int count, int segments) {
    return add_rods(world, count, segments, true);
}

#define NET_MOST 64

// Nets of so many meshes each way, which hang from one side.
static SnResult add_nets(SnWorld *world, int count, int meshes) {
    static SnVec3 x[(NET_MOST + 1) * (NET_MOST + 1)];
    static int edges[4 * (NET_MOST + 1) * (NET_MOST + 1)];
    int across = meshes + 1;
    SnRodDef def = stiff_def();
    def.vertex_count = across * across;
    for (int i = 0; i < across * across; ++i) {
        x[i] = sn_vec3(0.1f * (float)(i % across), -0.1f * (float)(i / across), 0.0f);
        for (int d = 0; d < 2; ++d) {
            int to = d == 0 ? i + 1 : i + across;
            if ((d == 0 && i % across == meshes) || to >= across * across)
                continue;
            edges[2 * def.edge_count] = i;
            edges[2 * def.edge_count++ + 1] = to;
        }
    }
    def.positions = x;
    def.edges = edges;
    def.radius = 0.005f;
    def.material.young = 1e8f;
    def.material.shear = 4e7f;
    SnResult result = sn_ok();
    for (int k = 0; k < count && result.code == SN_OK; ++k) {
        SnAttachmentDef hold = sn_default_attachment_def();
        def.origin[2] = 0.5 * k;
        result = sn_rod_create(world, &def, &hold.body);
        for (hold.index = 0; hold.index < across && result.code == SN_OK; ++hold.index)
            result = sn_attachment_create(world, &hold, NULL);
    }
    return result;
}

static SnSegmentDef *segments_of(const SnTreeModel *model) {
    SnSegmentDef *s = calloc((size_t)model->edge_count, sizeof *s);
    for (int e = 0; s && e < model->edge_count; ++e)
        if (model->leaf[e])
            s[e] = (SnSegmentDef){.young = LEAF_YOUNG,
                                  .shear = LEAF_SHEAR,
                                  .radius_x = model->leaf_widths[e],
                                  .radius_y = LEAF_THICKNESS};
        else
            s[e].radius_x = s[e].radius_y =
                0.5f * (model->base_radii[e] + model->radii[model->edges[2 * e + 1]]);
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

// `segments` 0: as many as the paper's.
static SnResult add_birches(SnWorld *world, int count, int segments) {
    SnTreeDef tree = sn_default_tree_def(SN_TREE_BIRCH);
    if (segments > 0)
        tree.segments = segments;
    SnTreeModel model;
    SnResult result = sn_tree_model(&tree, NULL, &model);
    if (result.code != SN_OK)
        return result;
    SnSegmentDef *parts = segments_of(&model);
    SnRodDef def = rod_of(&model, parts);
    if (parts == NULL)
        result = sn_error(SN_ERROR_MEMORY, "trees: no memory");
    for (int k = 0; k < count && result.code == SN_OK; ++k) {
        def.origin[0] = 10.0 * k;
        result = add_held(world, &def);
    }
    free(parts);
    sn_tree_model_destroy(&model);
    return result;
}

typedef struct TreesCase {
    const char *name;
    SnResult (*add)(SnWorld *world, int count, int size);
    int count, size;
} TreesCase;

// From a definition to a world that is ready to step.
static SnResult time_set_up(Bench *bench) {
    double best = INFINITY;
    SnResult result = sn_ok();
    for (int k = 0; k < bench->runs && result.code == SN_OK && bench_go_on(bench, 0.0); ++k) {
        SnWorld *world = NULL;
        SnTreeDef tree = sn_default_tree_def(SN_TREE_PINE);
        SnTreeModel model = {0};
        result = make_world(bench, 1, &world);
        if (result.code == SN_OK)
            result = sn_tree_model(&tree, NULL, &model);
        SnSegmentDef *parts = result.code == SN_OK ? segments_of(&model) : NULL;
        SnRodDef def = rod_of(&model, parts);
        double start = sn_now_ms();
        if (result.code == SN_OK)
            result = add_held(world, &def);
        // A snapshot's size is known when the rows are.
        if (result.code == SN_OK)
            sn_world_snapshot_size(world);
        best = fmin(best, sn_now_ms() - start);
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
        {"chains-1000x30", add_chains, 1000, 30},
        {"chain-1x1000", add_chains, 1, 1000},
        {"rings-1000x30", add_rings, 1000, 30},
        {"net-16x16", add_nets, 1, 16},
        {"birch", add_birches, 1, 0},
        {"birches-1x1000", add_birches, 1, 1000},
        {"birches-10x1000", add_birches, 10, 1000},
        {"birches-100x1000", add_birches, 100, 1000},
        {"birches-1000x1000", add_birches, 1000, 1000},
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
                result = c->add(timers[i].world, c->count, c->size);
        }
        // One after the other: worlds that are timed in turn would take the cache from each other.
        bool done = result.code == SN_OK;
        for (int i = 0; i < bench->thread_count_count && done; ++i)
            done = bench_time(bench, &timers[i], 1, bench->runs);
        for (int i = 0; i < bench->thread_count_count; ++i) {
            SnPoses poses = {0};
            if (done && sn_world_poses(timers[i].world, &poses).code == SN_OK) {
                bench_add_row(bench, c->name, timers[i].threads,
                              1e6 * timers[i].best_ms / ITERATIONS / poses.element_count,
                              "ns/segment/iteration");
                if (c->size == 0)
                    bench_add_row(bench, "birch-step", timers[i].threads, timers[i].best_ms, "ms");
            }
            sn_world_destroy(timers[i].world);
        }
    }
    return result;
}
