// What this build and this machine can run. SN_HAVE_AVX512, SN_HAVE_AVX2 and SN_HAVE_V128 come from
// the build and say which wide kernels were compiled in.
#pragma once

#include <sinew/base.h>

// The widest instruction set that is available; never SN_ISA_BEST itself.
SnIsa sn__isa_best(void);
