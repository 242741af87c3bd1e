// How a rod answers where it is tied to others: columns of the inverse of its Hessian, found with the factors
// that the last iteration has left. Included by the files of the method only.
#pragma once

#include "rod/newton.h"

// Who is asked: some lanes of chains or of creatures, whose right sides lie at `place`; `solve` replaces them by
// the solution. All of them are 0 but for vertices from `first` on, and only vertices from `lowest` on are read.
// Both are those of all lanes of the pack: a rod that is lost makes something of zeros, too, and has the same bits
// whoever shares the vector with it.
typedef struct Tied {
    RodPack *pack;
    int i;
    void *rods;
    Number *(*place)(const void *rods, int vertex, int axis);
    void (*clear)(const void *rods);
    void (*solve)(const void *rods, int first, int lowest);
    // Gives the factors of one lane to all, so that each solves for another right side of it. NULL: it cannot.
    void (*spread)(void *rods, int lane);
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

// From lane `from` of those that are asked.
INLINE void read_answer(const Tied *of, RodTie *tie, int from, int turn, int axis) {
    for (int k = 0; k < 3; ++k) {
        double sum = 0.0;
        for (int v = 0; v < 2; ++v)
            sum += (double)tie->weight[v] * (double)(*of->place(of->rods, tie->vertex[v], k))[from];
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
            read_answer(of, &pack->ties[t], pack->ties[t].lane - of->i, turn, axis);
}

// The only rod here that is tied: the lanes of the others would solve for nothing. Lane k is pulled at along axis
// (start + k) % 3 of the tie of turn (start + k)/3.
INLINE void answer_spread(const Tied *of, int start, int lowest) {
    RodPack *pack = of->pack;
    of->clear(of->rods);
    for (int t = 0; t < pack->tie_count; ++t) {
        const RodTie *tie = &pack->ties[t];
        for (int axis = 0; axis < 3 && is_here(of, tie); ++axis) {
            int k = 3 * tie->turn + axis - start;
            for (int v = 0; v < 2 && k >= 0 && k < NUMBER_LANES; ++v)
                (*of->place(of->rods, tie->vertex[v], axis))[k] += tie->weight[v];
        }
    }
    of->solve(of->rods, lowest, lowest);
    for (int t = 0; t < pack->tie_count; ++t)
        for (int k = 0; k < NUMBER_LANES && is_here(of, &pack->ties[t]); ++k)
            if ((start + k) / 3 < TIES_OF_A_LANE)
                read_answer(of, &pack->ties[t], k, (start + k) / 3, (start + k) % 3);
}

// The lane that is tied, if there is one only; else −1.
INLINE int only_lane(const Tied *of) {
    int lane = -1;
    for (int t = 0; t < of->pack->tie_count; ++t) {
        const RodTie *tie = &of->pack->ties[t];
        if (!is_here(of, tie))
            continue;
        if (lane >= 0 && lane != tie->lane)
            return -1;
        lane = tie->lane;
    }
    return lane;
}

INLINE void answer_ties(const Tied *of) {
    const RodPack *pack = of->pack;
    int first[TIES_OF_A_LANE], lowest = pack->rows;
    bool asked[TIES_OF_A_LANE] = {false};
    for (int turn = 0; turn < TIES_OF_A_LANE; ++turn)
        first[turn] = pack->rows + 1;
    for (int t = 0; t < pack->tie_count; ++t) {
        const RodTie *tie = &pack->ties[t];
        int vertex = first_vertex(tie), *of_turn = &first[tie->turn];
        lowest = vertex < lowest ? vertex : lowest;
        *of_turn = vertex < *of_turn ? vertex : *of_turn;
        asked[tie->turn] = asked[tie->turn] || is_here(of, tie);
    }
    int alone = of->spread && NUMBER_LANES > 1 ? only_lane(of) : -1;
    if (alone >= 0)
        of->spread(of->rods, alone - of->i);
    for (int k = 0; alone >= 0 && k < 3 * TIES_OF_A_LANE; k += NUMBER_LANES)
        if (asked[k / 3])
            answer_spread(of, k, lowest);
    for (int turn = 0; turn < TIES_OF_A_LANE && alone < 0; ++turn)
        for (int axis = 0; axis < 3 && asked[turn]; ++axis)
            answer_turn(of, turn, axis, first[turn], lowest);
}
