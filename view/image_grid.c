#include "view/canvas.h"
#include "view/font.h"

#include <string.h>

#define MARGIN 12 // pixels around and between pictures

static const ViewColour ink = {0.16f, 0.18f, 0.21f};

// Where the cells of a grid lie.
typedef struct Grid {
    int columns, cell_width, cell_height, caption_height;
} Grid;

static SnResult measure(const ViewImage *images, const char *const *captions, int count,
                        int columns, Grid *out_grid) {
    Grid grid = {.columns = columns < count ? columns : count};
    bool has_captions = false;
    for (int i = 0; i < count; ++i) {
        if (images[i].pixels == NULL)
            return sn_error(SN_ERROR_INVALID, "image grid: picture %d of %d is empty", i, count);
        grid.cell_width = images[i].width > grid.cell_width ? images[i].width : grid.cell_width;
        grid.cell_height =
            images[i].height > grid.cell_height ? images[i].height : grid.cell_height;
        has_captions = has_captions || (captions && captions[i]);
    }
    // As large as reads well in a picture of this size.
    grid.caption_height = has_captions ? grid.cell_height / 12 + 16 : 0;
    *out_grid = grid;
    return sn_ok();
}

static void copy_picture(const ViewImage *source, ViewImage *target, int left, int top) {
    for (int y = 0; y < source->height; ++y)
        memcpy(target->pixels + 3 * ((size_t)(top + y) * (size_t)target->width + (size_t)left),
               source->pixels + 3 * (size_t)y * (size_t)source->width, 3 * (size_t)source->width);
}

// Smaller where the caption is too long for its picture.
static void paint_caption(ViewCanvas *canvas, const char *caption, const Grid *grid, int left,
                          int top) {
    float size = 0.42f * (float)grid->caption_height;
    float width = view_text_width(caption, size), room = 0.96f * (float)grid->cell_width;
    size *= width > room ? room / width : 1.0f;
    float baseline = (float)top + 0.5f * ((float)grid->caption_height + size) + 2.0f;
    view_text_paint(canvas, caption, (float)left + 0.5f * (float)grid->cell_width, baseline, size,
                    VIEW_ALIGN_CENTRE, false, ink);
}

static void fill_grid(const ViewImage *images, const char *const *captions, int count,
                      const Grid *grid, ViewCanvas *canvas) {
    for (int i = 0; i < count; ++i) {
        int column = i % grid->columns, row = i / grid->columns;
        int left = MARGIN + column * (grid->cell_width + MARGIN);
        int top = MARGIN + row * (grid->cell_height + grid->caption_height + MARGIN);
        copy_picture(&images[i], canvas->image, left + (grid->cell_width - images[i].width) / 2,
                     top + (grid->cell_height - images[i].height) / 2);
        if (captions && captions[i])
            paint_caption(canvas, captions[i], grid, left, top + grid->cell_height);
    }
}

SnResult view_image_grid(const ViewImage *images, const char *const *captions, int count,
                         int columns, ViewImage *out_image) {
    *out_image = (ViewImage){0};
    if (count < 1 || columns < 1)
        return sn_error(SN_ERROR_INVALID, "image grid: %d pictures in %d columns; both must be > 0",
                        count, columns);
    Grid grid = {0};
    SnResult result = measure(images, captions, count, columns, &grid);
    if (result.code != SN_OK)
        return result;
    int rows = (count + grid.columns - 1) / grid.columns;
    long width = (long)grid.columns * (grid.cell_width + MARGIN) + MARGIN;
    long height = (long)rows * (grid.cell_height + grid.caption_height + MARGIN) + MARGIN;
    if (width > VIEW_MAX_IMAGE_SIDE || height > VIEW_MAX_IMAGE_SIDE)
        return sn_error(SN_ERROR_LIMIT, "image grid: %ld×%ld pixels exceed %d", width, height,
                        VIEW_MAX_IMAGE_SIDE);
    result = view_image_create((int)width, (int)height, 255, 255, 255, out_image);
    ViewCanvas canvas = {0};
    if (result.code == SN_OK)
        result = view_canvas_create(out_image, &canvas);
    if (result.code == SN_OK)
        fill_grid(images, captions, count, &grid, &canvas);
    else
        view_image_release(out_image);
    view_canvas_release(&canvas);
    return result;
}
