// Where a chain's numbers lie, and what is different where it is closed. Included by newton_chain.h.
#pragma once

#include "rod/newton_front.h"

_Static_assert(KEPT_CLOSED * sizeof(Number) + sizeof(RodForces) <= FRONT_BYTES,
               "rows that workers lend");

typedef struct Chains {
    NewtonLanes lanes;
    RodForces *forces;
    Number *kept;
    Kind kind;
    Number ring;           // 1 for closed rods
    Number end;            // row of their ghost
    Number lap, lap_ratio; // of the second difference over their seam
    Number lap_force;
    Number *border_kept; // of a border that was solved for: U − 1, and D⁻¹ at KEPT_D
    int spread; // the lane whose factors all lanes have, see newton_answer.h; −1: each its own
} Chains;

// What the first iteration of a sub-step leaves of these lanes (RodPack.factors).
INLINE Number *chain_factors(const RodPack *pack, int i) {
    return (Number *)pack->factors +
           (size_t)(i / NUMBER_LANES) * (size_t)(pack->rows + 1) * KEPT_OPEN;
}

INLINE Chains chains(RodPack *pack, int i, bool volume, bool ring, bool bent, bool turned) {
    RodForces *forces = pack->front;
    Chains c = {.lanes = newton_lanes(pack, i),
                .spread = -1,
                .forces = forces,
                .kept = pack->factoring && !NEWTON_DOUBLE ? chain_factors(pack, i)
                                                          : (Number *)(forces + pack->rows + 1),
                .kind = {volume ? UNKNOWNS : S, ring, bent}};
    c.lanes.volume = volume;
    c.lanes.bent = bent;
    c.lanes.turned = c.lanes.halved = turned;
    return c;
}

INLINE Number *kept_of(const Chains *c, int j) {
    return c->kept + (size_t)j * (size_t)kept(c->kind);
}

// −∇φ of unknown k of station j, and later its step.
INLINE Number *row_of(const Chains *c, int j, int k) {
#if NEWTON_DOUBLE
    return (Number *)&c->forces[j].exact[k][c->lanes.i];
#else
    return (Number *)&c->forces[j].rough[k][c->lanes.i];
#endif
}

// The second difference s_n−1, s_0, s_1 over the seam of a closed rod belongs to station 1 as well,
// which is gone when its ghost is reached.
INLINE void find_seams(Chains *c) {
    const RodPack *pack = c->lanes.pack;
    c->ring = c->lap = c->lap_ratio = c->lap_force = splat(0.0f);
    c->end = splat(-1.0f);
    for (int k = 0; c->kind.ring && k < pack->seam_count; ++k) {
        int lane = pack->seams[k].lane, row = pack->seams[k].row, at = lane - c->lanes.i;
        if (at < 0 || at >= NUMBER_LANES)
            continue;
        c->ring[at] = 1.0f;
        c->end[at] = (float)row;
        if (!c->lanes.volume)
            continue;
        const RodPrepared *p = pack->prepared + row;
        const RodWork *u = pack->work + row;
        const int i = c->lanes.i;
        c->lap_ratio[at] = p->lap_ratio[lane];
        c->lap[at] = in_units(c->lanes, p->k_lap)[at];
        Number mu = newton_multiplier(c->lanes, pack->work[row].lap);
        Number before = newton_grown(u - 1, i, true), here = newton_grown(u, i, true);
        Number lap = newton_grown(u + 1, i, true) - here - c->lap_ratio * (here - before);
        c->lap_force[at] = c->lap[at] * lap[at] - mu[at];
    }
}

// 1 for lanes whose row j this is.
INLINE Number is_row(Number row, int j) {
    Number off = row - (float)j;
    return number_if_less(off * off, splat(0.25f), splat(1.0f), splat(0.0f));
}

INLINE NewtonInertia chain_inertia(const Chains *c, int j) {
    NewtonInertia n = newton_inertia(c->lanes, j);
    if (!c->kind.ring)
        return n;
    // A ghost moves with what it repeats.
    Number own = 1.0f - c->ring * (is_row(c->end, j) + is_row(c->end + 1.0f, j));
    return (NewtonInertia){n.mass * own, n.scale * own,      n.turn * own,      n.roll * own,
                           n.free * own, n.free_scale * own, n.free_frame * own};
}

