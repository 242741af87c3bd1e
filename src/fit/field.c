#include "fit/field.h"

#include <stdlib.h>
#include <string.h>

#define MOST_ITERATIONS 3000

// (A x)_i = Σ over the neighbours j of (x_i − x_j): the Laplacian with free walls, times −side². Fixed
// cells answer 0.
static void apply(const FitCells *cells, const uint8_t *fixed, const double *x, double *out) {
    for (int i = 0; i < cells->count; ++i) {
        double sum = 0.0;
        if (fixed == NULL || !fixed[i])
            for (int side = 0; side < 6; ++side) {
                int j = cells->neighbours[i][side];
                if (j >= 0)
                    sum += x[i] - x[j];
            }
        out[i] = sum;
    }
}

static double dot(const FitCells *cells, const double *a, const double *b) {
    double sum = 0.0;
    for (int i = 0; i < cells->count; ++i)
        sum += a[i] * b[i];
    return sum;
}

// An incomplete factor of A, modified so that smooth functions, which a plain one is bad at, are nearly
// right: A ≈ (D + L) D⁻¹ (D + Lᵀ) with L the part of A below its diagonal. What is dropped beside the
// pattern of A goes to the diagonal, but for a little (Gustafsson 1978). Cells are numbered in rows, so
// that neighbours towards −x, −y, −z come before.
static void factorise(const FitCells *cells, const uint8_t *fixed, double *inverse) {
    const double modified = 0.97, safe = 0.2;
    for (int i = 0; i < cells->count; ++i) {
        double diagonal = 0.0, reduced;
        for (int side = 0; side < 6; ++side)
            diagonal += cells->neighbours[i][side] >= 0;
        reduced = diagonal;
        for (int side = 0; side < 6; side += 2) {
            int j = cells->neighbours[i][side];
            if (j < 0 || (fixed && fixed[j]))
                continue;
            int others = 0; // neighbours of j that come after it, other than i
            for (int back = 1; back < 6; back += 2) {
                int k = cells->neighbours[j][back];
                others += k >= 0 && k != i && !(fixed && fixed[k]);
            }
            reduced -= inverse[j] * (1.0 + modified * others);
        }
        if (reduced < safe * diagonal)
            reduced = diagonal;
        inverse[i] = (fixed && fixed[i]) ? 0.0 : 1.0 / fmax(reduced, 1.0);
    }
}

static void precondition(const FitCells *cells, const double *inverse, const double *r,
                         double *out) {
    for (int i = 0; i < cells->count; ++i) {
        double sum = r[i];
        for (int side = 0; side < 6; side += 2) {
            int j = cells->neighbours[i][side];
            if (j >= 0)
                sum += out[j];
        }
        out[i] = sum * inverse[i];
    }
    for (int i = cells->count - 1; i >= 0; --i) {
        double sum = 0.0;
        for (int side = 1; side < 6; side += 2) {
            int j = cells->neighbours[i][side];
            if (j >= 0)
                sum += out[j];
        }
        out[i] += sum * inverse[i];
    }
}

// Conjugate gradients for A x = b from x as it is; `right` NULL: b = 0. Stops where the residual has
// become `tolerance` of what it was.
static bool solve(FitMemory *memory, const FitCells *cells, const uint8_t *fixed,
                  const double *right, double tolerance, double *x) {
    size_t count = (size_t)cells->count;
    FitBlock *mark = memory->last;
    double *r = sn__fit_alloc(memory, count, sizeof *r);
    double *p = sn__fit_alloc(memory, count, sizeof *p);
    double *q = sn__fit_alloc(memory, count, sizeof *q);
    double *inverse = sn__fit_alloc(memory, count, sizeof *inverse);
    if (r == NULL || p == NULL || q == NULL || inverse == NULL) {
        sn__fit_release(memory, mark);
        return false;
    }
    factorise(cells, fixed, inverse);
    apply(cells, fixed, x, q);
    for (int i = 0; i < cells->count; ++i)
        r[i] = (right ? right[i] : 0.0) - q[i];
    precondition(cells, inverse, r, p);
    double rho = dot(cells, r, p), stop = tolerance * tolerance * rho;
    for (int k = 0; k < MOST_ITERATIONS && rho > stop && rho > 0.0; ++k) {
        apply(cells, fixed, p, q);
        double curvature = dot(cells, p, q);
        if (!(curvature > 0.0))
            break;
        double alpha = rho / curvature;
        for (int i = 0; i < cells->count; ++i) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        precondition(cells, inverse, r, q);
        double next = dot(cells, r, q), beta = next / rho;
        rho = next;
        for (int i = 0; i < cells->count; ++i)
            p[i] = q[i] + beta * p[i];
    }
    sn__fit_release(memory, mark);
    return true;
}

