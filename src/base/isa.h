// What this build and this machine can run. HAVE_AVX512, HAVE_AVX2 and HAVE_V128 come from
// the build and say which wide kernels were compiled in.
#pragma once

#include <sinew/base.h>

// The widest instruction set that is available; never SN_ISA_BEST itself.
SnIsa sn__isa_best(void);
