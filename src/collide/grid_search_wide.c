// Pairs out of cells. Every box looks through its own level and the coarser ones, so that it never
// has to visit more than a few rows of cells. In its own level it looks forward only: along rows
// that come after its own by z, then y, and in its own row at later places.
//
// It goes in three flat loops over a batch of boxes, because almost every branch of a search per
// box would be taken or not by chance: places to look at, boxes that overlap, pairs that pass.
#include "collide/grid_wide.h"
#include "math/lanes.h"

#include <string.h>

#define RUNS 512
#define HITS 1024
#define ROWS 5

typedef uint32_t LaneWords __attribute__((vector_size(4 * WIDE), may_alias));

// Places that the box at `place` may overlap, where they have the tag of the block that was meant.
typedef struct Run {
    int begin, end;
    uint32_t tag;
    int place;
} Run;

// What one worker is about.
typedef struct Seeker {
    const GridSearch *search;
    const GridGroup *groups;
    const int *starts;
    GridWriter *writer;
    int run_count, hit_count;
    Run runs[RUNS];
    int hits[HITS], seekers[HITS]; // numbers of boxes that overlap
} Seeker;

#if WIDE == 16 && defined(__AVX512F__)

// Bits of the lanes whose boxes overlap a box and have the tag.
INLINE unsigned overlaps(const GridGroup *group, int lane, const float *low, const float *high,
                         uint32_t tag) {
    __mmask16 below = 0xFFFF; // two chains, half as long
    __mmask16 above =
        _mm512_cmpeq_epi32_mask(_mm512_load_si512(group->tags + lane), _mm512_set1_epi32((int)tag));
    for (int c = 0; c < 3; ++c) {
        below = _mm512_mask_cmp_ps_mask(below, _mm512_load_ps(group->low[c] + lane),
                                        _mm512_set1_ps(high[c]), _CMP_LE_OQ);
        above = _mm512_mask_cmp_ps_mask(above, _mm512_load_ps(group->high[c] + lane),
                                        _mm512_set1_ps(low[c]), _CMP_GE_OQ);
    }
    return below & above;
}

#else

INLINE unsigned bits_of(LaneBits mask) {
#if WIDE == 8 && defined(__AVX2__)
    return (unsigned)_mm256_movemask_ps((__m256)mask);
#elif WIDE == 4 && defined(__SSE2__)
    return (unsigned)_mm_movemask_ps((__m128)mask);
#else
    unsigned bits = 0;
    for (int i = 0; i < WIDE; ++i)
        bits |= (unsigned)(mask[i] & 1) << i;
    return bits;
#endif
}

INLINE unsigned overlaps(const GridGroup *group, int lane, const float *low, const float *high,
                         uint32_t tag) {
    LaneBits mask = (LaneBits)(*(const LaneWords *)(group->tags + lane) == tag);
    for (int c = 0; c < 3; ++c)
        mask &= (LaneBits)(load(group->low[c] + lane) <= high[c]) &
                (LaneBits)(load(group->high[c] + lane) >= low[c]);
    return bits_of(mask);
}

#endif

// Appends the numbers of the boxes whose bits are set; returns how many. Writes WIDE.
INLINE int append(int *hits, int *seekers, const int *boxes, int seeker, unsigned bits) {
#if WIDE == 16 && defined(__AVX512F__)
    // Not the store that compresses, which is slow on some machines.
    __m512i packed = _mm512_maskz_compress_epi32((__mmask16)bits, _mm512_load_si512(boxes));
    _mm512_storeu_si512(hits, packed);
    _mm512_storeu_si512(seekers, _mm512_set1_epi32(seeker));
    return __builtin_popcount(bits);
#else
    int count = 0;
    for (; bits; bits &= bits - 1) {
        hits[count] = boxes[__builtin_ctz(bits)];
        seekers[count++] = seeker;
    }
    return count;
#endif
}

static void settle_hits(Seeker *seeker, int count) {
    const GridSearch *search = seeker->search;
    for (int i = 0; i < count; ++i) {
        int one = seeker->seekers[i], other = seeker->hits[i];
        int a = one < other ? one : other, b = one < other ? other : one;
        if (search->filter(a, b, search->context))
            sn__grid_put(seeker->writer, a, b);
    }
}

static void scan_runs(Seeker *seeker) {
    int count = seeker->hit_count;
    for (int i = 0; i < seeker->run_count; ++i) {
        const Run run = seeker->runs[i];
        const GridGroup *own = &seeker->groups[run.place / GRID_GROUP];
        int lane = run.place % GRID_GROUP, box = own->boxes[lane];
        const float low[3] = {own->low[0][lane], own->low[1][lane], own->low[2][lane]};
        const float high[3] = {own->high[0][lane], own->high[1][lane], own->high[2][lane]};
        // Places before the run and past its end are compared too, and cut off.
        for (int place = run.begin & -WIDE; place < run.end; place += WIDE) {
            const GridGroup *group = &seeker->groups[place / GRID_GROUP];
            int first = place % GRID_GROUP, left = run.end - place, skip = run.begin - place;
            unsigned bits = overlaps(group, first, low, high, run.tag);
            bits &= left < WIDE ? (1u << left) - 1 : ~0u;
            bits &= skip > 0 ? ~0u << skip : ~0u;
            count += append(seeker->hits + count, seeker->seekers + count, group->boxes + first,
                            box, bits);
            if (count > HITS - WIDE) {
                settle_hits(seeker, count);
                count = 0;
            }
        }
    }
    seeker->run_count = 0;
    seeker->hit_count = count;
}

