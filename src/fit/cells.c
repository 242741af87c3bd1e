#include "fit/cells.h"

#include <stdlib.h>
#include <string.h>

// How many cells an ordinary muscle gets, how many times more a sheet may need, and what is too few.
#define USUAL_CELLS 40000.0
#define MOST_CELLS 2.25
#define FEWEST_CELLS 200
#define MOST_CUBES 60000000.0

// Cubes across a sheet: its thickness is about twice the volume over the area.
#define ACROSS 4.5

// Rings of cubes around a point in which the nearest cell is looked for before all of them are.
#define NEAR_RINGS 4

static double component(Vec3d v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

bool sn__fit_is_on_grid(const FitCells *cells, const int at[3]) {
    for (int c = 0; c < 3; ++c)
        if (at[c] < 0 || at[c] >= cells->size[c])
            return false;
    return true;
}

size_t sn__fit_cube(const FitCells *cells, const int at[3]) {
    return ((size_t)at[2] * (size_t)cells->size[1] + (size_t)at[1]) * (size_t)cells->size[0] +
           (size_t)at[0];
}

static size_t cube_count(const FitCells *cells) {
    return (size_t)cells->size[0] * (size_t)cells->size[1] * (size_t)cells->size[2];
}

static SnResult choose_grid(const FitSurface *surface, double wanted, FitCells *cells) {
    double usual = cbrt(surface->volume / wanted);
    double sheet = 2.0 * surface->volume / surface->area / ACROSS;
    double finest = cbrt(surface->volume / (wanted * MOST_CELLS));
    cells->side = fmax(fmin(usual, sheet), finest);
    Vec3d low = surface->points[surface->triangles[0][0]], high = low;
    for (int i = 0; i < surface->triangle_count; ++i)
        for (int c = 0; c < 3; ++c) {
            Vec3d x = surface->points[surface->triangles[i][c]];
            low = (Vec3d){fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z)};
            high = (Vec3d){fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z)};
        }
    double cubes = 1.0;
    for (int c = 0; c < 3; ++c) {
        double size = ceil((component(high, c) - component(low, c)) / cells->side) + 2.0;
        cubes *= size;
        if (!(cubes <= MOST_CUBES))
            return sn_error(SN_ERROR_LIMIT,
                            "mesh: it is too thin for its size (volume %g within a box of %g): "
                            "split it",
                            surface->volume, lengthd(subd(high, low)));
        cells->size[c] = (int)size;
    }
    // A little aside of round numbers, on which the corners of modelled meshes like to lie.
    double shift = 0.5172 * cells->side;
    cells->low = subd(low, (Vec3d){shift, 1.013 * shift, 0.987 * shift});
    return sn_ok();
}

// Twice the signed area of a, b, x in the plane of axes u and v, with the same bits, but for the sign,
// for b, a: two triangles that share an edge agree on which side of it x is.
static double side_of(const FitSurface *surface, int a, int b, int u, int v, double x, double y) {
    bool swapped = a > b;
    Vec3d p = surface->points[swapped ? b : a], q = surface->points[swapped ? a : b];
    double pu = component(p, u), pv = component(p, v);
    double area = (component(q, u) - pu) * (y - pv) - (component(q, v) - pv) * (x - pu);
    return swapped ? -area : area;
}

