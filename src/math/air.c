#include "math/air.h"

AirKernel *sn__air_kernel(SnIsa isa) {
    if (isa == SN_ISA_SCALAR)
        return PASTE(air, scalar);
#ifdef HAVE_V128
    if (isa == SN_ISA_128)
        return PASTE(air, v128);
#endif
#ifdef HAVE_AVX2
    if (isa == SN_ISA_AVX2)
        return PASTE(air, avx2);
#endif
#ifdef HAVE_AVX512
    if (isa == SN_ISA_AVX512)
        return PASTE(air, avx512);
#endif
    return NULL;
}
