// The direct sweep in double, for stiff rods.
#define NEWTON_DOUBLE 1
#include "rod/newton_chain.h"
#include "rod/newton_graph.h"

void WIDE_FUNCTION(rod_newton_precise)(RodPack *pack) {
    if (pack->graph)
        iterate_graph(pack);
    else
        iterate_chains(pack);
}
