// OFF: numbers of vertices and faces, and then these.
#include "io/mesh_build.h"

#define MOST_CORNERS 4096

// The next number, wherever its line is.
static bool next_integer(MeshText *text, int64_t *out) {
    while (!sn__text_integer(text, out)) {
        const char *word;
        size_t length;
        if (sn__text_word(text, &word, &length) || !sn__text_next_line(text))
            return false;
    }
    return true;
}

static bool next_number(MeshText *text, double *out) {
    while (!sn__text_number(text, out)) {
        const char *word;
        size_t length;
        if (sn__text_word(text, &word, &length) || !sn__text_next_line(text))
            return false;
    }
    return true;
}

static bool read_face(MeshBuild *build, MeshText *text) {
    int64_t count, corners[MOST_CORNERS];
    if (!next_integer(text, &count) || count < 0 || count > MOST_CORNERS) {
        sn__build_fail(build, text->line, "a face does not begin with the number of its corners");
        return false;
    }
    for (int k = 0; k < (int)count; ++k)
        if (!next_integer(text, &corners[k])) {
            sn__build_fail(build, text->line, "a corner of a face is missing");
            return false;
        }
    sn__build_face(build, corners, (int)count, 0, text->line);
    sn__text_next_line(text); // a colour may stand behind it
    return sn__build_is_good(build);
}

void sn__mesh_read_off(MeshBuild *build, const char *bytes, size_t size) {
    MeshText text = {bytes, bytes + size, 1};
    const char *word;
    size_t length;
    int64_t vertices, faces, edges;
    if (!sn__text_word(&text, &word, &length) || !sn__text_is(word, length, "OFF") ||
        !next_integer(&text, &vertices) || !next_integer(&text, &faces) ||
        !next_integer(&text, &edges)) {
        sn__build_fail(build, text.line,
                       "is no OFF: it does not begin with \"OFF\" and three numbers");
        return;
    }
    for (int64_t i = 0; i < vertices && sn__build_is_good(build); ++i) {
        double x[3];
        for (int c = 0; c < 3; ++c)
            if (!next_number(&text, &x[c])) {
                sn__build_fail(build, text.line, "a vertex is not three numbers");
                return;
            }
        sn__build_vertex(build, x, NULL, text.line);
    }
    for (int64_t i = 0; i < faces && sn__build_is_good(build); ++i)
        if (!read_face(build, &text))
            return;
}
