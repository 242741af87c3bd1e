// A JSON document as a tree that knows where each value stands in its text.
#pragma once

#include <sinew/base.h>

#define JSON_MAX_DEPTH 64
#define JSON_MAX_BYTES (256u << 20)

typedef enum JsonKind {
    JSON_NULL,
    JSON_BOOL,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT,
} JsonKind;

// Values lie in one array in the order of the text, so the first child of a container follows it.
// Links are indices into that array; 0, the root, stands for "none".
typedef struct Json {
    uint32_t offset; // of its first byte in the text
    uint32_t parent, next;
    uint32_t count;   // children of an array or object
    uint32_t key;     // members of an object: their name, as an offset into the strings
    uint16_t kind;    // JsonKind
    uint16_t boolean; // 1 for true
    union {
        double number;
        struct {
            uint32_t start, size; // in the strings
        } string;
    };
} Json;

typedef struct JsonDoc {
    const char *name; // of the file, for messages; not owned
    const char *text; // not owned: it must live as long as the document
    size_t size;
    Json *values;
    uint32_t value_count, value_capacity;
    char *strings; // decoded, each with a final zero
    uint32_t string_size, string_capacity;
} JsonDoc;

// Strict RFC 8259, except that a byte order mark is skipped and names may not contain U+0000.
// Errors read "NAME:LINE:COLUMN: …"; *out_line and *out_column (may be NULL) tell where.
SnResult sn__json_parse(const char *name, const char *text, size_t size, JsonDoc *out_doc,
                        int *out_line, int *out_column);
void sn__json_free(JsonDoc *doc);

static inline const Json *sn__json_root(const JsonDoc *doc) { return doc->values; }

// Iteration: for (v = first(doc, array); v; v = next(doc, v)).
static inline const Json *sn__json_first(const Json *value) {
    bool container = value->kind == JSON_ARRAY || value->kind == JSON_OBJECT;
    return container && value->count > 0 ? value + 1 : NULL;
}

static inline const Json *sn__json_next(const JsonDoc *doc, const Json *value) {
    return value->next ? &doc->values[value->next] : NULL;
}

static inline const char *sn__json_key(const JsonDoc *doc, const Json *member) {
    return doc->strings + member->key;
}

static inline const char *sn__json_string(const JsonDoc *doc, const Json *value) {
    return doc->strings + value->string.start;
}

// NULL if there is none, or if `object` is NULL or not an object.
const Json *sn__json_member(const JsonDoc *doc, const Json *object, const char *key);

// Line and column, both from 1; columns count characters, not bytes.
void sn__json_position(const JsonDoc *doc, const Json *value, int *out_line, int *out_column);

// The same for an offset into any text.
void sn__json_locate(const char *text, size_t offset, int *out_line, int *out_column);

// The JSON pointer to a value, "/rods/3/radius"; "/" for the root. Cut off if it does not fit.
void sn__json_path(const JsonDoc *doc, const Json *value, char *path, size_t size);
