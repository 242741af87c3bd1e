// The passes of a sub-step over its contacts.
#include <assert.h>
#include <math.h>
#include <string.h>

#include "collide/contact_general.h"

// A correction, as a part of the radii, that is worth another pass; and one that takes part in it.
#define MUCH 0.01f
#define LITTLE 0.001f
#define MAX_PASSES 8
// Where bodies bounce, the same as parts of the displacement that they leave with, but no less than
// these of the radii.
#define MUCH_OF_BOUNCE 0.002f
#define LITTLE_OF_BOUNCE 0.0002f
#define LEAST_MUCH 5e-5f
#define LEAST_LITTLE 5e-6f
#define MAX_BOUNCE_PASSES 24
// A pair that is left alone keeps so much of the thinner radius as a distance: what contacts do to
// others in a sub-step is only seen in the next one.
#define ROOM_SPARE 0.02f

typedef struct PassTask {
    ContactList *list;
    const ContactRun *run;
    const ContactPass *pass;
    float little;
} PassTask;

float sn__contact_room(float gap, const Knot *a, const Knot *b) {
    float thin = a->start[3] < b->start[3] ? a->start[3] : b->start[3];
    return gap - ROOM_SPARE * thin;
}

static float farther(float a, float b) { return a > b ? a : b; }

// Whether all its pairs are farther apart than their sides have come.
static bool is_apart(const ContactBatch *batch, const float *ahead) {
    for (int i = 0; i < batch->count; ++i) {
        float a = farther(ahead[batch->a1[i]], ahead[batch->a2[i]]);
        float b = farther(ahead[batch->b1[i]], ahead[batch->b2[i]]);
        if (!(a + b < batch->room[i]) || batch->warm_normal[i] > 0.0f)
            return false;
    }
    return true;
}

// From where they are now; what they have come so far was for nothing, or they came together.
static void look_again(ContactBatch *batch, const Knot *knots, const float *gone) {
    for (int i = 0; i < batch->count; ++i) {
        int a1 = batch->a1[i], b1 = batch->b1[i];
        float a = farther(gone[a1], gone[batch->a2[i]]), b = farther(gone[b1], gone[batch->b2[i]]);
        batch->room[i] = sn__contact_room(batch->gap[i], &knots[a1], &knots[b1]) + a + b;
    }
}

// Nothing presses, and nothing is learned.
static void part(ContactBatch *batch) {
    if (batch->apart)
        return;
    memset(batch->mu_normal, 0, sizeof(ContactRow));
    memset(batch->mu_1, 0, sizeof(ContactRow));
    memset(batch->mu_2, 0, sizeof(ContactRow));
    memset(batch->bounce, 0, sizeof(ContactRow));
    batch->hits = 0;
    batch->worst = batch->rebound = 0.0f;
    batch->apart = true;
}

// Before the first pass of a sub-step: what contacts with restitution are to leave with.
static void rebound_batches(int begin, int end, int worker, void *context) {
    (void)worker;
    const PassTask *task = context;
    const ContactRun *run = task->run;
    for (int k = begin; k < end; ++k) {
        ContactBatch *batch = &task->list->batches[k];
        if (!batch->bouncy)
            continue;
        batch->met = !batch->quiet || !is_apart(batch, run->ways.ahead);
        if (!batch->met) {
            part(batch);
            continue;
        }
        if (batch->kind == CONTACT_SOLID)
            run->solid(batch, task->list->seeds, run->knots, run->context);
        if (batch->general)
            sn__general_rebound(task->list, batch, run, task->pass);
        else
            run->kernels->rebound(batch, run->knots, task->pass);
    }
}

static void solve_batch(const PassTask *task, ContactBatch *batch) {
    const ContactRun *run = task->run;
    ContactPass pass = *task->pass;
    pass.first |= batch->apart;
    if (batch->quiet && pass.first && is_apart(batch, run->ways.ahead)) {
        part(batch);
        return;
    }
    batch->apart = false;
    if (batch->kind == CONTACT_SOLID && pass.first && !batch->met)
        run->solid(batch, task->list->seeds, run->knots, run->context);
    if (batch->general)
        sn__general_solve(task->list, batch, run, &pass);
    else
        run->kernels->solve(batch, run->knots, &pass);
    batch->met = false;
    if (batch->quiet && pass.first)
        look_again(batch, run->knots, run->ways.gone);
}

// The first batch from here on that takes part in the pass.
static int next_batch(const PassTask *task, int k, int end) {
    while (task->pass->repeat && k < end && task->list->batches[k].worst < task->little)
        ++k;
    return k;
}

