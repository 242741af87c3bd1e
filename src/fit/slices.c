#include "fit/slices.h"

#include <string.h>

// A slice has at least so many points per rod, and a face of a cube at most so many a side.
#define POINTS_PER_ROD 8
#define MOST_PARTED 8

// Parts with less than this part of their slice are noise of the grid.
#define LEAST_PART 0.02

// What is needed for one slice after the other.
typedef struct Slicer {
    const FitCells *cells;
    const double *field;
    int *parents; // union-find over cells; −1: the cell is not in the set at hand
    int *labels;  // per root: its part
} Slicer;

static int find_root(int *parents, int i) {
    while (parents[i] != i)
        i = parents[i] = parents[parents[i]];
    return i;
}

static bool crosses(const Slicer *s, int i, int j, double level) {
    return (s->field[i] < level) != (s->field[j] < level);
}

// Joins all neighbours within the set.
static void join_cells(Slicer *s) {
    for (int i = 0; i < s->cells->count; ++i) {
        if (s->parents[i] < 0)
            continue;
        for (int side = 1; side < 6; side += 2) {
            int j = s->cells->neighbours[i][side];
            if (j >= 0 && s->parents[j] >= 0)
                s->parents[find_root(s->parents, i)] = find_root(s->parents, j);
        }
    }
}

static void clear_set(Slicer *s) {
    for (int i = 0; i < s->cells->count; ++i)
        s->parents[i] = -1;
}

// Adds the cells beside a level: those above it, those below it, or both.
static void add_beside(Slicer *s, double level, bool above, bool below) {
    for (int i = 0; i < s->cells->count; ++i)
        for (int side = 1; side < 6; side += 2) {
            int j = s->cells->neighbours[i][side];
            if (j < 0 || !crosses(s, i, j, level))
                continue;
            int low = s->field[i] < level ? i : j, high = i + j - low;
            if (above)
                s->parents[high] = high;
            if (below)
                s->parents[low] = low;
        }
}

static int count_crossings(const Slicer *s, double level) {
    int count = 0;
    for (int i = 0; i < s->cells->count; ++i)
        for (int side = 1; side < 6; side += 2) {
            int j = s->cells->neighbours[i][side];
            count += j >= 0 && crosses(s, i, j, level);
        }
    return count;
}

// Points per side of a face, so that a slice has enough of them.
static int parting(int crossings, int rods) {
    int parted = 1;
    while (parted * parted * crossings < POINTS_PER_ROD * rods && parted <= MOST_PARTED)
        ++parted;
    return parted;
}

// Where the level crosses the way from cell i to its neighbour along `axis`. A grid line along an axis
// meets a surface with normal n once per side² / |n_axis| of its area, so each of the crossings along
// three axes stands for side² · |n_axis|, and all three together for the area.
static void add_crossing(const Slicer *s, FitSlices *out, int slice, int i, int axis, int parted,
                         int *cells_of) {
    const FitCells *cells = s->cells;
    int j = cells->neighbours[i][2 * axis + 1];
    double t = (out->levels[slice] - s->field[i]) / (s->field[j] - s->field[i]);
    Vec3d n = addd(scaled(sn__fit_gradient(cells, s->field, i), 1.0 - t),
                   scaled(sn__fit_gradient(cells, s->field, j), t));
    double length = lengthd(n), g[3] = {n.x, n.y, n.z};
    double along = fabs(g[axis]) / fmax(length, 1e-300), side = cells->side;
    double area = side * side * along / (parted * parted);
    Vec3d middle = addd(cells->centres[i], scaled(subd(cells->centres[j], cells->centres[i]), t));
    for (int k = 0; k < parted * parted; ++k) {
        double d[3];
        int u = (axis + 1) % 3, v = (axis + 2) % 3;
        d[u] = ((k % parted + 0.5) / parted - 0.5) * side;
        d[v] = ((k / parted + 0.5) / parted - 0.5) * side;
        // On the tangent plane, but no farther than half a cube.
        double lift = -(g[u] * d[u] + g[v] * d[v]) / (g[axis] != 0.0 ? g[axis] : 1.0);
        d[axis] = fmax(-0.5 * side, fmin(0.5 * side, lift));
        int at = out->begin[slice + 1]++;
        out->points[at] = addd(middle, (Vec3d){d[0], d[1], d[2]});
        out->areas[at] = area;
        cells_of[at] = i;
    }
}

