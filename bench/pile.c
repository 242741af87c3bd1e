#include "bench/pile.h"

#include <sinew/model.h>

#include "base/hash.h"

#define ROPE_VERTICES 31
#define ROPE_LENGTH 0.9f

// Between −1 and 1, the same for the same numbers.
static float noise(uint64_t a, uint64_t b) {
    return (float)(sn__hash_mix(sn__hash_mix(a, b), 7) >> 40) / 8388608.0f - 1.0f;
}

// Layers of bodies on a square, far enough from each other to start free.
static void place(SnRodDef *rod, int index, int side, double spacing) {
    rod->origin[0] = spacing * (double)(index % side);
    rod->origin[2] = spacing * (double)(index / side % side);
    rod->origin[1] = spacing * (0.7 + (double)(index / (side * side)));
}

static SnResult add_octopuses(SnWorld *world, int count, SnRodSolver solver) {
    SnModel model;
    SnResult result = sn_octopus(0.5f, NULL, &model);
    SnRodDef rod = sn_default_rod_def();
    rod.vertex_count = model.vertex_count;
    rod.positions = model.positions;
    rod.radii = model.radii;
    rod.edges = model.edges;
    rod.edge_count = model.edge_count;
    rod.material.density = 200.0f;
    rod.material.young = 2e5f;
    rod.material.shear = 7e4f;
    rod.material.volume = 4e6f;
    rod.material.damping = 0.01f;
    rod.material.drag = 1.0f;
    rod.solver = solver;
    int side = count <= 100 ? 5 : 16;
    for (int i = 0; i < count && result.code == SN_OK; ++i) {
        place(&rod, i, side, 1.1);
        rod.angular_velocity = sn_vec3(noise(1, (uint64_t)i), noise(2, (uint64_t)i), 0.0f);
        result = sn_rod_create(world, &rod, NULL);
    }
    sn_model_destroy(&model);
    return result;
}

// Straight ropes that lie across each other in layers, in four stacks.
static SnResult add_ropes(SnWorld *world, int count) {
    SnVec3 positions[ROPE_VERTICES];
    SnRodDef rod = sn_default_rod_def();
    rod.vertex_count = ROPE_VERTICES;
    rod.positions = positions;
    rod.radius = 0.01f;
    rod.solver = SN_SOLVER_SWEEP;
    rod.material.young = 1e6f;
    rod.material.shear = 3.5e5f;
    rod.material.damping = 0.005f;
    rod.material.drag = 4.0f;
    rod.material.bend = 1e5f;
    SnResult result = sn_ok();
    for (int i = 0; i < count && result.code == SN_OK; ++i) {
        int layer = i / 80, stack = i / 20 % 4;
        float across = 0.045f * (float)(i % 20 - 10) + 0.005f * noise(3, (uint64_t)i);
        for (int v = 0; v < ROPE_VERTICES; ++v) {
            float along = ROPE_LENGTH * ((float)v / (ROPE_VERTICES - 1) - 0.5f);
            float wave = 0.004f * noise(4, (uint64_t)(i * ROPE_VERTICES + v));
            positions[v] = layer % 2 ? sn_vec3(along, wave, across) : sn_vec3(across, wave, along);
        }
        rod.origin[0] = stack % 2 ? 0.5 : -0.5;
        rod.origin[1] = 0.05 + 0.06 * (double)layer;
        rod.origin[2] = stack / 2 ? 0.5 : -0.5;
        result = sn_rod_create(world, &rod, NULL);
    }
    return result;
}

static SnResult add_floor(SnWorld *world) {
    SnColliderDef floor = sn_default_collider_def();
    floor.kind = SN_COLLIDER_PLANE;
    return sn_collider_create(world, &floor, NULL);
}

SnResult pile_create(const PileDef *def, SnWorld **out_world) {
    SnWorldDef world_def = sn_default_world_def();
    world_def.thread_count = def->threads;
    world_def.isa = def->isa;
    SnResult result = sn_world_create(&world_def, out_world);
    if (result.code == SN_OK)
        result = add_floor(*out_world);
    if (result.code == SN_OK)
        result = def->ropes ? add_ropes(*out_world, def->bodies)
                            : add_octopuses(*out_world, def->bodies, def->solver);
    int steps = (int)(def->seconds / (double)PILE_STEP);
    for (int i = 0; i < steps && result.code == SN_OK; ++i) {
        if (i % 10 == 0 && !def->go_on((double)i / steps, def->context))
            break;
        sn_world_step(*out_world, PILE_STEP, PILE_SUBSTEPS, 1);
    }
    return result;
}
