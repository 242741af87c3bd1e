#include "fit/memory.h"

// Stands in a cache line of its own in front of what it describes.
struct FitBlock {
    FitBlock *before;
    size_t size;
};

void *sn__fit_alloc(FitMemory *memory, size_t count, size_t element_size) {
    if (element_size != 0 && count > (SIZE_MAX - CACHE_LINE) / element_size)
        return NULL;
    size_t size = CACHE_LINE + count * element_size;
    FitBlock *block = sn__alloc(&memory->allocator, size);
    if (block == NULL)
        return NULL;
    *block = (FitBlock){memory->last, size};
    memory->last = block;
    return (char *)block + CACHE_LINE;
}

void sn__fit_release(FitMemory *memory, FitBlock *mark) {
    while (memory->last != mark) {
        FitBlock *block = memory->last;
        memory->last = block->before;
        sn__free(&memory->allocator, block, block->size);
    }
}
