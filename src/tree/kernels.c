#include "tree/kernels.h"

#include "tree/wide.h"

#define TABLE(isa)                                                                                 \
    {                                                                                              \
        SN_PASTE(tree_strain, isa), SN_PASTE(tree_predict, isa), SN_PASTE(tree_blow, isa),         \
            SN_PASTE(tree_pull, isa), SN_PASTE(tree_import_pull, isa), SN_PASTE(tree_finish, isa), \
            SN_PASTE(tree_up, isa), SN_PASTE(tree_import, isa), SN_PASTE(tree_ground, isa),        \
            SN_PASTE(tree_down, isa), SN_PASTE(tree_ground_give, isa), SN_PASTE(tree_give, isa),   \
            SN_PASTE(tree_reply_up, isa), SN_PASTE(tree_import_reply, isa),                        \
            SN_PASTE(tree_ground_reply, isa), SN_PASTE(tree_reply_down, isa),                      \
            SN_PASTE(tree_ground_peek, isa), SN_PASTE(tree_peek, isa),                             \
            SN_PASTE(tree_ground_add, isa), SN_PASTE(tree_add, isa)                                \
    }

const TreeKernels *sn__tree_kernels(SnIsa isa) {
    static const TreeKernels scalar = TABLE(scalar);
    if (isa == SN_ISA_SCALAR)
        return &scalar;
#ifdef SN_HAVE_V128
    static const TreeKernels v128 = TABLE(v128);
    if (isa == SN_ISA_128)
        return &v128;
#endif
#ifdef SN_HAVE_AVX2
    static const TreeKernels avx2 = TABLE(avx2);
    if (isa == SN_ISA_AVX2)
        return &avx2;
#endif
#ifdef SN_HAVE_AVX512
    static const TreeKernels avx512 = TABLE(avx512);
    if (isa == SN_ISA_AVX512)
        return &avx512;
#endif
    return NULL;
}
