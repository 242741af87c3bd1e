// The direct sweep over chains: Hessian, elimination, and the step. Included by the files that say
// in which numbers (newton_lanes.h).
//
// The Hessian (newton_terms.h) is eliminated station by station along the rod (newton_front.h). It
// is positive definite, so there is no pivoting; with the inertia in it, its condition is bounded by
// 1 + k G, the stiffest element against its inertia, however long the rod is. That is up to 10¹⁰ for
// a steel wire in a long step: double holds it, float does not.
//
// The whole step is taken, also where φ does not fall at once: where frames turn far, segments that
// keep their length to first order end up too long, which the next iteration puts right. Insisting
// on a falling φ means to creep along a narrow, curved valley. Only steps that turn a frame by more
// than half a radian are shortened.
#pragma once

#include "rod/newton_answer.h"
#include "rod/newton_closed.h"
#include "rod/newton_forces.h"
#include "rod/newton_move.h"
#include "rod/newton_terms.h"

// All that belongs to station j: its inertia, the segment and the joint behind it.
INLINE void add_station(const Chains *c, int j, Station *f, Rest *next) {
    const RodPack *pack = c->lanes.pack;
    const NewtonLanes at = c->lanes;
    const RodWork *u = pack->work + j;
    const RodState *s = pack->state + j;
    NewtonVertex v = newton_vertex(u, at.i, at.volume);
    Number4 q = newton_frame(s, at.i);
    if (OWN_FORCES) {
        NewtonInertia own = newton_own_inertia(at, j);
        pull_vertex(f->pull, at, j, own, v.u);
        pull_frame(f->pull, at, j, own, q);
    }
    InertiaTerms of_inertia =
        c->kind.ring ? inertia_terms(chain_inertia(c, j)) : plain_inertia_terms(at, j);
    add_inertia(f, &of_inertia, at.volume);
    if (j == pack->rows)
        return;
    NewtonVertex v_next = newton_vertex(u + 1, at.i, at.volume);
    NewtonSegment g = newton_segment(at, j, v, v_next, q);
    SegmentTerms of_segment = segment_terms(&g, newton_tension(at, &g, j, j, j + 1), at);
    add_segment(f, next, &of_segment, at);
    if (OWN_FORCES)
        pull_by_segment(f->pull, next->pull, &g, at.volume, at.damped);
    if (j + 1 == pack->rows && !pack->walled)
        return;
    Number4 q_next = newton_frame(s + 1, at.i);
    Number after = newton_grown(u + 2, at.i, at.volume && j + 1 < pack->rows);
    NewtonJoint e = newton_joint(at, j + 1, q, q_next, v.grown, v_next.grown, after);
    JointTerms of_joint = joint_terms(&e, at);
    add_joint(f, next, &of_joint, at.volume);
    if (OWN_FORCES)
        pull_by_joint(f->pull, next->pull, &e, at);
}

// Of all elements that there are, on unknown k.
INLINE Number force_on(const Chains *c, int j, const Station *f, int k) {
    if (!OWN_FORCES)
        return *row_of(c, j, k);
    const RodPack *pack = c->lanes.pack;
    if (pack->exact_lanes == pack->precise_lanes)
        return f->pull[k];
    return chosen(load_row(&pack->exact[c->lanes.i]), *row_of(c, j, k), f->pull[k]);
}

INLINE void eliminate_station(const Chains *c, int j, const Rest *before, Rest *next,
                              Border *border, Number *least) {
    Station f;
    Number *keep = kept_of(c, j);
    begin_station(&f, next, before, c->kind);
    add_station(c, j, &f, next);
    if (c->lanes.volume)
        f.A[S][S] += bound_scale(c->lanes, j, force_on(c, j, &f, S));
    EACH(k, 0, c->kind.n) { f.r[k] += force_on(c, j, &f, k); }
    if (c->kind.ring && j == 0)
        keep_border(c, &f, next, border);
    else if (c->kind.ring)
        join_border(c, j, &f, next, border);
    factor(&f, keep, c->kind, least);
    leave(&f, next, keep, c->kind);
    if (c->kind.ring)
        leave_border(&f, border, keep + KEPT_OPEN, c->kind);
    EACH(k, 0, c->kind.n) { *row_of(c, j, k) = f.r[k] * f.D[k]; }
    if (c->lanes.pack->tie_count > 0 || c->lanes.pack->factoring)
        EACH(k, 0, c->kind.n) { keep[KEPT_D + k] = f.D[k]; }
}

// The joints of the first segments with their walls (wall.h): what they are to station 0.
INLINE void begin_at_walls(const Chains *c, Rest *rest) {
    const NewtonLanes at = c->lanes;
    const RodState *s = at.pack->state;
    Station none = {0};
    Number grown = newton_grown(at.pack->work, at.i, at.volume);
    NewtonJoint e =
        newton_joint(at, 0, newton_frame(s - 1, at.i), newton_frame(s, at.i), grown, grown, grown);
    JointTerms of_joint = joint_terms(&e, at);
    add_joint(&none, rest, &of_joint, at.volume);
    if (OWN_FORCES)
        pull_by_joint(none.pull, rest->pull, &e, at);
}

