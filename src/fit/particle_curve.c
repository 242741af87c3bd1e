// Regions along a curve: slices of a body from end to end.
#include <stdlib.h>
#include <string.h>

#include "fit/ends.h"
#include "fit/particle_curve.h"

// Layers of cells over which the way from the source is averaged.
#define LAYERS 400
// A piece of a slice that is smaller than this part of the others is no particle of its own.
#define SMALLEST 0.15
// Slices must not be thinner than this many cells.
#define THINNEST 2.0
// Ends are looked at in so many slices.
#define ENDS 8

typedef struct Place {
    double value;
    int cell;
} Place;

static int by_value(const void *a, const void *b) {
    const Place *p = a, *q = b;
    if (p->value != q->value)
        return p->value < q->value ? -1 : 1;
    return p->cell - q->cell;
}

// How far along its length every cell is, from 0 to 1: cells are put in order by a harmonic field from one
// end to the other, whose levels lie across the body, and the field's value is replaced by the way through
// the inside that cells with this value have behind them on average.
static bool find_ways(FitMemory *memory, const FitCells *cells, double *ways, double *out_length) {
    size_t count = (size_t)cells->count;
    FitEnds ends = {.kinds = sn__fit_alloc(memory, count, sizeof *ends.kinds)};
    double *field = sn__fit_alloc(memory, count, sizeof *field);
    double *distances = sn__fit_alloc(memory, count, sizeof *distances);
    bool *from = sn__fit_alloc(memory, count, sizeof *from);
    Place *order = sn__fit_alloc(memory, count, sizeof *order);
    if (ends.kinds == NULL || field == NULL || distances == NULL || from == NULL || order == NULL ||
        !sn__fit_ends_of_shape(memory, cells, &ends) ||
        !sn__fit_harmonic(memory, cells, ends.kinds, field))
        return false;
    for (size_t i = 0; i < count; ++i)
        from[i] = ends.kinds[i] == FIT_SOURCE;
    if (!sn__fit_distances(memory, cells, from, 0, distances))
        return false;
    for (size_t i = 0; i < count; ++i)
        order[i] = (Place){field[i], (int)i};
    qsort(order, count, sizeof *order, by_value);
    size_t layers = count / 8 < LAYERS ? count / 8 + 1 : LAYERS;
    double passed = 0.0, last_end = 0.0;
    for (size_t l = 0; l < layers; ++l) {
        size_t begin = l * count / layers, end = (l + 1) * count / layers;
        double sum = 0.0;
        for (size_t i = begin; i < end; ++i)
            sum += distances[order[i].cell];
        // Up to its middle, and as far again to its end.
        double middle = fmax(sum / (double)(end - begin), last_end);
        passed = fmax(2.0 * middle - last_end, last_end);
        for (size_t i = begin; i < end; ++i)
            ways[order[i].cell] = last_end + (passed - last_end) * ((double)(i - begin) + 0.5) /
                                                 (double)(end - begin);
        last_end = passed;
    }
    for (size_t i = 0; i < count; ++i)
        ways[i] /= passed;
    *out_length = passed;
    return passed > 0.0;
}

// Pieces of slices that hang together; their number, with the size of each. `queue` has room for all.
static int split_slices(const FitPieces *pieces, const int *slices, int *owner, int *queue,
                        int *sizes) {
    int count = 0;
    for (int i = 0; i < pieces->count; ++i)
        owner[i] = -1;
    for (int first = 0; first < pieces->count; ++first) {
        if (owner[first] >= 0)
            continue;
        int begin = 0, end = 0;
        queue[end++] = first;
        owner[first] = count;
        while (begin < end) {
            int i = queue[begin++];
            for (int n = pieces->begin[i]; n < pieces->begin[i + 1]; ++n) {
                int other = pieces->neighbours[n];
                if (owner[other] < 0 && slices[other] == slices[i]) {
                    owner[other] = count;
                    queue[end++] = other;
                }
            }
        }
        sizes[count++] = end;
    }
    return count;
}

