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

// The keys of an object. A table may have a base: its structure then begins with that of the base,
// and the keys of the base are its keys, too.
typedef struct KeyTable {
    const char *name; // its name under $defs in the schema, "" for the file itself
    const KeyField *keys;
    int count;
    const struct KeyTable *base; // NULL: none
} KeyTable;

// What tables are written with. Keys that are read by hand need only a name.
#define FIELD(type, member) offsetof(type, member)
#define BY_HAND(name)                                                                              \
    { name, KEY_OTHER, 0, RANGE_ANY, false, false }
#define BY_HAND_REQUIRED(name)                                                                     \
    { name, KEY_OTHER, 0, RANGE_ANY, true, false }
#define KEY_COUNT(keys) ((int)(sizeof(keys) / sizeof(keys)[0]))

const KeyField *sn__key_find(const KeyTable *table, const char *name);

// The names of its keys, or of those that can be animated. Returns how many there are, at most
// MAX_KEY_NAMES.
#define MAX_KEY_NAMES 48
int sn__key_names(const KeyTable *table, bool animated, const char *names[MAX_KEY_NAMES]);

// "[1, 1000]", "> 0", ">= 0" …; empty if any number will do.
void sn__range_text(Range range, char *text, size_t size);
bool sn__range_holds(Range range, double value);

// The name most like `word`, or NULL if none is alike. Used for "did you mean …?".
const char *sn__nearest_name(const char *word, const char *const *names, int count);
