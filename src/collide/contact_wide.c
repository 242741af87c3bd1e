// One pass over a batch of contacts.
//
// Normal (eq. 31, as an inequality): the gap at the end of the sub-step,
//
//     C = gap + n·(u_a − u_b) − (Δr_a + Δr_b) ≥ 0,
//
// linear in displacements and radii, which are all there is to change: u_a is (1 − t) u_1 + t u_2.
// With its multiplier μ ≥ 0 (h² × force) and G = Σ w² (1/m + ρ), Δμ = −(C + c μ/h²) / (G + c/h²), c
// the compliance, ρ the mobility of a radius (Knot.radial). The normal is that of the start of the
// sub-step, or of the moment when two fast bodies meet, so that no contact is missed, however thin.
//
// An overlap that is there at the start is not C: what pushes it apart would be a velocity. C only
// keeps it from growing, and the overlap is taken out by a push of its own that moves vertices and
// leaves their velocities alone.
//
// Both start from the forces of the sub-step before, which the motion has seen already
// (ContactMemory).
//
// Friction: the slip of the two surfaces, s = u_a − u_b across n, with the roll of both segments
// about their axes, is held at 0 by a force in the plane within the cone |μ_t| ≤ μ_s μ, or resisted
// by μ_k μ. Along t1 = w_a × n and t2 = n × t1, w_a the axis, a's roll only matters for t1.
#include <assert.h>

#include "collide/contact_rules.h"
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
INLINE LaneKnot gather(const Knot *knots, const int32_t *index) {
    Lanes place[4], motion[4], mobility[4]; // the last: mobility, radial, spin, rolled
    gather_fours(knots->start, KNOT_FLOATS, index, place);
    gather_fours(knots->motion, KNOT_FLOATS, index, motion);
    gather_fours(&knots->mobility, KNOT_FLOATS, index, mobility);
    return (LaneKnot){{place[0], place[1], place[2]},
                      place[3],
                      {motion[0], motion[1], motion[2]},
                      motion[3],
                      mobility[0],
                      mobility[1]};
}

INLINE LaneSide gather_side(const Knot *knots, const int32_t *segment, const int32_t *first,
                            const int32_t *second) {
    ContactRow roll, spin;
    for (int i = 0; i < WIDE; ++i) {
        roll[i] = knots[segment[i]].roll;
        spin[i] = knots[segment[i]].spin;
    }
    return (LaneSide){gather(knots, first), gather(knots, second), load(roll), load(spin)};
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

// Of the first `count` lanes; what is not a number does not count.
INLINE float greatest(Lanes a, int count) {
    float most = 0.0f;
    for (int i = 0; i < WIDE && i < count; ++i)
        most = a[i] > most ? a[i] : most;
    return most;
}

// Where and in which direction the pair touches. Fast bodies are brought together step by step,
// each as long as the gap allows (conservative advancement), until they meet or their time is up.
INLINE LanePair touch(const LaneSide *a, const LaneSide *b, Lanes3 offset, Lanes thickness) {
    LanePill pa, pb;
    Lanes time = splat(0.0f);
    pills_at(a, b, offset, thickness, time, &pa, &pb);
    LanePair pair = narrow(&pa, &pb);
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
        pair = narrow(&pa, &pb);
    }
    Lanes3 d = sub3(pill_centre(&start_a, pair.t), pill_centre(&start_b, pair.u));
    Lanes gap =
        dot3(d, pair.normal) - pill_radius(&start_a, pair.t) - pill_radius(&start_b, pair.u);
    pair.gap = lanes_if_less(splat(0.0f), time, gap, pair.gap);
    return pair;
}

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
    bool pushed; // some are pushed out
    ContactRow active, overlap;
} Touched;

