// Which rod goes through which part of a slice, where slices have several.
#include "fit/slices.h"

// The worth of a rod that is the first one in a part, beside which areas hardly count.
#define FIRST 1000.0

// What one more rod through a part is worth: by how much the squared distance from its fair share of
// rods falls, in rods².
static double worth(const FitSlices *slices, int part, double fair) {
    double lack = fair - slices->part_rods[part];
    return 2.0 * lack - 1.0 + (slices->part_rods[part] == 0 ? FIRST : 0.0);
}

// The way from the first slice to the last that is worth most gets one more rod.
static void send_rod(FitSlices *slices, int rods, double *best, int *from) {
    for (int j = 0; j < slices->count; ++j) {
        double area = 0.0;
        for (int p = slices->part_begin[j]; p < slices->part_begin[j + 1]; ++p)
            area += slices->part_areas[p];
        for (int p = slices->part_begin[j]; p < slices->part_begin[j + 1]; ++p) {
            best[p] = j == 0 ? 0.0 : -HUGE_VAL;
            from[p] = -1;
            for (int q = j > 0 ? slices->part_begin[j - 1] : 0; j > 0 && q < slices->part_begin[j];
                 ++q)
                if (slices->above[q] == slices->below[p] && best[q] > best[p]) {
                    best[p] = best[q];
                    from[p] = q;
                }
            best[p] += worth(slices, p, rods * slices->part_areas[p] / area);
        }
    }
    int last = slices->part_begin[slices->count - 1];
    for (int p = last; p < slices->part_count; ++p)
        if (best[p] > best[last])
            last = p;
    for (int p = last; p >= 0; p = from[p])
        ++slices->part_rods[p];
}

bool sn__fit_share_rods(FitMemory *memory, FitSlices *slices, int rods) {
    size_t count = (size_t)slices->part_count;
    slices->part_rods = sn__fit_alloc(memory, count, sizeof *slices->part_rods);
    double *best = sn__fit_alloc(memory, count, sizeof *best);
    int *from = sn__fit_alloc(memory, count, sizeof *from);
    if (slices->part_rods == NULL || best == NULL || from == NULL)
        return false;
    for (int k = 0; k < rods; ++k)
        send_rod(slices, rods, best, from);
    return true;
}