// Counts, along `axis`, how often the surface is entered less how often it is left in front of every
// cube: marks at the first cube behind each crossing, summed up afterwards. `exits`, if it is not NULL,
// counts those where it is left.
static void mark_crossings(const FitSurface *surface, const FitCells *cells, int axis,
                           int16_t *marks, uint8_t *exits) {
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    double side = cells->side, low_u = component(cells->low, u), low_v = component(cells->low, v);
    for (int i = 0; i < surface->triangle_count; ++i) {
        const int *t = surface->triangles[i];
        Vec3d p[3] = {surface->points[t[0]], surface->points[t[1]], surface->points[t[2]]};
        double min_u = HUGE_VAL, max_u = -HUGE_VAL, min_v = HUGE_VAL, max_v = -HUGE_VAL;
        for (int c = 0; c < 3; ++c) {
            min_u = fmin(min_u, component(p[c], u));
            max_u = fmax(max_u, component(p[c], u));
            min_v = fmin(min_v, component(p[c], v));
            max_v = fmax(max_v, component(p[c], v));
        }
        int u0 = (int)ceil((min_u - low_u) / side), u1 = (int)floor((max_u - low_u) / side);
        int v0 = (int)ceil((min_v - low_v) / side), v1 = (int)floor((max_v - low_v) / side);
        for (int b = v0; b <= v1; ++b)
            for (int a = u0; a <= u1; ++a) {
                double x = low_u + a * side, y = low_v + b * side;
                double w0 = side_of(surface, t[1], t[2], u, v, x, y);
                double w1 = side_of(surface, t[2], t[0], u, v, x, y);
                double w2 = side_of(surface, t[0], t[1], u, v, x, y);
                bool positive = w0 > 0.0 && w1 > 0.0 && w2 > 0.0;
                if (!positive && !(w0 < 0.0 && w1 < 0.0 && w2 < 0.0))
                    continue;
                double z = (w0 * component(p[0], axis) + w1 * component(p[1], axis) +
                            w2 * component(p[2], axis)) /
                           (w0 + w1 + w2);
                int at[3];
                at[u] = a;
                at[v] = b;
                at[axis] = (int)ceil((z - component(cells->low, axis)) / side);
                if (at[axis] >= cells->size[axis])
                    continue;
                size_t cube = sn__fit_cube(cells, at);
                marks[cube] = (int16_t)(marks[cube] + (positive ? -1 : 1));
                if (exits != NULL && positive && exits[cube] < UINT8_MAX)
                    ++exits[cube];
            }
    }
}

// A bit per axis in the votes: the surface is left and entered again between this cube and the one before.
#define CUT_SHIFT 2
#define VOTES 3

static bool is_inside(uint8_t votes) { return (votes & VOTES) >= 2; }

// Adds a vote for every cube that the surface winds around, as seen along `axis`, and marks the cuts.
static void vote(const FitCells *cells, int axis, const int16_t *marks, const uint8_t *exits,
                 uint8_t *votes) {
    int u = (axis + 1) % 3, v = (axis + 2) % 3, at[3];
    for (at[v] = 0; at[v] < cells->size[v]; ++at[v])
        for (at[u] = 0; at[u] < cells->size[u]; ++at[u]) {
            int winding = 0;
            for (at[axis] = 0; at[axis] < cells->size[axis]; ++at[axis]) {
                size_t cube = sn__fit_cube(cells, at);
                bool cut = exits != NULL && winding > 0 && exits[cube] >= winding;
                winding += marks[cube];
                votes[cube] = (uint8_t)(votes[cube] + (winding > 0));
                if (cut && winding > 0)
                    votes[cube] = (uint8_t)(votes[cube] | 1 << (CUT_SHIFT + axis));
            }
        }
}

// Numbers the largest set of cubes that share faces; the others are outside. False: no memory.
static bool number_cubes(FitMemory *memory, FitCells *cells, const uint8_t *votes) {
    size_t cubes = cube_count(cells);
    size_t steps[3] = {1, (size_t)cells->size[0], (size_t)cells->size[0] * (size_t)cells->size[1]};
    size_t inside = 0;
    for (size_t i = 0; i < cubes; ++i)
        inside += is_inside(votes[i]);
    int *queue = sn__fit_alloc(memory, inside, sizeof *queue), *part = cells->number;
    if (queue == NULL)
        return false;
    int parts = 0, best = 0, most = 0, all = 0;
    for (size_t first = 0; first < cubes; ++first) {
        if (!is_inside(votes[first]) || part[first] != 0)
            continue;
        int begin = 0, end = 0;
        queue[end++] = (int)first;
        part[first] = ++parts;
        while (begin < end) {
            size_t cube = (size_t)queue[begin++];
            // The outermost cubes are outside by construction, so that neighbours exist.
            for (int side = 0; side < 6; ++side) {
                size_t other = side % 2 ? cube + steps[side / 2] : cube - steps[side / 2];
                if (other < cubes && is_inside(votes[other]) && part[other] == 0) {
                    part[other] = parts;
                    queue[end++] = (int)other;
                }
            }
        }
        all += end;
        if (end > most) {
            most = end;
            best = parts;
        }
    }
    for (size_t i = 0; i < cubes; ++i)
        cells->number[i] = parts > 0 && part[i] == best ? cells->count++ : -1;
    cells->lost = all > 0 ? 1.0 - (double)most / all : 0.0;
    return true;
}

