// What the elements of a rod add to the stations of newton_front.h. Included by the
// rod_newton*_wide.c files only.
#pragma once

#include "rod/newton_front.h"

// Jᵀ κ J for κ = diag(bend, bend, twist) and J = ±b₀ + [b]×, a joint's gradient for its later and its
// earlier frame. With [b]ײ = b bᵀ − |b|² and κ = bend + (twist − bend) e_z e_zᵀ few products are left.
typedef struct TurnProducts {
    Number xx, yy, zz, ww, xz, yz, wx, wy, wz;          // × bend
    Number xy;                                          // × twist
    Number more_xx, more_yy, more_ww, more_wx, more_wy; // × (twist − bend)
} TurnProducts;

INLINE TurnProducts turn_products(Number4 b, Number bend, Number twist) {
    Number x = bend * b.x, y = bend * b.y, z = bend * b.z, w = bend * b.w;
    Number more = twist - bend, more_w = more * b.w;
    return (TurnProducts){.xx = x * b.x,
                          .yy = y * b.y,
                          .zz = z * b.z,
                          .ww = w * b.w,
                          .xz = x * b.z,
                          .yz = y * b.z,
                          .wx = w * b.x,
                          .wy = w * b.y,
                          .wz = w * b.z,
                          .xy = twist * b.x * b.y,
                          .more_xx = more * b.x * b.x,
                          .more_yy = more * b.y * b.y,
                          .more_ww = more_w * b.w,
                          .more_wx = more_w * b.x,
                          .more_wy = more_w * b.y};
}

// Of one frame with itself, upper part: the later one (side 1) or the earlier one (side −1).
INLINE void turn_own(const TurnProducts *p, float side, Number out[3][3]) {
    out[0][0] = p->yy + p->more_yy + (p->zz + p->ww);
    out[1][1] = p->xx + p->more_xx + (p->zz + p->ww);
    out[2][2] = p->xx + p->yy + (p->ww + p->more_ww);
    out[0][1] = -p->xy;
    out[0][2] = -p->xz - side * p->more_wy;
    out[1][2] = -p->yz + side * p->more_wx;
}

// Of the earlier frame (rows) with the later one.
INLINE void turn_mixed(const TurnProducts *p, Number out[3][3]) {
    out[0][0] = p->yy + p->more_yy + (p->zz - p->ww);
    out[1][1] = p->xx + p->more_xx + (p->zz - p->ww);
    out[2][2] = p->xx + p->yy - (p->ww + p->more_ww);
    Number x = p->wx + p->wx + p->more_wx, y = p->wy + p->wy + p->more_wy, z = p->wz + p->wz;
    out[0][1] = z - p->xy;
    out[1][0] = -z - p->xy;
    out[0][2] = -y - p->xz;
    out[2][0] = y - p->xz;
    out[1][2] = x - p->yz;
    out[2][1] = -x - p->yz;
}

// Of a segment from a to b: what its ends and its turn have to do with each other. Signs are those of
// the block that is named.
typedef struct SegmentTerms {
    Number ends[3][3];   // x_a x_a and x_b x_b, −x_a x_b
    Number b1[3], b2[3]; // θ₁ x_b and −θ₁ x_a, θ₀ x_a and −θ₀ x_b, both negative
    Number turn;         // θ₀ θ₀ and θ₁ θ₁
    Number roll[2];      // θ₀ θ₂ and θ₁ θ₂, with prestress
    Number b3[3];        // θ₂ x_b and −θ₂ x_a, of damped rods with prestress
    Number spin;         // θ₂ θ₂ likewise
    Number squeeze[3];   // x_b and −x_a with both scales
    Number scale, mixed; // s_a s_a and s_b s_b, s_a s_b
} SegmentTerms;

