// The wide kernels of rods, one set per instruction set.
#pragma once

#include "base/wide.h"
#include "rod/kernels.h"

#define SN_DECLARE_ROD_KERNELS(isa)                                                                \
    void SN_PASTE(rod_predict, isa)(RodPack * pack, const RodMotion *motion);                      \
    void SN_PASTE(rod_warm, isa)(RodPack * pack, float h);                                         \
    void SN_PASTE(rod_axial, isa)(RodPack * pack, bool fresh);                                     \
    void SN_PASTE(rod_sweep, isa)(RodPack * pack, int begin, int end, bool fresh);                 \
    void SN_PASTE(rod_newton, isa)(RodPack * pack, bool first);                                    \
    void SN_PASTE(rod_newton_graph, isa)(RodPack * pack, bool first);                              \
    void SN_PASTE(rod_residual, isa)(RodPack * pack);                                              \
    void SN_PASTE(rod_newton_residual, isa)(RodPack * pack);                                       \
    void SN_PASTE(rod_newton_graph_residual, isa)(RodPack * pack);                                 \
    uint32_t SN_PASTE(rod_finish, isa)(RodPack * pack, float h);                                   \
    void SN_PASTE(rod_load, isa)(RodPack * pack, ContactLoad * loads);                             \
    void SN_PASTE(rod_to_knots, isa)(const RodPack *pack, Knot *knots, KnotWays ways, bool first); \
    void SN_PASTE(rod_from_knots, isa)(RodPack * pack, const Knot *knots, KnotWays ways, bool last);

SN_DECLARE_ROD_KERNELS(scalar)
SN_DECLARE_ROD_KERNELS(v128)
SN_DECLARE_ROD_KERNELS(avx2)
SN_DECLARE_ROD_KERNELS(avx512)
