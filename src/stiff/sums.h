// What segments hand to their parents on the way up, in lanes. Included by the *_wide.c files only.
#pragma once

#include "stiff/lanes.h"

// What a segment, or a prop, hands to its parent.
typedef struct Load {
    WideSym a;
    WideMat b;
    WideSym d;
    Wide3 g_t, g_r;
} Load;

// A row whose sums go to one that has them field by field.
INLINE bool goes_straight(const Grove *g, int r) {
    int up = g->row[r].aligned;
    return up >= 0 && g->row[up].straight;
}

// To the sums of its parents, from that of row `first` on. Lanes one after the other: two may have the
// same parent.
static void hand_over(const Grove *g, int r, const StiffSum *sum, StiffSum *sums, int first) {
    const StiffRow *row = &g->row[r];
    if (goes_straight(g, r)) {
        StiffLanes *to = sums[row->aligned - first].f;
        for (int k = 0; k < SUM_FIELDS; ++k)
            for (int i = 0; i < STIFF_LANES; i += WIDE_DOUBLE)
                store(&to[k][i], load(&to[k][i]) + load(&sum->f[k][i]));
        return;
    }
    for (int i = 0; i < row->count; ++i) {
        int at = row->parent[i];
        double *to = sums[at / STIFF_LANES - first].of[at % STIFF_LANES];
        for (int k = 0; k < SUM_FIELDS; k += WIDE_DOUBLE)
            store(to + k, load(to + k) + load(&sum->of[i][k]));
    }
}

static void by_segment(const StiffSum *from, StiffSum *to) {
    for (int i = 0; i < STIFF_LANES; i += WIDE_DOUBLE)
        for (int k = 0; k < SUM_FIELDS; k += WIDE_DOUBLE) {
            Wide m[WIDE_DOUBLE];
            for (int n = 0; n < WIDE_DOUBLE; ++n)
                m[n] = load(&from->f[k + n][i]);
            wide_transpose(m);
            for (int n = 0; n < WIDE_DOUBLE; ++n)
                store(&to->of[i + n][k], m[n]);
        }
}

// Leaves nothing behind.
static void by_field(StiffSum *from, StiffSum *to) {
    for (int i = 0; i < STIFF_LANES; i += WIDE_DOUBLE)
        for (int k = 0; k < SUM_FIELDS; k += WIDE_DOUBLE) {
            Wide m[WIDE_DOUBLE];
            for (int n = 0; n < WIDE_DOUBLE; ++n) {
                m[n] = load(&from->of[i + n][k]);
                store(&from->of[i + n][k], splat(0.0));
            }
            wide_transpose(m);
            for (int n = 0; n < WIDE_DOUBLE; ++n)
                store(&to->f[k + n][i], m[n]);
        }
}

INLINE Load load_of(const StiffLanes *f, int i) {
    return (Load){load_sym(&f[SUM_A], i), load_mat(&f[SUM_B], i), load_sym(&f[SUM_D], i),
                  load3(&f[SUM_G], i), load3(&f[SUM_G + 3], i)};
}

// Of lanes with a condition above 0 the first, of the others the second.
INLINE Load choose_load(Wide condition, Load a, Load b) {
    Load out;
    Wide *to = &out.a.xx;
    const Wide *first = &a.a.xx, *second = &b.a.xx;
    for (size_t k = 0; k < sizeof(Load) / sizeof(Wide); ++k)
        to[k] = wide_if_less(splat(0.0), condition, first[k], second[k]);
    return out;
}

INLINE void keep_load(StiffLanes *f, int i, Load l) {
    store_sym(&f[SUM_A], i, l.a);
    store_mat(&f[SUM_B], i, l.b);
    store_sym(&f[SUM_D], i, l.d);
    store3(&f[SUM_G], i, l.g_t);
    store3(&f[SUM_G + 3], i, l.g_r);
}

INLINE void keep_pull(StiffLanes *f, int i, Wide3 pull, Wide tension) {
    store3(&f[SUM_PULL], i, pull);
    store(&f[SUM_TENSION][i], tension);
    store(&f[SUM_FIELDS - 1][i], splat(0.0));
}

INLINE Load no_load(void) {
    Wide zero = splat(0.0);
    Wide3 none = {zero, zero, zero};
    return (Load){{zero, zero, zero, zero, zero, zero},
                  {none, none, none},
                  {zero, zero, zero, zero, zero, zero},
                  none,
                  none};
}

INLINE void clear_sum(StiffLanes *f, int i) {
    Wide zero = splat(0.0);
    keep_load(f, i, no_load());
    keep_pull(f, i, (Wide3){zero, zero, zero}, zero);
}
