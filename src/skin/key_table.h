// Numbers for keys of six integers, in the order in which they are first asked for.
#pragma once

#include "base/memory.h"

#define KEY_LENGTH 6

typedef struct KeyTable {
    SnAllocator allocator;
    int (*keys)[KEY_LENGTH];
    int count, capacity;
    int *slots; // number + 1
    size_t room;
} KeyTable;

// The number of a key, which is the count so far if it is new; −1: no memory.
int sn__key_table_find(KeyTable *table, const int key[KEY_LENGTH]);
void sn__key_table_destroy(KeyTable *table);
