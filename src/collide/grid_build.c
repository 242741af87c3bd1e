// Boxes into cells. Only those that changed their bucket are sorted, into parts of the table; a
// part then merges them with what stayed. When nothing left its cell, the order is kept as it is.
#include "collide/grid_data.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

// Boxes that are compared with all others sooner than hashed.
#define FEW_BOXES 24
#define MIN_BUCKETS 64

#define ASSIGN_GRAIN 2048
#define FILL_GRAIN 1024
// Boxes come in the order of cells: each lies elsewhere in memory, and is asked for so many places
// before it is needed.
#define FETCH_AHEAD 32

// What a worker counts.
typedef struct Tally {
    _Alignas(64) int counts[GRID_LEVELS];
    GridExtent extents[GRID_LEVELS];
} Tally;

typedef struct Build {
    Grid *grid;
    const GridBox *boxes;
    int count;
    bool fresh; // nothing is kept
} Build;

static float larger(float a, float b) { return a > b ? a : b; }

int sn__grid_level(const GridBox *box) {
    const float *low = box->low, *high = box->high;
    float size = larger(high[0] - low[0], larger(high[1] - low[1], high[2] - low[2]));
    float far_low = larger(fabsf(low[0]), larger(fabsf(low[1]), fabsf(low[2])));
    float far_high = larger(fabsf(high[0]), larger(fabsf(high[1]), fabsf(high[2])));
    float far = larger(far_low, far_high);
    bool ordered = (low[0] <= high[0]) & (low[1] <= high[1]) & (low[2] <= high[2]);
    if (!ordered || !(far <= FLT_MAX))
        return GRID_NO_LEVEL;
    // Far out cells need not be finer than floats are, and their coordinates stay small.
    float measure = larger(size, far * 0x1p-22f);
    uint32_t bits;
    memcpy(&bits, &measure, sizeof bits);
    int level = (int)(bits >> 23) - 126 - GRID_SMALLEST_EXPONENT;
    return level < 0 ? 0 : level < GRID_LEVELS ? level : GRID_LEVELS - 1;
}

static GridCell cell_of(const GridLevel *level, const GridBox *box) {
    if (level->bucket_count <= 1)
        return (GridCell){level->first_bucket, 0};
    int x = sn__grid_floor(box->low[0] * level->cells_per_metre);
    int y = sn__grid_floor(box->low[1] * level->cells_per_metre);
    int z = sn__grid_floor(box->low[2] * level->cells_per_metre);
    uint32_t tag = sn__grid_tag(x, y, z);
    return (GridCell){sn__grid_bucket(level, tag, x, y, z), tag};
}

// Boxes from `count` on were there last time and are gone.
static void assign_task(int begin, int end, int worker, void *context) {
    const Build *build = context;
    Grid *grid = build->grid;
    int *counts = ((Tally *)grid->tallies.data)[worker].counts;
    GridCell *cells = grid->cells.data;
    GridWriter *changes = sn__grid_writer(&grid->changes, worker);
    for (int i = begin; i < end; ++i) {
        int was = build->fresh || i >= grid->box_count ? -1 : cells[i].bucket;
        GridCell cell = {-1, 0};
        int level = i < build->count ? sn__grid_level(&build->boxes[i]) : GRID_NO_LEVEL;
        if (level != GRID_NO_LEVEL) {
            ++counts[level];
            cell = cell_of(&grid->levels[level], &build->boxes[i]);
        }
        cells[i] = cell;
        if (cell.bucket != was) {
            if (was >= 0)
                sn__grid_put(changes, was, ~i);
            if (cell.bucket >= 0)
                sn__grid_put(changes, cell.bucket, i);
        }
    }
}

