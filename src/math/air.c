#include "math/air.h"

SnAirKernel *sn__air_kernel(SnIsa isa) {
    if (isa == SN_ISA_SCALAR)
        return SN_PASTE(air, scalar);
#ifdef SN_HAVE_V128
    if (isa == SN_ISA_128)
        return SN_PASTE(air, v128);
#endif
#ifdef SN_HAVE_AVX2
    if (isa == SN_ISA_AVX2)
        return SN_PASTE(air, avx2);
#endif
#ifdef SN_HAVE_AVX512
    if (isa == SN_ISA_AVX512)
        return SN_PASTE(air, avx512);
#endif
    return NULL;
}
