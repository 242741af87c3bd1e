#include "rod/step.h"

#include <assert.h>
#include <string.h>

#include "base/denormals.h"
#include "rod/sweep_error.h"
#include "rod/touch.h"
#include "sinew/world.h"

// Stages are timed in one pack of so many: the clock would be felt in all of them.
#define TIMED_PACKS 16

typedef struct StepTask {
    RodSystem *rods;
    const BodyStep *step;
    int substep, iteration;
    SnTask *function;
} StepTask;

static void run_task(int begin, int end, int worker, void *context) {
    const StepTask *task = context;
    uint64_t mode = sn__denormals_flush();
    task->function(begin, end, worker, context);
    sn__denormals_restore(mode);
}

static void for_packs(RodSystem *rods, const BodyStep *step, int substep, int iteration,
                      SnTask *function) {
    StepTask task = {rods, step, substep, iteration, function};
    step->tasks->parallel_for(rods->pack_count, 1, run_task, &task, step->tasks->context);
}

// The pack's view of the step, with the fields it is in.
static RodStep enter(RodPack *pack, const StepTask *task, int k, int worker) {
    const BodyStep *step = task->step;
    RodScratch *scratch = &task->rods->scratch[worker];
    assert(worker >= 0 && worker < task->rods->workers);
    assert(step->dt > 0.0f && step->substeps > 0 && step->iterations > 0);
    assert(pack->prepared && !pack->dirty);
    RodStep s = {.kernels = sn__rod_kernels(step->isa),
                 .substeps = step->substeps,
                 .iterations = step->iterations,
                 .timed = k % TIMED_PACKS == 0};
    s.motion = (RodMotion){.h = step->dt / (float)step->substeps,
                           .gravity = {step->gravity.x, step->gravity.y, step->gravity.z}};
    sn__pack_fields(pack, step->fields, step->field_count, step->air, &scratch->fields, &s.motion);
    pack->work = pack->own_work ? pack->own_work : scratch->lent.work;
    pack->branch = pack->own_branch ? pack->own_branch : scratch->lent.branch;
    pack->front = pack->own_front ? pack->own_front : scratch->front;
    assert(s.kernels && pack->work && (pack->aim == NULL || pack->front));
    return s;
}

// Or empty. Contacts see a sleeping pack where it lies: its knots were placed when the step began.
static bool all_asleep(const RodPack *pack) {
    for (int i = 0; i < pack->lanes; ++i)
        if (pack->lane[i].body != 0 && !pack->asleep[i])
            return false;
    return true;
}

static void begin_packs(int begin, int end, int worker, void *context) {
    (void)worker;
    const StepTask *task = context;
    for (int k = begin; k < end; ++k) {
        RodPack *pack = task->rods->packs[k];
        double h = (double)task->step->dt / (double)task->step->substeps;
        bool soft = pack->aim == NULL && sn__pack_is_soft(pack, h, task->step->iterations);
        pack->step_bits = soft ? SN_STEP_SOFT : SN_STEP_OK;
        pack->touched = false;
        pack->touched_lanes = 0;
        pack->tie_count = 0;
        memset(pack->tied, 0, sizeof pack->tied);
        memset(pack->stage_ms, 0, sizeof pack->stage_ms);
        if (pack->lanes > 0)
            sn__pack_rebase(pack);
    }
}

bool sn__rods_begin(void *system, const BodyStep *step) {
    for_packs(system, step, 0, 0, begin_packs);
    return true;
}

// Impulses as forces over the step.
static void spread_blows(RodPack *pack, float dt) {
    for (int j = 0; j <= pack->rows && pack->struck; ++j) {
        RodLoads *f = pack->loads + j;
        for (int i = 0; i < pack->lanes; ++i) {
            f->fx[i] += f->px[i] / dt;
            f->fy[i] += f->py[i] / dt;
            f->fz[i] += f->pz[i] / dt;
        }
    }
    pack->struck = false;
}

