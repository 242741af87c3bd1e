// The potentials of slices: their forces on the unknowns of sections, and their Hessian. Included by the
// files of their solver only.
//
// Forces of segments on their vertices are those of all rods (newton_forces.h). A force F on a vertex is F on
// the centre, r × F about it, and ρ·F on the scale. The frame of a segment is the mean of the turns of its
// sections a and b. With q_a conj(q_mean) = (v, w) and g = v/w, it turns by
//
//     θ_mean = ½ (θ_a + θ_b) + ½ (θ_a − θ_b) × g,
//
// exactly, so a torque τ on it is ½ (τ + g × τ) on a and ½ (τ − g × τ) on b: all of it is one gradient, and
// keeps both momenta.
//
// Bending and twist are between sections: with t the tangent of half the angle, along its axis, of
// conj(q_a) q_b, the energy is ½ Wᵀ H W, W = 2 s t, s the mean of both scales. That is a rod's potential for
// small angles, but it keeps sections from being folded onto each other, where the mean of their turns would
// be no turn at all. It turns b by −R_a s (F + t × F + t (t·F)), F = H W, and a by as much the other way.
//
// Volume is that of all segments between two sections together. Where a bundle bends, fibres on one side
// get longer and on the other side shorter, and as their scales are one, none could keep its own volume:
// a bundle would resist bending with k_v in place of E. Of flesh, what leaves the one side is on the other.
// It is that of frustums, whose cross-section grows as
//
//     A = (r_a² s_a² + r_a r_b s_a s_b + r_b² s_b²) / (r_a² + r_a r_b + r_b²),
//
// and with a = k_v l₀ of every segment (k_v as newton.h has it, of s² |d| − l₀),
//
//     E = ½ Σa l₀ φ²,   φ = Σ a (A |d| − l₀) / Σ a l₀.
//
// The Hessian of a segment of length d and direction n, at a first vertex with the lever r_a and a second
// with r_b, is that of Gauss and Newton for what is along n, with the change of d as its vector,
//
//     j = (−n, −r_a × n, −ρ_a·n;  n, r_b × n, ρ_b·n),
//
// and that of the volume is one more for all of them. Across n, the tension T/d holds the ends of the segment,
// and shear k_s l/d its middle, to which levers are r + d n/2 and r − d n/2. What is held has the inertia of
// what is free, times 10⁶, or 10¹² where all of a section is, and is where it is led.
#pragma once

#include "rod/newton_forces.h"
#include "rod/slice_lanes.h"

// What holds a vertex and its scale to where they would go alone: inertia, and more of it where they are held.
INLINE Number held_weight(const RodSlice *slice, int i) {
    return number_if_less(splat(0.5), load_row(&slice->held[i]), splat(WHOLLY_HELD_WEIGHT),
                          splat(HELD_WEIGHT));
}

INLINE Number member_mass(const Slices *c, int v, Number weight) {
    const int i = c->lanes.i;
    Number held =
        number_if_less(splat(0.0), load_row(&c->pack->prepared[v].m[i]), splat(1.0), weight);
    return load_row(&c->pack->rest[v].mass[i]) * held;
}

INLINE Number3 member_off(const Slices *c, int v) {
    const int i = c->lanes.i;
    const RodAim *aim = c->pack->aim + v;
    Number3 to = {load_row(&aim->ux[i]), load_row(&aim->uy[i]), load_row(&aim->uz[i])};
    return sub3(to, slice_load3(c->pack->member[v].u, i));
}

INLINE Number member_swell(const Slices *c, int v) {
    const int i = c->lanes.i;
    Number held = number_if_less(splat(0.0), load_row(&c->pack->prepared[v].m_scale[i]), splat(1.0),
                                 splat(HELD_WEIGHT));
    return load_row(&c->pack->rest[v].scale_inertia[i]) * held;
}

INLINE Number member_goal(const Slices *c, int v) {
    const int i = c->lanes.i;
    return load_row(&c->pack->work[v].ps[i]) + load_row(&c->pack->aim[v].us[i]);
}

