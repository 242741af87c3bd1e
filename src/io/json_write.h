// Writing JSON into memory. Commas and quotes are taken care of; in an object, a key comes before
// each value.
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct JsonWriter {
    char *text; // owned, with a final zero; NULL until something is written
    size_t size, capacity;
    bool comma;         // the next value or key needs one in front
    bool out_of_memory; // what is written after that is lost
} JsonWriter;           // zero at the start

void sn__json_open(JsonWriter *writer, char bracket);  // '{' or '['
void sn__json_close(JsonWriter *writer, char bracket); // '}' or ']'
void sn__json_put_key(JsonWriter *writer, const char *key);
void sn__json_put_string(JsonWriter *writer, const char *text);
void sn__json_put_int(JsonWriter *writer, long long value);
void sn__json_put_float(JsonWriter *writer, float value);
void sn__json_put_double(JsonWriter *writer, double value);
void sn__json_put_bool(JsonWriter *writer, bool value);
void sn__json_put_null(JsonWriter *writer);
void sn__json_put_space(JsonWriter *writer, const char *space); // between values, as it is
void sn__json_writer_free(JsonWriter *writer);
