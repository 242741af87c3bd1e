#include "fit/ends.h"

#include <stdlib.h>

// What is farthest from an end that is given has so much of the volume.
#define OPPOSITE_VOLUME 0.003

// An end face looks away from the other end: the cosine between its normal and the way from there is at
// least this, and it is no farther back from its tip than this part of the length.
#define FACING 0.7
#define DEEPEST 0.3

// Cells around one from which normals and directions are taken.
#define REACH 3

typedef struct Rank {
    double value;
    int cell;
} Rank;

static int by_value(const void *a, const void *b) {
    const Rank *p = a, *q = b;
    if (p->value != q->value)
        return p->value > q->value ? -1 : 1;
    return p->cell - q->cell;
}

// Marks the `share` of all cells with the largest values.
static bool mark_extreme(FitMemory *memory, const FitCells *cells, const double *values,
                         double share, uint8_t kind, uint8_t *kinds) {
    FitBlock *mark = memory->last;
    Rank *ranks = sn__fit_alloc(memory, (size_t)cells->count, sizeof *ranks);
    if (ranks == NULL)
        return false;
    for (int i = 0; i < cells->count; ++i)
        ranks[i] = (Rank){values[i], i};
    qsort(ranks, (size_t)cells->count, sizeof *ranks, by_value);
    int count = (int)(share * cells->count);
    for (int i = 0; i < (count > 4 ? count : 4); ++i)
        kinds[ranks[i].cell] = kind;
    sn__fit_release(memory, mark);
    return true;
}

// Puts the tips into two groups: those that are nearest to each other belong together.
static void group_tips(const FitCells *cells, const FitTips *tips, bool second[FIT_MAX_TIPS]) {
    int groups[FIT_MAX_TIPS], count = tips->count;
    for (int i = 0; i < tips->count; ++i)
        groups[i] = i;
    while (count > 2) {
        int a = 0, b = 0;
        double least = HUGE_VAL;
        for (int i = 0; i < tips->count; ++i)
            for (int j = 0; j < i; ++j) {
                Vec3d d = subd(cells->centres[tips->cells[i]], cells->centres[tips->cells[j]]);
                if (groups[i] != groups[j] && lengthd(d) < least) {
                    least = lengthd(d);
                    a = groups[i];
                    b = groups[j];
                }
            }
        for (int i = 0; i < tips->count; ++i)
            if (groups[i] == a)
                groups[i] = b;
        --count;
    }
    for (int i = 0; i < tips->count; ++i)
        second[i] = groups[i] != groups[0];
}

// Where the surface near a cell looks to, and which way distances grow there: away from the middle of
// the cells around it, and along the regression of distances over these. False: it is deep inside.
static bool look_around(const FitCells *cells, const double *distances, const int at[3],
                        double *out_cosine) {
    int cell = cells->number[sn__fit_cube(cells, at)], count = 0;
    Vec3d middle = {0.0, 0.0, 0.0}, along = middle;
    for (int k = 0; k < (2 * REACH + 1) * (2 * REACH + 1) * (2 * REACH + 1); ++k) {
        int d[3] = {k % (2 * REACH + 1) - REACH, k / (2 * REACH + 1) % (2 * REACH + 1) - REACH,
                    k / ((2 * REACH + 1) * (2 * REACH + 1)) - REACH};
        if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] > REACH * REACH)
            continue;
        int to[3] = {at[0] + d[0], at[1] + d[1], at[2] + d[2]};
        int other = sn__fit_is_on_grid(cells, to) ? cells->number[sn__fit_cube(cells, to)] : -1;
        if (other < 0)
            continue;
        Vec3d step = {d[0], d[1], d[2]};
        ++count;
        middle = addd(middle, step);
        along = addd(along, scaled(step, distances[other] - distances[cell]));
    }
    double offset = lengthd(middle) / count, length = lengthd(along);
    if (!(offset > 0.4) || !(length > 0.0))
        return false;
    *out_cosine = -dotd(middle, along) / (lengthd(middle) * length);
    return true;
}

// Marks a tip and the end face that it is a part of: cells that hang together with it and look away from
// the other end.
static bool mark_face(FitMemory *memory, const FitCells *cells, const double *distances, int tip,
                      double length, uint8_t kind, uint8_t *kinds) {
    FitBlock *mark = memory->last;
    int *queue = sn__fit_alloc(memory, (size_t)cells->count, sizeof *queue);
    bool *seen = sn__fit_alloc(memory, (size_t)cells->count, sizeof *seen);
    if (queue == NULL || seen == NULL)
        return false;
    int begin = 0, end = 0;
    queue[end++] = tip;
    seen[tip] = true;
    while (begin < end) {
        int cell = queue[begin++], at[3];
        double cosine = 1.0;
        sn__fit_cell_place(cells, cell, at);
        bool near_tip =
            lengthd(subd(cells->centres[cell], cells->centres[tip])) < 1.8 * cells->side;
        if (!near_tip && (distances[cell] < distances[tip] - DEEPEST * length ||
                          !look_around(cells, distances, at, &cosine) || cosine < FACING))
            continue;
        kinds[cell] = kind;
        for (int k = 0; k < 27; ++k) {
            int to[3] = {at[0] + k % 3 - 1, at[1] + k / 3 % 3 - 1, at[2] + k / 9 - 1};
            int other = sn__fit_is_on_grid(cells, to) ? cells->number[sn__fit_cube(cells, to)] : -1;
            if (other >= 0 && !seen[other]) {
                seen[other] = true;
                queue[end++] = other;
            }
        }
    }
    sn__fit_release(memory, mark);
    return true;
}