// Towards where the vertices would go alone.
INLINE void add_members(const Slices *c, int k, Block *D, Forces *f) {
    RodPack *pack = c->pack;
    RodSlice *slice = pack->slice + k;
    const int i = c->lanes.i;
    const Number by_scale = spread_of(slice, i);
    const Number s = load(&slice->s[i]), weight = held_weight(slice, i);
    for (int e = c->graph->section_begin[k]; e < c->graph->section_begin[k + 1]; ++e) {
        int v = c->graph->section_vertex[e];
        Number m = member_mass(c, v, weight);
        Number3 r = slice_load3(pack->member[v].lever, i), rho = mul3(r, by_scale);
        pull_member(f, r, rho, mul3(member_off(c, v), m));
        D->a[0][0] += m;
        D->a[1][1] += m;
        D->a[2][2] += m;
        add_lever(D->a, mul3(r, m));
        add_spin(D->a, r, m);
        Number3 mrho = mul3(rho, m);
        D->a[0][6] += mrho.x;
        D->a[1][6] += mrho.y;
        D->a[2][6] += mrho.z;
        D->a[6][6] += dot3(rho, mrho);
        if (!c->lanes.volume)
            continue;
        Number swell = member_swell(c, v);
        f->s += swell * (member_goal(c, v) - s);
        D->a[6][6] += swell;
    }
    if (!c->lanes.volume)
        D->a[6][6] += splat(1.0); // there is no scale to solve for
}

// Half of the inertia of a segment turns with each of its sections: J across it, and J about it.
typedef struct FrameInertia {
    Number across, more;
} FrameInertia;

INLINE FrameInertia frame_inertia(const Slices *c, int j) {
    const RodPack *pack = c->pack;
    const int i = c->lanes.i;
    Number held = number_if_less(splat(0.0), load_row(&pack->prepared[j].m_turn[i]), splat(0.5),
                                 splat(0.5 * HELD_WEIGHT));
    Number across = held * load_row(&pack->rest[j].frame_inertia[i]);
    return (FrameInertia){across, held * load_row(&pack->rest[j].spin_inertia[i]) - across};
}

INLINE Number3 frame_off(const Slices *c, int j, Number3 turn) {
    const RodAim *aim = c->pack->aim + j;
    const int i = c->lanes.i;
    Number3 to = {load_row(&aim->tx[i]), load_row(&aim->ty[i]), load_row(&aim->tz[i])};
    return sub3(to, turn);
}

INLINE void add_frame(const Slices *c, int j, Number3 axis, Number3 turn, Block *D, Forces *f) {
    const FrameInertia n = frame_inertia(c, j);
    const Number across = n.across;
    Number3 off = frame_off(c, j, turn), along = mul3(axis, n.more);
    f->t = add3(f->t, add3(mul3(off, across), mul3(along, dot3(axis, off))));
    D->a[3][3] += across + along.x * axis.x;
    D->a[4][4] += across + along.y * axis.y;
    D->a[5][5] += across + along.z * axis.z;
    D->a[3][4] += along.x * axis.y;
    D->a[3][5] += along.x * axis.z;
    D->a[4][5] += along.y * axis.z;
}

// Blocks that an element between two sections adds to.
typedef struct Corner {
    Block *A, *B, *AB;
} Corner;

