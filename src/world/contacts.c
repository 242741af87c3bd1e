// The collision phase of a step: numbers, boxes, and the passes over what was found.
#include "world/contacts.h"

#include <assert.h>
#include <string.h>

#include "world/world.h"

// Acceleration, beside gravity, that a body may have within a step without being missed, m/s².
#define SURPRISE 10.0f

static bool renew_knots(SnWorld *world, int count) {
    ContactSystem *s = &world->contacts;
    if (count <= s->knot_capacity)
        return true;
    const SnAllocator *a = &world->allocator;
    int grown = count + count / 4;
    size_t n = (size_t)grown, old = (size_t)s->knot_capacity;
    Knot *knots = sn__alloc_array(a, n, sizeof(Knot));
    ContactLoad *loads = sn__alloc_array(a, n, sizeof(ContactLoad));
    KnotOwner *owners = sn__alloc_array(a, n, sizeof(KnotOwner));
    GridBox *boxes = sn__alloc_array(a, n, sizeof(GridBox));
    float *reach = sn__alloc_array(a, n, sizeof(float));
    float *gone = sn__alloc_array(a, n, sizeof(float));
    float *ahead = sn__alloc_array(a, n, sizeof(float));
    int32_t *shock_of = sn__alloc_array(a, n, sizeof(int32_t));
    bool complete = knots && loads && owners && boxes && reach && gone && ahead && shock_of;
    size_t spare = complete ? old : n;
    sn__free(a, complete ? s->knots : knots, spare * sizeof(Knot));
    sn__free(a, complete ? s->loads : loads, spare * sizeof(ContactLoad));
    sn__free(a, complete ? s->owners : owners, spare * sizeof(KnotOwner));
    sn__free(a, complete ? s->boxes : boxes, spare * sizeof(GridBox));
    sn__free(a, complete ? s->reach : reach, spare * sizeof(float));
    sn__free(a, complete ? s->ways.gone : gone, spare * sizeof(float));
    sn__free(a, complete ? s->ways.ahead : ahead, spare * sizeof(float));
    sn__free(a, complete ? s->shocks.of : shock_of, spare * sizeof(int32_t));
    if (!complete)
        return false;
    s->knots = knots;
    s->loads = loads;
    s->owners = owners;
    s->boxes = boxes;
    s->reach = reach;
    s->ways = (KnotWays){gone, ahead};
    s->shocks.of = shock_of;
    s->knot_capacity = grown;
    return true;
}

static bool renew_turns(SnWorld *world, int count) {
    ContactSystem *s = &world->contacts;
    if (count > s->turn_capacity) {
        int grown = count + count / 4;
        KnotTurn *turns = sn__alloc_array(&world->allocator, (size_t)grown, sizeof(KnotTurn));
        if (turns == NULL)
            return false;
        sn__free(&world->allocator, s->turns, (size_t)s->turn_capacity * sizeof(KnotTurn));
        s->turns = turns;
        s->turn_capacity = grown;
    }
    memset(s->turns, 0, (size_t)count * sizeof(KnotTurn));
    s->turn_count = count;
    return true;
}

#define SEVERAL (-1) // more than two elements meet at the point

static void add_beside(KnotOwner *point, int32_t other) {
    if (point->beside[0] == 0)
        point->beside[0] = other;
    else if (point->beside[1] == 0)
        point->beside[1] = other;
    else
        point->beside[0] = SEVERAL;
}

// Says which points are beside each other along a body.
static void find_beside(KnotOwner *owners, int count) {
    for (int k = 0; k < count; ++k)
        if (owners[k].body != 0 && owners[k].first != owners[k].second) {
            add_beside(&owners[owners[k].first], owners[k].second);
            add_beside(&owners[owners[k].second], owners[k].first);
        }
    for (int k = 0; k < count; ++k)
        if (owners[k].beside[0] == SEVERAL || owners[k].beside[1] == 0)
            owners[k].beside[0] = owners[k].beside[1] = 0;
}