static bool find_in_shape(FitMemory *memory, const FitCells *cells, FitEnds *ends) {
    FitTips tips;
    bool second[FIT_MAX_TIPS];
    double *distances = sn__fit_alloc(memory, (size_t)cells->count, sizeof *distances);
    bool *from = sn__fit_alloc(memory, (size_t)cells->count, sizeof *from);
    if (distances == NULL || from == NULL || !sn__fit_find_tips(memory, cells, &tips))
        return false;
    group_tips(cells, &tips, second);
    for (int group = 0; group < 2; ++group) {
        for (int i = 0; i < tips.count; ++i)
            from[tips.cells[i]] = second[i] != (group == 1);
        if (!sn__fit_distances(memory, cells, from, 0, distances))
            return false;
        for (int i = 0; i < tips.count; ++i) {
            from[tips.cells[i]] = false;
            if (second[i] == (group == 1) &&
                !mark_face(memory, cells, distances, tips.cells[i], tips.length,
                           group == 1 ? FIT_SINK : FIT_SOURCE, ends->kinds))
                return false;
            *(group == 1 ? &ends->sinks : &ends->sources) += second[i] == (group == 1);
        }
    }
    return true;
}

static bool is_given(const SnFitEnd *end) { return end->sphere_count + end->vertex_count > 0; }

static void mark_given(const FitCells *cells, const SnFitEnd *end, const SnVec3 *positions,
                       Vec3d centre, uint8_t *marked, int *moved) {
    for (int s = 0; s < end->sphere_count; ++s) {
        Vec3d middle = subd(vec3d(end->spheres[s].centre), centre);
        double radius = (double)end->spheres[s].radius;
        int count = 0;
        for (int i = 0; i < cells->count; ++i)
            if (lengthd(subd(cells->centres[i], middle)) <= radius) {
                marked[i] = 1;
                ++count;
            }
        if (count == 0) {
            int nearest = sn__fit_nearest_cell(cells, middle);
            marked[nearest] = 1;
            *moved += lengthd(subd(cells->centres[nearest], middle)) > radius + 2.0 * cells->side;
        }
    }
    for (int v = 0; v < end->vertex_count; ++v)
        marked[sn__fit_nearest_cell(cells, subd(vec3d(positions[end->vertices[v]]), centre))] = 1;
}

// What is farthest from an end that is given is the other one.
static bool mark_opposite(FitMemory *memory, const FitCells *cells, const uint8_t *given,
                          uint8_t kind, uint8_t *kinds) {
    double *distances = sn__fit_alloc(memory, (size_t)cells->count, sizeof *distances);
    bool *from = sn__fit_alloc(memory, (size_t)cells->count, sizeof *from);
    if (distances == NULL || from == NULL)
        return false;
    for (int i = 0; i < cells->count; ++i)
        from[i] = given[i] != 0;
    return sn__fit_distances(memory, cells, from, 0, distances) &&
           mark_extreme(memory, cells, distances, OPPOSITE_VOLUME, kind, kinds);
}

// The kinds of cells from two lists; where these meet there is no way between them.
static SnResult join_ends(const FitCells *cells, const uint8_t *source, const uint8_t *sink,
                          uint8_t *kinds) {
    const char *how = "source: it touches the sink: make one of them smaller, or move it away";
    for (int i = 0; i < cells->count; ++i) {
        if (source[i] && sink[i])
            return sn_error(SN_ERROR_INVALID, "%s", how);
        kinds[i] = source[i] ? FIT_SOURCE : sink[i] ? FIT_SINK : FIT_FREE;
    }
    for (int i = 0; i < cells->count; ++i)
        for (int side = 1; side < 6; side += 2) {
            int j = cells->neighbours[i][side];
            if (j >= 0 && kinds[i] + kinds[j] == FIT_SOURCE + FIT_SINK && kinds[i] && kinds[j])
                return sn_error(SN_ERROR_INVALID, "%s", how);
        }
    return sn_ok();
}

SnResult sn__fit_find_ends(FitMemory *memory, const FitCells *cells, const SnViperizeDef *def,
                           Vec3d centre, FitEnds *out) {
    *out = (FitEnds){0};
    SnResult no_memory = sn_error(SN_ERROR_MEMORY, "source: no memory to find it");
    size_t count = (size_t)cells->count;
    out->kinds = sn__fit_alloc(memory, count, sizeof *out->kinds);
    uint8_t *source = sn__fit_alloc(memory, count, sizeof *source);
    uint8_t *sink = sn__fit_alloc(memory, count, sizeof *sink);
    if (out->kinds == NULL || source == NULL || sink == NULL)
        return no_memory;
    bool has_source = is_given(&def->source), has_sink = is_given(&def->sink);
    if (!has_source && !has_sink)
        return find_in_shape(memory, cells, out) ? sn_ok() : no_memory;
    mark_given(cells, &def->source, def->positions, centre, source, &out->moved);
    mark_given(cells, &def->sink, def->positions, centre, sink, &out->moved);
    if ((!has_sink && !mark_opposite(memory, cells, source, 1, sink)) ||
        (!has_source && !mark_opposite(memory, cells, sink, 1, source)))
        return no_memory;
    return join_ends(cells, source, sink, out->kinds);
}
