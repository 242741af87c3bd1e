// Rows of fronts as vectors. Included by the *_wide.c files only.
#pragma once

#include "stiff/fronts.h"
#include "stiff/lanes.h"

// Sums of products, in eight lanes that are added up at the end, whatever the width.
INLINE double sum_of(const Wide *lanes) {
    StiffLanes s;
    for (int i = 0; i < STIFF_LANES; i += WIDE_DOUBLE)
        store(&s[i], lanes[i / WIDE_DOUBLE]);
    return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}

INLINE double product_of(const double *a, const double *b, int n) {
    Wide sum[STIFF_LANES / WIDE_DOUBLE];
    for (int i = 0; i < STIFF_LANES / WIDE_DOUBLE; ++i)
        sum[i] = splat(0.0);
    for (int k = 0; k < n; k += STIFF_LANES)
        for (int i = 0; i < STIFF_LANES; i += WIDE_DOUBLE)
            sum[i / WIDE_DOUBLE] += load(a + k + i) * load(b + k + i);
    return sum_of(sum);
}
