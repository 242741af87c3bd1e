#include "view/image.h"

#include <stdlib.h>

SnResult view_image_create(int width, int height, uint8_t red, uint8_t green, uint8_t blue,
                           ViewImage *out_image) {
    *out_image = (ViewImage){0};
    if (width < 1 || height < 1 || width > VIEW_MAX_IMAGE_SIDE || height > VIEW_MAX_IMAGE_SIDE)
        return sn_error(SN_ERROR_INVALID, "image: size %d×%d is not within 1 and %d", width, height,
                        VIEW_MAX_IMAGE_SIDE);
    size_t count = (size_t)width * (size_t)height;
    uint8_t *pixels = malloc(3 * count);
    if (pixels == NULL)
        return sn_error(SN_ERROR_MEMORY, "image: no memory for %d×%d pixels", width, height);
    for (size_t i = 0; i < count; ++i) {
        pixels[3 * i] = red;
        pixels[3 * i + 1] = green;
        pixels[3 * i + 2] = blue;
    }
    *out_image = (ViewImage){width, height, pixels};
    return sn_ok();
}

void view_image_release(ViewImage *image) {
    free(image->pixels);
    *image = (ViewImage){0};
}
