#include "base/isa.h"

#define TEXT_OF(x) #x
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *sn_version(void) {
    return VERSION_TEXT(SN_VERSION_MAJOR, SN_VERSION_MINOR, SN_VERSION_PATCH);
}

const char *sn_isa_name(SnIsa isa) {
    switch (isa) {
    case SN_ISA_BEST:
        return "best";
    case SN_ISA_SCALAR:
        return "scalar";
    case SN_ISA_128:
        return "128";
    case SN_ISA_AVX2:
        return "avx2";
    case SN_ISA_AVX512:
        return "avx512";
    }
    return "unknown";
}

static bool have_avx512(void) {
#ifdef HAVE_AVX512
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
#else
    return false;
#endif
}

static bool have_avx2(void) {
#ifdef HAVE_AVX2
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

// 128-bit vectors are part of the baseline of every machine they are compiled for.
static bool have_v128(void) {
#ifdef HAVE_V128
    return true;
#else
    return false;
#endif
}

bool sn_isa_available(SnIsa isa) {
    switch (isa) {
    case SN_ISA_BEST:
    case SN_ISA_SCALAR:
        return true;
    case SN_ISA_128:
        return have_v128();
    case SN_ISA_AVX2:
        return have_avx2();
    case SN_ISA_AVX512:
        return have_avx512();
    }
    return false;
}

#define PRESENT(name) true

bool sn__isa_compiled(SnIsa isa) {
    static const bool present[ISA_COUNT] = BY_ISA(PRESENT);
    return (int)isa >= 0 && (int)isa < ISA_COUNT && present[isa];
}

SnIsa sn__isa_best(void) {
    if (have_avx512())
        return SN_ISA_AVX512;
    if (have_avx2())
        return SN_ISA_AVX2;
    return have_v128() ? SN_ISA_128 : SN_ISA_SCALAR;
}