// m × (what moves the one end against the other)², with levers ra and rb.
INLINE void hold_ends(Corner to, Number m, Number3 ra, Number3 rb, Number3 rho_a, Number3 rho_b) {
    Number(*A)[SLICE_UNKNOWNS] = to.A->a, (*B)[SLICE_UNKNOWNS] = to.B->a,
    (*M)[SLICE_UNKNOWNS] = to.AB->a;
    EACH(n, 0, 3) {
        A[n][n] += m;
        B[n][n] += m;
        M[n][n] -= m;
    }
    Number3 ma = mul3(ra, m), mb = mul3(rb, m);
    add_lever(A, ma);
    add_lever(B, mb);
    add_spin(A, ra, m);
    add_spin(B, rb, m);
    // Of c_a with θ_b: m [r_b], and of θ_a with c_b: −m [r_a].
    M[0][4] -= mb.z;
    M[0][5] += mb.y;
    M[1][3] += mb.z;
    M[1][5] -= mb.x;
    M[2][3] -= mb.y;
    M[2][4] += mb.x;
    M[3][1] += ma.z;
    M[3][2] -= ma.y;
    M[4][0] -= ma.z;
    M[4][2] += ma.x;
    M[5][0] += ma.y;
    M[5][1] -= ma.x;
    // Of the turns: m [r_a][r_b] = m (r_b r_aᵀ − r_a·r_b).
    Number both = dot3(ma, rb);
    const Number a[3] = {ma.x, ma.y, ma.z}, b[3] = {rb.x, rb.y, rb.z};
    EACH(r, 0, 3) {
        EACH(n, 0, 3) M[3 + r][3 + n] += b[r] * a[n];
        M[3 + r][3 + r] -= both;
    }
    Number3 pa = mul3(rho_a, m), pb = mul3(rho_b, m);
    Number3 own_a = cross3(ra, pa), own_b = cross3(rb, pb), far_a = cross3(ra, pb),
            far_b = cross3(rb, pa);
    const Number va[7] = {pa.x, pa.y, pa.z, own_a.x, own_a.y, own_a.z, dot3(pa, rho_a)};
    const Number vb[7] = {pb.x, pb.y, pb.z, own_b.x, own_b.y, own_b.z, dot3(pb, rho_b)};
    EACH(n, 0, 7) {
        A[n][6] += va[n];
        B[n][6] += vb[n];
    }
    const Number down[6] = {pb.x, pb.y, pb.z, far_a.x, far_a.y, far_a.z};
    const Number along[6] = {pa.x, pa.y, pa.z, far_b.x, far_b.y, far_b.z};
    EACH(n, 0, 6) {
        M[n][6] -= down[n];
        M[6][n] -= along[n];
    }
    M[6][6] -= dot3(pa, rho_b);
}

// m × j jᵀ.
INLINE void hold_along(Corner to, Number m, const Number ja[SLICE_UNKNOWNS],
                       const Number jb[SLICE_UNKNOWNS]) {
    EACH(r, 0, SLICE_UNKNOWNS) {
        Number ma = m * ja[r], mb = m * jb[r];
        EACH(n, 0, SLICE_UNKNOWNS) {
            if (n >= r) {
                to.A->a[r][n] += ma * ja[n];
                to.B->a[r][n] += mb * jb[n];
            }
            to.AB->a[r][n] += ma * jb[n];
        }
    }
}

// How the cross-section of a frustum has grown, and how it does with both scales.
typedef struct Grown {
    Number area, by_a, by_b;
} Grown;

INLINE Grown grown_by(const Slices *c, int j, Number sa, Number sb) {
    const int *edge = c->graph->edge[j];
    const int i = c->lanes.i;
    Number ra = load_row(&c->pack->rest[edge[0]].radius[i]);
    Number rb = load_row(&c->pack->rest[edge[1]].radius[i]);
    Number p = ra * ra, q = ra * rb, r = rb * rb, by = 1.0 / (p + q + r);
    p *= by;
    q *= by;
    r *= by;
    return (Grown){(p * sa + q * sb) * sa + r * sb * sb, 2.0 * p * sa + q * sb,
                   q * sa + 2.0 * r * sb};
}

// How the volume between two sections changes with their unknowns.
typedef struct Volume {
    Number error;  // φ, less what damping starts from
    Number before; // φ when the sub-step began
    Number over;   // 1/Σ a l₀
    Number ja[SLICE_UNKNOWNS], jb[SLICE_UNKNOWNS];
} Volume;

INLINE void hold_scales(Corner to, const NewtonSegment *e) {
    to.A->a[6][6] += e->kc + e->kd;
    to.B->a[6][6] += e->kc + e->kd;
    to.AB->a[6][6] += e->kc - e->kd;
}

// Of ½ k (w·d)², of a segment that lies against its frame: half of each section's turn is the frame's.
INLINE void hold_back(Corner to, const NewtonSegment *e, Number3 ra, Number3 rb, Number3 rho_a,
                      Number3 rho_b) {
    const Number3 w = e->w, half = mul3(cross3(w, e->d), splat(0.5));
    const Number3 ta = sub3(half, cross3(ra, w)), tb = add3(half, cross3(rb, w));
    const Number ja[7] = {-w.x, -w.y, -w.z, ta.x, ta.y, ta.z, -dot3(rho_a, w)};
    const Number jb[7] = {w.x, w.y, w.z, tb.x, tb.y, tb.z, dot3(rho_b, w)};
    hold_along(to, e->back, ja, jb);
}

