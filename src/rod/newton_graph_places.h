// Where the numbers of creatures lie in elimination, for Newton's method on graphs. Included by the
// files of the method only.
#pragma once

#include "rod/newton.h"
#include "rod/symbolic.h"

// In the memory that a pack has for elimination (sn__symbolic_bytes), a row per unknown.
typedef struct GraphForces {
    double (*exact)[PACK_LANES]; // as in RodForces
    PackRow *rough;
    double (*squares)[PACK_LANES]; // of the residual
    void *numbers;                 // of elimination
} GraphForces;

INLINE GraphForces graph_forces_of(const RodPack *pack) {
    const int unknowns = pack->graph->symbolic->unknowns;
    GraphForces f = {.exact = pack->front};
    f.squares = f.exact + unknowns;
    f.rough = (PackRow *)(f.squares + unknowns);
    f.numbers = f.rough + unknowns;
    return f;
}

INLINE NewtonSegment graph_segment(NewtonLanes at, int j) {
    const RodPack *pack = at.pack;
    const int a = pack->graph->edge[j][0], b = pack->graph->edge[j][1];
    return newton_segment(at, j, newton_vertex(pack->work + a, at.i, at.volume),
                          newton_vertex(pack->work + b, at.i, at.volume),
                          newton_frame(pack->state + j, at.i));
}

INLINE NewtonJoint graph_joint(NewtonLanes at, int k) {
    const RodPack *pack = at.pack;
    const RodState *state = pack->state;
    const GraphJoint *j = &pack->graph->joint[k];
    return newton_joint(at, k, newton_frame(state + j->p, at.i), newton_frame(state + j->a, at.i),
                        newton_grown(pack->work + j->far_p, at.i, at.volume),
                        newton_grown(pack->work + j->vertex, at.i, at.volume),
                        newton_grown(pack->work + j->far_a, at.i, at.volume));
}
