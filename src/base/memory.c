#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#include <malloc.h>
#elif defined(__linux__)
#include <sys/mman.h>
#endif

// Windows has no aligned_alloc, and its own is given back by its own.
static void *allocate_aligned(size_t align, size_t size) {
#if defined(_WIN32)
    return _aligned_malloc(size, align);
#else
    return aligned_alloc(align, size);
#endif
}

static void free_aligned(void *memory) {
#if defined(_WIN32)
    _aligned_free(memory);
#else
    free(memory);
#endif
}

#define LARGE_PAGE ((size_t)2 << 20)

// Large blocks in large pages, where the system has them: a tree of 50,000 segments has 65 MB, and half
// of its set-up would be spent on getting them in pages of 4 kB.
static void *allocate_large(size_t size) {
    void *memory = allocate_aligned(LARGE_PAGE, (size + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE);
#if defined(__linux__)
    // Only what is full: the rest of the last page is not ours to take. It may be refused.
    if (memory)
        madvise(memory, size / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
#endif
    return memory;
}

static void *default_allocate(size_t size, size_t align, void *context) {
    (void)context;
    // aligned_alloc wants an alignment that malloc would not already give, and a multiple of it.
    size_t step = align < sizeof(void *) ? sizeof(void *) : align;
    if (size > SIZE_MAX - step)
        return NULL;
    if (size >= LARGE_PAGE && align <= LARGE_PAGE && size <= SIZE_MAX - LARGE_PAGE)
        return allocate_large(size);
    return allocate_aligned(step, (size + step - 1) / step * step);
}

static void default_release(void *memory, size_t size, void *context) {
    (void)size;
    (void)context;
    free_aligned(memory);
}

SnAllocator sn__default_allocator(void) {
    SnAllocator allocator = {default_allocate, default_release, NULL};
    return allocator;
}

// At least one line, so that an empty array has an address too. 0 if the size cannot be rounded.
static size_t whole_lines(size_t size) {
    if (size > SIZE_MAX - CACHE_LINE)
        return 0;
    return size == 0 ? CACHE_LINE : (size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
}

void *sn__alloc_raw(const SnAllocator *allocator, size_t size) {
    size_t rounded = whole_lines(size);
    void *memory = rounded ? allocator->allocate(rounded, CACHE_LINE, allocator->context) : NULL;
    assert((uintptr_t)memory % CACHE_LINE == 0);
    return memory;
}

void *sn__alloc(const SnAllocator *allocator, size_t size) {
    void *memory = sn__alloc_raw(allocator, size);
    if (memory)
        memset(memory, 0, whole_lines(size));
    return memory;
}

void *sn__alloc_array(const SnAllocator *allocator, size_t count, size_t element_size) {
    if (element_size != 0 && count > SIZE_MAX / element_size)
        return NULL;
    return sn__alloc(allocator, count * element_size);
}

void *sn__grow(const SnAllocator *allocator, void *old, size_t old_size, size_t new_size) {
    assert(old || old_size == 0);
    assert(new_size >= old_size);
    void *memory = sn__alloc(allocator, new_size);
    if (memory && old) {
        memcpy(memory, old, old_size);
        sn__free(allocator, old, old_size);
    }
    return memory;
}

void *sn__lay(Layout *layout, size_t count, size_t element_size) {
    assert(element_size > 0 && count <= (SIZE_MAX - layout->used - CACHE_LINE) / element_size);
    assert(layout->used % CACHE_LINE == 0);
    void *array = layout->memory ? (char *)layout->memory + layout->used : NULL;
    layout->used += (count * element_size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    return array;
}

void sn__free(const SnAllocator *allocator, void *memory, size_t size) {
    if (memory)
        allocator->release(memory, whole_lines(size), allocator->context);
}

bool sn__reserve(const SnAllocator *allocator, void **array, int *capacity, int count,
                 size_t element_size) {
    assert(count >= 0 && count <= *capacity);
    if (count < *capacity)
        return true;
    int grown = *capacity ? 2 * *capacity : 16;
    void *memory =
        sn__grow(allocator, *array, (size_t)*capacity * element_size, (size_t)grown * element_size);
    if (memory == NULL)
        return false;
    *array = memory;
    *capacity = grown;
    return true;
}
