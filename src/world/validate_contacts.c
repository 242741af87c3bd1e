// Whether contacts fit the bodies that touch: numbers of knots, owners, colours, what is remembered.
#include <math.h>

#include "base/require.h"
#include "world/world.h"

static bool body_is_live(const SnWorld *world, uint32_t slot) {
    return slot >= 1 && slot <= world->bodies.ids.slot_count &&
           (world->bodies.ids.slots[slot - 1].generation & 1);
}

static bool is_knot(const ContactSystem *s, int knot) { return knot >= 0 && knot < s->knot_count; }

static SnResult check_owners(const SnWorld *world) {
    const ContactSystem *s = &world->contacts;
    REQUIRE(s->collider_knots >= 0 && s->collider_knots <= s->knot_count &&
                s->knot_count <= s->knot_capacity && s->turn_count <= s->turn_capacity,
            "knots: %d of colliders from %d on, in %d", s->knot_count, s->collider_knots,
            s->knot_capacity);
    for (int k = 0; k < s->knot_count; ++k) {
        const KnotOwner *owner = &s->owners[k];
        if (owner->body == 0)
            continue;
        REQUIRE(k < s->collider_knots && body_is_live(world, owner->body), "knot %d: of body %u", k,
                owner->body);
        REQUIRE(owner->element >= 0 &&
                    owner->element < sn__body_at(&world->bodies, owner->body)->elements &&
                    is_knot(s, owner->first) && is_knot(s, owner->second),
                "knot %d: of element %d, from knot %d to %d", k, owner->element, owner->first,
                owner->second);
    }
    return sn_ok();
}

static SnResult check_lane(const ContactSystem *s, const ContactBatch *batch, int number, int i) {
    const int32_t knots[] = {batch->a[i], batch->a1[i], batch->a2[i],
                             batch->b[i], batch->b1[i], batch->b2[i]};
    for (int k = 0; k < 6; ++k)
        REQUIRE(is_knot(s, knots[k]), "batch %d: lane %d: there is no knot %d", number, i,
                knots[k]);
    REQUIRE(s->owners[batch->a[i]].body != 0, "batch %d: lane %d: of no body", number, i);
    REQUIRE(batch->kind != CONTACT_PAIR || s->owners[batch->b[i]].body != 0,
            "batch %d: lane %d: with no body", number, i);
    int origin = batch->origin[i];
    REQUIRE(origin >= 0 && origin < s->list.seed_count && s->list.seeds[origin].kind == batch->kind,
            "batch %d: lane %d: seed %d", number, i, origin);
    return sn_ok();
}

// Whether a knot is met for the first time in its colour; the marks are those of the colouring, and 0
// between steps.
static bool mark(const ContactList *list, int first, int second) {
    bool fresh = list->used[first] == 0 && list->used[second] == 0;
    list->used[first] = list->used[second] = 1;
    return fresh;
}

// A general contact moves the knots of its sides, and looks at others.
static bool mark_general(const ContactList *list, const ContactBatch *batch, int i) {
    const ContactGeneral *g = &list->generals[list->seeds[batch->origin[i]].general - 1];
    bool fresh = true;
    for (int k = 0; k < (batch->kind == CONTACT_PAIR ? 2 : 1); ++k)
        for (int n = 0; n < g->side[k].count; ++n)
            fresh = mark(list, g->side[k].knot[n], g->side[k].knot[n]) && fresh;
    return fresh;
}

static void unmark_general(const ContactList *list, const ContactBatch *batch, int i) {
    const ContactGeneral *g = &list->generals[list->seeds[batch->origin[i]].general - 1];
    for (int k = 0; k < 2; ++k)
        for (int n = 0; n < g->side[k].count; ++n)
            list->used[g->side[k].knot[n]] = 0;
}

static bool mark_batch(const ContactList *list, const ContactBatch *batch) {
    bool fresh = true;
    for (int i = 0; i < batch->count; ++i) {
        if (batch->general) {
            fresh = mark_general(list, batch, i) && fresh;
            continue;
        }
        fresh = mark(list, batch->a1[i], batch->a2[i]) && fresh;
        if (batch->kind == CONTACT_PAIR)
            fresh = mark(list, batch->b1[i], batch->b2[i]) && fresh;
    }
    return fresh;
}

