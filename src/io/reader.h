// Reading typed values out of a JSON document, with errors collected on the way.
#pragma once

#include <sinew/math.h>
#include <sinew/scene.h>

#include "io/arena.h"
#include "io/json.h"
#include "io/keys.h"

typedef struct Reader {
    JsonDoc doc;
    SnSceneErrors *errors;
    Arena *arena; // of what is read
    bool out_of_memory;
} Reader;

// "FILE: /path/to/value: MESSAGE".
void sn__reader_error(Reader *reader, const Json *value, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// How messages call a value: -0.2, "text", true, an array …
#define VALUE_TEXT_SIZE 64
const char *sn__reader_describe(const Reader *reader, const Json *value,
                                char text[VALUE_TEXT_SIZE]);

// Memory of the arena, NULL and a note in the reader if there is none.
void *sn__reader_alloc(Reader *reader, size_t count, size_t element_size);

// All of these complain and return false, leaving *out as it is, if the value is not what it should
// be.
bool sn__read_kind(Reader *reader, const Json *value, JsonKind kind, const char *wanted);
// An array; the message says how a list is written.
bool sn__read_array(Reader *reader, const Json *value);
bool sn__read_double(Reader *reader, const Json *value, Range range, double *out);
bool sn__read_float(Reader *reader, const Json *value, Range range, float *out);
bool sn__read_int(Reader *reader, const Json *value, Range range, int *out);
bool sn__read_bool(Reader *reader, const Json *value, bool *out);
bool sn__read_vec3(Reader *reader, const Json *value, Range range, SnVec3 *out);
bool sn__read_rotation(Reader *reader, const Json *value, SnQuat *out);
bool sn__read_text(Reader *reader, const Json *value, const char **out);
// One of `count` words; *out is its number.
bool sn__read_word(Reader *reader, const Json *value, const char *const *words, int count,
                   int *out);
// "#rrggbb", a name or [r, g, b], all sRGB, into linear light.
bool sn__read_colour(Reader *reader, const Json *value, SnColour *out);
// What bodies get that have none, by their number among the entries.
SnColour sn__palette_colour(int index);

// Reads the members that the table describes into the structure at `base`; complains about unknown
// keys and missing required ones. False if anything was wrong.
bool sn__read_object(Reader *reader, const Json *object, const KeyTable *table, void *base);

// Complains that `word` is unknown as a `what`, suggesting one of the names.
void sn__reader_unknown(Reader *reader, const Json *value, const char *what, const char *word,
                        const char *const *names, int count);
