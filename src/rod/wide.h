// The wide kernels of rods, one set per instruction set.
#pragma once

#include "base/wide.h"
#include "rod/kernels.h"

#define DECLARE_ROD_KERNELS(isa)                                                                   \
    void PASTE(rod_predict, isa)(RodPack * pack, const RodMotion *motion);                         \
    void PASTE(rod_outset, isa)(RodPack * pack, float h, bool first);                              \
    void PASTE(rod_warm, isa)(RodPack * pack);                                                     \
    void PASTE(rod_bundle, isa)(RodPack * pack, bool fresh);                                       \
    void PASTE(rod_axial, isa)(RodPack * pack, bool fresh);                                        \
    void PASTE(rod_sweep, isa)(RodPack * pack, int begin, int end, bool fresh);                    \
    void PASTE(rod_newton, isa)(RodPack * pack, DirectSolve solve);                                \
    void PASTE(rod_slices_start, isa)(RodPack * pack);                                             \
    void PASTE(rod_slices, isa)(RodPack * pack, DirectSolve solve);                                \
    void PASTE(rod_slices_ties, isa)(RodPack * pack);                                              \
    void PASTE(rod_slices_residual, isa)(RodPack * pack);                                          \
    void PASTE(rod_newton_start, isa)(RodPack * pack);                                             \
    void PASTE(rod_newton_rough, isa)(RodPack * pack);                                             \
    void PASTE(rod_newton_answer, isa)(RodPack * pack);                                            \
    void PASTE(rod_newton_precise, isa)(RodPack * pack);                                           \
    void PASTE(rod_residual, isa)(RodPack * pack);                                                 \
    void PASTE(rod_newton_residual, isa)(RodPack * pack);                                          \
    uint32_t PASTE(rod_finish, isa)(RodPack * pack, float h, bool last);                           \
    void PASTE(rod_load, isa)(RodPack * pack, ContactLoad * loads);                                \
    void PASTE(rod_to_knots, isa)(const RodPack *pack, Knot *knots, KnotWays ways, bool first);    \
    void PASTE(rod_from_knots, isa)(RodPack * pack, const Knot *knots, KnotWays ways, bool last);

DECLARE_ROD_KERNELS(scalar)
DECLARE_ROD_KERNELS(v128)
DECLARE_ROD_KERNELS(avx2)
DECLARE_ROD_KERNELS(avx512)
