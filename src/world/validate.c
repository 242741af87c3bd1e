// Whether everything in a world fits together: ids, bodies, what holds them, and their state.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/require.h"
#include "world/world.h"

static SnResult check_ids(const IdPool *pool, const char *what) {
    REQUIRE(pool->slot_count <= pool->capacity, "%s ids: %u slots of %u", what, pool->slot_count,
            pool->capacity);
    uint32_t live = 0, spare = 0;
    for (uint32_t k = 0; k < pool->slot_count; ++k)
        live += pool->slots[k].generation & 1;
    REQUIRE(live == pool->live_count, "%s ids: %u are in use, not %u", what, live,
            pool->live_count);
    for (uint32_t at = pool->first_free; at != 0; at = pool->slots[at - 1].next_free) {
        REQUIRE(at <= pool->slot_count, "%s ids: there is no slot %u to be free", what, at);
        REQUIRE((pool->slots[at - 1].generation & 1) == 0, "%s ids: slot %u is free and in use",
                what, at);
        REQUIRE(++spare <= pool->slot_count - live, "%s ids: the free slots have no end", what);
    }
    REQUIRE(spare == pool->slot_count - live, "%s ids: %u slots are lost", what,
            pool->slot_count - live - spare);
    return sn_ok();
}

static SnResult check_all_ids(const SnWorld *world) {
    const struct {
        const IdPool *pool;
        const char *name;
    } pools[] = {
        {&world->bodies.ids, "body"},
        {&world->frame_ids, "frame"},
        {&world->attachment_ids, "attachment"},
        {&world->field_ids, "field"},
        {&world->colliders.ids, "collider"},
        {&world->link_ids, "link"},
        {&world->skins.ids, "skin"},
    };
    SnResult result = sn_ok();
    for (size_t k = 0; k < sizeof pools / sizeof pools[0] && result.code == SN_OK; ++k)
        result = check_ids(pools[k].pool, pools[k].name);
    return result;
}

static bool is_live(const IdPool *pool, uint32_t slot) {
    return slot >= 1 && slot <= pool->slot_count && (pool->slots[slot - 1].generation & 1);
}

static SnResult check_body(const SnWorld *world, uint32_t slot) {
    const BodyRegister *bodies = &world->bodies;
    const Body *body = sn__body_at(bodies, slot);
    REQUIRE(body->slot == slot, "body %u: its slot is %u", slot, body->slot);
    REQUIRE(body->order >= 0 && body->order < bodies->order_count &&
                bodies->order[body->order] == slot,
            "body %u: its place in the order is %d", slot, body->order);
    int kind = 0;
    while (kind < BODY_KINDS && body->kind != sn__body_kinds[kind])
        ++kind;
    REQUIRE(kind < BODY_KINDS && body->system == world->systems[kind], "body %u: of no kind", slot);
    REQUIRE(body->item != NULL && body->points > 0 && body->elements > 0, "body %u: it is empty",
            slot);
    REQUIRE(isfinite(body->sleep.still), "body %u: still for %g s", slot,
            (double)body->sleep.still);
    return sn_ok();
}

static SnResult check_bodies(const SnWorld *world) {
    const BodyRegister *bodies = &world->bodies;
    SnResult result = sn_ok();
    uint32_t listed = 0;
    for (uint32_t slot = 1; slot <= bodies->ids.slot_count && result.code == SN_OK; ++slot) {
        bool live = is_live(&bodies->ids, slot);
        REQUIRE(live == (sn__body_at(bodies, slot)->kind != NULL), "body %u: gone, or half", slot);
        if (live)
            result = check_body(world, slot);
    }
    if (result.code != SN_OK)
        return result;
    for (int k = 0; k < bodies->order_count; ++k) {
        REQUIRE(bodies->order[k] == 0 || is_live(&bodies->ids, bodies->order[k]),
                "bodies: number %d in the order is gone", k);
        listed += bodies->order[k] != 0;
    }
    REQUIRE(listed == bodies->ids.live_count, "bodies: %u are in the order, not %u", listed,
            bodies->ids.live_count);
    return sn_ok();
}

static bool is_frame(const SnWorld *world, SnFrameId id) {
    return id.index == 0 || sn__ids_valid(&world->frame_ids, id.index, id.generation);
}

static SnResult check_attachments(const SnWorld *world) {
    for (uint32_t slot = 1; slot <= world->attachment_ids.slot_count; ++slot) {
        if (!is_live(&world->attachment_ids, slot))
            continue;
        const Attachment *a = &world->attachments[slot - 1];
        const Body *body = sn__bodies_find(&world->bodies, a->body);
        REQUIRE(body != NULL, "attachment %u: its body is gone", slot);
        REQUIRE(is_frame(world, a->frame), "attachment %u: its frame is gone", slot);
        int count = sn__held_count(body, a->kind);
        REQUIRE(a->index >= 0 && a->index < count, "attachment %u: index %d", slot, a->index);
        REQUIRE(a->lead >= 0 && body->kind->lead_owner(body, a->lead) == slot,
                "attachment %u: lead %d serves another one", slot, a->lead);
    }
    return sn_ok();
}

