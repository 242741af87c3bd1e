// Muscles in the world: what they do before a step, and when their bodies go.
#include "muscle/muscle.h"

#include "muscle/world.h"
#include "world/world.h"

const SnAllocator *sn__world_allocator(const SnWorld *world) { return &world->allocator; }

MuscleSystem *sn__world_muscles(SnWorld *world) { return &world->muscles; }

// A free end goes with the other one.
static SnPose end_pose(const SnWorld *world, const Muscle *m, int end, bool target) {
    int held = m->end[end].held ? end : 1 - end;
    return sn__frame_pose_or_identity(world, m->end[held].frame, target);
}

void sn__muscles_begin_step(SnWorld *world, float dt) {
    for (int k = 0; k < world->muscles.count; ++k) {
        Muscle *m = world->muscles.list[k];
        Body *body = sn__bodies_find(&world->bodies, m->body);
        if (body->sleep.asleep)
            continue;
        SnPose from[2], to[2];
        for (int e = 0; e < 2; ++e) {
            from[e] = end_pose(world, m, e, false);
            to[e] = end_pose(world, m, e, true);
        }
        sn__muscle_carry(m, body, from, to, dt);
        sn__muscle_drive(m, body, dt);
    }
}

void sn__muscles_drop_body(SnWorld *world, SnBodyId body) {
    MuscleSystem *muscles = &world->muscles;
    Muscle *gone = sn__muscle_of(muscles, body);
    int kept = 0;
    for (int k = 0; gone && k < muscles->count; ++k)
        if (muscles->list[k] != gone)
            muscles->list[kept++] = muscles->list[k];
    if (gone) {
        muscles->count = kept;
        sn__muscle_destroy(&world->allocator, gone);
    }
}

void sn__muscles_release(SnWorld *world) {
    MuscleSystem *muscles = &world->muscles;
    for (int k = 0; k < muscles->count; ++k)
        sn__muscle_destroy(&world->allocator, muscles->list[k]);
    sn__free(&world->allocator, muscles->list, (size_t)muscles->capacity * sizeof(Muscle *));
}

void sn__muscles_visit(SnWorld *world, BodyVisit *visit, void *context) {
    for (int k = 0; k < world->muscles.count; ++k) {
        Muscle *m = world->muscles.list[k];
        visit(context, BLOCK_FLOATS, &m->asked, sizeof m->asked);
        visit(context, BLOCK_FLOATS, &m->activation, sizeof m->activation);
        visit(context, BLOCK_FLOATS, &m->applied, sizeof m->applied);
        for (int e = 0; e < 2; ++e) {
            visit(context, BLOCK_FLOATS, &m->end[e].velocity, sizeof m->end[e].velocity);
            visit(context, BLOCK_FLOATS, &m->end[e].spin, sizeof m->end[e].spin);
        }
        visit(context, BLOCK_FLOATS, m->fibre, (size_t)m->rods * sizeof(MuscleFibre));
    }
}