INLINE void add_segment_hessian(Corner to, const Pair *pair, const NewtonSegment *e, Number3 ra,
                                Number3 rb, Volume *volume, const Grown *grown, Number pull) {
    Number shear = e->shear * e->over_length, tension = pull * e->over_length;
    Number3 n = e->n, half = mul3(e->d, splat(0.5));
    Number3 rho_a = mul3(ra, pair->by_a), rho_b = mul3(rb, pair->by_b);
    Number3 ta = cross3(ra, n), tb = cross3(rb, n);
    const Number ja[7] = {-n.x, -n.y, -n.z, -ta.x, -ta.y, -ta.z, -dot3(rho_a, n)};
    const Number jb[7] = {n.x, n.y, n.z, tb.x, tb.y, tb.z, dot3(rho_b, n)};
    // Tension holds the middle as well, to which it does nothing in truth: with its ends alone, sections that
    // pull hard tilt to and fro between two sub-steps. It makes a step shorter, and no force another one.
    hold_ends(to, shear + tension, add3(ra, half), sub3(rb, half), rho_a, rho_b);
    hold_ends(to, tension, ra, rb, rho_a, rho_b);
    hold_along(to, e->k - shear - tension - tension, ja, jb);
    if (e->any_turned)
        hold_back(to, e, ra, rb, rho_a, rho_b);
    if (volume == NULL)
        return;
    hold_scales(to, e);
    Number a = e->kv * e->l0, along = a * grown->area, swell = a * e->length;
    EACH(k, 0, SLICE_UNKNOWNS) {
        volume->ja[k] += along * ja[k];
        volume->jb[k] += along * jb[k];
    }
    volume->ja[6] += swell * grown->by_a;
    volume->jb[6] += swell * grown->by_b;
}

// The volume between two sections as it is, and as damping remembers it.
INLINE Volume volume_of(const Slices *c, const Pair *pair) {
    const RodPack *pack = c->pack;
    const int i = c->lanes.i;
    Number sum = splat(0.0), all = splat(LEAST_PIVOT), before = sum;
    for (int e = c->graph->slice_begin[pair->k]; e < c->graph->slice_begin[pair->k + 1]; ++e) {
        int j = c->graph->slice_segment[e];
        const int *edge = c->graph->edge[j];
        const RodPrepared *p = pack->prepared + j;
        const RodWork *g = pack->work + j;
        Number l0 = load_row(&p->length[i]), a = load_row(&p->k_volume[i]) * l0;
        Number3 was = {load_row(&g->ex[i]), load_row(&g->ey[i]), load_row(&g->ez[i])};
        Number3 d = add3(was, sub3(slice_load3(pack->member[edge[1]].u, i),
                                   slice_load3(pack->member[edge[0]].u, i)));
        sum += a * (grown_by(c, j, pair->sa, pair->sb).area * number_sqrt(dot3(d, d)) - l0);
        all += a * l0;
        Grown old = grown_by(c, j, load_row(&pack->work[edge[0]].ps[i]),
                             load_row(&pack->work[edge[1]].ps[i]));
        before += a * (old.area * number_sqrt(dot3(was, was)) - l0);
    }
    Volume v = {.over = 1.0 / all};
    EACH(k, 0, SLICE_UNKNOWNS) v.ja[k] = v.jb[k] = splat(0.0);
    v.before = before * v.over;
    v.error = sum * v.over;
    if (c->lanes.damped)
        v.error -= (1.0 - load_row(&pack->undamped_volume[i])) * v.before;
    return v;
}

typedef struct Sides {
    Forces *a, *b;
} Sides;

// The tension of a segment when the sub-step began, or 0 where it was pushed. Where an iteration starts, velocities
// have strained segments by far more than the force there is.
INLINE Number tension_before(const Slices *c, int j, const NewtonSegment *e, const Volume *volume) {
    const RodPack *pack = c->pack;
    const RodWork *g = pack->work + j;
    const int i = c->lanes.i, *edge = c->graph->edge[j];
    Number3 was = {load_row(&g->ex[i]), load_row(&g->ey[i]), load_row(&g->ez[i])};
    Number pull =
        e->k * load_row(&pack->undamped_along[i]) * (number_sqrt(dot3(was, was)) - e->taut);
    if (volume) {
        Grown old = grown_by(c, j, load_row(&pack->work[edge[0]].ps[i]),
                             load_row(&pack->work[edge[1]].ps[i]));
        pull += e->kv * load_row(&pack->undamped_volume[i]) * e->l0 * volume->before * old.area;
    }
    return number_max(pull, splat(0.0));
}

