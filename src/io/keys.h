// Tables of the keys that objects of a scene file may have. One table serves the reader, the check
// for unknown keys, the ranges of animated values, and the test that compares them with the schema.
#pragma once

#include <sinew/base.h>

typedef enum KeyType {
    KEY_OTHER,    // read by hand
    KEY_FLOAT,    // float
    KEY_DOUBLE,   // double
    KEY_INT,      // int
    KEY_BOOL,     // bool
    KEY_VEC3,     // SnVec3
    KEY_ROTATION, // SnQuat, from [x, y, z, w] or {"axis", "angle"}
    KEY_TEXT,     // const char *
} KeyType;

// What a number may be: min ≤ x ≤ max, or min < x ≤ max where min is open.
typedef struct Range {
    double min, max;
    bool open_min;
} Range;

#define RANGE_ANY                                                                                  \
    { -3.4e38, 3.4e38, false }
#define RANGE_POSITIVE                                                                             \
    { 0, 3.4e38, true }
#define RANGE_NOT_NEGATIVE                                                                         \
    { 0, 3.4e38, false }

typedef struct KeyField {
    const char *name;
    KeyType type;
    size_t offset; // in the structure the table describes
    Range range;
    bool required;
    bool animated; // may change after the world is built
} KeyField;

typedef struct KeyTable {
    const char *name; // its name under $defs in the schema, "" for the file itself
    const KeyField *keys;
    int count;
} KeyTable;

const KeyField *sn__key_find(const KeyTable *table, const char *name);

// "[1, 1000]", "> 0", ">= 0" …; empty if any number will do.
void sn__range_text(Range range, char *text, size_t size);
bool sn__range_holds(Range range, double value);

// The name most like `word`, or NULL if none is alike. Used for "did you mean …?".
const char *sn__nearest_name(const char *word, const char *const *names, int count);
