#include "base/ids.h"

#include "base/memory.h"

#include <assert.h>

static const uint32_t first_capacity = 64;
static const uint32_t max_capacity = 1u << 31;

static bool grow_slots(IdPool *pool, const SnAllocator *allocator) {
    if (pool->capacity >= max_capacity)
        return false;
    uint32_t capacity = pool->capacity == 0 ? first_capacity : 2 * pool->capacity;
    IdSlot *slots = sn__grow(allocator, pool->slots, pool->capacity * sizeof(IdSlot),
                             capacity * sizeof(IdSlot));
    if (slots == NULL)
        return false;
    pool->slots = slots;
    pool->capacity = capacity;
    return true;
}

bool sn__ids_acquire(IdPool *pool, const SnAllocator *allocator, uint32_t *out_index,
                     uint32_t *out_generation) {
    uint32_t index = pool->first_free;
    assert(index <= pool->slot_count && pool->slot_count <= pool->capacity);
    if (index == 0) {
        if (pool->slot_count == pool->capacity && !grow_slots(pool, allocator))
            return false;
        index = ++pool->slot_count;
    } else {
        pool->first_free = pool->slots[index - 1].next_free;
    }
    IdSlot *slot = &pool->slots[index - 1];
    ++slot->generation;
    slot->next_free = 0;
    assert(slot->generation % 2 == 1);
    ++pool->live_count;
    *out_index = index;
    *out_generation = slot->generation;
    return true;
}

bool sn__ids_release(IdPool *pool, uint32_t index, uint32_t generation) {
    if (!sn__ids_valid(pool, index, generation))
        return false;
    assert(pool->live_count > 0);
    IdSlot *slot = &pool->slots[index - 1];
    ++slot->generation;
    slot->next_free = pool->first_free;
    pool->first_free = index;
    --pool->live_count;
    return true;
}

bool sn__ids_valid(const IdPool *pool, uint32_t index, uint32_t generation) {
    return index >= 1 && index <= pool->slot_count && generation % 2 == 1 &&
           pool->slots[index - 1].generation == generation;
}

void sn__ids_destroy(IdPool *pool, const SnAllocator *allocator) {
    sn__free(allocator, pool->slots, pool->capacity * sizeof(IdSlot));
    *pool = (IdPool){0};
}
