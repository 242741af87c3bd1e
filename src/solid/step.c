// One step of all solids: part of their row, as body/kind.h has it.
#include "solid/solid.h"

// m from its origin: farther away, the floats of the collision phase are too coarse.
#define ORIGIN_REACH 32.0
// A body shares with all of itself what a contact does to a particle, and the contact has to be told what
// came of it.
#define PASSES 2
#define TIED_PASSES 3 // a pass is an iteration of Newton's method on bodies and links together

typedef struct StepTask {
    const SolidSystem *solids;
    const BodyStep *step;
    int substep, iteration;
} StepTask;

static void for_bodies(void *system, const BodyStep *step, int substep, int iteration,
                       SnTask *function) {
    const SolidSystem *solids = system;
    StepTask task = {solids, step, substep, iteration};
    if (solids->count > 0)
        step->tasks->parallel_for(solids->count, 1, function, &task, step->tasks->context);
}

// The origin follows a body that has gone far.
static void rebase(Solid *s) {
    double shift[3] = {s->x[0].x, s->x[0].y, s->x[0].z};
    for (int c = 0; c < 3; ++c)
        shift[c] = fabs(shift[c]) > ORIGIN_REACH ? floor(shift[c]) : 0.0;
    if (shift[0] == 0.0 && shift[1] == 0.0 && shift[2] == 0.0)
        return;
    for (int c = 0; c < 3; ++c)
        s->origin[c] += shift[c];
    for (int i = 0; i < s->count; ++i)
        s->x[i] = subd(s->x[i], (Vec3d){shift[0], shift[1], shift[2]});
}

// Whether factors that are shared are those of this step.
static bool fit(const Solid *s, const SolidStep *o) {
    const SolidFactors *f = &s->rest->factors[o->euler ? 0 : 1];
    return f->h2 == o->h2 && f->damping == (double)s->material.damping / o->h;
}

static void factor_bodies(int begin, int end, int worker, void *context) {
    (void)worker;
    const StepTask *task = context;
    for (int k = begin; k < end; ++k) {
        Solid *s = task->solids->list[k];
        for (int euler = 0; s->rest && s->rest->maker == s && euler < 2; ++euler) {
            SolidStep o = sn__solid_step(task->step, euler != 0);
            if (!fit(s, &o))
                sn__solid_factor_rest(s, &o);
        }
    }
}

// The first of all bodies that share factors makes them, where the sub-step is not as long as it was.
static void factor_shared(void *system, const BodyStep *step) {
    const SolidSystem *solids = system;
    SolidStep one = sn__solid_step(step, false), two = sn__solid_step(step, true);
    bool any = false;
    for (int k = 0; k < solids->count; ++k)
        if (solids->list[k]->rest)
            solids->list[k]->rest->maker = NULL;
    for (int k = 0; k < solids->count; ++k) {
        const Solid *s = solids->list[k];
        if (s->rest == NULL || s->asleep || s->rest->maker || (fit(s, &one) && fit(s, &two)))
            continue;
        s->rest->maker = s;
        any = true;
    }
    if (any)
        for_bodies(system, step, 0, 0, factor_bodies);
}

bool sn__solids_begin(void *system, const BodyStep *step) {
    const SolidSystem *solids = system;
    factor_shared(system, step);
    for (int k = 0; k < solids->count; ++k) {
        Solid *s = solids->list[k];
        s->step_bits = SN_STEP_OK;
        s->iterations = s->breaks = s->tie_count = 0;
        s->touched = s->late = false;
        // What a step does depends on the state alone, not on what was before it.
        if (!s->own_rest)
            s->own.h2 = 0.0;
        rebase(s);
    }
    return true;
}

static void forget_loads(Solid *s) {
    for (int i = 0; i < s->count; ++i)
        s->force[i] = s->couple[i] = (Vec3d){0};
}

static void step_bodies(int begin, int end, int worker, void *context) {
    (void)worker;
    const StepTask *task = context;
    for (int k = begin; k < end; ++k) {
        Solid *s = task->solids->list[k];
        if (s->asleep)
            continue;
        sn__solid_feel_air(s, task->step);
        if (s->touched)
            continue;
        double h = (double)task->step->dt / (double)task->step->substeps;
        for (int n = 0; n < task->step->substeps; ++n) {
            double strain = sn__solid_unfold(s, task->step);
            SolidStep o = sn__solid_step(task->step, sn__solid_is_rough(s, h, strain));
            sn__solid_begin_substep(s, task->step, &o, n, NULL, NULL);
            sn__solid_hold_turns(s);
            sn__solids_solve(&s, 1, &o, SOLID_ENDS);
            sn__solid_end_substep(s, &o);
        }
        forget_loads(s);
    }
}

void sn__solids_step_alone(void *system, const BodyStep *step) {
    for_bodies(system, step, 0, 0, step_bodies);
}

static void for_groups(void *system, const BodyStep *step, int substep, int iteration,
                       SnTask *function) {
    const SolidSystem *solids = system;
    StepTask task = {solids, step, substep, iteration};
    if (solids->group_count > 0)
        step->tasks->parallel_for(solids->group_count, 1, function, &task, step->tasks->context);
}