// Asks for the knots of a batch while another one is solved: in a large world, they are in no cache.
static void fetch_knots(const ContactBatch *batch, const Knot *knots) {
    for (int i = 0; i < batch->count; ++i) {
        __builtin_prefetch(&knots[batch->a1[i]], 1);
        __builtin_prefetch(&knots[batch->a2[i]], 1);
        __builtin_prefetch(&knots[batch->b1[i]], 1);
        __builtin_prefetch(&knots[batch->b2[i]], 1);
    }
}

static void solve_batches(int begin, int end, int worker, void *context) {
    (void)worker;
    const PassTask *task = context;
    ContactBatch *batches = task->list->batches;
    for (int k = next_batch(task, begin, end), next = k; k < end; k = next) {
        next = next_batch(task, k + 1, end);
        if (next < end)
            fetch_knots(&batches[next], task->run->knots);
        solve_batch(task, &batches[k]);
    }
}

static float worst_of(const ContactList *list) {
    float worst = 0.0f;
    for (int k = 0; k < list->batch_count; ++k)
        worst = list->batches[k].worst > worst ? list->batches[k].worst : worst;
    return worst;
}

static float rebound_of(const ContactList *list) {
    float most = 0.0f;
    for (int k = 0; k < list->batch_count; ++k)
        most = list->batches[k].rebound > most ? list->batches[k].rebound : most;
    return most;
}

void sn__contacts_pass(ContactList *list, const ContactRun *run, const ContactPass *pass) {
    assert(run->kernels && pass->h > 0.0f && !pass->repeat);
    ContactPass one = *pass, again = *pass;
    one.struck = again.struck = list->struck;
    one.paces = list->paces;
    PassTask task = {.list = list, .run = run, .pass = &one, .little = LITTLE};
    if (list->bouncy && pass->first)
        memset(list->struck, 0, (size_t)list->knot_count);
    if (list->bouncy && pass->first)
        run->tasks->parallel_for(list->batch_count, 8, rebound_batches, &task, run->tasks->context);
    float rebound = list->rebound = list->bouncy ? rebound_of(list) : 0.0f, much = MUCH;
    int passes = MAX_PASSES;
    if (rebound > 0.0f) {
        one.told = again.told = false; // a blow is not learned from
        much = fminf(MUCH, fmaxf(MUCH_OF_BOUNCE * rebound, LEAST_MUCH));
        task.little = fminf(LITTLE, fmaxf(LITTLE_OF_BOUNCE * rebound, LEAST_LITTLE));
        passes = MAX_BOUNCE_PASSES;
    }
    sn__contacts_for_colours(list, run->tasks, FEW_TO_SOLVE, solve_batches, &task);
    float worst = list->worst = worst_of(list);
    again.first = false;
    again.repeat = true;
    task.pass = &again;
    for (int k = 1; k < passes && worst >= much; ++k) {
        sn__contacts_for_colours(list, run->tasks, FEW_TO_SOLVE, solve_batches, &task);
        worst = worst_of(list);
    }
}

typedef struct AccelerateTask {
    ContactList *list;
    const ContactRun *run;
    float part, general; // of pills, and of general contacts
} AccelerateTask;

static void accelerate_batches(int begin, int end, int worker, void *context) {
    (void)worker;
    const AccelerateTask *task = context;
    for (int k = begin; k < end; ++k) {
        ContactBatch *batch = &task->list->batches[k];
        if (batch->general)
            sn__general_accelerate(task->list, batch, task->run, task->general);
        else
            task->run->kernels->accelerate(batch, task->run->knots,
                                           batch->apart ? 0.0f : task->part);
    }
}

void sn__contacts_accelerate(ContactList *list, const ContactRun *run, float part, float general) {
    AccelerateTask task = {list, run, part, general};
    sn__contacts_for_colours(list, run->tasks, FEW_TO_SOLVE, accelerate_batches, &task);
}

static void settle_batches(int begin, int end, int worker, void *context) {
    (void)worker;
    const PassTask *task = context;
    const ContactPass *pass = task->pass;
    for (int k = begin; k < end; ++k) {
        ContactBatch *b = &task->list->batches[k];
        if (b->apart)
            continue;
        if (b->general)
            sn__general_settle(task->list, b, pass->h);
        else
            task->run->kernels->learn(b, pass->h, pass->told);
        sn__contacts_spread(task->list, b, task->run->loads, task->run->turns);
    }
}

void sn__contacts_settle(ContactList *list, const ContactRun *run, const ContactPass *pass) {
    assert(pass->h > 0.0f && run->loads);
    ContactPass last = *pass;
    last.told = pass->told && !(list->rebound > 0.0f); // a blow is not learned from
    PassTask task = {.list = list, .run = run, .pass = &last};
    sn__contacts_for_colours(list, run->tasks, FEW_TO_ADD, settle_batches, &task);
}
