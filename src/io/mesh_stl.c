// STL, binary and as text.
#include "io/mesh_build.h"

#include <string.h>

#define HEADER 80
#define FACET 50 // bytes: a normal, three corners, two bytes of anything

static uint32_t little32(const unsigned char *p) {
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static double little_float(const unsigned char *p) {
    uint32_t bits = little32(p);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static void end_facet(MeshBuild *build, int line) {
    int64_t last = build->vertex_count;
    sn__build_face(build, (const int64_t[3]){last - 3, last - 2, last - 1}, 3, 0, line);
}

static void read_binary(MeshBuild *build, const unsigned char *bytes, uint32_t count) {
    for (uint32_t k = 0; k < count && sn__build_is_good(build); ++k) {
        const unsigned char *corner = bytes + HEADER + 4 + (size_t)k * FACET + 12;
        for (int v = 0; v < 3; ++v, corner += 12) {
            double x[3] = {little_float(corner), little_float(corner + 4),
                           little_float(corner + 8)};
            sn__build_vertex(build, x, NULL, 0);
        }
        if (sn__build_is_good(build))
            end_facet(build, 0);
    }
}

static void read_text(MeshBuild *build, const char *bytes, size_t size) {
    MeshText text = {bytes, bytes + size, 1};
    const char *word;
    size_t length;
    int corners = 0;
    do {
        if (!sn__text_word(&text, &word, &length))
            continue;
        if (sn__text_is(word, length, "vertex")) {
            double x[3];
            for (int c = 0; c < 3; ++c)
                if (!sn__text_number(&text, &x[c])) {
                    sn__build_fail(build, text.line, "a vertex is not three numbers");
                    return;
                }
            sn__build_vertex(build, x, NULL, text.line);
            if (++corners % 3 == 0 && sn__build_is_good(build))
                end_facet(build, text.line);
        }
    } while (sn__build_is_good(build) && sn__text_next_line(&text));
    if (corners % 3 != 0)
        sn__build_fail(build, text.line, "the last facet has no three vertices");
}

// Binary files may begin with "solid", too: their size tells.
void sn__mesh_read_stl(MeshBuild *build, const char *bytes, size_t size) {
    const unsigned char *data = (const unsigned char *)bytes;
    uint32_t count = size >= HEADER + 4 ? little32(data + HEADER) : 0;
    bool binary = size >= HEADER + 4 && size - HEADER - 4 == (uint64_t)count * FACET;
    if (binary)
        read_binary(build, data, count);
    else if (size >= 5 && memcmp(bytes, "solid", 5) == 0)
        read_text(build, bytes, size);
    else
        sn__build_fail(build, 0,
                       "is no STL: it does not begin with \"solid\", and has not the size "
                       "that a binary one tells");
}
