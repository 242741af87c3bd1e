// The direct sweep of creatures: Newton's method as in rod_newton_wide.c, on graphs. All creatures
// of a pack have the same graph, so that one plan of elimination (symbolic.h) serves all lanes.
//
// Segments and joints write what they are to a chain's stations (newton_terms.h) into a small one of
// their own; from there it goes to its places.
#include <assert.h>
#include <string.h>

#include "rod/newton_motion.h"
#include "rod/newton_sparse.h"
#include "rod/newton_terms.h"

_Static_assert(sizeof(Wide) <= 64, "numbers of a plan");

typedef struct Creatures {
    NewtonLanes lanes;
    const RodGraph *graph;
    Sparse sparse;
    Wide *sides; // NULL, or where the squares of all forces are summed up
} Creatures;

// What an element adds: the two stations of a chain that it would lie between.
typedef struct Element {
    Front f;
    Rest next;
} Element;

// Only what add_segment, add_joint and add_inertia touch.
INLINE void clear_element(Element *e) {
    EACH(k, 0, UNKNOWNS) {
        e->f.r[k] = splat(0.0);
        EACH(m, k, UNKNOWNS) e->f.A[k][m] = splat(0.0);
        EACH(m, 0, BEHIND) e->f.B[k][m] = splat(0.0);
    }
    EACH(k, 0, BEHIND) {
        e->next.r[k] = splat(0.0);
        EACH(m, k, BEHIND) e->next.A[k][m] = splat(0.0);
    }
}

INLINE void add_diagonal(const Creatures *c, SymbolicBlock to, const Wide *a, int stride) {
    EACH(k, 0, 3) c->sparse.A[to.at + k * (to.down + to.right)] += a[k * (stride + 1)];
}

INLINE void add_upper(const Creatures *c, SymbolicBlock to, const Wide *a, int stride) {
    EACH(k, 0, 3) {
        EACH(m, k, 3) c->sparse.A[to.at + k * to.down + m * to.right] += a[k * stride + m];
    }
}

INLINE void add_block(const Creatures *c, SymbolicBlock to, const Wide *a, int stride, int rows,
                      int columns) {
    EACH(k, 0, rows) {
        EACH(m, 0, columns) {
            c->sparse.A[to.at + k * to.down + m * to.right] += a[k * stride + m];
        }
    }
}

INLINE void add_force(const Creatures *c, int unknown, const Wide *r, int count) {
    EACH(k, 0, count) {
        c->sparse.r[unknown + k] += r[k];
        if (c->sides)
            c->sides[unknown + k] += r[k] * r[k];
    }
}

static void add_graph_segment(const Creatures *c, int j) {
    const NewtonLanes at = c->lanes;
    const RodPack *pack = at.pack;
    const RodSymbolic *symbolic = c->sparse.symbolic;
    const int a = c->graph->edge[j][0], b = c->graph->edge[j][1];
    NewtonSegment g =
        newton_segment(pack->prepared + j, pack->work + j, at.i,
                       newton_vertex(pack->state + a, pack->work + a, at.i, at.volume),
                       newton_vertex(pack->state + b, pack->work + b, at.i, at.volume),
                       newton_frame(pack->state + j, at.i), at.volume, at.damped);
    Element e;
    clear_element(&e);
    add_segment(&e.f, &e.next, &g, at.volume);
    const SymbolicBlock *to = symbolic->segment[j];
    const Wide(*A)[UNKNOWNS] = e.f.A;
    const Wide(*B)[BEHIND] = e.f.B, (*N)[BEHIND] = e.next.A;
    add_force(c, symbolic->x[a], &e.f.r[X], 3);
    add_force(c, symbolic->t[j], &e.f.r[T], 2);
    add_force(c, symbolic->x[b], &e.next.r[X], 3);
    add_diagonal(c, to[XA_XA], &A[X][X], UNKNOWNS);
    add_diagonal(c, to[XA_XB], &B[X][X], BEHIND);
    add_diagonal(c, to[XB_XB], &N[X][X], BEHIND);
    add_block(c, to[XA_T], &A[X][T], UNKNOWNS, 3, 2);
    add_block(c, to[T_XB], &B[T][X], BEHIND, 2, 3);
    add_diagonal(c, to[T_T], &A[T][T], UNKNOWNS);
    if (!at.volume)
        return;
    add_force(c, symbolic->s[a], &e.f.r[S], 1);
    add_force(c, symbolic->s[b], &e.next.r[S], 1);
    add_block(c, to[XA_SA], &A[X][S], UNKNOWNS, 3, 1);
    add_block(c, to[XA_SB], &B[X][S], BEHIND, 3, 1);
    add_block(c, to[SA_XB], &B[S][X], BEHIND, 1, 3);
    add_block(c, to[XB_SB], &N[X][S], BEHIND, 3, 1);
    add_block(c, to[T_SA], &A[T][S], UNKNOWNS, 2, 1);
    add_block(c, to[T_SB], &B[T][S], BEHIND, 2, 1);
    add_block(c, to[SA_SA], &A[S][S], UNKNOWNS, 1, 1);
    add_block(c, to[SA_SB], &B[S][S], BEHIND, 1, 1);
    add_block(c, to[SB_SB], &N[S][S], BEHIND, 1, 1);
}

