// The bones of all bodies as flat arrays. They are made once for every state of the world that anybody
// asks for, and read by all who do.
#include <assert.h>

#include "base/null.h"
#include "body/bones.h"
#include "world/world.h"

// Bodies that are one piece of work.
#define BATCH 4

// The arrays of SnPoses, one behind the other in one block that only grows.
typedef struct PoseArrays {
    Vec3d *origins;
    SnBodyId *bodies;
    SnBodyKind *kinds;
    int *point_begin, *element_begin, *torn_begin; // bodies + 1
    SnQuat *rotations, *frames;
    SnVec3 *positions, *offsets, *shapes;
    float *radii, *scales;
    int *edges;
    SnTornEnd *torn;
    SnFrameId *led;
    SnPose *led_poses;
} PoseArrays;

typedef struct PoseWork {
    const BodyRegister *bodies;
    int body_count;
    size_t points, elements, torn, led;
    PoseArrays to;
} PoseWork;

static size_t lay_out(PoseWork *work, void *memory) {
    Layout layout = {memory, 0};
    size_t bodies = (size_t)work->body_count;
    PoseArrays *to = &work->to;
    to->origins = sn__lay(&layout, bodies, sizeof(Vec3d));
    to->bodies = sn__lay(&layout, bodies, sizeof(SnBodyId));
    to->kinds = sn__lay(&layout, bodies, sizeof(SnBodyKind));
    to->point_begin = sn__lay(&layout, bodies + 1, sizeof(int));
    to->element_begin = sn__lay(&layout, bodies + 1, sizeof(int));
    to->torn_begin = sn__lay(&layout, bodies + 1, sizeof(int));
    to->rotations = sn__lay(&layout, work->points, sizeof(SnQuat));
    to->frames = sn__lay(&layout, work->elements, sizeof(SnQuat));
    to->positions = sn__lay(&layout, work->points, sizeof(SnVec3));
    to->offsets = sn__lay(&layout, work->points, sizeof(SnVec3));
    to->shapes = sn__lay(&layout, work->elements, sizeof(SnVec3));
    to->radii = sn__lay(&layout, work->points, sizeof(float));
    to->scales = sn__lay(&layout, work->points, sizeof(float));
    to->edges = sn__lay(&layout, work->elements, 2 * sizeof(int));
    to->torn = sn__lay(&layout, work->torn, sizeof(SnTornEnd));
    to->led = sn__lay(&layout, work->led, sizeof(SnFrameId));
    to->led_poses = sn__lay(&layout, work->led, sizeof(SnPose));
    return layout.used;
}

static const Body *body_at(const PoseWork *work, int k) {
    assert(k >= 0 && k < work->bodies->order_count);
    return sn__body_at(work->bodies, work->bodies->order[k]);
}

static void count_all(PoseWork *work) {
    for (int k = 0; k < work->body_count; ++k) {
        const Body *body = body_at(work, k);
        work->points += (size_t)body->points;
        work->elements += (size_t)body->elements;
        work->torn += (size_t)sn__body_torn_count(body);
    }
}

static bool reserve(SnWorld *world, PoseWork *work) {
    PoseSystem *system = &world->poses;
    size_t size = lay_out(work, NULL);
    if (size > system->size) {
        size += size / 2;
        void *memory = sn__alloc_raw(&world->allocator, size);
        if (memory == NULL)
            return false;
        sn__free(&world->allocator, system->memory, system->size);
        system->memory = memory;
        system->size = size;
    }
    lay_out(work, system->memory);
    return true;
}

static void place_all(PoseWork *work) {
    PoseArrays *to = &work->to;
    int points = 0, elements = 0, torn = 0;
    for (int k = 0; k <= work->body_count; ++k) {
        to->point_begin[k] = points;
        to->element_begin[k] = elements;
        to->torn_begin[k] = torn;
        if (k == work->body_count)
            break;
        const Body *body = body_at(work, k);
        to->bodies[k] = sn__body_id(work->bodies, body->slot);
        to->kinds[k] = body->kind->number;
        points += body->points;
        elements += body->elements;
        torn += sn__body_torn_count(body);
    }
}

static void place_frames(const SnWorld *world, const PoseWork *work) {
    size_t count = 0;
    for (uint32_t k = 0; k < world->frame_ids.slot_count; ++k) {
        uint32_t generation = world->frame_ids.slots[k].generation;
        if (!(generation & 1u)) // it is free
            continue;
        work->to.led[count] = (SnFrameId){k + 1, generation};
        work->to.led_poses[count++] = world->frames[k].pose;
    }
    assert(count == work->led);
}

static void make_bones(int begin, int end, int worker, void *context) {
    const PoseWork *work = context;
    const PoseArrays *to = &work->to;
    (void)worker;
    for (int k = begin; k < end; ++k) {
        int point = to->point_begin[k], element = to->element_begin[k];
        BodyBones bones = {.offsets = to->offsets + point,
                           .positions = to->positions + point,
                           .rotations = to->rotations + point,
                           .scales = to->scales + point,
                           .radii = to->radii + point,
                           .frames = to->frames + element,
                           .shapes = to->shapes + element,
                           .edges = to->edges + 2 * (size_t)element};
        to->origins[k] = sn__body_bones(body_at(work, k), &bones);
        sn__body_torn(body_at(work, k), k, to->torn + to->torn_begin[k]);
    }
}

static void hand_out(const PoseWork *work, PoseSystem *system) {
    const PoseArrays *to = &work->to;
    system->origins = to->origins;
    system->offsets = to->offsets;
    system->poses = (SnPoses){.body_count = work->body_count,
                              .point_count = (int)work->points,
                              .element_count = (int)work->elements,
                              .bodies = to->bodies,
                              .kinds = to->kinds,
                              .point_begin = to->point_begin,
                              .element_begin = to->element_begin,
                              .positions = (const float *)to->positions,
                              .rotations = (const float *)to->rotations,
                              .radii = to->radii,
                              .scales = to->scales,
                              .shapes = (const float *)to->shapes,
                              .frames = (const float *)to->frames,
                              .edges = to->edges,
                              .torn = to->torn,
                              .torn_count = (int)work->torn,
                              .led_count = (int)work->led,
                              .led = to->led,
                              .led_poses = to->led_poses};
}

SnResult sn__world_make_poses(SnWorld *world) {
    PoseSystem *system = &world->poses;
    if (system->made && system->stamp == world->pose_stamp)
        return sn_ok();
    sn__bodies_compact(&world->bodies);
    PoseWork work = {.bodies = &world->bodies,
                     .body_count = world->bodies.order_count,
                     .led = world->frame_ids.live_count};
    count_all(&work);
    if (!reserve(world, &work))
        return sn_error(SN_ERROR_MEMORY, "poses: no memory for %zu points", work.points);
    place_all(&work);
    place_frames(world, &work);
    if (work.body_count > 0)
        world->tasks.parallel_for(work.body_count, BATCH, make_bones, &work, world->tasks.context);
    hand_out(&work, system);
    system->made = true;
    system->stamp = world->pose_stamp;
    return sn_ok();
}

SnResult sn_world_poses(SnWorld *world, SnPoses *out_poses) {
    if (world == NULL)
        return sn__null("poses: world");
    if (out_poses == NULL)
        return sn__null("poses: out_poses");
    SnResult result = sn__world_make_poses(world);
    if (result.code == SN_OK)
        *out_poses = world->poses.poses;
    return result;
}
