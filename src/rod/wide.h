// Names of the wide kernels: sn__rod_sweep_avx2 and so on, one set per instruction set.
#pragma once

#include "rod/kernels.h"

#define SN_PASTE_(a, b) sn__##a##_##b
#define SN_PASTE(a, b) SN_PASTE_(a, b)
#define SN_WIDE_FUNCTION(name) SN_PASTE(name, SN_WIDE_NAME)

#define SN_DECLARE_ROD_KERNELS(isa)                                                                \
    void SN_PASTE(rod_predict, isa)(RodPack * pack, const RodMotion *motion);                      \
    void SN_PASTE(rod_warm, isa)(RodPack * pack, float h);                                         \
    void SN_PASTE(rod_axial, isa)(RodPack * pack, bool fresh);                                     \
    void SN_PASTE(rod_sweep, isa)(RodPack * pack, int begin, int end, bool fresh);                 \
    void SN_PASTE(rod_residual, isa)(RodPack * pack);                                              \
    uint32_t SN_PASTE(rod_finish, isa)(RodPack * pack, float h);

SN_DECLARE_ROD_KERNELS(scalar)
SN_DECLARE_ROD_KERNELS(v128)
SN_DECLARE_ROD_KERNELS(avx2)
SN_DECLARE_ROD_KERNELS(avx512)
