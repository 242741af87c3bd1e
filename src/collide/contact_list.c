#include "collide/contact_list.h"

#include "collide/contact_general.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "math/vec.h"

#define SERIAL CONTACT_COLOURS
#define FIXED_MASK (~(uint64_t)0 << PAIR_COLOURS)
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
// Batches are of one kind, and pairs that need not touch have their own.
#define QUIET CONTACT_KINDS
#define GENERAL (QUIET + 1) // and those of the other kinds behind it
#define GROUPS (GENERAL + CONTACT_KINDS)
// A pair that is left alone keeps so much of the thinner radius as a distance: what contacts do to
// others in a sub-step is only seen in the next one.
#define ROOM_SPARE 0.02f
// Fewer batches than this are not worth waking a worker for.
#define FEW_BATCHES 4

void sn__contacts_destroy(ContactList *list) {
    const SnAllocator *a = &list->allocator;
    sn__free(a, list->seeds, (size_t)list->seed_capacity * sizeof(ContactSeed));
    sn__free(a, list->generals, (size_t)list->general_capacity * sizeof(ContactGeneral));
    sn__free(a, list->colour, (size_t)list->colour_capacity);
    sn__free(a, list->used, (size_t)list->used_capacity * sizeof(uint64_t));
    sn__free(a, list->struck, (size_t)list->struck_capacity);
    sn__free(a, list->paces, (size_t)list->pace_capacity * sizeof(KnotPace));
    sn__free(a, list->batches, (size_t)list->batch_capacity * sizeof(ContactBatch));
    sn__free(a, list->memory, (size_t)list->memory_capacity * sizeof(ContactMemory));
}

void sn__contacts_clear(ContactList *list) {
    list->seed_count = list->batch_count = list->general_count = 0;
    memset(list->begin, 0, sizeof list->begin);
}

bool sn__contacts_add(ContactList *list, const ContactSeed *seed) {
    assert(list->seed_count == 0 || list->seeds[list->seed_count - 1].key < seed->key);
    if (!sn__reserve(&list->allocator, (void **)&list->seeds, &list->seed_capacity,
                     list->seed_count, sizeof(ContactSeed)))
        return false;
    list->seeds[list->seed_count++] = *seed;
    return true;
}

bool sn__contacts_add_general(ContactList *list, ContactSeed *seed, const ContactGeneral *general) {
    assert(general->side[0].count >= 0 && general->side[0].count <= SIDE_KNOTS);
    assert(general->side[1].count >= 0 && general->side[1].count <= SIDE_KNOTS);
    if (!sn__reserve(&list->allocator, (void **)&list->generals, &list->general_capacity,
                     list->general_count, sizeof(ContactGeneral)))
        return false;
    list->generals[list->general_count++] = *general;
    seed->general = list->general_count;
    return sn__contacts_add(list, seed);
}

// Makes an array at least `count` long; what was in it is lost.
static bool renew(const SnAllocator *allocator, void **array, int *capacity, int count,
                  size_t element) {
    if (count <= *capacity)
        return true;
    int grown = count + count / 2;
    void *memory = sn__alloc_array(allocator, (size_t)grown, element);
    if (memory == NULL)
        return false;
    sn__free(allocator, *array, (size_t)*capacity * element);
    *array = memory;
    *capacity = grown;
    return true;
}

// The knots that a contact moves, at most MOVED_KNOTS; what it does not move may be in any number of
// contacts at once.
#define MOVED_KNOTS (2 * SIDE_KNOTS)

static int moved_knots(const ContactList *list, const ContactSeed *seed, int32_t *out) {
    const ContactSides *s = &seed->sides;
    int count = 0, sides = seed->kind == CONTACT_PAIR ? 2 : 1;
    if (seed->general == 0) {
        const int32_t pill[4] = {s->a1, s->a2, s->b1, s->b2};
        for (; count < 2 * sides; ++count)
            out[count] = pill[count];
        return count;
    }
    for (int k = 0; k < sides; ++k) {
        const ContactSide *side = &list->generals[seed->general - 1].side[k];
        assert(count + side->count <= MOVED_KNOTS);
        for (int i = 0; i < side->count; ++i)
            out[count++] = side->knot[i];
    }
    return count;
}

static int group_of(const ContactSeed *seed) {
    if (seed->general != 0)
        return GENERAL + (int)seed->kind;
    // Only pairs are ever left alone: batches of these have no other kind.
    assert(!(seed->room > 0.0f) || seed->kind == CONTACT_PAIR);
    return seed->room > 0.0f ? QUIET : (int)seed->kind;
}

