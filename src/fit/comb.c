#include "fit/comb.h"

#include <string.h>

#define START_ROUNDS 25
#define NEXT_ROUNDS 10
#define MOST_ALTERNATIONS 12

// How much a rod's wish to be short weighs against the middle of its cell.
#define LENGTH_PENALTY 0.15

// More than all ways together: two points that no rod may join.
#define NO_WAY 1e6

typedef struct Comb {
    const FitSlices *slices;
    int rods;
    Vec3d *points; // slice after slice, rods within it
    int *parts;    // likewise
    double *masses, *costs;
    Vec3d *sums;
    int *order;
    FitMemory *memory;
} Comb;

static Vec3d *row(const Comb *c, int slice) { return c->points + (size_t)slice * (size_t)c->rods; }
static int *part_row(const Comb *c, int slice) {
    return c->parts + (size_t)slice * (size_t)c->rods;
}

static double distance2(Vec3d a, Vec3d b) {
    Vec3d d = subd(a, b);
    return dotd(d, d);
}

// Where the rod would like to pass through a slice: between its points on the slices beside it, or, at
// an end, straight on. False: there is nothing beside it yet.
static bool wish(const Comb *c, int slice, int rod, Vec3d *out, Vec3d *out_along) {
    int last = c->slices->count - 1;
    if (slice > 0 && slice < last) {
        Vec3d a = row(c, slice - 1)[rod], b = row(c, slice + 1)[rod];
        *out = scaled(addd(a, b), 0.5);
        *out_along = subd(b, a);
        return true;
    }
    if (last < 2)
        return false;
    int step = slice == 0 ? 1 : -1;
    Vec3d a = row(c, slice + step)[rod], b = row(c, slice + 2 * step)[rod];
    *out = subd(scaled(a, 2.0), b);
    *out_along = subd(b, a);
    return true;
}

// One round of Lloyd's method: every rod goes to the middle of the points of the slice that are nearer
// to it than to the others, and with `penalty` towards where it would be shorter, within the slice.
static double relax(Comb *c, int slice, double penalty) {
    const FitSlices *s = c->slices;
    Vec3d *points = row(c, slice);
    const int *parts = part_row(c, slice);
    memset(c->masses, 0, (size_t)c->rods * sizeof *c->masses);
    memset(c->sums, 0, (size_t)c->rods * sizeof *c->sums);
    double moved = 0.0;
    for (int i = s->begin[slice]; i < s->begin[slice + 1]; ++i) {
        int nearest = -1;
        double least = HUGE_VAL;
        for (int k = 0; k < c->rods; ++k)
            if (parts[k] == s->part_of[i] && distance2(points[k], s->points[i]) < least) {
                least = distance2(points[k], s->points[i]);
                nearest = k;
            }
        if (nearest < 0)
            continue;
        c->masses[nearest] += s->areas[i];
        c->sums[nearest] = addd(c->sums[nearest], scaled(s->points[i], s->areas[i]));
    }
    for (int k = 0; k < c->rods; ++k) {
        if (!(c->masses[k] > 0.0))
            continue;
        Vec3d to = scaled(c->sums[k], 1.0 / c->masses[k]), place, along;
        if (penalty > 0.0 && wish(c, slice, k, &place, &along)) {
            Vec3d pull = subd(place, to);
            double length2 = fmax(dotd(along, along), 1e-300);
            pull = subd(pull, scaled(along, dotd(pull, along) / length2));
            to = addd(to, scaled(pull, penalty));
        }
        moved += distance2(to, points[k]);
        points[k] = to;
    }
    return moved;
}

// Points of a part that are as far as can be from each other.
static void spread(Comb *c, int slice, int part) {
    const FitSlices *s = c->slices;
    Vec3d *points = row(c, slice), middle = {0.0, 0.0, 0.0};
    double area = 0.0;
    for (int i = s->begin[slice]; i < s->begin[slice + 1]; ++i)
        if (s->part_of[i] == part) {
            middle = addd(middle, scaled(s->points[i], s->areas[i]));
            area += s->areas[i];
        }
    middle = scaled(middle, 1.0 / area);
    bool has_first = false;
    for (int k = 0; k < c->rods; ++k) {
        if (part_row(c, slice)[k] != part)
            continue;
        double most = -1.0;
        for (int i = s->begin[slice]; i < s->begin[slice + 1]; ++i) {
            if (s->part_of[i] != part)
                continue;
            double least = has_first ? HUGE_VAL : distance2(s->points[i], middle);
            for (int other = 0; other < k; ++other)
                if (part_row(c, slice)[other] == part)
                    least = fmin(least, distance2(points[other], s->points[i]));
            if (least > most) {
                most = least;
                points[k] = s->points[i];
            }
        }
        has_first = true;
    }
}

