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

#include "collide/contact_change.h"
#include "collide/contact_rules.h"

// n·(push of a − push of b) that is there already.
INLINE Lanes pushed_apart(const Knot *knots, const ContactBatch *batch, int i, Lanes3 n, Lanes t,
                          Lanes u) {
    const int32_t *index[4] = {batch->a1 + i, batch->a2 + i, batch->b1 + i, batch->b2 + i};
    Lanes3 p[4];
    for (int v = 0; v < 4; ++v) {
        Lanes push[4];
        gather_fours(knots->push, KNOT_FLOATS, index[v], push);
        p[v] = (Lanes3){push[0], push[1], push[2]};
    }
    return dot3(n, sub3(mix3(p[0], p[1], t), mix3(p[2], p[3], u)));
}

typedef struct LanePress {
    Lanes before, after; // the multiplier
    Lanes squeeze;       // what the radii see of it
    Lanes overlap;       // to be pushed out
    Lanes activity;      // greater than 0 where something is to be done, and numbers are numbers
} LanePress;

// The knots that a contact moves.
INLINE int moved_knots(const ContactBatch *batch, int i, int32_t out[4]) {
    out[0] = batch->a1[i];
    out[1] = batch->a2[i];
    out[2] = batch->b1[i];
    out[3] = batch->b2[i];
    return batch->kind == CONTACT_PAIR ? 4 : 2;
}

// Of contacts with restitution: 2 if they bounce, 1 if they are struck through bodies that do.
INLINE Lanes struck_lanes(ContactBatch *batch, const ContactPass *pass, int i) {
    ContactRow struck = {0};
    for (int k = 0; k < WIDE && i + k < batch->count; ++k) {
        int32_t knots[4];
        int count = moved_knots(batch, i + k, knots);
        for (int v = 0; v < count && batch->restitution[i + k] > 0.0f; ++v)
            struck[k] = pass->struck[knots[v]] != 0 ? 1.0f : struck[k];
        if (batch->hits >> (i + k) & 1)
            struck[k] = 2.0f;
        batch->struck |= (uint16_t)(struck[k] > 0.0f ? 1u << (i + k) : 0u);
    }
    return load(struck);
}

// What presses in a blow strikes both sides.
INLINE void strike(const ContactBatch *batch, const ContactPass *pass, int i, Lanes struck) {
    for (int k = 0; k < WIDE && i + k < batch->count; ++k) {
        int32_t knots[4];
        int count = moved_knots(batch, i + k, knots);
        if (struck[k] > 0.0f && batch->mu_normal[i + k] > 0.0f)
            for (int v = 0; v < count; ++v)
                pass->struck[knots[v]] = 1;
    }
}