// The lowest colour that none of its vertices has, in the order of the seeds.
static void choose_colours(ContactList *list, int counts[SERIAL + 1][GROUPS]) {
    for (int k = 0; k < list->seed_count; ++k) {
        const ContactSeed *seed = &list->seeds[k];
        int32_t moved[MOVED_KNOTS];
        int count = moved_knots(list, seed, moved);
        uint64_t taken = seed->kind == CONTACT_PAIR ? FIXED_MASK : ~FIXED_MASK;
        for (int i = 0; i < count; ++i)
            taken |= list->used[moved[i]];
        int colour = taken == UINT64_MAX ? SERIAL : __builtin_ctzll(~taken);
        for (int i = 0; i < count && colour < SERIAL; ++i)
            list->used[moved[i]] |= (uint64_t)1 << colour;
        list->colour[k] = (uint8_t)colour;
        ++counts[colour][group_of(seed)];
    }
    for (int k = 0; k < list->seed_count; ++k) {
        int32_t moved[MOVED_KNOTS];
        int count = moved_knots(list, &list->seeds[k], moved);
        for (int i = 0; i < count; ++i)
            list->used[moved[i]] = 0;
    }
}

static void fill_lane(ContactBatch *batch, int i, const ContactSeed *seed, int origin) {
    assert(i < KNOT_ROW && batch->kind == seed->kind);
    const ContactSides *s = &seed->sides;
    batch->a[i] = s->a;
    batch->a1[i] = s->a1;
    batch->a2[i] = s->a2;
    batch->b[i] = s->b;
    batch->b1[i] = s->b1;
    batch->b2[i] = s->b2;
    batch->origin[i] = origin;
    batch->offset_x[i] = seed->offset[0];
    batch->offset_y[i] = seed->offset[1];
    batch->offset_z[i] = seed->offset[2];
    batch->room[i] = batch->warm_normal[i] > 0.0f ? 0.0f : seed->room;
    batch->friction[i] = seed->surface.friction;
    batch->static_friction[i] = seed->surface.static_friction;
    batch->restitution[i] = seed->surface.restitution;
    batch->compliance[i] = seed->surface.compliance;
    batch->thickness[i] = seed->surface.thickness;
    batch->bouncy |= seed->surface.restitution > 0.0f;
}

static void recall_lane(ContactBatch *batch, int i, const ContactMemory *m) {
    batch->warm_normal[i] = m->warm_normal;
    batch->warm_1[i] = m->warm_1;
    batch->warm_2[i] = m->warm_2;
    batch->load_x[i] = m->load[0];
    batch->load_y[i] = m->load[1];
    batch->load_z[i] = m->load[2];
    batch->load_roll_a[i] = m->load_roll_a;
    batch->load_roll_b[i] = m->load_roll_b;
    batch->t[i] = m->t;
    batch->u[i] = m->u;
}

static ContactMemory memory_of(const ContactBatch *batch, int i, uint64_t key) {
    return (ContactMemory){.key = key,
                           .warm_normal = batch->warm_normal[i],
                           .warm_1 = batch->warm_1[i],
                           .warm_2 = batch->warm_2[i],
                           .load = {batch->load_x[i], batch->load_y[i], batch->load_z[i]},
                           .load_roll_a = batch->load_roll_a[i],
                           .load_roll_b = batch->load_roll_b[i],
                           .t = batch->t[i],
                           .u = batch->u[i]};
}

// What is beyond all measure, or not a number, is not learned from: it would stay for ever.
static bool is_sound(const ContactMemory *m) {
    float forces = m->warm_normal + fabsf(m->warm_1) + fabsf(m->warm_2) + fabsf(m->load[0]) +
                   fabsf(m->load[1]) + fabsf(m->load[2]);
    return forces + fabsf(m->load_roll_a) + fabsf(m->load_roll_b) + m->t + m->u <= LARGEST_NUMBER;
}

static void add_load(ContactLoad *load, const float force[3], float squeeze, float weight) {
    for (int c = 0; c < 3; ++c)
        load->force[c] += weight * force[c];
    load->squeeze += weight * squeeze;
}