bool sn__contacts_number(SnWorld *world) {
    ContactSystem *s = &world->contacts;
    if (s->numbered)
        return true;
    if (s->grid == NULL)
        s->grid = sn__grid_create(&world->allocator);
    if (s->grid)
        sn__grid_set_isa(s->grid, world->isa);
    KnotNumbers numbers = {.knots = KNOT_ROW, .turns = 1};
    bool numbered = s->grid != NULL;
    for (int k = 0; k < BODY_KINDS && numbered; ++k)
        numbered = sn__body_kinds[k]->number_knots(world->systems[k], &numbers);
    if (!numbered)
        return false;
    assert(numbers.knots % KNOT_ROW == 0);
    int first = numbers.knots, count = first + 2 * (int)world->colliders.ids.slot_count;
    if (!renew_knots(world, count) || !renew_turns(world, numbers.turns))
        return false;
    s->collider_knots = first;
    s->knot_count = count;
    memset(s->knots, 0, (size_t)count * sizeof(Knot));
    memset(s->owners, 0, (size_t)count * sizeof(KnotOwner));
    for (int k = 0; k < count; ++k)
        s->boxes[k] = EMPTY_BOX;
    for (int k = 0; k < BODY_KINDS; ++k)
        sn__body_kinds[k]->own(world->systems[k], s->owners);
    find_beside(s->owners, count);
    s->list.memory_count = 0; // it goes by the numbers
    for (uint32_t slot = 1; slot <= world->colliders.ids.slot_count; ++slot)
        world->colliders.colliders[slot - 1].knots = first + 2 * (int)(slot - 1);
    s->numbered = true;
    return true;
}

// The mean velocity of all points. Boxes are swept relative to it: bodies that fall together stay
// apart, however fast they fall.
static void mean_velocity(const SnWorld *world, float out[3]) {
    double sum[4] = {0.0, 0.0, 0.0, 1e-9};
    for (int k = 0; k < BODY_KINDS; ++k)
        sn__body_kinds[k]->add_velocity(world->systems[k], sum);
    for (int c = 0; c < 3; ++c)
        out[c] = (float)(sum[c] / sum[3]);
}

// What stands still moves the other way.
static void sweep_box(GridBox *box, const float motion[3]) {
    for (int c = 0; c < 3; ++c) {
        box->low[c] += fminf(motion[c], 0.0f);
        box->high[c] += fmaxf(motion[c], 0.0f);
    }
}

static void bound_colliders(SnWorld *world, const TouchBounds *bounds) {
    ContactSystem *s = &world->contacts;
    sn__colliders_substep(world, 0, 1, s->knots);
    for (uint32_t slot = 1; slot <= world->colliders.ids.slot_count; ++slot) {
        const Collider *c = &world->colliders.colliders[slot - 1];
        if (!sn__collider_in_use(&world->colliders, slot) || c->kind == SN_COLLIDER_PLANE)
            continue;
        s->boxes[c->knots] = EMPTY_BOX;
        if (c->surface.sensor)
            continue;
        float back[3];
        for (int d = 0; d < 3; ++d)
            back[d] = -bounds->dt * bounds->velocity[d];
        s->boxes[c->knots] = sn__collider_box(c);
        sweep_box(&s->boxes[c->knots], back);
        s->reach[c->knots] = c->surface.thickness;
    }
}

static bool colour(SnWorld *world) {
    ContactSystem *s = &world->contacts;
    size_t n = (size_t)s->knot_count;
    memset(s->loads, 0, n * sizeof(ContactLoad));
    memset(s->ways.gone, 0, n * sizeof(float));
    memset(s->ways.ahead, 0, n * sizeof(float));
    for (int k = 0; k < s->turn_count; ++k)
        memset(s->turns[k].load, 0, sizeof s->turns[k].load);
    return sn__contacts_colour(&s->list, &world->tasks, s->knot_count, s->loads, s->turns);
}

static void untouch(SnWorld *world) {
    sn__contacts_clear(&world->contacts.list);
    for (int k = 0; k < BODY_KINDS; ++k)
        sn__body_kinds[k]->untouch(world->systems[k]);
}

