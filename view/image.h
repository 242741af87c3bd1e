// Pictures in memory: 8-bit sRGB, rows from the top, no padding.
#pragma once

#include <sinew/base.h>

#define VIEW_MAX_IMAGE_SIDE 16384

typedef struct ViewImage {
    int width, height;
    uint8_t *pixels; // 3 × width × height
} ViewImage;

// A picture of one colour. Release it with view_image_release.
SnResult view_image_create(int width, int height, uint8_t red, uint8_t green, uint8_t blue,
                           ViewImage *out_image);
void view_image_release(ViewImage *image);

// Pictures side by side, `columns` to a row, each with a caption below it (captions, or single
// ones, may be NULL). Cells are as large as the largest picture.
SnResult view_image_grid(const ViewImage *images, const char *const *captions, int count,
                         int columns, ViewImage *out_image);
