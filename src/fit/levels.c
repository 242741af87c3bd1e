#include <stdlib.h>

#include "fit/slices.h"

#define PI 3.14159265358979323846

// Layers of cells between source and sink over which areas are averaged.
#define LAYERS 200

// Circles that fill a slice overlap: their radius is larger than that of circles of the same area.
#define OVERLAP 1.15

typedef struct Layer {
    double value; // of the field at its end
    double way;   // up to its end, a length
    double area;  // of a slice through it
} Layer;

static int by_value(const void *a, const void *b) {
    double p = *(const double *)a, q = *(const double *)b;
    return p < q ? -1 : p > q;
}

static double difference(const FitCells *cells, const double *field, int cell, int axis) {
    int before = cells->neighbours[cell][2 * axis], after = cells->neighbours[cell][2 * axis + 1];
    double low = field[before >= 0 ? before : cell], high = field[after >= 0 ? after : cell];
    int steps = (before >= 0) + (after >= 0);
    return steps > 0 ? (high - low) / (steps * cells->side) : 0.0;
}

Vec3d sn__fit_gradient(const FitCells *cells, const double *field, int cell) {
    return (Vec3d){difference(cells, field, cell, 0), difference(cells, field, cell, 1),
                   difference(cells, field, cell, 2)};
}

// Layers of like volume. By the coarea formula, ∫ |∇u| dV over a layer is its area times what u gains
// in it, and its thickness is its volume over its area.
static int make_layers(const FitCells *cells, const double *field, const double *order, int inside,
                       Layer *layers) {
    int count = inside < 4 * LAYERS ? (inside + 3) / 4 : LAYERS;
    double cube = cells->side * cells->side * cells->side, sums[LAYERS] = {0};
    int sizes[LAYERS] = {0};
    for (int k = 0; k < count; ++k)
        layers[k].value = order[(size_t)(k + 1) * (size_t)inside / (size_t)count - 1];
    for (int i = 0; i < cells->count; ++i) {
        if (!(field[i] > 0.0 && field[i] < 1.0))
            continue;
        int low = 0, high = count - 1;
        while (low < high) {
            int middle = (low + high) / 2;
            if (layers[middle].value < field[i])
                low = middle + 1;
            else
                high = middle;
        }
        sums[low] += lengthd(sn__fit_gradient(cells, field, i)) * cube;
        ++sizes[low];
    }
    for (int k = 0; k < count; ++k) {
        double gain = layers[k].value - (k > 0 ? layers[k - 1].value : 0.0);
        layers[k].area = gain > 0.0 ? sums[k] / gain : HUGE_VAL;
        layers[k].way = (k > 0 ? layers[k - 1].way : 0.0) +
                        (layers[k].area > 0.0 ? sizes[k] * cube / layers[k].area : 0.0);
    }
    return count;
}

static double value_at(const Layer *layers, int count, double way) {
    double last_way = 0.0, last_value = 0.0;
    for (int k = 0; k < count; ++k) {
        if (layers[k].way >= way && layers[k].way > last_way)
            return last_value +
                   (layers[k].value - last_value) * (way - last_way) / (layers[k].way - last_way);
        last_way = layers[k].way;
        last_value = layers[k].value;
    }
    return last_value;
}

// How far from an end the first slice is: as far as a rod's radius there, so that its round end just
// reaches the end of the muscle, but not farther than half a slice.
static double end_margin(const Layer *layers, int count, int step, double end_length, int rods,
                         double spacing) {
    double total = layers[count - 1].way;
    for (int k = step > 0 ? 0 : count - 1; k >= 0 && k < count; k += step) {
        double way = end_length + (step > 0 ? layers[k].way : total - layers[k].way);
        double wanted = fmin(OVERLAP * sqrt(layers[k].area / (PI * rods)), 0.5 * spacing);
        if (way >= wanted)
            return wanted;
    }
    return 0.5 * spacing;
}

bool sn__fit_choose_levels(FitMemory *memory, const FitCells *cells, const FitEnds *ends,
                           const double *field, int rods, const double *places, FitSlices *slices) {
    FitBlock *mark = memory->last;
    double *order = sn__fit_alloc(memory, (size_t)cells->count, sizeof *order);
    if (order == NULL)
        return false;
    int inside = 0, in_source = 0, in_sink = 0;
    for (int i = 0; i < cells->count; ++i) {
        if (field[i] > 0.0 && field[i] < 1.0)
            order[inside++] = field[i];
        in_source += ends->kinds[i] == FIT_SOURCE;
        in_sink += ends->kinds[i] == FIT_SINK;
    }
    qsort(order, (size_t)inside, sizeof *order, by_value);
    Layer layers[LAYERS];
    int count = make_layers(cells, field, order, inside, layers);
    double cube = cells->side * cells->side * cells->side, between = layers[count - 1].way;
    // The ends are taken as cylinders with the area of the layer beside them.
    double first = fmin(in_source * cube / layers[0].area, 0.2 * between);
    double last = fmin(in_sink * cube / layers[count - 1].area, 0.2 * between);
    slices->length = first + between + last;
    double spacing = slices->length / slices->count;
    double from = end_margin(layers, count, 1, first, rods, spacing);
    double to = slices->length - end_margin(layers, count, -1, last, rods, spacing);
    for (int j = 0; j < slices->count; ++j) {
        double even = (double)j / (slices->count - 1);
        double way = from + (to - from) * (places ? places[j] : even);
        double value = value_at(layers, count, way - first);
        // A slice has cells on both sides of it.
        slices->levels[j] =
            fmin(fmax(value, layers[0].value), layers[count - 1 > 0 ? count - 2 : 0].value);
        slices->ways[j] = way / slices->length;
    }
    sn__fit_release(memory, mark);
    return true;
}
