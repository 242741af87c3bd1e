// Things that are referred to by name.
#include "io/scene_parts.h"

#include <stdio.h>
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

void sn__names_sort(Reader *reader, NameTable *names, const Json *const *values) {
    Pair *pairs = sn__reader_alloc(reader, (size_t)names->count, sizeof *pairs);
    for (int i = 0; i < names->count && pairs; ++i)
        pairs[i] = (Pair){names->names[i], names->numbers[i]};
    if (pairs == NULL)
        return;
    qsort(pairs, (size_t)names->count, sizeof *pairs, compare_pairs);
    for (int i = 0; i < names->count; ++i) {
        names->names[i] = pairs[i].name;
        names->numbers[i] = pairs[i].number;
        if (values && i > 0 && strcmp(pairs[i].name, pairs[i - 1].name) == 0)
            sn__reader_error(reader, values[pairs[i].number], "the name \"%.60s\" is taken",
                             pairs[i].name);
    }
}

void sn__names_reserve(Reader *reader, NameTable *names, int count) {
    names->names = sn__reader_alloc(reader, (size_t)count, sizeof *names->names);
    names->numbers = sn__reader_alloc(reader, (size_t)count, sizeof *names->numbers);
    names->count = 0;
}

void sn__names_add(NameTable *names, const char *name, int number) {
    if (name[0]) {
        names->names[names->count] = name;
        names->numbers[names->count++] = number;
    }
}

// More than one thing may have a name, as long as nothing refers to it.
static bool is_taken_twice(const NameTable *names, int at) {
    const char *name = names->names[at];
    return (at > 0 && strcmp(names->names[at - 1], name) == 0) ||
           (at + 1 < names->count && strcmp(names->names[at + 1], name) == 0);
}

int sn__read_name(Reader *reader, const NameTable *names, const Json *value, const char *what) {
    char wanted[64];
    snprintf(wanted, sizeof wanted, "the name of a %s", what);
    return sn__read_kind(reader, value, JSON_STRING, wanted)
               ? sn__names_find(reader, names, value, what)
               : -1;
}

int sn__names_find(Reader *reader, const NameTable *names, const Json *value, const char *what) {
    const char *word = sn__json_string(&reader->doc, value);
    int low = 0, high = names->count;
    while (low < high) {
        int middle = (low + high) / 2;
        int order = strcmp(word, names->names[middle]);
        if (order == 0 && is_taken_twice(names, middle)) {
            sn__reader_error(reader, value, "\"%.60s\" is the name of more than one %s", word,
                             what);
            return -1;
        }
        if (order == 0)
            return names->numbers[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    sn__reader_unknown(reader, value, what, word, names->names, names->count);
    return -1;
}

const Json **sn__read_list(Reader *reader, const Json *list, int *out_count) {
    *out_count = 0;
    if (list == NULL || !sn__read_array(reader, list))
        return NULL;
    const Json **items = sn__reader_alloc(reader, list->count, sizeof *items);
    for (const Json *v = sn__json_first(list); v && items; v = sn__json_next(&reader->doc, v))
        items[(*out_count)++] = v;
    return items;
}

size_t sn__list_length(const Json *list) {
    return list && list->kind == JSON_ARRAY ? list->count : 0;
}