static Solid **group_at(const SolidSystem *solids, int g, int *out_count) {
    int first = solids->groups[g];
    int end = g + 1 < solids->group_count ? solids->groups[g + 1] : solids->grouped;
    *out_count = end - first;
    return &solids->order[first];
}

// Overlaps are pushed out.
static void push(Solid **bodies, int count, const SolidStep *o, const TouchArrays *touch) {
    Solid *pushed[SOLID_GROUP];
    int n = 0;
    for (int k = 0; k < count; ++k)
        if (sn__solid_begin_push(bodies[k], o, touch))
            pushed[n++] = bodies[k];
    sn__solids_respond(pushed, n, o, SOLID_ENDS);
    for (int k = 0; k < n; ++k) {
        sn__solid_repeat_push(pushed[k], touch);
        o->lanes->shift(pushed[k]);
    }
}

// Of a sub-step after its contacts: what they did to bodies as a whole is yet to be found.
static void finish(Solid **bodies, int count, const SolidStep *o, const TouchArrays *touch) {
    for (int k = 0; k < count; ++k)
        sn__solid_from_knots(bodies[k], o, touch);
    sn__solids_solve(bodies, count, o, SOLID_ENDS);
    push(bodies, count, o, touch);
    for (int k = 0; k < count; ++k) {
        Solid *s = bodies[k];
        sn__solid_end_substep(s, o);
        for (int i = 0; touch->paces && i < s->count; ++i)
            if (touch->struck[s->knots + i])
                s->a[i] = (Vec3d){0};
    }
}

// The first pass of a sub-step.
static void begin_group(Solid **bodies, int count, const StepTask *task, const SolidStep *o) {
    const TouchArrays *touch = &task->step->touch;
    if (task->substep > 0)
        finish(bodies, count, o, touch);
    for (int k = 0; k < count; ++k) {
        bodies[k]->unfolds = false;
        sn__solid_begin_substep(bodies[k], task->step, o, task->substep, touch->loads,
                                touch->turns);
    }
    sn__solids_solve(bodies, count, o, SOLID_PREDICTS);
    for (int k = 0; k < count; ++k) {
        o->lanes->tell(bodies[k], touch, true);
        sn__solid_answer_ties(bodies[k], o);
        if (touch->paces)
            sn__solid_paces(bodies[k], o->h, touch->paces);
    }
}

// Others. Where contacts did next to nothing, the body is solved when they are done. Links want to know where it goes.
static void pass_group(Solid **bodies, int count, const StepTask *task, const SolidStep *o) {
    const TouchArrays *touch = &task->step->touch;
    Solid *moved[SOLID_GROUP];
    int n = 0;
    for (int k = 0; k < count; ++k) {
        Solid *s = bodies[k];
        if (s->tie_count > 0) {
            sn__solid_from_knots(s, o, touch);
            sn__solids_solve(&s, 1, o, SOLID_ENDS);
            o->lanes->tell(s, touch, false);
            sn__solid_answer_ties(s, o);
        } else if (sn__solid_is_moved(s, o, touch)) {
            moved[n++] = s;
        }
    }
    for (int k = 0; k < n; ++k)
        sn__solid_from_knots(moved[k], o, touch);
    sn__solids_respond(moved, n, o, SOLID_PREDICTS);
    for (int k = 0; k < n; ++k)
        o->lanes->tell(moved[k], touch, false);
}

static void pass_groups(int begin, int end, int worker, void *context) {
    (void)worker;
    const StepTask *task = context;
    SolidStep o = sn__solid_step(task->step, true);
    for (int g = begin; g < end; ++g) {
        int count;
        Solid **bodies = group_at(task->solids, g, &count);
        if (task->iteration == 0)
            begin_group(bodies, count, task, &o);
        else
            pass_group(bodies, count, task, &o);
    }
}

void sn__solids_pass(void *system, const BodyStep *step, const BodyPass *pass) {
    if (pass->substep == 0 && pass->iteration == 0)
        sn__solids_group(system);
    for_groups(system, step, pass->substep, pass->iteration, pass_groups);
}

static void end_groups(int begin, int end, int worker, void *context) {
    (void)worker;
    const StepTask *task = context;
    SolidStep o = sn__solid_step(task->step, true);
    for (int g = begin; g < end; ++g) {
        int count;
        Solid **bodies = group_at(task->solids, g, &count);
        finish(bodies, count, &o, &task->step->touch);
        for (int k = 0; k < count; ++k)
            forget_loads(bodies[k]);
    }
}

void sn__solids_end(void *system, const BodyStep *step) {
    for_groups(system, step, 0, 0, end_groups);
}

void sn__solids_report(const void *system, BodyReport *report) {
    const SolidSystem *solids = system;
    for (int k = 0; k < solids->count; ++k) {
        const Solid *s = solids->list[k];
        report->bits |= s->step_bits;
        report->breaks += s->breaks;
        report->iterations =
            s->iterations > report->iterations ? s->iterations : report->iterations;
    }
}

int sn__solids_passes(const void *system) {
    const SolidSystem *solids = system;
    int most = 0;
    for (int k = 0; k < solids->count && most < TIED_PASSES; ++k)
        if (solids->list[k]->touched)
            most = solids->list[k]->tie_count > 0 ? TIED_PASSES : PASSES;
    return most;
}