static void unmark_batch(const ContactList *list, const ContactBatch *batch) {
    for (int i = 0; i < batch->count && batch->general; ++i)
        unmark_general(list, batch, i);
    for (int i = 0; i < batch->count; ++i)
        list->used[batch->a1[i]] = list->used[batch->a2[i]] = list->used[batch->b1[i]] =
            list->used[batch->b2[i]] = 0;
}

static SnResult check_colour(const ContactList *list, int colour) {
    bool fresh = true;
    for (int k = list->begin[colour]; k < list->begin[colour + 1]; ++k)
        fresh = mark_batch(list, &list->batches[k]) && fresh;
    for (int k = list->begin[colour]; k < list->begin[colour + 1]; ++k)
        unmark_batch(list, &list->batches[k]);
    REQUIRE(fresh, "contacts: a knot is twice in colour %d", colour);
    return sn_ok();
}

static SnResult check_batches(const ContactSystem *s) {
    const ContactList *list = &s->list;
    SnResult result = sn_ok();
    for (int k = 0; k < list->batch_count; ++k) {
        const ContactBatch *batch = &list->batches[k];
        REQUIRE(batch->count >= 1 && batch->count <= KNOT_ROW, "batch %d: %d lanes", k,
                batch->count);
        for (int i = 0; i < batch->count && result.code == SN_OK; ++i)
            result = check_lane(s, batch, k, i);
    }
    for (int c = 0; c <= CONTACT_COLOURS; ++c)
        REQUIRE(list->begin[c] >= 0 && list->begin[c] <= list->begin[c + 1] &&
                    list->begin[c + 1] <= list->batch_count,
                "contacts: colour %d has batches [%d, %d)", c, list->begin[c], list->begin[c + 1]);
    // Those that are solved one after the other may share what they like.
    for (int c = 0; c < CONTACT_COLOURS && list->batch_count > 0 && result.code == SN_OK; ++c)
        result = check_colour(list, c);
    return result;
}

static SnResult check_memory(const ContactList *list) {
    REQUIRE(list->memory_count >= 0 && list->memory_count <= list->memory_capacity,
            "contacts: %d are remembered in %d", list->memory_count, list->memory_capacity);
    for (int k = 0; k < list->memory_count; ++k) {
        const ContactMemory *m = &list->memory[k];
        float sum = m->warm_normal + m->warm_1 + m->warm_2 + m->load[0] + m->load[1] + m->load[2] +
                    m->load_roll_a + m->load_roll_b + m->t + m->u;
        REQUIRE(isfinite(sum), "contacts: number %d of those remembered is not finite", k);
    }
    return sn_ok();
}

// Sorted, without repetition, and between what there is.
static SnResult check_ignored(const SnWorld *world) {
    const ContactSystem *s = &world->contacts;
    for (int k = 0; k < s->ignored_count; ++k) {
        IgnoredPair p = s->ignored[k];
        REQUIRE(body_is_live(world, p.a) &&
                    (p.collider ? sn__collider_in_use(&world->colliders, p.b)
                                : p.a <= p.b && body_is_live(world, p.b)),
                "ignored pair %d: %u and %u", k, p.a, p.b);
        if (k == 0)
            continue;
        IgnoredPair q = s->ignored[k - 1];
        REQUIRE(q.a < p.a || (q.a == p.a && (q.b < p.b || (q.b == p.b && q.collider < p.collider))),
                "ignored pair %d is out of order", k);
    }
    return sn_ok();
}

SnResult sn__contacts_validate(const SnWorld *world) {
    const ContactSystem *s = &world->contacts;
    SnResult result = check_ignored(world);
    // Numbers that are about to be given out anew mean nothing.
    if (result.code == SN_OK && s->numbered)
        result = check_owners(world);
    if (result.code == SN_OK && s->numbered)
        result = check_batches(s);
    return result.code == SN_OK ? check_memory(&s->list) : result;
}
