// The direct sweep of creatures: Newton's method as in newton_chain.h, on graphs. All creatures of a
// pack have the same graph, so that one plan of elimination (symbolic.h) serves all lanes. Included
// by the files that say in which numbers (newton_lanes.h).
#pragma once

#include <string.h>

#include "rod/newton_answer.h"
#include "rod/newton_forces.h"
#include "rod/newton_graph_places.h"
#include "rod/newton_move.h"
#include "rod/newton_sparse.h"
#include "rod/newton_terms.h"

_Static_assert(sizeof(Number) <= 64, "numbers of a plan");

typedef struct Creatures {
    NewtonLanes lanes;
    const RodGraph *graph;
    Sparse sparse;
    Number given; // 1 for lanes whose forces are not made here
    bool any_given;
} Creatures;

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

INLINE void add_pull(const Creatures *c, int unknown, const Number *pull, int count) {
    EACH(k, 0, count) {
        Number by = c->any_given ? chosen(c->given, splat(0.0f), pull[k]) : pull[k];
        c->sparse.r[unknown + k] += by;
    }
}

INLINE void add_segment_pull(const Creatures *c, int j, const NewtonSegment *g) {
    const RodSymbolic *symbolic = c->sparse.symbolic;
    const int *edge = c->graph->edge[j];
    Number a[UNKNOWNS], b[BEHIND];
    EACH(k, 0, BEHIND) a[k % UNKNOWNS] = b[k] = splat(0.0f);
    pull_by_segment(a, b, g, c->lanes.volume, c->lanes.damped);
    add_pull(c, symbolic->x[edge[0]], &a[X], 3);
    add_pull(c, symbolic->t[j], &a[T], 3);
    add_pull(c, symbolic->x[edge[1]], &b[X], 3);
    if (!c->lanes.volume)
        return;
    add_pull(c, symbolic->s[edge[0]], &a[S], 1);
    add_pull(c, symbolic->s[edge[1]], &b[S], 1);
}

INLINE void add_joint_pull(const Creatures *c, int k, const NewtonJoint *e, NewtonLanes at) {
    const RodSymbolic *symbolic = c->sparse.symbolic;
    const GraphJoint *j = &c->graph->joint[k];
    Number a[UNKNOWNS], b[BEHIND];
    EACH(m, 0, BEHIND) a[m % UNKNOWNS] = b[m] = splat(0.0f);
    pull_by_joint(a, b, e, at);
    add_pull(c, symbolic->t[j->p], &a[T], 3);
    add_pull(c, symbolic->t[j->a], &b[T], 3);
    if (!at.volume)
        return;
    add_pull(c, symbolic->s[j->far_p], &a[S], 1);
    add_pull(c, symbolic->s[j->vertex], &b[S], 1);
    add_pull(c, symbolic->s[j->far_a], &b[SS], 1);
}

