#include "implicit/kernels.h"

#include "base/isa.h"
#include "implicit/wide.h"

#define KERNELS(isa)                                                                               \
    {                                                                                              \
        PASTE(field_track, isa), PASTE(field_measure, isa), PASTE(field_probe, isa),               \
            PASTE(rings_offset, isa), PASTE(rings_relax, isa), PASTE(rings_publish, isa),          \
            PASTE(rings_agree, isa), PASTE(rings_normals, isa), PASTE(boxes_near, isa)             \
    }

const FieldKernels *sn__field_kernels(SnIsa isa) {
    static const FieldKernels kernels[ISA_COUNT] = BY_ISA(KERNELS);
    return sn__isa_compiled(isa) ? &kernels[isa] : NULL;
}
