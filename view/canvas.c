#include "view/canvas.h"

#include <math.h>
#include <stdlib.h>

static void start_shape(ViewCanvas *canvas) {
    canvas->low_x = canvas->image->width;
    canvas->low_y = canvas->image->height;
    canvas->high_x = canvas->high_y = 0;
}

SnResult view_canvas_create(ViewImage *image, ViewCanvas *out_canvas) {
    size_t count = (size_t)image->width * (size_t)image->height;
    *out_canvas = (ViewCanvas){.image = image, .coverage = calloc(count, sizeof(float))};
    if (out_canvas->coverage == NULL)
        return sn_error(SN_ERROR_MEMORY, "image: no memory to draw on %d×%d pixels", image->width,
                        image->height);
    view_canvas_clip(out_canvas, 0, 0, image->width, image->height);
    start_shape(out_canvas);
    return sn_ok();
}

void view_canvas_release(ViewCanvas *canvas) {
    free(canvas->coverage);
    *canvas = (ViewCanvas){0};
}

void view_canvas_clip(ViewCanvas *canvas, int left, int top, int right, int bottom) {
    canvas->left = left > 0 ? left : 0;
    canvas->top = top > 0 ? top : 0;
    canvas->right = right < canvas->image->width ? right : canvas->image->width;
    canvas->bottom = bottom < canvas->image->height ? bottom : canvas->image->height;
}

typedef struct Box {
    int x0, y0, x1, y1;
} Box;

static int clamped(float value, int low, int high) {
    return value <= (float)low ? low : value >= (float)high ? high : (int)value;
}

// The pixels a shape between two corners can touch, noted as part of the current shape.
static Box touched(ViewCanvas *canvas, float x0, float y0, float x1, float y1) {
    Box box = {clamped(floorf(x0), canvas->left, canvas->right),
               clamped(floorf(y0), canvas->top, canvas->bottom),
               clamped(ceilf(x1), canvas->left, canvas->right),
               clamped(ceilf(y1), canvas->top, canvas->bottom)};
    if (box.x0 < box.x1 && box.y0 < box.y1) {
        canvas->low_x = box.x0 < canvas->low_x ? box.x0 : canvas->low_x;
        canvas->low_y = box.y0 < canvas->low_y ? box.y0 : canvas->low_y;
        canvas->high_x = box.x1 > canvas->high_x ? box.x1 : canvas->high_x;
        canvas->high_y = box.y1 > canvas->high_y ? box.y1 : canvas->high_y;
    }
    return box;
}

static void cover(ViewCanvas *canvas, int x, int y, float amount) {
    float *coverage = canvas->coverage + (size_t)y * (size_t)canvas->image->width + x;
    *coverage = fmaxf(*coverage, fminf(amount, 1.0f));
}

void view_canvas_line(ViewCanvas *canvas, float x0, float y0, float x1, float y1, float width) {
    if (!isfinite(x0 + y0 + x1 + y1 + width))
        return;
    float reach = 0.5f * width + 1.0f;
    Box box = touched(canvas, fminf(x0, x1) - reach, fminf(y0, y1) - reach, fmaxf(x0, x1) + reach,
                      fmaxf(y0, y1) + reach);
    float dx = x1 - x0, dy = y1 - y0;
    float square = fmaxf(dx * dx + dy * dy, 1.0e-12f);
    for (int y = box.y0; y < box.y1; ++y) {
        for (int x = box.x0; x < box.x1; ++x) {
            float px = (float)x + 0.5f - x0, py = (float)y + 0.5f - y0;
            float t = fmaxf(0.0f, fminf(1.0f, (px * dx + py * dy) / square));
            float distance = hypotf(px - t * dx, py - t * dy);
            // A line thinner than a pixel is fainter instead.
            float amount = fminf(0.5f * width + 0.5f - distance, width);
            if (amount > 0.0f)
                cover(canvas, x, y, amount);
        }
    }
}

void view_canvas_rectangle(ViewCanvas *canvas, float x0, float y0, float x1, float y1) {
    Box box = touched(canvas, x0, y0, x1, y1);
    for (int y = box.y0; y < box.y1; ++y) {
        float rows = fminf(y1, (float)y + 1.0f) - fmaxf(y0, (float)y);
        for (int x = box.x0; x < box.x1; ++x) {
            float columns = fminf(x1, (float)x + 1.0f) - fmaxf(x0, (float)x);
            cover(canvas, x, y, rows * columns);
        }
    }
}

static uint8_t blended(uint8_t below, float above, float share) {
    float value = (float)below * (1.0f - share) + 255.0f * above * share;
    return (uint8_t)(fmaxf(0.0f, fminf(255.0f, value)) + 0.5f);
}

void view_canvas_paint(ViewCanvas *canvas, ViewColour colour, float opacity) {
    for (int y = canvas->low_y; y < canvas->high_y; ++y)
        for (int x = canvas->low_x; x < canvas->high_x; ++x) {
            size_t at = (size_t)y * (size_t)canvas->image->width + (size_t)x;
            float share = canvas->coverage[at] * opacity;
            if (share > 0.0f) {
                uint8_t *pixel = canvas->image->pixels + 3 * at;
                pixel[0] = blended(pixel[0], colour.red, share);
                pixel[1] = blended(pixel[1], colour.green, share);
                pixel[2] = blended(pixel[2], colour.blue, share);
            }
            canvas->coverage[at] = 0.0f;
        }
    start_shape(canvas);
}
