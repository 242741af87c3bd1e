#include "collide/grid_list.h"

#include <assert.h>
#include <string.h>

// Keys per part: their counters fit into a quarter of the first cache, their records into the
// second.
#define MIN_SHIFT 11
// Numbers that the last step may read past the end of a part.
#define OVERREAD 16

bool sn__grid_reserve(const SnAllocator *allocator, GridBuffer *buffer, size_t count,
                      size_t element_size) {
    if (count > SIZE_MAX / 2 / element_size)
        return false;
    size_t size = count * element_size;
    if (size <= buffer->size && buffer->data)
        return true;
    // Half as much again as before, so that slow growth does not allocate at every call.
    size_t grown = buffer->size + buffer->size / 2;
    sn__grid_release(allocator, buffer);
    size = size > grown ? size : grown;
    buffer->data = sn__alloc(allocator, size);
    buffer->size = buffer->data ? size : 0;
    return buffer->data != NULL;
}

void sn__grid_release(const SnAllocator *allocator, GridBuffer *buffer) {
    sn__free(allocator, buffer->data, buffer->size);
    *buffer = (GridBuffer){0};
}

bool sn__grid_list_begin(GridList *list, int worker_count, int64_t capacity) {
    assert(worker_count >= 1 && capacity >= 0);
    // Every worker may leave one block unfilled.
    int64_t blocks = capacity / GRID_BLOCK + worker_count;
    size_t block_count = (size_t)blocks;
    if (blocks > INT32_MAX / 2 ||
        !sn__grid_reserve(&list->allocator, &list->blocks, block_count * GRID_BLOCK,
                          sizeof(GridPair)) ||
        !sn__grid_reserve(&list->allocator, &list->used, block_count, sizeof(int)) ||
        !sn__grid_reserve(&list->allocator, &list->writers, (size_t)worker_count,
                          sizeof(GridWriter)))
        return false;
    list->worker_count = worker_count;
    // What was rounded up is of use too.
    size_t room = list->blocks.size / (GRID_BLOCK * sizeof(GridPair));
    size_t room_used = list->used.size / sizeof(int);
    list->block_count = (int)(room < room_used ? room : room_used);
    atomic_store(&list->next_block, 0);
    for (int i = 0; i < worker_count; ++i)
        *sn__grid_writer(list, i) = (GridWriter){.list = list, .block = -1};
    return true;
}

static void close_block(GridWriter *writer) {
    GridList *list = writer->list;
    if (writer->block >= 0) {
        const GridPair *first = (GridPair *)list->blocks.data + (size_t)writer->block * GRID_BLOCK;
        assert(writer->at >= first && writer->at <= first + GRID_BLOCK);
        ((int *)list->used.data)[writer->block] = (int)(writer->at - first);
    }
}

bool sn__grid_next_block(GridWriter *writer) {
    assert(writer->at == writer->end);
    GridList *list = writer->list;
    // Looking before taking keeps the counter small, however much there is no room for.
    if (atomic_load_explicit(&list->next_block, memory_order_relaxed) >= list->block_count)
        return false;
    int block = atomic_fetch_add_explicit(&list->next_block, 1, memory_order_relaxed);
    if (block >= list->block_count)
        return false;
    close_block(writer);
    writer->block = block;
    writer->at = (GridPair *)list->blocks.data + (size_t)block * GRID_BLOCK;
    writer->end = writer->at + GRID_BLOCK;
    return true;
}

int64_t sn__grid_list_end(GridList *list) {
    int64_t total = 0;
    int taken = atomic_load(&list->next_block);
    list->block_count = taken < list->block_count ? taken : list->block_count;
    for (int i = 0; i < list->worker_count; ++i) {
        close_block(sn__grid_writer(list, i));
        total += sn__grid_writer(list, i)->lost;
    }
    for (int i = 0; i < list->block_count; ++i)
        total += ((int *)list->used.data)[i];
    return total;
}

void sn__grid_list_free(GridList *list) {
    GridBuffer *buffers[] = {&list->blocks,  &list->used,     &list->parted,  &list->part_starts,
                             &list->cursors, &list->counters, &list->writers, &list->numbers};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; ++i)
        sn__grid_release(&list->allocator, buffers[i]);
}

static int *count_block(const GridList *list, int block, int worker) {
    int *counters = sn__grid_counters(list, worker);
    const GridPair *records = (GridPair *)list->blocks.data + (size_t)block * GRID_BLOCK;
    int used = ((int *)list->used.data)[block];
    assert(used >= 0 && used <= GRID_BLOCK && list->part_count <= list->counter_count);
    memset(counters, 0, (size_t)list->part_count * sizeof *counters);
    for (int i = 0; i < used; ++i)
        ++counters[records[i].a >> list->shift];
    return counters;
}

static void count_task(int begin, int end, int worker, void *context) {
    const GridList *list = context;
    atomic_int *cursors = list->cursors.data;
    for (int block = begin; block < end; ++block) {
        const int *counters = count_block(list, block, worker);
        for (int part = 0; part < list->part_count; ++part)
            if (counters[part])
                atomic_fetch_add_explicit(&cursors[part], counters[part], memory_order_relaxed);
    }
}

