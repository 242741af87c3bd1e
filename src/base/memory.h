// Memory from the user's allocator: always 64-byte aligned, always zeroed, and rounded up to whole
// cache lines, so that wide loads may run past the last element and size 0 is nothing special.
#pragma once

#include <sinew/base.h>

#define CACHE_LINE ((size_t)64)

// malloc and free, with alignment.
SnAllocator sn__default_allocator(void);

// NULL if there is no memory. Sizes handed back to sn__free and sn__grow are the ones asked for.
void *sn__alloc(const SnAllocator *allocator, size_t size);
// For what is written before it is read: not zeroed, so that its pages come when they are needed.
void *sn__alloc_raw(const SnAllocator *allocator, size_t size);
void *sn__alloc_array(const SnAllocator *allocator, size_t count, size_t element_size);

// Moves `old` (may be NULL with old_size 0) into new_size ≥ old_size bytes; what is new is zero. If
// there is no memory it returns NULL and `old` stays as it is.
void *sn__grow(const SnAllocator *allocator, void *old, size_t old_size, size_t new_size);

// `memory` may be NULL.
void sn__free(const SnAllocator *allocator, void *memory, size_t size);

// Makes room for one more element in an array of `count`; false if there is no memory.
bool sn__reserve(const SnAllocator *allocator, void **array, int *capacity, int count,
                 size_t element_size);

// The next piece of a block that is laid out as several arrays, each from a cache line on, and how much
// of it is used then. `memory` may be NULL to learn how much is needed: so is the piece.
static inline void *sn__cut(void *memory, size_t *used, size_t count, size_t element_size) {
    void *piece = memory ? (char *)memory + *used : NULL;
    *used += (count * element_size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    return piece;
}
