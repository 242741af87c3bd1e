#include "tree/kernels.h"

#include "tree/wide.h"

#define TABLE(isa)                                                                                 \
    {                                                                                              \
        PASTE(tree_strain, isa), PASTE(tree_predict, isa), PASTE(tree_blow, isa),                  \
            PASTE(tree_pull, isa), PASTE(tree_import_pull, isa), PASTE(tree_finish, isa),          \
            PASTE(tree_up, isa), PASTE(tree_import, isa), PASTE(tree_ground, isa),                 \
            PASTE(tree_down, isa), PASTE(tree_ground_give, isa), PASTE(tree_give, isa),            \
            PASTE(tree_reply_up, isa), PASTE(tree_import_reply, isa),                              \
            PASTE(tree_ground_reply, isa), PASTE(tree_reply_down, isa),                            \
            PASTE(tree_ground_peek, isa), PASTE(tree_peek, isa), PASTE(tree_ground_add, isa),      \
            PASTE(tree_add, isa)                                                                   \
    }

const TreeKernels *sn__tree_kernels(SnIsa isa) {
    static const TreeKernels scalar = TABLE(scalar);
    if (isa == SN_ISA_SCALAR)
        return &scalar;
#ifdef HAVE_V128
    static const TreeKernels v128 = TABLE(v128);
    if (isa == SN_ISA_128)
        return &v128;
#endif
#ifdef HAVE_AVX2
    static const TreeKernels avx2 = TABLE(avx2);
    if (isa == SN_ISA_AVX2)
        return &avx2;
#endif
#ifdef HAVE_AVX512
    static const TreeKernels avx512 = TABLE(avx512);
    if (isa == SN_ISA_AVX512)
        return &avx512;
#endif
    return NULL;
}
