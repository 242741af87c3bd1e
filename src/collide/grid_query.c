#include <assert.h>

#include "collide/grid_data.h"

// The smallest `capacity` numbers of those added, as a heap with the largest on top.
typedef struct Smallest {
    int *numbers;
    int capacity, count;
} Smallest;

static void sift_down(int *heap, int count, int at) {
    int number = heap[at];
    for (int child = 2 * at + 1; child < count; child = 2 * at + 1) {
        child += child + 1 < count && heap[child + 1] > heap[child];
        if (heap[child] <= number)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = number;
}

static void add(Smallest *smallest, int number) {
    int *heap = smallest->numbers;
    if (smallest->count < smallest->capacity) {
        int at = smallest->count++;
        for (; at > 0 && heap[(at - 1) / 2] < number; at = (at - 1) / 2)
            heap[at] = heap[(at - 1) / 2];
        heap[at] = number;
    } else if (smallest->count > 0 && number < heap[0]) {
        heap[0] = number;
        sift_down(heap, smallest->count, 0);
    }
}

static void sort(Smallest *smallest) {
    int *heap = smallest->numbers;
    for (int count = smallest->count - 1; count > 0; --count) {
        int largest = heap[0];
        heap[0] = heap[count];
        sift_down(heap, count, 0);
        heap[count] = largest;
    }
}

static bool overlaps(const GridGroup *group, int lane, const GridBox *box) {
    bool apart = false;
    for (int c = 0; c < 3; ++c)
        apart |= group->low[c][lane] > box->high[c] || group->high[c][lane] < box->low[c];
    return !apart;
}

// A cell's coordinate, kept where an int has room and no box lies beyond.
static int cell_at(float v) {
    const float most = 0x1p23f;
    v = v < most ? v : most;
    v = v > -most ? v : -most;
    int cell = (int)v;
    return cell - (v < (float)cell);
}

// Adds what overlaps among places, in one cell or in all; returns how many. A box of any size may
// meet blocks with the same tag, so the cell is compared.
static int scan(const Grid *grid, const GridLevel *level, int begin, int end, const GridBox *box,
                const int *cell, Smallest *smallest) {
    const GridGroup *groups = grid->groups.data;
    assert(begin >= 0 && begin <= end && end <= grid->place_count);
    int found = 0;
    for (int place = begin; place < end; ++place) {
        const GridGroup *group = &groups[place / GRID_GROUP];
        int lane = place % GRID_GROUP;
        bool here = overlaps(group, lane, box);
        for (int c = 0; c < 3 && here && cell; ++c)
            here = cell_at(group->low[c][lane] * level->cells_per_metre) == cell[c];
        if (here) {
            ++found;
            add(smallest, group->boxes[lane]);
        }
    }
    return found;
}

static int query_level(const Grid *grid, const GridLevel *level, const GridBox *box,
                       Smallest *smallest) {
    const int *starts = sn__grid_starts(grid);
    int low[3], high[3], first = level->first_place, last = first + level->place_count, found = 0;
    double cells = 1.0;
    for (int c = 0; c < 3; ++c) {
        low[c] = cell_at(box->low[c] * level->cells_per_metre - level->reach[c]);
        high[c] = cell_at(box->high[c] * level->cells_per_metre);
        cells *= (double)high[c] - (double)low[c] + 1.0;
    }
    // A box of many cells is compared with all sooner.
    if (level->bucket_count == 1 || cells > (double)level->place_count)
        return scan(grid, level, first, last, box, NULL, smallest);
    int cell[3];
    for (cell[2] = low[2]; cell[2] <= high[2]; ++cell[2])
        for (cell[1] = low[1]; cell[1] <= high[1]; ++cell[1])
            for (cell[0] = low[0]; cell[0] <= high[0]; ++cell[0]) {
                uint32_t tag = sn__grid_tag(cell[0], cell[1], cell[2]);
                int bucket = sn__grid_bucket(level, tag, cell[0], cell[1], cell[2]);
                found += scan(grid, level, starts[bucket], starts[bucket + 1], box, cell, smallest);
            }
    return found;
}

int sn__grid_query(const Grid *grid, const GridBox *box, int *out_boxes, int capacity) {
    assert(capacity == 0 || (capacity > 0 && out_boxes));
    Smallest smallest = {out_boxes, capacity, 0};
    int found = 0;
    if (sn__grid_level(box) == GRID_NO_LEVEL)
        return 0;
    for (int k = 0; k < grid->used_level_count; ++k)
        found += query_level(grid, &grid->levels[grid->used_levels[k]], box, &smallest);
    sort(&smallest);
    return found;
}
