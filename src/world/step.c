// One step of the world, from top to bottom.
#include "base/clock.h"
#include "world/world.h"

static bool step_is_valid(float dt, int substeps, int iterations) {
    return dt > 0.0f && dt <= 1.0f && substeps >= 1 && substeps <= 1000 && iterations >= 1 &&
           iterations <= 1000;
}

uint32_t sn_world_step(SnWorld *world, float dt, int substeps, int iterations) {
    if (!step_is_valid(dt, substeps, iterations))
        return SN_STEP_BAD_TIME;
    double start = sn__now_ms();
    sn__frames_begin_step(world);
    int field_count = sn__fields_begin_step(world, dt);
    double animated = sn__now_ms();

    RodsStep step = {.isa = world->isa,
                     .tasks = world->tasks,
                     .dt = dt,
                     .substeps = substeps,
                     .iterations = iterations,
                     .gravity = world->gravity,
                     .fields = world->active_fields,
                     .field_count = field_count,
                     .scratch = world->scratch};
    RodsStepReport report = sn__rods_step(&world->rods, &step);

    sn__frames_end_step(world);
    world->time += (double)dt;
    world->times = (SnStepTimes){.animate = (float)(animated - start),
                                 .predict = report.predict,
                                 .iterate = report.iterate,
                                 .finish = report.finish,
                                 .total = (float)(sn__now_ms() - start)};
    return report.bits;
}
