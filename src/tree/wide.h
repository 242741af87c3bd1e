// The wide kernels of trees, one set per instruction set.
#pragma once

#include "base/wide.h"
#include "tree/kernels.h"

#define DECLARE_TREE_KERNELS(isa)                                                                  \
    void PASTE(tree_strain, isa)(Grove * grove, int begin, int end, double h);                     \
    void PASTE(tree_predict, isa)(Grove * grove, int begin, int end, double h,                     \
                                  const double gravity[3]);                                        \
    void PASTE(tree_blow, isa)(Grove * grove, int begin, int end, double h, double density);       \
    void PASTE(tree_pull, isa)(Grove * grove, int begin, int exports, int end);                    \
    void PASTE(tree_import_pull, isa)(Grove * grove, int begin, int end);                          \
    bool PASTE(tree_finish, isa)(Grove * grove, int begin, int end, double h);                     \
    double PASTE(tree_up, isa)(Grove * grove, TreeSum * sums, int begin, int exports, int end,     \
                               double h);                                                          \
    void PASTE(tree_import, isa)(Grove * grove, int begin, int end);                               \
    void PASTE(tree_ground, isa)(Grove * grove);                                                   \
    void PASTE(tree_down, isa)(Grove * grove, int begin, int end, double h);                       \
    void PASTE(tree_ground_give, isa)(Grove * grove);                                              \
    void PASTE(tree_give, isa)(Grove * grove, int begin, int end);                                 \
    void PASTE(tree_reply_up, isa)(Grove * grove, int begin, int exports, int end);                \
    void PASTE(tree_import_reply, isa)(Grove * grove, int begin, int end);                         \
    void PASTE(tree_ground_reply, isa)(Grove * grove);                                             \
    void PASTE(tree_reply_down, isa)(Grove * grove, int begin, int end);                           \
    void PASTE(tree_ground_peek, isa)(Grove * grove);                                              \
    void PASTE(tree_peek, isa)(Grove * grove, int begin, int end);                                 \
    void PASTE(tree_ground_add, isa)(Grove * grove);                                               \
    void PASTE(tree_add, isa)(Grove * grove, int begin, int end);

DECLARE_TREE_KERNELS(scalar)
DECLARE_TREE_KERNELS(v128)
DECLARE_TREE_KERNELS(avx2)
DECLARE_TREE_KERNELS(avx512)
