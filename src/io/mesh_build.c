#include "io/mesh_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/mesh.h"
#include "io/number.h"
#include "sinew/math.h"

void sn__build_fail(MeshBuild *build, int line, const char *what) {
    if (!sn__build_is_good(build))
        return;
    build->result = line > 0 ? sn_error(SN_ERROR_FORMAT, "%s:%d: %s", build->path, line, what)
                             : sn_error(SN_ERROR_FORMAT, "%s: %s", build->path, what);
}

// Room for `count` more elements.
static bool grow(MeshBuild *build, void **array, int *capacity, int used, int count, size_t size) {
    if (used > MESH_LIMIT - count) {
        build->result = sn_error(SN_ERROR_LIMIT, "%s: more than %d vertices or triangles",
                                 build->path, MESH_LIMIT);
        return false;
    }
    if (used + count <= *capacity)
        return true;
    int grown = used + count > 2 * *capacity ? used + count + 16 : 2 * *capacity;
    void *memory = realloc(*array, (size_t)grown * size);
    if (memory == NULL) {
        build->result = sn_error(SN_ERROR_MEMORY, "%s: no memory for its mesh", build->path);
        return false;
    }
    *array = memory;
    *capacity = grown;
    return true;
}

void sn__build_vertex(MeshBuild *build, const double position[3], const float *colour, int line) {
    static const float white[3] = {1.0f, 1.0f, 1.0f};
    int k = build->vertex_count;
    if (!sn__build_is_good(build) ||
        !grow(build, (void **)&build->positions, &build->position_capacity, k, 1,
              sizeof *build->positions) ||
        !grow(build, (void **)&build->colours, &build->colour_capacity, k, 1,
              sizeof *build->colours))
        return;
    for (int c = 0; c < 3; ++c)
        if (!(fabs(position[c]) <= (double)SN_MAX_POSITION)) {
            sn__build_fail(build, line, "a position is not within 1e9 m");
            return;
        }
    build->positions[k] = sn_vec3((float)position[0], (float)position[1], (float)position[2]);
    memcpy(build->colours[k], colour ? colour : white, sizeof white);
    build->coloured |= colour != NULL;
    ++build->vertex_count;
}

static void add_triangle(MeshBuild *build, const int64_t corners[3], int material) {
    if (!grow(build, (void **)&build->corners, &build->corner_capacity, build->corner_count, 3,
              sizeof *build->corners) ||
        !grow(build, (void **)&build->materials, &build->material_capacity, build->corner_count / 3,
              1, sizeof *build->materials))
        return;
    build->materials[build->corner_count / 3] = material;
    for (int c = 0; c < 3; ++c)
        build->corners[build->corner_count++] = (uint32_t)corners[c];
}

void sn__build_face(MeshBuild *build, const int64_t *corners, int count, int material, int line) {
    for (int c = 0; c < count; ++c)
        if (corners[c] < 0 || corners[c] >= build->vertex_count) {
            sn__build_fail(build, line, "a face has a corner that is no vertex before it");
            return;
        }
    for (int c = 2; c < count && sn__build_is_good(build); ++c)
        add_triangle(build, (const int64_t[3]){corners[0], corners[c - 1], corners[c]}, material);
}

int sn__build_material(MeshBuild *build, const char *name, size_t length) {
    char cut[PAINTED_NAME] = "";
    memcpy(cut, name, length < sizeof cut ? length : sizeof cut - 1);
    for (int k = 0; k < build->name_count; ++k)
        if (strcmp(build->names[k], cut) == 0)
            return k;
    if (!grow(build, (void **)&build->names, &build->name_capacity, build->name_count, 1,
              sizeof *build->names))
        return 0;
    memcpy(build->names[build->name_count], cut, sizeof cut);
    return build->name_count++;
}

