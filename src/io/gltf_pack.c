#include "io/gltf_pack.h"

#include "io/gltf_keys.h"
#include "io/gltf_morph.h"
#include "io/gltf_put.h"

#include <stdlib.h>
#include <string.h>

#define EXTENSION "EXT_meshopt_compression"

// Bytes of an element of a part; 0: it is not compressed.
static size_t stride_of(int part) {
    switch (part) {
    case GLTF_VERTICES:
        return sizeof(TubeVertex);
    case GLTF_BIND:
        return 64;
    case GLTF_OUTPUT + GLTF_TRANSLATION:
    case GLTF_OUTPUT + GLTF_SCALE:
    case GLTF_MORPHS:
        return 12;
    case GLTF_OUTPUT + GLTF_ROTATION:
    case GLTF_TEXCOORDS:
        return 8;
    case GLTF_IMAGES:
        return 0;
    default:
        return 4;
    }
}

static const char *filter_of(int part) {
    if (part == GLTF_OUTPUT + GLTF_ROTATION)
        return "QUATERNION";
    bool floats = part == GLTF_OUTPUT + GLTF_TRANSLATION || part == GLTF_OUTPUT + GLTF_SCALE ||
                  part == GLTF_MORPHS;
    return floats ? "EXPONENTIAL" : NULL;
}

// Floats as whole multiples m of 2^e, 24 bits of m below 8 of e: what differs little from one key to the
// next then differs in few bits. The step is at most the one that is wanted, unless numbers are too
// large for it.
static void filter_floats(unsigned char *bytes, uint64_t size, float step) {
    uint64_t count = size / sizeof(float);
    float most = 0;
    for (uint64_t i = 0; i < count; ++i) {
        float x;
        memcpy(&x, bytes + 4 * i, sizeof x);
        most = fmaxf(most, fabsf(x));
    }
    int e = -100;
    while (e < 100 && (ldexpf(1.0f, e + 1) <= step || most >= ldexpf(8388607.0f, e)))
        ++e;
    for (uint64_t i = 0; i < count; ++i) {
        float x;
        memcpy(&x, bytes + 4 * i, sizeof x);
        uint32_t m = (uint32_t)(int32_t)lrint((double)x / ldexp(1.0, e)) & 0xFFFFFFu;
        uint32_t word = m | ((uint32_t)e & 0xFFu) << 24;
        memcpy(bytes + 4 * i, &word, sizeof word);
    }
}

// Unit quaternions by the three numbers that follow the largest one, which is made positive; the last
// number tells which it is, and 32767, which stands for 1/√2.
static void filter_rotations(unsigned char *bytes, uint64_t size) {
    for (uint64_t at = 0; at < size; at += 8) {
        int16_t q[4], out[4];
        memcpy(q, bytes + at, sizeof q);
        int largest = 0;
        double square = 0;
        for (int c = 0; c < 4; ++c) {
            largest = abs(q[c]) > abs(q[largest]) ? c : largest;
            square += (double)q[c] * q[c];
        }
        double factor = (q[largest] < 0 ? -1.0 : 1.0) * 1.4142135623730951 * 32767 / sqrt(square);
        for (int c = 0; c < 3; ++c) {
            double x = q[(largest + 1 + c) % 4] * factor;
            out[c] = (int16_t)lrint(fmin(fmax(x, -32767.0), 32767.0));
        }
        out[3] = (int16_t)((32767 & ~3) | largest);
        memcpy(bytes + at, out, sizeof out);
    }
}

// The largest weight of a target.
static float most_of(const GltfMorph *morph, int target) {
    float most = 1e-6f;
    for (int f = 0; f < morph->frame_count; ++f)
        most = fmaxf(most, fabsf(morph->weights[f][target]));
    return most;
}

// What targets add to positions within a quarter of the tolerance each, far below what they are off as a
// whole, and to normals within 1/256.
static void filter_morphs(const SnGltf *gltf, unsigned char *bytes) {
    for (int a = 0; a < gltf->actor_count; ++a)
        for (int i = 0; gltf->actors[a].morphs && i < gltf->actors[a].mesh_count; ++i) {
            const GltfMorph *morph = &gltf->actors[a].morphs[i];
            uint64_t size = (uint64_t)morph->vertex_count * 3 * sizeof(float);
            for (int k = 0; k < morph->count; ++k, bytes += 2 * size) {
                float most = most_of(morph, k);
                filter_floats(bytes, size, 0.5f * gltf->tolerance / most);
                filter_floats(bytes + size, size, 1.0f / 128.0f / most);
            }
        }
}