// The forces that the next sub-step starts from.
static void spread_loads(const ContactList *list, const ContactBatch *batch, ContactLoad *loads,
                         KnotTurn *turns) {
    if (batch->general) {
        sn__general_spread(list, batch, loads, turns);
        return;
    }
    for (int i = 0; i < batch->count; ++i) {
        if (!(batch->warm_normal[i] > 0.0f))
            continue;
        float t = batch->t[i], u = batch->u[i];
        ContactMemory learned = memory_of(batch, i, 0);
        if (!is_sound(&learned))
            continue;
        float force[3] = {batch->load_x[i], batch->load_y[i], batch->load_z[i]};
        float back[3] = {-force[0], -force[1], -force[2]}, normal = batch->warm_normal[i];
        add_load(&loads[batch->a1[i]], force, normal, 1.0f - t);
        add_load(&loads[batch->a2[i]], force, normal, t);
        loads[batch->a[i]].roll += batch->load_roll_a[i];
        if (batch->kind != CONTACT_PAIR)
            continue;
        add_load(&loads[batch->b1[i]], back, normal, 1.0f - u);
        add_load(&loads[batch->b2[i]], back, normal, u);
        loads[batch->b[i]].roll += batch->load_roll_b[i];
    }
}

bool sn__contacts_reserve_memory(ContactList *list, int count) {
    list->memory_count = 0;
    return renew(&list->allocator, (void **)&list->memory, &list->memory_capacity, count,
                 sizeof(ContactMemory));
}

void sn__contacts_remember(ContactList *list) {
    // By seed, so that keys rise; what does not press is left out.
    if (!sn__contacts_reserve_memory(list, list->seed_count))
        return;
    for (int k = 0; k < list->batch_count; ++k) {
        const ContactBatch *batch = &list->batches[k];
        for (int i = 0; i < batch->count; ++i) {
            int seed = batch->origin[i];
            assert(seed >= 0 && seed < list->seed_count);
            list->memory[seed] = memory_of(batch, i, list->seeds[seed].key);
            if (batch->general)
                sn__general_remember(list, seed, &list->memory[seed]);
        }
    }
    int kept = 0;
    for (int k = 0; k < list->seed_count; ++k)
        if (list->memory[k].warm_normal > 0.0f && is_sound(&list->memory[k]))
            list->memory[kept++] = list->memory[k];
    list->memory_count = kept;
}

static int batches_for(int contacts) { return (contacts + KNOT_ROW - 1) / KNOT_ROW; }

bool sn__contacts_colour(ContactList *list, int knot_count, ContactLoad *loads, KnotTurn *turns) {
    const SnAllocator *a = &list->allocator;
    int counts[SERIAL + 1][GROUPS] = {{0}};
    memset(list->begin, 0, sizeof list->begin);
    list->knot_count = knot_count;
    if (!renew(a, (void **)&list->used, &list->used_capacity, knot_count, sizeof(uint64_t)) ||
        !renew(a, (void **)&list->struck, &list->struck_capacity, knot_count, 1) ||
        !renew(a, (void **)&list->paces, &list->pace_capacity, knot_count, sizeof(KnotPace)) ||
        !renew(a, (void **)&list->colour, &list->colour_capacity, list->seed_count, 1)) {
        list->seed_count = 0;
        return false;
    }
    list->bouncy = false;
    for (int k = 0; k < list->seed_count; ++k)
        list->bouncy |= list->seeds[k].surface.restitution > 0.0f;
    if (list->bouncy)
        memset(list->paces, 0, (size_t)knot_count * sizeof(KnotPace));
    choose_colours(list, counts);
    int next[SERIAL + 1][GROUPS], total = 0; // batch to fill
    for (int c = 0; c <= SERIAL; ++c) {
        list->begin[c] = total;
        for (int group = 0; group < GROUPS; ++group) {
            next[c][group] = total;
            total += c == SERIAL ? counts[c][group] : batches_for(counts[c][group]);
        }
    }
    list->begin[SERIAL + 1] = total;
    if (!renew(a, (void **)&list->batches, &list->batch_capacity, total, sizeof(ContactBatch))) {
        list->seed_count = 0;
        memset(list->begin, 0, sizeof list->begin);
        return false;
    }
    list->batch_count = total;
    if (total > 0) // before that there may be no memory at all
        memset(list->batches, 0, (size_t)total * sizeof(ContactBatch));
    for (int k = 0, m = 0; k < list->seed_count; ++k) {
        int c = list->colour[k];
        int group = group_of(&list->seeds[k]);
        ContactBatch *batch = &list->batches[next[c][group]];
        assert(next[c][group] < total && (batch->count == 0 || batch->kind == list->seeds[k].kind));
        batch->kind = list->seeds[k].kind;
        batch->quiet = group == QUIET;
        batch->general = group >= GENERAL;
        while (m < list->memory_count && list->memory[m].key < list->seeds[k].key)
            ++m;
        if (m < list->memory_count && list->memory[m].key == list->seeds[k].key) {
            recall_lane(batch, batch->count, &list->memory[m]);
            if (batch->general)
                sn__general_recall(list, k, &list->memory[m]);
        }
        fill_lane(batch, batch->count++, &list->seeds[k], k);
        if (c == SERIAL || batch->count == KNOT_ROW)
            ++next[c][group];
    }
    for (int k = 0; k < total; ++k)
        spread_loads(list, &list->batches[k], loads, turns);
    return true;
}