static void add_points(const Slicer *s, FitSlices *out, int slice, int rods, int *cells_of) {
    int parted = parting(count_crossings(s, out->levels[slice]), rods);
    out->begin[slice + 1] = out->begin[slice];
    for (int i = 0; i < s->cells->count; ++i)
        for (int axis = 0; axis < 3; ++axis) {
            int j = s->cells->neighbours[i][2 * axis + 1];
            if (j >= 0 && crosses(s, i, j, out->levels[slice]))
                add_crossing(s, out, slice, i, axis, parted, cells_of);
        }
}

// Leaves out points of parts that are too small, and numbers the others.
static void number_parts(Slicer *s, FitSlices *out, int slice, int *cells_of) {
    int begin = out->begin[slice], end = out->begin[slice + 1], first = out->part_count;
    double total = 0.0;
    for (int i = begin; i < end; ++i) {
        s->labels[find_root(s->parents, cells_of[i])] = -1;
        total += out->areas[i];
    }
    // Areas first, under provisional numbers beyond those that stay.
    int found = first;
    for (int i = begin; i < end; ++i) {
        int root = find_root(s->parents, cells_of[i]);
        if (s->labels[root] < 0) {
            out->part_areas[found] = 0.0;
            s->labels[root] = found++;
        }
        out->part_of[i] = s->labels[root];
        out->part_areas[s->labels[root]] += out->areas[i];
    }
    int largest = first;
    for (int p = first; p < found; ++p)
        if (out->part_areas[p] > out->part_areas[largest])
            largest = p;
    for (int p = first; p < found; ++p) {
        bool stays = p == largest || out->part_areas[p] >= LEAST_PART * total;
        out->above[p] = stays ? out->part_count : -1; // the final number, for a moment
        if (stays)
            out->part_areas[out->part_count++] = out->part_areas[p];
    }
    int kept = begin;
    for (int i = begin; i < end; ++i) {
        int part = out->above[out->part_of[i]];
        if (part < 0)
            continue;
        out->points[kept] = out->points[i];
        out->areas[kept] = out->areas[i];
        cells_of[kept] = cells_of[i];
        out->part_of[kept++] = part;
    }
    for (int p = first; p < found; ++p) {
        out->above[p] = -1;
        out->below[p] = -2;
    }
    out->begin[slice + 1] = kept;
    out->part_begin[slice + 1] = out->part_count;
}

// Of the two cells beside a point of a slice, one that is in the set; −1: neither is.
static int cell_beside(const Slicer *s, int cell, double level) {
    if (s->parents[cell] >= 0)
        return cell;
    for (int side = 1; side < 6; side += 2) {
        int other = s->cells->neighbours[cell][side];
        if (other >= 0 && s->parents[other] >= 0 && crosses(s, cell, other, level))
            return other;
    }
    return -1;
}

// Says what each part of slice j reaches upwards and each part of slice j + 1 downwards.
static void link_slices(Slicer *s, FitSlices *out, int j, const int *cells_of) {
    double low = out->levels[j], high = out->levels[j + 1];
    clear_set(s);
    add_beside(s, low, true, false);
    add_beside(s, high, false, true);
    for (int i = 0; i < s->cells->count; ++i)
        if (s->field[i] >= low && s->field[i] <= high)
            s->parents[i] = i;
    join_cells(s);
    // All that touches one part belongs together, also where cubes meet at an edge only.
    for (int pass = 0; pass < 2; ++pass)
        for (int slice = j; slice <= j + 1; ++slice)
            for (int i = out->begin[slice]; i < out->begin[slice + 1]; ++i) {
                int cell = cell_beside(s, cells_of[i], out->levels[slice]);
                int *label = (slice == j ? out->above : out->below) + out->part_of[i];
                if (cell < 0)
                    continue;
                if (*label < 0)
                    *label = cell;
                s->parents[find_root(s->parents, cell)] = find_root(s->parents, *label);
                *label = find_root(s->parents, cell);
            }
}

