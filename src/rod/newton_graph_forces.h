// The forces of Newton's method on creatures. Included by rod_newton_forces_wide.c only.
#pragma once

#include <string.h>

#include "rod/newton_forces.h"
#include "rod/newton_graph_places.h"

typedef struct GraphPull {
    NewtonLanes lanes;
    GraphForces to;
    bool squares; // the squares of all forces are summed up
} GraphPull;

INLINE void add_force(const GraphPull *c, int unknown, const Number *r, int count) {
    const int i = c->lanes.i;
    EACH(k, 0, count) {
        double *to = &c->to.exact[unknown + k][i], *square = &c->to.squares[unknown + k][i];
        store(to, load(to) + r[k]);
        if (c->squares)
            store(square, load(square) + r[k] * r[k]);
    }
}

INLINE void clear_forces(Number a[UNKNOWNS], Number b[BEHIND]) {
    EACH(k, 0, UNKNOWNS) a[k] = splat(0.0);
    EACH(k, 0, BEHIND) b[k] = splat(0.0);
}

INLINE void pull_by_graph_segment(const GraphPull *c, int j) {
    const RodGraph *graph = c->lanes.pack->graph;
    const RodSymbolic *symbolic = graph->symbolic;
    const int va = graph->edge[j][0], vb = graph->edge[j][1];
    Number a[UNKNOWNS], b[BEHIND];
    NewtonSegment g = graph_segment(c->lanes, j);
    if (c->lanes.damped && c->lanes.volume)
        g.fv -= newton_volume_before(c->lanes, &g, j, va, vb);
    clear_forces(a, b);
    pull_by_segment(a, b, &g, c->lanes.volume, c->lanes.damped);
    add_force(c, symbolic->x[va], &a[X], 3);
    add_force(c, symbolic->t[j], &a[T], 3);
    add_force(c, symbolic->x[vb], &b[X], 3);
    if (!c->lanes.volume)
        return;
    add_force(c, symbolic->s[va], &a[S], 1);
    add_force(c, symbolic->s[vb], &b[S], 1);
}

INLINE void pull_by_graph_joint(const GraphPull *c, int k) {
    const RodGraph *graph = c->lanes.pack->graph;
    const RodSymbolic *symbolic = graph->symbolic;
    const GraphJoint *j = &graph->joint[k];
    Number a[UNKNOWNS], b[BEHIND];
    NewtonJoint e = graph_joint(c->lanes, k);
    clear_forces(a, b);
    pull_by_joint(a, b, &e, c->lanes);
    add_force(c, symbolic->t[j->p], &a[T], 3);
    add_force(c, symbolic->t[j->a], &b[T], 3);
    if (!c->lanes.volume)
        return;
    add_force(c, symbolic->s[j->far_p], &a[S], 1);
    add_force(c, symbolic->s[j->vertex], &b[S], 1);
    add_force(c, symbolic->s[j->far_a], &b[SS], 1);
}

// Vertex j and segment j, as far as there are such.
INLINE void pull_by_graph_inertia(const GraphPull *c, int j) {
    const NewtonLanes at = c->lanes;
    const RodPack *pack = at.pack;
    const RodSymbolic *symbolic = pack->graph->symbolic;
    Number a[UNKNOWNS], b[BEHIND];
    clear_forces(a, b);
    NewtonInertia own = newton_own_inertia(at, j);
    pull_vertex(a, at, j, own, newton_vertex(pack->work + j, at.i, at.volume).u);
    pull_frame(a, at, j, own, newton_frame(pack->state + j, at.i));
    if (j < pack->graph->segments)
        add_force(c, symbolic->t[j], &a[T], 3);
    if (j >= pack->graph->vertices)
        return;
    add_force(c, symbolic->x[j], &a[X], 3);
    add_force(c, symbolic->s[j], &a[S], 1);
}

INLINE void pull_lanes(const GraphPull *c) {
    const RodPack *pack = c->lanes.pack;
    for (int j = 0; j <= pack->rows; ++j)
        pull_by_graph_inertia(c, j);
    for (int j = 0; j < pack->graph->segments; ++j)
        pull_by_graph_segment(c, j);
    for (int k = 0; k < pack->graph->joints; ++k)
        pull_by_graph_joint(c, k);
}

static void pull_any_lanes(RodPack *pack, int i, bool squares) {
    GraphPull c = {newton_lanes(pack, i), graph_forces_of(pack), squares};
    pull_lanes(&c);
}

static void pull_graph(RodPack *pack, bool squares) {
    const size_t unknowns = (size_t)pack->graph->symbolic->unknowns;
    const GraphForces to = graph_forces_of(pack);
    memset(to.exact, 0, unknowns * sizeof *to.exact);
    if (squares)
        memset(to.squares, 0, unknowns * sizeof *to.squares);
    for (int i = 0; i < lanes_with_forces(pack); i += WIDE_DOUBLE)
        pull_any_lanes(pack, i, squares);
}

INLINE void graph_forces(RodPack *pack) {
    const GraphForces f = graph_forces_of(pack);
    pull_graph(pack, false);
    const bool rough = pack->exact_lanes > pack->precise_lanes;
    for (int i = 0; i < lanes_with_forces(pack) && rough; i += WIDE_DOUBLE) {
        const Number unit = load_row(&pack->unit[i]);
        for (int k = 0; k < pack->graph->symbolic->unknowns; ++k)
            store_row(&f.rough[k][i], load(&f.exact[k][i]) * unit);
    }
}
