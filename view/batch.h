// Triangles on the graphics card.
#pragma once

#include "view/gl.h"
#include "view/triangles.h"

typedef struct ViewBatch {
    GLuint array, vertex_buffer, index_buffer;
    size_t index_count;
} ViewBatch;

ViewBatch view_batch_create(void);
void view_batch_destroy(ViewBatch *batch);
// Vertices are streamed; indices stay unless they are given.
void view_batch_upload(ViewBatch *batch, const ViewTriangles *triangles, bool with_indices);
void view_batch_draw(const ViewBatch *batch, GLuint program);
// Only the triangles of some of its indices.
void view_batch_draw_part(const ViewBatch *batch, GLuint program, size_t begin, size_t end);
