// The direct sweep of creatures: Newton's method as in newton_chain.h, on graphs. All creatures of a
// pack have the same graph, so that one plan of elimination (symbolic.h) serves all lanes. Included
// by the files that say in which numbers (newton_lanes.h).
#pragma once

#include <string.h>

#include "rod/newton_answer.h"
#include "rod/newton_graph_places.h"
#include "rod/newton_move.h"
#include "rod/newton_sparse.h"
#include "rod/newton_terms.h"

_Static_assert(sizeof(Number) <= 64, "numbers of a plan");

typedef struct Creatures {
    NewtonLanes lanes;
    const RodGraph *graph;
    Sparse sparse;
} Creatures;

INLINE void add_diagonal(const Creatures *c, SymbolicBlock to, Number a) {
    EACH(k, 0, 3) c->sparse.A[to.at + k * (to.down + to.right)] += a;
}

INLINE void add_upper(const Creatures *c, SymbolicBlock to, const Number a[3][3]) {
    EACH(k, 0, 3) { EACH(m, k, 3) c->sparse.A[to.at + k * to.down + m * to.right] += a[k][m]; }
}

INLINE void add_row(const Creatures *c, SymbolicBlock to, int row, const Number a[3]) {
    EACH(m, 0, 3) c->sparse.A[to.at + row * to.down + m * to.right] += a[m];
}

INLINE void add_column(const Creatures *c, SymbolicBlock to, int column, const Number a[3]) {
    EACH(k, 0, 3) c->sparse.A[to.at + k * to.down + column * to.right] += a[k];
}

INLINE void take_row(const Creatures *c, SymbolicBlock to, int row, const Number a[3]) {
    EACH(m, 0, 3) c->sparse.A[to.at + row * to.down + m * to.right] -= a[m];
}

INLINE void take_column(const Creatures *c, SymbolicBlock to, int column, const Number a[3]) {
    EACH(k, 0, 3) c->sparse.A[to.at + k * to.down + column * to.right] -= a[k];
}

static void add_graph_segment(const Creatures *c, int j) {
    const SymbolicBlock *to = c->sparse.symbolic->segment[j];
    Number *A = c->sparse.A;
    NewtonSegment g = graph_segment(c->lanes, j);
    const int *edge = c->graph->edge[j];
    SegmentTerms t = segment_terms(&g, newton_tension(c->lanes, &g, j, edge[0], edge[1]), c->lanes);
    add_upper(c, to[XA_XA], t.ends);
    add_upper(c, to[XB_XB], t.ends);
    EACH(k, 0, 3) take_row(c, to[XA_XB], k, t.ends[k]);
    take_column(c, to[XA_T], 0, t.b2);
    add_column(c, to[XA_T], 1, t.b1);
    add_row(c, to[T_XB], 0, t.b2);
    take_row(c, to[T_XB], 1, t.b1);
    EACH(k, 0, 2) {
        A[to[T_T].at + k * (to[T_T].down + to[T_T].right)] += t.turn;
        if (c->lanes.bent)
            A[to[T_T].at + k * to[T_T].down + 2 * to[T_T].right] += t.roll[k];
    }
    if (c->lanes.damped && c->lanes.bent) {
        take_column(c, to[XA_T], 2, t.b3);
        add_row(c, to[T_XB], 2, t.b3);
        A[to[T_T].at + 2 * (to[T_T].down + to[T_T].right)] += t.spin;
    }
    if (!c->lanes.volume)
        return;
    take_column(c, to[XA_SA], 0, t.squeeze);
    take_column(c, to[XA_SB], 0, t.squeeze);
    add_row(c, to[SA_XB], 0, t.squeeze);
    add_column(c, to[XB_SB], 0, t.squeeze);
    A[to[SA_SA].at] += t.scale;
    A[to[SA_SB].at] += t.mixed;
    A[to[SB_SB].at] += t.scale;
}

static void add_graph_joint(const Creatures *c, int k) {
    const SymbolicBlock *to = c->sparse.symbolic->joint[k];
    Number *A = c->sparse.A;
    NewtonLanes at = c->lanes;
    at.turned = true; // says what creatures are to the compiler
    at.halved = false;
    NewtonJoint e = graph_joint(at, k);
    JointTerms t = joint_terms(&e, at);
    add_upper(c, to[TP_TP], t.P);
    add_upper(c, to[TA_TA], t.A);
    EACH(m, 0, 3) add_row(c, to[TP_TA], m, t.M[m]);
    if (!c->lanes.volume)
        return;
    Number far = t.lap * t.lap_ratio, middle = 1.0f + t.lap_ratio;
    add_column(c, to[TP_SV], 0, t.back);
    add_column(c, to[TA_SV], 0, t.forth);
    A[to[SP_SP].at] += far * t.lap_ratio;
    A[to[SP_SV].at] -= far * middle;
    A[to[SP_SF].at] += far;
    A[to[SV_SV].at] += t.near;
    A[to[SV_SF].at] -= t.lap * middle;
    A[to[SF_SF].at] += t.lap;
}

