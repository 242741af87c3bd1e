#include "view/overlay.h"

#include "view/font.h"
#include "view/gl.h"
#include "view/shaders.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_TEXT 2048
#define LINE_HEIGHT 1.9f // in heights of a capital
#define MARGIN 1.2f      // around the text, and around the panel
#define COLUMN_GAP 1.6f

struct ViewOverlay {
    GLuint program, texture, array;
    GLint place;
    char text[MOST_TEXT]; // on the texture
    float size;
    int width, height;
};

SnResult view_overlay_create(ViewOverlay **out_overlay) {
    *out_overlay = NULL;
    ViewOverlay *overlay = calloc(1, sizeof *overlay);
    if (overlay == NULL)
        return sn_error(SN_ERROR_MEMORY, "view: no memory for an overlay");
    SnResult result = view_program_create("panel", view_glsl_panel_vertex, view_glsl_panel_fragment,
                                          &overlay->program);
    if (result.code != SN_OK) {
        free(overlay);
        return result;
    }
    overlay->place = glGetUniformLocation(overlay->program, "place");
    view_program_sampler(overlay->program, "panel_map", 0);
    glGenVertexArrays(1, &overlay->array);
    overlay->texture = view_texture_create(GL_RGBA8, 1, 1, 0);
    *out_overlay = overlay;
    return result;
}

void view_overlay_destroy(ViewOverlay *overlay) {
    if (overlay) {
        glDeleteProgram(overlay->program);
        glDeleteTextures(1, &overlay->texture);
        glDeleteVertexArrays(1, &overlay->array);
        free(overlay);
    }
}

// A line of the text, cut at its tab. Moves *at behind it; false at the end.
typedef struct Line {
    char columns[2][128];
} Line;

static bool next_line(const char **at, Line *line) {
    memset(line, 0, sizeof *line);
    if (!**at)
        return false;
    int column = 0;
    for (size_t used = 0; **at && **at != '\n'; ++*at)
        if (**at == '\t' && column == 0) {
            column = 1;
            used = 0;
        } else if (used + 1 < sizeof line->columns[0]) {
            line->columns[column][used++] = **at;
        }
    *at += **at == '\n';
    return true;
}

// Widths of the columns in pixels; the second is 0 where there is none.
typedef struct Layout {
    int lines;
    float widths[2];
} Layout;

static Layout lay_out(const char *text, float size) {
    Layout layout = {0};
    Line line;
    while (next_line(&text, &line)) {
        ++layout.lines;
        // A line of one column may reach under the second.
        int columns = line.columns[1][0] ? 2 : 0;
        for (int i = 0; i < columns; ++i)
            layout.widths[i] = fmaxf(layout.widths[i], view_text_width(line.columns[i], size));
    }
    return layout;
}

static float widest(const char *text, float size, const Layout *layout) {
    float gap = layout->widths[1] > 0.0f ? COLUMN_GAP * size : 0.0f;
    float width = layout->widths[0] + gap + layout->widths[1];
    Line line;
    while (next_line(&text, &line))
        width = line.columns[1][0] ? width : fmaxf(width, view_text_width(line.columns[0], size));
    return width;
}

static void paint_text(ViewCanvas *canvas, const char *text, float size, const Layout *layout) {
    const ViewColour bright = {0.96f, 0.96f, 0.94f}, dim = {0.66f, 0.74f, 0.80f};
    float margin = MARGIN * size, second = margin + layout->widths[0] + COLUMN_GAP * size;
    float y = margin + size;
    Line line;
    for (; next_line(&text, &line); y += LINE_HEIGHT * size) {
        ViewColour first = line.columns[1][0] ? dim : bright;
        view_text_paint(canvas, line.columns[0], margin, y, size, VIEW_ALIGN_LEFT, false, first);
        view_text_paint(canvas, line.columns[1], second, y, size, VIEW_ALIGN_LEFT, false, bright);
    }
}

static void upload(const ViewOverlay *overlay, const ViewImage *image) {
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, overlay->texture);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, image->width, image->height, 0, GL_RGB,
                 GL_UNSIGNED_BYTE, image->pixels);
}

static SnResult paint_panel(ViewOverlay *overlay, const char *text, float size) {
    Layout layout = lay_out(text, size);
    float width = widest(text, size, &layout) + 2.0f * MARGIN * size;
    float height =
        ((float)layout.lines - 1.0f) * LINE_HEIGHT * size + (1.0f + 2.0f * MARGIN) * size;
    ViewImage image;
    ViewCanvas canvas;
    SnResult result =
        view_image_create((int)ceilf(width), (int)ceilf(height + 0.3f * size), 16, 20, 26, &image);
    if (result.code != SN_OK)
        return result;
    result = view_canvas_create(&image, &canvas);
    if (result.code == SN_OK) {
        paint_text(&canvas, text, size, &layout);
        view_canvas_release(&canvas);
        upload(overlay, &image);
        overlay->width = image.width;
        overlay->height = image.height;
        overlay->size = size;
        snprintf(overlay->text, sizeof overlay->text, "%s", text);
    }
    view_image_release(&image);
    return result;
}

SnResult view_overlay_draw(ViewOverlay *overlay, ViewRenderer *renderer, const char *text,
                           ViewCorner corner, float size) {
    if (!text[0])
        return sn_ok();
    if (size != overlay->size || strcmp(text, overlay->text) != 0) {
        SnResult result = paint_panel(overlay, text, size);
        if (result.code != SN_OK)
            return result;
    }
    int width, height;
    view_renderer_bind(renderer, &width, &height);
    float gap = floorf(MARGIN * size);
    float right = (float)(width - overlay->width) - gap,
          top = (float)(height - overlay->height) - gap;
    float x = corner == VIEW_TOP_RIGHT || corner == VIEW_BOTTOM_RIGHT ? right : gap;
    float y = corner == VIEW_TOP_LEFT || corner == VIEW_TOP_RIGHT ? top : gap;
    float sx = 2.0f / (float)width, sy = 2.0f / (float)height;
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, overlay->texture);
    glUseProgram(overlay->program);
    glUniform4f(overlay->place, x * sx - 1.0f, y * sy - 1.0f, (float)overlay->width * sx,
                (float)overlay->height * sy);
    glEnable(GL_BLEND);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ZERO, GL_ONE);
    glBindVertexArray(overlay->array);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    glDisable(GL_BLEND);
    return sn_ok();
}
