#include "skin/kernels.h"

#include "skin/wide.h"

SkinBlend *sn__skin_blend(SnIsa isa) {
    if (isa == SN_ISA_SCALAR)
        return SN_PASTE(skin_blend, scalar);
#ifdef SN_HAVE_V128
    if (isa == SN_ISA_128)
        return SN_PASTE(skin_blend, v128);
#endif
#ifdef SN_HAVE_AVX2
    if (isa == SN_ISA_AVX2)
        return SN_PASTE(skin_blend, avx2);
#endif
#ifdef SN_HAVE_AVX512
    if (isa == SN_ISA_AVX512)
        return SN_PASTE(skin_blend, avx512);
#endif
    return NULL;
}
