#include "stiff/kernels.h"

#include "base/isa.h"
#include "stiff/wide.h"

#define TABLE(isa)                                                                                 \
    {                                                                                              \
        PASTE(stiff_strain, isa), PASTE(stiff_predict, isa), PASTE(stiff_blow, isa),               \
            PASTE(stiff_pull, isa), PASTE(stiff_import_pull, isa), PASTE(stiff_finish, isa),       \
            PASTE(stiff_up, isa), PASTE(stiff_import, isa), PASTE(stiff_ground, isa),              \
            PASTE(stiff_down, isa), PASTE(stiff_ground_compliance, isa),                           \
            PASTE(stiff_compliance, isa), PASTE(stiff_response_up, isa),                           \
            PASTE(stiff_import_response, isa), PASTE(stiff_ground_response, isa),                  \
            PASTE(stiff_response_down, isa), PASTE(stiff_ground_peek, isa),                        \
            PASTE(stiff_peek, isa), PASTE(stiff_ground_add, isa), PASTE(stiff_add, isa),           \
            PASTE(stiff_fronts_factor, isa), PASTE(stiff_fronts_solve, isa),                       \
            PASTE(stiff_fronts_inverse, isa)                                                       \
    }

const StiffKernels *sn__stiff_kernels(SnIsa isa) {
    static const StiffKernels kernels[ISA_COUNT] = BY_ISA(TABLE);
    return sn__isa_compiled(isa) ? &kernels[isa] : NULL;
}
