// Flat copies of all poses, and measurements of the whole world.
#include "world/world.h"

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
    BodyRegister *bodies = &world->bodies;
    sn__bodies_compact(bodies);
    size_t points = 0, elements = 0;
    const Body *body;
    for (int k = 0; (body = sn__bodies_next(bodies, NULL, &k)) != NULL; ++k) {
        points += (size_t)body->points;
        elements += (size_t)body->elements;
    }
    PoseArrays to;
    if (!reserve(world, (size_t)bodies->order_count, points, elements, &to))
        return sn_error(SN_ERROR_MEMORY, "poses: no memory for %zu points", points);
    int v = 0, g = 0;
    for (int k = 0; (body = sn__bodies_next(bodies, NULL, &k)) != NULL; ++k) {
        to.rods[k] = sn__body_id(bodies, body->slot);
        to.vertex_begin[k] = v;
        to.segment_begin[k] = g;
        SnBodyState at = {.positions = (SnVec3 *)to.positions + v,
                          .radii = to.radii + v,
                          .scales = to.scales + v,
                          .frames = (SnQuat *)to.frames + g};
        body->kind->read(body, &at);
        for (int j = 0; j < body->elements; ++j)
            body->kind->edge(body, j, to.edges + 2 * (g + j));
        v += body->points;
        g += body->elements;
    }
    to.vertex_begin[bodies->order_count] = v;
    to.segment_begin[bodies->order_count] = g;
    *out_poses = (SnPoses){
        bodies->order_count, v,        g,         to.rods,   to.vertex_begin, to.segment_begin,
        to.positions,        to.radii, to.scales, to.frames, to.edges};
    return sn_ok();
}

SnMeasures sn_world_measure(SnWorld *world) {
    BodySums sums = {0};
    const Body *body;
    for (int k = 0; (body = sn__bodies_next(&world->bodies, NULL, &k)) != NULL; ++k)
        body->kind->measure(body, world->gravity, &sums);
    SnMeasures measures = sn__body_measures(&sums);
    measures.penetration_max = sn__contacts_penetration(world);
    measures.stiff_residual = world->report.residual;
    measures.stiff_iterations = world->report.iterations;
    measures.broken_joints = (int)world->breaks;
    return measures;
}

SnResult sn_body_measure(SnWorld *world, SnBodyId id, SnMeasures *out_measures) {
    const Body *body = world ? sn__bodies_find(&world->bodies, id) : NULL;
    if (body == NULL)
        return sn_error(SN_ERROR_STALE, "body: id is stale");
    BodySums sums = {0};
    body->kind->measure(body, world->gravity, &sums);
    *out_measures = sn__body_measures(&sums);
    return sn_ok();
}
