// The direct sweep in float, for rods that are not too stiff for it.
#define NEWTON_DOUBLE 0
#include "rod/newton_answer_aims.h"

void WIDE_FUNCTION(rod_newton_rough)(RodPack *pack) {
    if (pack->graph)
        iterate_graph(pack);
    else
        iterate_chains(pack);
}

void WIDE_FUNCTION(rod_newton_answer)(RodPack *pack) { answer_aims(pack); }