static bool copy_out(const MeshBuild *build, const SnAllocator *allocator, PaintedMesh *out) {
    int triangles = build->corner_count / 3, names = build->name_count > 0 ? build->name_count : 1;
    if (!sn__mesh_create(allocator, build->vertex_count, triangles, &out->mesh) ||
        !sn__painted_mesh_make_room(out, names, build->coloured))
        return false;
    memcpy(out->mesh.positions, build->positions,
           (size_t)build->vertex_count * sizeof *build->positions);
    memcpy(out->mesh.triangles, build->corners,
           (size_t)build->corner_count * sizeof *build->corners);
    memcpy(out->materials, build->materials, (size_t)triangles * sizeof *build->materials);
    out->material_count = names;
    for (int k = 0; k < build->name_count; ++k)
        memcpy(out->material_names[k], build->names[k], sizeof build->names[k]);
    for (int c = 0; build->coloured && c < build->corner_count; ++c)
        memcpy(out->colours[c], build->colours[build->corners[c]], sizeof out->colours[c]);
    return sn__mesh_weld(&out->mesh) && sn__mesh_make_normals(&out->mesh);
}

SnResult sn__build_end(MeshBuild *build, const SnAllocator *allocator, PaintedMesh *out) {
    *out = (PaintedMesh){0};
    if (build->corner_count == 0)
        sn__build_fail(build, 0, "has no triangles");
    if (sn__build_is_good(build) && !copy_out(build, allocator, out)) {
        sn__painted_mesh_destroy(out);
        build->result = sn_error(SN_ERROR_MEMORY, "%s: no memory for its mesh", build->path);
    }
    free(build->positions);
    free(build->colours);
    free(build->corners);
    free(build->materials);
    free(build->names);
    return build->result;
}

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

bool sn__text_word(MeshText *text, const char **out_word, size_t *out_length) {
    for (;;) {
        while (text->at < text->end && is_space(*text->at))
            ++text->at;
        // A backslash at the end of a line goes on with the next.
        const char *next = text->at;
        if (next >= text->end || *next != '\\')
            break;
        for (++next; next < text->end && is_space(*next);)
            ++next;
        if (next >= text->end || *next != '\n')
            break;
        text->at = next + 1;
        ++text->line;
    }
    if (text->at >= text->end || *text->at == '\n' || *text->at == '#')
        return false;
    const char *word = text->at;
    while (text->at < text->end && !is_space(*text->at) && *text->at != '\n')
        ++text->at;
    *out_word = word;
    *out_length = (size_t)(text->at - word);
    return true;
}

bool sn__text_next_line(MeshText *text) {
    while (text->at < text->end && *text->at != '\n')
        ++text->at;
    if (text->at >= text->end)
        return false;
    ++text->at;
    ++text->line;
    return text->at < text->end;
}

bool sn__text_is(const char *word, size_t length, const char *expected) {
    return strlen(expected) == length && memcmp(word, expected, length) == 0;
}

// JSON's grammar has neither a plus in front nor a point without digits on both sides.
static bool parse_number(const char *word, size_t length, double *out) {
    char text[80];
    size_t used = 0;
    if (length > 60)
        return false;
    for (size_t i = 0; i < length; ++i) {
        bool digit_before = i > 0 && word[i - 1] >= '0' && word[i - 1] <= '9';
        bool digit_after = i + 1 < length && word[i + 1] >= '0' && word[i + 1] <= '9';
        if (i == 0 && word[i] == '+')
            continue;
        if (word[i] == '.' && !digit_before)
            text[used++] = '0';
        text[used++] = word[i];
        if (word[i] == '.' && !digit_after)
            text[used++] = '0';
    }
    // Nor has it zeros in front, as in 007.
    size_t start = used > 0 && text[0] == '-', zeros = start;
    while (zeros + 1 < used && text[zeros] == '0' && text[zeros + 1] >= '0' &&
           text[zeros + 1] <= '9')
        ++zeros;
    memmove(text + start, text + zeros, used - zeros);
    used -= zeros - start;
    return used > 0 && sn__number_parse(text, used, out) == used;
}

bool sn__text_number(MeshText *text, double *out_value) {
    const char *word;
    size_t length;
    return sn__text_word(text, &word, &length) && parse_number(word, length, out_value);
}

bool sn__text_integer(MeshText *text, int64_t *out_value) {
    double value;
    if (!sn__text_number(text, &value) || !(fabs(value) <= 9e15) || value != floor(value))
        return false;
    *out_value = (int64_t)value;
    return true;
}
