#include "collide/contact_list.h"

#include "collide/contact_general.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "math/vec.h"

// A worker takes so many batches of a colour at a time: a share of them all, so that none waits for long at the end, and
// several, as each asks for the knots of the next.
#define COLOUR_SHARES 16
#define LEAST_SHARE 2
#define MOST_SHARE 16
// Of seeds and batches that a worker takes at a time.
#define CHUNK 16
#define FIXED_MASK (~(uint64_t)0 << PAIR_COLOURS)
// Batches are of one kind, and pairs that need not touch have their own.
#define QUIET CONTACT_KINDS
#define GENERAL (QUIET + 1) // and those of the other kinds behind it
#define GROUPS (GENERAL + CONTACT_KINDS)
void sn__contacts_destroy(ContactList *list) {
    const SnAllocator *a = &list->allocator;
    sn__free(a, list->seeds, (size_t)list->seed_capacity * sizeof(ContactSeed));
    sn__free(a, list->generals, (size_t)list->general_capacity * sizeof(ContactGeneral));
    sn__free(a, list->colour, (size_t)list->colour_capacity);
    sn__free(a, list->recalled, (size_t)list->recalled_capacity * sizeof(int32_t));
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

// Makes an array at least `count` long; what was in it is lost, and given back first: in a crowd, there is no room for
// both.
static bool renew(const SnAllocator *allocator, void **array, int *capacity, int count,
                  size_t element) {
    if (count <= *capacity)
        return true;
    sn__free(allocator, *array, (size_t)*capacity * element);
    int grown = count + count / 4;
    *array = sn__alloc_array(allocator, (size_t)grown, element);
    *capacity = *array ? grown : 0;
    return *array != NULL;
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

static void fill_lane(ContactBatch *batch, int i, const ContactSeed *seed) {
    assert(i < KNOT_ROW && batch->kind == seed->kind);
    const ContactSides *s = &seed->sides;
    batch->a[i] = s->a;
    batch->a1[i] = s->a1;
    batch->a2[i] = s->a2;
    batch->b[i] = s->b;
    batch->b1[i] = s->b1;
    batch->b2[i] = s->b2;
    batch->offset_x[i] = seed->offset[0];
    batch->offset_y[i] = seed->offset[1];
    batch->offset_z[i] = seed->offset[2];
    batch->room[i] = batch->warm_normal[i] > 0.0f ? 0.0f : seed->room;
    batch->friction[i] = seed->surface.friction;
    batch->static_friction[i] = seed->surface.static_friction;
    batch->restitution[i] = seed->surface.restitution;
    batch->whole[i] = seed->whole ? 1.0f : 0.0f;
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
    batch->t[i] = batch->load_t[i] = m->t;
    batch->u[i] = batch->load_u[i] = m->u;
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
void sn__contacts_spread(const ContactList *list, const ContactBatch *batch, ContactLoad *loads,
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

static void remember_batches(int begin, int end, int worker, void *context) {
    (void)worker;
    ContactList *list = context;
    for (int k = begin; k < end; ++k) {
        const ContactBatch *batch = &list->batches[k];
        for (int i = 0; i < batch->count; ++i) {
            int seed = batch->origin[i];
            assert(seed >= 0 && seed < list->seed_count);
            list->memory[seed] = memory_of(batch, i, list->seeds[seed].key);
            if (batch->general)
                sn__general_remember(list, seed, &list->memory[seed]);
        }
    }
}

void sn__contacts_remember(ContactList *list, const SnTaskSystem *tasks) {
    // By seed, so that keys rise; what does not press is left out.
    if (!sn__contacts_reserve_memory(list, list->seed_count))
        return;
    tasks->parallel_for(list->batch_count, CHUNK, remember_batches, list, tasks->context);
    int kept = 0;
    for (int k = 0; k < list->seed_count; ++k)
        if (list->memory[k].warm_normal > 0.0f && is_sound(&list->memory[k]))
            list->memory[kept++] = list->memory[k];
    list->memory_count = kept;
}

static int batches_for(int contacts) { return (contacts + KNOT_ROW - 1) / KNOT_ROW; }

static bool reserve_colours(ContactList *list, int knot_count) {
    const SnAllocator *a = &list->allocator;
    int seeds = list->seed_count;
    list->knot_count = knot_count;
    return renew(a, (void **)&list->used, &list->used_capacity, knot_count, sizeof(uint64_t)) &&
           renew(a, (void **)&list->struck, &list->struck_capacity, knot_count, 1) &&
           renew(a, (void **)&list->paces, &list->pace_capacity, knot_count, sizeof(KnotPace)) &&
           renew(a, (void **)&list->colour, &list->colour_capacity, seeds, 1) &&
           renew(a, (void **)&list->recalled, &list->recalled_capacity, seeds, sizeof(int32_t));
}

// Which lane of which batch every seed goes to, and what there is to recall of it.
static void deal_lanes(ContactList *list, int next[SERIAL + 1][GROUPS]) {
    for (int k = 0, m = 0; k < list->seed_count; ++k) {
        const ContactSeed *seed = &list->seeds[k];
        int c = list->colour[k], group = group_of(seed);
        ContactBatch *batch = &list->batches[next[c][group]];
        assert(next[c][group] < list->batch_count);
        assert(batch->count == 0 || batch->kind == seed->kind);
        batch->kind = seed->kind;
        batch->quiet = group == QUIET;
        batch->general = group >= GENERAL;
        while (m < list->memory_count && list->memory[m].key < seed->key)
            ++m;
        bool known = m < list->memory_count && list->memory[m].key == seed->key;
        list->recalled[k] = known ? m + 1 : 0;
        batch->origin[batch->count++] = k;
        if (c == SERIAL || batch->count == KNOT_ROW)
            ++next[c][group];
    }
}

static void fill_batches(int begin, int end, int worker, void *context) {
    (void)worker;
    ContactList *list = context;
    for (int k = begin; k < end; ++k) {
        ContactBatch *batch = &list->batches[k];
        for (int i = 0; i < batch->count; ++i) {
            int seed = batch->origin[i], recalled = list->recalled[seed];
            if (recalled > 0)
                recall_lane(batch, i, &list->memory[recalled - 1]);
            if (recalled > 0 && batch->general)
                sn__general_recall(list, seed, &list->memory[recalled - 1]);
            fill_lane(batch, i, &list->seeds[seed]);
        }
    }
}

typedef struct SpreadTask {
    const ContactList *list;
    ContactLoad *loads;
    KnotTurn *turns;
} SpreadTask;

static void spread_batches(int begin, int end, int worker, void *context) {
    (void)worker;
    const SpreadTask *task = context;
    for (int k = begin; k < end; ++k)
        sn__contacts_spread(task->list, &task->list->batches[k], task->loads, task->turns);
}

bool sn__contacts_colour(ContactList *list, const SnTaskSystem *tasks, int knot_count,
                         ContactLoad *loads, KnotTurn *turns) {
    int counts[SERIAL + 1][GROUPS] = {{0}};
    memset(list->begin, 0, sizeof list->begin);
    list->bouncy = false;
    if (!reserve_colours(list, knot_count)) {
        list->seed_count = 0;
        return false;
    }
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
    if (!renew(&list->allocator, (void **)&list->batches, &list->batch_capacity, total,
               sizeof(ContactBatch))) {
        list->seed_count = 0;
        memset(list->begin, 0, sizeof list->begin);
        return false;
    }
    list->batch_count = total;
    if (total > 0) // before that there may be no memory at all
        memset(list->batches, 0, (size_t)total * sizeof(ContactBatch));
    deal_lanes(list, next);
    tasks->parallel_for(total, CHUNK, fill_batches, list, tasks->context);
    SpreadTask task = {list, loads, turns};
    sn__contacts_for_colours(list, tasks, FEW_TO_ADD, spread_batches, &task);
    return true;
}

typedef struct ColourTask {
    SnTask *function;
    void *context;
    int first; // batch
} ColourTask;

static void solve_colour(int begin, int end, int worker, void *context) {
    const ColourTask *task = context;
    task->function(task->first + begin, task->first + end, worker, task->context);
}

void sn__contacts_for_colours(const ContactList *list, const SnTaskSystem *tasks, int few,
                              SnTask *function, void *context) {
    for (int c = 0; c <= SERIAL; ++c) {
        int first = list->begin[c], count = list->begin[c + 1] - first;
        ColourTask task = {function, context, first};
        int share = count / COLOUR_SHARES;
        share = share < LEAST_SHARE ? LEAST_SHARE : share > MOST_SHARE ? MOST_SHARE : share;
        if (c == SERIAL || count < few)
            function(first, first + count, 0, context);
        else
            tasks->parallel_for(count, share, solve_colour, &task, tasks->context);
    }
}
