#include "rod/kernels.h"

#include "base/isa.h"
#include "rod/wide.h"

#define TABLE(isa)                                                                                 \
    {                                                                                              \
        PASTE(rod_predict, isa), PASTE(rod_outset, isa), PASTE(rod_warm, isa),                     \
            PASTE(rod_bundle, isa), PASTE(rod_axial, isa), PASTE(rod_sweep, isa),                  \
            PASTE(rod_newton, isa), PASTE(rod_slices_start, isa), PASTE(rod_slices, isa),          \
            PASTE(rod_slices_ties, isa), PASTE(rod_residual, isa), PASTE(rod_finish, isa),         \
            PASTE(rod_load, isa), PASTE(rod_to_knots, isa), PASTE(rod_from_knots, isa)             \
    }

const RodKernels *sn__rod_kernels(SnIsa isa) {
    static const RodKernels kernels[ISA_COUNT] = BY_ISA(TABLE);
    return sn__isa_compiled(isa) ? &kernels[isa] : NULL;
}
