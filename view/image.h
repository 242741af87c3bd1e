// Pictures in memory: 8-bit sRGB, rows from the top, no padding.
#pragma once

#include <sinew/base.h>

#define SNV_MAX_IMAGE_SIDE 16384

typedef struct SnvImage {
    int width, height;
    uint8_t *pixels; // 3 × width × height
} SnvImage;

// A picture of one colour. Release it with snv_image_release.
SnResult snv_image_create(int width, int height, uint8_t red, uint8_t green, uint8_t blue,
                          SnvImage *out_image);
void snv_image_release(SnvImage *image);

// Pictures side by side, `columns` to a row, each with a caption below it (captions, or single
// ones, may be NULL). Cells are as large as the largest picture.
SnResult snv_image_grid(const SnvImage *images, const char *const *captions, int count, int columns,
                        SnvImage *out_image);
