#include "fit/regions.h"

#include <stdlib.h>
#include <string.h>

// Rounds of Lloyd's method at most, and when it is done: no centre moves by more than this part of the
// distance between centres.
#define ROUNDS 80
#define AT_REST 0.004

// A part that is smaller than this share of a region has none.
#define SMALLEST_PART 0.25

// Turns of the power method on the way to a longest axis.
#define AXIS_TURNS 12

bool sn__fit_create_regions(FitMemory *memory, const FitPieces *pieces, int count,
                            FitRegions *out) {
    *out = (FitRegions){.count = count};
    out->owner = sn__fit_alloc(memory, (size_t)pieces->count, sizeof *out->owner);
    out->centres = sn__fit_alloc(memory, (size_t)count, sizeof *out->centres);
    out->weights = sn__fit_alloc(memory, (size_t)count, sizeof *out->weights);
    out->seeds = sn__fit_alloc(memory, (size_t)count, sizeof *out->seeds);
    if (out->owner == NULL || out->centres == NULL || out->weights == NULL || out->seeds == NULL)
        return false;
    for (int i = 0; i < pieces->count; ++i)
        out->owner[i] = -1;
    return true;
}

static double square(Vec3d a) { return dotd(a, a); }

void sn__fit_weigh_regions(const FitPieces *pieces, FitRegions *r) {
    double sum = 0.0;
    for (int k = 0; k < r->count; ++k) {
        r->centres[k] = (Vec3d){0.0, 0.0, 0.0};
        r->weights[k] = 0.0;
        r->seeds[k] = -1;
    }
    for (int i = 0; i < pieces->count; ++i) {
        int k = r->owner[i];
        if (k < 0)
            continue;
        r->centres[k] = addd(r->centres[k], scaled(pieces->centres[i], pieces->weights[i]));
        r->weights[k] += pieces->weights[i];
        sum += pieces->weights[i];
    }
    for (int k = 0; k < r->count; ++k)
        r->centres[k] = scaled(r->centres[k], 1.0 / r->weights[k]);
    for (int i = 0; i < pieces->count; ++i) {
        int k = r->owner[i];
        if (k >= 0 &&
            (r->seeds[k] < 0 || square(subd(pieces->centres[i], r->centres[k])) <
                                    square(subd(pieces->centres[r->seeds[k]], r->centres[k]))))
            r->seeds[k] = i;
    }
    for (int k = 0; k < r->count; ++k)
        r->weights[k] *= pieces->total / sum;
}

// A piece and how far along an axis it is.
typedef struct Place {
    double along;
    int piece;
} Place;

static int by_place(const void *a, const void *b) {
    const Place *p = a, *q = b;
    if (p->along != q->along)
        return p->along < q->along ? -1 : 1;
    return p->piece - q->piece;
}

// The direction in which pieces spread most.
static Vec3d longest_axis(const FitPieces *pieces, const Place *list, int count) {
    Vec3d centre = {0.0, 0.0, 0.0}, axis = {0.36, 0.48, 0.8};
    double weight = 0.0, m[6] = {0};
    for (int i = 0; i < count; ++i) {
        double w = pieces->weights[list[i].piece];
        centre = addd(centre, scaled(pieces->centres[list[i].piece], w));
        weight += w;
    }
    centre = scaled(centre, 1.0 / weight);
    for (int i = 0; i < count; ++i) {
        double w = pieces->weights[list[i].piece];
        Vec3d d = subd(pieces->centres[list[i].piece], centre);
        m[0] += w * d.x * d.x;
        m[1] += w * d.y * d.y;
        m[2] += w * d.z * d.z;
        m[3] += w * d.y * d.z;
        m[4] += w * d.z * d.x;
        m[5] += w * d.x * d.y;
    }
    for (int turn = 0; turn < AXIS_TURNS; ++turn) {
        Vec3d next = {m[0] * axis.x + m[5] * axis.y + m[4] * axis.z,
                      m[5] * axis.x + m[1] * axis.y + m[3] * axis.z,
                      m[4] * axis.x + m[3] * axis.y + m[2] * axis.z};
        double length = lengthd(next);
        if (!(length > 0.0))
            break;
        axis = scaled(next, 1.0 / length);
    }
    return axis;
}

// Halves a list of pieces across its longest axis until each half is for one region.
static void split(const FitPieces *pieces, Place *list, int count, int first, int regions,
                  int *owner) {
    while (regions > 1) {
        Vec3d axis = longest_axis(pieces, list, count);
        double total = 0.0, passed = 0.0;
        for (int i = 0; i < count; ++i) {
            list[i].along = dotd(pieces->centres[list[i].piece], axis);
            total += pieces->weights[list[i].piece];
        }
        qsort(list, (size_t)count, sizeof *list, by_place);
        int low = regions / 2, cut = 0;
        while (cut < count - (regions - low) && (cut < low || passed < total * low / regions))
            passed += pieces->weights[list[cut++].piece];
        split(pieces, list, cut, first, low, owner);
        list += cut;
        count -= cut;
        first += low;
        regions -= low;
    }
    for (int i = 0; i < count; ++i)
        owner[list[i].piece] = first;
}

