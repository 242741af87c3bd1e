#include "rigid/step.h"

#include <assert.h>

#include "rigid/weather.h"

#define BODIES_AT_ONCE 16
// m from its origin: farther away, the floats of the collision phase are too coarse.
#define ORIGIN_REACH 32.0

typedef struct StepTask {
    const RigidSystem *rigids;
    const BodyStep *step;
    int substep;
} StepTask;

static void for_bodies(void *system, const BodyStep *step, int substep, SnTask *function) {
    const RigidSystem *rigids = system;
    StepTask task = {rigids, step, substep};
    if (rigids->count > 0)
        step->tasks->parallel_for(rigids->count, BODIES_AT_ONCE, function, &task,
                                  step->tasks->context);
}

// The origin follows a body that has gone far.
static void rebase(Rigid *r) {
    double *x[3] = {&r->pose.x.x, &r->pose.x.y, &r->pose.x.z};
    for (int c = 0; c < 3; ++c) {
        if (!(fabs(*x[c]) > ORIGIN_REACH))
            continue;
        double by = floor(*x[c]);
        r->origin[c] += by;
        *x[c] -= by;
    }
}

bool sn__rigids_begin(void *system, const BodyStep *step) {
    (void)step;
    const RigidSystem *rigids = system;
    for (int k = 0; k < rigids->count; ++k) {
        Rigid *r = rigids->list[k];
        r->step_bits = SN_STEP_OK;
        r->touched = false;
        rebase(r);
    }
    return true;
}

static void forget_loads(Rigid *r) { r->force = r->torque = (Vec3d){0}; }

static double substep_of(const BodyStep *step) { return (double)step->dt / (double)step->substeps; }

static void step_bodies(int begin, int end, int worker, void *context) {
    (void)worker;
    const StepTask *task = context;
    Vec3d none = {0};
    for (int k = begin; k < end; ++k) {
        Rigid *r = task->rigids->list[k];
        if (r->asleep)
            continue;
        sn__rigid_feel_air(r, task->step);
        if (r->touched)
            continue;
        for (int n = 0; n < task->step->substeps; ++n) {
            sn__rigid_begin_substep(r, task->step, n, none, none);
            sn__rigid_end_substep(r, substep_of(task->step), none, none);
        }
        forget_loads(r);
    }
}

void sn__rigids_step_alone(void *system, const BodyStep *step) {
    for_bodies(system, step, 0, step_bodies);
}

static Vec3d take3(float from[3]) {
    Vec3d v = {(double)from[0], (double)from[1], (double)from[2]};
    from[0] = from[1] = from[2] = 0.0f;
    return v;
}

static void begin_touched(int begin, int end, int worker, void *context) {
    (void)worker;
    const StepTask *task = context;
    const TouchArrays *touch = &task->step->touch;
    for (int k = begin; k < end; ++k) {
        Rigid *r = task->rigids->list[k];
        if (!r->touched || r->asleep)
            continue;
        // Knot 0 and turn 0 are nobody's.
        assert(r->knots > 0 && r->turn > 0);
        if (task->substep > 0)
            sn__rigid_from_knots(r, touch, substep_of(task->step));
        Vec3d load = take3(touch->loads[sn__rigid_hub(r)].force);
        Vec3d torque = take3(touch->turns[r->turn].load);
        sn__rigid_begin_substep(r, task->step, task->substep, load, torque);
        sn__rigid_to_knots(r, touch);
        if (touch->paces)
            sn__rigid_paces(r, substep_of(task->step), touch->paces);
    }
}

// Nothing but contacts and links moves a body within a sub-step: only its first pass has work.
void sn__rigids_pass(void *system, const BodyStep *step, const BodyPass *pass) {
    if (pass->iteration == 0)
        for_bodies(system, step, pass->substep, begin_touched);
}

static void end_touched(int begin, int end, int worker, void *context) {
    (void)worker;
    const StepTask *task = context;
    for (int k = begin; k < end; ++k) {
        Rigid *r = task->rigids->list[k];
        if (!r->touched || r->asleep)
            continue;
        sn__rigid_from_knots(r, &task->step->touch, substep_of(task->step));
        forget_loads(r);
    }
}

void sn__rigids_end(void *system, const BodyStep *step) {
    for_bodies(system, step, 0, end_touched);
}

void sn__rigids_report(const void *system, BodyReport *report) {
    const RigidSystem *rigids = system;
    for (int k = 0; k < rigids->count; ++k)
        report->bits |= rigids->list[k]->step_bits;
}
