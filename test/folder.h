// A folder of its own for the files that a test writes. Include after cmocka.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[200];

static inline const char *path_of(const char *name) {
    static char path[256];
    snprintf(path, sizeof path, "%.190s/%s", folder, name);
    return path;
}

static inline void write_file(const char *name, const void *bytes, size_t size) {
    FILE *file = fopen(path_of(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

// A group's set-up.
static inline int make_folder(void **state) {
    (void)state;
    const char *temporary = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.150s/sinew-test-XXXXXX", temporary ? temporary : "/tmp");
    return mkdtemp(folder) == NULL;
}
