// What contacts do to their knots. Included by the wide kernels of contacts only.
#pragma once

#include "collide/contact_lanes.h"

// What a pass changes of a side: all of it follows from one impulse at one point.
typedef struct Change {
    Lanes3 impulse; // × h
    Lanes squeeze;  // on the radius
    Lanes roll;
    Lanes3 push;
} Change;

// The lanes that a pass changes.
typedef struct Touched {
    int count;
    Lanes active;     // > 0 where something presses, pressed, or is pushed out
    uint32_t pressed; // the same, a bit for each
    uint32_t pushed;  // those that are pushed out
} Touched;

// Lanes that nothing touches are left alone, to the sign of a zero: who shares the vector with them
// depends on the instruction set.
INLINE Lanes where_active(const Touched *touched, Lanes fresh, Lanes old) {
    return lanes_if_less(splat(0.0f), touched->active, fresh, old);
}

INLINE void push_knots(Knot *knots, const int32_t *index, uint32_t lanes, Lanes m, Lanes3 by) {
    static const int32_t in_order[KNOT_ROW] = {0, 1, 2,  3,  4,  5,  6,  7,
                                               8, 9, 10, 11, 12, 13, 14, 15};
    const Lanes fields[4] = {m * by.x, m * by.y, m * by.z, splat(0.0f)};
    float pushes[WIDE][4] __attribute__((aligned(64)));
    scatter_fours(pushes[0], 4, in_order, WIDE, fields);
    for (; lanes != 0; lanes &= lanes - 1) {
        int i = __builtin_ctz(lanes);
        for (int k = 0; k < 3; ++k)
            knots[index[i]].push[k] += pushes[i][k];
    }
}

INLINE void scatter_knot(Knot *knots, const int32_t *index, const Touched *touched,
                         const LaneKnot *knot, Lanes weight, const Change *c) {
    Lanes m = weight * knot->mobility, m_radial = weight * knot->radial;
    const Lanes motion[4] = {
        where_active(touched, knot->motion.x + m * c->impulse.x, knot->motion.x),
        where_active(touched, knot->motion.y + m * c->impulse.y, knot->motion.y),
        where_active(touched, knot->motion.z + m * c->impulse.z, knot->motion.z),
        where_active(touched, knot->growth - m_radial * c->squeeze, knot->growth)};
    scatter_fours(knots->motion, KNOT_FLOATS, index, touched->count, motion);
    if (touched->pushed)
        push_knots(knots, index, touched->pushed, m, c->push);
}

INLINE void scatter_side(Knot *knots, const int32_t *segment, const int32_t *first,
                         const int32_t *second, const Touched *touched, const LaneSide *side,
                         Lanes t, const Change *c) {
    scatter_knot(knots, first, touched, &side->first, 1.0f - t, c);
    scatter_knot(knots, second, touched, &side->second, t, c);
    ContactRow roll;
    store(roll, side->roll + side->spin * c->roll);
    for (uint32_t lanes = touched->pressed; lanes != 0; lanes &= lanes - 1) {
        int i = __builtin_ctz(lanes);
        knots[segment[i]].roll = roll[i];
    }
}
