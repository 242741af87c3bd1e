#include "view/batch.h"

#include <stddef.h>

ViewBatch view_batch_create(void) {
    ViewBatch batch = {0};
    glGenVertexArrays(1, &batch.array);
    glGenBuffers(1, &batch.vertex_buffer);
    glGenBuffers(1, &batch.index_buffer);
    glBindVertexArray(batch.array);
    glBindBuffer(GL_ARRAY_BUFFER, batch.vertex_buffer);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, batch.index_buffer);
    const GLsizei stride = sizeof(ViewVertex);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, stride, (void *)offsetof(ViewVertex, position));
    glVertexAttribPointer(1, 4, GL_SHORT, GL_TRUE, stride, (void *)offsetof(ViewVertex, normal));
    glVertexAttribPointer(2, 2, GL_FLOAT, GL_FALSE, stride, (void *)offsetof(ViewVertex, pattern));
    glVertexAttribPointer(3, 4, GL_UNSIGNED_BYTE, GL_TRUE, stride,
                          (void *)offsetof(ViewVertex, colour));
    for (GLuint i = 0; i < 4; ++i)
        glEnableVertexAttribArray(i);
    glBindVertexArray(0);
    return batch;
}

void view_batch_destroy(ViewBatch *batch) {
    glDeleteVertexArrays(1, &batch->array);
    glDeleteBuffers(1, &batch->vertex_buffer);
    glDeleteBuffers(1, &batch->index_buffer);
    *batch = (ViewBatch){0};
}

void view_batch_upload(ViewBatch *batch, const ViewTriangles *triangles, bool with_indices) {
    glBindVertexArray(batch->array);
    glBindBuffer(GL_ARRAY_BUFFER, batch->vertex_buffer);
    glBufferData(GL_ARRAY_BUFFER,
                 (GLsizeiptr)(triangles->vertex_count * sizeof *triangles->vertices),
                 triangles->vertices, GL_STREAM_DRAW);
    if (with_indices) {
        glBufferData(GL_ELEMENT_ARRAY_BUFFER,
                     (GLsizeiptr)(triangles->index_count * sizeof *triangles->indices),
                     triangles->indices, GL_DYNAMIC_DRAW);
        batch->index_count = triangles->index_count;
    }
}

void view_batch_draw_part(const ViewBatch *batch, GLuint program, size_t begin, size_t end) {
    if (begin < end) {
        glUseProgram(program);
        glBindVertexArray(batch->array);
        glDrawElements(GL_TRIANGLES, (GLsizei)(end - begin), GL_UNSIGNED_INT,
                       (void *)(begin * sizeof(uint32_t)));
    }
}

void view_batch_draw(const ViewBatch *batch, GLuint program) {
    view_batch_draw_part(batch, program, 0, batch->index_count);
}
