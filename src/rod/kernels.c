#include "rod/kernels.h"

#include "rod/wide.h"

#define TABLE(isa)                                                                                 \
    {                                                                                              \
        SN_PASTE(rod_predict, isa), SN_PASTE(rod_warm, isa), SN_PASTE(rod_axial, isa),             \
            SN_PASTE(rod_sweep, isa), SN_PASTE(rod_newton, isa), SN_PASTE(rod_residual, isa),      \
            SN_PASTE(rod_finish, isa), SN_PASTE(rod_load, isa), SN_PASTE(rod_to_knots, isa),       \
            SN_PASTE(rod_from_knots, isa)                                                          \
    }

const RodKernels *sn__rod_kernels(SnIsa isa) {
    static const RodKernels scalar = TABLE(scalar);
    if (isa == SN_ISA_SCALAR)
        return &scalar;
#ifdef SN_HAVE_V128
    static const RodKernels v128 = TABLE(v128);
    if (isa == SN_ISA_128)
        return &v128;
#endif
#ifdef SN_HAVE_AVX2
    static const RodKernels avx2 = TABLE(avx2);
    if (isa == SN_ISA_AVX2)
        return &avx2;
#endif
#ifdef SN_HAVE_AVX512
    static const RodKernels avx512 = TABLE(avx512);
    if (isa == SN_ISA_AVX512)
        return &avx512;
#endif
    return NULL;
}
