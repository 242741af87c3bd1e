// One step of the world, from top to bottom.
#include <assert.h>
#include <math.h>

#include "base/null.h"
#include "body/world.h"
#include "world/world.h"

bool sn__step_is_valid(float dt, int substeps, int iterations) {
    return dt > 0.0f && dt <= 1.0f && substeps >= 1 && substeps <= 1000 && iterations >= 1 &&
           iterations <= 1000 && dt / (float)substeps >= SN_MIN_SUBSTEP;
}

// Impacts slower than what gravity gives back in so many sub-steps do not bounce.
#define BOUNCE_SUBSTEPS 4.0f
// A sub-step in which a contact stops a motion of so many radii has at least so many iterations: a
// contact stops what it touches, and it takes sweeps to stop the rest of the body behind it.
#define VIOLENT 0.25f
#define VIOLENT_ITERATIONS 4
// One in which links of bodies that are solved as a whole were open by more than this part of a segment before the last
// pass goes on, too: bodies turn far where heavy things jerk at light ones. Beyond LINKS_TORN, the step says so.
#define LINKS_OPEN 1e-3
#define LINKS_TORN 0.05
#define LINKS_ITERATIONS 12
// Where bodies are solved as a whole, contacts are told in the next pass what came of what they did, and go on until
// they have next to nothing to correct: a part of the radii (BodyCalm), or of what they had to in the first pass.
#define CALM_PART 0.05f
#define CALM_ITERATIONS 12
// Some stop where so much is left of what was left two passes ago, from this pass on (BodyCalm.stalls).
#define STALLED 0.8f
#define STALL_ITERATIONS 4
// From the third pass on, they go on by this part of what the last one has changed (contact_accelerate_wide.c).
#define MOMENTUM 0.85f
// One in which something bounces has at least so many: it gives back what has arrived at the contact.
#define BOUNCE_ITERATIONS 8

// Wall time of the contacts and of each kind of body, ms.
typedef struct Spent {
    double contacts;
    double kinds[BODY_KINDS];
} Spent;

static int least_passes(const SnWorld *world) {
    int passes = 1;
    for (int k = 0; k < BODY_KINDS; ++k) {
        int least = sn__body_kinds[k]->passes(world->systems[k]);
        passes = least > passes ? least : passes;
    }
    return passes;
}

// The least that any kind asks for whose bodies are solved as a whole and touched.
static BodyCalm calm_of(const SnWorld *world) {
    BodyCalm calm = {.part = 1.0f, .stalls = true};
    for (int k = 0; k < BODY_KINDS; ++k) {
        if (sn__body_kinds[k]->passes(world->systems[k]) <= 1)
            continue;
        BodyCalm of = sn__body_kinds[k]->calm(world->systems[k]);
        calm.part = fminf(calm.part, of.part);
        calm.stalls = calm.stalls && of.stalls;
    }
    return calm;
}

static void pass_bodies(SnWorld *world, const BodyStep *step, const BodyPass *pass, Spent *spent) {
    for (int k = 0; k < BODY_KINDS; ++k) {
        double start = sn_now_ms();
        sn__body_kinds[k]->pass(world->systems[k], step, pass);
        spent->kinds[k] += sn_now_ms() - start;
    }
}

// The passes of a sub-step.
typedef struct Passes {
    int least;         // that there are at least
    bool whole;        // bodies are solved as a whole
    BodyCalm calm;     // of these
    int done;          // so far
    float first, last; // largest corrections of contacts in two of them, as parts of the radii
    float recent[2];   // and in the two before the last one
} Passes;

static bool wants_pass(const SnWorld *world, const Passes *p) {
    if (p->done < p->least)
        return true;
    if (p->done < VIOLENT_ITERATIONS && p->last > VIOLENT)
        return true;
    if (p->done < LINKS_ITERATIONS && world->tied.open > LINKS_OPEN)
        return true;
    if (p->calm.stalls && p->done >= STALL_ITERATIONS && p->last > STALLED * p->recent[0])
        return false;
    return p->whole && p->done < CALM_ITERATIONS && p->last > p->calm.part &&
           p->last > CALM_PART * p->first;
}