// Returns the least pivot.
INLINE Number eliminate_all(const Chains *c, Border *border) {
    Number least = splat(0.0f);
    Rest rest[2];
    clear_rest(&rest[0], c->kind);
    if (c->lanes.pack->walled)
        begin_at_walls(c, &rest[0]);
    for (int j = 0; j <= c->lanes.pack->rows; ++j)
        eliminate_station(c, j, &rest[j & 1], &rest[~j & 1], border, &least);
    return least;
}

INLINE NewtonStep step_from(const Chains *c, const Number r[UNKNOWNS]) {
    Number swell = c->lanes.volume ? r[S] : splat(0.0f);
    return (NewtonStep){{r[X], r[X + 1], r[X + 2]}, {r[T], r[T + 1], r[T + 2]}, swell};
}

INLINE NewtonStep step_of(const Chains *c, int j) {
    Number r[UNKNOWNS];
    EACH(k, 0, c->kind.n) { r[k] = *row_of(c, j, k); }
    return step_from(c, r);
}

INLINE NewtonReach substitute_all(const Chains *c, const Number border[UNKNOWNS]) {
    Number behind[BEHIND];
    NewtonReach most = no_reach();
    EACH(k, 0, BEHIND) { behind[k] = splat(0.0f); }
    for (int j = c->lanes.pack->rows; j >= 0; --j) {
        Number r[UNKNOWNS];
        EACH(k, 0, c->kind.n) { r[k] = *row_of(c, j, k); }
        substitute(r, kept_of(c, j), behind, border, c->kind);
        NewtonInertia n = chain_inertia(c, j);
        behind[SS] = behind[S];
        EACH(k, 0, c->kind.n) {
            if (c->kind.ring && j == 0)
                r[k] += border[k];
            r[k] *= k < T ? n.free : k < S ? n.free_frame : n.free_scale;
            *row_of(c, j, k) = behind[k] = r[k];
        }
        reach(&most, c->lanes, j, step_from(c, r), n.mass);
    }
    if (c->kind.ring)
        move_ghosts(c);
    return most;
}

// A station on the way down, as `factor`, `leave` and their like for borders have it, with another right side.
INLINE void carry_down(const Chains *c, int j, Number rest[BEHIND], Number border[UNKNOWNS]) {
    const Number *keep = kept_of(c, j), *own = keep;
    Number r[UNKNOWNS], next[BEHIND];
    EACH(k, 0, BEHIND) { next[k] = splat(0.0f); }
    EACH(k, 0, c->kind.n) {
        r[k] = *row_of(c, j, k) + rest[k];
        if (c->kind.ring && j == 0) {
            border[k] += c->ring * r[k];
            r[k] -= c->ring * r[k];
        }
    }
    EACH(k, 1, c->kind.n) { EACH(i, 0, k) r[k] -= own[k * (k - 1) / 2 + i] * r[i]; }
    if (c->kind.n == UNKNOWNS)
        next[S] = rest[SS];
    if (c->kind.n == UNKNOWNS && c->kind.ring && j > 0) {
        Number here = is_row(c->end - 1.0f, j);
        border[S] += here * next[S];
        next[S] -= here * next[S];
    }
    keep += kept_own(c->kind);
    EACH(m, 0, columns(c->kind)) {
        EACH(k, 0, c->kind.n) if (sees(k, m)) next[m] -= *keep++ * r[k];
    }
    keep = own + KEPT_OPEN;
    EACH(m, 0, borders(c->kind)) { EACH(k, 0, c->kind.n) border[m] -= *keep++ * r[k]; }
    EACH(k, 0, c->kind.n) { *row_of(c, j, k) = r[k] * own[KEPT_D + k]; }
    EACH(k, 0, BEHIND) { rest[k] = next[k]; }
}

INLINE void carry_back(const Chains *c, int j, Number behind[BEHIND],
                       const Number border[UNKNOWNS]) {
    Number r[UNKNOWNS];
    EACH(k, 0, c->kind.n) { r[k] = *row_of(c, j, k); }
    substitute(r, kept_of(c, j), behind, border, c->kind);
    NewtonInertia n = chain_inertia(c, j);
    if (c->spread >= 0) {
        n.free = splat(n.free[c->spread]);
        n.free_frame = splat(n.free_frame[c->spread]);
        n.free_scale = splat(n.free_scale[c->spread]);
    }
    behind[SS] = behind[S];
    EACH(k, 0, c->kind.n) {
        if (c->kind.ring && j == 0)
            r[k] += border[k];
        r[k] *= k < T ? n.free : k < S ? n.free_frame : n.free_scale;
        *row_of(c, j, k) = behind[k] = r[k];
    }
}

static Number *chain_place(const void *rods, int vertex, int axis) {
    return row_of(rods, vertex, axis);
}

static void clear_chains(const void *rods) {
    const Chains *c = rods;
    for (int j = 0; j <= c->lanes.pack->rows; ++j)
        for (int k = 0; k < c->kind.n; ++k)
            *row_of(c, j, k) = splat(0.0f);
}

