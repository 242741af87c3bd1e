// Triangles on the graphics card.
#pragma once

#include "view/gl.h"
#include "view/triangles.h"

typedef struct SnvBatch {
    GLuint array, vertex_buffer, index_buffer;
    size_t index_count;
} SnvBatch;

SnvBatch snv__batch_create(void);
void snv__batch_destroy(SnvBatch *batch);
// Vertices are streamed; indices stay unless they are given.
void snv__batch_upload(SnvBatch *batch, const SnvTriangles *triangles, bool with_indices);
void snv__batch_draw(const SnvBatch *batch, GLuint program);
// Only the triangles of some of its indices.
void snv__batch_draw_part(const SnvBatch *batch, GLuint program, size_t begin, size_t end);
