// An allocator that counts, and fails when it is told to.
#pragma once

#include <stdlib.h>

#include "support.h"

typedef struct Counter {
    long calls, live, bytes, peak;
    long fail_at; // the call that gets nothing, 0 for none
} Counter;

static inline void *count_allocate(size_t size, size_t align, void *context) {
    Counter *c = context;
    if (++c->calls == c->fail_at)
        return NULL;
    void *memory = aligned_alloc(align, size);
    assert_non_null(memory);
    memset(memory, 0xCD, size);
    c->live += 1;
    c->bytes += (long)size;
    c->peak = c->bytes > c->peak ? c->bytes : c->peak;
    return memory;
}

static inline void count_release(void *memory, size_t size, void *context) {
    Counter *c = context;
    c->live -= 1;
    c->bytes -= (long)size;
    memset(memory, 0xDD, size);
    free(memory);
}

static inline SnWorldDef counted_def(Counter *counter) {
    SnWorldDef def = sn_default_world_def();
    def.allocator = (SnAllocator){count_allocate, count_release, counter};
    return def;
}
