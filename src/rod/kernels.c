#include "rod/kernels.h"

#include "rod/wide.h"

#define TABLE(isa)                                                                                 \
    {                                                                                              \
        PASTE(rod_predict, isa), PASTE(rod_warm, isa), PASTE(rod_axial, isa),                      \
            PASTE(rod_sweep, isa), PASTE(rod_newton, isa), PASTE(rod_residual, isa),               \
            PASTE(rod_finish, isa), PASTE(rod_load, isa), PASTE(rod_to_knots, isa),                \
            PASTE(rod_from_knots, isa)                                                             \
    }

const RodKernels *sn__rod_kernels(SnIsa isa) {
    static const RodKernels scalar = TABLE(scalar);
    if (isa == SN_ISA_SCALAR)
        return &scalar;
#ifdef HAVE_V128
    static const RodKernels v128 = TABLE(v128);
    if (isa == SN_ISA_128)
        return &v128;
#endif
#ifdef HAVE_AVX2
    static const RodKernels avx2 = TABLE(avx2);
    if (isa == SN_ISA_AVX2)
        return &avx2;
#endif
#ifdef HAVE_AVX512
    static const RodKernels avx512 = TABLE(avx512);
    if (isa == SN_ISA_AVX512)
        return &avx512;
#endif
    return NULL;
}
