// The direct sweep: one iteration of Newton's method over all unknowns of a rod at once.
//
// Hessian and forces (newton.h, newton_terms.h) are eliminated station by station along the rod
// (newton_front.h), in double precision. The Hessian is positive definite, so there is no pivoting;
// with the inertia in it, its condition is bounded by 1 + k G, the stiffest element against its
// inertia, however long the rod is. That is up to 10¹⁰ for a steel wire in a long step: double holds
// it, float does not.
//
// The whole step is taken, also where φ does not fall at once: where frames turn far, segments that
// keep their length to first order end up too long, which the next iteration puts right. Insisting
// on a falling φ means to creep along a narrow, curved valley. Only steps that turn a frame by more
// than half a radian are shortened.
#include <assert.h>

#include "rod/newton_motion.h"
#include "rod/newton_terms.h"

_Static_assert(sizeof(Front) <= FRONT_BYTES, "rows that workers lend");

// WIDE_DOUBLE lanes of a pack from lane i up.
typedef struct Chains {
    RodPack *pack;
    Front *fronts;
    int i;
    bool volume, damped;
    Kind kind;
    Wide ring;                      // 1 for closed rods
    Wide end;                       // row of their ghost
    Wide lap, lap_ratio, lap_force; // of the second difference over their seam
} Chains;

// The second difference s_n−1, s_0, s_1 over the seam of a closed rod belongs to station 1 as well,
// which is gone when its ghost is reached.
INLINE void find_seams(Chains *c) {
    const RodPack *pack = c->pack;
    c->ring = c->lap = c->lap_ratio = c->lap_force = splat(0.0);
    c->end = splat(-1.0);
    for (int k = 0; c->kind.ring && k < pack->seam_count; ++k) {
        int lane = pack->seams[k].lane, row = pack->seams[k].row, at = lane - c->i;
        if (at < 0 || at >= WIDE_DOUBLE)
            continue;
        c->ring[at] = 1.0;
        c->end[at] = row;
        if (!c->volume)
            continue;
        const RodPrepared *p = pack->prepared + row;
        const RodState *s = pack->state + row;
        double ratio = (double)p->lap_ratio[lane];
        double W = (double)s[1].s[lane] - (double)s->s[lane] -
                   ratio * ((double)s->s[lane] - (double)s[-1].s[lane]);
        c->lap[at] = (double)p->k_lap[lane];
        c->lap_ratio[at] = ratio;
        c->lap_force[at] = c->lap[at] * W - (c->damped ? (double)pack->work[row].lap[lane] : 0.0);
    }
}

// 1 for lanes whose row j this is.
INLINE Wide is_row(Wide row, int j) {
    Wide off = row - (double)j;
    return wide_if_less(off * off, splat(0.25), splat(1.0), splat(0.0));
}

INLINE NewtonInertia inertia_of(const Chains *c, int j) {
    NewtonInertia n = newton_inertia(c->pack->prepared + j, c->pack->rest + j, c->i);
    if (!c->kind.ring)
        return n;
    // A ghost moves with what it repeats.
    Wide own = 1.0 - c->ring * (is_row(c->end, j) + is_row(c->end + 1.0, j));
    return (NewtonInertia){n.mass * own, n.scale * own,      n.turn * own,      n.roll * own,
                           n.free * own, n.free_scale * own, n.free_frame * own};
}