// Gives what is too small to whatever touches it, and numbers the rest anew.
static int join_small(const FitPieces *pieces, double smallest, int count, int *owner, int *sizes) {
    bool changed = true;
    while (changed) {
        changed = false;
        for (int i = 0; i < pieces->count; ++i) {
            if (sizes[owner[i]] >= smallest)
                continue;
            for (int n = pieces->begin[i]; n < pieces->begin[i + 1]; ++n) {
                int other = owner[pieces->neighbours[n]];
                if (sizes[other] >= smallest) {
                    owner[i] = other;
                    changed = true;
                    break;
                }
            }
        }
    }
    int kept = 0;
    for (int k = 0; k < count; ++k)
        sizes[k] = sizes[k] >= smallest ? kept++ : -1;
    for (int i = 0; i < pieces->count; ++i)
        owner[i] = sizes[owner[i]];
    return kept;
}

static void cut(const double *ways, int count, int slice_count, int *slices) {
    for (int i = 0; i < count; ++i) {
        int slice = (int)(ways[i] * slice_count);
        slices[i] = slice < slice_count ? slice : slice_count - 1;
    }
}

// Whether a slice touches two regions.
static bool goes_two_ways(const FitPieces *pieces, const int *slices, const int *owner, int slice) {
    int touched = -1;
    for (int i = 0; i < pieces->count; ++i)
        for (int n = pieces->begin[i]; slices[i] == slice && n < pieces->begin[i + 1]; ++n) {
            int other = owner[pieces->neighbours[n]];
            if (other == owner[i])
                continue;
            if (touched >= 0 && other != touched)
                return true;
            touched = other;
        }
    return false;
}

// Room for cutting.
typedef struct Work {
    double *ways;
    int *slices, *owner, *queue, *sizes;
} Work;

// Cuts, and returns how many regions that makes.
static int try_cuts(const FitPieces *pieces, int slice_count, Work *w) {
    cut(w->ways, pieces->count, slice_count, w->slices);
    int count = split_slices(pieces, w->slices, w->owner, w->queue, w->sizes);
    double largest = 0.0, smallest = SMALLEST * (double)pieces->count / slice_count;
    for (int k = 0; k < count; ++k)
        largest = fmax(largest, w->sizes[k]);
    return join_small(pieces, fmin(smallest, largest), count, w->owner, w->sizes);
}

bool sn__fit_slice_regions(FitMemory *memory, const FitCells *cells, const FitPieces *pieces,
                           int wanted, FitRegions *out, bool *out_is_ring) {
    size_t count = (size_t)pieces->count;
    double length;
    Work w = {.ways = sn__fit_alloc(memory, count, sizeof *w.ways),
              .slices = sn__fit_alloc(memory, count, sizeof *w.slices),
              .owner = sn__fit_alloc(memory, count, sizeof *w.owner),
              .queue = sn__fit_alloc(memory, count, sizeof *w.queue),
              .sizes = sn__fit_alloc(memory, count, sizeof *w.sizes)};
    if (w.ways == NULL || w.slices == NULL || w.owner == NULL || w.queue == NULL ||
        w.sizes == NULL || !find_ways(memory, cells, w.ways, &length))
        return false;
    int most = (int)fmax(1.0, length / (THINNEST * cells->side));
    int slice_count = wanted < most ? wanted : most, kept;
    try_cuts(pieces, ENDS, &w);
    *out_is_ring = goes_two_ways(pieces, w.slices, w.owner, 0) ||
                   goes_two_ways(pieces, w.slices, w.owner, ENDS - 1);
    if (*out_is_ring)
        return true;
    // Where a body branches, slices have several pieces: there are fewer slices then.
    while ((kept = try_cuts(pieces, slice_count, &w)) > wanted && slice_count > 1) {
        int fewer = (int)((double)slice_count * wanted / kept + 0.5);
        slice_count = fewer < slice_count ? (fewer > 1 ? fewer : 1) : slice_count - 1;
    }
    if (!sn__fit_create_regions(memory, pieces, kept, out))
        return false;
    memcpy(out->owner, w.owner, count * sizeof *out->owner);
    sn__fit_weigh_regions(pieces, out);
    return true;
}
