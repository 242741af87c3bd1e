// Contacts as lanes see them: both sides of each, and where they touch. Included by the wide kernels
// of contacts only.
#pragma once

#include <stddef.h>

#include "collide/narrow.h"
#include "collide/wide.h"

#define FAST_SHARE 0.5f // of the thinner radius: who moves farther is swept
#define MEETING_STEPS 12

// One vertex of each lane's contact.
typedef struct LaneKnot {
    Lanes3 place;
    Lanes radius;
    Lanes3 motion;
    Lanes growth;
    Lanes mobility, radial;
} LaneKnot;

typedef struct LaneSide {
    LaneKnot first, second;
    Lanes roll, spin;
} LaneSide;

#define KNOT_FLOATS ((int)(sizeof(Knot) / sizeof(float)))

// Knots lie one behind the other, a line each; four numbers at a time are turned into lanes.
// Without the place and the radius at the start of the sub-step, which are left at 0:
INLINE LaneKnot gather_motion(const Knot *knots, const int32_t *index) {
    Lanes motion[4], mobility[4], zero = splat(0.0f); // the second: mobility, radial, spin, rolled
    gather_fours(knots->motion, KNOT_FLOATS, index, motion);
    gather_fours(&knots->mobility, KNOT_FLOATS, index, mobility);
    return (LaneKnot){{zero, zero, zero}, zero,        {motion[0], motion[1], motion[2]},
                      motion[3],          mobility[0], mobility[1]};
}

INLINE LaneKnot gather(const Knot *knots, const int32_t *index) {
    Lanes place[4];
    LaneKnot knot = gather_motion(knots, index);
    gather_fours(knots->start, KNOT_FLOATS, index, place);
    knot.place = (Lanes3){place[0], place[1], place[2]};
    knot.radius = place[3];
    return knot;
}

INLINE Lanes gather_roll(const Knot *knots, const int32_t *segment) {
    Lanes push[4];
    gather_fours(knots->push, KNOT_FLOATS, segment, push);
    return push[3];
}

_Static_assert(offsetof(Knot, roll) == offsetof(Knot, push) + 3 * sizeof(float), "read as four");

INLINE LaneSide gather_side(const Knot *knots, const int32_t *segment, const int32_t *first,
                            const int32_t *second) {
    Lanes mobility[4];
    gather_fours(&knots->mobility, KNOT_FLOATS, segment, mobility);
    return (LaneSide){gather(knots, first), gather(knots, second), gather_roll(knots, segment),
                      mobility[2]};
}

INLINE Lanes3 mix3(Lanes3 a, Lanes3 b, Lanes t) { return add3(a, mul3(sub3(b, a), t)); }
INLINE Lanes mix(Lanes a, Lanes b, Lanes t) { return a + (b - a) * t; }

// The two pills of a pair at a time between 0 (start of the sub-step) and 1 (its end), from the
// first vertex of b.
INLINE void pills_at(const LaneSide *a, const LaneSide *b, Lanes3 offset, Lanes thickness,
                     Lanes time, LanePill *pa, LanePill *pb) {
    Lanes3 from = sub3(b->first.place, offset);
    Lanes3 a1 = add3(sub3(a->first.place, from), mul3(a->first.motion, time));
    Lanes3 a2 = add3(sub3(a->second.place, from), mul3(a->second.motion, time));
    Lanes3 b1 = mul3(b->first.motion, time);
    Lanes3 b2 = add3(sub3(b->second.place, b->first.place), mul3(b->second.motion, time));
    *pa = lane_pill(a1, a2, a->first.radius + thickness, a->second.radius + thickness);
    *pb = lane_pill(b1, b2, b->first.radius, b->second.radius);
}

INLINE Lanes length3(Lanes3 v) { return lanes_sqrt(dot3(v, v)); }

// No two points of the pills come nearer to each other than by this, over the sub-step.
INLINE Lanes approach_bound(const LaneSide *a, const LaneSide *b) {
    Lanes c00 = length3(sub3(a->first.motion, b->first.motion));
    Lanes c01 = length3(sub3(a->first.motion, b->second.motion));
    Lanes c10 = length3(sub3(a->second.motion, b->first.motion));
    Lanes c11 = length3(sub3(a->second.motion, b->second.motion));
    return lanes_max(lanes_max(c00, c01), lanes_max(c10, c11));
}

// Of the first `count` lanes; what is not a number does not count, nor what is negative.
INLINE float greatest(Lanes a, int count) {
    ContactRow row;
    store(row, lanes_if_less(splat(0.0f), a, a, splat(0.0f)));
    for (int i = count; i < WIDE; ++i)
        row[i] = 0.0f;
    for (int half = WIDE / 2; half > 0; half /= 2)
        for (int i = 0; i < half; ++i)
            row[i] = row[i] > row[i + half] ? row[i] : row[i + half];
    return row[0];
}

