// Writing a recording as GLB: a header, the JSON chunk and the binary chunk, part by part.
#include "io/gltf_actor.h"

#include "base/null.h"
#include "io/file.h"
#include "io/gltf_keys.h"
#include "io/gltf_morph.h"

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
        layout.size[GLTF_BIND] += (uint64_t)shape->joint_count * 64;
    }
    sn__gltf_measure_actors(gltf, &layout);
    sn__gltf_measure_morphs(gltf, &layout);
    for (int path = 0; path < GLTF_PATHS; ++path)
        for (int v = 0; v < gltf->joint_count + gltf->actor_joint_count; ++v)
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
        for (int i = 0; i < shape->joint_count; ++i)
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
        for (int v = 0; v < gltf->joint_count + gltf->actor_joint_count && !writer->error; ++v) {
            int set = keys->sets[path][v];
            int count = set >= 0 ? sn__gltf_key_count(keys, set) : 0;
            const float *values = keys->values + keys->value_begin[path][v];
            if (path == GLTF_ROTATION)
                write_rotations(values, count, writer);
            else if (count > 0)
                sn__file_write(writer, values, (size_t)count * 3 * sizeof *values);
        }
}

static void write_words(FileWriter *writer, const uint32_t *words, int count) {
    for (int i = 0; i < count; ++i) {
        unsigned char bytes[4];
        for (int b = 0; b < 4; ++b)
            bytes[b] = (unsigned char)(words[i] >> 8 * b);
        sn__file_write(writer, bytes, 4);
    }
}

static bool write_chunks(const SnGltf *gltf, const GltfLayout *layout, const JsonWriter *json,
                         TubeVertex *scratch, FileWriter *writer) {
    bool binary = layout->total > 0;
    uint64_t total = 12 + 8 + json->size + (binary ? 8 + layout->total : 0);
    const uint32_t head[] = {0x46546C67u, 2, (uint32_t)total, (uint32_t)json->size, 0x4E4F534Au};
    write_words(writer, head, 5);
    sn__file_write(writer, json->text, json->size);
    if (!binary)
        return true;
    const uint32_t chunk[] = {(uint32_t)layout->total, 0x004E4942u};
    write_words(writer, chunk, 2);
    write_vertices(gltf, scratch, writer);
    sn__gltf_write_actor_vertices(gltf, scratch, writer);
    bool good = write_indices(gltf, writer);
    sn__gltf_write_actor_indices(gltf, writer);
    write_bind_matrices(gltf, writer);
    sn__gltf_write_actor_binds(gltf, writer);
    write_times(gltf, layout->keys, writer);
    write_outputs(gltf, layout->keys, writer);
    sn__gltf_write_morphs(gltf, writer);
    sn__gltf_write_actor_paint(gltf, writer);
    return good;
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

SnResult sn_gltf_finish(SnGltf *gltf, const char *path) {
    if (gltf == NULL)
        return sn__null("gltf");
    if (path == NULL)
        return sn__null("gltf: path");
    GltfKeys keys;
    if (!sn__gltf_choose_keys(gltf, &keys))
        return sn_error(SN_ERROR_MEMORY, "%s: no memory to write it", path);
    GltfLayout layout = sn__gltf_layout(gltf, &keys);
    size_t most, indices;
    sn__gltf_most(gltf, &most, &indices);
    size_t own = sn__gltf_largest_actor_mesh(gltf);
    most = own > most ? own : most;
    TubeVertex *scratch = malloc(most * sizeof *scratch);
    JsonWriter json = {0};
    if (scratch)
        sn__gltf_json(gltf, &layout, scratch, &json);
    SnResult result;
    // Chunks are as long as a multiple of 4; JSON is filled up with spaces.
    static const char *const fill[] = {"", "   ", "  ", " "};
    sn__json_put_space(&json, fill[json.size % 4]);
    if (scratch == NULL || json.out_of_memory)
        result = sn_error(SN_ERROR_MEMORY, "%s: no memory to write it", path);
    else if (28 + json.size + layout.total > GLB_MAX)
        result = sn_error(SN_ERROR_LIMIT,
                          "%s: %d frames of %d joints make more than the 4 GB a "
                          "GLB can have; record fewer",
                          path, gltf->frame_count, gltf->joint_count);
    else
        result = write_file(gltf, &layout, &json, scratch, path);
    free(scratch);
    sn__json_writer_free(&json);
    sn__gltf_free_keys(&keys);
    return result;
}