static void count_pass(Passes *p, float worst) {
    p->first = p->done == 0 ? worst : p->first;
    p->recent[0] = p->recent[1];
    p->recent[1] = p->last;
    p->last = worst;
    ++p->done;
}

// Particles of soft solids have much of the mass behind them that they move with: they take a momentum that grows
// from pass to pass (Nesterov).
static float general_momentum(int done) { return ((float)done - 1.0f) / ((float)done + 2.0f); }

// Bodies and contacts in turn.
static void pass_substep(SnWorld *world, const BodyStep *step, int substep, ContactPass *contacts,
                         Passes *passes, Spent *spent) {
    ContactList *list = &world->contacts.list;
    do {
        if (passes->whole && passes->done > 0)
            sn__contacts_go_on(world, passes->done > 1 ? MOMENTUM : 0.0f,
                               general_momentum(passes->done));
        BodyPass bodies = {.substep = substep,
                           .iteration = passes->done,
                           .last = passes->done + 1 >= passes->least};
        pass_bodies(world, step, &bodies, spent);
        double start = sn_now_ms();
        contacts->first = passes->done == 0;
        sn__contacts_solve(world, contacts);
        count_pass(passes, list->worst);
        if (list->rebound > 0.0f && passes->least < BOUNCE_ITERATIONS)
            passes->least = BOUNCE_ITERATIONS;
        spent->contacts += sn_now_ms() - start;
    } while (wants_pass(world, passes));
}

// Sub-steps of what something touches.
static void step_touched(SnWorld *world, const BodyStep *step, Spent *spent) {
    assert(world->contacts.numbered && world->contacts.knots);
    float h = step->dt / (float)step->substeps, share = 1.0f / (float)step->substeps;
    float g = (float)lengthd(vec3d(world->gravity));
    int bodies = least_passes(world);
    BodyCalm calm = calm_of(world);
    for (int n = 0; n < step->substeps; ++n) {
        sn__colliders_substep(world, n, step->substeps, world->contacts.knots);
        Passes passes = {.least = bodies > step->iterations ? bodies : step->iterations,
                         .whole = bodies > 1,
                         .calm = calm};
        ContactPass contacts = {.h = h,
                                .bounce_speed = BOUNCE_SUBSTEPS * g * h,
                                .time = (double)(n + 1) / (double)step->substeps,
                                .share = share,
                                .told = passes.whole};
        pass_substep(world, step, n, &contacts, &passes, spent);
        double start = sn_now_ms();
        sn__contacts_end_substep(world, &contacts);
        world->tied.torn = world->tied.torn || world->tied.open > LINKS_TORN;
        spent->contacts += sn_now_ms() - start;
    }
    for (int k = 0; k < BODY_KINDS; ++k) {
        double start = sn_now_ms();
        sn__body_kinds[k]->end(world->systems[k], step);
        spent->kinds[k] += sn_now_ms() - start;
    }
}

static bool any_touched(const SnWorld *world) {
    for (int k = 0; k < BODY_KINDS; ++k)
        if (sn__body_kinds[k]->passes(world->systems[k]) > 0)
            return true;
    return false;
}

static bool begin_bodies(SnWorld *world, const BodyStep *step) {
    bool ready = true;
    for (int k = 0; k < BODY_KINDS; ++k)
        ready = sn__body_kinds[k]->begin(world->systems[k], step) && ready;
    return ready;
}

static void step_bodies(SnWorld *world, const BodyStep *step, Spent *spent) {
    for (int k = 0; k < BODY_KINDS; ++k) {
        double start = sn_now_ms();
        sn__body_kinds[k]->step_alone(world->systems[k], step);
        spent->kinds[k] += sn_now_ms() - start;
    }
    if (any_touched(world))
        step_touched(world, step, spent);
}

