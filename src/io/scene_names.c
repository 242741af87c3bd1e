// Things that are referred to by name.
#include "io/scene_parts.h"

#include <stdlib.h>
#include <string.h>

typedef struct Pair {
    const char *name;
    int number;
} Pair;

static int compare_pairs(const void *a, const void *b) {
    const Pair *left = a, *right = b;
    int order = strcmp(left->name, right->name);
    return order ? order : left->number - right->number;
}

void sn__names_sort(SnReader *reader, SnNames *names, const SnJson *const *values) {
    Pair *pairs = sn__reader_alloc(reader, (size_t)names->count, sizeof *pairs);
    for (int i = 0; i < names->count && pairs; i++) {
        pairs[i] = (Pair){names->names[i], names->numbers[i]};
    }
    if (!pairs) {
        return;
    }
    qsort(pairs, (size_t)names->count, sizeof *pairs, compare_pairs);
    for (int i = 0; i < names->count; i++) {
        names->names[i] = pairs[i].name;
        names->numbers[i] = pairs[i].number;
        if (i > 0 && strcmp(pairs[i].name, pairs[i - 1].name) == 0) {
            sn__reader_error(reader, values[pairs[i].number], "the name \"%.60s\" is taken",
                             pairs[i].name);
        }
    }
}

int sn__names_find(SnReader *reader, const SnNames *names, const SnJson *value, const char *what) {
    const char *word = sn__json_string(&reader->doc, value);
    int low = 0, high = names->count;
    while (low < high) {
        int middle = (low + high) / 2;
        int order = strcmp(word, names->names[middle]);
        if (order == 0) {
            return names->numbers[middle];
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    sn__reader_unknown(reader, value, what, word, names->names, names->count);
    return -1;
}

const SnJson **sn__read_list(SnReader *reader, const SnJson *list, int *out_count) {
    *out_count = 0;
    if (!list || !sn__read_kind(reader, list, SN__JSON_ARRAY, "an array […]")) {
        return NULL;
    }
    const SnJson **items = sn__reader_alloc(reader, list->count, sizeof *items);
    for (const SnJson *v = sn__json_first(list); v && items; v = sn__json_next(&reader->doc, v)) {
        items[(*out_count)++] = v;
    }
    return items;
}