// The part of a slice that each of its places for a rod is in.
static void list_places(const Comb *c, int slice, int *parts) {
    const FitSlices *s = c->slices;
    int k = 0;
    for (int p = s->part_begin[slice]; p < s->part_begin[slice + 1]; ++p)
        for (int i = 0; i < s->part_rods[p]; ++i)
            parts[k++] = p;
}

static bool are_linked(const FitSlices *s, int lower_part, int upper_part) {
    return s->above[lower_part] == s->below[upper_part];
}

static double distance2_to_part(const FitSlices *s, int slice, int part, Vec3d x) {
    double least = HUGE_VAL;
    for (int i = s->begin[slice]; i < s->begin[slice + 1]; ++i)
        if (s->part_of[i] == part)
            least = fmin(least, distance2(s->points[i], x));
    return least;
}

// Gives every rod a part of the slice, the nearest ones if there are several.
static bool choose_parts(Comb *c, int from, int slice) {
    const FitSlices *s = c->slices;
    int *parts = part_row(c, slice), *places = c->order;
    list_places(c, slice, places);
    for (int k = 0; k < c->rods; ++k)
        for (int place = 0; place < c->rods; ++place) {
            int before = part_row(c, from)[k], part = places[place];
            bool linked = from < slice ? are_linked(s, before, part) : are_linked(s, part, before);
            double *cost = c->costs + (size_t)k * (size_t)c->rods + (size_t)place;
            if (place > 0 && places[place - 1] == part)
                *cost = cost[-1];
            else
                *cost = distance2_to_part(s, slice, part, row(c, from)[k]) +
                        (linked ? 0.0 : NO_WAY * s->length * s->length);
        }
    if (!sn__fit_match(c->memory, c->costs, c->rods, parts))
        return false;
    for (int k = 0; k < c->rods; ++k)
        parts[k] = places[parts[k]];
    return true;
}

// Starts a slice from the one beside it: the rods of each part keep their arrangement, moved and scaled
// to the new slice.
static bool carry_on(Comb *c, int from, int slice) {
    const FitSlices *s = c->slices;
    if (!choose_parts(c, from, slice))
        return false;
    const int *parts = part_row(c, slice);
    for (int p = s->part_begin[slice]; p < s->part_begin[slice + 1]; ++p) {
        Vec3d old = {0.0, 0.0, 0.0}, new = {0.0, 0.0, 0.0};
        double old_spread = 0.0, new_spread = 0.0;
        int count = s->part_rods[p];
        if (count == 0)
            continue;
        for (int k = 0; k < c->rods; ++k)
            if (parts[k] == p)
                old = addd(old, scaled(row(c, from)[k], 1.0 / count));
        for (int i = s->begin[slice]; i < s->begin[slice + 1]; ++i)
            if (s->part_of[i] == p)
                new = addd(new, scaled(s->points[i], s->areas[i] / s->part_areas[p]));
        for (int k = 0; k < c->rods; ++k)
            if (parts[k] == p)
                old_spread += distance2(row(c, from)[k], old) / count;
        for (int i = s->begin[slice]; i < s->begin[slice + 1]; ++i)
            if (s->part_of[i] == p)
                new_spread += distance2(s->points[i], new) * s->areas[i] / s->part_areas[p];
        double scale = old_spread > 0.0 ? fmin(2.0, sqrt(new_spread / old_spread)) : 1.0;
        for (int k = 0; k < c->rods; ++k)
            if (parts[k] == p)
                row(c, slice)[k] = addd(new, scaled(subd(row(c, from)[k], old), scale));
    }
    for (int i = 0; i < NEXT_ROUNDS; ++i)
        relax(c, slice, 0.0);
    return true;
}

static bool start(Comb *c) {
    const FitSlices *s = c->slices;
    int first = 0;
    double most = 0.0;
    for (int j = 0; j < s->count; ++j) {
        double area = 0.0;
        for (int p = s->part_begin[j]; p < s->part_begin[j + 1]; ++p)
            area += s->part_areas[p];
        // The largest one in one piece is the best to start from.
        area *= s->part_begin[j + 1] - s->part_begin[j] == 1 ? 1000.0 : 1.0;
        if (area > most) {
            most = area;
            first = j;
        }
    }
    list_places(c, first, part_row(c, first));
    for (int p = s->part_begin[first]; p < s->part_begin[first + 1]; ++p)
        if (s->part_rods[p] > 0)
            spread(c, first, p);
    for (int i = 0; i < START_ROUNDS; ++i)
        relax(c, first, 0.0);
    for (int j = first + 1; j < s->count; ++j)
        if (!carry_on(c, j - 1, j))
            return false;
    for (int j = first - 1; j >= 0; --j)
        if (!carry_on(c, j + 1, j))
            return false;
    return true;
}