INLINE LanePress press(ContactBatch *batch, const LaneContact *c, const ContactPass *pass, int i,
                       Lanes struck) {
    Lanes zero = splat(0.0f);
    Lanes mu = load(pass->first ? &batch->warm_normal[i] : &batch->mu_normal[i]);
    Lanes compliance = load(&batch->compliance[i]) * (1.0f / (pass->h * pass->h));
    // Hard contacts leave an overlap to the push.
    Lanes gap = lanes_if_less(zero, compliance, c->pair.gap, lanes_max(c->pair.gap, zero));
    Lanes C = gap + c->closing, G_radial = c->G_radial;
    // Bodies leave by how they move, not by how they swell.
    if (batch->bouncy) {
        Lanes bounce = load(&batch->bounce[i]);
        Lanes moved = dot3(c->pair.normal, c->slip);
        Lanes meets = lanes_if_less(zero, mu, splat(-1.0f), gap + moved);
        meets = lanes_if_less(splat(1.0f), struck, splat(-1.0f), meets);
        Lanes leaves = lanes_if_less(meets, zero, moved - bounce, gap + moved);
        C = lanes_if_less(zero, struck, leaves, C);
        G_radial = lanes_if_less(zero, struck, zero, G_radial);
    }
    // Of the force that is there, radii have seen nothing yet in the first pass.
    Lanes squeezed = pass->first ? zero : mu;
    C += G_radial * (mu - squeezed);
    Lanes G = c->G_line + G_radial;
    Lanes after = lanes_max(mu - (C + compliance * mu) / (G + compliance + NARROW_TINIEST), zero);
    // Nothing presses where nothing can give way.
    after = lanes_if_less(splat(NARROW_TINIEST), G + compliance, after, zero);
    store(&batch->mu_normal[i], after);
    Lanes correction = lanes_abs(after - mu) * G;
    float worst = greatest(correction / c->radii, batch->count - i);
    batch->worst = worst > batch->worst ? worst : batch->worst;
    Lanes overlap = lanes_if_less(zero, compliance, zero, -c->pair.gap - PUSH_SLOP * c->radii);
    Lanes squeeze = after - squeezed;
    if (batch->bouncy)
        squeeze = lanes_if_less(zero, struck, zero, squeeze);
    Lanes activity = lanes_max(lanes_max(mu, after), overlap);
    return (LanePress){mu, after, squeeze, overlap, activity};
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

INLINE void keep_plane(ContactBatch *batch, const LaneContact *c, const LanePlane *p, int i) {
    store(&batch->along_x[i], p->t1.x);
    store(&batch->along_y[i], p->t1.y);
    store(&batch->along_z[i], p->t1.z);
    store(&batch->lever_a[i], p->La);
    store(&batch->lever_b1[i], p->Lb1);
    store(&batch->lever_b2[i], p->Lb2);
    store(&batch->radii[i], c->radii);
    store(&batch->spin_a[i], c->a.spin);
    store(&batch->spin_b[i], c->b.spin);
    batch->kept |= (uint16_t)(((1u << WIDE) - 1) << i);
}

INLINE LanePlane kept_plane(const ContactBatch *batch, Lanes3 n, int i) {
    LanePlane p;
    p.t1 = (Lanes3){load(&batch->along_x[i]), load(&batch->along_y[i]), load(&batch->along_z[i])};
    p.t2 = cross3(n, p.t1);
    p.La = load(&batch->lever_a[i]);
    p.Lb1 = load(&batch->lever_b1[i]);
    p.Lb2 = load(&batch->lever_b2[i]);
    return p;
}

typedef struct LaneRub {
    Lanes mu_1, mu_2; // multipliers
    Lanes d1, d2;     // their change in this pass
} LaneRub;

INLINE LaneRub rub(const ContactBatch *batch, const LaneContact *c, const LanePlane *p,
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
    return (LaneRub){trial_1, trial_2, trial_1 - mu_1, trial_2 - mu_2};
}

INLINE Lanes3 push_out(ContactBatch *batch, const Knot *knots, const LaneContact *c,
                       const ContactPass *pass, int i, Lanes overlap) {
    Lanes zero = splat(0.0f), most = PUSH_RATE * pass->h * c->radii;
    Lanes wanted = lanes_min(PUSH_SHARE * overlap, most);
    wanted -= pushed_apart(knots, batch, i, c->pair.normal, c->pair.t, c->pair.u);
    wanted = lanes_if_less(zero, overlap, lanes_max(wanted, zero), zero);
    // A deep one is worth further passes.
    Lanes deep = lanes_if_less(PUSH_DEEP * c->radii, overlap, splat(DEEP_WORTH), splat(PUSH_WORTH));
    // What cannot give way asks for no further pass.
    deep = lanes_if_less(splat(NARROW_TINIEST), c->G_line, deep, zero);
    float worst = greatest(deep * wanted / most, batch->count - i);
    batch->worst = worst > batch->worst ? worst : batch->worst;
    return mul3(c->pair.normal, wanted / (c->G_line + NARROW_TINIEST));
}

// Lanes in which nothing is done do not rub, also where a body is lost and no number is one: who shares the vector
// with them depends on the instruction set.
INLINE void store_active(float *row, Lanes activity, Lanes a) {
    store(row, lanes_if_less(splat(0.0f), activity, a, splat(0.0f)));
}

// In lanes in which something presses, and numbers are numbers; see store_active.
INLINE void move_by(LaneKnot *knot, Lanes pressed, Lanes3 by) {
    Lanes zero = splat(0.0f), m = knot->mobility;
    Lanes3 *x = &knot->motion;
    x->x = lanes_if_less(zero, pressed, x->x + m * by.x, x->x);
    x->y = lanes_if_less(zero, pressed, x->y + m * by.y, x->y);
    x->z = lanes_if_less(zero, pressed, x->z + m * by.z, x->z);
}

INLINE void roll_by(LaneSide *side, Lanes pressed, Lanes by) {
    side->roll = lanes_if_less(splat(0.0f), pressed, side->roll + side->spin * by, side->roll);
}

// The sub-step has started from forces that act where bodies touched a sub-step ago. They are brought to where these
// touch now, or whatever sways on its contacts would be answered a sub-step late, and swing ever farther: by hω²/2 per
// second. Only the knots move by it, and not what this contact takes their motion to be: bodies that are solved as a
// whole answer to the small change far less than their points would alone.
INLINE void bring_along(const ContactBatch *batch, LaneContact *c, const LanePlane *p, int i) {
    Lanes mu = load(&batch->warm_normal[i]), mu_1 = load(&batch->warm_1[i]),
          mu_2 = load(&batch->warm_2[i]);
    Lanes3 old = {load(&batch->load_x[i]), load(&batch->load_y[i]), load(&batch->load_z[i])};
    Lanes3 now = add3(mul3(c->pair.normal, mu), add3(mul3(p->t1, mu_1), mul3(p->t2, mu_2)));
    Lanes pressed = lanes_if_less(lanes_abs(now.x + now.y + now.z), splat(1e30f), mu, splat(0.0f));
    Lanes t = c->pair.t, u = c->pair.u;
    Lanes old_t = load(&batch->load_t[i]), old_u = load(&batch->load_u[i]);
    move_by(&c->a.first, pressed, sub3(mul3(now, 1.0f - t), mul3(old, 1.0f - old_t)));
    move_by(&c->a.second, pressed, sub3(mul3(now, t), mul3(old, old_t)));
    move_by(&c->b.first, pressed, sub3(mul3(old, 1.0f - old_u), mul3(now, 1.0f - u)));
    move_by(&c->b.second, pressed, sub3(mul3(old, old_u), mul3(now, u)));
    roll_by(&c->a, pressed, p->La * mu_1 - load(&batch->load_roll_a[i]));
    roll_by(&c->b, pressed, p->Lb1 * mu_1 + p->Lb2 * mu_2 - load(&batch->load_roll_b[i]));
}

INLINE void solve_lanes(ContactBatch *batch, Knot *knots, const ContactPass *pass, int i,
                        ContactKind kind, bool again) {
    LaneContact c =
        again ? contact_again(batch, knots, i)
              : contact_at(batch, knots, i, kind == CONTACT_SOLID || batch->met || !pass->first);
    Lanes zero = splat(0.0f);
    Lanes struck = batch->bouncy ? struck_lanes(batch, pass, i) : zero;
    LanePlane p;
    bool known = pass->first && !again && lanes_any_less(zero, load(&batch->warm_normal[i]));
    if (known) {
        p = plane_of(&c);
        bring_along(batch, &c, &p, i);
    }
    LanePress n = press(batch, &c, pass, i, struck);
    if (!lanes_any_less(zero, n.activity)) {
        store(&batch->mu_1[i], zero);
        store(&batch->mu_2[i], zero);
        return;
    }
    if (!known)
        p = again ? kept_plane(batch, c.pair.normal, i) : plane_of(&c);
    if (!again)
        keep_plane(batch, &c, &p, i);
    LaneRub r = rub(batch, &c, &p, pass, i, n.after);
    store_active(&batch->mu_1[i], n.activity, r.mu_1);
    store_active(&batch->mu_2[i], n.activity, r.mu_2);
    if (batch->bouncy)
        strike(batch, pass, i, lanes_if_less(zero, n.activity, struck, zero));

    Lanes3 impulse =
        add3(mul3(c.pair.normal, n.after - n.before), add3(mul3(p.t1, r.d1), mul3(p.t2, r.d2)));
    Lanes3 push = {zero, zero, zero};
    int count = batch->count - i < WIDE ? batch->count - i : WIDE;
    uint32_t in_use = (1u << count) - 1;
    Touched touched = {.count = count,
                       .active = n.activity,
                       .pressed = lanes_less(zero, n.activity) & in_use,
                       .pushed = lanes_less(zero, n.overlap) & in_use};
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

INLINE void solve_kind(ContactBatch *batch, Knot *knots, const ContactPass *pass,
                       ContactKind kind) {
    for (int i = 0; i < batch->count; i += WIDE)
        if (pass->repeat && (batch->kept >> i & 1))
            solve_lanes(batch, knots, pass, i, kind, true);
        else
            solve_lanes(batch, knots, pass, i, kind, false);
}

void WIDE_FUNCTION(contact_solve)(ContactBatch *batch, Knot *knots, const ContactPass *pass) {
    assert(!batch->general && batch->count <= KNOT_ROW && pass->h > 0.0f);
    batch->worst = 0.0f;
    batch->struck = 0;
    if (!pass->repeat)
        batch->kept = 0;
    if (batch->kind == CONTACT_SOLID)
        solve_kind(batch, knots, pass, CONTACT_SOLID);
    else if (batch->kind == CONTACT_FIXED)
        solve_kind(batch, knots, pass, CONTACT_FIXED);
    else
        solve_kind(batch, knots, pass, CONTACT_PAIR);
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
        LanePair pair = narrow(&pa, &pb, false);
        Lanes3 n = pair.normal, slip = sub3(mix3(a.first.motion, a.second.motion, pair.t),
                                            mix3(b.first.motion, b.second.motion, pair.u));
        const Lanes rows[] = {pair.t,         pair.u, pair.gap, approach_bound(&a, &b),
                              -dot3(n, slip), n.x,    n.y,      n.z};
        for (int k = 0; k < WIDE && i + k < count; ++k)
            for (int f = 0; f < NEAREST_FLOATS; ++f)
                ((float *)&out_nearest[i + k])[f] = rows[f][k];
    }
}
