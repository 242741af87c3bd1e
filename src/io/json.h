// A JSON document as a tree that knows where each value stands in its text.
#pragma once

#include <sinew/base.h>

#define SN__JSON_MAX_DEPTH 64
#define SN__JSON_MAX_BYTES (256u << 20)

typedef enum SnJsonKind {
    SN__JSON_NULL,
    SN__JSON_BOOL,
    SN__JSON_NUMBER,
    SN__JSON_STRING,
    SN__JSON_ARRAY,
    SN__JSON_OBJECT,
} SnJsonKind;

// Values lie in one array in the order of the text, so the first child of a container follows it.
// Links are indices into that array; 0, the root, stands for "none".
typedef struct SnJson {
    uint32_t offset; // of its first byte in the text
    uint32_t parent, next;
    uint32_t count;   // children of an array or object
    uint32_t key;     // members of an object: their name, as an offset into the strings
    uint16_t kind;    // SnJsonKind
    uint16_t boolean; // 1 for true
    union {
        double number;
        struct {
            uint32_t start, size; // in the strings
        } string;
    };
} SnJson;

typedef struct SnJsonDoc {
    const char *name; // of the file, for messages; not owned
    const char *text; // not owned: it must live as long as the document
    size_t size;
    SnJson *values;
    uint32_t value_count, value_capacity;
    char *strings; // decoded, each with a final zero
    uint32_t string_size, string_capacity;
} SnJsonDoc;

// Strict RFC 8259, except that a byte order mark is skipped and names may not contain U+0000.
// Errors read "NAME:LINE:COLUMN: …"; *out_line and *out_column (may be NULL) tell where.
SnResult sn__json_parse(const char *name, const char *text, size_t size, SnJsonDoc *out_doc,
                        int *out_line, int *out_column);
void sn__json_free(SnJsonDoc *doc);

static inline const SnJson *sn__json_root(const SnJsonDoc *doc) { return doc->values; }

// Iteration: for (v = first(doc, array); v; v = next(doc, v)).
static inline const SnJson *sn__json_first(const SnJson *value) {
    bool container = value->kind == SN__JSON_ARRAY || value->kind == SN__JSON_OBJECT;
    return container && value->count > 0 ? value + 1 : NULL;
}

static inline const SnJson *sn__json_next(const SnJsonDoc *doc, const SnJson *value) {
    return value->next ? &doc->values[value->next] : NULL;
}

static inline const char *sn__json_key(const SnJsonDoc *doc, const SnJson *member) {
    return doc->strings + member->key;
}

static inline const char *sn__json_string(const SnJsonDoc *doc, const SnJson *value) {
    return doc->strings + value->string.start;
}

// NULL if there is none, or if `object` is NULL or not an object.
const SnJson *sn__json_member(const SnJsonDoc *doc, const SnJson *object, const char *key);

// Line and column, both from 1; columns count characters, not bytes.
void sn__json_position(const SnJsonDoc *doc, const SnJson *value, int *out_line, int *out_column);

// The same for an offset into any text.
void sn__json_locate(const char *text, size_t offset, int *out_line, int *out_column);

// The JSON pointer to a value, "/rods/3/radius"; "/" for the root. Cut off if it does not fit.
void sn__json_path(const SnJsonDoc *doc, const SnJson *value, char *path, size_t size);
