// How a bundle that is solved as a whole answers where it is tied to others (newton_answer.h), with the factors that
// the last iteration has left. Included by the files of their solver only.
#pragma once

#include "rod/newton_answer.h"
#include "rod/slice_solve.h"

// Right sides lie where an iteration has the places of vertices, which the next one finds anew.
INLINE Number *side_at(const void *rods, int vertex, int axis) {
    const Slices *c = rods;
    return (Number *)&c->pack->member[vertex].u[axis][c->lanes.i];
}

INLINE void clear_sides(const void *rods) {
    const Slices *c = rods;
    for (int e = 0; e < c->graph->section_begin[c->graph->sections]; ++e)
        slice_store3(c->pack->member[c->graph->section_vertex[e]].u, c->lanes.i, zero3());
}

// Of all vertices to their sections, and from these back.
INLINE void solve_sides(const void *rods, int first, int lowest) {
    (void)first;
    (void)lowest;
    const Slices *c = rods;
    const RodGraph *graph = c->graph;
    const int i = c->lanes.i;
    Forces f = {zero3(), zero3(), splat(0.0)};
    for (int k = 0; k < graph->sections; ++k) {
        const Number by_scale = spread_of(c->pack->slice + k, i);
        for (int e = graph->section_begin[k]; e < graph->section_begin[k + 1]; ++e) {
            const SliceMember *member = c->pack->member + graph->section_vertex[e];
            Number3 r = slice_load3(member->lever, i);
            pull_member(&f, r, mul3(r, by_scale), slice_load3(member->u, i));
        }
        Forces next = {zero3(), zero3(), splat(0.0)};
        carry_down(c, k, &f, &next);
        f = next;
    }
    substitute_slices(c);
    for (int k = 0; k < graph->sections; ++k) {
        const RodSlice *slice = c->pack->slice + k;
        const Number swell = load(&slice->step[6][i]) * spread_of(slice, i);
        Number3 by = slice_load3((SliceRow *)slice->step, i),
                turn = slice_load3((SliceRow *)&slice->step[3], i);
        for (int e = graph->section_begin[k]; e < graph->section_begin[k + 1]; ++e) {
            SliceMember *member = c->pack->member + graph->section_vertex[e];
            Number3 r = slice_load3(member->lever, i);
            slice_store3(member->u, i, add3(add3(by, cross3(turn, r)), mul3(r, swell)));
        }
    }
}

INLINE void answer_slice_ties(Slices *c) {
    answer_ties(&(Tied){.pack = c->pack,
                        .i = c->lanes.i,
                        .rods = c,
                        .place = side_at,
                        .clear = clear_sides,
                        .solve = solve_sides});
}
