#include "fit/ends.h"

#include <math.h>
#include <stdlib.h>

// A tip stands out by so much of the longest way before it meets another, with so much of the volume.
#define STANDS_OUT 0.2
#define LEAST_VOLUME 0.01
// The longest way has a corner where its course turns back by more than 102 degrees between two stretches of it, from
// NEAR_CORNER to FAR_FROM_CORNER of its length away on both sides. What is evenly curved turns by less there, even as three
// quarters of a circle. Each of the two heads is at least FIRST_CORNER long.
#define CORNER_COSINE 0.2
#define NEAR_CORNER 0.05
#define FAR_FROM_CORNER 0.25
#define FIRST_CORNER 0.3

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

// The middle of the cells that the longest way passes at this part of its length.
static Vec3d place_on_way(const FitCells *cells, const FitTips *tips, double part) {
    Vec3d sum = {0.0, 0.0, 0.0};
    int count = 0;
    for (int i = 0; i < cells->count; ++i) {
        double detour = tips->from_first[i] + tips->from_second[i] - tips->length;
        if (detour < 3.0 * cells->side &&
            fabs(tips->from_first[i] - part * tips->length) < 2.0 * cells->side) {
            sum = addd(sum, cells->centres[i]);
            ++count;
        }
    }
    return count > 0 ? scaled(sum, 1.0 / count) : cells->centres[tips->cells[0]];
}

static Vec3d course(const FitCells *cells, const FitTips *tips, double part, double side) {
    return subd(place_on_way(cells, tips, part + side * FAR_FROM_CORNER),
                place_on_way(cells, tips, part + side * NEAR_CORNER));
}

// The cosine of the angle between both arms of the way, as seen from there.
static double corner_at(const FitCells *cells, const FitTips *tips, double part) {
    Vec3d a = course(cells, tips, part, -1.0), b = course(cells, tips, part, 1.0);
    return dotd(a, b) / fmax(lengthd(a) * lengthd(b), 1e-300);
}

// The corner's tip is what is farthest from both ends, of what is near to where the way is sharpest.
static void add_corner(const FitCells *cells, FitTips *tips) {
    double sharpest = -1.0, at = 0.5, most = 0.0;
    for (int k = 0; k <= 16; ++k) {
        double part = FIRST_CORNER + (1.0 - 2.0 * FIRST_CORNER) * k / 16.0;
        double cosine = corner_at(cells, tips, part);
        if (cosine > sharpest) {
            sharpest = cosine;
            at = part;
        }
    }
    if (sharpest < CORNER_COSINE)
        return;
    Vec3d corner = place_on_way(cells, tips, at);
    int best = tips->cells[0];
    for (int i = 0; i < cells->count; ++i) {
        double both = tips->from_first[i] + tips->from_second[i];
        bool near = lengthd(subd(cells->centres[i], corner)) < 2.0 * NEAR_CORNER * tips->length;
        if (near && both > most) {
            most = both;
            best = i;
        }
    }
    tips->corner = tips->count;
    tips->cells[tips->count++] = best;
}

bool sn__fit_find_tips(FitMemory *memory, const FitCells *cells, FitTips *out) {
    *out = (FitTips){.corner = -1};
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
    if (!sn__fit_distances(memory, cells, NULL, second, out->from_second) ||
        !add_peaks(memory, cells, out->from_first, out) ||
        !add_peaks(memory, cells, out->from_second, out))
        return false;
    if (out->count == 2)
        add_corner(cells, out);
    return true;
}
