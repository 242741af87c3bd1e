#include "bench/creatures.h"

#include <sinew/model.h>

#define BUSH_VERTICES 31
#define BUSH_RADIUS 0.01f
#define OCTOPUS_SEGMENTS 38

int creatures_segments(const CreaturesDef *def) {
    return def->bush ? BUSH_VERTICES - 1 : OCTOPUS_SEGMENTS;
}

static SnResult add_all(const CreaturesDef *def, SnRodDef *rod, SnWorld *world) {
    rod->filter.mask = 0; // the cost of creatures alone
    rod->solver = def->direct ? SN_SOLVER_DIRECT : SN_SOLVER_SWEEP;
    rod->material.volume_bend = rod->material.volume;
    SnResult result = sn_ok();
    for (int i = 0; i < def->count && result.code == SN_OK; ++i) {
        rod->origin[0] = (double)i;
        SnAttachmentDef hold = sn_default_attachment_def();
        result = sn_rod_create(world, rod, &hold.body);
        if (result.code == SN_OK)
            result = sn_attachment_create(world, &hold, NULL);
    }
    return result;
}

static SnResult add_octopuses(const CreaturesDef *def, SnWorld *world) {
    SnModel model;
    SnResult result = sn_octopus(0.5f, NULL, &model);
    if (result.code != SN_OK)
        return result;
    SnRodDef rod = sn_default_rod_def();
    rod.vertex_count = model.vertex_count;
    rod.positions = model.positions;
    rod.radii = model.radii;
    rod.edges = model.edges;
    rod.edge_count = model.edge_count;
    result = add_all(def, &rod, world);
    sn_model_destroy(&model);
    return result;
}

// Each pair of twigs lies across the one that carries it.
static SnResult add_bushes(const CreaturesDef *def, SnWorld *world) {
    SnVec3 positions[BUSH_VERTICES] = {{0.0f, 0.0f, 0.0f}};
    int edges[BUSH_VERTICES - 1][2];
    for (int i = 1, level = 0; i < BUSH_VERTICES; ++i) {
        level += i + 1 == 4 << level;
        int from = (i - 1) / 2;
        float side = i % 2 == 0 ? 0.08f : -0.08f;
        positions[i] = positions[from];
        positions[i].y += 0.08f;
        *(level % 2 == 0 ? &positions[i].x : &positions[i].z) += side;
        edges[i - 1][0] = from;
        edges[i - 1][1] = i;
    }
    SnRodDef rod = sn_default_rod_def();
    rod.vertex_count = BUSH_VERTICES;
    rod.positions = positions;
    rod.radius = BUSH_RADIUS;
    rod.edges = edges[0];
    rod.edge_count = BUSH_VERTICES - 1;
    return add_all(def, &rod, world);
}

SnResult creatures_create(const CreaturesDef *def, SnWorld **out_world) {
    SnWorldDef world_def = sn_default_world_def();
    world_def.thread_count = def->threads;
    world_def.isa = def->isa;
    SnWorld *world = NULL;
    SnResult result = sn_world_create(&world_def, &world);
    if (result.code == SN_OK)
        result = def->bush ? add_bushes(def, world) : add_octopuses(def, world);
    if (result.code != SN_OK) {
        sn_world_destroy(world);
        world = NULL;
    }
    *out_world = world;
    return result;
}