// How many regions each part gets: by weight, the rest to those that are owed most; none for what is too
// small. `counts` are zero. False: no memory.
static bool share_regions(FitMemory *memory, const FitPieces *pieces, const int *sizes, int wanted,
                          int *counts) {
    FitBlock *mark = memory->last;
    double *weights = sn__fit_alloc(memory, (size_t)pieces->part_count, sizeof *weights);
    Place *order = sn__fit_alloc(memory, (size_t)pieces->part_count, sizeof *order);
    if (weights == NULL || order == NULL)
        return false;
    for (int i = 0; i < pieces->count; ++i)
        weights[pieces->parts[i]] += pieces->weights[i];
    for (int p = 0; p < pieces->part_count; ++p)
        order[p] = (Place){-weights[p], p};
    qsort(order, (size_t)pieces->part_count, sizeof *order, by_place);
    double served = 0.0;
    int parts = 0;
    while (parts < pieces->part_count && parts < wanted &&
           (parts == 0 || -order[parts].along >= SMALLEST_PART * pieces->total / wanted))
        served -= order[parts++].along;
    int left = wanted;
    for (int k = 0; k < parts; ++k) {
        int p = order[k].piece, share = (int)(wanted * weights[p] / served);
        counts[p] = share > 1 ? share : 1;
        left -= counts[p];
        order[k].along = counts[p] - wanted * weights[p] / served;
    }
    // One too many here and there, where a small part has its own: the largest gives them.
    for (; left < 0; ++left) {
        int most = order[0].piece;
        for (int k = 1; k < parts; ++k)
            most = counts[order[k].piece] > counts[most] ? order[k].piece : most;
        --counts[most];
    }
    qsort(order, (size_t)parts, sizeof *order, by_place);
    for (int k = 0; left > 0 && parts > 0; k = (k + 1) % parts, --left)
        ++counts[order[k].piece];
    // Every region has a piece at least.
    for (int k = 0; k < parts; ++k)
        if (counts[order[k].piece] > sizes[order[k].piece])
            counts[order[k].piece] = sizes[order[k].piece];
    sn__fit_release(memory, mark);
    return true;
}

// Regions to begin with. False: no memory.
static bool place_regions(FitMemory *memory, const FitPieces *pieces, int wanted, FitRegions *r) {
    size_t parts = (size_t)pieces->part_count;
    int *counts = sn__fit_alloc(memory, parts, sizeof *counts);
    int *begin = sn__fit_alloc(memory, parts + 2, sizeof *begin);
    Place *list = sn__fit_alloc(memory, (size_t)pieces->count, sizeof *list);
    if (counts == NULL || begin == NULL || list == NULL)
        return false;
    for (int i = 0; i < pieces->count; ++i)
        ++begin[pieces->parts[i] + 2];
    int *sizes = begin + 2;
    if (!share_regions(memory, pieces, sizes, wanted, counts))
        return false;
    for (size_t p = 0; p < parts; ++p)
        begin[p + 2] += begin[p + 1];
    for (int i = 0; i < pieces->count; ++i)
        list[begin[pieces->parts[i] + 1]++].piece = i;
    int count = 0, left_out = 0;
    for (size_t p = 0; p < parts; ++p) {
        count += counts[p];
        left_out += counts[p] == 0;
    }
    if (!sn__fit_create_regions(memory, pieces, count, r))
        return false;
    r->left_out = left_out;
    int first = 0;
    for (size_t p = 0; p < parts; ++p) {
        if (counts[p] > 0)
            split(pieces, list + begin[p], begin[p + 1] - begin[p], first, counts[p], r->owner);
        first += counts[p];
    }
    sn__fit_weigh_regions(pieces, r);
    return true;
}

// Room for spreading regions: squared distances from centres, and a ring of pieces to look at.
typedef struct Spread {
    double *distances;
    int *ring;
    bool *waits;
    int begin, size, capacity;
} Spread;

static void wait_for(Spread *s, int piece) {
    if (s->waits[piece])
        return;
    s->waits[piece] = true;
    int at = s->begin + s->size++;
    s->ring[at < s->capacity ? at : at - s->capacity] = piece;
}

static int next_waiting(Spread *s) {
    int piece = s->ring[s->begin];
    s->begin = s->begin + 1 < s->capacity ? s->begin + 1 : 0;
    --s->size;
    s->waits[piece] = false;
    return piece;
}

// Gives pieces that wait to their neighbours, as far as those are farther from the centre they have.
static void spread(const FitPieces *pieces, FitRegions *r, Spread *s) {
    while (s->size > 0) {
        int i = next_waiting(s), k = r->owner[i];
        for (int n = pieces->begin[i]; n < pieces->begin[i + 1]; ++n) {
            int other = pieces->neighbours[n];
            double distance = square(subd(pieces->centres[other], r->centres[k]));
            if (!(distance < s->distances[other]))
                continue;
            s->distances[other] = distance;
            r->owner[other] = k;
            wait_for(s, other);
        }
    }
}

