// PLY, as text and binary in either order of bytes: vertices with or without colours, and faces.
#include "io/mesh_build.h"

#include <string.h>

#define MOST_ELEMENTS 16
#define MOST_PROPERTIES 64
#define MOST_CORNERS 4096

typedef enum PlyType {
    PLY_I8,
    PLY_U8,
    PLY_I16,
    PLY_U16,
    PLY_I32,
    PLY_U32,
    PLY_F32,
    PLY_F64
} PlyType;
typedef enum PlyOrder { PLY_TEXT, PLY_LITTLE, PLY_BIG } PlyOrder;
typedef enum PlyUse {
    USE_NONE,
    USE_X,
    USE_Y,
    USE_Z,
    USE_RED,
    USE_GREEN,
    USE_BLUE,
    USE_CORNERS
} PlyUse;

typedef struct PlyProperty {
    PlyType type, count_type;
    bool list;
    PlyUse use;
} PlyProperty;

typedef struct PlyElement {
    bool vertex, face;
    int64_t count;
    int property_count;
    PlyProperty properties[MOST_PROPERTIES];
} PlyElement;

typedef struct Ply {
    MeshBuild *build;
    MeshText text;
    PlyOrder order;
    int element_count;
    PlyElement elements[MOST_ELEMENTS];
} Ply;

static bool fail(Ply *ply, const char *what) {
    sn__build_fail(ply->build, ply->text.line, what);
    return false;
}

static bool read_type(Ply *ply, PlyType *out) {
    static const char *const names[2][8] = {
        {"char", "uchar", "short", "ushort", "int", "uint", "float", "double"},
        {"int8", "uint8", "int16", "uint16", "int32", "uint32", "float32", "float64"}};
    const char *word;
    size_t length;
    if (sn__text_word(&ply->text, &word, &length))
        for (int k = 0; k < 16; ++k)
            if (sn__text_is(word, length, names[k / 8][k % 8])) {
                *out = (PlyType)(k % 8);
                return true;
            }
    return fail(ply, "a property is of no type that PLY has");
}

static PlyUse use_of(const char *word, size_t length, bool list) {
    static const char *const names[] = {"x", "y", "z", "red", "green", "blue"};
    for (int k = 0; k < 6 && !list; ++k)
        if (sn__text_is(word, length, names[k]))
            return (PlyUse)(USE_X + k);
    bool corners =
        sn__text_is(word, length, "vertex_indices") || sn__text_is(word, length, "vertex_index");
    return list && corners ? USE_CORNERS : USE_NONE;
}

static bool read_property(Ply *ply) {
    PlyElement *e = ply->element_count > 0 ? &ply->elements[ply->element_count - 1] : NULL;
    if (e == NULL || e->property_count == MOST_PROPERTIES)
        return fail(ply, "a property without an element, or more than 64 of them");
    PlyProperty *p = &e->properties[e->property_count];
    MeshText before = ply->text;
    const char *word;
    size_t length;
    p->list = sn__text_word(&ply->text, &word, &length) && sn__text_is(word, length, "list");
    if (!p->list)
        ply->text = before;
    if ((p->list && !read_type(ply, &p->count_type)) || !read_type(ply, &p->type))
        return false;
    if (!sn__text_word(&ply->text, &word, &length))
        return fail(ply, "a property has no name");
    p->use = use_of(word, length, p->list);
    ++e->property_count;
    return true;
}

static bool read_element(Ply *ply) {
    const char *word;
    size_t length;
    int64_t count;
    if (ply->element_count == MOST_ELEMENTS)
        return fail(ply, "more than 16 elements");
    if (!sn__text_word(&ply->text, &word, &length) || !sn__text_integer(&ply->text, &count) ||
        count < 0)
        return fail(ply, "an element is not a name and a number");
    ply->elements[ply->element_count++] =
        (PlyElement){.vertex = sn__text_is(word, length, "vertex"),
                     .face = sn__text_is(word, length, "face"),
                     .count = count};
    return true;
}

