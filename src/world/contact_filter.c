// Who may touch whom: filters, ignored pairs, sensors, neighbours, what is tied together, and what the
// user says.
#include <assert.h>

#include "collide/surface.h"
#include "world/world.h"

static Body *body_of(const SnWorld *world, int knot) {
    return sn__body_at(&world->bodies, world->contacts.owners[knot].body);
}

static uint32_t collider_slot(const ContactSystem *s, int knot) {
    assert(knot >= s->collider_knots && knot < s->knot_count);
    return (uint32_t)(knot - s->collider_knots) / 2 + 1;
}

bool sn__body_meets_collider(const SnWorld *world, const Body *body, uint32_t collider) {
    return sn__filter_passes(body->filter, world->colliders.colliders[collider - 1].filter) &&
           !sn__is_ignored(&world->contacts, body->slot, collider, true);
}

bool sn__bodies_meet(const SnWorld *world, const Body *a, const Body *b) {
    return sn__filter_passes(a->filter, b->filter) &&
           !sn__is_ignored(&world->contacts, a->slot, b->slot, false);
}

bool sn__contact_test(const SnWorld *world, const SnContactPair *pair) {
    const ContactSystem *s = &world->contacts;
    return s->test == NULL || s->test(pair, s->test_context);
}

static bool test_collider(const SnWorld *world, const KnotOwner *owner, uint32_t collider) {
    if (world->contacts.test == NULL)
        return true;
    SnContactPair pair = {
        .a = sn__body_id(&world->bodies, owner->body),
        .collider = {collider, world->colliders.ids.slots[collider - 1].generation},
        .element_a = owner->element,
        .element_b = -1};
    return sn__contact_test(world, &pair);
}

static bool test_bodies(const SnWorld *world, const KnotOwner *a, const KnotOwner *b) {
    if (world->contacts.test == NULL)
        return true;
    SnContactPair pair = {.a = sn__body_id(&world->bodies, a->body),
                          .b = sn__body_id(&world->bodies, b->body),
                          .element_a = a->element,
                          .element_b = b->element};
    return sn__contact_test(world, &pair);
}

static bool is_inside(const Body *body, int point, const Collider *c) {
    Vec3d at = body->kind->point(body, point, NULL);
    return sn__collider_holds(c, subd(at, (Vec3d){c->base[0], c->base[1], c->base[2]}));
}

// From an element on, towards its first end (0) or its second one (1): points that are inside, up to one that is held.
static bool leads_to_root(const Body *body, int element, int side, const Collider *c) {
    int ends[2], step = side == 0 ? -1 : 1;
    body->kind->ends(body, element, ends);
    while (ends[side] < body->points && is_inside(body, ends[side], c)) {
        if (body->kind->is_held(body, HELD_VERTEX, ends[side]))
            return true;
        int point = ends[side];
        element += step;
        if (element < 0 || element >= body->elements)
            return false;
        body->kind->ends(body, element, ends);
        if (ends[1 - side] != point)
            return false;
    }
    return false;
}

bool sn__is_rooted(const SnWorld *world, const KnotOwner *owner, uint32_t collider,
                   SolidPart part) {
    const Body *body = sn__body_at(&world->bodies, owner->body);
    const Collider *c = &world->colliders.colliders[collider - 1];
    if (body->holds == 0 ||
        (!leads_to_root(body, owner->element, 0, c) && !leads_to_root(body, owner->element, 1, c)))
        return false;
    int ends[2];
    body->kind->ends(body, owner->element, ends);
    return part == SOLID_BETWEEN || is_inside(body, ends[part == SOLID_FIRST ? 0 : 1], c);
}

bool sn__contacts_meet_collider(const SnWorld *world, const KnotOwner *owner, uint32_t collider) {
    const Body *body = sn__body_at(&world->bodies, owner->body);
    return !body->sensor && !world->colliders.colliders[collider - 1].surface.sensor &&
           sn__body_meets_collider(world, body, collider) && test_collider(world, owner, collider);
}

// Whether points of both are held closer to each other than their radii, as cables on one hook are: nothing could get
// them apart.
static bool are_held_together(const Body *a, int i, const Body *b, int j) {
    if (a->holds == 0 || b->holds == 0)
        return false;
    int ends[2], others[2];
    a->kind->ends(a, i, ends);
    b->kind->ends(b, j, others);
    for (int k = 0; k < 4; ++k) {
        int p = ends[k / 2], q = others[k % 2];
        if (p >= a->points || q >= b->points || !a->kind->is_held(a, HELD_VERTEX, p) ||
            !b->kind->is_held(b, HELD_VERTEX, q))
            continue;
        double r, s;
        Vec3d between = subd(a->kind->point(a, p, &r), b->kind->point(b, q, &s));
        if (lengthd(between) < r + s)
            return true;
    }
    return false;
}

// Colliders have the higher numbers.
bool sn__contacts_may_meet(int a, int b, void *context) {
    const SnWorld *world = context;
    const ContactSystem *s = &world->contacts;
    const KnotOwner *oa = &s->owners[a], *ob = &s->owners[b];
    if (b >= s->collider_knots) {
        uint32_t slot = collider_slot(s, b);
        return a < s->collider_knots && sn__contacts_meet_collider(world, oa, slot) &&
               !(sn__collider_is_round(&world->colliders.colliders[slot - 1]) &&
                 sn__is_rooted(world, oa, slot, SOLID_BETWEEN));
    }
    const Body *body = body_of(world, a), *other = body_of(world, b);
    if (body->sleep.asleep && other->sleep.asleep)
        return false;
    if (body->sensor || other->sensor)
        return false;
    if (body == other)
        return body->self_collide && !body->kind->are_neighbours(body, oa->element, ob->element) &&
               !sn__links_join(world, body, oa->element, body, ob->element) &&
               test_bodies(world, oa, ob);
    return sn__bodies_meet(world, body, other) &&
           !sn__links_join(world, body, oa->element, other, ob->element) &&
           !are_held_together(body, oa->element, other, ob->element) && test_bodies(world, oa, ob);
}
