// Sleep: bodies that rest, with all that touch them, are left alone until something moves.
//
// Bodies that touch or are linked make an island; it falls asleep when none of its bodies was
// faster than the world's sleep_speed for REST_TIME. While bodies overlap, they are being pushed apart,
// and it waits for that. A sleeping body has no mobility: what touches it sees a wall. It wakes when a body that moves or a collider that moves touches it, when it is
// pushed or changed, and when the world changes around it.
#include "rod/kind.h"
#include "world/world.h"

#define REST_TIME 0.5f // s
// Part of the thinner radius that bodies may overlap by in their sleep, and how much longer than
// REST_TIME others are waited for, s: what is squeezed overlaps for ever.
#define OVERLAP 0.018
#define PATIENCE 2.0f

static Rod *rod_at(SnWorld *world, uint32_t slot) { return &world->rods.rods[slot - 1]; }

static RodPack *pack_of(const SnWorld *world, const Rod *rod) {
    return world->rods.packs[rod->pack];
}

static bool is_asleep(const SnWorld *world, const Rod *rod) {
    return rod->kind ? rod->kind->rest(rod->body)->asleep : pack_of(world, rod)->asleep[rod->lane];
}

static float rest_time(const SnWorld *world, const Rod *rod) {
    return rod->kind ? rod->kind->rest(rod->body)->seconds
                     : pack_of(world, rod)->rest_time[rod->lane];
}

static void set_asleep(SnWorld *world, Rod *rod, bool asleep) {
    if (rod->kind) {
        *rod->kind->rest(rod->body) = (RodRestTime){0.0f, asleep};
        if (asleep)
            rod->kind->stop(rod->body);
        return;
    }
    RodPack *pack = pack_of(world, rod);
    for (int p = 0; p < rod->pieces; ++p) {
        int lane = rod->lane + p;
        pack->rest_time[lane] = 0.0f;
        if (pack->asleep[lane] == asleep)
            continue;
        pack->asleep[lane] = asleep;
        pack->dirty = true;
        for (int j = 0; asleep && j <= pack->rows; ++j) {
            RodState *s = pack->state + j;
            s->vx[lane] = s->vy[lane] = s->vz[lane] = s->vs[lane] = 0.0f;
            s->wx[lane] = s->wy[lane] = s->wz[lane] = 0.0f;
        }
    }
}

bool sn_body_is_asleep(const SnWorld *world, SnBodyId id) {
    const Rod *rod = sn__rods_find(&world->rods, id);
    return rod && is_asleep(world, rod);
}

SnResult sn_body_wake(SnWorld *world, SnBodyId id) {
    Rod *rod = sn__rods_find(&world->rods, id);
    if (rod == NULL)
        return sn_error(SN_ERROR_STALE, "rod: id is stale");
    set_asleep(world, rod, false);
    return sn_ok();
}

void sn__wake_all(SnWorld *world) {
    for (int k = 0; k < world->rods.order_count && world->sleep_speed > 0.0f; ++k)
        if (world->rods.order[k] != 0)
            set_asleep(world, rod_at(world, world->rods.order[k]), false);
}

// Fastest vertex or surface, m/s.
static float speed_of(const SnWorld *world, const Rod *rod) {
    if (rod->kind)
        return rod->kind->speed(rod->body);
    const RodPack *pack = pack_of(world, rod);
    float most = 0.0f;
    for (int p = 0; p < rod->pieces; ++p) {
        int i = rod->lane + p;
        for (int j = 0; j <= pack->rows; ++j) {
            const RodState *s = pack->state + j;
            float r = pack->rest[j].radius[i];
            float v2 = s->vx[i] * s->vx[i] + s->vy[i] * s->vy[i] + s->vz[i] * s->vz[i];
            float w2 = s->wx[i] * s->wx[i] + s->wy[i] * s->wy[i] + s->wz[i] * s->wz[i];
            most = fmaxf(most, fmaxf(v2, r * r * fmaxf(w2, s->vs[i] * s->vs[i])));
        }
    }
    return sqrtf(most);
}

static bool moves(const SnWorld *world, uint32_t slot) {
    const Rod *rod = &world->rods.rods[slot - 1];
    return !is_asleep(world, rod) && rest_time(world, rod) == 0.0f;
}

