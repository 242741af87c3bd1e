#include "io/json_write.h"

#include "io/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(JsonWriter *writer, const char *bytes, size_t count) {
    if (writer->out_of_memory)
        return;
    if (writer->capacity - writer->size < count + 1) {
        size_t capacity = writer->capacity * 2 + count + 256;
        char *grown = realloc(writer->text, capacity);
        if (grown == NULL) {
            writer->out_of_memory = true;
            return;
        }
        writer->text = grown;
        writer->capacity = capacity;
    }
    memcpy(writer->text + writer->size, bytes, count);
    writer->size += count;
    writer->text[writer->size] = '\0';
}

static void put_comma(JsonWriter *writer) {
    if (writer->comma)
        put(writer, ",", 1);
    writer->comma = true;
}

static void put_word(JsonWriter *writer, const char *word) {
    put_comma(writer);
    put(writer, word, strlen(word));
}

void sn__json_open(JsonWriter *writer, char bracket) {
    put_comma(writer);
    put(writer, &bracket, 1);
    writer->comma = false;
}

void sn__json_close(JsonWriter *writer, char bracket) {
    put(writer, &bracket, 1);
    writer->comma = true;
}

static void put_quoted(JsonWriter *writer, const char *text) {
    put(writer, "\"", 1);
    const char *run = text; // what needs no escape is written in one go
    for (const char *c = text;; ++c) {
        unsigned char byte = (unsigned char)*c;
        if (byte >= 0x20 && byte != '"' && byte != '\\')
            continue;
        put(writer, run, (size_t)(c - run));
        run = c + 1;
        if (byte == 0)
            break;
        char escape[8];
        snprintf(escape, sizeof escape, byte < 0x20 ? "\\u%04x" : "\\%c", byte);
        put(writer, escape, strlen(escape));
    }
    put(writer, "\"", 1);
}

void sn__json_put_key(JsonWriter *writer, const char *key) {
    put_comma(writer);
    put_quoted(writer, key);
    put(writer, ":", 1);
    writer->comma = false;
}

void sn__json_put_string(JsonWriter *writer, const char *text) {
    put_comma(writer);
    put_quoted(writer, text);
}

void sn__json_put_int(JsonWriter *writer, long long value) {
    char text[NUMBER_SIZE];
    snprintf(text, sizeof text, "%lld", value);
    put_word(writer, text);
}

void sn__json_put_float(JsonWriter *writer, float value) {
    char text[NUMBER_SIZE];
    sn__number_format_float(text, value);
    put_word(writer, text);
}

void sn__json_put_double(JsonWriter *writer, double value) {
    char text[NUMBER_SIZE];
    sn__number_format_double(text, value);
    put_word(writer, text);
}

void sn__json_put_bool(JsonWriter *writer, bool value) {
    put_word(writer, value ? "true" : "false");
}

void sn__json_put_null(JsonWriter *writer) { put_word(writer, "null"); }

void sn__json_put_space(JsonWriter *writer, const char *space) {
    put(writer, space, strlen(space));
}

void sn__json_writer_free(JsonWriter *writer) {
    free(writer->text);
    memset(writer, 0, sizeof *writer);
}
