#include "io/reader.h"

#include "io/number.h"
#include "io/rotation.h"
#include "io/tables.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void sn__reader_error(Reader *reader, const Json *value, const char *format, ...) {
    SnSceneErrors *errors = reader->errors;
    if (errors->count == SN_MAX_SCENE_ERRORS) {
        errors->more = true;
        return;
    }
    SnSceneError *error = &errors->items[errors->count++];
    char path[128], message[252];
    sn__json_path(&reader->doc, value, path, sizeof path);
    sn__json_position(&reader->doc, value, &error->line, &error->column);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    SnResult whole = sn_error(SN_ERROR_FORMAT, "%s:%d:%d: %s: %s", reader->doc.name, error->line,
                              error->column, path, message);
    memcpy(error->message, whole.message, sizeof error->message);
}

const char *sn__reader_describe(const Reader *reader, const Json *value,
                                char text[VALUE_TEXT_SIZE]) {
    static const char *const kinds[] = {"null", "", "", "", "an array", "an object"};
    switch (value->kind) {
    case JSON_BOOL:
        return value->boolean ? "true" : "false";
    case JSON_NUMBER:
        sn__number_format_double(text, value->number);
        return text;
    case JSON_STRING:
        snprintf(text, VALUE_TEXT_SIZE, "\"%.40s\"", sn__json_string(&reader->doc, value));
        return text;
    default:
        return kinds[value->kind];
    }
}

void *sn__reader_alloc(Reader *reader, size_t count, size_t element_size) {
    void *memory = sn__arena_alloc(reader->arena, count, element_size);
    reader->out_of_memory |= memory == NULL;
    return memory;
}

bool sn__read_kind(Reader *reader, const Json *value, JsonKind kind, const char *wanted) {
    if (value->kind == kind)
        return true;
    char text[VALUE_TEXT_SIZE];
    sn__reader_error(reader, value, "%s is not %s", sn__reader_describe(reader, value, text),
                     wanted);
    return false;
}

bool sn__read_array(Reader *reader, const Json *value) {
    return sn__read_kind(reader, value, JSON_ARRAY,
                         value->kind == JSON_OBJECT
                             ? "an array; write [{…}, …], with brackets also around a single one"
                             : "an array […]");
}

bool sn__read_double(Reader *reader, const Json *value, Range range, double *out) {
    const char *digits = value->kind == JSON_STRING
                             ? "a number: digits without quotes and units, as "
                               "0.02 or 2e-2, in the units of SI"
                             : "a number";
    if (!sn__read_kind(reader, value, JSON_NUMBER, digits))
        return false;
    if (!sn__range_holds(range, value->number)) {
        char text[VALUE_TEXT_SIZE], wanted[80];
        sn__range_text(range, wanted, sizeof wanted);
        sn__reader_error(reader, value, "%s is not %s", sn__reader_describe(reader, value, text),
                         wanted);
        return false;
    }
    *out = value->number;
    return true;
}

bool sn__read_float(Reader *reader, const Json *value, Range range, float *out) {
    double number;
    if (!sn__read_double(reader, value, range, &number))
        return false;
    // A tiny positive number must not become a forbidden zero.
    if (range.open_min && (float)number <= (float)range.min) {
        char text[VALUE_TEXT_SIZE];
        sn__reader_error(reader, value, "%s is too small for single precision",
                         sn__reader_describe(reader, value, text));
        return false;
    }
    *out = (float)number;
    return true;
}

bool sn__read_int(Reader *reader, const Json *value, Range range, int *out) {
    double number;
    if (!sn__read_double(reader, value, range, &number))
        return false;
    if (number != floor(number) || fabs(number) > 2147483647.0) {
        char text[VALUE_TEXT_SIZE];
        sn__reader_error(reader, value, "%s is not a whole number",
                         sn__reader_describe(reader, value, text));
        return false;
    }
    *out = (int)number;
    return true;
}

bool sn__read_bool(Reader *reader, const Json *value, bool *out) {
    if (!sn__read_kind(reader, value, JSON_BOOL, "true or false"))
        return false;
    *out = value->boolean;
    return true;
}

// `count` numbers; all of them or none.
static bool read_numbers(Reader *reader, const Json *value, Range range, int count, float *out,
                         const char *wanted) {
    if (!sn__read_kind(reader, value, JSON_ARRAY, wanted))
        return false;
    if (value->count != (uint32_t)count) {
        sn__reader_error(reader, value, "an array of %u is not %s", value->count, wanted);
        return false;
    }
    float numbers[4];
    int i = 0;
    for (const Json *v = sn__json_first(value); v; v = sn__json_next(&reader->doc, v))
        if (!sn__read_float(reader, v, range, &numbers[i++]))
            return false;
    memcpy(out, numbers, (size_t)count * sizeof *out);
    return true;
}

bool sn__read_vec3(Reader *reader, const Json *value, Range range, SnVec3 *out) {
    return read_numbers(reader, value, range, 3, &out->x, "three numbers [x, y, z]");
}

static bool read_axis_angle(Reader *reader, const Json *value, SnQuat *out) {
    AxisAngle turn = {{0, 0, 0}, 0};
    if (!sn__read_object(reader, value, &sn__table_rotation, &turn))
        return false;
    if (!(lengthd(vec3d(turn.axis)) > 0)) {
        sn__reader_error(reader, value, "the axis has no length");
        return false;
    }
    *out = quatf(sn__rotation_about(vec3d(turn.axis), (double)turn.angle));
    return true;
}

