// Slots with generations: the index and generation of every public id come from here.
//
// Indices are 1-based, so that the zero id is null; arrays kept beside the pool use index − 1. The
// slot that was released last is given out first: the order depends on nothing but the calls.
#pragma once

#include <sinew/base.h>

typedef struct IdSlot {
    uint32_t generation; // odd while the slot is in use, even while it is free
    uint32_t next_free;  // index of the next free slot, 0 at the end
} IdSlot;

// A pool of all zeros is an empty one.
typedef struct IdPool {
    IdSlot *slots;
    uint32_t capacity;
    uint32_t slot_count; // slots that were ever in use: indices go from 1 to slot_count
    uint32_t live_count; // slots in use now
    uint32_t first_free;
} IdPool;

// False if there is no memory; the pool is then as it was.
bool sn__ids_acquire(IdPool *pool, const SnAllocator *allocator, uint32_t *out_index,
                     uint32_t *out_generation);

// False, and nothing done, if the id is not valid.
bool sn__ids_release(IdPool *pool, uint32_t index, uint32_t generation);

bool sn__ids_valid(const IdPool *pool, uint32_t index, uint32_t generation);

// Frees the memory and leaves an empty pool. Generations start over.
void sn__ids_destroy(IdPool *pool, const SnAllocator *allocator);