// Where the diagonal block of a group is.
INLINE SymbolicBlock own_place(const Creatures *c, int j, int which) {
    const RodGraph *graph = c->graph;
    if (which == T)
        return c->sparse.symbolic->segment[j][T_T];
    int segment = sn__graph_segment_at(graph, j);
    bool first = graph->edge[segment][0] == j;
    const SymbolicBlock *places = c->sparse.symbolic->segment[segment];
    if (which == X)
        return places[first ? XA_XA : XB_XB];
    return places[first ? SA_SA : SB_SB];
}

// Vertex j and segment j, as far as there are such.
static void add_graph_inertia(const Creatures *c, int j) {
    const InertiaTerms t = plain_inertia_terms(c->lanes, j);
    Number *A = c->sparse.A;
    if (j < c->graph->segments) {
        const SymbolicBlock to = own_place(c, j, T);
        EACH(k, 0, 3) A[to.at + k * (to.down + to.right)] += k < 2 ? t.turn : t.roll;
    }
    if (j >= c->graph->vertices)
        return;
    add_diagonal(c, own_place(c, j, X), t.mass);
    // Classic rods have no scales to solve for, but places for them.
    A[own_place(c, j, S).at] += c->lanes.volume ? t.scale : splat(HELD);
}

static void assemble(const Creatures *c) {
    memset(c->sparse.A, 0, (size_t)c->sparse.symbolic->numbers * sizeof(Number));
    int k = 0;
    // Joints come in the order of their vertices, and what belongs together in memory at about the
    // same time.
    for (int j = 0; j <= c->lanes.pack->rows; ++j) {
        add_graph_inertia(c, j);
        if (j < c->graph->segments)
            add_graph_segment(c, j);
        for (; k < c->graph->joints && c->graph->joint[k].vertex <= j; ++k)
            add_graph_joint(c, k);
    }
    for (; k < c->graph->joints; ++k)
        add_graph_joint(c, k);
}

INLINE NewtonStep graph_step(const Creatures *c, int j) {
    const Number zero = splat(0.0f), *r = c->sparse.r;
    const RodSymbolic *symbolic = c->sparse.symbolic;
    NewtonInertia n = newton_inertia(c->lanes, j);
    NewtonStep step = {{zero, zero, zero}, {zero, zero, zero}, zero};
    if (j < c->graph->vertices) {
        const Number *x = r + symbolic->x[j];
        step.by = mul3((Number3){x[0], x[1], x[2]}, n.free);
        step.swell = r[symbolic->s[j]] * n.free_scale;
    }
    if (j < c->graph->segments) {
        const Number *t = r + symbolic->t[j];
        step.turn = mul3((Number3){t[0], t[1], t[2]}, n.free_frame);
    }
    return step;
}

static void move_graph(const Creatures *c, Number least) {
    const int rows = c->lanes.pack->rows;
    NewtonReach most = no_reach();
    for (int j = 0; j <= rows; ++j)
        reach(&most, c->lanes, j, graph_step(c, j), newton_inertia(c->lanes, j).mass);
    const NewtonPart part = part_to_take(c->lanes, most, least);
    for (int j = 0; j <= rows; ++j)
        move_by(c->lanes, j, graph_step(c, j), part);
}

INLINE Creatures creatures(RodPack *pack, int i) {
    const RodSymbolic *symbolic = pack->graph->symbolic;
    Number *A = graph_forces_of(pack).numbers;
    return (Creatures){.lanes = newton_lanes(pack, i),
                       .graph = pack->graph,
                       .sparse = {symbolic, A, A + symbolic->numbers}};
}

static Number *graph_place(const void *rods, int vertex, int axis) {
    const Creatures *c = rods;
    return c->sparse.r + c->sparse.symbolic->x[vertex] + axis;
}

static void clear_graph(const void *rods) {
    const Creatures *c = rods;
    for (int k = 0; k < c->sparse.symbolic->unknowns; ++k)
        c->sparse.r[k] = splat(0.0f);
}

static void carry_graph(const void *rods, int first, int lowest) {
    (void)first;
    (void)lowest;
    solve_sparse_again(&((const Creatures *)rods)->sparse);
}

APART answer_graph_ties(Creatures *c) {
    answer_ties(&(Tied){.pack = c->lanes.pack,
                        .i = c->lanes.i,
                        .rods = c,
                        .place = graph_place,
                        .clear = clear_graph,
                        .solve = carry_graph});
}

INLINE void iterate_graph(RodPack *pack) {
    const GraphForces forces = graph_forces_of(pack);
    for (int i = 0; i < pack->lanes; i += NUMBER_LANES) {
        if (!any_own(pack, i))
            continue;
        Creatures c = creatures(pack, i);
        assemble(&c);
        for (int k = 0; k < c.sparse.symbolic->unknowns; ++k)
            c.sparse.r[k] = *(const Number *)(NEWTON_DOUBLE ? (void *)&forces.exact[k][i]
                                                            : &forces.rough[k][i]);
        solve_sparse(&c.sparse);
        move_graph(&c, least_pivot(&c.sparse));
        if (pack->tie_count > 0)
            answer_graph_ties(&c);
    }
}
