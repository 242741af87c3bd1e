#include "io/json.h"

#include <stdio.h>
#include <string.h>

const Json *sn__json_member(const JsonDoc *doc, const Json *object, const char *key) {
    if (object == NULL || object->kind != JSON_OBJECT)
        return NULL;
    for (const Json *m = sn__json_first(object); m; m = sn__json_next(doc, m))
        if (strcmp(sn__json_key(doc, m), key) == 0)
            return m;
    return NULL;
}

void sn__json_locate(const char *text, size_t offset, int *out_line, int *out_column) {
    int line = 1, column = 1;
    for (size_t i = 0; i < offset; ++i) {
        unsigned char c = (unsigned char)text[i];
        if (c == '\n') {
            ++line;
            column = 1;
        } else if ((c & 0xC0) != 0x80) { // not inside a UTF-8 character
            ++column;
        }
    }
    *out_line = line;
    *out_column = column;
}

void sn__json_position(const JsonDoc *doc, const Json *value, int *out_line, int *out_column) {
    sn__json_locate(doc->text, value->offset, out_line, out_column);
}

static int child_index(const JsonDoc *doc, const Json *parent, const Json *child) {
    int index = 0;
    for (const Json *v = sn__json_first(parent); v && v != child; v = sn__json_next(doc, v))
        ++index;
    return index;
}

// Appends as much as fits and keeps the final zero; false when something had to be cut.
static bool append(char *text, size_t size, size_t *length, char c) {
    if (*length + 1 >= size)
        return false;
    text[(*length)++] = c;
    text[*length] = '\0';
    return true;
}

// "~" and "/" inside a name are written "~0" and "~1", as JSON pointers have it.
static bool append_token(char *path, size_t size, size_t *length, const char *token) {
    bool fits = append(path, size, length, '/');
    for (; *token && fits; ++token)
        if (*token == '~' || *token == '/')
            fits = append(path, size, length, '~') &&
                   append(path, size, length, *token == '~' ? '0' : '1');
        else
            fits = append(path, size, length, *token);
    return fits;
}

void sn__json_path(const JsonDoc *doc, const Json *value, char *path, size_t size) {
    const Json *chain[JSON_MAX_DEPTH + 1];
    int depth = 0;
    for (; value != doc->values; value = &doc->values[value->parent])
        chain[depth++] = value;
    size_t length = 0;
    path[0] = '\0';
    bool fits = depth > 0 || append(path, size, &length, '/');
    while (depth > 0 && fits) {
        const Json *child = chain[--depth];
        const Json *parent = &doc->values[child->parent];
        char index[16];
        snprintf(index, sizeof index, "%d", child_index(doc, parent, child));
        bool named = parent->kind == JSON_OBJECT;
        fits = append_token(path, size, &length, named ? sn__json_key(doc, child) : index);
    }
}
