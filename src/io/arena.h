// Memory that is taken piece by piece and given back all at once.
#pragma once

#include <stddef.h>

typedef struct Arena {
    struct ArenaBlock *blocks; // NULL at the start
} Arena;

// Zeroed and fit for any type; NULL if there is no memory. Size 0 gives a valid pointer.
void *sn__arena_alloc(Arena *arena, size_t count, size_t element_size);

// A copy with a final zero.
char *sn__arena_text(Arena *arena, const char *text, size_t size);

void sn__arena_free(Arena *arena);
