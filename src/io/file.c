#include "io/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// Grows as it reads, because pipes do not know their size.
static SnResult read_all(FILE *file, const char *path, size_t limit, char **out_text,
                         size_t *out_size) {
    size_t capacity = 0, size = 0;
    char *text = NULL;
    for (;;) {
        if (capacity - size < 1) {
            capacity = capacity ? capacity * 2 : (size_t)1 << 16;
            char *grown = realloc(text, capacity);
            if (grown == NULL) {
                free(text);
                return sn_error(SN_ERROR_MEMORY, "%s: no memory to read it", path);
            }
            text = grown;
        }
        size_t got = fread(text + size, 1, capacity - size, file);
        size += got;
        if (got == 0 || size > limit)
            break;
    }
    if (ferror(file) || size > limit) {
        free(text);
        return size > limit ? sn_error(SN_ERROR_LIMIT, "%s: is larger than the limit of %zu MB",
                                       path, limit >> 20)
                            : sn_error(SN_ERROR_FILE, "%s: %s", path, strerror(errno));
    }
    *out_text = text;
    *out_size = size;
    return sn_ok();
}

SnResult sn__file_read(const char *path, size_t limit, char **out_text, size_t *out_size) {
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return sn_error(SN_ERROR_FILE, "%s: %s", path, strerror(errno));
    SnResult result = read_all(file, path, limit, out_text, out_size);
    fclose(file);
    return result;
}

SnResult sn__file_begin(FileWriter *writer, const char *path) {
    memset(writer, 0, sizeof *writer);
    size_t length = strlen(path);
    writer->path = malloc(length + 1);
    writer->part = malloc(length + sizeof ".part");
    if (writer->path == NULL || writer->part == NULL) {
        free(writer->path);
        free(writer->part);
        return sn_error(SN_ERROR_MEMORY, "%s: no memory to write it", path);
    }
    memcpy(writer->path, path, length + 1);
    memcpy(writer->part, path, length);
    memcpy(writer->part + length, ".part", sizeof ".part");
    writer->file = fopen(writer->part, "wb");
    if (writer->file == NULL) {
        SnResult result = sn_error(SN_ERROR_FILE, "%s: %s", writer->part, strerror(errno));
        free(writer->path);
        free(writer->part);
        return result;
    }
    return sn_ok();
}

void sn__file_write(FileWriter *writer, const void *bytes, size_t size) {
    if (writer->error || size == 0)
        return;
    errno = 0;
    if (fwrite(bytes, 1, size, writer->file) != size)
        writer->error = errno ? errno : EIO;
    writer->written += size;
}

SnResult sn__file_end(FileWriter *writer) {
    errno = 0;
    if (fclose(writer->file) != 0 && !writer->error)
        writer->error = errno ? errno : EIO;
    if (!writer->error) {
#ifdef _WIN32
        remove(writer->path); // rename does not replace there
#endif
        if (rename(writer->part, writer->path) != 0)
            writer->error = errno;
    }
    SnResult result = sn_ok();
    if (writer->error) {
        remove(writer->part);
        result = sn_error(SN_ERROR_FILE, "%s: %s; nothing was written", writer->path,
                          strerror(writer->error));
    }
    free(writer->path);
    free(writer->part);
    return result;
}

void sn__file_abandon(FileWriter *writer) {
    fclose(writer->file);
    remove(writer->part);
    free(writer->path);
    free(writer->part);
}
