// The binary chunk of a file that is compressed with EXT_meshopt_compression: its parts one after the
// other, each compressed but for images.
#pragma once

#include "io/gltf_data.h"

struct GltfPacked {
    unsigned char *bytes;
    uint64_t total;
    uint64_t size[GLTF_PARTS], offset[GLTF_PARTS]; // in `bytes`
};

// What compressing may take of the tolerance; keys have the rest.
#define GLTF_PACK_PART 0.2f

// From the plain chunk, whose keys and times are changed to what filters give back.
SnResult sn__gltf_pack(const SnGltf *gltf, const GltfLayout *layout, unsigned char *plain,
                       GltfPacked *out_packed);
void sn__gltf_free_packed(GltfPacked *packed);
// The extension of a part's view, and what the file says of it as a whole.
void sn__gltf_put_packed_view(const GltfLayout *layout, int part, JsonWriter *w);
void sn__gltf_put_packed_buffers(const GltfLayout *layout, JsonWriter *w);
void sn__gltf_put_pack_extension(JsonWriter *w);
