// The numbers of slices in lanes: unknowns, blocks, and where vertices and frames are. Included by the files
// of their solver only.
//
// The unknowns of a section are how its centre moves, c, how it turns, θ, in the world's axes, and how its
// scale changes, s. A vertex with the lever r = σ R c̄ and ρ = ∂x/∂s (r/s, or 0 where it does not
// spread) so moves by
//
//     δx = c + θ × r + ρ s.
#pragma once

#include "rod/graph.h"
#include "rod/newton_move.h"
#include "rod/sections.h"
#include "rod/slices.h"

#define HELD_WEIGHT 1e6
#define WHOLLY_HELD_WEIGHT                                                                         \
    1e12 // with it, a section that may still turn about what is held could not
#define LEAST_PIVOT 1e-30

// A symmetric block of one section; the block of one section and the next; forces.
typedef struct Block {
    Number a[SLICE_UNKNOWNS][SLICE_UNKNOWNS]; // of a symmetric one, the upper part
} Block;

typedef struct Forces {
    Number3 c, t;
    Number s;
} Forces;

typedef struct Slices {
    NewtonLanes lanes;
    RodPack *pack;
    const RodGraph *graph;
    Number *pulls; // NULL, or the sum of the squares of what segments pull with
} Slices;

INLINE Number3 slice_load3(const SliceRow *rows, int i) {
    return (Number3){load(&rows[0][i]), load(&rows[1][i]), load(&rows[2][i])};
}

INLINE void slice_store3(SliceRow *rows, int i, Number3 v) {
    store(&rows[0][i], v.x);
    store(&rows[1][i], v.y);
    store(&rows[2][i], v.z);
}

INLINE Number4 slice_load4(const SliceRow *rows, int i) {
    return (Number4){load(&rows[0][i]), load(&rows[1][i]), load(&rows[2][i]), load(&rows[3][i])};
}

INLINE void slice_store4(SliceRow *rows, int i, Number4 q) {
    store(&rows[0][i], q.x);
    store(&rows[1][i], q.y);
    store(&rows[2][i], q.z);
    store(&rows[3][i], q.w);
}

typedef struct Axes {
    Number3 x, y, z;
} Axes;

INLINE Axes axes_of(Number4 q) { return (Axes){quat_axis_x(q), quat_axis_y(q), quat_axis_z(q)}; }

INLINE Number3 turned_by(const Axes *R, Number3 v) {
    return add3(add3(mul3(R->x, v.x), mul3(R->y, v.y)), mul3(R->z, v.z));
}

INLINE Number3 member_place(const Slices *c, int v) {
    const RodBundle *b = c->pack->bundle + v;
    const int i = c->lanes.i;
    return (Number3){load_row(&b->x[i]), load_row(&b->y[i]), load_row(&b->z[i])};
}

INLINE Number lever_scale(const RodSlice *slice, const SliceRow *s, int i) {
    Number spread = load_row(&slice->spread[i]);
    return 1.0 + spread * (load(&(*s)[i]) - 1.0);
}

INLINE Number3 zero3(void) { return (Number3){splat(0.0), splat(0.0), splat(0.0)}; }

// Where the vertices of a section are as its pose is now.
INLINE void place_members(const Slices *c, int k) {
    RodSlice *slice = c->pack->slice + k;
    const int i = c->lanes.i;
    const Axes now = axes_of(slice_load4(slice->q, i)), before = axes_of(slice_load4(slice->q0, i));
    const Number scale = lever_scale(slice, &slice->s, i),
                 scale0 = lever_scale(slice, &slice->s0, i);
    const Number3 u = slice_load3(slice->u, i);
    for (int e = c->graph->section_begin[k]; e < c->graph->section_begin[k + 1]; ++e) {
        int v = c->graph->section_vertex[e];
        Number3 at = member_place(c, v);
        Number3 lever = mul3(turned_by(&now, at), scale);
        Number3 old = mul3(turned_by(&before, at), scale0);
        slice_store3(c->pack->member[v].lever, i, lever);
        slice_store3(c->pack->member[v].u, i, add3(u, sub3(lever, old)));
    }
}

