// One step of the world, from top to bottom.
#include "base/clock.h"
#include "world/world.h"

// Stages are timed in one pack of so many: the clock would be felt in all of them.
#define TIMED_PACKS 16

typedef struct StepTask {
    SnWorld *world;
    RodStep step;
} StepTask;

static bool step_is_valid(float dt, int substeps, int iterations) {
    return dt > 0.0f && dt <= 1.0f && substeps >= 1 && substeps <= 1000 && iterations >= 1 &&
           iterations <= 1000;
}

// Rods do not touch yet, so a pack goes through all sub-steps while it is in the cache.
static void step_packs(int begin, int end, int worker, void *context) {
    const StepTask *task = context;
    RodField *fields = task->world->workers[worker].fields;
    for (int k = begin; k < end; ++k) {
        RodPack *pack = task->world->rods.packs[k];
        if (pack->lanes == 0)
            continue;
        RodStep step = task->step;
        step.timed = k % TIMED_PACKS == 0;
        step.motion.fields = fields;
        step.motion.field_count = sn__fields_for_pack(task->world, pack, fields);
        sn__pack_rebase(pack);
        sn__pack_step(pack, &step);
    }
}

// The wall time of all packs, shared out as the timed ones spent it.
static void share_time(SnWorld *world, float wall) {
    float stage[3] = {0}, sum = 0.0f;
    for (int k = 0; k < world->rods.pack_count; k += TIMED_PACKS)
        for (int s = 0; s < 3; ++s)
            stage[s] += world->rods.packs[k]->stage_ms[s];
    for (int s = 0; s < 3; ++s)
        sum += stage[s];
    float factor = sum > 0.0f ? wall / sum : 0.0f;
    world->times.predict = factor * stage[0];
    world->times.iterate = factor * stage[1];
    world->times.finish = factor * stage[2];
}

uint32_t sn_world_step(SnWorld *world, float dt, int substeps, int iterations) {
    if (!step_is_valid(dt, substeps, iterations))
        return SN_STEP_BAD_TIME;
    double t0 = sn__now_ms();
    sn__frames_begin_step(world);
    sn__fields_begin_step(world, dt);
    double t1 = sn__now_ms();

    StepTask task = {.world = world};
    task.step.kernels = sn__rod_kernels(world->isa);
    task.step.motion.h = dt / (float)substeps;
    task.step.motion.gravity[0] = world->gravity.x;
    task.step.motion.gravity[1] = world->gravity.y;
    task.step.motion.gravity[2] = world->gravity.z;
    task.step.substeps = substeps;
    task.step.iterations = iterations;
    world->tasks.parallel_for(world->rods.pack_count, 1, step_packs, &task, world->tasks.context);
    double t2 = sn__now_ms();

    sn__frames_end_step(world);
    uint32_t bits = SN_STEP_OK;
    for (int k = 0; k < world->rods.pack_count; ++k)
        bits |= world->rods.packs[k]->step_bits;
    world->time += (double)dt;
    share_time(world, (float)(t2 - t1));
    world->times.animate = (float)(t1 - t0);
    world->times.total = (float)(sn__now_ms() - t0);
    return bits;
}
