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
    SOURCE_SKINS,
    SOURCE_ANIMATIONS,
    SOURCE_MATERIALS,
    SOURCE_TEXTURES,
    SOURCE_IMAGES,
    SOURCE_LISTS
};

typedef struct GltfSource {
    const char *path;
    char *file;
    size_t file_size;
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
    int component; // GLTF_…
    bool normalised;
} GltfElements;

enum { GLTF_I8 = 5120, GLTF_U8, GLTF_I16, GLTF_U16, GLTF_U32 = 5125, GLTF_FLOAT };

// Elements of one component that are whole numbers: "SCALAR". `what` names them in messages.
SnResult sn__source_indices(const GltfSource *source, const Json *accessor, const char *what,
                            GltfElements *out_elements);
// Elements of as many components as the type has: "VEC3". Only floats, or also integers that stand
// for numbers between −1 and 1, or for themselves if they are not normalised.
SnResult sn__source_numbers(const GltfSource *source, const Json *accessor, const char *type,
                            bool integers, const char *what, GltfElements *out_elements);
// Component c of element i.
uint32_t sn__element_index(const GltfElements *elements, int i, int c);
double sn__element_number(const GltfElements *elements, int i, int c);
// `count` numbers of an array that is a member; false if it is not there or has others.
bool sn__source_array(const GltfSource *source, const Json *object, const char *key, double *out,
                      int count);
// The bytes of an image, wherever they are; `owned` is to be freed.
SnResult sn__source_image(const GltfSource *source, const Json *image, GltfBytes *out_bytes);
// The "name" of a thing, "" if it has none; valid as long as the source.
const char *sn__source_name(const GltfSource *source, const Json *object);
