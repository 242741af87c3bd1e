#include "app/meshopt.h"

#include <stddef.h>

#ifdef HAVE_MESHOPT

#include <meshoptimizer.h>

static size_t bound(void *context, SnGltfCodec codec, size_t count, size_t stride) {
    (void)context;
    // Indices are below their number, or a mesh has vertices that nothing uses; 32 bits are enough for all.
    return codec == SN_GLTF_TRIANGLES ? meshopt_encodeIndexBufferBound(count, 0xFFFFFFFFu)
                                      : meshopt_encodeVertexBufferBound(count, stride);
}

static size_t encode(void *context, SnGltfCodec codec, const void *data, size_t count,
                     size_t stride, void *out, size_t room) {
    (void)context;
    return codec == SN_GLTF_TRIANGLES ? meshopt_encodeIndexBuffer(out, room, data, count)
                                      : meshopt_encodeVertexBuffer(out, room, data, count, stride);
}

const SnGltfEncoder *meshopt_encoder(void) {
    static const SnGltfEncoder encoder = {.bound = bound, .encode = encode};
    return &encoder;
}

#else

const SnGltfEncoder *meshopt_encoder(void) { return NULL; }

#endif
