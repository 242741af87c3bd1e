// An allocator that has nothing left after a while, and counts what was not given back.
#pragma once

#include <stddef.h>
#include <stdlib.h>

typedef struct Purse {
    int left, held;
} Purse;

static inline void *purse_allocate(size_t size, size_t align, void *context) {
    Purse *purse = context;
    if (purse->left-- <= 0)
        return NULL;
    ++purse->held;
    return aligned_alloc(align, size);
}

static inline void purse_release(void *memory, size_t size, void *context) {
    (void)size;
    --((Purse *)context)->held;
    free(memory);
}
