#include "io/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FIRST_SIZE ((size_t)1 << 16)

static SnResult too_large(const char *path, size_t limit) {
    return sn_error(SN_ERROR_LIMIT, "%s: is larger than the limit of %zu MB", path, limit >> 20);
}

// Takes `capacity` bytes first and grows as it reads, because pipes do not know their size.
static SnResult read_all(FILE *file, const char *path, size_t limit, size_t capacity,
                         char **out_text, size_t *out_size) {
    size_t size = 0;
    char *text = malloc(capacity);
    while (text) {
        if (capacity - size < 1) {
            capacity *= 2;
            char *grown = realloc(text, capacity);
            if (grown == NULL)
                free(text);
            text = grown;
            continue;
        }
        size_t got = fread(text + size, 1, capacity - size, file);
        size += got;
        if (got == 0 || size > limit)
            break;
    }
    if (text == NULL)
        return sn_error(SN_ERROR_MEMORY, "%s: no memory to read it", path);
    if (ferror(file) || size > limit) {
        free(text);
        return size > limit ? too_large(path, limit)
                            : sn_error(SN_ERROR_FILE, "%s: %s", path, strerror(errno));
    }
    *out_text = text;
    *out_size = size;
    return sn_ok();
}

SnResult sn__file_read(const char *path, size_t limit, char **out_text, size_t *out_size) {
    FILE *file = fopen(path, "rb");
    struct stat about;
    if (file == NULL || fstat(fileno(file), &about) != 0 || S_ISDIR(about.st_mode)) {
        int error = file && S_ISDIR(about.st_mode) ? EISDIR : errno;
        if (file)
            fclose(file);
        return sn_error(SN_ERROR_FILE, "%s: %s", path, strerror(error));
    }
    size_t known = S_ISREG(about.st_mode) && about.st_size > 0 ? (size_t)about.st_size : 0;
    SnResult result = known > limit ? too_large(path, limit)
                                    : read_all(file, path, limit, known ? known + 1 : FIRST_SIZE,
                                               out_text, out_size);
    fclose(file);
    return result;
}

SnResult sn__file_is_regular(const char *path) {
    struct stat about;
    if (stat(path, &about) != 0)
        return sn_error(SN_ERROR_FILE, "%s: %s", path, strerror(errno));
    if (S_ISDIR(about.st_mode))
        return sn_error(SN_ERROR_FILE, "%s: is a folder; give the path of a file", path);
    return S_ISREG(about.st_mode) ? sn_ok()
                                  : sn_error(SN_ERROR_FILE, "%s: is not a regular file", path);
}

SnResult sn__file_read_regular(const char *path, size_t limit, char **out_text, size_t *out_size) {
    SnResult result = sn__file_is_regular(path);
    return result.code == SN_OK ? sn__file_read(path, limit, out_text, out_size) : result;
}

SnResult sn__file_begin(FileWriter *writer, const char *path) {
    memset(writer, 0, sizeof *writer);
    SnResult result = sn__part_begin(&writer->part, path);
    if (result.code != SN_OK)
        return result;
    writer->file = fopen(writer->part.place, "wb");
    if (writer->file == NULL) {
        result = sn_error(SN_ERROR_FILE, "%s: %s", path, strerror(errno));
        sn__part_abandon(&writer->part);
    }
    return result;
}

void sn__file_write(FileWriter *writer, const void *bytes, size_t size) {
    if (writer->error || size == 0)
        return;
    if (writer->memory) {
        memcpy(writer->memory + writer->written, bytes, size);
        writer->written += size;
        return;
    }
    errno = 0;
    if (fwrite(bytes, 1, size, writer->file) != size)
        writer->error = errno ? errno : EIO;
    writer->written += size;
}

SnResult sn__file_end(FileWriter *writer) {
    errno = 0;
    if (fclose(writer->file) != 0 && !writer->error)
        writer->error = errno ? errno : EIO;
    char path[160];
    snprintf(path, sizeof path, "%s", writer->part.path);
    if (writer->error)
        sn__part_abandon(&writer->part);
    else
        writer->error = sn__part_end(&writer->part);
    return writer->error ? sn_error(SN_ERROR_FILE, "%s: %s; nothing was written", path,
                                    strerror(writer->error))
                         : sn_ok();
}

void sn__file_abandon(FileWriter *writer) {
    fclose(writer->file);
    sn__part_abandon(&writer->part);
}