// What dampers hold of shear from the start of a sub-step is a force μ in the axes of the frame, −μ·Rᵀd, and turns with
// it. It is τ/h times that of the rod, and a rod that turns as a whole would only be found in many iterations without
// what that does to turns: with D = Rᵀd, −δD·(θ × μ) and −½ ((D·θ)(θ·μ) − (D·μ) |θ|²). Here is the part of μ across the
// axis; that along it is smaller by the angle of the shear. Of (D·μ) about the axis as much is taken as leaves a minimum.
INLINE void add_held(const NewtonSegment *e, Number length, NewtonLanes at, SegmentTerms *t) {
    Number bent = 1.0f - load_row(&at.pack->newton_plain[at.i]);
    Number x = bent * e->mu.x, y = bent * e->mu.y;
    const Number a1[3] = {e->a1.x, e->a1.y, e->a1.z}, a2[3] = {e->a2.x, e->a2.y, e->a2.z};
    const Number w[3] = {e->w.x, e->w.y, e->w.z};
    EACH(k, 0, 3) {
        t->b1[k] -= x * w[k];
        t->b2[k] -= y * w[k];
        t->b3[k] = y * a1[k] - x * a2[k];
    }
    t->roll[0] -= 0.5f * length * x;
    t->roll[1] -= 0.5f * length * y;
    t->spin = (x * x + y * y) * length / number_max(e->shear, splat(1e-30f));
}

// The pressure p = k V of a volume V = s²|d| − l₀, s the mean of both scales, makes p s n of a stretch along n with
// either scale and p |d|/2 of two scales. Where a rod is twisted far, the pressure is some hundredths of Young's
// modulus, and a radius that swings against the length would be driven by what is missing. More than MOST_PRESSURE of the
// modulus is a radius that swings after a blow, no pressure to rely on. What dampers hold is left out, and so are
// lanes in which it would leave the matrix without a minimum.
#define MOST_PRESSURE 0.1f
INLINE Number volume_prestress(const NewtonSegment *e, NewtonLanes at) {
    Number bent = 1.0f - load_row(&at.pack->newton_plain[at.i]),
           most = MOST_PRESSURE * (e->k * e->l);
    Number press = load_row(&at.pack->undamped_volume[at.i]) * e->fv;
    return bent * number_max(number_min(press, most), -most);
}

// Of ½ k (w·d)²: k J Jᵀ with J = w for ends, and −(a₂·d) and a₁·d for turns; what couples both turns is made up for by
// as much on each.
INLINE void add_back(const NewtonSegment *e, SegmentTerms *t) {
    Number x = dot3(e->a1, e->d), y = dot3(e->a2, e->d), k = e->back;
    const Number w[3] = {e->w.x, e->w.y, e->w.z};
    t->turn += k * (x * x + y * y);
    EACH(i, 0, 3) {
        EACH(m, 0, 3) t->ends[i][m] += k * w[i] * w[m];
        t->b1[i] -= k * x * w[i];
        t->b2[i] -= k * y * w[i];
    }
}

// Shear is k l (|d| − w·d): across the segment k l/|d|, and with the frame's turns, −k l and k l |d|, which
// leaves nothing for a segment and a frame that turn together. Tension adds N/|d| across.
INLINE SegmentTerms segment_terms(const NewtonSegment *e, NewtonTension tension, NewtonLanes at) {
    const bool volume = at.volume;
    SegmentTerms t;
    Number b = e->shear + e->turned;
    Number across = (b + tension.force) * tension.over_length, along = e->k;
    t.turn = b * tension.length;
    if (at.bent) {
        Number half = (0.5f - 0.5f * load_row(&at.pack->newton_plain[at.i])) * b;
        t.roll[0] = -half * tension.off[0];
        t.roll[1] = -half * tension.off[1];
    }
    if (volume) {
        Number s2 = e->s * e->s;
        along += e->kv * (s2 * s2);
        Number w = e->kv * e->s * s2;
        Number v = e->kv * s2 * (e->length * e->length) + e->kc;
        if (at.bent) {
            Number press = volume_prestress(e, at);
            w += press * e->s * e->over_length;
            v += 0.5f * (press * e->length);
        }
        t.squeeze[0] = w * e->d.x, t.squeeze[1] = w * e->d.y, t.squeeze[2] = w * e->d.z;
        t.scale = v + e->kd;
        t.mixed = v - e->kd;
    }
    Number more = along - across;
    Number n[3] = {e->n.x, e->n.y, e->n.z};
    EACH(k, 0, 3) {
        Number part = more * n[k];
        t.ends[k][k] = across + part * n[k];
        EACH(m, k + 1, 3) t.ends[k][m] = t.ends[m][k] = part * n[m];
    }
    t.b1[0] = b * e->a1.x, t.b1[1] = b * e->a1.y, t.b1[2] = b * e->a1.z;
    t.b2[0] = b * e->a2.x, t.b2[1] = b * e->a2.y, t.b2[2] = b * e->a2.z;
    if (e->any_turned)
        add_back(e, &t);
    if (at.damped && at.bent)
        add_held(e, tension.length, at, &t);
    return t;
}

