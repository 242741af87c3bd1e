#include "collide/wide.h"

#define TABLE(isa)                                                                                 \
    { PASTE(contact_solve, isa), PASTE(contact_find, isa), PASTE(contact_nearest, isa) }

const ContactKernels *sn__contact_kernels(SnIsa isa) {
    static const ContactKernels scalar = TABLE(scalar);
    if (isa == SN_ISA_SCALAR)
        return &scalar;
#ifdef HAVE_V128
    static const ContactKernels v128 = TABLE(v128);
    if (isa == SN_ISA_128)
        return &v128;
#endif
#ifdef HAVE_AVX2
    static const ContactKernels avx2 = TABLE(avx2);
    if (isa == SN_ISA_AVX2)
        return &avx2;
#endif
#ifdef HAVE_AVX512
    static const ContactKernels avx512 = TABLE(avx512);
    if (isa == SN_ISA_AVX512)
        return &avx512;
#endif
    return NULL;
}