// Gives every piece to the nearest centre.
static void assign(const FitPieces *pieces, FitRegions *r, Spread *s) {
    for (int i = 0; i < pieces->count; ++i) {
        r->owner[i] = -1;
        s->distances[i] = HUGE_VAL;
    }
    // A region never loses its seed, so that none vanishes.
    for (int k = 0; k < r->count; ++k) {
        r->owner[r->seeds[k]] = k;
        s->distances[r->seeds[k]] = -1.0;
        wait_for(s, r->seeds[k]);
    }
    spread(pieces, r, s);
}

// What a region has lost touch with goes to those around it.
static void collect(const FitPieces *pieces, FitRegions *r, Spread *s) {
    for (int i = 0; i < pieces->count; ++i)
        s->distances[i] = HUGE_VAL;
    for (int k = 0; k < r->count; ++k) {
        s->distances[r->seeds[k]] = 0.0;
        wait_for(s, r->seeds[k]);
    }
    while (s->size > 0) {
        int i = next_waiting(s);
        for (int n = pieces->begin[i]; n < pieces->begin[i + 1]; ++n) {
            int other = pieces->neighbours[n];
            if (r->owner[other] == r->owner[i] && s->distances[other] > 0.0) {
                s->distances[other] = 0.0;
                wait_for(s, other);
            }
        }
    }
    for (int i = 0; i < pieces->count; ++i)
        if (s->distances[i] > 0.0)
            r->owner[i] = -1;
        else
            wait_for(s, i);
    spread(pieces, r, s);
}

bool sn__fit_make_regions(FitMemory *memory, const FitPieces *pieces, int wanted, FitTold *told,
                          double from, double to, FitRegions *out) {
    size_t count = (size_t)pieces->count;
    Spread s = {.distances = sn__fit_alloc(memory, count, sizeof *s.distances),
                .ring = sn__fit_alloc(memory, count, sizeof *s.ring),
                .waits = sn__fit_alloc(memory, count, sizeof *s.waits),
                .capacity = pieces->count};
    if (s.distances == NULL || s.ring == NULL || s.waits == NULL ||
        !place_regions(memory, pieces, wanted, out))
        return false;
    double mean = pieces->total / out->count;
    double spacing = pieces->dimension == 3 ? cbrt(mean) : sqrt(mean);
    Vec3d *before = sn__fit_alloc(memory, (size_t)out->count, sizeof *before);
    if (before == NULL)
        return false;
    for (int round = 0; round < ROUNDS; ++round) {
        memcpy(before, out->centres, (size_t)out->count * sizeof *before);
        assign(pieces, out, &s);
        sn__fit_weigh_regions(pieces, out);
        double farthest = 0.0;
        for (int k = 0; k < out->count; ++k)
            farthest = fmax(farthest, lengthd(subd(out->centres[k], before[k])));
        if (farthest < AT_REST * spacing ||
            !sn__fit_go_on(told, "share", from + (to - from) * (round + 1.0) / ROUNDS))
            break;
    }
    collect(pieces, out, &s);
    sn__fit_weigh_regions(pieces, out);
    return true;
}

static int by_pair(const void *a, const void *b) {
    const FitContact *p = a, *q = b;
    return p->a != q->a ? p->a - q->a : p->b - q->b;
}

FitContact *sn__fit_region_contacts(FitMemory *memory, const FitPieces *pieces, const FitRegions *r,
                                    int *out_count) {
    // Every pair of pieces is there twice, and counts where the first has the lower region.
    size_t most = (size_t)pieces->begin[pieces->count] / 2 + 1;
    FitContact *list = sn__fit_alloc(memory, most, sizeof *list);
    if (list == NULL)
        return NULL;
    int count = 0, kept = 0;
    for (int i = 0; i < pieces->count; ++i)
        for (int n = pieces->begin[i]; n < pieces->begin[i + 1]; ++n) {
            int j = pieces->neighbours[n], a = r->owner[i], b = r->owner[j];
            Vec3d way = subd(pieces->centres[j], pieces->centres[i]);
            double length = lengthd(way), size = pieces->contacts[n];
            if (a >= 0 && a < b)
                list[count++] =
                    (FitContact){a, b, size, scaled(way, length > 0.0 ? size / length : 0.0)};
        }
    qsort(list, (size_t)count, sizeof *list, by_pair);
    for (int i = 0; i < count; ++i)
        if (kept > 0 && list[kept - 1].a == list[i].a && list[kept - 1].b == list[i].b) {
            list[kept - 1].size += list[i].size;
            list[kept - 1].face = addd(list[kept - 1].face, list[i].face);
        } else {
            list[kept++] = list[i];
        }
    *out_count = kept;
    return list;
}
