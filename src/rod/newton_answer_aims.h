// How rods that are solved directly answer to aims that contacts have moved, to first order: with the factors that the
// first iteration of the sub-step has left, and what was added to the aims as the right side,
//
//     H δ = A ΔX̂.
//
// Contacts and bodies are solved in turn, some ten times in a sub-step, and each time a rod goes next to no way: making
// its forces and its Hessian anew would be most of the time that a heap takes. Who does go far, and who is solved
// for the last time in a sub-step, has a whole iteration (substep.c). Included by rod_newton_rough_wide.c only.
#pragma once

#include "rod/newton_chain.h"
#include "rod/newton_graph.h"

// Of vertex and segment j.
INLINE void pull_by_more(Number r[UNKNOWNS], NewtonLanes at, int j) {
    const RodAim *aim = at.pack->aim + j;
    const int i = at.i;
    NewtonInertia n = newton_inertia(at, j);
    Number4 before = newton_frame_before(at.pack->work + j, i);
    Number3 turn = {load_row(&aim->more_tx[i]), load_row(&aim->more_ty[i]),
                    load_row(&aim->more_tz[i])};
    r[X] = n.mass * load_row(&aim->more_x[i]);
    r[X + 1] = n.mass * load_row(&aim->more_y[i]);
    r[X + 2] = n.mass * load_row(&aim->more_z[i]);
    r[T] = n.turn * dot3(quat_axis_x(before), turn);
    r[T + 1] = n.turn * dot3(quat_axis_y(before), turn);
    r[T + 2] = n.roll * dot3(quat_axis_z(before), turn);
    r[S] = at.volume ? (Number)(n.scale * load_row(&aim->more_s[i])) : splat(0.0f);
}

INLINE void answer_chain(RodPack *pack, int i, bool volume) {
    Chains c = chains(pack, i, volume, false, false, false);
    c.kept = chain_factors(pack, i);
    for (int j = 0; j <= pack->rows; ++j) {
        Number r[UNKNOWNS];
        pull_by_more(r, c.lanes, j);
        EACH(k, 0, c.kind.n) { *row_of(&c, j, k) = r[k]; }
    }
    carry_as(c, c.kind, 0, 0);
    NewtonReach most = no_reach();
    for (int j = pack->rows; j >= 0; --j)
        reach(&most, c.lanes, j, step_of(&c, j), newton_inertia(c.lanes, j).mass);
    const NewtonPart part = part_to_take(c.lanes, most, splat(0.0f));
    for (int j = 0; j <= pack->rows; ++j)
        move_by(c.lanes, j, step_of(&c, j), part);
}

APART answer_volume(RodPack *pack, int i) { answer_chain(pack, i, true); }
APART answer_classic(RodPack *pack, int i) { answer_chain(pack, i, false); }

APART answer_creatures(RodPack *pack, int i) {
    Creatures c = creatures(pack, i);
    const RodSymbolic *symbolic = c.sparse.symbolic;
    c.sparse.A = graph_factors(pack, i);
    for (int k = 0; k < symbolic->unknowns; ++k)
        c.sparse.r[k] = splat(0.0f);
    for (int j = 0; j <= pack->rows; ++j) {
        Number r[UNKNOWNS];
        pull_by_more(r, c.lanes, j);
        for (int k = 0; k < 3 && j < c.graph->vertices; ++k)
            c.sparse.r[symbolic->x[j] + k] = r[X + k];
        for (int k = 0; k < 3 && j < c.graph->segments; ++k)
            c.sparse.r[symbolic->t[j] + k] = r[T + k];
        if (j < c.graph->vertices)
            c.sparse.r[symbolic->s[j]] = r[S];
    }
    solve_sparse_again(&c.sparse);
    move_graph(&c, splat(0.0f));
}

INLINE void answer_aims(RodPack *pack) {
    for (int i = 0; i < pack->lanes; i += NUMBER_LANES) {
        if (!any_own(pack, i))
            continue;
        if (pack->graph)
            answer_creatures(pack, i);
        else if (pack->classic)
            answer_classic(pack, i);
        else
            answer_volume(pack, i);
    }
}
