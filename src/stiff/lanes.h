// Rows of a grove as vectors. Included by the *_wide.c files only.
#pragma once

#include <stddef.h>

#include "math/lanes_double.h"
#include "stiff/grove.h"
#include "stiff/scheme.h"

typedef struct Pose {
    Wide3 x;
    Wide4 q;
} Pose;

INLINE Wide3 load3(const StiffLanes *x, int i) {
    return (Wide3){load(&x[0][i]), load(&x[1][i]), load(&x[2][i])};
}
INLINE void store3(StiffLanes *x, int i, Wide3 v) {
    store(&x[0][i], v.x);
    store(&x[1][i], v.y);
    store(&x[2][i], v.z);
}
INLINE WideSym load_sym(const StiffLanes *x, int i) {
    return (WideSym){load(&x[0][i]), load(&x[1][i]), load(&x[2][i]),
                     load(&x[3][i]), load(&x[4][i]), load(&x[5][i])};
}
INLINE void store_sym(StiffLanes *x, int i, WideSym m) {
    store(&x[0][i], m.xx);
    store(&x[1][i], m.xy);
    store(&x[2][i], m.xz);
    store(&x[3][i], m.yy);
    store(&x[4][i], m.yz);
    store(&x[5][i], m.zz);
}
INLINE WideMat load_mat(const StiffLanes *x, int i) {
    return (WideMat){load3(x, i), load3(x + 3, i), load3(x + 6, i)};
}
INLINE void store_mat(StiffLanes *x, int i, WideMat m) {
    store3(x, i, m.x);
    store3(x + 3, i, m.y);
    store3(x + 6, i, m.z);
}

// Rows are fetched so many before their turn: one is 30 to 100 lines from several arrays, more than
// the machine foresees, least of all when rows come last first.
#define AHEAD 2

INLINE void fetch(const StiffLanes *first, const StiffLanes *end) {
    for (; first < end; ++first)
        __builtin_prefetch(first, 1, 2);
}

#define MAX_GATHERED 21

// Fields [0, count) of the parents' rows, which are arrays of StiffLanes of `size` bytes.
INLINE void gather(const void *rows, size_t size, const StiffRow *row, int i, int count,
                   Wide *out) {
    if (row->aligned >= 0) {
        const StiffLanes *from =
            (const StiffLanes *)((const char *)rows + size * (size_t)row->aligned);
        for (int f = 0; f < count; ++f)
            out[f] = load(&from[f][i]);
        return;
    }
    StiffLanes lanes[MAX_GATHERED];
    for (int k = 0; k < WIDE_DOUBLE; ++k) {
        int at = row->parent[i + k];
        const double *from =
            (const double *)((const char *)rows + size * (size_t)(at / STIFF_LANES)) +
            at % STIFF_LANES;
        for (int f = 0; f < count; ++f)
            lanes[f][k] = from[f * STIFF_LANES];
    }
    for (int f = 0; f < count; ++f)
        out[f] = load(lanes[f]);
}

INLINE Pose pose_of(const StiffState *s, int i) {
    return (Pose){load3(&s->x, i),
                  {load(&s->qx[i]), load(&s->qy[i]), load(&s->qz[i]), load(&s->qw[i])}};
}

INLINE Pose parent_pose(const Grove *g, const StiffRow *row, int i) {
    Wide f[7];
    gather(g->state, sizeof(StiffState), row, i, 7, f);
    return (Pose){{f[0], f[1], f[2]}, {f[3], f[4], f[5], f[6]}};
}

INLINE Wide4 choose(Wide sign, Wide4 a, Wide4 b) {
    Wide zero = splat(0.0);
    return (Wide4){wide_if_less(zero, sign, a.x, b.x), wide_if_less(zero, sign, a.y, b.y),
                   wide_if_less(zero, sign, a.z, b.z), wide_if_less(zero, sign, a.w, b.w)};
}