// Lanes that nothing touches are left alone, to the sign of a zero: who shares the vector with them
// depends on the instruction set.
INLINE void scatter_knot(Knot *knots, const int32_t *index, const Touched *touched,
                         const LaneKnot *knot, Lanes weight, const Change *c) {
    Lanes m = weight * knot->mobility, m_radial = weight * knot->radial;
    ContactRow rows[7];
    store(rows[0], knot->motion.x + m * c->impulse.x);
    store(rows[1], knot->motion.y + m * c->impulse.y);
    store(rows[2], knot->motion.z + m * c->impulse.z);
    store(rows[3], knot->growth - m_radial * c->squeeze);
    for (int i = 0; i < touched->count; ++i)
        for (int k = 0; k < 4 && touched->active[i] > 0.0f; ++k)
            knots[index[i]].motion[k] = rows[k][i];
    if (!touched->pushed)
        return;
    store(rows[4], m * c->push.x);
    store(rows[5], m * c->push.y);
    store(rows[6], m * c->push.z);
    for (int i = 0; i < touched->count; ++i)
        for (int k = 0; k < 3 && touched->overlap[i] > 0.0f; ++k)
            knots[index[i]].push[k] += rows[4 + k][i];
}

INLINE void scatter_side(Knot *knots, const int32_t *segment, const int32_t *first,
                         const int32_t *second, const Touched *touched, const LaneSide *side,
                         Lanes t, const Change *c) {
    scatter_knot(knots, first, touched, &side->first, 1.0f - t, c);
    scatter_knot(knots, second, touched, &side->second, t, c);
    ContactRow roll;
    store(roll, side->roll + side->spin * c->roll);
    for (int i = 0; i < touched->count; ++i)
        if (touched->active[i] > 0.0f)
            knots[segment[i]].roll = roll[i];
}

// n·(push of a − push of b) that is there already.
INLINE Lanes pushed_apart(const Knot *knots, const ContactBatch *batch, int i, Lanes3 n, Lanes t,
                          Lanes u) {
    ContactRow rows[4][3];
    const int32_t *index[4] = {batch->a1 + i, batch->a2 + i, batch->b1 + i, batch->b2 + i};
    for (int v = 0; v < 4; ++v)
        for (int k = 0; k < WIDE; ++k)
            for (int c = 0; c < 3; ++c)
                rows[v][c][k] = knots[index[v][k]].push[c];
    Lanes3 p[4];
    for (int v = 0; v < 4; ++v)
        p[v] = (Lanes3){load(rows[v][0]), load(rows[v][1]), load(rows[v][2])};
    return dot3(n, sub3(mix3(p[0], p[1], t), mix3(p[2], p[3], u)));
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
    pair = touch(a, b, offset, load(&batch->thickness[i]));
    store(&batch->t[i], pair.t);
    store(&batch->u[i], pair.u);
    store(&batch->gap[i], pair.gap);
    store(&batch->normal_x[i], pair.normal.x);
    store(&batch->normal_y[i], pair.normal.y);
    store(&batch->normal_z[i], pair.normal.z);
    return pair;
}

INLINE LaneContact contact_at(ContactBatch *batch, const Knot *knots, int i, bool found) {
    LaneContact c;
    c.a = gather_side(knots, batch->a + i, batch->a1 + i, batch->a2 + i);
    c.b = gather_side(knots, batch->b + i, batch->b1 + i, batch->b2 + i);
    c.pair = find_touch(batch, &c.a, &c.b, i, found);
    const LaneKnot *a1 = &c.a.first, *a2 = &c.a.second, *b1 = &c.b.first, *b2 = &c.b.second;
    Lanes t = c.pair.t, t_ = 1.0f - t, u = c.pair.u, u_ = 1.0f - u;
    Lanes3 drift = {load(&batch->drift_x[i]), load(&batch->drift_y[i]), load(&batch->drift_z[i])};
    c.slip = sub3(mix3(a1->motion, a2->motion, t), mix3(b1->motion, b2->motion, u));
    c.slip = sub3(c.slip, drift);
    Lanes growth = mix(a1->growth, a2->growth, t) + mix(b1->growth, b2->growth, u);
    c.closing = dot3(c.pair.normal, c.slip) - growth;
    c.radii = mix(a1->radius, a2->radius, t) + load(&batch->thickness[i]) +
              mix(b1->radius, b2->radius, u);
    c.G_line = t_ * t_ * a1->mobility + t * t * a2->mobility + u_ * u_ * b1->mobility +
               u * u * b2->mobility;
    c.G_radial =
        t_ * t_ * a1->radial + t * t * a2->radial + u_ * u_ * b1->radial + u * u * b2->radial;
    return c;
}