// False without memory. Counts the boxes of each level and collects the changes.
static bool assign(Build *build, const SnTaskSystem *tasks, int64_t *out_changes) {
    Grid *grid = build->grid;
    if (!sn__grid_list_begin(&grid->changes, tasks->worker_count, build->count))
        return false;
    Tally *tallies = grid->tallies.data;
    memset(tallies, 0, (size_t)tasks->worker_count * sizeof *tallies);
    int count = build->fresh || build->count > grid->box_count ? build->count : grid->box_count;
    sn__grid_for(tasks, count, ASSIGN_GRAIN, assign_task, build);
    *out_changes = sn__grid_list_end(&grid->changes);
    for (int i = 0; i < GRID_LEVELS; ++i) {
        grid->levels[i].place_count = 0;
        for (int worker = 0; worker < tasks->worker_count; ++worker)
            grid->levels[i].place_count += tallies[worker].counts[i];
    }
    return true;
}

// Whether the tables are about as large as the levels ask for.
static bool tables_fit(const Grid *grid) {
    for (int i = 0; i < GRID_LEVELS; ++i) {
        const GridLevel *level = &grid->levels[i];
        int64_t count = level->place_count, hashes = (int64_t)level->mask + 1;
        bool fits = level->bucket_count == 0   ? count == 0
                    : level->bucket_count == 1 ? count <= 2 * FEW_BOXES || i == GRID_LEVELS - 1
                                               : count <= 2 * hashes && 8 * count >= hashes;
        if (!fits)
            return false;
    }
    return true;
}

static void make_tables(Grid *grid) {
    grid->bucket_count = 0;
    for (int i = 0; i < GRID_LEVELS; ++i) {
        GridLevel *level = &grid->levels[i];
        level->cells_per_metre = ldexpf(1.0f, -(i + GRID_SMALLEST_EXPONENT));
        level->first_bucket = grid->bucket_count;
        level->bucket_count = level->place_count > 0;
        level->mask = 0;
        if (level->place_count > FEW_BOXES && i < GRID_LEVELS - 1) {
            int hashes = MIN_BUCKETS;
            while (hashes < level->place_count)
                hashes *= 2;
            level->mask = (unsigned)hashes - 1;
            level->bucket_count = hashes + GRID_BLOCK_BUCKETS - 1;
        }
        grid->bucket_count += level->bucket_count;
    }
}

static void list_levels(Grid *grid) {
    grid->used_level_count = grid->place_count = 0;
    for (int i = 0; i < GRID_LEVELS; ++i) {
        grid->levels[i].first_place = grid->place_count;
        grid->place_count += grid->levels[i].place_count;
        if (grid->levels[i].place_count > 0)
            grid->used_levels[grid->used_level_count++] = i;
    }
}