bool sn__read_rotation(Reader *reader, const Json *value, SnQuat *out) {
    if (value->kind == JSON_OBJECT)
        return read_axis_angle(reader, value, out);
    SnQuat q;
    Range range = RANGE_ANY;
    if (!read_numbers(reader, value, range, 4, &q.x,
                      "a quaternion [x, y, z, w] or {\"axis\", \"angle\"}"))
        return false;
    Quatd wide = quatd(q);
    double length = sqrt(wide.x * wide.x + wide.y * wide.y + wide.z * wide.z + wide.w * wide.w);
    if (!(fabs(length - 1) < 0.01)) {
        char text[NUMBER_SIZE];
        sn__number_format_float(text, (float)length);
        sn__reader_error(reader, value, "a quaternion of length %s is not of length 1", text);
        return false;
    }
    *out = quatf(normalisedq(wide));
    return true;
}

bool sn__read_text(Reader *reader, const Json *value, const char **out) {
    if (!sn__read_kind(reader, value, JSON_STRING, "a text"))
        return false;
    const char *text = sn__json_string(&reader->doc, value);
    if (strlen(text) != value->string.size) {
        sn__reader_error(reader, value, "a text may not contain \\u0000");
        return false;
    }
    char *copy = sn__arena_text(reader->arena, text, value->string.size);
    reader->out_of_memory |= copy == NULL;
    if (copy)
        *out = copy;
    return copy != NULL;
}

// As many of the names as there is room for, and "…" for the rest.
static void list_names(const char *const *names, int count, char *list, size_t room) {
    static const char rest[] = "…";
    size_t length = 0;
    for (int i = 0; i < count; ++i) {
        const char *comma = i > 0 ? ", " : "";
        size_t after = i + 1 < count ? strlen(", ") + sizeof rest : 1; // with the zero at the end
        bool fits = length + strlen(comma) + strlen(names[i]) + after <= room;
        if (fits || length + strlen(comma) + sizeof rest <= room)
            length += (size_t)sprintf(list + length, "%s%s", comma, fits ? names[i] : rest);
        if (!fits)
            return;
    }
}

void sn__reader_unknown(Reader *reader, const Json *value, const char *what, const char *word,
                        const char *const *names, int count) {
    const char *nearest = sn__nearest_name(word, names, count);
    if (nearest) {
        sn__reader_error(reader, value, "unknown %s \"%.60s\"; did you mean \"%s\"?", what, word,
                         nearest);
        return;
    }
    char path[128], list[160] = "";
    sn__json_path(&reader->doc, value, path, sizeof path);
    size_t others = strlen(reader->doc.name) + strlen(path) + strlen(what) + strlen(word);
    size_t room = sizeof((SnSceneError *)0)->message,
           frame = sizeof ":123456:1234: : unknown \"\"; there are: ";
    room = room > others + frame ? room - others - frame : 0;
    list_names(names, count, list, room < sizeof list ? room : sizeof list);
    sn__reader_error(reader, value, "unknown %s \"%.60s\"; %s%s", what, word,
                     count ? "there are: " : "there is none", list);
}

bool sn__read_word(Reader *reader, const Json *value, const char *const *words, int count,
                   int *out) {
    if (!sn__read_kind(reader, value, JSON_STRING, "a text"))
        return false;
    const char *text = sn__json_string(&reader->doc, value);
    for (int i = 0; i < count; ++i)
        if (strcmp(text, words[i]) == 0) {
            *out = i;
            return true;
        }
    sn__reader_unknown(reader, value, "word", text, words, count);
    return false;
}

static bool read_key(Reader *reader, const Json *value, const KeyField *key, void *base) {
    void *field = key->type == KEY_OTHER ? NULL : (char *)base + key->offset;
    switch (key->type) {
    case KEY_FLOAT:
        return sn__read_float(reader, value, key->range, field);
    case KEY_DOUBLE:
        return sn__read_double(reader, value, key->range, field);
    case KEY_INT:
        return sn__read_int(reader, value, key->range, field);
    case KEY_BOOL:
        return sn__read_bool(reader, value, field);
    case KEY_VEC3:
        return sn__read_vec3(reader, value, key->range, field);
    case KEY_ROTATION:
        return sn__read_rotation(reader, value, field);
    case KEY_TEXT:
        return sn__read_text(reader, value, field);
    case KEY_OTHER:
        break;
    }
    return true;
}

static void unknown_key(Reader *reader, const Json *member, const KeyTable *table) {
    const char *names[MAX_KEY_NAMES];
    int count = sn__key_names(table, false, names);
    sn__reader_unknown(reader, member, "key", sn__json_key(&reader->doc, member), names, count);
}

bool sn__read_object(Reader *reader, const Json *object, const KeyTable *table, void *base) {
    if (!sn__read_kind(reader, object, JSON_OBJECT, "an object {…}"))
        return false;
    bool good = true;
    for (const Json *m = sn__json_first(object); m; m = sn__json_next(&reader->doc, m)) {
        const KeyField *key = sn__key_find(table, sn__json_key(&reader->doc, m));
        if (key == NULL) {
            unknown_key(reader, m, table);
            good = false;
        } else {
            good = read_key(reader, m, key, base) && good;
        }
    }
    for (; table; table = table->base)
        for (int i = 0; i < table->count; ++i) {
            const char *name = table->keys[i].name;
            if (table->keys[i].required && sn__json_member(&reader->doc, object, name) == NULL) {
                sn__reader_error(reader, object, "\"%s\" is missing", name);
                good = false;
            }
        }
    return good;
}
