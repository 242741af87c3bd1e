#include "skin/key_table.h"

#include <string.h>

#include "base/hash.h"

static size_t slot_of(const KeyTable *t, const int key[KEY_LENGTH]) {
    size_t at = sn__hash_bytes(0, key, KEY_LENGTH * sizeof(int)) & (t->room - 1);
    while (t->slots[at] && memcmp(t->keys[t->slots[at] - 1], key, KEY_LENGTH * sizeof(int)) != 0)
        at = (at + 1) & (t->room - 1);
    return at;
}

static bool widen(KeyTable *t) {
    size_t room = t->room ? 2 * t->room : 1024;
    int *slots = sn__alloc_array(&t->allocator, room, sizeof *slots);
    if (slots == NULL)
        return false;
    sn__free(&t->allocator, t->slots, t->room * sizeof *slots);
    t->slots = slots;
    t->room = room;
    for (int k = 0; k < t->count; ++k)
        t->slots[slot_of(t, t->keys[k])] = k + 1;
    return true;
}

int sn__key_table_find(KeyTable *t, const int key[KEY_LENGTH]) {
    if (2 * (size_t)t->count >= t->room && !widen(t))
        return -1;
    size_t at = slot_of(t, key);
    if (t->slots[at])
        return t->slots[at] - 1;
    if (!sn__reserve(&t->allocator, (void **)&t->keys, &t->capacity, t->count, sizeof *t->keys))
        return -1;
    memcpy(t->keys[t->count], key, sizeof *t->keys);
    t->slots[at] = ++t->count;
    return t->count - 1;
}

void sn__key_table_destroy(KeyTable *t) {
    sn__free(&t->allocator, t->slots, t->room * sizeof(int));
    sn__free(&t->allocator, t->keys, (size_t)t->capacity * sizeof *t->keys);
    *t = (KeyTable){.allocator = t->allocator};
}
