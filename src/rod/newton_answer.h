// How a rod answers where it is tied to others: columns of the inverse of its Hessian, found with the factors
// that the last iteration has left. Included by the files of the method only.
#pragma once

#include "rod/newton.h"

// Who is asked: some lanes of chains or of creatures, whose right sides lie at `place`; `solve` replaces them by
// the solution. All of them are 0 but for vertices from `first` on, and only vertices from `lowest` on are read.
typedef struct Tied {
    RodPack *pack;
    int i;
    const void *rods;
    Number *(*place)(const void *rods, int vertex, int axis);
    void (*clear)(const void *rods);
    void (*solve)(const void *rods, int first, int lowest);
} Tied;

INLINE bool is_here(const Tied *of, const RodTie *tie) {
    return tie->lane >= of->i && tie->lane < of->i + NUMBER_LANES &&
           (of->pack->precise[tie->lane] > 0.5f) == (NEWTON_DOUBLE != 0);
}

INLINE int first_vertex(const RodTie *tie) {
    return tie->vertex[0] < tie->vertex[1] ? tie->vertex[0] : tie->vertex[1];
}

// Masses have units of their own in float.
INLINE double in_kilograms(const Tied *of, int lane) {
    return NEWTON_DOUBLE ? 1.0 : (double)of->pack->unit[lane];
}

INLINE void read_answer(const Tied *of, RodTie *tie, int turn, int axis) {
    for (int k = 0; k < 3; ++k) {
        double sum = 0.0;
        for (int v = 0; v < 2; ++v)
            sum += (double)tie->weight[v] *
                   (double)(*of->place(of->rods, tie->vertex[v], k))[tie->lane - of->i];
        tie->answer[turn][k][axis] = sum * in_kilograms(of, tie->lane);
    }
}

// The ties of one turn, at most one of each lane, are pulled at along an axis.
INLINE void answer_turn(const Tied *of, int turn, int axis, int first, int lowest) {
    RodPack *pack = of->pack;
    of->clear(of->rods);
    for (int t = 0; t < pack->tie_count; ++t) {
        const RodTie *tie = &pack->ties[t];
        for (int v = 0; v < 2 && tie->turn == turn && is_here(of, tie); ++v)
            (*of->place(of->rods, tie->vertex[v], axis))[tie->lane - of->i] += tie->weight[v];
    }
    of->solve(of->rods, first, lowest);
    for (int t = 0; t < pack->tie_count; ++t)
        if (is_here(of, &pack->ties[t]))
            read_answer(of, &pack->ties[t], turn, axis);
}

INLINE void answer_ties(const Tied *of) {
    const RodPack *pack = of->pack;
    int first[TIES_OF_A_LANE], lowest = pack->rows;
    for (int turn = 0; turn < TIES_OF_A_LANE; ++turn)
        first[turn] = pack->rows + 1;
    for (int t = 0; t < pack->tie_count; ++t) {
        const RodTie *tie = &pack->ties[t];
        if (!is_here(of, tie))
            continue;
        int vertex = first_vertex(tie), *of_turn = &first[tie->turn];
        lowest = vertex < lowest ? vertex : lowest;
        *of_turn = vertex < *of_turn ? vertex : *of_turn;
    }
    for (int turn = 0; turn < TIES_OF_A_LANE; ++turn)
        for (int axis = 0; axis < 3 && first[turn] <= pack->rows; ++axis)
            answer_turn(of, turn, axis, first[turn], lowest);
}
