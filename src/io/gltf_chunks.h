// The two parts of a glTF file: JSON, and in a GLB the bytes it points into.
#pragma once

#include <sinew/base.h>

#define GLTF_FILE_LIMIT 0xFFFFFFFFu // a GLB's lengths have 32 bits

typedef struct GltfChunks {
    const char *text;
    size_t text_size;
    const unsigned char *binary; // NULL: none
    size_t binary_size;
} GltfChunks;

// A file that is not a GLB is all JSON. `path` is for messages.
SnResult sn__gltf_find_chunks(const char *path, const char *bytes, size_t size,
                              GltfChunks *out_chunks);