static bool is_point(const SnWorld *world, const SnBodyPoint *p) {
    const Body *body = sn__bodies_find(&world->bodies, p->body);
    return body && body->first_link != 0 && p->element >= 0 && p->element < body->elements;
}

// How many links its list has; `most` if one is not its own, or if there are more.
static int links_of(const SnWorld *world, const Body *body, int most) {
    int count = 0;
    for (uint32_t n = body->first_link; n != 0 && count < most; n = *sn__link_after(world, n)) {
        if (n > 2 * world->link_ids.slot_count)
            return most;
        const Link *link = &world->links[(n - 1) / 2];
        bool own = (n % 2 == 1 ? &link->a : &link->b)->body.index == body->slot;
        count = own ? count + 1 : most;
    }
    return count;
}

static SnResult check_links(const SnWorld *world) {
    int sides = 0, counted = 0;
    for (uint32_t slot = 1; slot <= world->link_ids.slot_count; ++slot) {
        const Link *link = &world->links[slot - 1];
        if (!is_live(&world->link_ids, slot))
            continue;
        bool pair = link->b.body.index != 0;
        REQUIRE(is_point(world, &link->a) && (!pair || is_point(world, &link->b)),
                "link %u: it holds nothing", slot);
        REQUIRE(is_frame(world, link->frame), "link %u: its frame is gone", slot);
        sides += pair ? 2 : 1;
    }
    const Body *body;
    for (int k = 0; (body = sn__bodies_next(&world->bodies, NULL, &k)) != NULL; ++k)
        counted += links_of(world, body, sides + 1 - counted);
    REQUIRE(sides == counted, "links: they hold %d points of bodies, which know of %d", sides,
            counted);
    return sn_ok();
}

static SnResult check_colliders(const SnWorld *world) {
    for (uint32_t slot = 1; slot <= world->colliders.ids.slot_count; ++slot)
        REQUIRE(!sn__collider_in_use(&world->colliders, slot) ||
                    is_frame(world, world->colliders.colliders[slot - 1].frame),
                "collider %u: its frame is gone", slot);
    // The smallest slot stands for all of an island.
    for (uint32_t slot = 0; slot < world->island_capacity; ++slot)
        REQUIRE(world->island[slot] <= slot, "island of body %u: %u", slot, world->island[slot]);
    return sn_ok();
}

static void look_at(void *context, BlockKind kind, void *block, size_t size) {
    double sum = 0.0;
    // Differences are 0 but for what is not finite, and stay so when they are added up.
    if (kind == BLOCK_FLOATS)
        for (const float *at = block; at < (const float *)((char *)block + size); ++at)
            sum += (double)(*at - *at);
    else if (kind == BLOCK_DOUBLES || kind == BLOCK_MOMENTA)
        for (const double *at = block; at < (const double *)((char *)block + size); ++at)
            sum += *at - *at;
    if (!(sum == 0.0))
        *(bool *)context = false;
}

static SnResult check_state(const SnWorld *world) {
    for (int k = 0; k < BODY_KINDS; ++k) {
        bool finite = true;
        sn__body_kinds[k]->visit(world->systems[k], look_at, &finite);
        REQUIRE(finite, "%s: a number is not finite", sn__body_kinds[k]->name);
    }
    for (uint32_t k = 0; k < world->frame_ids.slot_count; ++k)
        REQUIRE(!is_live(&world->frame_ids, k + 1) || (sn__pose_is_valid(world->frames[k].pose) &&
                                                       sn__pose_is_valid(world->frames[k].target)),
                "frame %u: it is nowhere", k + 1);
    for (uint32_t k = 0; k < world->frame_ids.slot_count; ++k)
        REQUIRE(!world->frame_vias[k].curved || (sn__pose_is_valid(world->frame_vias[k].pose[0]) &&
                                                 sn__pose_is_valid(world->frame_vias[k].pose[1])),
                "frame %u: its way leads nowhere", k + 1);
    REQUIRE(isfinite(world->time) && sn__finite3(world->gravity), "world: time or gravity");
    return sn_ok();
}

static SnResult check_kinds(const SnWorld *world) {
    SnResult result = sn_ok();
    for (int k = 0; k < BODY_KINDS && result.code == SN_OK; ++k)
        if (sn__body_kinds[k]->validate)
            result = sn__body_kinds[k]->validate(world->systems[k]);
    return result;
}

// In this order: what comes later relies on what was found to be in order.
SnResult sn__world_validate(const SnWorld *world) {
    static SnResult (*const checks[])(const SnWorld *) = {
        check_all_ids, check_bodies,    check_kinds, check_attachments,
        check_links,   check_colliders, check_state, sn__contacts_validate,
    };
    SnResult result = sn_ok();
    for (size_t k = 0; k < sizeof checks / sizeof checks[0] && result.code == SN_OK; ++k)
        result = checks[k](world);
    return result;
}

bool sn__world_is_valid(const SnWorld *world) {
    if (world)
        return true;
    SnResult result = sn__world_validate(world);
    if (result.code != SN_OK)
        fprintf(stderr, "sinew: %s\n", result.message);
    return result.code == SN_OK;
}