static bool make_room(FitMemory *memory, const Slicer *s, FitSlices *out, int rods) {
    size_t points = 0, slices = (size_t)out->count;
    for (int j = 0; j < out->count; ++j) {
        int crossings = count_crossings(s, out->levels[j]), parted = parting(crossings, rods);
        points += (size_t)crossings * (size_t)parted * (size_t)parted;
    }
    out->begin = sn__fit_alloc(memory, slices + 1, sizeof *out->begin);
    out->part_begin = sn__fit_alloc(memory, slices + 1, sizeof *out->part_begin);
    out->points = sn__fit_alloc(memory, points, sizeof *out->points);
    out->areas = sn__fit_alloc(memory, points, sizeof *out->areas);
    out->part_of = sn__fit_alloc(memory, points, sizeof *out->part_of);
    out->part_areas = sn__fit_alloc(memory, points, sizeof *out->part_areas);
    out->above = sn__fit_alloc(memory, points, sizeof *out->above);
    out->below = sn__fit_alloc(memory, points, sizeof *out->below);
    return out->begin && out->part_begin && out->points && out->areas && out->part_of &&
           out->part_areas && out->above && out->below;
}

static SnResult check_slices(const Slicer *s, const FitSlices *slices, int rods) {
    for (int j = 0; j < slices->count; ++j) {
        int crossings = count_crossings(s, slices->levels[j]);
        if (parting(crossings, rods) > MOST_PARTED)
            return sn_error(SN_ERROR_INVALID,
                            "rods: %d do not fit into slice %d of %d, where there is room for "
                            "about %d: ask for fewer rods",
                            rods, j, slices->count,
                            crossings * MOST_PARTED * MOST_PARTED / POINTS_PER_ROD);
    }
    return sn_ok();
}

// Every rod must have found a way through every slice.
static SnResult check_ways(const FitSlices *slices, int rods) {
    for (int j = 0; j < slices->count; ++j) {
        int sum = 0;
        for (int p = slices->part_begin[j]; p < slices->part_begin[j + 1]; ++p)
            sum += slices->part_rods[p];
        if (sum != rods)
            return sn_error(SN_ERROR_INVALID,
                            "slices: slice %d of %d does not hang together with those beside it: "
                            "give source and sink, or other numbers of slices",
                            j, slices->count);
    }
    return sn_ok();
}

SnResult sn__fit_slice(FitMemory *memory, const FitCells *cells, const FitEnds *ends,
                       const double *field, int rods, int slices, const double *places,
                       FitSlices *out) {
    *out = (FitSlices){.count = slices};
    SnResult no_memory = sn_error(SN_ERROR_MEMORY, "slices: no memory");
    size_t count = (size_t)cells->count;
    out->levels = sn__fit_alloc(memory, (size_t)slices, sizeof *out->levels);
    out->ways = sn__fit_alloc(memory, (size_t)slices, sizeof *out->ways);
    Slicer s = {cells, field, sn__fit_alloc(memory, count, sizeof *s.parents),
                sn__fit_alloc(memory, count, sizeof *s.labels)};
    if (out->levels == NULL || out->ways == NULL || s.parents == NULL || s.labels == NULL ||
        !sn__fit_choose_levels(memory, cells, ends, field, rods, places, out))
        return no_memory;
    SnResult result = check_slices(&s, out, rods);
    if (result.code != SN_OK)
        return result;
    if (!make_room(memory, &s, out, rods))
        return no_memory;
    size_t points = 0;
    for (int j = 0; j < slices; ++j) {
        int crossings = count_crossings(&s, out->levels[j]), parted = parting(crossings, rods);
        points += (size_t)crossings * (size_t)parted * (size_t)parted;
    }
    int *cells_of = sn__fit_alloc(memory, points, sizeof *cells_of);
    if (cells_of == NULL)
        return no_memory;
    for (int j = 0; j < slices; ++j) {
        clear_set(&s);
        add_beside(&s, out->levels[j], true, true);
        join_cells(&s);
        add_points(&s, out, j, rods, cells_of);
        number_parts(&s, out, j, cells_of);
    }
    for (int j = 0; j + 1 < slices; ++j)
        link_slices(&s, out, j, cells_of);
    if (!sn__fit_share_rods(memory, out, rods))
        return no_memory;
    return check_ways(out, rods);
}
