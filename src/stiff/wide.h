// The wide kernels of trees, one set per instruction set.
#pragma once

#include "base/wide.h"
#include "stiff/kernels.h"

#define DECLARE_STIFF_KERNELS(isa)                                                                 \
    void PASTE(stiff_strain, isa)(Grove * grove, int begin, int end, double h);                    \
    void PASTE(stiff_predict, isa)(Grove * grove, int begin, int end, double h,                    \
                                   const double gravity[3]);                                       \
    void PASTE(stiff_blow, isa)(Grove * grove, int begin, int end, double h, double density);      \
    void PASTE(stiff_pull, isa)(Grove * grove, int begin, int exports, int end);                   \
    void PASTE(stiff_import_pull, isa)(Grove * grove, int begin, int end);                         \
    bool PASTE(stiff_finish, isa)(Grove * grove, int begin, int end, double h,                     \
                                  const double gravity[3]);                                        \
    double PASTE(stiff_up, isa)(Grove * grove, StiffSum * sums, int begin, int exports, int end,   \
                                double h);                                                         \
    void PASTE(stiff_import, isa)(Grove * grove, int begin, int end);                              \
    void PASTE(stiff_ground, isa)(Grove * grove);                                                  \
    double PASTE(stiff_down, isa)(Grove * grove, int begin, int end);                              \
    void PASTE(stiff_ground_compliance, isa)(Grove * grove);                                       \
    void PASTE(stiff_compliance, isa)(Grove * grove, int begin, int end);                          \
    void PASTE(stiff_response_up, isa)(Grove * grove, int begin, int exports, int end);            \
    void PASTE(stiff_import_response, isa)(Grove * grove, int begin, int end);                     \
    void PASTE(stiff_ground_response, isa)(Grove * grove);                                         \
    void PASTE(stiff_response_down, isa)(Grove * grove, int begin, int end);                       \
    void PASTE(stiff_ground_peek, isa)(Grove * grove);                                             \
    void PASTE(stiff_peek, isa)(Grove * grove, int begin, int end);                                \
    void PASTE(stiff_ground_add, isa)(Grove * grove);                                              \
    void PASTE(stiff_add, isa)(Grove * grove, int begin, int end);                                 \
    void PASTE(stiff_fronts_factor, isa)(Grove * grove);                                           \
    void PASTE(stiff_fronts_solve, isa)(Grove * grove);                                            \
    void PASTE(stiff_fronts_inverse, isa)(Grove * grove);

DECLARE_STIFF_KERNELS(scalar)
DECLARE_STIFF_KERNELS(v128)
DECLARE_STIFF_KERNELS(avx2)
DECLARE_STIFF_KERNELS(avx512)