static void prepare_packs(int begin, int end, int worker, void *context) {
    (void)worker;
    const StepTask *task = context;
    for (int k = begin; k < end; ++k) {
        RodPack *pack = task->rods->packs[k];
        spread_blows(pack, task->step->dt);
        if (!all_asleep(pack))
            sn__pack_prepare(pack, task->step->dt / (float)task->step->substeps);
    }
}

static void step_free_packs(int begin, int end, int worker, void *context) {
    const StepTask *task = context;
    for (int k = begin; k < end; ++k) {
        RodPack *pack = task->rods->packs[k];
        if (pack->touched || all_asleep(pack))
            continue;
        RodStep step = enter(pack, task, k, worker);
        for (int n = 0; n < step.substeps; ++n) {
            sn__pack_begin(pack, &step, n, NULL);
            for (int i = 0; i < step.iterations; ++i)
                sn__pack_sweep(pack, &step, i);
            sn__pack_end(pack, &step, n);
        }
        sn__pack_clear_loads(pack);
        pack->work = NULL;
    }
}

void sn__rods_step_alone(void *system, const BodyStep *step) {
    for_packs(system, step, 0, 0, prepare_packs);
    sn__rods_share(system);
    for_packs(system, step, 0, 0, step_free_packs);
}

// Of a sub-step after its contacts. What is solved directly has yet to find out what they do to it.
static void finish(RodPack *pack, const RodStep *step, const TouchArrays *touch, int substep) {
    if (pack->aim) {
        sn__pack_settle(pack, step);
        sn__pack_push(pack, step, touch->knots);
    }
    sn__pack_end(pack, step, substep);
    if (touch->paces)
        sn__pack_forget_blows(pack, touch->struck);
}

static void pass_packs(int begin, int end, int worker, void *context) {
    const StepTask *task = context;
    Knot *knots = task->step->touch.knots;
    for (int k = begin; k < end; ++k) {
        RodPack *pack = task->rods->packs[k];
        if (!pack->touched || all_asleep(pack))
            continue;
        // Its work must outlast the worker that is at it now.
        assert(pack->knots != 0 && pack->own_work);
        RodStep step = enter(pack, task, k, worker);
        bool first = task->iteration == 0;
        if (first && task->substep > 0 && pack->aim)
            sn__pack_keep_held(pack, step.motion.h, knots);
        if (!first || task->substep > 0)
            step.kernels->from_knots(pack, knots, task->step->touch.ways, first);
        if (first && task->substep > 0)
            finish(pack, &step, &task->step->touch, task->substep - 1);
        if (first)
            sn__pack_begin(pack, &step, task->substep, task->step->touch.loads);
        sn__pack_sweep(pack, &step, task->iteration);
        step.kernels->to_knots(pack, knots, task->step->touch.ways, first);
        if (first && task->step->touch.paces)
            sn__pack_paces(pack, step.motion.h, task->step->touch.paces);
    }
}

void sn__rods_pass(void *system, const BodyStep *step, const BodyPass *pass) {
    for_packs(system, step, pass->substep, pass->iteration, pass_packs);
}

static void end_packs(int begin, int end, int worker, void *context) {
    const StepTask *task = context;
    for (int k = begin; k < end; ++k) {
        RodPack *pack = task->rods->packs[k];
        if (!pack->touched || all_asleep(pack))
            continue;
        RodStep step = enter(pack, task, k, worker);
        if (pack->aim)
            sn__pack_keep_held(pack, step.motion.h, task->step->touch.knots);
        step.kernels->from_knots(pack, task->step->touch.knots, task->step->touch.ways, true);
        finish(pack, &step, &task->step->touch, step.substeps - 1);
        sn__pack_clear_loads(pack);
        pack->work = NULL;
    }
}

void sn__rods_end(void *system, const BodyStep *step) { for_packs(system, step, 0, 0, end_packs); }

void sn__rods_report(const void *system, BodyReport *report) {
    const RodSystem *rods = system;
    for (int k = 0; k < rods->pack_count; ++k) {
        const RodPack *pack = rods->packs[k];
        report->bits |= pack->step_bits;
        report->predict += pack->stage_ms[0];
        report->iterate += pack->stage_ms[1];
        report->finish += pack->stage_ms[2];
    }
}
