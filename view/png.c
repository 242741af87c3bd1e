#include "view/png.h"

#include "io/part.h"

#include <errno.h>
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

// Deflate level: 6 is twice as slow for a few percent on rendered pictures.
#define COMPRESSION 4

typedef struct Writer {
    FILE *file;
    jmp_buf failed;
    int error; // errno of the first failure, 0 if it was libpng's own
    char reason[96];
} Writer;

static void on_error(png_structp png, png_const_charp message) {
    Writer *writer = png_get_error_ptr(png);
    snprintf(writer->reason, sizeof writer->reason, "%s", message);
    longjmp(writer->failed, 1);
}

static void on_warning(png_structp png, png_const_charp message) {
    (void)png; // the picture is still whole
    (void)message;
}

static void on_write(png_structp png, png_bytep data, size_t size) {
    Writer *writer = png_get_io_ptr(png);
    errno = 0;
    if (fwrite(data, 1, size, writer->file) != size) {
        writer->error = errno ? errno : EIO;
        png_error(png, strerror(writer->error));
    }
}

static void on_flush(png_structp png) {
    (void)png; // fclose flushes, and its error is looked at
}

// Nothing here is changed between setjmp and longjmp and used after it, so no volatile is needed.
static bool encode(Writer *writer, png_structp png, png_infop info, const ViewImage *image) {
    if (setjmp(writer->failed))
        return false;
    png_set_write_fn(png, writer, on_write, on_flush);
    png_set_compression_level(png, COMPRESSION);
    png_set_IHDR(png, info, (png_uint_32)image->width, (png_uint_32)image->height, 8,
                 PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, info);
    for (int y = 0; y < image->height; ++y)
        png_write_row(png, image->pixels + 3 * (size_t)image->width * (size_t)y);
    png_write_end(png, info);
    return true;
}

static bool write_file(Writer *writer, const ViewImage *image) {
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, writer, on_error, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    bool done = false;
    if (info) {
        done = encode(writer, png, info, image);
    } else {
        writer->error = ENOMEM;
        snprintf(writer->reason, sizeof writer->reason, "no memory");
    }
    png_destroy_write_struct(png ? &png : NULL, info ? &info : NULL);
    return done;
}

SnResult view_png_write(const char *path, const ViewImage *image) {
    if (image->pixels == NULL || image->width < 1 || image->height < 1)
        return sn_error(SN_ERROR_INVALID, "%s: the picture to write is empty", path);
    Part part;
    SnResult result = sn__part_begin(&part, path);
    if (result.code != SN_OK)
        return result;
    Writer writer = {.file = fopen(part.place, "wb")};
    if (writer.file == NULL) {
        result = sn_error(SN_ERROR_FILE, "%s: cannot be written: %s", path, strerror(errno));
        sn__part_abandon(&part);
        return result;
    }
    bool done = write_file(&writer, image);
    if (fclose(writer.file) != 0 && done) {
        snprintf(writer.reason, sizeof writer.reason, "%s", strerror(errno));
        done = false;
    }
    if (!done) {
        sn__part_abandon(&part);
        return sn_error(SN_ERROR_FILE, "%s: writing failed: %s", path, writer.reason);
    }
    int error = sn__part_end(&part);
    return error ? sn_error(SN_ERROR_FILE, "%s: writing failed: %s", path, strerror(error))
                 : sn_ok();
}