INLINE NewtonJoint graph_joint(const Creatures *c, int k) {
    const NewtonLanes at = c->lanes;
    const RodPack *pack = at.pack;
    const RodState *state = pack->state;
    const GraphJoint *j = &c->graph->joint[k];
    const RodTurn *t = pack->turn + k;
    Wide4 turn = {load_floats(&t->x[at.i]), load_floats(&t->y[at.i]), load_floats(&t->z[at.i]),
                  load_floats(&t->w[at.i])};
    Wide one = splat(1.0), sp = one, s = one, sa = one;
    if (at.volume) {
        sp = load_floats(&state[j->far_p].s[at.i]);
        s = load_floats(&state[j->vertex].s[at.i]);
        sa = load_floats(&state[j->far_a].s[at.i]);
    }
    Wide4 qp = quat_mul(newton_frame(state + j->p, at.i), turn);
    NewtonJoint e = newton_joint(pack->prepared + k, pack->work + k, at.i, qp,
                                 newton_frame(state + j->a, at.i), sp, s, sa, at.volume, at.damped);
    e.turn[0] = quat_axis_x(turn);
    e.turn[1] = quat_axis_y(turn);
    e.turn[2] = quat_axis_z(turn);
    return e;
}

static void add_graph_joint(const Creatures *c, int k) {
    const GraphJoint *j = &c->graph->joint[k];
    const RodSymbolic *symbolic = c->sparse.symbolic;
    NewtonJoint joint = graph_joint(c, k);
    Element e;
    clear_element(&e);
    add_joint(&e.f, &e.next, &joint, c->lanes.volume, true);
    const SymbolicBlock *to = symbolic->joint[k];
    const Wide(*A)[UNKNOWNS] = e.f.A;
    const Wide(*B)[BEHIND] = e.f.B, (*N)[BEHIND] = e.next.A;
    add_force(c, symbolic->t[j->p], &e.f.r[T], 3);
    add_force(c, symbolic->t[j->a], &e.next.r[T], 3);
    add_upper(c, to[TP_TP], &A[T][T], UNKNOWNS);
    add_upper(c, to[TA_TA], &N[T][T], BEHIND);
    add_block(c, to[TP_TA], &B[T][T], BEHIND, 3, 3);
    if (!c->lanes.volume)
        return;
    add_force(c, symbolic->s[j->far_p], &e.f.r[S], 1);
    add_force(c, symbolic->s[j->vertex], &e.next.r[S], 1);
    add_force(c, symbolic->s[j->far_a], &e.next.r[SS], 1);
    add_block(c, to[TP_SV], &B[T][S], BEHIND, 3, 1);
    add_block(c, to[TA_SV], &N[T][S], BEHIND, 3, 1);
    add_block(c, to[SP_SP], &A[S][S], UNKNOWNS, 1, 1);
    add_block(c, to[SP_SV], &B[S][S], BEHIND, 1, 1);
    add_block(c, to[SP_SF], &B[S][SS], BEHIND, 1, 1);
    add_block(c, to[SV_SV], &N[S][S], BEHIND, 1, 1);
    add_block(c, to[SV_SF], &N[S][SS], BEHIND, 1, 1);
    add_block(c, to[SF_SF], &N[SS][SS], BEHIND, 1, 1);
}

INLINE NewtonInertia inertia_of(const Creatures *c, int j) {
    const RodPack *pack = c->lanes.pack;
    return newton_inertia(pack->prepared + j, pack->rest + j, c->lanes.i);
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
    const NewtonLanes at = c->lanes;
    const RodPack *pack = at.pack;
    const RodSymbolic *symbolic = c->sparse.symbolic;
    Element e;
    clear_element(&e);
    add_inertia(&e.f, pack->aim + j, inertia_of(c, j), at.i,
                newton_vertex(pack->state + j, pack->work + j, at.i, at.volume),
                newton_frame(pack->state + j, at.i), at.volume);
    if (j < c->graph->segments) {
        add_force(c, symbolic->t[j], &e.f.r[T], 3);
        add_upper(c, own_place(c, j, T), &e.f.A[T][T], UNKNOWNS);
    }
    if (j >= c->graph->vertices)
        return;
    add_force(c, symbolic->x[j], &e.f.r[X], 3);
    add_diagonal(c, own_place(c, j, X), &e.f.A[X][X], UNKNOWNS);
    // Classic rods have no scales to solve for, but places for them.
    Wide held = splat(HELD);
    add_force(c, symbolic->s[j], &e.f.r[S], 1);
    add_block(c, own_place(c, j, S), at.volume ? &e.f.A[S][S] : &held, UNKNOWNS, 1, 1);
}