// The rotation of a joint from its rest, as (v, w) with w ≥ 0; its strain is 2v. *stem is the frame
// that it is measured in.
INLINE Wide4 bent(const StiffRest *c, int i, Wide4 own, Wide4 up, Wide4 *stem) {
    Wide sign = load(&c->sign[i]);
    Wide4 rest = {load(&c->ux[i]), load(&c->uy[i]), load(&c->uz[i]), load(&c->uw[i])};
    *stem = quat_mul(choose(sign, up, own), rest);
    return quat_between(*stem, choose(sign, own, up));
}

// The share of what joints do that is in a displacement, and its inverse.
INLINE Wide share_of(Wide second) { return 1.0 - SECOND_SHARE * second; }
INLINE Wide outside_of(Wide second) { return 1.0 - SECOND_OUTSIDE * second; }
INLINE Wide per_share(Wide second) { return 1.0 + 2.0 * second; }

// A segment alone, about its own joint: b = [arm]×, d = round + along d₃d₃ᵀ + flat d₁d₁ᵀ.
typedef struct Inertia {
    Wide3 arm, side;
    Wide round, along, flat;
} Inertia;

// d is I₂ + (I₁ − I₂) d₁d₁ᵀ + (I₃ − I₂) d₃d₃ᵀ, and m (s² − s sᵀ) with s = −end·axis from the joint to
// the centre; arm is m s.
INLINE Inertia own_inertia(const Grove *g, int r, int i, Wide3 axis, Wide3 side) {
    const StiffRest *c = &g->rest[r];
    Wide m = load(&c->mass[i]), end = load(&c->end[i]), i2 = load(&c->i2[i]);
    // A segment under tension resists turning: without this, tight ropes would shake.
    Wide round = i2 + m * end * end + share_of(load(&c->second[i])) * load(&g->state[r].tension[i]);
    if (!g->still_air)
        round += load(&g->motion[r].lean[i]);
    return (Inertia){mul3(axis, -end * m), side, round, load(&c->i3[i]) - round,
                     load(&c->i1[i]) - i2};
}

// Lanes that are not laden find their factors again from X, whatever is in the other lanes.
INLINE bool any_bare(const StiffRow *row) { return row->laden != (1 << row->count) - 1; }

// Mobilities or replies will be.
INLINE bool asked(const Grove *g) { return g->compliance || g->response; }

// By how much the way to a joint is longer than at rest. Only where Grove.stretch is.
INLINE Wide longer_by(const Grove *g, int r, int i) { return load(&g->stretch[r].longer[i]); }

// The motion of a joint's point, t on the parent, as far as the way to it stretches.
INLINE Wide stretched_by(const StiffStretch *s, int i, Wide right, Wide3 t, Wide3 turn) {
    return right - dot3(load3(s->a, i), t) - dot3(load3(s->b, i), turn);
}

// Lanes that do not stretch are left alone to the sign of a zero.
INLINE Wide3 if_stretching(const StiffStretch *s, int i, Wide3 a, Wide3 b) {
    Wide zero = splat(0.0), give = load(&s->give[i]);
    return (Wide3){wide_if_less(zero, give, a.x, b.x), wide_if_less(zero, give, a.y, b.y),
                   wide_if_less(zero, give, a.z, b.z)};
}
// The same for those that have no gap to settle (StiffRow.tight).
INLINE Wide3 if_gaping(const Grove *g, int r, int i, Wide3 a, Wide3 b) {
    if (!g->stretch || !g->correct)
        return a;
    Wide zero = splat(0.0),
         gapes = load(&g->stretch[r].give[i]) + 1.0 - load(&g->rest[r].rooted[i]);
    return (Wide3){wide_if_less(zero, gapes, a.x, b.x), wide_if_less(zero, gapes, a.y, b.y),
                   wide_if_less(zero, gapes, a.z, b.z)};
}
INLINE Wide3 along_stretch(const StiffStretch *s, int i, Wide3 t, Wide by) {
    return if_stretching(s, i, add3(t, mul3(load3(s->u, i), by)), t);
}

INLINE void fetch_factor(const Grove *g, int r) {
    const StiffFactor *f = &g->factor[r];
    if (g->row[r].laden == 0)
        fetch(&f->vx, &f->gap_x);
    else
        fetch(f->t, f->compliance);
}
