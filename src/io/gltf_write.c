// Writing a recording as GLB: a header, the JSON chunk and the binary chunk, part by part.
#include "io/gltf_actor.h"

#include "base/null.h"
#include "io/file.h"
#include "io/gltf_keys.h"
#include "io/gltf_morph.h"
#include "io/gltf_pack.h"
#include "io/gltf_painted.h"

#include <stdlib.h>
#include <string.h>

#define GLB_MAX 0xFFFFFFFFu

GltfLayout sn__gltf_layout(const SnGltf *gltf, const GltfKeys *keys) {
    GltfLayout layout = {.keys = keys};
    for (int k = 0; k < gltf->shape_count; ++k) {
        const GltfShape *shape = &gltf->shapes[k];
        if (shape->mesh == k) {
            layout.size[GLTF_VERTICES] += shape->vertex_count * sizeof(TubeVertex);
            layout.size[GLTF_INDICES] += shape->index_count * sizeof(uint32_t);
        }
        layout.size[GLTF_BIND] += shape->binding == k ? (uint64_t)shape->joint_count * 64 : 0;
    }
    sn__gltf_measure_paint(gltf, &layout);
    sn__gltf_measure_actors(gltf, &layout);
    sn__gltf_measure_morphs(gltf, &layout);
    for (int path = 0; path < GLTF_PATHS; ++path)
        for (int v = 0; v < sn__gltf_node_total(gltf); ++v)
            if (keys->sets[path][v] >= 0)
                layout.size[GLTF_OUTPUT + path] +=
                    (uint64_t)sn__gltf_key_count(keys, keys->sets[path][v]) *
                    sn__gltf_key_size(path);
    layout.size[GLTF_TIMES] = (uint64_t)keys->set_begin[keys->set_count] * sizeof(float);
    for (int part = 0; part < GLTF_PARTS; ++part) {
        layout.offset[part] = layout.total;
        layout.total += layout.size[part];
    }
    return layout;
}

static void write_vertices(const SnGltf *gltf, TubeVertex *scratch, FileWriter *writer) {
    for (int k = 0; k < gltf->shape_count; ++k) {
        const GltfShape *shape = &gltf->shapes[k];
        if (shape->mesh == k)
            sn__file_write(writer, sn__gltf_vertices(gltf, shape, scratch),
                           (size_t)shape->vertex_count * sizeof *scratch);
    }
}

static bool write_indices(const SnGltf *gltf, FileWriter *writer) {
    size_t vertices, most;
    sn__gltf_most(gltf, &vertices, &most);
    uint32_t *scratch = malloc(most * sizeof *scratch);
    for (int k = 0; k < gltf->shape_count && scratch; ++k) {
        const GltfShape *shape = &gltf->shapes[k];
        if (shape->mesh == k)
            sn__file_write(writer, sn__gltf_indices(gltf, shape, scratch),
                           (size_t)shape->index_count * sizeof *scratch);
    }
    free(scratch);
    return scratch != NULL;
}

// The inverse of a joint's bind pose, by columns: the transposed rotation and −Rᵀp.
static void write_bind_matrix(SnVec3 position, SnQuat rotation, FileWriter *writer) {
    Quatd inverse = conjugated(quatd(rotation));
    Vec3d columns[4] = {
        rotated(inverse, (Vec3d){1, 0, 0}),
        rotated(inverse, (Vec3d){0, 1, 0}),
        rotated(inverse, (Vec3d){0, 0, 1}),
        scaled(rotated(inverse, vec3d(position)), -1),
    };
    float matrix[16];
    for (int c = 0; c < 4; ++c) {
        matrix[4 * c] = (float)columns[c].x;
        matrix[4 * c + 1] = (float)columns[c].y;
        matrix[4 * c + 2] = (float)columns[c].z;
        matrix[4 * c + 3] = c == 3;
    }
    sn__file_write(writer, matrix, sizeof matrix);
}

