// Wavefront OBJ: vertices with or without colours, faces of any number of corners, names of materials.
#include "io/mesh_build.h"

#define MOST_CORNERS 4096

// "7", "7/1", "7//2" or "7/1/2", from 1 on, or from −1 backwards: the vertex is the first number.
static bool read_corner(const char *word, size_t length, int vertex_count, int64_t *out) {
    int64_t value = 0;
    size_t i = length > 0 && word[0] == '-', digits = 0;
    for (; i < length && word[i] >= '0' && word[i] <= '9' && value < INT32_MAX; ++i, ++digits)
        value = 10 * value + (word[i] - '0');
    if (digits == 0 || (i < length && word[i] != '/'))
        return false;
    *out = word[0] == '-' ? vertex_count - value : value - 1;
    return true;
}

static void read_vertex(MeshBuild *build, MeshText *text) {
    double x[3], more[4];
    int count = 0;
    for (int c = 0; c < 3; ++c)
        if (!sn__text_number(text, &x[c])) {
            sn__build_fail(build, text->line, "a vertex is not three numbers");
            return;
        }
    while (count < 4 && sn__text_number(text, &more[count]))
        ++count;
    float colour[3] = {(float)more[0], 0.0f, 0.0f};
    if (count == 3) {
        colour[1] = (float)more[1];
        colour[2] = (float)more[2];
    }
    sn__build_vertex(build, x, count == 3 ? colour : NULL,
                     text->line); // one more number is a weight
}

static void read_face(MeshBuild *build, MeshText *text, int material) {
    int64_t corners[MOST_CORNERS];
    int count = 0;
    const char *word;
    size_t length;
    while (sn__text_word(text, &word, &length)) {
        if (count == MOST_CORNERS) {
            sn__build_fail(build, text->line, "a face has more than 4096 corners");
            return;
        }
        if (!read_corner(word, length, build->vertex_count, &corners[count++])) {
            sn__build_fail(build, text->line,
                           "a corner of a face is not a number, n/n, n//n or n/n/n");
            return;
        }
    }
    sn__build_face(build, corners, count, material, text->line);
}

void sn__mesh_read_obj(MeshBuild *build, const char *bytes, size_t size) {
    MeshText text = {bytes, bytes + size, 1};
    int material = 0;
    const char *word;
    size_t length;
    do {
        if (!sn__text_word(&text, &word, &length))
            continue;
        if (sn__text_is(word, length, "v"))
            read_vertex(build, &text);
        else if (sn__text_is(word, length, "f"))
            read_face(build, &text, material);
        else if (sn__text_is(word, length, "usemtl") && sn__text_word(&text, &word, &length))
            material = sn__build_material(build, word, length);
    } while (sn__build_is_good(build) && sn__text_next_line(&text));
}