INLINE void add_segment(Station *f, Rest *next, const SegmentTerms *t, NewtonLanes at) {
    EACH(k, 0, 3) {
        EACH(m, k, 3) {
            f->A[X + k][X + m] += t->ends[k][m];
            next->A[X + k][X + m] = t->ends[k][m];
        }
        EACH(m, 0, 3) f->B[X + k][X + m] = -t->ends[k][m];
        f->A[X + k][T] -= t->b2[k];
        f->A[X + k][T + 1] += t->b1[k];
        f->B[T][X + k] = t->b2[k];
        f->B[T + 1][X + k] = -t->b1[k];
    }
    f->A[T][T] += t->turn;
    f->A[T + 1][T + 1] += t->turn;
    if (at.bent) {
        f->A[T][T + 2] += t->roll[0];
        f->A[T + 1][T + 2] += t->roll[1];
    }
    if (at.damped && at.bent) {
        f->A[T + 2][T + 2] += t->spin;
        EACH(k, 0, 3) {
            f->A[X + k][T + 2] -= t->b3[k];
            f->B[T + 2][X + k] = t->b3[k];
        }
    }
    if (!at.volume)
        return;
    EACH(k, 0, 3) {
        f->A[X + k][S] -= t->squeeze[k];
        f->B[X + k][S] -= t->squeeze[k];
        f->B[S][X + k] = t->squeeze[k];
        next->A[X + k][S] = t->squeeze[k];
    }
    f->A[S][S] += t->scale;
    f->B[S][S] += t->mixed;
    next->A[S][S] += t->scale;
}

INLINE void fill_lower(Number own[3][3]) {
    own[1][0] = own[0][1], own[2][0] = own[0][2], own[2][1] = own[1][2];
}

INLINE void turn_columns(Number block[3][3], const Number3 axes[3]) {
    EACH(m, 0, 3) {
        Number3 column = rotate((Number3){block[0][m], block[1][m], block[2][m]}, axes);
        block[0][m] = column.x, block[1][m] = column.y, block[2][m] = column.z;
    }
}

INLINE void turn_rows(Number block[3][3], const Number3 axes[3], bool back) {
    EACH(k, 0, 3) {
        Number3 row = {block[k][0], block[k][1], block[k][2]};
        row = back ? rotate_back(row, axes) : rotate(row, axes);
        block[k][0] = row.x, block[k][1] = row.y, block[k][2] = row.z;
    }
}

INLINE void turn_columns_back(Number block[3][3], const Number3 axes[3]) {
    EACH(m, 0, 3) {
        Number3 column = rotate_back((Number3){block[0][m], block[1][m], block[2][m]}, axes);
        block[0][m] = column.x, block[1][m] = column.y, block[2][m] = column.z;
    }
}

// Of a joint between the frames p and a: what their turns (P, A, M of p with a), their turns with the
// scale of the vertex where they meet, and the three scales have to do with each other.
typedef struct JointTerms {
    Number P[3][3], A[3][3], M[3][3]; // upper parts of P and A
    Number back[3], forth[3];         // of p and of a
    Number near;                      // the scale of the vertex
    Number lap, lap_ratio; // of the scales at the far ends, of which W has 1 and the ratio
} JointTerms;

// Turns of q_p h and q_a h̄ become turns of q_p and q_a (NewtonJoint.turn): R(h) P R(h)ᵀ, R(h) M R(h) and R(h)ᵀ A R(h).
// Of P and A the upper parts are given and made.
INLINE void turn_blocks(JointTerms *t, const Number3 axes[3], bool halved) {
    fill_lower(t->P);
    turn_columns(t->P, axes);
    turn_rows(t->P, axes, false);
    turn_columns(t->M, axes);
    if (!halved)
        return;
    turn_rows(t->M, axes, true);
    fill_lower(t->A);
    turn_columns_back(t->A, axes);
    turn_rows(t->A, axes, true);
}

