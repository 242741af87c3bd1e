#include "base/isa.h"
#include "collide/grid_wide.h"

#define TABLE(isa)                                                                                 \
    { PASTE(grid_search, isa), PASTE(grid_order, isa) }

const GridKernels *sn__grid_kernels(SnIsa isa) {
    static const GridKernels kernels[ISA_COUNT] = BY_ISA(TABLE);
    return &kernels[sn__isa_compiled(isa) ? isa : SN_ISA_SCALAR];
}
