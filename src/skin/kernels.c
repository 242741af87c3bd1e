#include "skin/kernels.h"

#include "base/isa.h"
#include "skin/wide.h"

#define KERNEL(isa) PASTE(skin_blend, isa)

SkinBlend *sn__skin_blend(SnIsa isa) {
    static SkinBlend *const kernels[ISA_COUNT] = BY_ISA(KERNEL);
    return sn__isa_compiled(isa) ? kernels[isa] : NULL;
}
