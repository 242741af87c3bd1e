// Sleep: bodies that rest, with all that touch them, are left alone until something moves.
//
// Bodies that touch or are linked make an island; it falls asleep when none of its bodies was
// faster than the world's sleep_speed for STILL_TIME. While bodies overlap, they are being pushed apart,
// and it waits for that. A sleeping body has no mobility: what touches it sees a wall. It wakes when a
// body that moves or a collider that moves touches it, when what it is linked to moves, when it is pushed or changed,
// and when the world changes around it.
#include <assert.h>

#include "world/world.h"

#define STILL_TIME 0.5f // s
// Part of the thinner radius that bodies may overlap by in their sleep, and how much longer than
// STILL_TIME others are waited for, s: what is squeezed overlaps for ever.
#define OVERLAP 0.018
#define PATIENCE 2.0f

void sn__body_set_asleep(Body *body, bool asleep) {
    body->sleep.still = 0.0f;
    if (body->sleep.asleep == asleep)
        return;
    body->sleep.asleep = asleep;
    body->kind->sleep_changed(body);
}

void sn__wake_all(SnWorld *world) {
    Body *body;
    for (int k = 0; (body = sn__bodies_next(&world->bodies, NULL, &k)) != NULL; ++k)
        if (world->sleep_speed > 0.0f)
            sn__body_set_asleep(body, false);
}

static bool moves(const Body *body) { return !body->sleep.asleep && body->sleep.still == 0.0f; }

// Once per step, when the contacts are known: whoever moves wakes whom it may touch.
void sn__wake_touched(SnWorld *world) {
    const ContactSystem *s = &world->contacts;
    for (int k = 0; k < s->list.seed_count && world->sleep_speed > 0.0f; ++k) {
        const ContactSeed *seed = &s->list.seeds[k];
        Body *a = sn__body_at(&world->bodies, s->owners[seed->sides.a].body), *b = NULL;
        if (seed->kind == CONTACT_PAIR)
            b = sn__body_at(&world->bodies, s->owners[seed->sides.b].body);
        bool collider_moves =
            b == NULL && sn__collider_travel(&world->colliders.colliders[seed->other - 1]) > 0.0f;
        if (a->sleep.asleep && (collider_moves || (b && moves(b))))
            sn__body_set_asleep(a, false);
        if (b && b->sleep.asleep && moves(a))
            sn__body_set_asleep(b, false);
    }
}

static Body *linked_body(const SnWorld *world, SnBodyId id) {
    return id.index == 0 ? NULL : sn__body_at(&world->bodies, id.index);
}

// Wakes one end of a link that the other one moves.
static bool wake_end(const SnWorld *world, const Link *link) {
    Body *a = linked_body(world, link->a.body), *b = linked_body(world, link->b.body);
    if (b == NULL || a->sleep.asleep == b->sleep.asleep)
        return false;
    Body *sleeper = a->sleep.asleep ? a : b;
    if (!moves(sleeper == a ? b : a))
        return false;
    sn__body_set_asleep(sleeper, false);
    return true;
}

void sn__wake_linked(SnWorld *world) {
    bool woken = world->sleep_speed > 0.0f;
    while (woken) {
        woken = false;
        for (uint32_t k = 0; k < world->link_ids.slot_count; ++k)
            if (world->link_ids.slots[k].generation & 1)
                woken = wake_end(world, &world->links[k]) || woken;
    }
}

// Islands by union-find over the slots of bodies; the smallest slot stands for all.
static uint32_t find_island(uint32_t *island, uint32_t slot) {
    while (island[slot] != slot) {
        island[slot] = island[island[slot]];
        slot = island[slot];
    }
    return slot;
}

static void join(uint32_t *island, uint32_t a, uint32_t b) {
    assert(a != 0 && b != 0);
    a = find_island(island, a);
    b = find_island(island, b);
    if (a < b)
        island[b] = a;
    else
        island[a] = b;
}