// What a muscle's fibre pulls less with the faster it shortens: a damper between the ends of the segment.
typedef struct Rate {
    Number longer, k;
} Rate;

INLINE Rate rate_of(const Slices *c, int j, const NewtonSegment *e) {
    const RodWork *g = c->pack->work + j;
    const int i = c->lanes.i;
    Number3 was = {load_row(&g->ex[i]), load_row(&g->ey[i]), load_row(&g->ez[i])};
    Number longer = e->length - number_sqrt(dot3(was, was));
    return (Rate){longer, number_if_less(longer, splat(0.0),
                                         load_row(&c->pack->prepared[j].k_viscous[0][i]),
                                         load_row(&c->pack->prepared[j].k_viscous[1][i]))};
}

INLINE void add_segment(const Slices *c, const Pair *pair, Volume *volume, int j, Corner to,
                        Sides f) {
    RodPack *pack = c->pack;
    const int i = c->lanes.i, va = c->graph->edge[j][0], vb = c->graph->edge[j][1];
    const NewtonVertex a = member_vertex(c, va, pair->sa), b = member_vertex(c, vb, pair->sb);
    NewtonSegment e = newton_segment(c->lanes, j, a, b, segment_frame(c, j, pair->mean));
    const Number tension = tension_before(c, j, &e, volume);
    const Rate rate = rate_of(c, j, &e);
    e.f += rate.k * rate.longer;
    e.k += rate.k;
    Number on_a[UNKNOWNS] = {0}, on_b[BEHIND] = {0};
    pull_by_segment(on_a, on_b, &e, false, c->lanes.damped);
    Number3 force = {on_a[X], on_a[X + 1], on_a[X + 2]};
    Grown grown;
    if (volume) {
        grown = grown_by(c, j, pair->sa, pair->sb);
        e.fv = e.kv * e.l0 * volume->error;
        force = add3(force, mul3(e.n, e.fv * grown.area));
        f.a->s -= e.length * e.fv * grown.by_a + (e.fc - e.fd);
        f.b->s -= e.length * e.fv * grown.by_b + (e.fc + e.fd);
    }
    Number3 torque =
        add3(add3(mul3(e.a1, on_a[T]), mul3(e.a2, on_a[T + 1])), mul3(e.w, on_a[T + 2]));
    Number3 ra = slice_load3(pack->member[va].lever, i),
            rb = slice_load3(pack->member[vb].lever, i);
    if (c->pulls)
        *c->pulls += dot3(force, force);
    pull_member(f.a, ra, mul3(ra, pair->by_a), force);
    pull_member(f.b, rb, mul3(rb, pair->by_b), mul3(force, splat(-1.0)));
    Number3 straight = mul3(torque, splat(0.5)), askew = mul3(cross3(pair->g, torque), splat(0.5));
    f.a->t = add3(f.a->t, add3(straight, askew));
    f.b->t = add3(f.b->t, sub3(straight, askew));
    add_frame(c, j, e.w, pair->turn_a, to.A, f.a);
    add_frame(c, j, e.w, pair->turn_b, to.B, f.b);
    add_segment_hessian(to, pair, &e, ra, rb, volume, &grown, tension);
}

INLINE Number3 tangent_between(Number4 a, Number4 b) {
    Number4 t = quat_between(a, b);
    Number by = 1.0 / number_max(t.w, splat(COSINE_MIN));
    return (Number3){t.x * by, t.y * by, t.z * by};
}

INLINE Number3 bend_times(const Number H[6], Number3 v) {
    return (Number3){H[0] * v.x + H[1] * v.y + H[2] * v.z, H[1] * v.x + H[3] * v.y + H[4] * v.z,
                     H[2] * v.x + H[4] * v.y + H[5] * v.z};
}

// Of two sections, the potential ½ Wᵀ H W.
typedef struct BendStrain {
    Number H[6];
    Number3 t, W;
    Number s;
} BendStrain;

