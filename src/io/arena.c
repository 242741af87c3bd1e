#include "io/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE ((size_t)1 << 16)
#define ALIGNMENT ((size_t)16)

typedef struct ArenaBlock {
    struct ArenaBlock *next;
    size_t used, size; // of the bytes that follow
} Block;

// The bytes of a block start at the next multiple of the alignment.
static const size_t header_size = (sizeof(Block) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;

static Block *block_create(size_t size) {
    if (size > SIZE_MAX - header_size)
        return NULL;
    Block *block = calloc(1, header_size + size);
    if (block)
        block->size = size;
    return block;
}

static void *block_take(Block *block, size_t size) {
    void *memory = (char *)block + header_size + block->used;
    block->used += size;
    return memory;
}

// A large piece gets a block of its own behind the current one, which stays in use.
static void *take_large(Arena *arena, size_t size) {
    Block *block = block_create(size);
    if (block == NULL)
        return NULL;
    if (arena->blocks) {
        block->next = arena->blocks->next;
        arena->blocks->next = block;
    } else {
        arena->blocks = block;
    }
    return block_take(block, size);
}

void *sn__arena_alloc(Arena *arena, size_t count, size_t element_size) {
    if (element_size > 0 && count > (SIZE_MAX / 2) / element_size)
        return NULL;
    size_t size = (count * element_size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (size > BLOCK_SIZE / 4)
        return take_large(arena, size);
    if (arena->blocks == NULL || arena->blocks->size - arena->blocks->used < size) {
        Block *block = block_create(BLOCK_SIZE);
        if (block == NULL)
            return NULL;
        block->next = arena->blocks;
        arena->blocks = block;
    }
    return block_take(arena->blocks, size);
}

char *sn__arena_text(Arena *arena, const char *text, size_t size) {
    char *copy = sn__arena_alloc(arena, size + 1, 1);
    if (copy && size > 0)
        memcpy(copy, text, size);
    return copy;
}

void sn__arena_free(Arena *arena) {
    Block *block = arena->blocks;
    while (block) {
        Block *next = block->next;
        free(block);
        block = next;
    }
    arena->blocks = NULL;
}
