// The skins of 180 solids from meshes, 704,000 vertices: the paper's second crowd, as it is drawn.
#include "bench/bench.h"
#include "bench/solids.h"

#include <math.h>

#include <sinew/particles.h>
#include <sinew/skin.h>
#include <sinew/solid.h>
#include <sinew/solid_model.h>

#define BODIES 180
#define SHAPES 4
#define TRIANGLES 7818 // of each: 3,911 vertices
#define CALLS 5        // per run

typedef struct Shape {
    SnMesh mesh;
    SnParticles particles;
} Shape;

static SnResult make_shape(SnSolidShape kind, int particles, Shape *out) {
    SnResult result = sn_solid_mesh(kind, 0.5f, TRIANGLES, NULL, &out->mesh);
    SnParticlesDef def = sn_default_particles_def();
    def.vertex_count = out->mesh.vertex_count;
    def.triangle_count = out->mesh.triangle_count;
    def.positions = out->mesh.positions;
    def.triangles = out->mesh.triangles;
    def.particles = particles;
    if (result.code == SN_OK)
        result = sn_particles_create(&def, NULL, &out->particles);
    return result;
}

static SnResult add_body(SnWorld *world, const Shape *shape, int i) {
    const SnParticles *p = &shape->particles;
    SnSolidDef def = sn_default_solid_def();
    SnSkinDef skin = sn_default_skin_def();
    SnBodyId id;
    def.particle_count = p->particle_count;
    def.positions = p->positions;
    def.rotations = p->rotations;
    def.radii = p->radii;
    def.volumes = p->volumes;
    def.edge_count = p->edge_count;
    def.edges = (const int(*)[2])p->edges;
    def.areas = p->areas;
    def.filter.mask = 0; // how they lie is all the same
    def.origin[0] = skin.origin[0] = 1.0 * (i % 15);
    def.origin[2] = skin.origin[2] = 1.0 * (i / 15);
    SnResult result = sn_solid_create(world, &def, &id);
    skin.body_count = 1;
    skin.bodies = &id;
    skin.vertex_count = shape->mesh.vertex_count;
    skin.triangle_count = shape->mesh.triangle_count;
    skin.positions = shape->mesh.positions;
    skin.normals = shape->mesh.normals;
    skin.triangles = shape->mesh.triangles;
    skin.bones = p->bones;
    skin.weights = p->weights;
    if (result.code == SN_OK)
        result = sn_skin_create(world, &skin, NULL);
    return result;
}

static SnResult time_skins(Bench *bench, const Shape *shapes, int threads) {
    SnWorldDef def = sn_default_world_def();
    def.thread_count = threads;
    def.isa = bench->isa;
    SnWorld *world = NULL;
    SnSkinPoses poses;
    double best = (double)INFINITY;
    SnResult result = sn_world_create(&def, &world);
    for (int i = 0; i < BODIES && result.code == SN_OK; ++i)
        result = add_body(world, &shapes[i % SHAPES], i);
    if (result.code == SN_OK)
        result = sn_world_skins(world, &poses); // warms up
    for (int run = 0; run < 3 * bench->runs && result.code == SN_OK; ++run) {
        double start = sn_now_ms();
        for (int i = 0; i < CALLS && result.code == SN_OK; ++i)
            result = sn_world_skins(world, &poses);
        best = fmin(best, (sn_now_ms() - start) / CALLS);
    }
    if (result.code == SN_OK)
        bench_add_row(bench, "skin-180", threads, best, "ms");
    sn_world_destroy(world);
    return result;
}

SnResult bench_solid_skins(Bench *bench) {
    const SnSolidShape kinds[SHAPES] = {SN_SOLID_DINOSAUR, SN_SOLID_RABBIT, SN_SOLID_FIGURE,
                                        SN_SOLID_TORUS};
    static Shape shapes[SHAPES];
    SnResult result = sn_ok();
    int made = 0;
    for (; made < SHAPES && result.code == SN_OK; ++made) {
        shapes[made] = (Shape){0};
        result = make_shape(kinds[made], kinds[made] == SN_SOLID_TORUS ? 12 : 30, &shapes[made]);
    }
    for (int t = 0; t < bench->thread_count_count && result.code == SN_OK; ++t)
        result = time_skins(bench, shapes, bench->thread_counts[t]);
    for (int k = 0; k < made; ++k) {
        sn_particles_destroy(&shapes[k].particles);
        sn_mesh_destroy(&shapes[k].mesh);
    }
    return result;
}