bool sn__fit_harmonic(FitMemory *memory, const FitCells *cells, const uint8_t *kinds, double *out) {
    FitBlock *mark = memory->last;
    double *distances = sn__fit_alloc(memory, (size_t)cells->count, sizeof *distances);
    bool *from = sn__fit_alloc(memory, (size_t)cells->count, sizeof *from);
    bool good = distances != NULL && from != NULL;
    for (int i = 0; good && i < cells->count; ++i)
        from[i] = kinds[i] == FIT_SINK;
    good = good && sn__fit_distances(memory, cells, from, 0, distances);
    for (int i = 0; good && i < cells->count; ++i)
        from[i] = kinds[i] == FIT_SOURCE;
    good = good && sn__fit_distances(memory, cells, from, 0, out);
    // The share of the way is a good guess, and right in the sources and in the sinks.
    for (int i = 0; good && i < cells->count; ++i)
        out[i] /= out[i] + distances[i];
    good = good && solve(memory, cells, kinds, NULL, 1e-4, out);
    sn__fit_release(memory, mark);
    return good;
}

// A heap of cells by their distance.
typedef struct Heap {
    int *items, *place; // place: of a cell in the heap plus one; 0: not in it
    int count;
    const double *keys;
} Heap;

static void put(Heap *heap, int slot, int item) {
    heap->items[slot] = item;
    heap->place[item] = slot + 1;
}

static void sift_up(Heap *heap, int slot) {
    int item = heap->items[slot];
    for (; slot > 0 && heap->keys[heap->items[(slot - 1) / 2]] > heap->keys[item];
         slot = (slot - 1) / 2)
        put(heap, slot, heap->items[(slot - 1) / 2]);
    put(heap, slot, item);
}

static void raise_item(Heap *heap, int item) {
    if (heap->place[item] == 0)
        put(heap, heap->count++, item);
    sift_up(heap, heap->place[item] - 1);
}

static int take_first(Heap *heap) {
    int first = heap->items[0], last = heap->items[--heap->count], slot = 0;
    while (2 * slot + 1 < heap->count) {
        int child = 2 * slot + 1;
        if (child + 1 < heap->count &&
            heap->keys[heap->items[child + 1]] < heap->keys[heap->items[child]])
            ++child;
        if (heap->keys[heap->items[child]] >= heap->keys[last])
            break;
        put(heap, slot, heap->items[child]);
        slot = child;
    }
    put(heap, slot, last);
    return first;
}

// The cell at one step along each axis, or −1 where it, or the way there, is outside.
static int step_to(const FitCells *cells, int i, const int step[3]) {
    for (int axis = 0; axis < 3 && i >= 0; ++axis)
        if (step[axis] != 0)
            i = cells->neighbours[i][2 * axis + (step[axis] > 0)];
    return i;
}

bool sn__fit_distances(FitMemory *memory, const FitCells *cells, const bool *from, int first,
                       double *out) {
    FitBlock *mark = memory->last;
    size_t count = (size_t)cells->count;
    Heap heap = {sn__fit_alloc(memory, count, sizeof *heap.items),
                 sn__fit_alloc(memory, count, sizeof *heap.place), 0, out};
    if (heap.items == NULL || heap.place == NULL) {
        sn__fit_release(memory, mark);
        return false;
    }
    for (int i = 0; i < cells->count; ++i)
        out[i] = (from ? from[i] : i == first) ? 0.0 : HUGE_VAL;
    for (int i = 0; i < cells->count; ++i)
        if (out[i] == 0.0)
            raise_item(&heap, i);
    const double lengths[4] = {0.0, 1.0, 1.4142135623730951, 1.7320508075688772};
    while (heap.count > 0) {
        int i = take_first(&heap);
        for (int s = 0; s < 27; ++s) {
            int step[3] = {s % 3 - 1, s / 3 % 3 - 1, s / 9 - 1};
            int j = step_to(cells, i, step);
            double length = lengths[abs(step[0]) + abs(step[1]) + abs(step[2])] * cells->side;
            if (j >= 0 && out[i] + length < out[j]) {
                out[j] = out[i] + length;
                raise_item(&heap, j);
            }
        }
    }
    sn__fit_release(memory, mark);
    return true;
}