// What the torque τ of a joint, ∂E/∂b = 2τ, adds to its turns: with q̄_p q_a = c = (b₀, b), a turn of both
// changes b by −(|θ_p|² + |θ_a|²) b/8 − Im(θ_p c θ_a)/4 besides what is linear in them. Without it, a rod
// that is bent or twisted by much more than a radian would only be found in many iterations.
// Not of lanes in which it would leave the matrix without a minimum.
INLINE void add_prestress(const NewtonJoint *e, NewtonLanes at, JointTerms *t) {
    Number s = e->s, half = 0.5f - 0.5f * load_row(&at.pack->newton_plain[at.i]);
    Number tau[3] = {half * (s * e->f.x), half * (s * e->f.y), half * (s * e->f.z)};
    if (at.volume) {
        Number s3 = half * (s * s * s);
        tau[0] += s3 * e->fu;
        tau[1] += s3 * e->fv;
    }
    const Number b[3] = {e->b.x, e->b.y, e->b.z};
    Number along = tau[0] * b[0] + tau[1] * b[1] + tau[2] * b[2];
    EACH(k, 0, 3) {
        t->P[k][k] -= along;
        t->A[k][k] -= along;
        t->M[k][k] += tau[k] * b[k] + (tau[k] * b[k] - along);
    }
    Number x = e->b.w * tau[0], y = e->b.w * tau[1], z = e->b.w * tau[2];
    Number xy = tau[0] * b[1] + tau[1] * b[0], xz = tau[0] * b[2] + tau[2] * b[0];
    Number yz = tau[1] * b[2] + tau[2] * b[1];
    t->M[0][1] += xy - z, t->M[1][0] += xy + z;
    t->M[0][2] += xz + y, t->M[2][0] += xz - y;
    t->M[1][2] += yz - x, t->M[2][1] += yz + x;
}

// Where the Hessian leads away from the minimum, it is the turns of frames about their axes that it knows too little of:
// with a moment EI κ in a joint, a roll θ₂ of one frame and a turn of the other across make EI κ θ₂ θ₁, as much as the
// EI κ² θ₂² that Gauss and Newton have for the roll, and of inertia there is next to none. With that much more for
// rolls it bounds the true one from above, and iterations come nearer.
#define STEADY 4.0f

INLINE JointTerms joint_terms(const NewtonJoint *e, NewtonLanes at) {
    const bool volume = at.volume;
    JointTerms t;
    Number s = e->s, s2 = s * s, s4 = s2 * s2;
    Number bend = e->kb * s2, twist = e->kt * s2;
    Number3 b = {e->b.x, e->b.y, e->b.z};
    if (volume)
        bend += e->kv * (s4 * s2);
    TurnProducts products = turn_products(e->b, bend, twist);
    turn_own(&products, -1.0f, t.P);
    turn_own(&products, 1.0f, t.A);
    turn_mixed(&products, t.M);
    if (at.bent) {
        add_prestress(e, at, &t);
        Number held = STEADY * load_row(&at.pack->newton_steady[at.i]);
        t.P[2][2] += held * (products.xx + products.yy);
        t.A[2][2] += held * (products.xx + products.yy);
    }
    if (at.turned)
        turn_blocks(&t, e->turn, at.halved);
    if (!volume)
        return t;

    // Jᵀ g for both frames, g = (bend x, bend y, twist z) of what follows from the scale.
    Number by_bend = 2.0f * (e->kb * s) + 6.0f * (e->kv * (s4 * s)), by_twist = 2.0f * (e->kt * s);
    Number straight = e->b.w * by_bend, across = (by_bend - by_twist) * b.z;
    Number3 along = {straight * b.x, straight * b.y, e->b.w * (by_twist * b.z)};
    Number3 forth = {along.x + across * b.y, along.y - across * b.x, along.z};
    Number3 back = {across * b.y - along.x, -across * b.x - along.y, -along.z};
    if (at.bent) {
        Number bent = 1.0f - load_row(&at.pack->newton_plain[at.i]), more = 3.0f * (bent * s2);
        Number3 f = {bent * e->f.x + more * e->fu, bent * e->f.y + more * e->fv, bent * e->f.z};
        Number3 ahead = mul3(f, e->b.w), aside = cross3(f, b);
        forth = add3(forth, add3(aside, ahead));
        back = add3(back, sub3(aside, ahead));
    }
    if (at.turned)
        back = rotate(back, e->turn);
    if (at.halved)
        forth = rotate_back(forth, e->turn);
    t.forth[0] = forth.x, t.forth[1] = forth.y, t.forth[2] = forth.z;
    t.back[0] = back.x, t.back[1] = back.y, t.back[2] = back.z;
    Number both = b.x * b.x + b.y * b.y, middle = 1.0f + e->ratio;
    t.lap = e->k_lap;
    t.lap_ratio = e->ratio;
    t.near = 4.0f * (e->kb * both + e->kt * (b.z * b.z)) + 36.0f * (e->kv * s4 * both) +
             e->k_lap * (middle * middle);
    return t;
}

