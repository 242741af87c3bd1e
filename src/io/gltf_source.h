// Reading what a glTF file points to: its lists, buffers and accessors. Nothing in the file is
// trusted; every range is checked before it is read.
#pragma once

#include "io/gltf_chunks.h"
#include "io/json.h"

typedef struct SnGltfBytes {
    const unsigned char *bytes;
    size_t size;
    char *owned; // to be freed, or NULL
} SnGltfBytes;

enum {
    SN__SOURCE_BUFFERS,
    SN__SOURCE_VIEWS,
    SN__SOURCE_ACCESSORS,
    SN__SOURCE_MESHES,
    SN__SOURCE_NODES,
    SN__SOURCE_SCENES,
    SN__SOURCE_LISTS
};

typedef struct SnGltfSource {
    const char *path;
    char *file;
    SnJsonDoc doc;
    const SnJson **lists[SN__SOURCE_LISTS]; // the top lists as arrays
    int counts[SN__SOURCE_LISTS];
    SnGltfBytes *buffers;
} SnGltfSource;

// On an error there is nothing to close.
SnResult sn__source_open(const char *path, SnGltfSource *out_source);
void sn__source_close(SnGltfSource *source);

// A member as a whole number; `otherwise` if it is not there, −1 if it is not one or too large.
int64_t sn__source_int(const SnGltfSource *source, const SnJson *object, const char *key,
                       int64_t otherwise);
// Entry of a list that object.key names; NULL if it names none.
const SnJson *sn__source_item(const SnGltfSource *source, int list, const SnJson *object,
                              const char *key);
// The first item of an array that is a member; NULL if there is none.
const SnJson *sn__source_first(const SnGltfSource *source, const SnJson *object, const char *key);

// Elements of an accessor, checked to lie in their buffer.
typedef struct SnGltfElements {
    const unsigned char *bytes;
    size_t stride;
    int count;
    int component; // 5121, 5123, 5125: unsigned of 8, 16 and 32 bits; 5126: float
} SnGltfElements;

// `width` is how many components an element must have: 1 or 3.
SnResult sn__source_elements(const SnGltfSource *source, const SnJson *accessor, int width,
                             SnGltfElements *out_elements);