// A block takes its places in every part at once, so that workers meet per block, not per record.
static void part_task(int begin, int end, int worker, void *context) {
    const GridList *list = context;
    atomic_int *cursors = list->cursors.data;
    GridPair *parted = list->parted.data;
    for (int block = begin; block < end; ++block) {
        int *places = count_block(list, block, worker);
        for (int part = 0; part < list->part_count; ++part)
            if (places[part])
                places[part] =
                    atomic_fetch_add_explicit(&cursors[part], places[part], memory_order_relaxed);
        const GridPair *records = (GridPair *)list->blocks.data + (size_t)block * GRID_BLOCK;
        int used = ((int *)list->used.data)[block];
        for (int i = 0; i < used; ++i)
            parted[places[records[i].a >> list->shift]++] = records[i];
    }
}

static bool reserve_parts(GridList *list, int key_count) {
    assert(key_count >= 0);
    list->shift = MIN_SHIFT;
    while ((int64_t)1 << 2 * list->shift < key_count)
        ++list->shift;
    list->part_count = (key_count >> list->shift) + 1;
    int keys = 1 << list->shift;
    list->counter_count = list->part_count > keys ? list->part_count : keys;
    size_t parts = (size_t)list->part_count;
    return sn__grid_reserve(&list->allocator, &list->part_starts, parts + 1, sizeof(int)) &&
           sn__grid_reserve(&list->allocator, &list->cursors, parts, sizeof(atomic_int)) &&
           sn__grid_reserve(&list->allocator, &list->parted, list->blocks.size, 1) &&
           sn__grid_reserve(&list->allocator, &list->counters,
                            (size_t)list->worker_count * (size_t)list->counter_count, sizeof(int));
}

bool sn__grid_list_part(GridList *list, const SnTaskSystem *tasks, int key_count) {
    if (!reserve_parts(list, key_count))
        return false;
    atomic_int *cursors = list->cursors.data;
    int *starts = list->part_starts.data;
    for (int part = 0; part < list->part_count; ++part)
        atomic_store_explicit(&cursors[part], 0, memory_order_relaxed);
    sn__grid_for(tasks, list->block_count, 1, count_task, list);
    starts[0] = 0;
    for (int part = 0; part < list->part_count; ++part) {
        int count = atomic_load_explicit(&cursors[part], memory_order_relaxed);
        atomic_store_explicit(&cursors[part], starts[part], memory_order_relaxed);
        starts[part + 1] = starts[part] + count;
    }
    sn__grid_for(tasks, list->block_count, 1, part_task, list);
    return true;
}

typedef struct Sort {
    const GridList *list;
    GridOrder *order;
    size_t room; // of a worker's numbers; 0: every part has a place of its own
} Sort;

static int *numbers_of(const Sort *sort, int worker, int part) {
    const int *starts = sort->list->part_starts.data;
    size_t of_part = (size_t)starts[part] + (size_t)part * OVERREAD;
    return (int *)sort->list->numbers.data + (sort->room ? (size_t)worker * sort->room : of_part);
}

static void sort_task(int begin, int end, int worker, void *context) {
    const Sort *sort = context;
    const GridList *list = sort->list;
    const int *starts = list->part_starts.data;
    int *counters = sn__grid_counters(list, worker), keys = 1 << list->shift;
    for (int part = begin; part < end; ++part) {
        int count = starts[part + 1] - starts[part], first_key = part << list->shift, at = 0;
        const GridPair *from = (GridPair *)list->parted.data + starts[part];
        int *numbers = numbers_of(sort, worker, part);
        memset(counters, 0, (size_t)keys * sizeof *counters);
        for (int i = 0; i < count; ++i)
            ++counters[from[i].a - first_key];
        for (int k = 0; k < keys; ++k) {
            int of_key = counters[k];
            counters[k] = at;
            at += of_key;
        }
        assert(at == count);
        for (int i = 0; i < count; ++i)
            numbers[counters[from[i].a - first_key]++] = from[i].b;
        // Each counter now stands at the end of its key's numbers; the blocks are free.
        GridPair *to = (GridPair *)list->blocks.data + starts[part];
        sort->order(from, to, count, counters, numbers, first_key, keys);
    }
}

const GridPair *sn__grid_list_sort(GridList *list, const SnTaskSystem *tasks, GridOrder *order) {
    const int *starts = list->part_starts.data;
    int most = 0;
    for (int part = 0; part < list->part_count; ++part)
        most = starts[part + 1] - starts[part] > most ? starts[part + 1] - starts[part] : most;
    // Numbers live for one part only: a worker's stay in its cache. Where nearly all are in one part,
    // that would be more memory than there are numbers.
    Sort sort = {list, order, (size_t)most + OVERREAD};
    size_t of_workers = (size_t)list->worker_count * sort.room;
    size_t of_parts = (size_t)starts[list->part_count] + (size_t)list->part_count * OVERREAD;
    if (of_workers > of_parts)
        sort.room = 0;
    if (!sn__grid_reserve(&list->allocator, &list->numbers, sort.room ? of_workers : of_parts,
                          sizeof(int)))
        return NULL;
    sn__grid_for(tasks, list->part_count, 1, sort_task, &sort);
    return list->blocks.data;
}
