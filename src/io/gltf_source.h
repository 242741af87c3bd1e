// Reading what a glTF file points to: its lists, buffers and accessors. Nothing in the file is
// trusted; every range is checked before it is read.
#pragma once

#include "io/gltf_chunks.h"
#include "io/json.h"

typedef struct GltfBytes {
    const unsigned char *bytes;
    size_t size;
    char *owned; // to be freed, or NULL
} GltfBytes;

enum {
    SOURCE_BUFFERS,
    SOURCE_VIEWS,
    SOURCE_ACCESSORS,
    SOURCE_MESHES,
    SOURCE_NODES,
    SOURCE_SCENES,
    SOURCE_LISTS
};

typedef struct GltfSource {
    const char *path;
    char *file;
    JsonDoc doc;
    const Json **lists[SOURCE_LISTS]; // the top lists as arrays
    int counts[SOURCE_LISTS];
    GltfBytes *buffers;
} GltfSource;

// On an error there is nothing to close.
SnResult sn__source_open(const char *path, GltfSource *out_source);
void sn__source_close(GltfSource *source);

// A member as a whole number; `otherwise` if it is not there, −1 if it is not one or too large.
int64_t sn__source_int(const GltfSource *source, const Json *object, const char *key,
                       int64_t otherwise);
// Entry of a list that object.key names; NULL if it names none.
const Json *sn__source_item(const GltfSource *source, int list, const Json *object,
                            const char *key);
// The first item of an array that is a member; NULL if there is none.
const Json *sn__source_first(const GltfSource *source, const Json *object, const char *key);

// Elements of an accessor, checked to lie in their buffer.
typedef struct GltfElements {
    const unsigned char *bytes;
    size_t stride;
    int count;
    int component; // 5121, 5123, 5125: unsigned of 8, 16 and 32 bits; 5126: float
} GltfElements;

// `width` is how many components an element must have: 1 or 3.
SnResult sn__source_elements(const GltfSource *source, const Json *accessor, int width,
                             GltfElements *out_elements);
