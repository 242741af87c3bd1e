// Whole files in, and checked files out.
#pragma once

#include "io/part.h"

#include <stdio.h>

// The whole file, to be freed by the caller. SN_ERROR_LIMIT if it is larger than `limit`. A pipe is
// read to its end.
SnResult sn__file_read(const char *path, size_t limit, char **out_text, size_t *out_size);
// Only a regular file: a pipe may wait for ever, and a device has no end.
SnResult sn__file_read_regular(const char *path, size_t limit, char **out_text, size_t *out_size);
// SN_OK if there is a regular file at the path.
SnResult sn__file_is_regular(const char *path);

// Writes a part and renames it to the path at the end, so that what is there is always complete.
typedef struct FileWriter {
    FILE *file;
    unsigned char *memory; // in place of a file: there must be room for all that is written
    Part part;
    size_t written;
    int error; // errno of the first failure, 0 if none
} FileWriter;

SnResult sn__file_begin(FileWriter *writer, const char *path);
// Does nothing after a failure.
void sn__file_write(FileWriter *writer, const void *bytes, size_t size);
// Closes; if anything failed, removes the part and says why.
SnResult sn__file_end(FileWriter *writer);
// Closes and removes the part.
void sn__file_abandon(FileWriter *writer);