INLINE Number spread_of(const RodSlice *slice, int i) {
    return load_row(&slice->spread[i]) / load(&slice->s[i]);
}

INLINE NewtonVertex member_vertex(const Slices *c, int v, Number s) {
    return (NewtonVertex){slice_load3(c->pack->member[v].u, c->lanes.i), s - 1.0};
}

// θ × r of all vertices of a block: −[r] θ, with [r] the matrix of r ×.
INLINE void add_lever(Number a[SLICE_UNKNOWNS][SLICE_UNKNOWNS], Number3 mr) {
    a[0][4] += mr.z;
    a[0][5] -= mr.y;
    a[1][3] -= mr.z;
    a[1][5] += mr.x;
    a[2][3] += mr.y;
    a[2][4] -= mr.x;
}

// m (r·r − r rᵀ), of the turns.
INLINE void add_spin(Number a[SLICE_UNKNOWNS][SLICE_UNKNOWNS], Number3 r, Number m) {
    Number3 mr = mul3(r, m);
    Number x = mr.x * r.x, y = mr.y * r.y, z = mr.z * r.z;
    a[3][3] += y + z;
    a[4][4] += x + z;
    a[5][5] += x + y;
    a[3][4] -= mr.x * r.y;
    a[3][5] -= mr.x * r.z;
    a[4][5] -= mr.y * r.z;
}

INLINE void pull_member(Forces *f, Number3 r, Number3 rho, Number3 force) {
    f->c = add3(f->c, force);
    f->t = add3(f->t, cross3(r, force));
    f->s += dot3(rho, force);
}

// How a section has turned in the sub-step, in the world's axes.
INLINE Number3 turn_of(RodSlice *slice, int i) {
    Number4 q = slice_load4(slice->q, i), q0 = slice_load4(slice->q0, i);
    Number3 own = newton_turn_since(q0, q);
    const Axes R = axes_of(q0);
    return turned_by(&R, own);
}

// Of a section and the next one.
typedef struct Pair {
    int k;
    Number4 mean;
    Number3 g, turn_a, turn_b;
    Number sa, sb, by_a, by_b; // scales, and what makes ρ of a lever
} Pair;

INLINE Number4 nearer_turn(Number4 a, Number4 b) {
    Number dot = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    return (Number4){wide_flip_by(b.x, dot), wide_flip_by(b.y, dot), wide_flip_by(b.z, dot),
                     wide_flip_by(b.w, dot)};
}

INLINE Number4 mean_turn_of(Number4 a, Number4 b) {
    b = nearer_turn(a, b);
    return quat_normalise((Number4){a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w});
}

INLINE Pair pair_of(const Slices *c, int k) {
    RodSlice *a = c->pack->slice + k, *b = a + 1;
    const int i = c->lanes.i;
    Number4 qa = slice_load4(a->q, i), mean = mean_turn_of(qa, slice_load4(b->q, i));
    Number4 off = quat_mul(qa, quat_conjugate(mean));
    Number by = 1.0 / off.w; // the two are at most half a turn apart, so it is at least √½
    return (Pair){.k = k,
                  .mean = mean,
                  .g = {off.x * by, off.y * by, off.z * by},
                  .turn_a = turn_of(a, i),
                  .turn_b = turn_of(b, i),
                  .sa = c->lanes.volume ? load(&a->s[i]) : splat(1.0),
                  .sb = c->lanes.volume ? load(&b->s[i]) : splat(1.0),
                  .by_a = spread_of(a, i),
                  .by_b = spread_of(b, i)};
}

INLINE Number4 segment_frame(const Slices *c, int j, Number4 mean) {
    const RodBundle *b = c->pack->bundle + j;
    const int i = c->lanes.i;
    Number4 rest = {load_row(&b->frame_x[i]), load_row(&b->frame_y[i]), load_row(&b->frame_z[i]),
                    load_row(&b->frame_w[i])};
    return quat_mul(mean, quat_conjugate(rest));
}
