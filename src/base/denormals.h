// Numbers too small for the range of float count as zero while kernels run.
//
// What decays along a rod, or over time, ends below 10⁻³⁸. Processors take some hundred cycles for an
// operation on such a number, so that a rod which is let go takes several times as long in its first steps.
// Zero is as good. On processors that know no such mode, nothing is changed.
#pragma once

#include <stdint.h>

// Returns the mode that was there before, for sn__denormals_restore.
static inline uint64_t sn__denormals_flush(void) {
#if defined(__SSE2__)
    unsigned before = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(before | 0x8040u); // results, operands
    return before;
#elif defined(__aarch64__)
    uint64_t before;
    __asm__ volatile("mrs %0, fpcr" : "=r"(before));
    __asm__ volatile("msr fpcr, %0" : : "r"(before | UINT64_C(1) << 24) : "memory");
    return before;
#else
    return 0;
#endif
}

static inline void sn__denormals_restore(uint64_t before) {
#if defined(__SSE2__)
    __builtin_ia32_ldmxcsr((unsigned)before);
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"(before) : "memory");
#else
    (void)before;
#endif
}
