// What this build and this machine can run. HAVE_AVX512, HAVE_AVX2 and HAVE_V128 come from
// the build and say which wide kernels were compiled in.
#pragma once

#include <sinew/base.h>

// The widest instruction set that is available; never SN_ISA_BEST itself.
SnIsa sn__isa_best(void);

#ifdef HAVE_V128
#define WITH_V128(...) __VA_ARGS__
#else
#define WITH_V128(...)
#endif
#ifdef HAVE_AVX2
#define WITH_AVX2(...) __VA_ARGS__
#else
#define WITH_AVX2(...)
#endif
#ifdef HAVE_AVX512
#define WITH_AVX512(...) __VA_ARGS__
#else
#define WITH_AVX512(...)
#endif

// Initialises an array [ISA_COUNT] with OF(name) for every instruction set that was compiled in; the
// others stay zero. It is to be read at sn__isa_compiled ones only.
#define BY_ISA(OF)                                                                                 \
    {                                                                                              \
        [SN_ISA_SCALAR] = OF(scalar),                                                              \
        WITH_V128([SN_ISA_128] = OF(v128), ) WITH_AVX2([SN_ISA_AVX2] = OF(avx2), )                 \
            WITH_AVX512([SN_ISA_AVX512] = OF(avx512), )                                            \
    }
enum { ISA_COUNT = SN_ISA_AVX512 + 1 };

// Whether there are kernels for it, not whether this machine can run them. SN_ISA_BEST has none.
bool sn__isa_compiled(SnIsa isa);