// `kind` is that of the chains; the compiler is to know it.
INLINE void carry_as(Chains c, Kind kind, int first, int lowest) {
    Number beside[BEHIND], border[UNKNOWNS];
    c.kind = kind;
    EACH(k, 0, BEHIND) { beside[k] = splat(0.0f); }
    EACH(k, 0, UNKNOWNS) { border[k] = splat(0.0f); }
    for (int j = first; j <= c.lanes.pack->rows; ++j)
        carry_down(&c, j, beside, border);
    if (kind.ring)
        carry_border(&c, border);
    EACH(k, 0, BEHIND) { beside[k] = splat(0.0f); }
    for (int j = c.lanes.pack->rows; j >= lowest; --j)
        carry_back(&c, j, beside, border);
}

static void carry_chains(const void *rods, int first, int lowest) {
    const Chains *c = rods;
    const Kind volume = {UNKNOWNS, false, false}, classic = {S, false, false};
    const Kind volume_ring = {UNKNOWNS, true, false}, classic_ring = {S, true, false};
    if (c->kind.n == UNKNOWNS && c->kind.ring)
        carry_as(*c, volume_ring, first, lowest);
    else if (c->kind.n == UNKNOWNS)
        carry_as(*c, volume, first, lowest);
    else if (c->kind.ring)
        carry_as(*c, classic_ring, first, lowest);
    else
        carry_as(*c, classic, first, lowest);
}

// The factors that are kept stay as they are.
static void spread_chain(void *rods, int lane) {
    Chains *c = rods;
    const Chains from = *c;
    c->kept = (Number *)(c->forces + c->lanes.pack->rows + 1);
    for (int j = 0; j <= c->lanes.pack->rows; ++j)
        for (int k = 0; k < kept(c->kind); ++k)
            kept_of(c, j)[k] = splat(kept_of(&from, j)[k][lane]);
    for (int k = 0; k < KEPT_OPEN && c->kind.ring; ++k)
        c->border_kept[k] = splat(c->border_kept[k][lane]);
    c->ring = splat(c->ring[lane]);
    c->end = splat(c->end[lane]);
    c->spread = lane;
}

APART answer_chain_ties(Chains *c) {
    answer_ties(&(Tied){.pack = c->lanes.pack,
                        .i = c->lanes.i,
                        .rods = c,
                        .place = chain_place,
                        .clear = clear_chains,
                        .solve = carry_chains,
                        .spread = spread_chain});
}

INLINE void solve_and_move(RodPack *pack, int i, bool volume, bool ring, bool bent, bool turned) {
    Chains c = chains(pack, i, volume, ring, bent, turned);
    Border border = {0};
    Number step[UNKNOWNS] = {0}, border_kept[KEPT_OPEN];
    c.border_kept = border_kept;
    find_seams(&c);
    Number least = eliminate_all(&c, &border);
    if (ring)
        solve_border(&c, &border, step, &least);
    const NewtonPart part = part_to_take(c.lanes, substitute_all(&c, step), least);
    for (int j = 0; j <= pack->rows; ++j)
        move_by(c.lanes, j, step_of(&c, j), part);
    if (pack->tie_count > 0)
        answer_chain_ties(&c);
}

// One function for each kind of rods.
APART solve_volume(RodPack *pack, int i) { solve_and_move(pack, i, true, false, false, false); }
APART solve_classic(RodPack *pack, int i) { solve_and_move(pack, i, false, false, false, false); }
APART solve_bent_volume(RodPack *pack, int i) { solve_and_move(pack, i, true, false, true, false); }
APART solve_bent_classic(RodPack *pack, int i) {
    solve_and_move(pack, i, false, false, true, false);
}
APART solve_curved_volume(RodPack *pack, int i) {
    solve_and_move(pack, i, true, false, pack->newton_bent, true);
}
APART solve_curved_classic(RodPack *pack, int i) {
    solve_and_move(pack, i, false, false, pack->newton_bent, true);
}
APART solve_closed_volume(RodPack *pack, int i) {
    solve_and_move(pack, i, true, true, pack->newton_bent, pack->turn != NULL);
}
APART solve_closed_classic(RodPack *pack, int i) {
    solve_and_move(pack, i, false, true, pack->newton_bent, pack->turn != NULL);
}

INLINE void iterate_chains(RodPack *pack) {
    const bool ring = pack->seam_count > 0;
    for (int i = 0; i < pack->lanes; i += NUMBER_LANES) {
        if (!any_own(pack, i))
            continue;
        if (pack->classic && ring)
            solve_closed_classic(pack, i);
        else if (ring)
            solve_closed_volume(pack, i);
        else if (pack->classic && pack->turn)
            solve_curved_classic(pack, i);
        else if (pack->turn)
            solve_curved_volume(pack, i);
        else if (pack->classic && pack->newton_bent)
            solve_bent_classic(pack, i);
        else if (pack->classic)
            solve_classic(pack, i);
        else if (pack->newton_bent)
            solve_bent_volume(pack, i);
        else
            solve_volume(pack, i);
    }
}