INLINE void add_run(Seeker *seeker, int place, int begin, int end, uint32_t tag) {
    seeker->runs[seeker->run_count] = (Run){begin, end, tag, place};
    seeker->run_count += begin < end;
}

INLINE void add_row(Seeker *seeker, const GridLevel *level, int place, int first_x, int last_x,
                    int y, int z) {
    for (int x = first_x, last; x <= last_x; x = last + 1) {
        last = x | (GRID_BLOCK_X - 1);
        last = last < last_x ? last : last_x;
        uint32_t tag = sn__grid_tag(x, y, z);
        int bucket = sn__grid_bucket(level, tag, x, y, z);
        add_run(seeker, place, seeker->starts[bucket], seeker->starts[bucket + last - x + 1], tag);
    }
}

INLINE LaneBits lanes_floor(Lanes v) {
    LaneBits i = __builtin_convertvector(v, LaneBits);
    return i + (LaneBits)(v < __builtin_convertvector(i, Lanes));
}

// As sn__grid_tag.
INLINE LaneWords tags_of(LaneBits x, LaneBits y, LaneBits z) {
    LaneWords hash = (LaneWords)(x >> GRID_X_BITS) * 0x9E3779B1u +
                     (LaneWords)(y >> GRID_YZ_BITS) * 0x85EBCA77u +
                     (LaneWords)(z >> GRID_YZ_BITS) * 0xC2B2AE3Du;
    hash = (hash ^ hash >> 16) * 0x7FEB352Du;
    return hash ^ hash >> 15;
}

// As sn__grid_bucket.
INLINE LaneBits buckets_of(const GridLevel *level, LaneWords tag, LaneBits x, LaneBits y,
                           LaneBits z) {
    LaneBits row = (z & (GRID_BLOCK_YZ - 1)) * GRID_BLOCK_YZ + (y & (GRID_BLOCK_YZ - 1));
    LaneBits inside = row * GRID_BLOCK_X + (x & (GRID_BLOCK_X - 1));
    return (LaneBits)(tag & level->mask) + inside + level->first_bucket;
}

// The forward rows of WIDE boxes. A box is smaller than a cell, so there are no others.
typedef struct Rows {
    LaneBits y[ROWS], z[ROWS], bucket[ROWS];
    LaneBits reached[ROWS]; // all bits or none
    LaneWords tag[ROWS];
    LaneBits first_x, last_x, width; // cells; the width ends with the block
} Rows;

INLINE void find_rows(const GridGroup *group, int lane, const GridLevel *level, LaneBits meant,
                      Rows *rows) {
    LaneBits own[3], first[3], last[3];
    for (int c = 0; c < 3; ++c) {
        // 0 where another level's boxes are, or none.
        Lanes low = (Lanes)((LaneBits)load(group->low[c] + lane) & meant);
        Lanes high = (Lanes)((LaneBits)load(group->high[c] + lane) & meant);
        low *= level->cells_per_metre;
        own[c] = lanes_floor(low);
        first[c] = lanes_floor(low - level->reach[c]);
        last[c] = lanes_floor(high * level->cells_per_metre);
    }
    LaneBits up = (LaneBits)(last[1] > own[1]), down = (LaneBits)(first[1] < own[1]);
    LaneBits on = (LaneBits)(last[2] > own[2]), end = first[0] | (GRID_BLOCK_X - 1);
    LaneBits inside = (LaneBits)(last[0] < end);
    rows->first_x = first[0];
    rows->last_x = last[0];
    rows->width = ((inside & last[0]) | (~inside & end)) - first[0] + 1;
    static const int step_y[ROWS] = {0, 1, -1, 0, 1}, step_z[ROWS] = {0, 0, 1, 1, 1};
    const LaneBits reached[ROWS] = {~(up ^ up), up, on & down, on, on & up};
    for (int r = 0; r < ROWS; ++r) {
        rows->y[r] = own[1] + step_y[r];
        rows->z[r] = own[2] + step_z[r];
        rows->reached[r] = reached[r];
        rows->tag[r] = tags_of(first[0], rows->y[r], rows->z[r]);
        rows->bucket[r] = buckets_of(level, rows->tag[r], first[0], rows->y[r], rows->z[r]);
    }
}

