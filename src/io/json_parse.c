// The parser: no recursion, one pass, every byte looked at once.
#include "io/json.h"

#include "io/number.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Parser {
    JsonDoc *doc;
    size_t at;
    uint32_t open[JSON_MAX_DEPTH]; // containers that are not closed yet
    uint32_t last[JSON_MAX_DEPTH]; // and their latest child, 0 if none
    int depth;
    SnResult error;
    size_t error_at;
} Parser;

__attribute__((format(printf, 3, 4))) static bool fail(Parser *parser, size_t at,
                                                       const char *format, ...) {
    char message[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    int line, column;
    sn__json_locate(parser->doc->text, at, &line, &column);
    parser->error =
        sn_error(SN_ERROR_FORMAT, "%s:%d:%d: %s", parser->doc->name, line, column, message);
    parser->error_at = at;
    return false;
}

static bool fail_memory(Parser *parser) {
    parser->error = sn_error(SN_ERROR_MEMORY, "%s: no memory to read it", parser->doc->name);
    return false;
}

// The next byte, or -1 at the end.
static int peek(const Parser *parser) {
    const JsonDoc *doc = parser->doc;
    return parser->at < doc->size ? (unsigned char)doc->text[parser->at] : -1;
}

// How a message calls the byte at the current place.
static const char *found(const Parser *parser, char text[24]) {
    int c = peek(parser);
    if (c < 0)
        return "the end of the file";
    snprintf(text, 24, c > 0x20 && c < 0x7F ? "'%c'" : "byte 0x%02X", c);
    return text;
}

static bool is_space(int c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static void skip_space(Parser *parser) {
    while (is_space(peek(parser)))
        ++parser->at;
}

static bool push_bytes(Parser *parser, const char *bytes, size_t count) {
    JsonDoc *doc = parser->doc;
    if (doc->string_capacity - doc->string_size < count) {
        size_t capacity = (size_t)doc->string_capacity * 2 + count + 256;
        char *grown = capacity < UINT32_MAX ? realloc(doc->strings, capacity) : NULL;
        if (grown == NULL)
            return fail_memory(parser);
        doc->strings = grown;
        doc->string_capacity = (uint32_t)capacity;
    }
    memcpy(doc->strings + doc->string_size, bytes, count);
    doc->string_size += (uint32_t)count;
    return true;
}

static bool push_code_point(Parser *parser, uint32_t c) {
    char bytes[4];
    size_t count = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0x00, 0xC0, 0xE0, 0xF0};
    for (size_t i = count; i-- > 1; c >>= 6)
        bytes[i] = (char)(0x80 | (c & 0x3F));
    bytes[0] = (char)(lead[count] | c);
    return push_bytes(parser, bytes, count);
}

// Four hexadecimal digits at `at`, or -1.
static int32_t hex4(const JsonDoc *doc, size_t at) {
    if (at + 4 > doc->size)
        return -1;
    int32_t value = 0;
    for (size_t i = at; i < at + 4; ++i) {
        char c = doc->text[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

// After "\u": one unit, or two that form a surrogate pair.
static bool parse_unicode_escape(Parser *parser, size_t start) {
    const JsonDoc *doc = parser->doc;
    int32_t unit = hex4(doc, parser->at);
    if (unit < 0)
        return fail(parser, start, "\\u needs four hexadecimal digits");
    parser->at += 4;
    uint32_t point = (uint32_t)unit;
    if (unit >= 0xD800 && unit <= 0xDFFF) {
        bool pair = unit <= 0xDBFF && parser->at + 6 <= doc->size &&
                    doc->text[parser->at] == '\\' && doc->text[parser->at + 1] == 'u';
        int32_t low = pair ? hex4(doc, parser->at + 2) : -1;
        if (low < 0xDC00 || low > 0xDFFF)
            return fail(parser, start,
                        "half of a surrogate pair: \\ud800…\\udbff must be followed "
                        "by \\udc00…\\udfff");
        parser->at += 6;
        point = 0x10000 + (((uint32_t)unit - 0xD800) << 10) + ((uint32_t)low - 0xDC00);
    }
    return push_code_point(parser, point);
}

static bool parse_escape(Parser *parser) {
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    size_t start = parser->at++;
    int c = peek(parser);
    if (c == 'u') {
        ++parser->at;
        return parse_unicode_escape(parser, start);
    }
    const char *name = c > 0 ? strchr(names, c) : NULL;
    if (name == NULL)
        return fail(parser, start, "'\\' starts no escape that JSON knows");
    ++parser->at;
    return push_bytes(parser, &values[name - names], 1);
}

// Length of the UTF-8 character at `bytes`, 0 if it is none: overlong forms, surrogates and what
// lies above U+10FFFF are refused.
static size_t utf8_length(const unsigned char *bytes, size_t size) {
    unsigned char c = bytes[0];
    size_t length = c < 0x80 ? 1 : c >= 0xC2 && c <= 0xDF ? 2 : (c & 0xF0) == 0xE0 ? 3 : 4;
    if (length > size || (length == 4 && (c < 0xF0 || c > 0xF4)))
        return 0;
    for (size_t i = 1; i < length; ++i)
        if ((bytes[i] & 0xC0) != 0x80)
            return 0;
    bool bad = (c == 0xE0 && bytes[1] < 0xA0) || (c == 0xED && bytes[1] > 0x9F) ||
               (c == 0xF0 && bytes[1] < 0x90) || (c == 0xF4 && bytes[1] > 0x8F);
    return bad ? 0 : length;
}

// Decodes the string that starts here into the document's strings.
static bool parse_string(Parser *parser, uint32_t *out_start, uint32_t *out_size) {
    JsonDoc *doc = parser->doc;
    size_t begin = parser->at++;
    uint32_t start = doc->string_size;
    for (;;) {
        int c = peek(parser);
        if (c < 0)
            return fail(parser, begin, "this string has no end");
        if (c == '"')
            break;
        if (c < 0x20)
            return fail(parser, parser->at,
                        "control character 0x%02X in a string: write it \\u%04x", c, c);
        if (c == '\\') {
            if (!parse_escape(parser))
                return false;
            continue;
        }
        const char *bytes = doc->text + parser->at;
        size_t length = utf8_length((const unsigned char *)bytes, doc->size - parser->at);
        if (length == 0)
            return fail(parser, parser->at, "byte 0x%02X is not UTF-8 here", c);
        if (!push_bytes(parser, bytes, length))
            return false;
        parser->at += length;
    }
    ++parser->at;
    *out_start = start;
    *out_size = doc->string_size - start;
    return push_bytes(parser, "", 1);
}

static Json *add_value(Parser *parser, JsonKind kind, uint32_t key) {
    JsonDoc *doc = parser->doc;
    if (doc->value_count == doc->value_capacity) {
        uint32_t capacity = doc->value_capacity * 2 + 64;
        Json *grown = realloc(doc->values, capacity * sizeof *grown);
        if (grown == NULL) {
            fail_memory(parser);
            return NULL;
        }
        doc->values = grown;
        doc->value_capacity = capacity;
    }
    uint32_t index = doc->value_count++;
    Json *value = &doc->values[index];
    memset(value, 0, sizeof *value);
    value->offset = (uint32_t)parser->at;
    value->kind = (uint16_t)kind;
    value->key = key;
    if (parser->depth > 0) {
        int level = parser->depth - 1;
        value->parent = parser->open[level];
        ++doc->values[value->parent].count;
        if (parser->last[level])
            doc->values[parser->last[level]].next = index;
        parser->last[level] = index;
    }
    return value;
}

static bool open_container(Parser *parser, JsonKind kind, uint32_t key) {
    if (parser->depth == JSON_MAX_DEPTH)
        return fail(parser, parser->at, "nested deeper than %d levels", JSON_MAX_DEPTH);
    if (add_value(parser, kind, key) == NULL)
        return false;
    parser->open[parser->depth] = parser->doc->value_count - 1;
    parser->last[parser->depth] = 0;
    ++parser->depth;
    ++parser->at;
    return true;
}

static bool parse_word(Parser *parser, const char *word, JsonKind kind, uint32_t key) {
    size_t length = strlen(word), left = parser->doc->size - parser->at;
    if (left < length || memcmp(parser->doc->text + parser->at, word, length) != 0)
        return fail(parser, parser->at, "expected a value; did you mean %s?", word);
    Json *value = add_value(parser, kind, key);
    if (value == NULL)
        return false;
    value->boolean = word[0] == 't';
    parser->at += length;
    return true;
}

static bool parse_number(Parser *parser, uint32_t key) {
    double number;
    const JsonDoc *doc = parser->doc;
    size_t length = sn__number_parse(doc->text + parser->at, doc->size - parser->at, &number);
    if (length == 0)
        return fail(parser, parser->at, "malformed number (JSON wants 0.5, not .5, 5., +5 or 05)");
    if (!isfinite(number))
        return fail(parser, parser->at, "this number is too large");
    Json *value = add_value(parser, JSON_NUMBER, key);
    if (value == NULL)
        return false;
    value->number = number;
    parser->at += length;
    return true;
}

static bool parse_string_value(Parser *parser, uint32_t key) {
    if (add_value(parser, JSON_STRING, key) == NULL)
        return false;
    uint32_t index = parser->doc->value_count - 1, start, size;
    if (!parse_string(parser, &start, &size))
        return false;
    parser->doc->values[index].string.start = start;
    parser->doc->values[index].string.size = size;
    return true;
}

// A scalar, or the opening bracket of a container.
static bool begin_value(Parser *parser, uint32_t key) {
    skip_space(parser);
    int c = peek(parser);
    switch (c) {
    case '{':
        return open_container(parser, JSON_OBJECT, key);
    case '[':
        return open_container(parser, JSON_ARRAY, key);
    case '"':
        return parse_string_value(parser, key);
    case 't':
        return parse_word(parser, "true", JSON_BOOL, key);
    case 'f':
        return parse_word(parser, "false", JSON_BOOL, key);
    case 'n':
        return parse_word(parser, "null", JSON_NULL, key);
    default:
        if (c == '-' || c == '+' || c == '.' || (c >= '0' && c <= '9'))
            return parse_number(parser, key);
        char text[24];
        return fail(parser, parser->at, "expected a value, found %s", found(parser, text));
    }
}

typedef struct Name {
    const char *text;
    uint32_t offset; // of the value
} Name;

static int compare_names(const void *a, const void *b) {
    const Name *left = a, *right = b;
    int order = strcmp(left->text, right->text);
    return order ? order : left->offset < right->offset ? -1 : left->offset > right->offset;
}

static bool check_duplicate_keys(Parser *parser, const Json *object) {
    const JsonDoc *doc = parser->doc;
    Name few[32];
    Name *names = object->count <= 32 ? few : malloc(object->count * sizeof *names);
    if (names == NULL)
        return fail_memory(parser);
    uint32_t count = 0;
    for (const Json *m = sn__json_first(object); m; m = sn__json_next(doc, m)) {
        names[count].text = sn__json_key(doc, m);
        names[count++].offset = m->offset;
    }
    qsort(names, count, sizeof *names, compare_names);
    bool unique = true;
    for (uint32_t i = 1; i < count && unique; ++i)
        if (strcmp(names[i - 1].text, names[i].text) == 0)
            unique = fail(parser, names[i].offset, "a second value for the key \"%.80s\"",
                          names[i].text);
    if (names != few)
        free(names);
    return unique;
}

static bool parse_key(Parser *parser, uint32_t *out_key) {
    char text[24];
    size_t begin = parser->at;
    if (peek(parser) != '"')
        return fail(parser, begin, "expected a key in double quotes, found %s",
                    found(parser, text));
    uint32_t size;
    if (!parse_string(parser, out_key, &size))
        return false;
    if (strlen(parser->doc->strings + *out_key) != size)
        return fail(parser, begin, "a key may not contain \\u0000");
    skip_space(parser);
    if (peek(parser) != ':')
        return fail(parser, parser->at, "expected ':' after the key, found %s",
                    found(parser, text));
    ++parser->at;
    return true;
}

// One more child of the innermost container, or its end.
static bool continue_container(Parser *parser) {
    uint32_t index = parser->open[parser->depth - 1];
    bool object = parser->doc->values[index].kind == JSON_OBJECT;
    char close = object ? '}' : ']', text[24];
    skip_space(parser);
    if (peek(parser) == close) {
        ++parser->at;
        --parser->depth;
        return !object || check_duplicate_keys(parser, &parser->doc->values[index]);
    }
    if (parser->doc->values[index].count > 0) {
        if (peek(parser) != ',')
            return fail(parser, parser->at, "expected ',' or '%c', found %s", close,
                        found(parser, text));
        ++parser->at;
        skip_space(parser);
        if (peek(parser) == close)
            return fail(parser, parser->at, "a comma before '%c'", close);
    }
    uint32_t key = 0;
    if (object && !parse_key(parser, &key))
        return false;
    return begin_value(parser, key);
}

static bool parse_document(Parser *parser) {
    const JsonDoc *doc = parser->doc;
    if (doc->size >= 3 && memcmp(doc->text, "\xEF\xBB\xBF", 3) == 0)
        parser->at = 3;
    if (!begin_value(parser, 0))
        return false;
    while (parser->depth > 0)
        if (!continue_container(parser))
            return false;
    skip_space(parser);
    char text[24];
    return parser->at == doc->size ||
           fail(parser, parser->at, "%s after the end of the document", found(parser, text));
}

SnResult sn__json_parse(const char *name, const char *text, size_t size, JsonDoc *out_doc,
                        int *out_line, int *out_column) {
    memset(out_doc, 0, sizeof *out_doc);
    out_doc->name = name;
    out_doc->text = text;
    out_doc->size = size;
    Parser parser = {.doc = out_doc, .error = sn_ok()};
    if (size > JSON_MAX_BYTES)
        parser.error = sn_error(SN_ERROR_LIMIT, "%s: %zu bytes are more than the limit of %u", name,
                                size, JSON_MAX_BYTES);
    else if (parse_document(&parser))
        return sn_ok();
    sn__json_free(out_doc);
    if (out_line && out_column)
        sn__json_locate(text, parser.error_at, out_line, out_column);
    return parser.error;
}

void sn__json_free(JsonDoc *doc) {
    free(doc->values);
    free(doc->strings);
    doc->values = NULL;
    doc->strings = NULL;
    doc->value_count = 0;
}