static const GridExtent no_extent = {
    {INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, {0.0f, 0.0f, 0.0f}};

static inline void join_extent(GridExtent *extent, const float *low, const float *high,
                               const float *size) {
    for (int c = 0; c < 3; ++c) {
        extent->low[c] = low[c] < extent->low[c] ? low[c] : extent->low[c];
        extent->high[c] = larger(high[c], extent->high[c]);
        extent->size[c] = larger(size[c], extent->size[c]);
    }
}

// Copies boxes to their places, all of one level.
static void fill_level(const Build *build, int begin, int end, GridExtent *extent) {
    const GridPair *order = build->grid->order[build->grid->now].data;
    const GridCell *cells = build->grid->cells.data;
    GridGroup *groups = build->grid->groups.data;
    GridExtent all = no_extent;
    for (int place = begin; place < end; ++place) {
        int ahead = order[place + FETCH_AHEAD < end ? place + FETCH_AHEAD : place].b;
        __builtin_prefetch(&build->boxes[ahead]);
        __builtin_prefetch(&cells[ahead]);
        int number = order[place].b, lane = place % GRID_GROUP;
        assert(number >= 0 && number < build->count);
        GridGroup *group = &groups[place / GRID_GROUP];
        const GridBox box = build->boxes[number];
        float size[3];
        group->boxes[lane] = number;
        group->tags[lane] = cells[number].tag;
        for (int c = 0; c < 3; ++c) {
            group->low[c][lane] = box.low[c];
            group->high[c][lane] = box.high[c];
            size[c] = box.high[c] - box.low[c];
        }
        join_extent(&all, box.low, box.high, size);
    }
    join_extent(extent, all.low, all.high, all.size);
}

static void fill_task(int begin, int end, int worker, void *context) {
    const Build *build = context;
    const Grid *grid = build->grid;
    GridExtent *extents = ((Tally *)grid->tallies.data)[worker].extents;
    for (int k = 0; k < grid->used_level_count; ++k) {
        const GridLevel *level = &grid->levels[grid->used_levels[k]];
        int first = level->first_place, last = first + level->place_count;
        first = first > begin ? first : begin;
        last = last < end ? last : end;
        if (first < last)
            fill_level(build, first, last, &extents[grid->used_levels[k]]);
    }
}

static int part_end(const Grid *grid, int part) {
    int64_t end = ((int64_t)part + 1) << grid->changes.shift;
    return end < grid->bucket_count ? (int)end : grid->bucket_count;
}

// How many boxes each part has after the changes.
static void balance_task(int begin, int end, int worker, void *context) {
    (void)worker;
    const Build *build = context;
    const Grid *grid = build->grid;
    const GridPair *changes = grid->changes.parted.data;
    const int *change_starts = grid->changes.part_starts.data;
    const int *old_starts = grid->starts[!grid->now].data;
    int *places = grid->part_places.data;
    for (int part = begin; part < end; ++part) {
        int first = part << grid->changes.shift, count = 0;
        if (!build->fresh)
            count = old_starts[part_end(grid, part)] - old_starts[first];
        for (int i = change_starts[part]; i < change_starts[part + 1]; ++i)
            count += changes[i].b >= 0 ? 1 : -1;
        places[part + 1] = count;
        assert(count >= 0);
    }
}

// Turns the counts of a part's buckets into their starts; the counters are then where to put.
static void start_buckets(const Build *build, int part, int *counters) {
    const Grid *grid = build->grid;
    const GridPair *changes = grid->changes.parted.data;
    const int *change_starts = grid->changes.part_starts.data;
    const int *old_starts = grid->starts[!grid->now].data;
    int *starts = sn__grid_starts(grid), at = ((int *)grid->part_places.data)[part];
    int first = part << grid->changes.shift, count = part_end(grid, part) - first;
    if (build->fresh)
        memset(counters, 0, (size_t)count * sizeof *counters);
    else
        for (int k = 0; k < count; ++k)
            counters[k] = old_starts[first + k + 1] - old_starts[first + k];
    for (int i = change_starts[part]; i < change_starts[part + 1]; ++i)
        counters[changes[i].a - first] += changes[i].b >= 0 ? 1 : -1;
    for (int k = 0; k < count; ++k) {
        int in_bucket = counters[k];
        assert(in_bucket >= 0);
        starts[first + k] = counters[k] = at;
        at += in_bucket;
    }
    assert(at == ((int *)grid->part_places.data)[part + 1]);
}

static void place_task(int begin, int end, int worker, void *context) {
    const Build *build = context;
    const Grid *grid = build->grid;
    const GridPair *changes = grid->changes.parted.data, *old = grid->order[!grid->now].data;
    const int *change_starts = grid->changes.part_starts.data;
    const int *old_starts = grid->starts[!grid->now].data;
    const GridCell *cells = grid->cells.data;
    GridPair *order = grid->order[grid->now].data;
    int *counters = sn__grid_counters(&grid->changes, worker);
    for (int part = begin; part < end; ++part) {
        int first = part << grid->changes.shift;
        start_buckets(build, part, counters);
        if (!build->fresh)
            for (int i = old_starts[first]; i < old_starts[part_end(grid, part)]; ++i)
                if (cells[old[i].b].bucket == old[i].a)
                    order[counters[old[i].a - first]++] = old[i];
        for (int i = change_starts[part]; i < change_starts[part + 1]; ++i)
            if (changes[i].b >= 0)
                order[counters[changes[i].a - first]++] = changes[i];
        const int *places = grid->part_places.data;
        fill_task(places[part], places[part + 1], worker, context);
    }
}

static bool sort_changes(Build *build, const SnTaskSystem *tasks) {
    Grid *grid = build->grid;
    int next = !grid->now;
    if (!sn__grid_list_part(&grid->changes, tasks, grid->bucket_count))
        return false;
    size_t parts = (size_t)grid->changes.part_count, boxes = (size_t)build->count;
    if (!sn__grid_reserve(&grid->allocator, &grid->part_places, parts + 1, sizeof(int)) ||
        !sn__grid_reserve(&grid->allocator, &grid->order[next], boxes, sizeof(GridPair)) ||
        !sn__grid_reserve(&grid->allocator, &grid->starts[next], (size_t)grid->bucket_count + 1,
                          sizeof(int)))
        return false;
    grid->now = next;
    sn__grid_for(tasks, grid->changes.part_count, 1, balance_task, build);
    int *places = grid->part_places.data;
    places[0] = 0;
    for (size_t part = 0; part < parts; ++part)
        places[part + 1] += places[part];
    assert(places[parts] == grid->place_count);
    sn__grid_starts(grid)[grid->bucket_count] = grid->place_count;
    sn__grid_for(tasks, grid->changes.part_count, 1, place_task, build);
    return true;
}

static void join_extents(Grid *grid, int worker_count) {
    const Tally *tallies = grid->tallies.data;
    for (int k = 0; k < grid->used_level_count; ++k) {
        GridLevel *level = &grid->levels[grid->used_levels[k]];
        level->extent = no_extent;
        for (int worker = 0; worker < worker_count; ++worker) {
            const GridExtent *part = &tallies[worker].extents[grid->used_levels[k]];
            join_extent(&level->extent, part->low, part->high, part->size);
        }
        // Sizes were rounded; but a box is smaller than a cell.
        for (int c = 0; c < 3; ++c) {
            float size = level->extent.size[c] * level->cells_per_metre * (1.0f + 0x1p-20f);
            level->reach[c] = size < 1.0f ? size : 1.0f;
        }
    }
}

static bool reserve_boxes(Build *build, int worker_count) {
    Grid *grid = build->grid;
    size_t count = (size_t)(build->count > grid->box_count ? build->count : grid->box_count);
    build->fresh = count * sizeof(GridCell) > grid->cells.size;
    return sn__grid_reserve(&grid->allocator, &grid->cells, count, sizeof(GridCell)) &&
           sn__grid_reserve(&grid->allocator, &grid->groups, count / GRID_GROUP + 1,
                            sizeof(GridGroup)) &&
           sn__grid_reserve(&grid->allocator, &grid->tallies, (size_t)worker_count, sizeof(Tally));
}

bool sn__grid_build(Grid *grid, const SnTaskSystem *tasks, const GridBox *boxes, int count) {
    assert(count >= 0 && count <= GRID_MAX_BOXES && (boxes || count == 0));
    Build build = {grid, boxes, count, false};
    int64_t changes;
    if (!reserve_boxes(&build, tasks->worker_count) || !assign(&build, tasks, &changes))
        return false;
    // Too many changes for the list, or tables that no longer fit: from scratch.
    bool fits = tables_fit(grid);
    if (!fits || changes > count) {
        if (!fits)
            make_tables(grid);
        build.fresh = true;
        if (!assign(&build, tasks, &changes))
            return false;
    }
    list_levels(grid);
    Tally *tallies = grid->tallies.data;
    for (int worker = 0; worker < tasks->worker_count; ++worker)
        for (int i = 0; i < GRID_LEVELS; ++i)
            tallies[worker].extents[i] = no_extent;
    if (changes == 0 && !build.fresh)
        sn__grid_for(tasks, grid->place_count, FILL_GRAIN, fill_task, &build);
    else if (!sort_changes(&build, tasks))
        return false;
    join_extents(grid, tasks->worker_count);
    grid->box_count = count;
    return true;
}
