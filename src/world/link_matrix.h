// The matrix of tied links (link_tied.c): symmetric, of its lower half the numbers from the first one of each row on.
#pragma once

#include <assert.h>

#include "world/world.h"

static inline double *sn__link_place(const TiedLinks *m, int row, int column) {
    assert(column >= m->row[row].first && column <= row);
    return &m->number[m->row[row].at + column - m->row[row].first];
}

// In place; what does not move at all takes no step.
void sn__links_factor(const TiedLinks *m, int rows);
// Right sides, in LinkRow.step, become the solution.
void sn__links_substitute(const TiedLinks *m, int rows);