bool sn__contacts_find(SnWorld *world, float dt, int substeps) {
    assert(dt > 0.0f);
    ContactSystem *s = &world->contacts;
    sn__contacts_clear(&s->list);
    sn__shocks_clear(s);
    if (!sn__contacts_number(world)) {
        untouch(world);
        return false;
    }
    if (s->knot_count == KNOT_ROW)
        return true;
    TouchBounds bounds = {.tasks = &world->tasks,
                          .dt = dt,
                          .acceleration = SURPRISE,
                          .owners = s->owners,
                          .knots = s->knots,
                          .turns = s->turns,
                          .boxes = s->boxes,
                          .reach = s->reach};
    mean_velocity(world, bounds.velocity);
    for (int k = 0; k < BODY_KINDS; ++k)
        sn__body_kinds[k]->bounds(world->systems[k], &bounds);
    bound_colliders(world, &bounds);
    if (sn__contacts_add_planes(world) && sn__contacts_add_pairs(world) && colour(world)) {
        sn__wake_touched(world);
        sn__links_begin_step(world, dt / (float)substeps);
        sn__hinges_begin_step(world);
        return true;
    }
    untouch(world);
    return false;
}

static ContactRun contact_run(SnWorld *world) {
    ContactSystem *s = &world->contacts;
    return (ContactRun){.kernels = sn__contact_kernels(world->isa),
                        .tasks = &world->tasks,
                        .knots = s->knots,
                        .turns = s->turns,
                        .ways = s->ways,
                        .loads = s->loads,
                        .solid = sn__colliders_touch,
                        .context = world};
}

void sn__contacts_solve(SnWorld *world, const ContactPass *pass) {
    assert(world->contacts.numbered && pass->time > 0.0 && pass->time <= 1.0);
    ContactRun run = contact_run(world);
    sn__links_solve(world, pass);
    sn__links_solve_tied(world, pass);
    sn__hinges_solve(world, pass);
    sn__links_hold(world, pass->first);
    sn__contacts_pass(&world->contacts.list, &run, pass);
    sn__hinges_stop(world, pass);
    sn__links_let_go(world);
    sn__links_tell(world);
    sn__hinges_tell(world);
    sn__contacts_press(world);
}

void sn__contacts_go_on(SnWorld *world, float part, float general) {
    ContactRun run = contact_run(world);
    sn__links_hold(world, false);
    sn__contacts_accelerate(&world->contacts.list, &run, part, general);
    sn__links_let_go(world);
}

void sn__contacts_end_substep(SnWorld *world, const ContactPass *pass) {
    ContactRun run = contact_run(world);
    sn__contacts_settle(&world->contacts.list, &run, pass);
    sn__links_end_substep(world, pass);
    sn__hinges_end_substep(world, pass);
}

void sn__contacts_release(SnWorld *world) {
    ContactSystem *s = &world->contacts;
    const SnAllocator *a = &world->allocator;
    size_t n = (size_t)s->knot_capacity;
    if (s->grid)
        sn__grid_destroy(s->grid);
    sn__contacts_destroy(&s->list);
    sn__free(a, s->knots, n * sizeof(Knot));
    sn__free(a, s->loads, n * sizeof(ContactLoad));
    sn__free(a, s->owners, n * sizeof(KnotOwner));
    sn__free(a, s->boxes, n * sizeof(GridBox));
    sn__free(a, s->reach, n * sizeof(float));
    sn__free(a, s->ways.gone, n * sizeof(float));
    sn__free(a, s->ways.ahead, n * sizeof(float));
    sn__free(a, s->turns, (size_t)s->turn_capacity * sizeof(KnotTurn));
    sn__free(a, s->fates, (size_t)s->fate_capacity * sizeof(PairFate));
    sn__shocks_release(a, &s->shocks, s->knot_capacity);
    sn__free(a, s->ignored, (size_t)s->ignored_capacity * sizeof(IgnoredPair));
    sn__free(a, s->contacts, (size_t)s->contact_capacity * sizeof(SnContact));
    sn__free(a, s->touches, (size_t)s->touch_capacity * sizeof(SnTouch));
    sn__free(a, s->touches_before, (size_t)s->before_capacity * sizeof(SnTouch));
    sn__free(a, s->begin, (size_t)s->begin_capacity * sizeof(SnTouch));
    sn__free(a, s->end, (size_t)s->end_capacity * sizeof(SnTouch));
}