INLINE BendStrain bend_strain(const Slices *c, const Pair *pair) {
    RodSlice *a = c->pack->slice + pair->k, *b = a + 1;
    const int i = c->lanes.i;
    BendStrain e;
    EACH(n, 0, 6) e.H[n] = load_row(&a->bend[n][i]);
    e.t = tangent_between(slice_load4(a->q, i), slice_load4(b->q, i));
    e.s = 0.5 * (pair->sa + pair->sb);
    e.W = mul3(e.t, 2.0 * e.s);
    if (c->lanes.damped) {
        Number3 before = tangent_between(slice_load4(a->q0, i), slice_load4(b->q0, i));
        Number s0 = c->lanes.volume ? (Number)(0.5 * (load(&a->s0[i]) + load(&b->s0[i]))) : e.s;
        Number damped = 1.0 - load_row(&c->pack->undamped[i]);
        e.W = sub3(e.W, mul3(before, 2.0 * s0 * damped));
    }
    return e;
}

// Bending and twist between two sections.
INLINE void add_bend(const Slices *c, const Pair *pair, Corner to, Sides f) {
    const int i = c->lanes.i;
    const BendStrain e = bend_strain(c, pair);
    const Number3 t = e.t, F = bend_times(e.H, e.W);
    const Number s = e.s, steep = 1.0 + dot3(t, t);
    const Number4 qa = slice_load4(c->pack->slice[pair->k].q, i);
    const Axes R = axes_of(qa);
    Number3 own = mul3(add3(add3(F, cross3(t, F)), mul3(t, dot3(t, F))), s);
    Number3 torque = turned_by(&R, own);
    f.a->t = add3(f.a->t, torque);
    f.b->t = sub3(f.b->t, torque);
    if (c->lanes.volume) {
        Number squeeze = dot3(t, F);
        f.a->s -= squeeze;
        f.b->s -= squeeze;
    }
    // s² R H Rᵀ, and at most (1 + t²)² of it where the angle is large.
    Number3 columns[3],
        rows[3] = {{R.x.x, R.y.x, R.z.x}, {R.x.y, R.y.y, R.z.y}, {R.x.z, R.y.z, R.z.z}};
    EACH(n, 0, 3) columns[n] = mul3(bend_times(e.H, rows[n]), s * s * steep * steep);
    EACH(r, 0, 3) {
        EACH(n, 0, 3) {
            Number h = dot3(rows[r], columns[n]);
            if (n >= r) {
                to.A->a[3 + r][3 + n] += h;
                to.B->a[3 + r][3 + n] += h;
            }
            to.AB->a[3 + r][3 + n] -= h;
        }
    }
}

INLINE void clear_block(Block *b) {
    EACH(r, 0, SLICE_UNKNOWNS) EACH(n, 0, SLICE_UNKNOWNS) b->a[r][n] = splat(0.0);
}

// Blocks and forces of a section and the next, in turn.
typedef struct Front {
    Block own[2], beside;
    Forces f[2];
} Front;

INLINE void begin_front(const Slices *c, Front *front) {
    for (int n = 0; n < 2; ++n) {
        clear_block(&front->own[n]);
        front->f[n] = (Forces){zero3(), zero3(), splat(0.0)};
    }
    place_members(c, 0);
}

// All that belongs to section k, and what is between it and the next one.
INLINE void assemble_slice(const Slices *c, int k, Front *front) {
    Block *A = &front->own[k & 1], *B = &front->own[~k & 1];
    const Sides sides = {&front->f[k & 1], &front->f[~k & 1]};
    add_members(c, k, A, sides.a);
    clear_block(&front->beside);
    if (k + 1 == c->graph->sections)
        return;
    place_members(c, k + 1);
    const Pair pair = pair_of(c, k);
    const Corner to = {A, B, &front->beside};
    Volume volume;
    if (c->lanes.volume)
        volume = volume_of(c, &pair);
    for (int e = c->graph->slice_begin[k]; e < c->graph->slice_begin[k + 1]; ++e)
        add_segment(c, &pair, c->lanes.volume ? &volume : NULL, c->graph->slice_segment[e], to,
                    sides);
    if (c->lanes.volume)
        hold_along(to, volume.over, volume.ja, volume.jb);
    add_bend(c, &pair, to, sides);
}

INLINE void leave_slice(int k, Front *front) {
    clear_block(&front->own[k & 1]);
    front->f[k & 1] = (Forces){zero3(), zero3(), splat(0.0)};
}
