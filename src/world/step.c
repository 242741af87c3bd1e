// One step of the world, from top to bottom.
#include "world/world.h"

static bool step_is_valid(float dt, int substeps, int iterations) {
    return dt > 0.0f && dt <= 1.0f && substeps >= 1 && substeps <= 1000 && iterations >= 1 &&
           iterations <= 1000;
}

// Impacts slower than what gravity gives back in so many sub-steps do not bounce.
#define BOUNCE_SUBSTEPS 4.0f
// A sub-step in which a contact stops a motion of so many radii has at least so many iterations: a
// contact stops what it touches, and it takes sweeps to stop the rest of the body behind it.
#define VIOLENT 0.25f
#define VIOLENT_ITERATIONS 4
// Contacts of stiff rods are solved at least twice: with all of the tree behind them, and at last for
// every segment alone.
#define STIFF_ITERATIONS 2

// Wall time of contacts and of stiff rods, ms.
typedef struct Spent {
    double contacts, stiff;
} Spent;

// Sub-steps of what something touches: bodies and contacts in turn.
static void step_touched(SnWorld *world, const RodsStep *step, const TreesStep *stiff,
                         Spent *spent) {
    ContactSystem *contacts = &world->contacts;
    float h = step->dt / (float)step->substeps;
    float g = (float)lengthd(vec3d(world->gravity));
    int iterations = step->iterations;
    if (iterations < STIFF_ITERATIONS && sn__trees_any_touched(&world->trees))
        iterations = STIFF_ITERATIONS;
    for (int n = 0; n < step->substeps; ++n) {
        bool violent = false;
        sn__colliders_substep(world, n, step->substeps, contacts->knots);
        for (int k = 0; k < iterations || (k < VIOLENT_ITERATIONS && violent); ++k) {
            sn__rods_pass(&world->rods, step, n, k);
            double trees = sn_now_ms();
            sn__trees_pass(&world->trees, stiff, n, k, k >= iterations - 1);
            double start = sn_now_ms();
            spent->stiff += start - trees;
            ContactPass pass = {.h = h,
                                .bounce_speed = BOUNCE_SUBSTEPS * g * h,
                                .first = k == 0,
                                .time = (double)(n + 1) / (double)step->substeps,
                                .share = 1.0f / (float)step->substeps};
            sn__contacts_solve(world, &pass);
            sn__stiff_press(world);
            violent = contacts->list.worst > VIOLENT;
            spent->contacts += sn_now_ms() - start;
        }
        double start = sn_now_ms();
        sn__contacts_end_substep(world, h, 1.0f / (float)step->substeps);
        spent->contacts += sn_now_ms() - start;
    }
    sn__rods_end(&world->rods, step);
    double start = sn_now_ms();
    sn__trees_end(&world->trees, stiff);
    spent->stiff += sn_now_ms() - start;
}

static bool any_touched(const SnWorld *world) {
    for (int k = 0; k < world->rods.pack_count; ++k)
        if (world->rods.packs[k]->touched)
            return true;
    return sn__trees_any_touched(&world->trees);
}

// The wall time of the rods, shared out as the packs that were timed spent it.
static void share_time(SnStepTimes *times, const RodsStepReport *report, float wall) {
    float sum = report->predict + report->iterate + report->finish;
    float factor = sum > 0.0f ? wall / sum : 0.0f;
    times->predict = factor * report->predict;
    times->iterate = factor * report->iterate;
    times->finish = factor * report->finish;
}

uint32_t sn_world_step(SnWorld *world, float dt, int substeps, int iterations) {
    if (!step_is_valid(dt, substeps, iterations))
        return SN_STEP_BAD_TIME;
    double start = sn_now_ms();
    sn__frames_begin_step(world);
    sn__colliders_begin_step(world);
    int field_count = sn__fields_begin_step(world, dt);
    RodsStep step = {.isa = world->isa,
                     .tasks = &world->tasks,
                     .dt = dt,
                     .substeps = substeps,
                     .iterations = iterations,
                     .gravity = world->gravity,
                     .fields = world->active_fields,
                     .field_count = field_count,
                     .air = &world->air,
                     .scratch = world->scratch};
    TreesStep stiff = {.isa = world->isa,
                       .tasks = &world->tasks,
                       .dt = dt,
                       .substeps = substeps,
                       .iterations = iterations,
                       .tolerance = world->tolerance,
                       .gravity = world->gravity,
                       .air = &world->air,
                       .fields = world->active_fields,
                       .field_count = field_count};
    sn__rods_begin(&world->rods, &step);
    bool planted = sn__trees_begin(&world->trees, world->tasks.worker_count);
    double animated = sn_now_ms();

    bool found = sn__contacts_find(world, dt);
    step.knots = stiff.knots = world->contacts.knots;
    step.ways = stiff.ways = world->contacts.ways;
    step.loads = stiff.loads = world->contacts.loads;
    double collided = sn_now_ms();

    sn__rods_prepare(&world->rods, &step);
    sn__rods_step_free(&world->rods, &step);
    Spent spent = {.stiff = -sn_now_ms()};
    sn__trees_step_free(&world->trees, &stiff);
    spent.stiff += sn_now_ms();
    if (any_touched(world))
        step_touched(world, &step, &stiff, &spent);
    world->stiff_report = sn__trees_report(&world->trees);
    sn__stiff_end_step(world);
    RodsStepReport report = sn__rods_report(&world->rods);
    double solved = sn_now_ms();

    sn__contacts_remember(&world->contacts.list);
    sn__frames_end_step(world);
    sn__links_end_step(world);
    sn__sleep_end_step(world, dt);
    world->time += (double)dt;
    ++world->pose_stamp;
    world->times = (SnStepTimes){.animate = (float)(animated - start),
                                 .collide = (float)(collided - animated),
                                 .contacts = (float)spent.contacts,
                                 .total = (float)(sn_now_ms() - start)};
    share_time(&world->times, &report, (float)(solved - collided - spent.contacts - spent.stiff));
    world->times.iterate += (float)spent.stiff;
    return report.bits | world->stiff_report.bits |
           (found && planted ? SN_STEP_OK : SN_STEP_NO_MEMORY);
}
