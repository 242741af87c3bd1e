#include "tree/kernels.h"

#include "base/isa.h"
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
    static const TreeKernels kernels[ISA_COUNT] = BY_ISA(TABLE);
    return sn__isa_compiled(isa) ? &kernels[isa] : NULL;
}