// The first station of a closed rod becomes its border.
INLINE void keep_border(const Chains *c, Front *f, Rest *next, Border *border) {
    Wide closed = c->ring, open = 1.0 - c->ring;
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
INLINE void join_border(const Chains *c, int j, Front *f, Rest *next, Border *border) {
    Wide here = is_row(c->end - 1.0, j), elsewhere = 1.0 - here;
    if (c->volume) {
        f->A[S][S] += here * (c->lap * c->lap_ratio);
        if (j == 1) {
            Wide back = 1.0 + c->lap_ratio;
            f->A[S][S] += c->lap * back;
            f->r[S] -= c->lap_force;
            f->C[S][S] -= c->lap * back;
        }
    }
    EACH(k, 0, c->kind.n) {
        EACH(m, 0, c->kind.n) {
            if (sees(k, m))
                f->C[k][m] += here * f->B[k][m];
            border->A[k][m] += m >= k ? (Wide)(here * next->A[k][m]) : splat(0.0);
        }
        border->r[k] += here * next->r[k];
        EACH(m, 0, columns(c->kind)) {
            if (sees(k, m))
                f->B[k][m] *= elsewhere;
        }
        // The scale of the ghost, which the station before the last one knows of, is the border's.
        if (c->volume)
            border->A[k][S] += (k == S ? 2.0 : 1.0) * (here * next->C[S][k]);
    }
    EACH(k, 0, columns(c->kind)) {
        next->r[k] *= elsewhere;
        EACH(m, k, columns(c->kind)) { next->A[k][m] *= elsewhere; }
        EACH(m, 0, c->kind.n) { next->C[k][m] *= elsewhere; }
    }
}

// All that belongs to station j: its inertia, the segment and the joint behind it.
INLINE void add_station(const Chains *c, int j, Front *f, Rest *next) {
    RodPack *pack = c->pack;
    const RodPrepared *p = pack->prepared + j;
    const RodWork *u = pack->work + j;
    const RodState *s = pack->state + j;
    NewtonVertex v = newton_vertex(s, u, c->i, c->volume);
    Wide4 q = newton_frame(s, c->i);
    NewtonInertia inertia = inertia_of(c, j);
    add_inertia(f, pack->aim + j, inertia, c->i, v, q, c->volume);
    if (j == pack->rows)
        return;
    NewtonVertex v_next = newton_vertex(s + 1, u + 1, c->i, c->volume);
    NewtonSegment g = newton_segment(p, u, c->i, v, v_next, q, c->volume, c->damped);
    add_segment(f, next, &g, c->volume);
    if (j + 1 == pack->rows)
        return;
    Wide4 q_next = newton_frame(s + 1, c->i);
    Wide s_after = c->volume ? load_floats(&s[2].s[c->i]) : splat(1.0);
    NewtonJoint e =
        newton_joint(p + 1, u + 1, c->i, q, q_next, v.s, v_next.s, s_after, c->volume, c->damped);
    add_joint(f, next, &e, c->volume, false);
}

INLINE void eliminate_all(const Chains *c, Border *border) {
    Rest rest[2];
    clear_rest(&rest[0], c->kind);
    for (int j = 0; j <= c->pack->rows; ++j) {
        Front *f = c->fronts + j;
        Rest *before = &rest[j & 1], *next = &rest[~j & 1];
        begin_station(f, next, before, c->kind);
        add_station(c, j, f, next);
        if (c->kind.ring && j == 0)
            keep_border(c, f, next, border);
        else if (c->kind.ring)
            join_border(c, j, f, next, border);
        factor(f, c->kind);
        leave(f, next, c->kind);
        if (c->kind.ring)
            leave_border(f, border, c->kind);
    }
}

// The step of station 0 of closed rods.
INLINE void solve_border(const Chains *c, const Border *border, Wide step[UNKNOWNS]) {
    Front f;
    Wide behind[BEHIND];
    const Kind alone = {c->kind.n, false};
    EACH(k, 0, BEHIND) { behind[k] = splat(0.0); }
    EACH(k, 0, c->kind.n) {
        f.r[k] = border->r[k];
        EACH(m, k, c->kind.n) { f.A[k][m] = border->A[k][m]; }
        EACH(m, 0, BEHIND) { f.B[k][m] = splat(0.0); }
    }
    factor(&f, alone);
    substitute(&f, behind, behind, alone);
    EACH(k, 0, c->kind.n) { step[k] = c->ring * f.r[k]; }
}

INLINE void substitute_all(const Chains *c, const Wide border[UNKNOWNS]) {
    Wide behind[BEHIND];
    EACH(k, 0, BEHIND) { behind[k] = splat(0.0); }
    for (int j = c->pack->rows; j >= 0; --j) {
        Front *f = c->fronts + j;
        substitute(f, behind, border, c->kind);
        NewtonInertia n = inertia_of(c, j);
        behind[SS] = behind[S];
        EACH(k, 0, c->kind.n) {
            if (c->kind.ring && j == 0)
                f->r[k] += border[k];
            f->r[k] *= k < T ? n.free : k < S ? n.free_frame : n.free_scale;
            behind[k] = f->r[k];
        }
    }
    // Ghosts move with what they repeat.
    for (int k = 0; c->kind.ring && k < c->pack->seam_count; ++k) {
        int row = c->pack->seams[k].row, at = c->pack->seams[k].lane - c->i;
        for (int m = 0; at >= 0 && at < WIDE_DOUBLE && m < 2 * c->kind.n; ++m)
            c->fronts[row + m % 2].r[m / 2][at] = c->fronts[m % 2].r[m / 2][at];
    }
}

INLINE NewtonLanes lanes_of(const Chains *c) {
    return (NewtonLanes){c->pack, c->i, c->volume, c->damped};
}

INLINE NewtonStep step_of(const Chains *c, int j) {
    const Wide *r = c->fronts[j].r;
    return (NewtonStep){{r[X], r[X + 1], r[X + 2]}, {r[T], r[T + 1], r[T + 2]}, r[S]};
}

INLINE void move(const Chains *c) {
    NewtonReach most = {splat(0.0), splat(0.0)};
    for (int j = 0; j <= c->pack->rows; ++j)
        reach(&most, lanes_of(c), j, step_of(c, j));
    const Wide part = part_to_take(most);
    for (int j = 0; j <= c->pack->rows; ++j)
        move_by(lanes_of(c), j, step_of(c, j), part);
}

INLINE Chains chains(RodPack *pack, int i, bool volume, bool ring) {
    Chains c = {.pack = pack,
                .fronts = pack->front,
                .i = i,
                .volume = volume,
                .damped = pack->damped,
                .kind = {volume ? UNKNOWNS : S, ring}};
    return c;
}

INLINE void iterate(RodPack *pack, bool volume, bool ring, bool first) {
    for (int i = 0; i < pack->lanes; i += WIDE_DOUBLE) {
        Chains c = chains(pack, i, volume, ring);
        Border border = {0};
        Wide step[UNKNOWNS] = {0};
        for (int j = 0; first && j <= pack->rows; ++j)
            begin_from_motion(lanes_of(&c), j);
        find_seams(&c);
        eliminate_all(&c, &border);
        if (ring)
            solve_border(&c, &border, step);
        substitute_all(&c, step);
        move(&c);
    }
}

void WIDE_FUNCTION(rod_newton)(RodPack *pack, bool first) {
    assert(pack->aim && pack->front && pack->work);
    bool ring = pack->seam_count > 0;
    if (pack->graph)
        WIDE_FUNCTION(rod_newton_graph)(pack, first);
    else if (pack->classic && ring)
        iterate(pack, false, true, first);
    else if (pack->classic)
        iterate(pack, false, false, first);
    else if (ring)
        iterate(pack, true, true, first);
    else
        iterate(pack, true, false, first);
}

// Squares of forces, each over its inertia: what is left of them in all, and what the two sides of
// every station are. Station 0 of a closed rod is left out.
INLINE void weigh(const Chains *c, double *missing, double *total) {
    Rest rest[2];
    clear_rest(&rest[0], c->kind);
    Wide left = splat(0.0), sides = left;
    for (int j = 0; j <= c->pack->rows; ++j) {
        Front *f = c->fronts + j;
        Rest *before = &rest[j & 1], *next = &rest[~j & 1];
        begin_station(f, next, before, c->kind);
        add_station(c, j, f, next);
        if (c->kind.ring && c->volume && j == 1)
            f->r[S] -= c->lap_force;
        NewtonInertia n = inertia_of(c, j);
        const Wide own = j == 0 ? (Wide)(1.0 - c->ring) : splat(1.0);
        EACH(k, 0, c->kind.n) {
            Wide inertia = k < T ? n.mass : k < T + 2 ? n.turn : k == T + 2 ? n.roll : n.scale;
            Wide m = wide_if_less(splat(0.0), inertia, own / (inertia + 1e-300), splat(0.0));
            Wide side = f->r[k] - before->r[k];
            left += m * (f->r[k] * f->r[k]);
            sides += m * (before->r[k] * before->r[k] + side * side);
        }
    }
    for (int lane = 0; lane < WIDE_DOUBLE && c->i + lane < c->pack->lanes; ++lane) {
        *missing += left[lane];
        *total += sides[lane];
    }
}

void WIDE_FUNCTION(rod_newton_residual)(RodPack *pack) {
    if (pack->graph) {
        WIDE_FUNCTION(rod_newton_graph_residual)(pack);
        return;
    }
    double missing = 0.0, total = 0.0;
    for (int i = 0; i < pack->lanes; i += WIDE_DOUBLE) {
        Chains c = chains(pack, i, !pack->classic, pack->seam_count > 0);
        find_seams(&c);
        weigh(&c, &missing, &total);
    }
    pack->residual[0] = missing;
    pack->residual[1] = total;
}
