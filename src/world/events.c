// What touched in the last step, and which bodies began or ended to. All of it is worked out when
// someone asks, from the contacts that the step has left; a step does nothing for it.
#include <assert.h>

#include "base/null.h"
#include "collide/contact_rules.h"
#include "world/world.h"

static SnColliderId collider_id(const SnWorld *world, uint32_t slot) {
    assert(slot >= 1 && slot <= world->colliders.ids.slot_count);
    return (SnColliderId){slot, world->colliders.ids.slots[slot - 1].generation};
}

static Vec3d knot_at(const SnWorld *world, int knot, const double origin[3]) {
    const Knot *k = &world->contacts.knots[knot];
    return (Vec3d){origin[0] + (double)k->start[0], origin[1] + (double)k->start[1],
                   origin[2] + (double)k->start[2]};
}

// A point on the surface of side a, half of the gap away from it.
static SnVec3 contact_position(const SnWorld *world, const ContactBatch *batch, int i,
                               const double origin[3]) {
    Vec3d a = knot_at(world, batch->a1[i], origin), b = knot_at(world, batch->a2[i], origin);
    const Knot *knots = world->contacts.knots;
    double t = (double)batch->t[i];
    double ra = (double)knots[batch->a1[i]].start[3], rb = (double)knots[batch->a2[i]].start[3];
    double out = ra + t * (rb - ra) + 0.5 * (double)batch->gap[i];
    return sn_vec3((float)(a.x + t * (b.x - a.x) - out * (double)batch->normal_x[i]),
                   (float)(a.y + t * (b.y - a.y) - out * (double)batch->normal_y[i]),
                   (float)(a.z + t * (b.z - a.z) - out * (double)batch->normal_z[i]));
}

static SnContact contact_of(const SnWorld *world, const ContactBatch *batch, int i) {
    assert(batch->origin[i] >= 0 && batch->origin[i] < world->contacts.list.seed_count);
    const ContactSystem *s = &world->contacts;
    const ContactSeed *seed = &s->list.seeds[batch->origin[i]];
    const KnotOwner *a = &s->owners[batch->a[i]];
    const Body *body = sn__body_at(&world->bodies, a->body);
    const double *origin = body->kind->knot_origin(body, batch->a[i]);
    SnContact c = {.a = sn__body_id(&world->bodies, a->body),
                   .element_a = a->element,
                   .t_a = batch->t[i],
                   .position = contact_position(world, batch, i, origin),
                   .normal = {batch->normal_x[i], batch->normal_y[i], batch->normal_z[i]},
                   .gap = batch->gap[i],
                   .impulse = batch->sum_normal[i],
                   .friction = batch->sum_friction[i]};
    if (seed->kind == CONTACT_PAIR) {
        const KnotOwner *b = &s->owners[batch->b[i]];
        c.b = sn__body_id(&world->bodies, b->body);
        c.element_b = b->element;
        c.t_b = batch->u[i];
    } else {
        c.collider = collider_id(world, (uint32_t)seed->other);
    }
    return c;
}

// False where a body was lost in the step.
static bool is_sound(const SnContact *c) {
    return sn__finite3(c->position) && sn__finite3(c->normal) &&
           c->t_a + c->t_b + fabsf(c->gap) + c->impulse + c->friction <= LARGEST_NUMBER;
}

static double thinner_radius(const Knot *knots, const ContactBatch *batch, int i) {
    float r = fminf(knots[batch->a1[i]].start[3], knots[batch->a2[i]].start[3]);
    if (batch->kind == CONTACT_PAIR)
        r = fminf(r, fminf(knots[batch->b1[i]].start[3], knots[batch->b2[i]].start[3]));
    return (double)r;
}

double sn__contact_depth(const SnWorld *world, const ContactBatch *batch, int i) {
    return -(double)batch->gap[i] / thinner_radius(world->contacts.knots, batch, i);
}

// One is so far within the other that it is pushed out, which takes no force. Of what is fast the gap is
// that along the normal they would meet with, which says nothing if they do not meet.
static bool overlaps(const SnWorld *world, const ContactBatch *batch, int i) {
    const float *a = world->contacts.knots[batch->a1[i]].motion;
    const float *b = world->contacts.knots[batch->b1[i]].motion;
    float moved = 0.0f;
    for (int c = 0; c < 3; ++c)
        moved += fabsf(a[c] - b[c]);
    return moved < -batch->gap[i] && sn__contact_depth(world, batch, i) > (double)PUSH_SLOP;
}

static bool touches(const SnWorld *world, const ContactBatch *batch, int i) {
    return batch->gap[i] < NO_TOUCH && (batch->sum_normal[i] > 0.0f || overlaps(world, batch, i));
}

double sn__contacts_penetration(const SnWorld *world) {
    const ContactSystem *s = &world->contacts;
    double deepest = 0.0;
    for (int k = 0; k < s->list.batch_count && s->numbered; ++k) {
        const ContactBatch *batch = &s->list.batches[k];
        for (int i = 0; i < batch->count; ++i)
            if (touches(world, batch, i))
                deepest = fmax(deepest, sn__contact_depth(world, batch, i));
    }
    return deepest;
}

static bool collect(SnWorld *world) {
    ContactSystem *s = &world->contacts;
    s->contact_count = 0;
    for (int k = 0; k < s->list.batch_count && s->numbered; ++k) {
        const ContactBatch *batch = &s->list.batches[k];
        for (int i = 0; i < batch->count; ++i) {
            if (!touches(world, batch, i))
                continue;
            if (!sn__reserve(&world->allocator, (void **)&s->contacts, &s->contact_capacity,
                             s->contact_count, sizeof(SnContact)))
                return false;
            SnContact contact = contact_of(world, batch, i);
            if (is_sound(&contact))
                s->contacts[s->contact_count++] = contact;
        }
    }
    return true;
}

