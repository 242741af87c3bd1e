// What sensors overlap, where everything is now. A step does nothing for it: it is worked out when
// someone asks for events, with the tree of boxes that queries have.
#include <assert.h>

#include "world/queries.h"
#include "world/query_collider.h"

// A sensor that looks around: a collider, or an element of a body.
typedef struct Look {
    SnWorld *world;
    const QueryBvh *tree;
    uint32_t collider; // slot; 0: it is the element below
    const Body *body;
    int element;
    Pill pill;
    Vec3d centre; // of a ball around it
    double reach; // of the ball
    bool complete;
} Look;

static float thickest(const SnWorld *world) {
    float most = 0.0f;
    const Body *body;
    for (int k = 0; (body = sn__bodies_next(&world->bodies, NULL, &k)) != NULL; ++k)
        most = fmaxf(most, body->surface.thickness);
    return most;
}

static const Collider *collider_at(const SnWorld *world, uint32_t slot) {
    return &world->colliders.colliders[slot - 1];
}

static SnColliderId collider_id(const SnWorld *world, uint32_t slot) {
    return (SnColliderId){slot, world->colliders.ids.slots[slot - 1].generation};
}

static void touch(Look *look, const SnContactPair *pair, Vec3d at) {
    SnWorld *world = look->world;
    if (!sn__contact_test(world, pair))
        return;
    bool swap = pair->collider.index == 0 && pair->b.index < pair->a.index;
    SnTouch t = {.a = swap ? pair->b : pair->a,
                 .b = swap ? pair->a : pair->b,
                 .collider = pair->collider,
                 .position = vec3f(at),
                 .sensor = true};
    look->complete = sn__add_touch(world, t) && look->complete;
}

static Vec3d axis_at(const Pill *pill, double t) {
    return addd(pill->a, scaled(subd(pill->b, pill->a), t));
}

// An element of a body and a collider, one of which is a sensor.
static void meet_collider(Look *look, const Body *body, int element, const Pill *pill,
                          uint32_t slot) {
    const SnWorld *world = look->world;
    if (!sn__body_meets_collider(world, body, slot))
        return;
    float thickness = body->surface.thickness + collider_at(world, slot)->surface.thickness;
    ColliderGap gap = sn__collider_pill(world, slot, pill);
    if (!(gap.gap <= (double)thickness))
        return;
    SnContactPair pair = {.a = sn__body_id(&world->bodies, body->slot),
                          .collider = collider_id(world, slot),
                          .element_a = element,
                          .element_b = -1};
    touch(look, &pair, axis_at(pill, gap.t));
}

static void meet_body(Look *look, const QuerySegment *other, const Body *body) {
    const SnWorld *world = look->world;
    if (!sn__bodies_meet(world, look->body, body))
        return;
    float thickness = body->surface.thickness + look->body->surface.thickness;
    PillPair nearest = sn__pill_pair(&other->pill, &look->pill);
    if (!(nearest.gap <= (double)thickness))
        return;
    SnContactPair pair = {.a = sn__body_id(&world->bodies, look->body->slot),
                          .b = sn__body_id(&world->bodies, body->slot),
                          .element_a = look->element,
                          .element_b = other->index};
    touch(look, &pair, axis_at(&other->pill, nearest.t));
}

static double bound(const BvhBox *box, void *context) {
    const Look *look = context;
    if (look->collider == 0 || collider_at(look->world, look->collider)->kind != SN_COLLIDER_PLANE)
        return sn__bvh_distance(box, look->centre) - look->reach;
    Vec3d low = {box->low[0], box->low[1], box->low[2]};
    Vec3d high = {box->high[0], box->high[1], box->high[2]};
    Vec3d middle = scaled(addd(low, high), 0.5);
    return sn__collider_distance(look->world, look->collider, middle, NULL) -
           0.5 * lengthd(subd(high, low)) - look->reach;
}

static double visit(int item, double limit, void *context) {
    Look *look = context;
    const QuerySegment *s = &look->tree->segments[item];
    const Body *body = sn__body_at(&look->world->bodies, s->body);
    if (body->sensor)
        return limit;
    if (look->collider != 0)
        meet_collider(look, body, s->index, &s->pill, look->collider);
    else
        meet_body(look, s, body);
    return limit;
}

static void look_from_collider(Look *look, uint32_t slot, double thickness) {
    const Collider *c = collider_at(look->world, slot);
    look->collider = slot;
    look->centre = sn__collider_pose(look->world, c, false).position;
    look->reach = sn__collider_extent(c) + (double)c->surface.thickness + thickness;
    sn__bvh_search(&look->tree->bvh, 0.0, bound, visit, look);
}

static void look_from_element(Look *look, const QuerySegment *segment, double thickness) {
    const SnWorld *world = look->world;
    look->collider = 0;
    look->body = sn__body_at(&world->bodies, segment->body);
    look->element = segment->index;
    look->pill = segment->pill;
    look->centre = axis_at(&look->pill, 0.5);
    look->reach = 0.5 * lengthd(subd(look->pill.b, look->pill.a)) +
                  fmax(look->pill.radius_a, look->pill.radius_b) +
                  (double)look->body->surface.thickness + thickness;
    sn__bvh_search(&look->tree->bvh, 0.0, bound, visit, look);
    for (uint32_t slot = 1; slot <= world->colliders.ids.slot_count; ++slot)
        if (sn__collider_in_use(&world->colliders, slot) &&
            !collider_at(world, slot)->surface.sensor)
            meet_collider(look, look->body, look->element, &look->pill, slot);
}

static bool any_sensor(const SnWorld *world) {
    for (uint32_t slot = 1; slot <= world->colliders.ids.slot_count; ++slot)
        if (sn__collider_in_use(&world->colliders, slot) &&
            collider_at(world, slot)->surface.sensor)
            return true;
    const Body *body;
    for (int k = 0; (body = sn__bodies_next(&world->bodies, NULL, &k)) != NULL; ++k)
        if (body->sensor)
            return true;
    return false;
}

bool sn__sensors_gather(SnWorld *world) {
    if (!any_sensor(world))
        return true;
    Look look = {.world = world, .tree = sn__query_tree(world), .complete = true};
    if (look.tree == NULL)
        return false;
    double thickness = (double)thickest(world);
    for (uint32_t slot = 1; slot <= world->colliders.ids.slot_count; ++slot)
        if (sn__collider_in_use(&world->colliders, slot) &&
            collider_at(world, slot)->surface.sensor)
            look_from_collider(&look, slot, thickness);
    for (int k = 0; k < look.tree->count; ++k)
        if (sn__body_at(&world->bodies, look.tree->segments[k].body)->sensor)
            look_from_element(&look, &look.tree->segments[k], thickness);
    return look.complete;
}