// Once per step, when the contacts are known: whoever moves wakes whom it may touch.
void sn__wake_touched(SnWorld *world) {
    const ContactSystem *s = &world->contacts;
    for (int k = 0; k < s->list.seed_count && world->sleep_speed > 0.0f; ++k) {
        const ContactSeed *seed = &s->list.seeds[k];
        uint32_t a = s->owners[seed->sides.a].body;
        bool pair = seed->kind == CONTACT_PAIR;
        uint32_t b = pair ? s->owners[seed->sides.b].body : 0;
        bool collider_moves =
            !pair && sn__collider_travel(&world->colliders.colliders[seed->other - 1]) > 0.0f;
        if (is_asleep(world, rod_at(world, a)) && (collider_moves || (pair && moves(world, b))))
            set_asleep(world, rod_at(world, a), false);
        if (pair && is_asleep(world, rod_at(world, b)) && moves(world, a))
            set_asleep(world, rod_at(world, b), false);
    }
}

// Islands by union-find over the slots of rods; the smallest slot stands for all.
static uint32_t find_island(uint32_t *island, uint32_t slot) {
    while (island[slot] != slot) {
        island[slot] = island[island[slot]];
        slot = island[slot];
    }
    return slot;
}

static void join(uint32_t *island, uint32_t a, uint32_t b) {
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
    float *rest = sn__alloc_array(&world->allocator, grown, sizeof(float));
    if (island == NULL || rest == NULL) {
        sn__free(&world->allocator, island, grown * sizeof(uint32_t));
        sn__free(&world->allocator, rest, grown * sizeof(float));
        return false;
    }
    sn__sleep_release(world);
    world->island = island;
    world->island_rest = rest;
    world->island_capacity = grown;
    return true;
}

void sn__sleep_release(SnWorld *world) {
    sn__free(&world->allocator, world->island, world->island_capacity * sizeof(uint32_t));
    sn__free(&world->allocator, world->island_rest, world->island_capacity * sizeof(float));
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
}

static void wait_for_overlaps(SnWorld *world) {
    const ContactSystem *s = &world->contacts;
    for (int k = 0; k < s->list.batch_count; ++k) {
        const ContactBatch *batch = &s->list.batches[k];
        for (int i = 0; i < batch->count; ++i) {
            uint32_t slot = find_island(world->island, s->owners[batch->a[i]].body);
            if (batch->sum_normal[i] > 0.0f && world->island_rest[slot] < REST_TIME + PATIENCE &&
                sn__contact_depth(world, batch, i) > OVERLAP)
                world->island_rest[slot] = 0.0f;
        }
    }
}

static void measure_rest(SnWorld *world, float dt) {
    for (int k = 0; k < world->rods.order_count; ++k) {
        uint32_t slot = world->rods.order[k];
        if (slot == 0 || is_asleep(world, rod_at(world, slot)))
            continue;
        const Rod *rod = rod_at(world, slot);
        float rest = speed_of(world, rod) < world->sleep_speed ? rest_time(world, rod) + dt : 0.0f;
        if (rod->kind)
            rod->kind->rest(rod->body)->seconds = rest;
        for (int p = 0; p < rod->pieces; ++p)
            pack_of(world, rod)->rest_time[rod->lane + p] = rest;
    }
}

void sn__sleep_end_step(SnWorld *world, float dt) {
    uint32_t slots = world->rods.ids.slot_count + 1;
    if (!(world->sleep_speed > 0.0f) || !reserve_islands(world, slots))
        return;
    measure_rest(world, dt);
    for (uint32_t k = 0; k < slots; ++k) {
        world->island[k] = k;
        world->island_rest[k] = 2.0f * (REST_TIME + PATIENCE);
    }
    join_touching(world);
    for (int k = 0; k < world->rods.order_count; ++k) {
        uint32_t slot = world->rods.order[k];
        if (slot == 0 || is_asleep(world, rod_at(world, slot)))
            continue;
        const Rod *rod = rod_at(world, slot);
        float *rest = &world->island_rest[find_island(world->island, slot)];
        *rest = fminf(*rest, rest_time(world, rod));
    }
    wait_for_overlaps(world);
    for (int k = 0; k < world->rods.order_count; ++k) {
        uint32_t slot = world->rods.order[k];
        if (slot != 0 && world->island_rest[find_island(world->island, slot)] >= REST_TIME)
            set_asleep(world, rod_at(world, slot), true);
    }
}
