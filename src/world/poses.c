// Flat copies of all poses, and measurements of the whole world.
#include "rod/access.h"
#include "rod/measure.h"
#include "world/world.h"

static SnBodyId id_of(const SnWorld *world, uint32_t slot) {
    return (SnBodyId){slot, world->rods.ids.slots[slot - 1].generation};
}

static Rod *rod_of(const SnWorld *world, int k) {
    return &world->rods.rods[world->rods.order[k] - 1];
}

// The arrays of SnPoses, one behind the other in one block that only grows.
typedef struct PoseArrays {
    SnBodyId *rods;
    int *vertex_begin, *segment_begin, *edges;
    float *positions, *radii, *scales, *frames;
} PoseArrays;

static bool reserve(SnWorld *world, size_t rods, size_t vertices, size_t segments,
                    PoseArrays *out) {
    size_t size = rods * sizeof(SnBodyId) + 2 * (rods + 1) * sizeof(int) +
                  (5 * vertices + 4 * segments) * sizeof(float) + 2 * segments * sizeof(int);
    PoseBuffers *b = &world->poses;
    if (size > b->size) {
        size_t grown = size + size / 2;
        void *memory = sn__alloc(&world->allocator, grown);
        if (memory == NULL)
            return false;
        sn__free(&world->allocator, b->memory, b->size);
        *b = (PoseBuffers){memory, grown};
    }
    out->rods = b->memory;
    out->vertex_begin = (int *)(out->rods + rods);
    out->segment_begin = out->vertex_begin + rods + 1;
    out->edges = out->segment_begin + rods + 1;
    out->positions = (float *)(out->edges + 2 * segments);
    out->radii = out->positions + 3 * vertices;
    out->scales = out->radii + vertices;
    out->frames = out->scales + vertices;
    return true;
}

SnResult sn_world_poses(SnWorld *world, SnPoses *out_poses) {
    RodSystem *rods = &world->rods;
    sn__rods_compact(rods);
    size_t vertices = 0, segments = 0;
    for (int k = 0; k < rods->order_count; ++k) {
        vertices += (size_t)rod_of(world, k)->vertices;
        segments += (size_t)rod_of(world, k)->segments;
    }
    PoseArrays to;
    if (!reserve(world, (size_t)rods->order_count, vertices, segments, &to))
        return sn_error(SN_ERROR_MEMORY, "poses: no memory for %zu vertices", vertices);
    int v = 0, g = 0;
    for (int k = 0; k < rods->order_count; ++k) {
        const Rod *rod = rod_of(world, k);
        to.rods[k] = id_of(world, rods->order[k]);
        to.vertex_begin[k] = v;
        to.segment_begin[k] = g;
        RodPoseArrays at = {to.positions + 3 * (size_t)v, to.radii + v, to.scales + v,
                            to.frames + 4 * (size_t)g};
        sn__rod_copy_pose(rods, rod, &at);
        for (int j = 0; j < rod->segments; ++j)
            sn__rod_edge(rods, rod, j, to.edges + 2 * (g + j));
        v += rod->vertices;
        g += rod->segments;
    }
    to.vertex_begin[rods->order_count] = v;
    to.segment_begin[rods->order_count] = g;
    *out_poses = (SnPoses){
        rods->order_count, v,        g,         to.rods,   to.vertex_begin, to.segment_begin,
        to.positions,      to.radii, to.scales, to.frames, to.edges};
    return sn_ok();
}

SnMeasures sn_world_measure(SnWorld *world) {
    RodSums sums = {0};
    sn__rods_compact(&world->rods);
    for (int k = 0; k < world->rods.order_count; ++k)
        sn__rod_measure(&world->rods, rod_of(world, k), world->gravity, &sums);
    SnMeasures measures = sn__rod_measures(&sums);
    measures.penetration_max = sn__contacts_penetration(world);
    measures.stiff_residual = world->stiff_report.residual;
    measures.stiff_iterations = world->stiff_report.iterations;
    measures.broken_joints = (int)world->breaks;
    return measures;
}

SnResult sn_body_measure(SnWorld *world, SnBodyId id, SnMeasures *out_measures) {
    const Rod *rod = sn__rods_find(&world->rods, id);
    if (rod == NULL)
        return sn_error(SN_ERROR_STALE, "rod: id is stale");
    RodSums sums = {0};
    sn__rod_measure(&world->rods, rod, world->gravity, &sums);
    *out_measures = sn__rod_measures(&sums);
    return sn_ok();
}