INLINE void add_graph_segment(const Creatures *c, int j) {
    const SymbolicBlock *to = c->sparse.symbolic->segment[j];
    Number *A = c->sparse.A;
    NewtonSegment g = graph_segment(c->lanes, j);
    const int *edge = c->graph->edge[j];
    if (OWN_FORCES)
        add_segment_pull(c, j, &g);
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

INLINE void add_graph_joint(const Creatures *c, int k) {
    const SymbolicBlock *to = c->sparse.symbolic->joint[k];
    Number *A = c->sparse.A;
    NewtonLanes at = c->lanes;
    at.turned = true; // says what creatures are to the compiler
    at.halved = false;
    NewtonJoint e = graph_joint(at, k);
    if (OWN_FORCES)
        add_joint_pull(c, k, &e, at);
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

// The forces on a group, in units of RodPack.unit.
INLINE Number given_force(const Creatures *c, int unknown) {
    const GraphForces f = graph_forces_of(c->lanes.pack);
    const int i = c->lanes.i;
    return *(const Number *)(NEWTON_DOUBLE ? (void *)&f.exact[unknown][i] : &f.rough[unknown][i]);
}

// Its rows become its inertia, and its right side what inertia does, or all that is given.
INLINE void begin_graph_station(const Creatures *c, const SymbolicStation *s) {
    const NewtonLanes at = c->lanes;
    const RodPack *pack = at.pack;
    Number pull[UNKNOWNS], own[UNKNOWNS], *r = c->sparse.r + s->first;
    Number *diagonal = c->sparse.A + s->at;
    int n = 0;
    EACH(k, 0, UNKNOWNS) pull[k] = splat(0.0f);
    memset(diagonal, 0, (size_t)(s->count * s->width) * sizeof(Number));
    if (s->vertex >= 0) {
        const InertiaTerms t = plain_inertia_terms(at, s->vertex);
        if (OWN_FORCES)
            pull_vertex(pull, at, s->vertex, newton_own_inertia(at, s->vertex),
                        newton_vertex(pack->work + s->vertex, at.i, false).u);
        for (int k = X; k < T; ++k, ++n) {
            diagonal[n * (s->width + 1)] = t.mass;
            own[n] = pull[k];
        }
        // Classic rods have no scales to solve for, but places for them.
        const int last = s->count - 1;
        diagonal[last * (s->width + 1)] = at.volume ? t.scale : splat(HELD);
        own[last] = pull[S];
    }
    if (s->segment >= 0) {
        const InertiaTerms t = plain_inertia_terms(at, s->segment);
        if (OWN_FORCES)
            pull_frame(pull, at, s->segment, newton_own_inertia(at, s->segment),
                       newton_frame(pack->state + s->segment, at.i));
        for (int k = T; k < S; ++k, ++n) {
            diagonal[n * (s->width + 1)] = k < T + 2 ? t.turn : t.roll;
            own[n] = pull[k];
        }
    }
    for (int k = 0; k < s->count; ++k)
        r[k] = OWN_FORCES ? own[k] : given_force(c, s->first + k);
    for (int k = 0; k < s->count && OWN_FORCES && c->any_given; ++k)
        r[k] = chosen(c->given, given_force(c, s->first + k), r[k]);
}

// All that must be there before a station is eliminated.
INLINE void assemble_for(const Creatures *c, int station) {
    static const SymbolicStation none = {0};
    const RodSymbolic *symbolic = c->sparse.symbolic;
    const SymbolicStation *s = &symbolic->station[station], *before = station > 0 ? s - 1 : &none;
    for (int k = before->clears; k < s->clears; ++k)
        begin_graph_station(c, &symbolic->station[symbolic->clear_order[k]]);
    for (int k = before->segments; k < s->segments; ++k)
        add_graph_segment(c, symbolic->segment_order[k]);
    for (int k = before->joints; k < s->joints; ++k)
        add_graph_joint(c, symbolic->joint_order[k]);
}

INLINE void assemble_and_eliminate(const Creatures *c) {
    for (int k = 0; k < c->sparse.symbolic->stations; ++k) {
        assemble_for(c, k);
        eliminate_sparse(&c->sparse, k);
    }
}

APART eliminate_any(const Creatures *c) { assemble_and_eliminate(c); }

// Says what most creatures are to the compiler.
APART eliminate_plain(const Creatures *c) {
    Creatures plain = *c;
    plain.lanes.volume = true;
    plain.lanes.damped = plain.any_given = false;
    assemble_and_eliminate(&plain);
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

// What the first iteration of a sub-step leaves of these lanes (RodPack.factors).
INLINE Number *graph_factors(const RodPack *pack, int i) {
    return (Number *)pack->factors +
           (size_t)(i / NUMBER_LANES) * (size_t)pack->graph->symbolic->numbers;
}

INLINE Creatures creatures(RodPack *pack, int i) {
    const RodSymbolic *symbolic = pack->graph->symbolic;
    Number *front = graph_forces_of(pack).numbers;
    Number *A = pack->factoring && !NEWTON_DOUBLE ? graph_factors(pack, i) : front;
    return (Creatures){.lanes = newton_lanes(pack, i),
                       .graph = pack->graph,
                       .given = load_row(&pack->exact[i]),
                       .any_given = pack->exact_lanes > pack->precise_lanes,
                       .sparse = {symbolic, A, front + symbolic->numbers}};
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
    for (int i = 0; i < pack->lanes; i += NUMBER_LANES) {
        if (!any_own(pack, i))
            continue;
        Creatures c = creatures(pack, i);
        if (pack->classic || pack->damped || c.any_given)
            eliminate_any(&c);
        else
            eliminate_plain(&c);
        substitute_sparse(&c.sparse);
        move_graph(&c, least_pivot(&c.sparse));
        if (pack->tie_count > 0)
            answer_graph_ties(&c);
    }
}