static void write_bind_matrices(const SnGltf *gltf, FileWriter *writer) {
    for (int k = 0; k < gltf->shape_count; ++k) {
        const GltfShape *shape = &gltf->shapes[k];
        for (int i = 0; i < shape->joint_count && shape->binding == k; ++i)
            write_bind_matrix(shape->bind_positions[i],
                              shape->bind_rotations ? shape->bind_rotations[i] : sn_quat_identity(),
                              writer);
    }
}

static void write_times(const SnGltf *gltf, const GltfKeys *keys, FileWriter *writer) {
    for (int k = 0; k < keys->set_begin[keys->set_count]; ++k)
        sn__file_write(writer, &gltf->times[keys->frames[k]], sizeof(float));
}

// Rotations are 16-bit numbers, as they were recorded.
static void write_rotations(const float *values, int count, FileWriter *writer) {
    for (int i = 0; i < 4 * count; ++i) {
        int16_t number = (int16_t)lrintf(values[i] * 32767.0f);
        sn__file_write(writer, &number, sizeof number);
    }
}

// Path after path, joint after joint, those of actors behind those of bodies.
static void write_outputs(const SnGltf *gltf, const GltfKeys *keys, FileWriter *writer) {
    for (int path = 0; path < GLTF_PATHS; ++path)
        for (int v = 0; v < sn__gltf_node_total(gltf) && !writer->error; ++v) {
            int set = keys->sets[path][v];
            if (set < 0)
                continue;
            int count = sn__gltf_key_count(keys, set);
            const float *values = keys->values + keys->value_begin[path][v];
            if (path == GLTF_ROTATION)
                write_rotations(values, count, writer);
            else
                sn__file_write(writer, values, (size_t)count * 3 * sizeof *values);
        }
}

void sn__gltf_write_keys(const SnGltf *gltf, const GltfKeys *keys, FileWriter *writer) {
    write_times(gltf, keys, writer);
    write_outputs(gltf, keys, writer);
}

static void write_words(FileWriter *writer, const uint32_t *words, int count) {
    for (int i = 0; i < count; ++i) {
        unsigned char bytes[4];
        for (int b = 0; b < 4; ++b)
            bytes[b] = (unsigned char)(words[i] >> 8 * b);
        sn__file_write(writer, bytes, 4);
    }
}

// All parts of the binary chunk. False: no memory.
static bool write_parts(const SnGltf *gltf, const GltfLayout *layout, TubeVertex *scratch,
                        FileWriter *writer) {
    write_vertices(gltf, scratch, writer);
    sn__gltf_write_actor_vertices(gltf, scratch, writer);
    bool good = write_indices(gltf, writer);
    sn__gltf_write_actor_indices(gltf, writer);
    write_bind_matrices(gltf, writer);
    sn__gltf_write_actor_binds(gltf, writer);
    sn__gltf_write_keys(gltf, layout->keys, writer);
    sn__gltf_write_morphs(gltf, writer);
    sn__gltf_write_shape_coordinates(gltf, writer);
    sn__gltf_write_actor_paint(gltf, writer);
    sn__gltf_write_shape_images(gltf, writer);
    return good;
}

void sn__gltf_write_head(const JsonWriter *json, uint64_t binary, FileWriter *writer) {
    uint64_t total = 12 + 8 + json->size + (binary > 0 ? 8 + binary : 0);
    const uint32_t head[] = {0x46546C67u, 2, (uint32_t)total, (uint32_t)json->size, 0x4E4F534Au};
    write_words(writer, head, 5);
    sn__file_write(writer, json->text, json->size);
    const uint32_t chunk[] = {(uint32_t)binary, 0x004E4942u};
    if (binary > 0)
        write_words(writer, chunk, 2);
}

