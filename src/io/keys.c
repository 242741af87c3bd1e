#include "io/keys.h"

#include "io/number.h"

#include <stdio.h>
#include <string.h>

const KeyField *sn__key_find(const KeyTable *table, const char *name) {
    for (; table; table = table->base)
        for (int i = 0; i < table->count; ++i)
            if (strcmp(table->keys[i].name, name) == 0)
                return &table->keys[i];
    return NULL;
}

int sn__key_names(const KeyTable *table, bool animated, const char *names[MAX_KEY_NAMES]) {
    int count = 0;
    for (; table; table = table->base)
        for (int i = 0; i < table->count && count < MAX_KEY_NAMES; ++i)
            if (table->keys[i].animated || !animated)
                names[count++] = table->keys[i].name;
    return count;
}

bool sn__range_holds(Range range, double value) {
    bool above = range.open_min ? value > range.min : value >= range.min;
    return above && value <= range.max;
}

void sn__range_text(Range range, char *text, size_t size) {
    char min[NUMBER_SIZE], max[NUMBER_SIZE];
    sn__number_format_double(min, range.min);
    sn__number_format_double(max, range.max);
    if (range.max < 3e38)
        snprintf(text, size, "in %c%s, %s]", range.open_min ? '(' : '[', min, max);
    else if (range.min > -3e38)
        snprintf(text, size, "%s %s", range.open_min ? ">" : ">=", min);
    else
        snprintf(text, size, "a number of single precision");
}

#define MAX_WORD 32

static int word_length(const char *word) {
    int length = 0;
    while (length < MAX_WORD && word[length])
        ++length;
    return length;
}

// Levenshtein's distance, where two letters that changed places count as one mistake. Long words
// are compared by their beginning.
static int distance(const char *a, const char *b) {
    int a_length = word_length(a), b_length = word_length(b);
    int rows[3][MAX_WORD + 1]; // before the last, last and current row
    int *older = rows[0], *last = rows[1], *now = rows[2];
    for (int j = 0; j <= b_length; ++j)
        last[j] = older[j] = j;
    for (int i = 1; i <= a_length; ++i) {
        now[0] = i;
        for (int j = 1; j <= b_length; ++j) {
            int best = last[j - 1] + (a[i - 1] != b[j - 1]);
            best = last[j] + 1 < best ? last[j] + 1 : best;
            best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            now[j] = swapped && older[j - 2] + 1 < best ? older[j - 2] + 1 : best;
        }
        int *free_row = older;
        older = last;
        last = now;
        now = free_row;
    }
    return last[b_length];
}

// Words of so many letters may be the beginning of the name that is meant.
#define LEAST_BEGINNING 4

const char *sn__nearest_name(const char *word, const char *const *names, int count) {
    int length = word_length(word), limit = length < 4 ? 1 : 1 + length / 3;
    const char *nearest = NULL;
    for (int i = 0; i < count && length >= LEAST_BEGINNING; ++i)
        if (strncmp(names[i], word, (size_t)length) == 0)
            return names[i];
    for (int i = 0; i < count; ++i) {
        int d = distance(word, names[i]);
        if (d <= limit && d < word_length(names[i])) { // some of it is right
            limit = d - 1;                             // from here on only a better one
            nearest = names[i];
        }
    }
    return nearest;
}