static int compare(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

static int compare_touches(const SnTouch *a, const SnTouch *b) {
    int order = compare(a->a.index, b->a.index);
    if (order == 0)
        order = compare(a->collider.index, b->collider.index);
    if (order == 0)
        order = compare(a->b.index, b->b.index);
    if (order == 0)
        order =
            compare(((uint64_t)a->a.generation << 32) + a->b.generation + a->collider.generation,
                    ((uint64_t)b->a.generation << 32) + b->b.generation + b->collider.generation);
    return order;
}

// Heap sort: no memory, no recursion, and its time does not depend on the order of what comes.
static void sift(SnTouch *t, int root, int count) {
    for (;;) {
        int child = 2 * root + 1;
        if (child >= count)
            return;
        if (child + 1 < count && compare_touches(&t[child], &t[child + 1]) < 0)
            ++child;
        if (compare_touches(&t[root], &t[child]) >= 0)
            return;
        SnTouch swap = t[root];
        t[root] = t[child];
        t[child] = swap;
        root = child;
    }
}

static void sort_touches(SnTouch *t, int count) {
    for (int k = count / 2 - 1; k >= 0; --k)
        sift(t, k, count);
    for (int end = count - 1; end > 0; --end) {
        SnTouch swap = t[0];
        t[0] = t[end];
        t[end] = swap;
        sift(t, 0, end);
    }
}

static bool append(SnWorld *world, SnTouch **array, int *count, int *capacity, SnTouch touch) {
    if (!sn__reserve(&world->allocator, (void **)array, capacity, *count, sizeof(SnTouch)))
        return false;
    (*array)[(*count)++] = touch;
    return true;
}

bool sn__add_touch(SnWorld *world, SnTouch touch) {
    ContactSystem *s = &world->contacts;
    return append(world, &s->touches, &s->touch_count, &s->touch_capacity, touch);
}

// One touch for every pair of bodies, from all their contacts.
static bool gather_touches(SnWorld *world) {
    ContactSystem *s = &world->contacts;
    s->touch_count = 0;
    for (int k = 0; k < s->contact_count; ++k) {
        const SnContact *c = &s->contacts[k];
        bool swap = c->collider.index == 0 && c->b.index < c->a.index;
        SnTouch touch = {swap ? c->b : c->a, swap ? c->a : c->b, c->collider,
                         c->position,        c->impulse,         false};
        if (!sn__add_touch(world, touch))
            return false;
    }
    if (!sn__sensors_gather(world))
        return false;
    sort_touches(s->touches, s->touch_count);
    int count = 0;
    float strongest = 0.0f;
    for (int k = 0; k < s->touch_count; ++k) {
        SnTouch touch = s->touches[k];
        SnTouch *last = count > 0 ? &s->touches[count - 1] : NULL;
        if (last == NULL || compare_touches(last, &touch) != 0) {
            s->touches[count++] = touch;
            strongest = touch.impulse;
            continue;
        }
        if (touch.impulse > strongest) {
            strongest = touch.impulse;
            last->position = touch.position;
        }
        last->impulse += touch.impulse;
    }
    s->touch_count = count;
    return true;
}

// What is in the first of two sorted arrays only.
static bool difference(SnWorld *world, const SnTouch *of, int of_count, const SnTouch *without,
                       int without_count, SnTouch **out, int *count, int *capacity) {
    *count = 0;
    for (int i = 0, j = 0; i < of_count; ++i) {
        while (j < without_count && compare_touches(&without[j], &of[i]) < 0)
            ++j;
        bool both = j < without_count && compare_touches(&without[j], &of[i]) == 0;
        if (!both && !append(world, out, count, capacity, of[i]))
            return false;
    }
    return true;
}

void sn__events_forget(SnWorld *world) {
    ContactSystem *s = &world->contacts;
    sn__contacts_clear(&s->list);
    s->contact_count = s->begin_count = s->end_count = s->touch_count = 0;
    s->reported_time = world->time;
}

SnContactEvents sn_world_contact_events(SnWorld *world) {
    if (!GIVEN(world))
        return (SnContactEvents){0};
    ContactSystem *s = &world->contacts;
    if (s->reported_time != world->time) {
        SnTouch *before = s->touches;
        int count = s->touch_count, capacity = s->touch_capacity;
        s->touches = s->touches_before;
        s->touch_capacity = s->before_capacity;
        s->touches_before = before;
        s->before_count = count;
        s->before_capacity = capacity;
        s->reported_time = world->time;
        world->reserve.open = world->reserve.blocks != NULL;
        bool complete =
            collect(world) && gather_touches(world) &&
            difference(world, s->touches, s->touch_count, s->touches_before, s->before_count,
                       &s->begin, &s->begin_count, &s->begin_capacity) &&
            difference(world, s->touches_before, s->before_count, s->touches, s->touch_count,
                       &s->end, &s->end_count, &s->end_capacity);
        world->reserve.open = false;
        if (!complete)
            s->contact_count = s->touch_count = s->begin_count = s->end_count = 0;
    }
    return (SnContactEvents){.contact_count = s->contact_count,
                             .touch_count = s->touch_count,
                             .begin_count = s->begin_count,
                             .end_count = s->end_count,
                             .contacts = s->contacts,
                             .touches = s->touches,
                             .begin = s->begin,
                             .end = s->end};
}
