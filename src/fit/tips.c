#include "fit/ends.h"

#include <stdlib.h>

// A tip stands out by so much of the longest way before it meets another, with so much of the volume.
#define STANDS_OUT 0.2
#define LEAST_VOLUME 0.01

typedef struct Peak {
    double height;
    int cell;
} Peak;

static int by_height(const void *a, const void *b) {
    const Peak *p = a, *q = b;
    if (p->height != q->height)
        return p->height < q->height ? 1 : -1;
    return p->cell - q->cell;
}

static int farthest(const FitCells *cells, const double *distances) {
    int best = 0;
    for (int i = 1; i < cells->count; ++i)
        if (distances[i] > distances[best])
            best = i;
    return best;
}

static int find_root(int *parents, int i) {
    while (parents[i] != i)
        i = parents[i] = parents[parents[i]];
    return i;
}

static void add_tip(FitTips *tips, const FitCells *cells, int cell) {
    for (int i = 0; i < tips->count; ++i) {
        Vec3d d = subd(cells->centres[tips->cells[i]], cells->centres[cell]);
        if (lengthd(d) < 0.1 * tips->length)
            return;
    }
    if (tips->count < FIT_MAX_TIPS)
        tips->cells[tips->count++] = cell;
}

// Floods the shape from the farthest cells down. Where two floods meet, the lower one has been a tip of
// its own down to here (persistence).
static bool add_peaks(FitMemory *memory, const FitCells *cells, const double *heights,
                      FitTips *tips) {
    FitBlock *mark = memory->last;
    size_t count = (size_t)cells->count;
    Peak *order = sn__fit_alloc(memory, count, sizeof *order);
    int *parents = sn__fit_alloc(memory, count, sizeof *parents);
    int *sizes = sn__fit_alloc(memory, count, sizeof *sizes);
    int *tops = sn__fit_alloc(memory, count, sizeof *tops);
    if (order == NULL || parents == NULL || sizes == NULL || tops == NULL) {
        sn__fit_release(memory, mark);
        return false;
    }
    for (int i = 0; i < cells->count; ++i)
        order[i] = (Peak){heights[i], i};
    qsort(order, count, sizeof *order, by_height);
    for (int k = 0; k < cells->count; ++k) {
        int cell = order[k].cell;
        parents[cell] = tops[cell] = cell;
        sizes[cell] = 1;
        for (int side = 0; side < 6; ++side) {
            int other = cells->neighbours[cell][side];
            if (other < 0 || sizes[other] == 0)
                continue;
            int a = find_root(parents, cell), b = find_root(parents, other);
            if (a == b)
                continue;
            bool a_is_lower = heights[tops[a]] < heights[tops[b]];
            int lower = a_is_lower ? a : b, higher = a_is_lower ? b : a;
            if (heights[tops[lower]] - order[k].height > STANDS_OUT * tips->length &&
                sizes[lower] > LEAST_VOLUME * cells->count)
                add_tip(tips, cells, tops[lower]);
            parents[lower] = higher;
            sizes[higher] += sizes[lower];
        }
    }
    sn__fit_release(memory, mark);
    return true;
}

bool sn__fit_find_tips(FitMemory *memory, const FitCells *cells, FitTips *out) {
    *out = (FitTips){0};
    size_t count = (size_t)cells->count;
    out->from_first = sn__fit_alloc(memory, count, sizeof *out->from_first);
    out->from_second = sn__fit_alloc(memory, count, sizeof *out->from_second);
    if (out->from_first == NULL || out->from_second == NULL)
        return false;
    // The farthest from anywhere is an end of the longest way, or nearly so; once more makes it one.
    int first = 0, second = 0;
    for (int k = 0; k < 2; ++k) {
        if (!sn__fit_distances(memory, cells, NULL, k == 0 ? 0 : first, out->from_first))
            return false;
        second = farthest(cells, out->from_first);
        if (k == 0)
            first = second;
    }
    out->length = out->from_first[second];
    out->cells[0] = first;
    out->cells[1] = second;
    out->count = 2;
    return sn__fit_distances(memory, cells, NULL, second, out->from_second) &&
           add_peaks(memory, cells, out->from_first, out) &&
           add_peaks(memory, cells, out->from_second, out);
}