// What the row has in its second block.
static void add_rest(Seeker *seeker, const GridLevel *level, const Rows *rows, int lane,
                     int place) {
    int x = rows->first_x[lane] + rows->width[lane], last = rows->last_x[lane];
    for (int r = 0; r < ROWS; ++r) {
        int from = seeker->run_count;
        if (rows->reached[r][lane])
            add_row(seeker, level, place, x, last, rows->y[r][lane], rows->z[r][lane]);
        // In its own row a box looks at later places only.
        if (r == 0 && seeker->run_count > from && seeker->runs[from].begin <= place) {
            seeker->runs[from].begin = place + 1;
            seeker->run_count = from + (place + 1 < seeker->runs[from].end);
        }
    }
}

// Boxes at the places from begin to end, within WIDE lanes.
static void add_own_level(Seeker *seeker, const GridLevel *level, int begin, int end) {
    const int *starts = seeker->starts;
    int base = begin & -WIDE;
    LaneBits places;
    for (int i = 0; i < WIDE; ++i)
        places[i] = base + i;
    LaneBits meant = (LaneBits)(places >= begin) & (LaneBits)(places < end);
    Rows rows;
    find_rows(&seeker->groups[base / GRID_GROUP], base % GRID_GROUP, level, meant, &rows);
    for (int place = begin; place < end; ++place) {
        int lane = place - base, width = rows.width[lane];
        for (int r = 0; r < ROWS; ++r) {
            int bucket = rows.bucket[r][lane], from = starts[bucket];
            int to = starts[bucket + width] & rows.reached[r][lane];
            if (r == 0)
                from = from > place ? from : place + 1;
            add_run(seeker, place, from, to, rows.tag[r][lane]);
        }
        if (rows.first_x[lane] + width <= rows.last_x[lane])
            add_rest(seeker, level, &rows, lane, place);
    }
}

static void add_coarser_level(Seeker *seeker, const GridLevel *level, int place) {
    if (level->bucket_count == 1) {
        add_run(seeker, place, level->first_place, level->first_place + level->place_count, 0);
        return;
    }
    const GridGroup *group = &seeker->groups[place / GRID_GROUP];
    int first[3], last[3], lane = place % GRID_GROUP;
    for (int c = 0; c < 3; ++c) {
        float low = group->low[c][lane] * level->cells_per_metre;
        first[c] = sn__grid_floor(low - level->reach[c]);
        last[c] = sn__grid_floor(group->high[c][lane] * level->cells_per_metre);
    }
    for (int z = first[2]; z <= last[2]; ++z)
        for (int y = first[1]; y <= last[1]; ++y)
            add_row(seeker, level, place, first[0], last[0], y, z);
}

static inline bool meets(const GridLevel *level, const GridGroup *group, int lane) {
    bool apart = false;
    for (int c = 0; c < 3; ++c)
        apart |= (level->extent.low[c] > group->high[c][lane]) |
                 (level->extent.high[c] < group->low[c][lane]);
    return !apart;
}

// Room for what a group of boxes, or one box at one level, may add.
INLINE void make_room(Seeker *seeker, int runs) {
    if (seeker->run_count > RUNS - runs)
        scan_runs(seeker);
}

// `used` says which of the used levels the places are in.
static void seek(Seeker *seeker, int used, int begin, int end) {
    const Grid *grid = seeker->search->grid;
    const GridLevel *own = &grid->levels[grid->used_levels[used]];
    make_room(seeker, WIDE * 2 * ROWS + 1);
    if (own->bucket_count > 1)
        add_own_level(seeker, own, begin, end);
    else
        for (int place = begin; place < end; ++place)
            add_run(seeker, place, place + 1, own->first_place + own->place_count, 0);
    for (int k = used + 1; k < grid->used_level_count; ++k) {
        const GridLevel *level = &grid->levels[grid->used_levels[k]];
        for (int place = begin; place < end; ++place) {
            make_room(seeker, 2 * 3 * 3 + 1);
            if (meets(level, &seeker->groups[place / GRID_GROUP], place % GRID_GROUP))
                add_coarser_level(seeker, level, place);
        }
    }
}

void WIDE_FUNCTION(grid_search)(int begin, int end, int worker, void *context) {
    const GridSearch *search = context;
    Grid *grid = search->grid;
    Seeker seeker;
    seeker.search = search;
    seeker.groups = grid->groups.data;
    seeker.starts = sn__grid_starts(grid);
    seeker.writer = sn__grid_writer(&grid->pairs, worker);
    seeker.run_count = seeker.hit_count = 0;
    for (int k = 0; k < grid->used_level_count; ++k) {
        const GridLevel *level = &grid->levels[grid->used_levels[k]];
        int first = level->first_place, last = first + level->place_count;
        first = first > begin ? first : begin;
        last = last < end ? last : end;
        for (int next; first < last && seeker.writer->lost <= INT32_MAX; first = next) {
            next = (first & -WIDE) + WIDE;
            next = next < last ? next : last;
            seek(&seeker, k, first, next);
        }
    }
    scan_runs(&seeker);
    settle_hits(&seeker, seeker.hit_count);
}
