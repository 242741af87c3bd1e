// What leads a held element of a body from place to place, for kinds that keep places and rotations in double.
#pragma once

#include "body/kind.h"
#include "math/bend.h"

typedef struct BodyLead {
    int index, held; // point or element; one HELD_ bit
    uint32_t owner;  // whom it serves
    Vec3d x_from, x_to;
    Quatd q_from, q_to;
    bool curved; // it does not go straight (math/bend.h)
    Bend3 x_bend;
    Bend4 q_bend;
} BodyLead;

// Its number; −1: nothing leads the element.
static inline int sn__find_lead(const BodyLead *leads, int count, int held, int index) {
    for (int k = 0; k < count; ++k)
        if (leads[k].held == held && leads[k].index == index)
            return k;
    return -1;
}

// Where it is when this part of the step is over.
static inline Quatd sn__led_turn(const BodyLead *l, double t) {
    Quatd a = l->q_from, b = l->q_to;
    Quatd q = {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z),
               a.w + t * (b.w - a.w)};
    return normalisedq(l->curved ? bend_turn(&l->q_bend, q, t) : q);
}

static inline Vec3d sn__led_point(const BodyLead *l, double t) {
    Vec3d x = addd(l->x_from, scaled(subd(l->x_to, l->x_from), t));
    return l->curved ? addd(x, bend_point(&l->x_bend, t)) : x;
}

static inline void sn__lead_along(BodyLead *l, const HeldPath *path) {
    l->x_to = path->to.position;
    l->q_to = bend_sign(normalisedq(path->to.rotation), l->q_from);
    l->curved = path->curved;
    if (!l->curved)
        return;
    const HeldPose *via = path->via;
    l->x_bend = bend_of_points(l->x_from, via[0].position, via[1].position, l->x_to);
    l->q_bend = bend_of_turns(l->q_from, normalisedq(via[0].rotation), normalisedq(via[1].rotation),
                              l->q_to);
}

static inline void sn__lead_settle(BodyLead *l) {
    l->x_from = l->x_to;
    l->q_from = l->q_to;
    l->curved = false;
}

static inline void sn__visit_lead(BodyLead *l, BodyVisit *call, void *context) {
    call(context, BLOCK_DOUBLES, &l->x_from, sizeof l->x_from);
    call(context, BLOCK_DOUBLES, &l->x_to, sizeof l->x_to);
    call(context, BLOCK_DOUBLES, &l->q_from, sizeof l->q_from);
    call(context, BLOCK_DOUBLES, &l->q_to, sizeof l->q_to);
}