// Gives the points of slice j + 1 to the rods that end in slice j, so that all these ways together are
// shortest. Squares of lengths are summed, not lengths as in the paper: in a row of rods, one that jumps
// over all others is as long as all of them shifted by one, and crosses them. -1: no memory, 0: nothing has changed.
static int match_next(Comb *c, int j) {
    size_t count = (size_t)c->rods;
    for (size_t a = 0; a < count; ++a)
        for (size_t b = 0; b < count; ++b) {
            bool linked = are_linked(c->slices, part_row(c, j)[a], part_row(c, j + 1)[b]);
            c->costs[a * count + b] =
                distance2(row(c, j)[a], row(c, j + 1)[b]) +
                (linked ? 0.0 : NO_WAY * c->slices->length * c->slices->length);
        }
    if (!sn__fit_match(c->memory, c->costs, c->rods, c->order))
        return -1;
    int changed = 0;
    for (size_t a = 0; a < count; ++a) {
        size_t b = (size_t)c->order[a];
        c->sums[a] = row(c, j + 1)[b];
        c->masses[a] = part_row(c, j + 1)[b];
        changed |= a != b;
    }
    for (size_t a = 0; a < count; ++a) {
        row(c, j + 1)[a] = c->sums[a];
        part_row(c, j + 1)[a] = (int)c->masses[a];
    }
    return changed;
}

// Moves points and changes rods in turn until neither does anything.
static bool alternate(Comb *c) {
    double small = 1e-8 * c->slices->length * c->slices->length;
    for (int i = 0; i < MOST_ALTERNATIONS; ++i) {
        int changed = 0;
        for (int j = 0; j + 1 < c->slices->count; ++j) {
            int answer = match_next(c, j);
            if (answer < 0)
                return false;
            changed |= answer;
        }
        double moved = 0.0;
        for (int j = 0; j < c->slices->count; ++j)
            moved += relax(c, j, LENGTH_PENALTY);
        if (!changed && moved < small * c->rods)
            break;
    }
    return true;
}

static bool create(FitMemory *memory, const FitSlices *slices, int rods, Comb *c) {
    size_t count = (size_t)rods, all = count * (size_t)slices->count;
    *c = (Comb){.slices = slices, .rods = rods, .memory = memory};
    c->points = sn__fit_alloc(memory, all, sizeof *c->points);
    c->parts = sn__fit_alloc(memory, all, sizeof *c->parts);
    c->masses = sn__fit_alloc(memory, count, sizeof *c->masses);
    c->sums = sn__fit_alloc(memory, count, sizeof *c->sums);
    c->order = sn__fit_alloc(memory, count, sizeof *c->order);
    c->costs = sn__fit_alloc(memory, count * count, sizeof *c->costs);
    return c->points && c->parts && c->masses && c->sums && c->order && c->costs;
}

// From slices of rods to rods over slices.
static void hand_out(const Comb *c, Vec3d *points, int *parts) {
    for (int j = 0; j < c->slices->count; ++j)
        for (int k = 0; k < c->rods; ++k) {
            size_t at = (size_t)k * (size_t)c->slices->count + (size_t)j;
            points[at] = row(c, j)[k];
            parts[at] = part_row(c, j)[k];
        }
}

bool sn__fit_comb(FitMemory *memory, const FitSlices *slices, int rods, Vec3d *out_points,
                  int *out_parts) {
    FitBlock *mark = memory->last;
    Comb c;
    bool good = create(memory, slices, rods, &c) && start(&c) && alternate(&c);
    if (good)
        hand_out(&c, out_points, out_parts);
    sn__fit_release(memory, mark);
    return good;
}

bool sn__fit_comb_again(FitMemory *memory, const FitSlices *slices, int rods, Vec3d *points,
                        int *parts, bool *out_changed) {
    FitBlock *mark = memory->last;
    Comb c;
    int changed = 0;
    bool good = create(memory, slices, rods, &c);
    for (int j = 0; good && j < slices->count; ++j)
        for (int k = 0; k < rods; ++k) {
            size_t at = (size_t)k * (size_t)slices->count + (size_t)j;
            row(&c, j)[k] = points[at];
            part_row(&c, j)[k] = parts[at];
        }
    for (int j = 0; good && j + 1 < slices->count; ++j) {
        int answer = match_next(&c, j);
        good = answer >= 0;
        changed |= answer;
    }
    if (good)
        hand_out(&c, points, parts);
    *out_changed = changed != 0;
    sn__fit_release(memory, mark);
    return good;
}
