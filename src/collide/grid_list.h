// Lists of number pairs that many workers write at once and that are then sorted by their first
// number. The grid sorts its boxes by cell and its findings by box with it.
//
// A worker writes into blocks of a common pool, so that what a list needs depends on its length and
// the number of workers alone, not on who finds what. Sorting goes in two steps that both stay in
// the cache: all records into parts by their high bits, then every part on its own.
#pragma once

#include "collide/grid.h"

#include <assert.h>
#include <stdatomic.h>

#define GRID_BLOCK 4096 // records

// Memory that grows, and forgets what was in it when it does.
typedef struct GridBuffer {
    void *data;
    size_t size;
} GridBuffer;

bool sn__grid_reserve(const SnAllocator *allocator, GridBuffer *buffer, size_t count,
                      size_t element_size);
void sn__grid_release(const SnAllocator *allocator, GridBuffer *buffer);

static inline void sn__grid_for(const SnTaskSystem *tasks, int count, int grain, SnTask *task,
                                void *task_context) {
    if (count > 0)
        tasks->parallel_for(count, grain, task, task_context, tasks->context);
}

typedef struct GridList GridList;

// One per worker, on a cache line of its own.
typedef struct GridWriter {
    _Alignas(64) GridPair *at;
    GridPair *end;
    GridList *list;
    int block;    // −1: none yet
    int64_t lost; // records there was no room for
} GridWriter;

struct GridList {
    SnAllocator allocator;
    GridBuffer blocks, used; // the pool, and how many records each block has
    GridBuffer parted;       // all records, by part
    GridBuffer part_starts;  // into parted, part_count + 1
    GridBuffer cursors;      // atomic: records of a part so far
    GridBuffer counters;     // of each worker: as many as there are parts, or keys in a part
    GridBuffer writers;
    GridBuffer numbers; // second numbers by first, while sorting
    int worker_count, block_count, counter_count;
    atomic_int next_block;
    int shift, part_count; // part = key >> shift
};

// An empty list with room for `capacity` records; false without memory.
bool sn__grid_list_begin(GridList *list, int worker_count, int64_t capacity);
// How many records were put, those that found no room included.
int64_t sn__grid_list_end(GridList *list);
void sn__grid_list_free(GridList *list);

// Takes another block; false if there is none.
bool sn__grid_next_block(GridWriter *writer);

static inline GridWriter *sn__grid_writer(GridList *list, int worker) {
    assert(worker >= 0 && worker < list->worker_count);
    return (GridWriter *)list->writers.data + worker;
}

static inline void sn__grid_put(GridWriter *writer, int a, int b) {
    if (writer->at == writer->end && !sn__grid_next_block(writer))
        ++writer->lost;
    else
        *writer->at++ = (GridPair){a, b};
}

// Moves all records into parts, for keys below key_count; the order within a part is any.
bool sn__grid_list_part(GridList *list, const SnTaskSystem *tasks, int key_count);

// Sorts the records of one part: `numbers` has their second numbers by key, `ends` where those of
// each key end; the numbers may be spoilt.
typedef void GridOrder(const GridPair *from, GridPair *to, int count, const int *ends, int *numbers,
                       int first_key, int key_count);

// Sorts the parted records by a, then b, and returns them; NULL without memory.
const GridPair *sn__grid_list_sort(GridList *list, const SnTaskSystem *tasks, GridOrder *order);

static inline int *sn__grid_counters(const GridList *list, int worker) {
    assert(worker >= 0 && worker < list->worker_count);
    return (int *)list->counters.data + (size_t)worker * (size_t)list->counter_count;
}