// Where and in which direction the pair touches. Fast bodies are brought together step by step,
// each as long as the gap allows (conservative advancement), until they meet or their time is up.
INLINE LanePair touch(const LaneSide *a, const LaneSide *b, Lanes3 offset, Lanes thickness,
                      bool even) {
    LanePill pa, pb;
    Lanes time = splat(0.0f);
    pills_at(a, b, offset, thickness, time, &pa, &pb);
    LanePair pair = narrow(&pa, &pb, even);
    Lanes bound = approach_bound(a, b);
    Lanes thin = lanes_min(lanes_min(a->first.radius, a->second.radius) + thickness,
                           lanes_min(b->first.radius, b->second.radius) + thickness);
    Lanes close = 0.01f * thin;
    // Only who is fast, and not yet close, goes on.
    Lanes speed = lanes_if_less(FAST_SHARE * thin, bound, bound, splat(0.0f));
    Lanes inv = 1.0f / lanes_max(bound, splat(NARROW_TINIEST));
    LanePill start_a = pa, start_b = pb;
    for (int k = 0; k < MEETING_STEPS && lanes_any_less(splat(0.0f), speed); ++k) {
        speed = lanes_if_less(close, pair.gap, speed, splat(0.0f));
        Lanes ahead = lanes_if_less(splat(0.0f), speed, pair.gap * inv, splat(0.0f));
        time = lanes_min(time + ahead, splat(1.0f));
        speed = lanes_if_less(time, splat(1.0f), speed, splat(0.0f));
        pills_at(a, b, offset, thickness, time, &pa, &pb);
        pair = narrow(&pa, &pb, even);
    }
    Lanes3 d = sub3(pill_centre(&start_a, pair.t), pill_centre(&start_b, pair.u));
    Lanes gap =
        dot3(d, pair.normal) - pill_radius(&start_a, pair.t) - pill_radius(&start_b, pair.u);
    pair.gap = lanes_if_less(splat(0.0f), time, gap, pair.gap);
    return pair;
}

// A contact of every lane: its two sides, where they touch, and how they move against each other.
typedef struct LaneContact {
    LaneSide a, b;
    LanePair pair;
    Lanes3 slip;   // u_a − u_b, as a whole
    Lanes closing; // what it does to the gap, with the change of the radii
    Lanes radii;   // of both
    Lanes G_line, G_radial;
} LaneContact;

// Found by the shape of a solid, or by the first pass, or here.
INLINE LanePair find_touch(ContactBatch *batch, const LaneSide *a, const LaneSide *b, int i,
                           bool found) {
    LanePair pair;
    if (found) {
        pair.t = load(&batch->t[i]);
        pair.u = load(&batch->u[i]);
        pair.gap = load(&batch->gap[i]);
        pair.normal = (Lanes3){load(&batch->normal_x[i]), load(&batch->normal_y[i]),
                               load(&batch->normal_z[i])};
        return pair;
    }
    Lanes3 offset = {load(&batch->offset_x[i]), load(&batch->offset_y[i]),
                     load(&batch->offset_z[i])};
    pair = touch(a, b, offset, load(&batch->thickness[i]), batch->bouncy);
    store(&batch->t[i], pair.t);
    store(&batch->u[i], pair.u);
    store(&batch->gap[i], pair.gap);
    store(&batch->normal_x[i], pair.normal.x);
    store(&batch->normal_y[i], pair.normal.y);
    store(&batch->normal_z[i], pair.normal.z);
    return pair;
}

// What follows from both sides and from where they touch.
INLINE void find_motion(LaneContact *c, const ContactBatch *batch, int i) {
    const LaneKnot *a1 = &c->a.first, *a2 = &c->a.second, *b1 = &c->b.first, *b2 = &c->b.second;
    Lanes t = c->pair.t, t_ = 1.0f - t, u = c->pair.u, u_ = 1.0f - u;
    Lanes3 drift = {load(&batch->drift_x[i]), load(&batch->drift_y[i]), load(&batch->drift_z[i])};
    c->slip = sub3(mix3(a1->motion, a2->motion, t), mix3(b1->motion, b2->motion, u));
    c->slip = sub3(c->slip, drift);
    Lanes growth = mix(a1->growth, a2->growth, t) + mix(b1->growth, b2->growth, u);
    c->closing = dot3(c->pair.normal, c->slip) - growth;
    c->G_line = t_ * t_ * a1->mobility + t * t * a2->mobility + u_ * u_ * b1->mobility +
                u * u * b2->mobility;
    c->G_radial =
        t_ * t_ * a1->radial + t * t * a2->radial + u_ * u_ * b1->radial + u * u * b2->radial;
}

INLINE LaneContact contact_at(ContactBatch *batch, const Knot *knots, int i, bool found) {
    LaneContact c;
    c.a = gather_side(knots, batch->a + i, batch->a1 + i, batch->a2 + i);
    c.b = gather_side(knots, batch->b + i, batch->b1 + i, batch->b2 + i);
    c.pair = find_touch(batch, &c.a, &c.b, i, found);
    c.radii = mix(c.a.first.radius, c.a.second.radius, c.pair.t) + load(&batch->thickness[i]) +
              mix(c.b.first.radius, c.b.second.radius, c.pair.u);
    find_motion(&c, batch, i);
    return c;
}

// The same in a repeated pass: what does not change within a sub-step has been kept.
INLINE LaneContact contact_again(ContactBatch *batch, const Knot *knots, int i) {
    LaneContact c;
    c.a = (LaneSide){gather_motion(knots, batch->a1 + i), gather_motion(knots, batch->a2 + i),
                     gather_roll(knots, batch->a + i), load(&batch->spin_a[i])};
    c.b = (LaneSide){gather_motion(knots, batch->b1 + i), gather_motion(knots, batch->b2 + i),
                     gather_roll(knots, batch->b + i), load(&batch->spin_b[i])};
    c.pair = find_touch(batch, &c.a, &c.b, i, true);
    c.radii = load(&batch->radii[i]);
    find_motion(&c, batch, i);
    return c;
}