// Bodies that were apart leave with a part of the speed they meet with, by how they move, not by
// how they swell. It is settled in the first pass.
INLINE Lanes bounce_of(ContactBatch *batch, const LaneContact *c, const ContactPass *pass, int i,
                       Lanes mu, Lanes C) {
    if (!pass->first)
        return load(&batch->bounce[i]);
    Lanes zero = splat(0.0f);
    Lanes approach = -dot3(c->pair.normal, c->slip), speed = approach * (1.0f / pass->h);
    // It leaves from where it is, not from where it would hit: there it had not fallen as far.
    Lanes3 fall = {splat(pass->fall[0]), splat(pass->fall[1]), splat(pass->fall[2])};
    Lanes down = (batch->kind == CONTACT_PAIR ? 0.0f : -1.0f) * dot3(c->pair.normal, fall);
    approach = lanes_if_less(zero, down, approach - down, approach);
    Lanes bounce = lanes_if_less(splat(pass->bounce_speed), speed,
                                 approach * load(&batch->restitution[i]), zero);
    bounce = lanes_if_less(zero, mu, zero, bounce);
    bounce = lanes_if_less(c->pair.gap, zero, zero, bounce);
    bounce = lanes_if_less(C, zero, bounce, zero);
    store(&batch->bounce[i], bounce);
    return bounce;
}

typedef struct LanePress {
    Lanes before, after; // the multiplier
    Lanes squeeze;       // what the radii see of it
    Lanes overlap;       // to be pushed out
} LanePress;

INLINE LanePress press(ContactBatch *batch, const LaneContact *c, const ContactPass *pass, int i) {
    Lanes zero = splat(0.0f);
    Lanes mu = load(pass->first ? &batch->warm_normal[i] : &batch->mu_normal[i]);
    Lanes compliance = load(&batch->compliance[i]) * (1.0f / (pass->h * pass->h));
    // Hard contacts leave an overlap to the push.
    Lanes gap = lanes_if_less(zero, compliance, c->pair.gap, lanes_max(c->pair.gap, zero));
    Lanes C = gap + c->closing;
    Lanes bounce = bounce_of(batch, c, pass, i, mu, C);
    C = lanes_if_less(zero, bounce, c->closing - bounce, C);
    // Of the force that is there, radii have seen nothing yet in the first pass.
    Lanes squeezed = pass->first ? zero : mu;
    C += c->G_radial * (mu - squeezed);
    Lanes G = c->G_line + c->G_radial;
    Lanes after = lanes_max(mu - (C + compliance * mu) / (G + compliance + NARROW_TINIEST), zero);
    store(&batch->mu_normal[i], after);
    Lanes correction = lanes_abs(after - mu) * G;
    float worst = greatest(correction / c->radii, batch->count - i);
    batch->worst = worst > batch->worst ? worst : batch->worst;
    Lanes overlap = lanes_if_less(zero, compliance, zero, -c->pair.gap - PUSH_SLOP * c->radii);
    return (LanePress){mu, after, after - squeezed, overlap};
}

// The directions of friction, and what a turn of the segments about their axes does along them.
typedef struct LanePlane {
    Lanes3 t1, t2;
    Lanes La, Lb1, Lb2; // a rolls along t1 only
} LanePlane;

