// What the JSON chunk of a GLB is written with.
#pragma once

#include "io/gltf_data.h"

#include <string.h>

enum { COMPONENT_I16 = 5122, COMPONENT_U16 = 5123 };
enum { COMPONENT_U32 = 5125, COMPONENT_FLOAT = 5126 };

static inline void put_int(JsonWriter *w, const char *key, long long value) {
    sn__json_put_key(w, key);
    sn__json_put_int(w, value);
}

static inline void put_string(JsonWriter *w, const char *key, const char *value) {
    sn__json_put_key(w, key);
    sn__json_put_string(w, value);
}

static inline void open_member(JsonWriter *w, const char *key, char bracket) {
    sn__json_put_key(w, key);
    sn__json_open(w, bracket);
}

static inline void put_floats(JsonWriter *w, const char *key, const float *values, int count) {
    open_member(w, key, '[');
    for (int i = 0; i < count; ++i)
        sn__json_put_float(w, values[i]);
    sn__json_close(w, ']');
}

// Left open, for what only some accessors have.
static inline void open_accessor(JsonWriter *w, int view, uint64_t offset, int component,
                                 uint64_t count, const char *type) {
    sn__json_open(w, '{');
    put_int(w, "bufferView", view);
    if (offset > 0)
        put_int(w, "byteOffset", (long long)offset);
    put_int(w, "componentType", component);
    put_int(w, "count", (long long)count);
    put_string(w, "type", type);
}

static inline void put_bounds(const TubeVertex *vertices, size_t count, JsonWriter *w) {
    float low[3], high[3];
    memcpy(low, vertices[0].position, sizeof low);
    memcpy(high, vertices[0].position, sizeof high);
    for (size_t i = 1; i < count; ++i)
        for (int c = 0; c < 3; ++c) {
            float x = vertices[i].position[c];
            low[c] = x < low[c] ? x : low[c];
            high[c] = x > high[c] ? x : high[c];
        }
    put_floats(w, "min", low, 3);
    put_floats(w, "max", high, 3);
}

// Views without bytes are left out of the file.
static inline int view_number(const GltfLayout *layout, int part) {
    int number = layout->first_view + part;
    for (int i = 0; i < part; ++i)
        number -= layout->size[i] == 0;
    return number;
}

// A part of the animation: what moves which node, and how.
static inline void put_channel(JsonWriter *w, int sampler, int node, int path) {
    static const char *const names[] = {"translation", "rotation", "scale", "weights"};
    sn__json_open(w, '{');
    put_int(w, "sampler", sampler);
    open_member(w, "target", '{');
    put_int(w, "node", node);
    put_string(w, "path", names[path]);
    sn__json_close(w, '}');
    sn__json_close(w, '}');
}

// Attributes of a mesh, whose accessors begin there; −1: it has no texture coordinates. Left open.
static inline void open_primitive(int accessor, int texcoords, int indices, int material,
                                  JsonWriter *w) {
    sn__json_open(w, '{');
    open_member(w, "attributes", '{');
    put_int(w, "POSITION", accessor + GLTF_POSITION);
    put_int(w, "NORMAL", accessor + GLTF_NORMAL);
    put_int(w, "JOINTS_0", accessor + GLTF_JOINTS);
    put_int(w, "WEIGHTS_0", accessor + GLTF_WEIGHTS);
    if (texcoords >= 0)
        put_int(w, "TEXCOORD_0", texcoords);
    sn__json_close(w, '}');
    put_int(w, "indices", indices);
    put_int(w, "material", material);
}

static inline void put_primitive(int accessor, int indices, int material, JsonWriter *w) {
    open_primitive(accessor, -1, indices, material, w);
    sn__json_close(w, '}');
}

// Colour, the texture that is painted on it (−1: none), and whether it is seen from both sides.
static inline void put_material(JsonWriter *w, const GltfMaterial *material, int texture) {
    SnColour c = material->colour;
    const float factor[4] = {c.r, c.g, c.b, material->opacity};
    sn__json_open(w, '{');
    open_member(w, "pbrMetallicRoughness", '{');
    put_floats(w, "baseColorFactor", factor, 4);
    if (texture >= 0) {
        open_member(w, "baseColorTexture", '{');
        put_int(w, "index", texture);
        sn__json_close(w, '}');
    }
    put_int(w, "metallicFactor", 0);
    sn__json_put_key(w, "roughnessFactor");
    sn__json_put_float(w, 0.5f);
    sn__json_close(w, '}');
    if (material->opacity < 1.0f)
        put_string(w, "alphaMode", "BLEND");
    if (material->leaf) {
        sn__json_put_key(w, "doubleSided");
        sn__json_put_bool(w, true);
    }
    sn__json_close(w, '}');
}

// Position, normal, joints, weights and indices of a mesh, at these offsets, which move behind it.
static inline void put_mesh_data(const TubeVertex *surface, uint64_t vertices, uint64_t indices,
                                 uint64_t offsets[2], JsonWriter *w) {
    uint64_t at = offsets[0];
    open_accessor(w, GLTF_VERTICES, at, COMPONENT_FLOAT, vertices, "VEC3");
    put_bounds(surface, (size_t)vertices, w);
    sn__json_close(w, '}');
    open_accessor(w, GLTF_VERTICES, at + offsetof(TubeVertex, normal), COMPONENT_FLOAT, vertices,
                  "VEC3");
    sn__json_close(w, '}');
    open_accessor(w, GLTF_VERTICES, at + offsetof(TubeVertex, joints), COMPONENT_U16, vertices,
                  "VEC4");
    sn__json_close(w, '}');
    open_accessor(w, GLTF_VERTICES, at + offsetof(TubeVertex, weights), COMPONENT_U16, vertices,
                  "VEC4");
    sn__json_put_key(w, "normalized");
    sn__json_put_bool(w, true);
    sn__json_close(w, '}');
    open_accessor(w, GLTF_INDICES, offsets[1], COMPONENT_U32, indices, "SCALAR");
    sn__json_close(w, '}');
    offsets[0] += vertices * sizeof(TubeVertex);
}