static bool write_chunks(const SnGltf *gltf, const GltfLayout *layout, const JsonWriter *json,
                         TubeVertex *scratch, FileWriter *writer) {
    uint64_t binary = layout->packed ? layout->packed->total : layout->total;
    sn__gltf_write_head(json, binary, writer);
    if (binary == 0)
        return true;
    if (layout->packed == NULL)
        return write_parts(gltf, layout, scratch, writer);
    sn__file_write(writer, layout->packed->bytes, (size_t)binary);
    return true;
}

// The binary chunk in memory, and compressed.
static SnResult pack(const SnGltf *gltf, const GltfLayout *layout, TubeVertex *scratch,
                     GltfPacked *out_packed) {
    FileWriter writer = {.memory = malloc((size_t)layout->total)};
    SnResult result = sn_error(SN_ERROR_MEMORY, "gltf: no memory to compress it");
    if (writer.memory && write_parts(gltf, layout, scratch, &writer))
        result = sn__gltf_pack(gltf, layout, writer.memory, out_packed);
    free(writer.memory);
    return result;
}

static SnResult write_file(const SnGltf *gltf, const GltfLayout *layout, const JsonWriter *json,
                           TubeVertex *scratch, const char *path) {
    FileWriter writer;
    SnResult result = sn__file_begin(&writer, path);
    if (result.code != SN_OK)
        return result;
    bool complete = write_chunks(gltf, layout, json, scratch, &writer);
    if (!complete && !writer.error) {
        sn__file_abandon(&writer);
        return sn_error(SN_ERROR_MEMORY, "%s: no memory to write it", path);
    }
    return sn__file_end(&writer);
}

// The JSON chunk, then the file.
static SnResult write_laid_out(const SnGltf *gltf, const GltfLayout *layout, TubeVertex *scratch,
                               const char *path) {
    JsonWriter json = {0};
    sn__gltf_json(gltf, layout, scratch, &json);
    // Chunks are as long as a multiple of 4; JSON is filled up with spaces.
    static const char *const fill[] = {"", "   ", "  ", " "};
    sn__json_put_space(&json, fill[json.size % 4]);
    SnResult result;
    if (json.out_of_memory)
        result = sn_error(SN_ERROR_MEMORY, "%s: no memory to write it", path);
    else if (28 + json.size + layout->total > GLB_MAX)
        result = sn_error(SN_ERROR_LIMIT,
                          "%s: %d frames of %d joints make more than the 4 GB a "
                          "GLB can have; record fewer",
                          path, gltf->frame_count, gltf->joint_count);
    else
        result = write_file(gltf, layout, &json, scratch, path);
    sn__json_writer_free(&json);
    return result;
}

SnResult sn_gltf_finish(SnGltf *gltf, const char *path) {
    if (gltf == NULL)
        return sn__null("gltf");
    if (path == NULL)
        return sn__null("gltf: path");
    GltfKeys keys;
    sn__gltf_finish_splits(gltf);
    if (!sn__gltf_reduce_morphs(gltf) || !sn__gltf_choose_keys(gltf, &keys))
        return sn_error(SN_ERROR_MEMORY, "%s: no memory to write it", path);
    GltfLayout layout = sn__gltf_layout(gltf, &keys);
    size_t most, indices;
    sn__gltf_most(gltf, &most, &indices);
    size_t own = sn__gltf_largest_actor_mesh(gltf);
    most = own > most ? own : most;
    TubeVertex *scratch = malloc(most * sizeof *scratch);
    GltfPacked packed = {0};
    SnResult result =
        scratch ? sn_ok() : sn_error(SN_ERROR_MEMORY, "%s: no memory to write it", path);
    if (scratch && gltf->encoder.encode && layout.total > 0 && layout.total <= GLB_MAX) {
        result = pack(gltf, &layout, scratch, &packed);
        layout.packed = &packed;
    }
    if (result.code == SN_OK)
        result = write_laid_out(gltf, &layout, scratch, path);
    sn__gltf_free_packed(&packed);
    free(scratch);
    sn__gltf_free_keys(&keys);
    return result;
}