INLINE LanePlane plane_of(const LaneContact *c) {
    const LaneSide *a = &c->a, *b = &c->b;
    Lanes zero = splat(0.0f), one = splat(1.0f);
    Lanes3 n = c->pair.normal;
    Lanes3 axis_a = sub3(a->second.place, a->first.place);
    Lanes3 axis_b = sub3(b->second.place, b->first.place);
    Lanes3 side = cross3(axis_a, n), side_b = cross3(axis_b, n);
    Lanes len_a = lanes_sqrt(lanes_max(dot3(axis_a, axis_a), splat(NARROW_TINY)));
    Lanes len_b = lanes_sqrt(lanes_max(dot3(axis_b, axis_b), splat(NARROW_TINY)));
    Lanes side_len = length3(side);
    // Where the axis points along n, any direction across n will do.
    Lanes3 any = cross3(n, (Lanes3){lanes_if_less(lanes_abs(n.x), splat(0.5f), one, zero),
                                    lanes_if_less(lanes_abs(n.x), splat(0.5f), zero, one), zero});
    Lanes across = 1e-3f * len_a, inv_any = one / length3(any);
    Lanes inv_side = one / lanes_max(side_len, splat(NARROW_TINY));
    LanePlane p;
    p.t1 = (Lanes3){lanes_if_less(across, side_len, side.x * inv_side, any.x * inv_any),
                    lanes_if_less(across, side_len, side.y * inv_side, any.y * inv_any),
                    lanes_if_less(across, side_len, side.z * inv_side, any.z * inv_any)};
    p.t2 = cross3(n, p.t1);
    Lanes reach_a = mix(a->first.radius, a->second.radius, c->pair.t) / len_a;
    Lanes reach_b = mix(b->first.radius, b->second.radius, c->pair.u) / len_b;
    p.La = lanes_if_less(across, side_len, -reach_a * side_len, zero);
    p.Lb1 = -reach_b * dot3(side_b, p.t1);
    p.Lb2 = -reach_b * dot3(side_b, p.t2);
    return p;
}

typedef struct LaneRub {
    Lanes mu_1, mu_2; // multipliers
    Lanes d1, d2;     // their change in this pass
} LaneRub;

INLINE LaneRub rub(ContactBatch *batch, const LaneContact *c, const LanePlane *p,
                   const ContactPass *pass, int i, Lanes pressed) {
    const LaneSide *a = &c->a, *b = &c->b;
    Lanes mu_1 = load(pass->first ? &batch->warm_1[i] : &batch->mu_1[i]);
    Lanes mu_2 = load(pass->first ? &batch->warm_2[i] : &batch->mu_2[i]);
    Lanes slip_1 = dot3(c->slip, p->t1) + p->La * a->roll + p->Lb1 * b->roll;
    Lanes slip_2 = dot3(c->slip, p->t2) + p->Lb2 * b->roll;
    Lanes Ga = p->La * p->La * a->spin;
    Lanes Gb1 = p->Lb1 * p->Lb1 * b->spin, Gb2 = p->Lb2 * p->Lb2 * b->spin;
    Lanes G11 = c->G_line + Ga + Gb1, G22 = c->G_line + Gb2, G12 = p->Lb1 * p->Lb2 * b->spin;
    // G11 G22 − G12², without the difference: light, thick segments would lose it all.
    Lanes det = c->G_line * (c->G_line + Ga + Gb1 + Gb2) + Ga * Gb2;
    Lanes inv_det = 1.0f / (det + NARROW_TINIEST);
    Lanes trial_1 = mu_1 - inv_det * (G22 * slip_1 - G12 * slip_2);
    Lanes trial_2 = mu_2 - inv_det * (G11 * slip_2 - G12 * slip_1);
    Lanes size = lanes_sqrt(trial_1 * trial_1 + trial_2 * trial_2);
    Lanes held = load(&batch->static_friction[i]) * pressed;
    Lanes slid = load(&batch->friction[i]) * pressed / lanes_max(size, splat(NARROW_TINIEST));
    Lanes keep = lanes_if_less(held, size, slid, splat(1.0f));
    trial_1 *= keep;
    trial_2 *= keep;
    store(&batch->mu_1[i], trial_1);
    store(&batch->mu_2[i], trial_2);
    return (LaneRub){trial_1, trial_2, trial_1 - mu_1, trial_2 - mu_2};
}

