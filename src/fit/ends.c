// Ends that are found in the shape: tips, and the end faces that they are on.
#include "fit/ends.h"

// An end face looks away from the other end: the cosine between its normal and the way from there is at
// least this, and it is no farther back from its tip than this part of the length.
#define FACING 0.7
#define DEEPEST 0.3

// Cells around one from which normals and directions are taken.
#define REACH 3

// Puts the tips into two groups: those that are nearest to each other belong together, and a corner of the longest
// way is the one end of a muscle whose heads are the ends of that.
static void group_tips(const FitCells *cells, const FitTips *tips, bool second[FIT_MAX_TIPS]) {
    if (tips->corner >= 0) {
        for (int i = 0; i < tips->count; ++i)
            second[i] = i == tips->corner;
        return;
    }
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

bool sn__fit_mark_face(FitMemory *memory, const FitCells *cells, const double *distances, int tip,
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

bool sn__fit_ends_of_shape(FitMemory *memory, const FitCells *cells, FitEnds *ends) {
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
                !sn__fit_mark_face(memory, cells, distances, tips.cells[i], tips.length,
                                   group == 1 ? FIT_SINK : FIT_SOURCE, ends->kinds))
                return false;
            *(group == 1 ? &ends->sinks : &ends->sources) += second[i] == (group == 1);
        }
    }
    return true;
}
