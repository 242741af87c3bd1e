#include "base/isa.h"
#include "collide/wide.h"

#define TABLE(isa)                                                                                 \
    {                                                                                              \
        PASTE(contact_solve, isa), PASTE(contact_accelerate, isa), PASTE(contact_learn, isa),      \
            PASTE(contact_rebound, isa), PASTE(contact_find, isa), PASTE(contact_nearest, isa),    \
            PASTE(contact_turning, isa), PASTE(contact_turning_on, isa)                            \
    }

const ContactKernels *sn__contact_kernels(SnIsa isa) {
    static const ContactKernels kernels[ISA_COUNT] = BY_ISA(TABLE);
    return sn__isa_compiled(isa) ? &kernels[isa] : NULL;
}