// What the next sub-step starts from.
INLINE void learn(ContactBatch *batch, int i, Lanes3 n, const LanePlane *p, const LaneRub *r,
                  Lanes pressed) {
    Lanes before = load(&batch->warm_normal[i]);
    Lanes warm = lanes_min(pressed, before + WARM_GAIN * (pressed - before));
    Lanes old_1 = load(&batch->warm_1[i]), old_2 = load(&batch->warm_2[i]);
    Lanes w1 = old_1 + WARM_FRICTION_GAIN * (r->mu_1 - old_1);
    Lanes w2 = old_2 + WARM_FRICTION_GAIN * (r->mu_2 - old_2);
    Lanes most = load(&batch->static_friction[i]) * warm, size = lanes_sqrt(w1 * w1 + w2 * w2);
    Lanes within = lanes_min(splat(1.0f), most / lanes_max(size, splat(NARROW_TINIEST)));
    w1 *= within;
    w2 *= within;
    store(&batch->next_normal[i], warm);
    store(&batch->next_1[i], w1);
    store(&batch->next_2[i], w2);
    store(&batch->load_x[i], n.x * warm + p->t1.x * w1 + p->t2.x * w2);
    store(&batch->load_y[i], n.y * warm + p->t1.y * w1 + p->t2.y * w2);
    store(&batch->load_z[i], n.z * warm + p->t1.z * w1 + p->t2.z * w2);
    store(&batch->load_roll_a[i], p->La * w1);
    store(&batch->load_roll_b[i], p->Lb1 * w1 + p->Lb2 * w2);
}

INLINE void learn_nothing(ContactBatch *batch, int i) {
    Lanes zero = splat(0.0f);
    store(&batch->mu_1[i], zero);
    store(&batch->mu_2[i], zero);
    store(&batch->next_normal[i], zero);
    store(&batch->next_1[i], zero);
    store(&batch->next_2[i], zero);
}

INLINE Lanes3 push_out(ContactBatch *batch, const Knot *knots, const LaneContact *c,
                       const ContactPass *pass, int i, Lanes overlap) {
    Lanes zero = splat(0.0f), most = PUSH_RATE * pass->h * c->radii;
    Lanes wanted = lanes_min(PUSH_SHARE * overlap, most);
    wanted -= pushed_apart(knots, batch, i, c->pair.normal, c->pair.t, c->pair.u);
    wanted = lanes_if_less(zero, overlap, lanes_max(wanted, zero), zero);
    // A deep one is worth further passes.
    Lanes deep = lanes_if_less(PUSH_DEEP * c->radii, overlap, splat(DEEP_WORTH), splat(PUSH_WORTH));
    float worst = greatest(deep * wanted / most, batch->count - i);
    batch->worst = worst > batch->worst ? worst : batch->worst;
    return mul3(c->pair.normal, wanted / (c->G_line + NARROW_TINIEST));
}

INLINE void solve_lanes(ContactBatch *batch, Knot *knots, const ContactPass *pass, int i,
                        ContactKind kind) {
    LaneContact c = contact_at(batch, knots, i, kind == CONTACT_SOLID || !pass->first);
    LanePress n = press(batch, &c, pass, i);
    Lanes zero = splat(0.0f), activity = lanes_max(lanes_max(n.before, n.after), n.overlap);
    if (!lanes_any_less(zero, activity)) {
        learn_nothing(batch, i);
        return;
    }
    LanePlane p = plane_of(&c);
    LaneRub r = rub(batch, &c, &p, pass, i, n.after);
    learn(batch, i, c.pair.normal, &p, &r, n.after);

    Lanes3 impulse =
        add3(mul3(c.pair.normal, n.after - n.before), add3(mul3(p.t1, r.d1), mul3(p.t2, r.d2)));
    Lanes3 push = {zero, zero, zero};
    Touched touched = {.count = batch->count - i < WIDE ? batch->count - i : WIDE,
                       .pushed = lanes_any_less(zero, n.overlap)};
    store(touched.active, activity);
    store(touched.overlap, n.overlap);
    if (touched.pushed)
        push = push_out(batch, knots, &c, pass, i, n.overlap);
    Change change_a = {impulse, n.squeeze, p.La * r.d1, push};
    scatter_side(knots, batch->a + i, batch->a1 + i, batch->a2 + i, &touched, &c.a, c.pair.t,
                 &change_a);
    if (kind != CONTACT_PAIR)
        return;
    Change change_b = {mul3(impulse, splat(-1.0f)), n.squeeze, p.Lb1 * r.d1 + p.Lb2 * r.d2,
                       mul3(push, splat(-1.0f))};
    scatter_side(knots, batch->b + i, batch->b1 + i, batch->b2 + i, &touched, &c.b, c.pair.u,
                 &change_b);
}

