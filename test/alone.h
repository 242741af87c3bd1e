// A rod system with one body in it, whose sub-steps a test goes through by hand.
#pragma once

#include "support.h"

#include "rod/rods.h"
#include "rod/substep.h"

typedef struct Alone {
    BodyRegister bodies;
    RodSystem rods;
    RodPack *pack;
    RodLent lent;
    RodStep step;
} Alone;

static inline void alone_create(Alone *a, const SnRodDef *def) {
    *a = (Alone){.bodies = {.allocator = sn__default_allocator()}};
    assert_true(sn__rods_init(&a->rods, &a->bodies.allocator, &a->bodies, 1));
    SnBodyId id;
    assert_ok(sn__rods_create(&a->rods, def, &id));
    a->pack = a->rods.packs[0];
    assert_non_null(a->pack->aim);
}

// What a worker would lend.
static inline void alone_lend(Alone *a) {
    RodPack *pack = a->pack;
    assert_true(sn__lent_create(&a->rods.allocator, &a->lent));
    pack->work = pack->own_work ? pack->own_work : a->lent.work;
    pack->branch = a->lent.branch;
    pack->front = pack->own_front ? pack->own_front : sn__front_create(&a->rods.allocator);
}

static inline void alone_prepare(Alone *a) {
    sn__pack_prepare(a->pack, a->step.motion.h);
    sn__rods_share(&a->rods);
}

static inline void alone_destroy(Alone *a) {
    if (a->pack->own_front == NULL)
        sn__front_destroy(&a->rods.allocator, a->pack->front);
    sn__lent_destroy(&a->rods.allocator, &a->lent);
    sn__rods_release(&a->rods);
    sn__bodies_destroy(&a->bodies);
}