// The first station of a closed rod becomes its border.
INLINE void keep_border(const Chains *c, Station *f, Rest *next, Border *border) {
    Number closed = c->ring, open = 1.0f - c->ring;
    EACH(k, 0, c->kind.n) {
        EACH(m, k, c->kind.n) {
            border->A[k][m] = closed * f->A[k][m];
            f->A[k][m] *= open;
        }
        border->A[k][k] += open;
        f->A[k][k] += closed;
        border->r[k] = closed * f->r[k];
        f->r[k] *= open;
        EACH(m, 0, columns(c->kind)) {
            if (!sees(k, m))
                continue;
            next->C[m][k] += closed * f->B[k][m];
            f->B[k][m] *= open;
        }
    }
}

// What the last station of a closed rod has to do with its ghost, it has to do with the border. The
// one entry that would couple it with station 1 is replaced by a bound.
INLINE void join_border(const Chains *c, int j, Station *f, Rest *next, Border *border) {
    Number here = is_row(c->end - 1.0f, j), elsewhere = 1.0f - here;
    if (c->lanes.volume) {
        f->A[S][S] += here * (c->lap * c->lap_ratio);
        if (j == 1) {
            Number back = 1.0f + c->lap_ratio;
            f->A[S][S] += c->lap * back;
            f->C[S][S] -= c->lap * back;
        }
    }
    EACH(k, 0, c->kind.n) {
        EACH(m, 0, c->kind.n) {
            if (sees(k, m))
                f->C[k][m] += here * f->B[k][m];
            border->A[k][m] += m >= k ? (Number)(here * next->A[k][m]) : splat(0.0f);
        }
        border->r[k] += here * next->r[k];
        EACH(m, 0, columns(c->kind)) {
            if (sees(k, m))
                f->B[k][m] *= elsewhere;
        }
        // The scale of the ghost, which the station before the last one knows of, is the border's.
        if (c->lanes.volume)
            border->A[k][S] += (k == S ? 2.0f : 1.0f) * (here * next->C[S][k]);
    }
    EACH(k, 0, columns(c->kind)) {
        next->r[k] *= elsewhere;
        EACH(m, k, columns(c->kind)) { next->A[k][m] *= elsewhere; }
        EACH(m, 0, c->kind.n) { next->C[k][m] *= elsewhere; }
    }
}

// The step of station 0 of closed rods.
INLINE void solve_border(const Chains *c, const Border *border, Number step[UNKNOWNS],
                         Number *least) {
    Station f;
    Rest none;
    Number behind[BEHIND], *keep = c->border_kept;
    const Kind alone = {c->kind.n, false, c->kind.bent};
    clear_rest(&none, alone);
    EACH(k, 0, BEHIND) { behind[k] = splat(0.0f); }
    EACH(k, 0, c->kind.n) {
        f.r[k] = border->r[k];
        EACH(m, k, c->kind.n) { f.A[k][m] = border->A[k][m]; }
        EACH(m, 0, BEHIND) { f.B[k][m] = splat(0.0f); }
    }
    factor(&f, keep, alone, least);
    leave(&f, &none, keep, alone);
    EACH(k, 0, c->kind.n) {
        step[k] = f.r[k] * f.D[k];
        keep[KEPT_D + k] = f.D[k];
    }
    substitute(step, keep, behind, behind, alone);
    EACH(k, 0, c->kind.n) { step[k] *= c->ring; }
}

// The same with another right side, in its place.
INLINE void carry_border(const Chains *c, Number r[UNKNOWNS]) {
    const Number *own = c->border_kept;
    EACH(k, 1, c->kind.n) { EACH(i, 0, k) r[k] -= own[k * (k - 1) / 2 + i] * r[i]; }
    EACH(k, 0, c->kind.n) { r[k] *= c->ring * own[KEPT_D + k]; }
    EACH(back, 1, c->kind.n) {
        const int k = c->kind.n - back;
        EACH(i, 0, k) r[i] -= own[k * (k - 1) / 2 + i] * r[k];
    }
}

// Ghosts move with what they repeat.
INLINE void move_ghosts(const Chains *c) {
    const RodPack *pack = c->lanes.pack;
    for (int k = 0; k < pack->seam_count; ++k) {
        int row = pack->seams[k].row, at = pack->seams[k].lane - c->lanes.i;
        for (int m = 0; at >= 0 && at < NUMBER_LANES && m < 2 * c->kind.n; ++m)
            (*row_of(c, row + m % 2, m / 2))[at] = (*row_of(c, m % 2, m / 2))[at];
    }
}
