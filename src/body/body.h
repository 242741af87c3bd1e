// Bodies: everything that moves, whatever its kind. The register knows of each what every body has;
// its kind knows the rest.
//
// A body has points (the vertices of a rod, the particles of a solid) and elements between them (the
// segments of a rod, the pills of a compound). Contacts, links, attachments, skins and queries address
// a body and a point or an element of it.
#pragma once

#include <assert.h>

#include "base/ids.h"
#include "base/memory.h"
#include "math/vec.h"
#include "sinew/body.h"

typedef struct BodyKind BodyKind; // kind.h

// How long a body has been slower than the world's sleep_speed, and whether it sleeps.
typedef struct BodySleep {
    float still; // s
    bool asleep;
} BodySleep;

typedef struct Body {
    const BodyKind *kind; // NULL: the slot is free
    void *system;         // of the kind, in this world
    void *item;           // what the kind knows of this body; its address does not change
    // What the broad phase asks of every pair stands together with the above, in one cache line.
    SnFilter filter;
    BodySleep sleep;
    bool self_collide; // its elements touch each other, but for those that are neighbours
    bool sensor;       // as its surface is
    uint32_t slot;     // its own
    int points, elements;
    SnSurface surface;
    float gravity_scale;
    // The rest pose, which skins are bound to: points from rest_origin, one frame per element.
    double rest_origin[3];
    SnVec3 *rest_positions;
    SnQuat *rest_frames;
    // The elements each point turns with, two per point, the second −1 for none; NULL: all that meet
    // there.
    int *bone_elements;
    int holds;           // attachments that hold something of it
    uint32_t first_link; // of those that hold it (links.c), 0: none
    int hinges;          // that it has (hinges.c)
    int order;           // its index in BodyRegister.order
    char *name;
    void *user_data;
} Body;

typedef struct BodyRegister {
    SnAllocator allocator;
    IdPool ids;
    Body *bodies; // by slot − 1
    int capacity;
    // Slots in order of creation, 0 where the body is gone.
    uint32_t *order;
    int order_count, order_capacity;
} BodyRegister;

// What a new body starts with. Everything is copied but the system and the item.
typedef struct BodyDef {
    const BodyKind *kind;
    void *system, *item;
    const char *name; // may be NULL
    int points, elements;
    SnSurface surface;
    SnFilter filter;
    bool self_collide;
    float gravity_scale;
    const double *rest_origin;
    const SnVec3 *rest_positions;
    const SnQuat *rest_frames;
    const int *bone_elements; // may be NULL
    void *user_data;
} BodyDef;

// False without memory: nothing has changed then.
bool sn__bodies_add(BodyRegister *bodies, const BodyDef *def, SnBodyId *out_id);
// The kind's item must be gone already.
void sn__bodies_remove(BodyRegister *bodies, SnBodyId id);
void sn__bodies_destroy(BodyRegister *bodies);
Body *sn__bodies_find(const BodyRegister *bodies, SnBodyId id); // NULL if stale
SnBodyId sn__body_id(const BodyRegister *bodies, uint32_t slot);
// Drops the gaps of `order`.
void sn__bodies_compact(BodyRegister *bodies);

static inline Body *sn__body_at(const BodyRegister *bodies, uint32_t slot) {
    assert(slot >= 1 && slot <= bodies->ids.slot_count && slot <= (uint32_t)bodies->capacity);
    return &bodies->bodies[slot - 1];
}

// The body at place *k of the order or the next one after it, and its place; NULL if there is none.
// for (int k = 0; (body = sn__bodies_next(bodies, kind, &k)) != NULL; ++k). kind NULL: of any kind.
Body *sn__bodies_next(const BodyRegister *bodies, const BodyKind *kind, int *k);

// Whether anything may touch it, and whether anything needs its knots: links work on them, too.
static inline bool sn__body_may_touch(const Body *body) {
    return body->filter.mask != 0 || body->filter.group > 0;
}
static inline bool sn__body_needs_knots(const Body *body) {
    return sn__body_may_touch(body) || body->first_link != 0 || body->hinges != 0;
}