static void assemble(const Creatures *c) {
    const RodSymbolic *symbolic = c->sparse.symbolic;
    memset(c->sparse.A, 0, (size_t)symbolic->numbers * sizeof(Wide));
    memset(c->sparse.r, 0, (size_t)symbolic->unknowns * sizeof(Wide));
    for (int j = 0; j <= c->lanes.pack->rows; ++j)
        add_graph_inertia(c, j);
    for (int j = 0; j < c->graph->segments; ++j)
        add_graph_segment(c, j);
    for (int k = 0; k < c->graph->joints; ++k)
        add_graph_joint(c, k);
}

INLINE NewtonStep step_of(const Creatures *c, int j) {
    const Wide zero = splat(0.0), *r = c->sparse.r;
    const RodSymbolic *symbolic = c->sparse.symbolic;
    NewtonInertia n = inertia_of(c, j);
    NewtonStep step = {{zero, zero, zero}, {zero, zero, zero}, zero};
    if (j < c->graph->vertices) {
        const Wide *x = r + symbolic->x[j];
        step.by = mul3((Wide3){x[0], x[1], x[2]}, n.free);
        step.swell = r[symbolic->s[j]] * n.free_scale;
    }
    if (j < c->graph->segments) {
        const Wide *t = r + symbolic->t[j];
        step.turn = mul3((Wide3){t[0], t[1], t[2]}, n.free_frame);
    }
    return step;
}

static void move(const Creatures *c) {
    const int rows = c->lanes.pack->rows;
    NewtonReach most = {splat(0.0), splat(0.0)};
    for (int j = 0; j <= rows; ++j)
        reach(&most, c->lanes, j, step_of(c, j));
    const Wide part = part_to_take(most);
    for (int j = 0; j <= rows; ++j)
        move_by(c->lanes, j, step_of(c, j), part);
}

INLINE Creatures creatures(RodPack *pack, int i) {
    const RodSymbolic *symbolic = pack->graph->symbolic;
    Wide *A = pack->front;
    return (Creatures){.lanes = {pack, i, !pack->classic, pack->damped},
                       .graph = pack->graph,
                       .sparse = {symbolic, A, A + symbolic->numbers}};
}

void WIDE_FUNCTION(rod_newton_graph)(RodPack *pack, bool first) {
    assert(pack->graph && pack->graph->symbolic);
    for (int i = 0; i < pack->lanes; i += WIDE_DOUBLE) {
        Creatures c = creatures(pack, i);
        for (int j = 0; first && j <= pack->rows; ++j)
            begin_from_motion(c.lanes, j);
        assemble(&c);
        solve_sparse(&c.sparse);
        move(&c);
    }
}

INLINE void weigh_unknown(const Creatures *c, int unknown, Wide inertia, Wide *left, Wide *sides) {
    Wide r = c->sparse.r[unknown], zero = splat(0.0);
    Wide m = wide_if_less(zero, inertia, 1.0 / (inertia + 1e-300), zero);
    *left += m * (r * r);
    *sides += m * c->sides[unknown];
}

// Squares of forces, each over its inertia: what is left of them in all, and those of all elements.
INLINE void weigh(const Creatures *c, double *missing, double *total) {
    const RodSymbolic *symbolic = c->sparse.symbolic;
    Wide left = splat(0.0), sides = left;
    for (int j = 0; j <= c->lanes.pack->rows; ++j) {
        NewtonInertia n = inertia_of(c, j);
        for (int k = 0; k < 3 && j < c->graph->vertices; ++k)
            weigh_unknown(c, symbolic->x[j] + k, n.mass, &left, &sides);
        if (j < c->graph->vertices)
            weigh_unknown(c, symbolic->s[j], n.scale, &left, &sides);
        for (int k = 0; k < 3 && j < c->graph->segments; ++k)
            weigh_unknown(c, symbolic->t[j] + k, k < 2 ? n.turn : n.roll, &left, &sides);
    }
    for (int lane = 0; lane < WIDE_DOUBLE && c->lanes.i + lane < c->lanes.pack->lanes; ++lane) {
        *missing += left[lane];
        *total += sides[lane];
    }
}

void WIDE_FUNCTION(rod_newton_graph_residual)(RodPack *pack) {
    double missing = 0.0, total = 0.0;
    for (int i = 0; i < pack->lanes; i += WIDE_DOUBLE) {
        Creatures c = creatures(pack, i);
        c.sides = c.sparse.r + c.sparse.symbolic->unknowns;
        memset(c.sides, 0, (size_t)c.sparse.symbolic->unknowns * sizeof(Wide));
        assemble(&c);
        weigh(&c, &missing, &total);
    }
    pack->residual[0] = missing;
    pack->residual[1] = total;
}
