#include <assert.h>
#include <string.h>

#include "body/body.h"

Body *sn__bodies_find(const BodyRegister *bodies, SnBodyId id) {
    return sn__ids_valid(&bodies->ids, id.index, id.generation) ? sn__body_at(bodies, id.index)
                                                                : NULL;
}

SnBodyId sn__body_id(const BodyRegister *bodies, uint32_t slot) {
    assert(slot >= 1 && slot <= bodies->ids.slot_count);
    return (SnBodyId){slot, bodies->ids.slots[slot - 1].generation};
}

Body *sn__bodies_next(const BodyRegister *bodies, const BodyKind *kind, int *k) {
    for (; *k < bodies->order_count; ++*k) {
        uint32_t slot = bodies->order[*k];
        if (slot != 0 && (kind == NULL || sn__body_at(bodies, slot)->kind == kind))
            return sn__body_at(bodies, slot);
    }
    return NULL;
}

void sn__bodies_compact(BodyRegister *bodies) {
    int kept = 0;
    for (int k = 0; k < bodies->order_count; ++k) {
        if (bodies->order[k] == 0)
            continue;
        sn__body_at(bodies, bodies->order[k])->order = kept;
        bodies->order[kept++] = bodies->order[k];
    }
    bodies->order_count = kept;
}

static bool reserve_slot(BodyRegister *bodies) {
    const SnAllocator *a = &bodies->allocator;
    if (!sn__reserve(a, (void **)&bodies->bodies, &bodies->capacity, (int)bodies->ids.slot_count,
                     sizeof(Body)))
        return false;
    if (bodies->order_count == bodies->order_capacity)
        sn__bodies_compact(bodies);
    return sn__reserve(a, (void **)&bodies->order, &bodies->order_capacity, bodies->order_count,
                       sizeof bodies->order[0]);
}

static size_t text_size(const char *text) { return text ? strlen(text) + 1 : 0; }

// A copy of an array that may be NULL; false without memory.
static bool copy(const SnAllocator *allocator, void **to, const void *from, size_t size) {
    *to = NULL;
    if (from == NULL || size == 0)
        return true;
    *to = sn__alloc(allocator, size);
    if (*to)
        memcpy(*to, from, size);
    return *to != NULL;
}

static void free_arrays(const SnAllocator *a, Body *body) {
    size_t points = (size_t)body->points;
    sn__free(a, body->rest_positions, points * sizeof(SnVec3));
    sn__free(a, body->rest_frames, (size_t)body->elements * sizeof(SnQuat));
    sn__free(a, body->bone_elements, 2 * points * sizeof(int));
    sn__free(a, body->name, text_size(body->name));
}

static bool copy_arrays(const SnAllocator *a, const BodyDef *def, Body *body) {
    size_t points = (size_t)def->points;
    return copy(a, (void **)&body->rest_positions, def->rest_positions, points * sizeof(SnVec3)) &&
           copy(a, (void **)&body->rest_frames, def->rest_frames,
                (size_t)def->elements * sizeof(SnQuat)) &&
           copy(a, (void **)&body->bone_elements, def->bone_elements, 2 * points * sizeof(int)) &&
           copy(a, (void **)&body->name, def->name, text_size(def->name));
}

bool sn__bodies_add(BodyRegister *bodies, const BodyDef *def, SnBodyId *out_id) {
    assert(def->kind && def->item && def->points > 0 && def->elements > 0);
    Body body = {.kind = def->kind,
                 .system = def->system,
                 .item = def->item,
                 .points = def->points,
                 .elements = def->elements,
                 .surface = def->surface,
                 .sensor = def->surface.sensor,
                 .filter = def->filter,
                 .self_collide = def->self_collide,
                 .gravity_scale = def->gravity_scale,
                 .user_data = def->user_data};
    if (!copy_arrays(&bodies->allocator, def, &body) || !reserve_slot(bodies) ||
        !sn__ids_acquire(&bodies->ids, &bodies->allocator, &out_id->index, &out_id->generation)) {
        free_arrays(&bodies->allocator, &body);
        return false;
    }
    memcpy(body.rest_origin, def->rest_origin, sizeof body.rest_origin);
    body.slot = out_id->index;
    body.order = bodies->order_count;
    assert(bodies->order_count < bodies->order_capacity);
    *sn__body_at(bodies, out_id->index) = body;
    bodies->order[bodies->order_count++] = out_id->index;
    return true;
}

void sn__bodies_remove(BodyRegister *bodies, SnBodyId id) {
    Body *body = sn__bodies_find(bodies, id);
    assert(body);
    assert(bodies->order[body->order] == id.index);
    free_arrays(&bodies->allocator, body);
    bodies->order[body->order] = 0;
    *body = (Body){0};
    sn__ids_release(&bodies->ids, id.index, id.generation);
}

void sn__bodies_destroy(BodyRegister *bodies) {
    const SnAllocator *a = &bodies->allocator;
    const Body *body;
    for (int k = 0; (body = sn__bodies_next(bodies, NULL, &k)) != NULL; ++k)
        free_arrays(a, sn__body_at(bodies, body->slot));
    sn__free(a, bodies->bodies, (size_t)bodies->capacity * sizeof(Body));
    sn__free(a, bodies->order, (size_t)bodies->order_capacity * sizeof bodies->order[0]);
    sn__ids_destroy(&bodies->ids, a);
}