static bool read_format(Ply *ply) {
    static const char *const names[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    const char *word;
    size_t length;
    if (sn__text_word(&ply->text, &word, &length))
        for (int k = 0; k < 3; ++k)
            if (sn__text_is(word, length, names[k])) {
                ply->order = (PlyOrder)k;
                return true;
            }
    return fail(ply, "the format is none of ascii, binary_little_endian, binary_big_endian");
}

static bool read_header(Ply *ply) {
    const char *word;
    size_t length;
    if (!sn__text_word(&ply->text, &word, &length) || !sn__text_is(word, length, "ply"))
        return fail(ply, "is no PLY: it does not begin with \"ply\"");
    while (sn__text_next_line(&ply->text)) {
        if (!sn__text_word(&ply->text, &word, &length))
            continue;
        bool good = true;
        if (sn__text_is(word, length, "end_header")) {
            sn__text_next_line(&ply->text);
            return true;
        }
        if (sn__text_is(word, length, "format"))
            good = read_format(ply);
        else if (sn__text_is(word, length, "element"))
            good = read_element(ply);
        else if (sn__text_is(word, length, "property"))
            good = read_property(ply);
        if (!good)
            return false;
    }
    return fail(ply, "the header has no end");
}

static double from_bytes(const unsigned char *p, PlyType type, bool little) {
    static const int sizes[] = {1, 1, 2, 2, 4, 4, 4, 8};
    uint64_t bits = 0;
    for (int k = 0; k < sizes[type]; ++k)
        bits |= (uint64_t)p[little ? k : sizes[type] - 1 - k] << 8 * k;
    float single;
    double value;
    uint32_t low = (uint32_t)bits;
    switch (type) {
    case PLY_I8:
        return (double)(int8_t)bits;
    case PLY_I16:
        return (double)(int16_t)bits;
    case PLY_I32:
        return (double)(int32_t)low;
    case PLY_F32:
        memcpy(&single, &low, sizeof single);
        return (double)single;
    case PLY_F64:
        memcpy(&value, &bits, sizeof value);
        return value;
    case PLY_U8:
    case PLY_U16:
    case PLY_U32:
        break;
    }
    return (double)bits;
}

static bool read_value(Ply *ply, PlyType type, double *out) {
    static const size_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 8};
    if (ply->order != PLY_TEXT) {
        if ((size_t)(ply->text.end - ply->text.at) < sizes[type])
            return fail(ply, "the file ends too early");
        *out = from_bytes((const unsigned char *)ply->text.at, type, ply->order == PLY_LITTLE);
        ply->text.at += sizes[type];
        return true;
    }
    // Values of one element may stand on several lines.
    while (!sn__text_number(&ply->text, out)) {
        const char *word;
        size_t length;
        if (sn__text_word(&ply->text, &word, &length) || !sn__text_next_line(&ply->text))
            return fail(ply, "a number is missing, or is none");
    }
    return true;
}

static bool read_list(Ply *ply, const PlyProperty *p) {
    double count, value;
    int64_t corners[MOST_CORNERS];
    if (!read_value(ply, p->count_type, &count))
        return false;
    if (!(count >= 0.0 && count <= MOST_CORNERS))
        return fail(ply, "a list has more than 4096 numbers");
    for (int k = 0; k < (int)count; ++k) {
        if (!read_value(ply, p->type, &value))
            return false;
        if (!(value >= -1.0 && value < 4294967296.0))
            value = -1.0;
        corners[k] = (int64_t)value;
    }
    if (p->use == USE_CORNERS)
        sn__build_face(ply->build, corners, (int)count, 0, ply->text.line);
    return sn__build_is_good(ply->build);
}

static bool read_item(Ply *ply, const PlyElement *e) {
    double x[3] = {0.0, 0.0, 0.0};
    float colour[3] = {1.0f, 1.0f, 1.0f};
    bool coloured = false;
    for (int k = 0; k < e->property_count; ++k) {
        const PlyProperty *p = &e->properties[k];
        double value;
        if (p->list) {
            if (!read_list(ply, p))
                return false;
            continue;
        }
        if (!read_value(ply, p->type, &value))
            return false;
        if (p->use >= USE_X && p->use <= USE_Z)
            x[p->use - USE_X] = value;
        if (p->use >= USE_RED && p->use <= USE_BLUE) {
            coloured = true;
            colour[p->use - USE_RED] = (float)(p->type == PLY_U8 ? value / 255.0 : value);
        }
    }
    if (e->vertex)
        sn__build_vertex(ply->build, x, coloured ? colour : NULL, ply->text.line);
    return sn__build_is_good(ply->build);
}

void sn__mesh_read_ply(MeshBuild *build, const char *bytes, size_t size) {
    Ply ply = {.build = build, .text = {bytes, bytes + size, 1}};
    if (!read_header(&ply))
        return;
    for (int k = 0; k < ply.element_count; ++k) {
        const PlyElement *e = &ply.elements[k];
        // Elements without properties take nothing, however many there are said to be.
        for (int64_t i = 0; i < e->count && e->property_count > 0; ++i)
            if (!read_item(&ply, e))
                return;
    }
}
