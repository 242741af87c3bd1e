// Tables of the keys that objects of a scene file may have. One table serves the reader, the check
// for unknown keys, the ranges of animated values, and the test that compares them with the schema.
#pragma once

#include <sinew/base.h>

typedef enum SnKeyType {
    SN__KEY_OTHER,    // read by hand
    SN__KEY_FLOAT,    // float
    SN__KEY_DOUBLE,   // double
    SN__KEY_INT,      // int
    SN__KEY_BOOL,     // bool
    SN__KEY_VEC3,     // SnVec3
    SN__KEY_ROTATION, // SnQuat, from [x, y, z, w] or {"axis", "angle"}
    SN__KEY_TEXT,     // const char *
} SnKeyType;

// What a number may be: min ≤ x ≤ max, or min < x ≤ max where min is open.
typedef struct SnRange {
    double min, max;
    bool open_min;
} SnRange;

#define SN__ANY                                                                                    \
    { -3.4e38, 3.4e38, false }
#define SN__POSITIVE                                                                               \
    { 0, 3.4e38, true }
#define SN__NOT_NEGATIVE                                                                           \
    { 0, 3.4e38, false }

typedef struct SnKey {
    const char *name;
    SnKeyType type;
    size_t offset; // in the structure the table describes
    SnRange range;
    bool required;
    bool animated; // may change after the world is built
} SnKey;

typedef struct SnKeyTable {
    const char *name; // its name under $defs in the schema, "" for the file itself
    const SnKey *keys;
    int count;
} SnKeyTable;

const SnKey *sn__key_find(const SnKeyTable *table, const char *name);

// "[1, 1000]", "> 0", ">= 0" …; empty if any number will do.
void sn__range_text(SnRange range, char *text, size_t size);
bool sn__range_holds(SnRange range, double value);

// The name most like `word`, or NULL if none is alike. Used for "did you mean …?".
const char *sn__nearest_name(const char *word, const char *const *names, int count);