static bool reserve_islands(SnWorld *world, uint32_t slots) {
    if (slots <= world->island_capacity)
        return true;
    uint32_t grown = slots + slots / 2;
    uint32_t *island = sn__alloc_array(&world->allocator, grown, sizeof(uint32_t));
    float *still = sn__alloc_array(&world->allocator, grown, sizeof(float));
    if (island == NULL || still == NULL) {
        sn__free(&world->allocator, island, grown * sizeof(uint32_t));
        sn__free(&world->allocator, still, grown * sizeof(float));
        return false;
    }
    sn__sleep_release(world);
    world->island = island;
    world->island_still = still;
    world->island_capacity = grown;
    return true;
}

void sn__sleep_release(SnWorld *world) {
    sn__free(&world->allocator, world->island, world->island_capacity * sizeof(uint32_t));
    sn__free(&world->allocator, world->island_still, world->island_capacity * sizeof(float));
}

static void join_touching(SnWorld *world) {
    const ContactSystem *s = &world->contacts;
    for (int k = 0; k < s->list.batch_count; ++k) {
        const ContactBatch *batch = &s->list.batches[k];
        for (int i = 0; i < batch->count && batch->kind == CONTACT_PAIR; ++i)
            if (batch->sum_normal[i] > 0.0f)
                join(world->island, s->owners[batch->a[i]].body, s->owners[batch->b[i]].body);
    }
    for (uint32_t k = 0; k < world->link_ids.slot_count; ++k)
        if ((world->link_ids.slots[k].generation & 1) && world->links[k].b.body.index != 0)
            join(world->island, world->links[k].a.body.index, world->links[k].b.body.index);
    for (uint32_t slot = 1; slot <= world->hinges.ids.slot_count; ++slot) {
        const SnHingeDef *def = &world->hinges.hinges[slot - 1].def;
        if (sn__hinge_in_use(&world->hinges, slot) && def->b.index != 0)
            join(world->island, def->a.index, def->b.index);
    }
}

static void wait_for_overlaps(SnWorld *world) {
    const ContactSystem *s = &world->contacts;
    for (int k = 0; k < s->list.batch_count; ++k) {
        const ContactBatch *batch = &s->list.batches[k];
        for (int i = 0; i < batch->count; ++i) {
            uint32_t slot = find_island(world->island, s->owners[batch->a[i]].body);
            if (batch->sum_normal[i] > 0.0f && world->island_still[slot] < STILL_TIME + PATIENCE &&
                sn__contact_depth(world, batch, i) > OVERLAP)
                world->island_still[slot] = 0.0f;
        }
    }
}

static void measure_stillness(SnWorld *world, float dt) {
    Body *body;
    for (int k = 0; (body = sn__bodies_next(&world->bodies, NULL, &k)) != NULL; ++k) {
        if (body->sleep.asleep)
            continue;
        bool still = body->kind->speed(body) < world->sleep_speed;
        body->sleep.still = still ? body->sleep.still + dt : 0.0f;
    }
}

void sn__sleep_end_step(SnWorld *world, float dt) {
    uint32_t slots = world->bodies.ids.slot_count + 1;
    if (!(world->sleep_speed > 0.0f) || !reserve_islands(world, slots))
        return;
    measure_stillness(world, dt);
    for (uint32_t k = 0; k < slots; ++k) {
        world->island[k] = k;
        world->island_still[k] = 2.0f * (STILL_TIME + PATIENCE);
    }
    join_touching(world);
    Body *body;
    for (int k = 0; (body = sn__bodies_next(&world->bodies, NULL, &k)) != NULL; ++k) {
        float *still = &world->island_still[find_island(world->island, body->slot)];
        if (!body->sleep.asleep)
            *still = fminf(*still, body->sleep.still);
    }
    wait_for_overlaps(world);
    for (int k = 0; (body = sn__bodies_next(&world->bodies, NULL, &k)) != NULL; ++k)
        if (world->island_still[find_island(world->island, body->slot)] >= STILL_TIME)
            sn__body_set_asleep(body, true);
}
