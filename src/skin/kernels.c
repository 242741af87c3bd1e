#include "skin/kernels.h"

#include "skin/wide.h"

SkinBlend *sn__skin_blend(SnIsa isa) {
    if (isa == SN_ISA_SCALAR)
        return PASTE(skin_blend, scalar);
#ifdef HAVE_V128
    if (isa == SN_ISA_128)
        return PASTE(skin_blend, v128);
#endif
#ifdef HAVE_AVX2
    if (isa == SN_ISA_AVX2)
        return PASTE(skin_blend, avx2);
#endif
#ifdef HAVE_AVX512
    if (isa == SN_ISA_AVX512)
        return PASTE(skin_blend, avx512);
#endif
    return NULL;
}