void WIDE_FUNCTION(contact_solve)(ContactBatch *batch, Knot *knots, const ContactPass *pass) {
    assert(!batch->general && batch->count <= KNOT_ROW && pass->h > 0.0f);
    batch->worst = 0.0f;
    for (int i = 0; i < batch->count; i += WIDE)
        if (batch->kind == CONTACT_SOLID)
            solve_lanes(batch, knots, pass, i, CONTACT_SOLID);
        else if (batch->kind == CONTACT_FIXED)
            solve_lanes(batch, knots, pass, i, CONTACT_FIXED);
        else
            solve_lanes(batch, knots, pass, i, CONTACT_PAIR);
}

void WIDE_FUNCTION(contact_find)(ContactBatch *batch, const Knot *knots) {
    assert(batch->general && batch->kind != CONTACT_SOLID && batch->count <= KNOT_ROW);
    for (int i = 0; i < batch->count; i += WIDE) {
        LaneSide a = gather_side(knots, batch->a + i, batch->a1 + i, batch->a2 + i);
        LaneSide b = gather_side(knots, batch->b + i, batch->b1 + i, batch->b2 + i);
        find_touch(batch, &a, &b, i, false);
    }
}

void WIDE_FUNCTION(contact_nearest)(const ContactSides *sides, const float (*offsets)[3], int count,
                                    const Knot *knots, ContactNearest *out_nearest) {
    assert(count <= KNOT_ROW);
    ContactIndex index[4] = {0};
    ContactRow shift[3] = {0};
    for (int i = 0; i < count; ++i) {
        index[0][i] = sides[i].a1;
        index[1][i] = sides[i].a2;
        index[2][i] = sides[i].b1;
        index[3][i] = sides[i].b2;
        for (int c = 0; c < 3; ++c)
            shift[c][i] = offsets[i][c];
    }
    for (int i = 0; i < count; i += WIDE) {
        LaneSide a = {gather(knots, index[0] + i), gather(knots, index[1] + i), splat(0.0f),
                      splat(0.0f)};
        LaneSide b = {gather(knots, index[2] + i), gather(knots, index[3] + i), splat(0.0f),
                      splat(0.0f)};
        Lanes3 offset = {load(&shift[0][i]), load(&shift[1][i]), load(&shift[2][i])};
        LanePill pa, pb;
        pills_at(&a, &b, offset, splat(0.0f), splat(0.0f), &pa, &pb);
        LanePair pair = narrow(&pa, &pb);
        Lanes3 n = pair.normal, slip = sub3(mix3(a.first.motion, a.second.motion, pair.t),
                                            mix3(b.first.motion, b.second.motion, pair.u));
        const Lanes rows[] = {pair.t,         pair.u, pair.gap, approach_bound(&a, &b),
                              -dot3(n, slip), n.x,    n.y,      n.z};
        for (int k = 0; k < WIDE && i + k < count; ++k)
            for (int f = 0; f < NEAREST_FLOATS; ++f)
                ((float *)&out_nearest[i + k])[f] = rows[f][k];
    }
}