static void number_all(FitCells *cells, const uint8_t *votes) {
    size_t cubes = cube_count(cells);
    for (size_t i = 0; i < cubes; ++i)
        cells->number[i] = is_inside(votes[i]) ? cells->count++ : -1;
}

static bool place_cells(FitMemory *memory, FitCells *cells) {
    size_t count = (size_t)cells->count;
    cells->centres = sn__fit_alloc(memory, count, sizeof *cells->centres);
    cells->neighbours = sn__fit_alloc(memory, count, sizeof *cells->neighbours);
    if (cells->centres == NULL || cells->neighbours == NULL)
        return false;
    int at[3];
    for (at[2] = 0; at[2] < cells->size[2]; ++at[2])
        for (at[1] = 0; at[1] < cells->size[1]; ++at[1])
            for (at[0] = 0; at[0] < cells->size[0]; ++at[0]) {
                int i = cells->number[sn__fit_cube(cells, at)];
                if (i < 0)
                    continue;
                cells->centres[i] =
                    addd(cells->low, scaled((Vec3d){at[0], at[1], at[2]}, cells->side));
                for (int side = 0; side < 6; ++side) {
                    int other[3] = {at[0], at[1], at[2]}, axis = side / 2;
                    other[axis] += side % 2 ? 1 : -1;
                    bool within = other[axis] >= 0 && other[axis] < cells->size[axis];
                    cells->neighbours[i][side] =
                        within ? cells->number[sn__fit_cube(cells, other)] : -1;
                }
            }
    return true;
}

// Lets go of neighbours beyond a cut.
static void cut_cells(FitCells *cells, const uint8_t *votes) {
    int at[3];
    for (int i = 0; i < cells->count; ++i) {
        sn__fit_cell_place(cells, i, at);
        uint8_t cuts = votes[sn__fit_cube(cells, at)];
        for (int axis = 0; axis < 3; ++axis) {
            int before = cells->neighbours[i][2 * axis];
            if (before < 0 || (cuts >> (CUT_SHIFT + axis) & 1) == 0)
                continue;
            cells->neighbours[i][2 * axis] = -1;
            cells->neighbours[before][2 * axis + 1] = -1;
        }
    }
}

// Votes for all cubes, in memory of their own; NULL: no memory.
static uint8_t *count_votes(FitMemory *memory, const FitSurface *surface, const FitCells *cells,
                            bool cuts) {
    size_t cubes = cube_count(cells);
    uint8_t *votes = sn__fit_alloc(memory, cubes, sizeof *votes);
    FitBlock *mark = memory->last;
    int16_t *marks = sn__fit_alloc(memory, cubes, sizeof *marks);
    uint8_t *exits = cuts ? sn__fit_alloc(memory, cubes, sizeof *exits) : NULL;
    bool done = votes != NULL && marks != NULL && (exits != NULL || !cuts);
    for (int axis = 0; axis < 3 && done; ++axis) {
        memset(marks, 0, cubes * sizeof *marks);
        if (cuts)
            memset(exits, 0, cubes * sizeof *exits);
        mark_crossings(surface, cells, axis, marks, exits);
        vote(cells, axis, marks, exits, votes);
    }
    sn__fit_release(memory, mark);
    return done ? votes : NULL;
}

