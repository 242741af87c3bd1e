// skinning: what it costs to bring the skins of 100 octopuses, 12,000 triangles each, to where their
// rods are, positions and normals; with equal skins, which share what does not move, and with skins
// of their own.
#include "bench/bench.h"

#include <sinew/model.h>
#include <sinew/skin.h>

#include <math.h>
#include <stdio.h>

#define BODIES 100
#define TRIANGLES 12000
#define CALLS 5 // per run

typedef struct SkinTimer {
    char name[BENCH_NAME_SIZE];
    int threads;
    bool own; // every skin is a little different
    SnWorld *world;
    SnSkinId first;
    int vertices;
    double bind_ms, best_ms; // bind: of the first skin
} SkinTimer;

static SnResult add_body(SkinTimer *timer, const SnModel *model, SnMesh *mesh, int i) {
    SnRodDef rod = sn_default_rod_def();
    SnSkinDef skin = sn_default_skin_def();
    rod.vertex_count = model->vertex_count;
    rod.positions = model->positions;
    rod.radii = model->radii;
    rod.edges = model->edges;
    rod.edge_count = model->edge_count;
    rod.filter.mask = 0; // how they lie is all the same
    rod.origin[0] = skin.origin[0] = 3.0 * (i % 10);
    rod.origin[2] = skin.origin[2] = 3.0 * (i / 10);
    SnBodyId id;
    SnResult result = sn_rod_create(timer->world, &rod, &id);
    if (result.code != SN_OK)
        return result;
    if (timer->own && i > 0) { // with the weights of the first, to be quick
        SnSkinMesh first;
        mesh->positions[0].x += 1.0e-6f;
        result = sn_skin_mesh(timer->world, timer->first, &first);
        skin.bones = first.bones;
        skin.weights = first.weights;
    }
    skin.body_count = 1;
    skin.bodies = &id;
    skin.vertex_count = mesh->vertex_count;
    skin.triangle_count = mesh->triangle_count;
    skin.positions = mesh->positions;
    skin.normals = mesh->normals;
    skin.triangles = mesh->triangles;
    double start = sn_now_ms();
    SnSkinId made;
    result = sn_skin_create(timer->world, &skin, &made);
    if (i == 0) {
        timer->first = made;
        timer->bind_ms = sn_now_ms() - start;
    }
    return result;
}

static SnResult fill_world(SkinTimer *timer, const SnModel *model, SnMesh *mesh, SnIsa isa) {
    SnWorldDef def = sn_default_world_def();
    def.thread_count = timer->threads;
    def.isa = isa;
    SnResult result = sn_world_create(&def, &timer->world);
    for (int i = 0; i < BODIES && result.code == SN_OK; ++i)
        result = add_body(timer, model, mesh, i);
    timer->vertices = BODIES * mesh->vertex_count;
    timer->best_ms = (double)INFINITY;
    return result;
}

static SnResult time_skins(SkinTimer *timer) {
    SnSkinPoses poses;
    SnResult result = sn_world_skins(timer->world, &poses); // warms up
    double start = sn_now_ms();
    for (int i = 0; i < CALLS && result.code == SN_OK; ++i)
        result = sn_world_skins(timer->world, &poses);
    timer->best_ms = fmin(timer->best_ms, (sn_now_ms() - start) / CALLS);
    return result;
}

static void add_rows(Bench *bench, const SkinTimer *timers, int count) {
    for (int i = 0; i < count; ++i) {
        const SkinTimer *t = &timers[i];
        char name[BENCH_NAME_SIZE];
        bench_add_row(bench, t->name, t->threads, t->best_ms, "ms");
        snprintf(name, sizeof name, "%.30s-vertex", t->name);
        bench_add_row(bench, name, t->threads, t->best_ms * 1.0e6 / t->vertices, "ns");
    }
    bench_add_row(bench, "bind", 1, timers[0].bind_ms, "ms");
}

static SnResult run_timers(Bench *bench, SkinTimer *timers, int count) {
    SnResult result = sn_ok();
    int rounds = bench->runs * 3; // a run is short
    for (int k = 0; k < rounds * count && result.code == SN_OK; ++k) {
        if (!bench_go_on(bench, (double)k / (rounds * count)))
            return result;
        result = time_skins(&timers[k % count]);
    }
    if (result.code == SN_OK)
        add_rows(bench, timers, count);
    return result;
}

SnResult bench_skinning(Bench *bench) {
    SnModel model = {0};
    SnMesh mesh = {0};
    SkinTimer timers[4] = {0};
    int count = 0;
    SnResult result = sn_octopus(1.0f, NULL, &model);
    SnIsoDef iso = sn_default_iso_def();
    iso.vertex_count = model.vertex_count;
    iso.edge_count = model.edge_count;
    iso.positions = model.positions;
    iso.radii = model.radii;
    iso.edges = model.edges;
    iso.triangles = TRIANGLES;
    if (result.code == SN_OK)
        result = sn_iso_mesh(&iso, NULL, &mesh);
    for (int t = 0; t < 2 * bench->thread_count_count && result.code == SN_OK; ++t) {
        SkinTimer *timer = &timers[count++];
        timer->own = t % 2 == 1;
        timer->threads = bench->thread_counts[t / 2];
        snprintf(timer->name, sizeof timer->name, "skins-100%s", timer->own ? "-own" : "");
        result = fill_world(timer, &model, &mesh, bench->isa);
    }
    if (result.code == SN_OK) {
        bench_part(bench, 0, 1);
        result = run_timers(bench, timers, count);
    }
    for (int i = 0; i < count; ++i)
        sn_world_destroy(timers[i].world);
    sn_mesh_destroy(&mesh);
    sn_model_destroy(&model);
    return result;
}