INLINE void add_joint(Station *f, Rest *next, const JointTerms *t, bool volume) {
    EACH(k, 0, 3) {
        EACH(m, k, 3) {
            f->A[T + k][T + m] += t->P[k][m];
            next->A[T + k][T + m] = t->A[k][m];
        }
        EACH(m, 0, 3) f->B[T + k][T + m] = t->M[k][m];
    }
    if (!volume)
        return;
    EACH(k, 0, 3) {
        f->B[T + k][S] += t->back[k];
        next->A[T + k][S] = t->forth[k];
    }
    Number lap = t->lap, far = lap * t->lap_ratio, middle = 1.0f + t->lap_ratio;
    f->A[S][S] += far * t->lap_ratio;
    f->B[S][S] -= far * middle;
    f->B[S][SS] = far;
    next->A[S][S] += t->near;
    next->A[S][SS] = -(lap * middle);
    next->A[SS][SS] = lap;
}

// Of a vertex and a frame, with what is held. The frame's is that of one which is where it would go
// alone; what it is elsewhere differs by its turn from there, which is small, times an inertia that
// is small against that of the vertices.
typedef struct InertiaTerms {
    Number mass, scale, turn, roll;
} InertiaTerms;

INLINE InertiaTerms plain_inertia_terms(NewtonLanes at, int j) {
    const RodPrepared *p = at.pack->prepared + j;
    const RodRest *r = at.pack->rest + j;
    const int i = at.i;
    Number zero = splat(0.0f), held = splat(HELD), frame = load_row(&p->m_turn[i]);
    return (InertiaTerms){
        .mass = number_if_less(zero, load_row(&p->m[i]), in_units(at, r->mass), held),
        .scale =
            number_if_less(zero, load_row(&p->m_scale[i]), in_units(at, r->scale_inertia), held),
        .turn = number_if_less(zero, frame, in_units(at, r->frame_inertia), held),
        .roll = number_if_less(zero, frame, in_units(at, r->spin_inertia), held)};
}

// The same of closed rods, whose ghosts have none.
INLINE InertiaTerms inertia_terms(NewtonInertia n) {
    Number one = splat(1.0f), held = HELD * (one - n.free_frame);
    return (InertiaTerms){.mass = n.mass + HELD * (one - n.free),
                          .scale = n.scale + HELD * (one - n.free_scale),
                          .turn = n.turn + held,
                          .roll = n.roll + held};
}

// A scale that is at one of its bounds and is pulled beyond does not move. If it were thought to, it would take for itself
// what only its neighbours can do: a soft rod that a thin peg cuts into at 20 m/s then grew to 20 times its volume.
INLINE Number bound_scale(NewtonLanes at, int j, Number force) {
    Number s = load_row(&at.pack->state[j].s[at.i]), zero = splat(0.0f), held = splat(HELD);
    Number least = number_if_less(force, zero, splat(1.001f * SCALE_MIN), zero);
    Number most = number_if_less(zero, force, splat(0.999f * SCALE_MAX), splat(1e30f));
    return number_if_less(s, least, held, number_if_less(most, s, held, zero));
}

INLINE void add_inertia(Station *f, const InertiaTerms *t, bool volume) {
    EACH(k, 0, 3) {
        f->A[X + k][X + k] += t->mass;
        f->A[T + k][T + k] += k < 2 ? t->turn : t->roll;
    }
    if (volume)
        f->A[S][S] += t->scale;
}