typedef struct PassTask {
    ContactList *list;
    const ContactRun *run;
    const ContactPass *pass;
    int first; // batch
    float little;
} PassTask;

static void for_colours(PassTask *task, SnTask *function) {
    const SnTaskSystem *tasks = task->run->tasks;
    for (int c = 0; c <= SERIAL; ++c) {
        task->first = task->list->begin[c];
        int count = task->list->begin[c + 1] - task->first;
        if (c == SERIAL || count < FEW_BATCHES)
            function(0, count, 0, task);
        else
            tasks->parallel_for(count, 2, function, task, tasks->context);
    }
}

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
        if (!(a + b < batch->room[i]))
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
    memset(batch->next_normal, 0, sizeof(ContactRow));
    memset(batch->next_1, 0, sizeof(ContactRow));
    memset(batch->next_2, 0, sizeof(ContactRow));
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

static void solve_batches(int begin, int end, int worker, void *context) {
    (void)worker;
    const PassTask *task = context;
    const ContactRun *run = task->run;
    for (int k = begin; k < end; ++k) {
        ContactBatch *batch = &task->list->batches[task->first + k];
        if (task->pass->repeat && batch->worst < task->little)
            continue;
        ContactPass pass = *task->pass;
        pass.first |= batch->apart;
        if (batch->quiet && pass.first && is_apart(batch, run->ways.ahead)) {
            part(batch);
            continue;
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
    PassTask task = {list, run, &one, 0, LITTLE};
    if (list->bouncy && pass->first)
        memset(list->struck, 0, (size_t)list->knot_count);
    if (list->bouncy && pass->first)
        run->tasks->parallel_for(list->batch_count, 8, rebound_batches, &task, run->tasks->context);
    float rebound = list->rebound = list->bouncy ? rebound_of(list) : 0.0f, much = MUCH;
    int passes = MAX_PASSES;
    if (rebound > 0.0f) {
        much = fminf(MUCH, fmaxf(MUCH_OF_BOUNCE * rebound, LEAST_MUCH));
        task.little = fminf(LITTLE, fmaxf(LITTLE_OF_BOUNCE * rebound, LEAST_LITTLE));
        passes = MAX_BOUNCE_PASSES;
    }
    for_colours(&task, solve_batches);
    float worst = list->worst = worst_of(list);
    again.first = false;
    again.repeat = true;
    task.pass = &again;
    for (int k = 1; k < passes && worst >= much; ++k) {
        for_colours(&task, solve_batches);
        worst = worst_of(list);
    }
}

static void settle_batches(int begin, int end, int worker, void *context) {
    (void)worker;
    const PassTask *task = context;
    float by_h = 1.0f / task->pass->h;
    for (int k = begin; k < end; ++k) {
        ContactBatch *b = &task->list->batches[task->first + k];
        if (b->apart)
            continue;
        for (int i = 0; i < b->count; ++i) {
            b->warm_normal[i] = b->next_normal[i];
            b->warm_1[i] = b->next_1[i];
            b->warm_2[i] = b->next_2[i];
            b->sum_normal[i] += by_h * b->mu_normal[i];
            b->sum_friction[i] += by_h * sqrtf(b->mu_1[i] * b->mu_1[i] + b->mu_2[i] * b->mu_2[i]);
        }
        spread_loads(task->list, b, task->run->loads, task->run->turns);
    }
}

void sn__contacts_settle(ContactList *list, const ContactRun *run, float h) {
    assert(h > 0.0f && run->loads);
    ContactPass pass = {.h = h};
    PassTask task = {list, run, &pass, 0, 0.0f};
    for_colours(&task, settle_batches);
}
