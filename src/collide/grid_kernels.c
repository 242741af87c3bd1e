#include "collide/grid_wide.h"

#define TABLE(isa)                                                                                 \
    { PASTE(grid_search, isa), PASTE(grid_order, isa) }

const GridKernels *sn__grid_kernels(SnIsa isa) {
    static const GridKernels scalar = TABLE(scalar);
#ifdef HAVE_V128
    static const GridKernels v128 = TABLE(v128);
    if (isa == SN_ISA_128)
        return &v128;
#endif
#ifdef HAVE_AVX2
    static const GridKernels avx2 = TABLE(avx2);
    if (isa == SN_ISA_AVX2)
        return &avx2;
#endif
#ifdef HAVE_AVX512
    static const GridKernels avx512 = TABLE(avx512);
    if (isa == SN_ISA_AVX512)
        return &avx512;
#endif
    (void)isa;
    return &scalar;
}