// Places within 0.1 of the tolerance, sizes within 0.05 of it at the largest reach.
static void filter(const SnGltf *gltf, const GltfLayout *layout, unsigned char *plain) {
    const uint64_t *offset = layout->offset, *size = layout->size;
    const int T = GLTF_OUTPUT + GLTF_TRANSLATION, R = GLTF_OUTPUT + GLTF_ROTATION,
              S = GLTF_OUTPUT + GLTF_SCALE;
    float tolerance = gltf->actor_count > 0 ? 0.01f * gltf->tolerance : gltf->tolerance;
    filter_floats(plain + offset[T], size[T], 0.1f * tolerance);
    filter_floats(plain + offset[S], size[S],
                  0.05f * tolerance / fmaxf(layout->keys->reach, 1e-3f));
    filter_rotations(plain + offset[R], size[R]);
    if (size[GLTF_MORPHS] > 0)
        filter_morphs(gltf, plain + offset[GLTF_MORPHS]);
}

static SnResult pack_part(const SnGltf *gltf, const unsigned char *data, uint64_t size, int part,
                          GltfPacked *packed) {
    const SnGltfEncoder *by = &gltf->encoder;
    SnGltfCodec codec = part == GLTF_INDICES ? SN_GLTF_TRIANGLES : SN_GLTF_ATTRIBUTES;
    size_t stride = stride_of(part), count = stride ? (size_t)size / stride : 0;
    size_t room = stride ? by->bound(by->context, codec, count, stride) : (size_t)size;
    unsigned char *bytes = realloc(packed->bytes, (size_t)packed->total + room + 4);
    if (bytes == NULL)
        return sn_error(SN_ERROR_MEMORY, "gltf: no memory to compress %zu bytes", (size_t)size);
    packed->bytes = bytes;
    unsigned char *out = bytes + packed->total;
    size_t used = (size_t)size;
    if (stride)
        used = by->encode(by->context, codec, data, count, stride, out, room);
    else
        memcpy(out, data, used);
    if (used == 0 || used > room)
        return sn_error(SN_ERROR_INVALID, "gltf: the encoder failed on %zu elements of %zu bytes",
                        count, stride);
    memset(out + used, 0, 4);
    packed->offset[part] = packed->total;
    packed->size[part] = used;
    packed->total += (used + 3) / 4 * 4;
    return sn_ok();
}

SnResult sn__gltf_pack(const SnGltf *gltf, const GltfLayout *layout, unsigned char *plain,
                       GltfPacked *out_packed) {
    *out_packed = (GltfPacked){0};
    filter(gltf, layout, plain);
    SnResult result = sn_ok();
    for (int part = 0; part < GLTF_PARTS && result.code == SN_OK; ++part)
        if (layout->size[part] > 0)
            result =
                pack_part(gltf, plain + layout->offset[part], layout->size[part], part, out_packed);
    if (result.code != SN_OK)
        sn__gltf_free_packed(out_packed);
    return result;
}

void sn__gltf_free_packed(GltfPacked *packed) {
    free(packed->bytes);
    *packed = (GltfPacked){0};
}

void sn__gltf_put_packed_view(const GltfLayout *layout, int part, JsonWriter *w) {
    size_t stride = stride_of(part);
    open_member(w, "extensions", '{');
    open_member(w, EXTENSION, '{');
    put_int(w, "buffer", 0);
    put_int(w, "byteOffset", (long long)layout->packed->offset[part]);
    put_int(w, "byteLength", (long long)layout->packed->size[part]);
    put_int(w, "byteStride", (long long)stride);
    put_int(w, "count", (long long)(layout->size[part] / stride));
    put_string(w, "mode", part == GLTF_INDICES ? "TRIANGLES" : "ATTRIBUTES");
    if (filter_of(part))
        put_string(w, "filter", filter_of(part));
    sn__json_close(w, '}');
    sn__json_close(w, '}');
}

// The chunk, and beside it what it would be without compression, which is not in the file.
void sn__gltf_put_packed_buffers(const GltfLayout *layout, JsonWriter *w) {
    sn__json_open(w, '{');
    put_int(w, "byteLength", (long long)layout->packed->total);
    sn__json_close(w, '}');
    sn__json_open(w, '{');
    put_int(w, "byteLength", (long long)layout->total);
    open_member(w, "extensions", '{');
    open_member(w, EXTENSION, '{');
    sn__json_put_key(w, "fallback");
    sn__json_put_bool(w, true);
    sn__json_close(w, '}');
    sn__json_close(w, '}');
    sn__json_close(w, '}');
}

void sn__gltf_put_pack_extension(JsonWriter *w) {
    static const char *const lists[] = {"extensionsUsed", "extensionsRequired"};
    for (int i = 0; i < 2; ++i) {
        open_member(w, lists[i], '[');
        sn__json_put_string(w, EXTENSION);
        sn__json_close(w, ']');
    }
}
