#include "io/gltf_chunks.h"

#define GLB_MAGIC 0x46546C67u
#define GLB_JSON 0x4E4F534Au
#define GLB_BINARY 0x004E4942u

static uint32_t word_at(const char *bytes, size_t offset) {
    uint32_t word = 0;
    for (int b = 3; b >= 0; --b)
        word = word << 8 | (unsigned char)bytes[offset + (size_t)b];
    return word;
}

SnResult sn__gltf_find_chunks(const char *path, const char *bytes, size_t size,
                              GltfChunks *out_chunks) {
    *out_chunks = (GltfChunks){.text = bytes, .text_size = size};
    if (size < 4 || word_at(bytes, 0) != GLB_MAGIC)
        return sn_ok();
    if (size < 20)
        return sn_error(SN_ERROR_FORMAT, "%s: ends after %zu bytes, within the header", path, size);
    uint32_t version = word_at(bytes, 4), length = word_at(bytes, 8), chunk = word_at(bytes, 12);
    if (version != 2)
        return sn_error(SN_ERROR_FORMAT, "%s: is GLB version %u, not 2", path, version);
    if (length > size || chunk > size - 20)
        return sn_error(SN_ERROR_FORMAT, "%s: is truncated: %zu bytes of %u", path, size, length);
    if (word_at(bytes, 16) != GLB_JSON)
        return sn_error(SN_ERROR_FORMAT, "%s: its first chunk is not JSON", path);
    out_chunks->text = bytes + 20;
    out_chunks->text_size = chunk;
    size_t next = 20 + (size_t)chunk;
    if (size - next >= 8 && word_at(bytes, next + 4) == GLB_BINARY) {
        size_t binary = word_at(bytes, next);
        if (binary > size - next - 8)
            return sn_error(SN_ERROR_FORMAT, "%s: its binary chunk is truncated", path);
        out_chunks->binary = (const unsigned char *)bytes + next + 8;
        out_chunks->binary_size = binary;
    }
    return sn_ok();
}
