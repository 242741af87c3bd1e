// The wide kernels of trees, one set per instruction set.
#pragma once

#include "base/wide.h"
#include "tree/kernels.h"

#define SN_DECLARE_TREE_KERNELS(isa)                                                               \
    void SN_PASTE(tree_strain, isa)(Grove * grove, int begin, int end, double h);                  \
    void SN_PASTE(tree_predict, isa)(Grove * grove, int begin, int end, double h,                  \
                                     const double gravity[3]);                                     \
    void SN_PASTE(tree_blow, isa)(Grove * grove, int begin, int end, double h, double density);    \
    void SN_PASTE(tree_pull, isa)(Grove * grove, int begin, int exports, int end);                 \
    void SN_PASTE(tree_import_pull, isa)(Grove * grove, int begin, int end);                       \
    bool SN_PASTE(tree_finish, isa)(Grove * grove, int begin, int end, double h);                  \
    double SN_PASTE(tree_up, isa)(Grove * grove, TreeSum * sums, int begin, int exports, int end,  \
                                  double h);                                                       \
    void SN_PASTE(tree_import, isa)(Grove * grove, int begin, int end);                            \
    void SN_PASTE(tree_ground, isa)(Grove * grove);                                                \
    void SN_PASTE(tree_down, isa)(Grove * grove, int begin, int end, double h);                    \
    void SN_PASTE(tree_ground_give, isa)(Grove * grove);                                           \
    void SN_PASTE(tree_give, isa)(Grove * grove, int begin, int end);                              \
    void SN_PASTE(tree_reply_up, isa)(Grove * grove, int begin, int exports, int end);             \
    void SN_PASTE(tree_import_reply, isa)(Grove * grove, int begin, int end);                      \
    void SN_PASTE(tree_ground_reply, isa)(Grove * grove);                                          \
    void SN_PASTE(tree_reply_down, isa)(Grove * grove, int begin, int end);                        \
    void SN_PASTE(tree_ground_peek, isa)(Grove * grove);                                           \
    void SN_PASTE(tree_peek, isa)(Grove * grove, int begin, int end);                              \
    void SN_PASTE(tree_ground_add, isa)(Grove * grove);                                            \
    void SN_PASTE(tree_add, isa)(Grove * grove, int begin, int end);

SN_DECLARE_TREE_KERNELS(scalar)
SN_DECLARE_TREE_KERNELS(v128)
SN_DECLARE_TREE_KERNELS(avx2)
SN_DECLARE_TREE_KERNELS(avx512)
