#include "rod/step.h"

#include "base/clock.h"
#include "sinew/world.h"

// Stages are timed in one pack of so many: the clock would be felt in all of them.
#define TIMED_PACKS 16

typedef struct StepTask {
    const RodSystem *rods;
    const RodsStep *step;
    RodStep pack_step;
} StepTask;

// Rods do not touch yet, so a pack goes through all sub-steps while it is in the cache.
static void step_packs(int begin, int end, int worker, void *context) {
    const StepTask *task = context;
    const RodsStep *step = task->step;
    RodScratch *scratch = &step->scratch[worker];
    for (int k = begin; k < end; ++k) {
        RodPack *pack = task->rods->packs[k];
        pack->step_bits = SN_STEP_OK;
        if (pack->lanes == 0)
            continue;
        RodStep pack_step = task->pack_step;
        pack_step.timed = k % TIMED_PACKS == 0;
        pack_step.motion.fields = scratch->fields;
        sn__pack_rebase(pack);
        sn__pack_fields(pack, step->fields, step->field_count, scratch->fields);
        pack->work = pack->own_work ? pack->own_work : scratch->work;
        sn__pack_step(pack, &pack_step);
        pack->work = NULL;
    }
}

// The wall time of all packs, shared out as the timed ones spent it.
static void share_time(const RodSystem *rods, float wall, RodsStepReport *report) {
    float stage[3] = {0}, sum = 0.0f;
    for (int k = 0; k < rods->pack_count; k += TIMED_PACKS)
        for (int s = 0; s < 3; ++s)
            stage[s] += rods->packs[k]->stage_ms[s];
    for (int s = 0; s < 3; ++s)
        sum += stage[s];
    float factor = sum > 0.0f ? wall / sum : 0.0f;
    report->predict = factor * stage[0];
    report->iterate = factor * stage[1];
    report->finish = factor * stage[2];
}

RodsStepReport sn__rods_step(RodSystem *rods, const RodsStep *step) {
    StepTask task = {.rods = rods, .step = step};
    RodMotion *motion = &task.pack_step.motion;
    task.pack_step.kernels = sn__rod_kernels(step->isa);
    task.pack_step.substeps = step->substeps;
    task.pack_step.iterations = step->iterations;
    motion->h = step->dt / (float)step->substeps;
    motion->gravity[0] = step->gravity.x;
    motion->gravity[1] = step->gravity.y;
    motion->gravity[2] = step->gravity.z;
    motion->field_count = step->field_count;

    double start = sn__now_ms();
    step->tasks.parallel_for(rods->pack_count, 1, step_packs, &task, step->tasks.context);
    RodsStepReport report = {.bits = SN_STEP_OK};
    share_time(rods, (float)(sn__now_ms() - start), &report);
    for (int k = 0; k < rods->pack_count; ++k)
        report.bits |= rods->packs[k]->step_bits;
    return report;
}