// The wall time of a kind is shared out as the bodies that were timed spent it; of kinds that time
// none, it is all iteration.
static void add_times(SnStepTimes *times, const BodyReport *report, float wall) {
    float sum = report->predict + report->iterate + report->finish;
    float factor = sum > 0.0f ? wall / sum : 0.0f;
    times->predict += factor * report->predict;
    times->iterate += sum > 0.0f ? factor * report->iterate : wall;
    times->finish += factor * report->finish;
}

static void report_bodies(SnWorld *world, const Spent *spent, SnStepTimes *times) {
    BodyReport all = {.bits = SN_STEP_OK};
    for (int k = 0; k < BODY_KINDS; ++k) {
        BodyReport report = {.bits = SN_STEP_OK};
        sn__body_kinds[k]->report(world->systems[k], &report);
        add_times(times, &report, (float)spent->kinds[k]);
        all.bits |= report.bits;
        all.breaks += report.breaks;
        all.residual = fmax(all.residual, report.residual);
        all.iterations = report.iterations > all.iterations ? report.iterations : all.iterations;
    }
    world->report = all;
    world->breaks += (uint64_t)all.breaks;
    // What broke has other ends, and what leaned on it may fall.
    if (all.breaks > 0) {
        world->contacts.numbered = false;
        sn__wake_all(world);
    }
}

static TouchArrays touch_arrays(const SnWorld *world) {
    const ContactSystem *s = &world->contacts;
    return (TouchArrays){
        s->knots,      s->turns, s->ways, s->loads, s->list.bouncy ? s->list.paces : NULL,
        s->list.struck};
}

uint32_t sn_world_step(SnWorld *world, float dt, int substeps, int iterations) {
    if (!GIVEN(world) || !sn__step_is_valid(dt, substeps, iterations))
        return SN_STEP_BAD_TIME;
    double start = sn_now_ms();
    world->reserve.open = world->reserve.blocks != NULL;
    world->reserve.exceeded = false;
    sn__wake_linked(world);
    sn__frames_begin_step(world);
    sn__muscles_begin_step(world, dt);
    sn__colliders_begin_step(world);
    BodyStep step = {.isa = world->isa,
                     .tasks = &world->tasks,
                     .dt = dt,
                     .substeps = substeps,
                     .iterations = iterations,
                     .tolerance = world->tolerance,
                     .gravity = world->gravity,
                     .fields = world->active_fields,
                     .field_count = sn__fields_begin_step(world, dt),
                     .air = &world->air};
    bool ready = begin_bodies(world, &step);
    double animated = sn_now_ms();

    bool found = sn__contacts_find(world, dt, substeps);
    step.touch = touch_arrays(world);
    double collided = sn_now_ms();

    Spent spent = {0};
    world->tied.torn = false;
    step_bodies(world, &step, &spent);

    SnStepTimes times = {.animate = (float)(animated - start),
                         .collide = (float)(collided - animated),
                         .contacts = (float)spent.contacts};
    report_bodies(world, &spent, &times);
    sn__contacts_remember(&world->contacts.list, &world->tasks);
    sn__frames_end_step(world);
    sn__links_end_step(world, dt);
    sn__sleep_end_step(world, dt);
    world->time += (double)dt;
    world->last_substep = (double)dt / (double)substeps;
    world->last_fields = step.field_count;
    ++world->pose_stamp;
    times.total = (float)(sn_now_ms() - start);
    world->times = times;
    assert(sn__world_is_valid(world));
    bool exceeded = world->reserve.open && world->reserve.exceeded;
    world->reserve.open = false;
    return world->report.bits | (exceeded ? SN_STEP_RESERVE : SN_STEP_OK) |
           (world->tied.torn ? SN_STEP_TORN : SN_STEP_OK) |
           (found && ready ? SN_STEP_OK : SN_STEP_NO_MEMORY);
}
