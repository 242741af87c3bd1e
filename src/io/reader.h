// Reading typed values out of a JSON document, with errors collected on the way.
#pragma once

#include <sinew/math.h>
#include <sinew/scene.h>

#include "io/arena.h"
#include "io/json.h"
#include "io/keys.h"

typedef struct SnReader {
    SnJsonDoc doc;
    SnSceneErrors *errors;
    SnArena *arena; // of what is read
    bool out_of_memory;
} SnReader;

// "FILE: /path/to/value: MESSAGE".
void sn__reader_error(SnReader *reader, const SnJson *value, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// How messages call a value: -0.2, "text", true, an array …
#define SN__VALUE_TEXT_SIZE 64
const char *sn__reader_describe(const SnReader *reader, const SnJson *value,
                                char text[SN__VALUE_TEXT_SIZE]);

// Memory of the arena, NULL and a note in the reader if there is none.
void *sn__reader_alloc(SnReader *reader, size_t count, size_t element_size);

// All of these complain and return false, leaving *out as it is, if the value is not what it should
// be.
bool sn__read_kind(SnReader *reader, const SnJson *value, SnJsonKind kind, const char *wanted);
bool sn__read_double(SnReader *reader, const SnJson *value, SnRange range, double *out);
bool sn__read_float(SnReader *reader, const SnJson *value, SnRange range, float *out);
bool sn__read_int(SnReader *reader, const SnJson *value, SnRange range, int *out);
bool sn__read_bool(SnReader *reader, const SnJson *value, bool *out);
bool sn__read_vec3(SnReader *reader, const SnJson *value, SnRange range, SnVec3 *out);
bool sn__read_rotation(SnReader *reader, const SnJson *value, SnQuat *out);
bool sn__read_text(SnReader *reader, const SnJson *value, const char **out);
// One of `count` words; *out is its number.
bool sn__read_word(SnReader *reader, const SnJson *value, const char *const *words, int count,
                   int *out);
// "#rrggbb", a name or [r, g, b], all sRGB, into linear light.
bool sn__read_colour(SnReader *reader, const SnJson *value, SnColour *out);
// What rods get that have none, by their place in the file.
SnColour sn__palette_colour(int index);

// Reads the members that the table describes into the structure at `base`; complains about unknown
// keys and missing required ones. False if anything was wrong.
bool sn__read_object(SnReader *reader, const SnJson *object, const SnKeyTable *table, void *base);

// Complains that `word` is unknown as a `what`, suggesting one of the names.
void sn__reader_unknown(SnReader *reader, const SnJson *value, const char *what, const char *word,
                        const char *const *names, int count);