static SnResult fill(FitMemory *memory, const FitSurface *surface, double wanted, bool all,
                     FitCells *out) {
    memset(out, 0, sizeof *out);
    SnResult result = choose_grid(surface, wanted, out);
    if (result.code != SN_OK)
        return result;
    out->number = sn__fit_alloc(memory, cube_count(out), sizeof *out->number);
    uint8_t *votes = count_votes(memory, surface, out, all);
    bool done = out->number != NULL && votes != NULL;
    if (done && all)
        number_all(out, votes);
    else if (done)
        done = number_cubes(memory, out, votes);
    if (!done || !place_cells(memory, out))
        return sn_error(SN_ERROR_MEMORY, "mesh: no memory for its inside");
    if (all)
        cut_cells(out, votes);
    return sn_ok();
}

SnResult sn__fit_fill(FitMemory *memory, const FitSurface *surface, FitCells *out) {
    SnResult result = fill(memory, surface, USUAL_CELLS, false, out);
    if (result.code == SN_OK && out->count < FEWEST_CELLS)
        return sn_error(SN_ERROR_INVALID,
                        "mesh: its inside does not hang together: the largest part has %d of about "
                        "%.0f cells; mend its winding and its holes",
                        out->count, surface->volume / (out->side * out->side * out->side));
    return result;
}

SnResult sn__fit_fill_all(FitMemory *memory, const FitSurface *surface, int wanted, FitCells *out) {
    SnResult result = fill(memory, surface, wanted, true, out);
    if (result.code == SN_OK && out->count < FEWEST_CELLS)
        return sn_error(
            SN_ERROR_INVALID,
            "mesh: too little of it is inside: %d of about %.0f cells; mend its winding "
            "and its holes",
            out->count, surface->volume / (out->side * out->side * out->side));
    return result;
}

void sn__fit_cell_place(const FitCells *cells, int cell, int out_at[3]) {
    Vec3d d = scaled(subd(cells->centres[cell], cells->low), 1.0 / cells->side);
    out_at[0] = (int)floor(d.x + 0.5);
    out_at[1] = (int)floor(d.y + 0.5);
    out_at[2] = (int)floor(d.z + 0.5);
}

// Looks at the cubes that are `ring` cubes away from one.
static void search_ring(const FitCells *cells, const int at[3], int ring, Vec3d x, int *best,
                        double *least) {
    for (int dz = -ring; dz <= ring; ++dz)
        for (int dy = -ring; dy <= ring; ++dy)
            for (int dx = -ring; dx <= ring; ++dx) {
                int to[3] = {at[0] + dx, at[1] + dy, at[2] + dz};
                bool on_ring = abs(dx) == ring || abs(dy) == ring || abs(dz) == ring;
                int cell = on_ring && sn__fit_is_on_grid(cells, to)
                               ? cells->number[sn__fit_cube(cells, to)]
                               : -1;
                if (cell < 0)
                    continue;
                double distance = lengthd(subd(cells->centres[cell], x));
                if (distance < *least) {
                    *least = distance;
                    *best = cell;
                }
            }
}

// The distance tells whether one was found.
static int search_rings(const FitCells *cells, Vec3d x, double *least) {
    int at[3], best = -1;
    for (int c = 0; c < 3; ++c) {
        double place = (component(x, c) - component(cells->low, c)) / cells->side + 0.5;
        at[c] =
            (int)floor(fmin(fmax(place, -1.0), cells->size[c])); // beside the grid is far enough
    }
    *least = HUGE_VAL;
    // What is on the next ring is at least half a cube less than as many cubes away.
    for (int ring = 0; ring <= NEAR_RINGS && sn__fit_is_on_grid(cells, at); ++ring) {
        search_ring(cells, at, ring, x, &best, least);
        if (*least <= (ring + 0.5) * cells->side)
            break;
    }
    return best;
}

int sn__fit_near_cell(const FitCells *cells, Vec3d x) {
    double least;
    return search_rings(cells, x, &least);
}

int sn__fit_nearest_cell(const FitCells *cells, Vec3d x) {
    double least;
    int best = search_rings(cells, x, &least);
    if (best >= 0 && least <= (NEAR_RINGS + 0.5) * cells->side)
        return best;
    best = best < 0 ? 0 : best;
    for (int i = 0; i < cells->count; ++i) {
        double distance = lengthd(subd(cells->centres[i], x));
        if (distance < least) {
            least = distance;
            best = i;
        }
    }
    return best;
}
