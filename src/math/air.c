#include "math/air.h"

#include "base/isa.h"

#define KERNEL(isa) PASTE(air, isa)

AirKernel *sn__air_kernel(SnIsa isa) {
    static AirKernel *const kernels[ISA_COUNT] = BY_ISA(KERNEL);
    return sn__isa_compiled(isa) ? kernels[isa] : NULL;
}
