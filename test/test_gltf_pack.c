// Compressed GLB files, with an encoder that only copies: what its readers get back after the filters is
// what a plain file has, within what the tolerance leaves for it.
#include "support.h"

#include "folder.h"

#include "io/file.h"
#include "io/gltf_keys.h"
#include "io/gltf_morph.h"
#include "io/gltf_pack.h"
#include "io/json.h"

#include <sinew/gltf.h>

static size_t copy_bound(void *context, SnGltfCodec codec, size_t count, size_t stride) {
    (void)context;
    (void)codec;
    return count * stride;
}

static size_t copy(void *context, SnGltfCodec codec, const void *data, size_t count, size_t stride,
                   void *out, size_t room) {
    int *calls = context;
    calls[codec] += 1;
    assert_int_equal(room, count * stride);
    assert_true(stride % 4 == 0 && (codec == SN_GLTF_ATTRIBUTES || count % 3 == 0));
    memcpy(out, data, room);
    return room;
}

static size_t refuse(void *context, SnGltfCodec codec, const void *data, size_t count,
                     size_t stride, void *out, size_t room) {
    (void)context, (void)codec, (void)data, (void)count, (void)stride, (void)out, (void)room;
    return 0;
}

// A thick rod that falls and bends about its first vertex.
static SnResult record(const SnGltfEncoder *encoder, float tolerance, const char *file) {
    SnWorldDef world_def = sn_default_world_def();
    SnWorld *world;
    assert_ok(sn_world_create(&world_def, &world));
    SnBodyId rod = plain_rod(world, 12);
    pin(world, rod, SN_ATTACH_VERTEX, 0);
    SnGltfDef def = sn_default_gltf_def();
    def.tolerance = tolerance;
    def.encoder = encoder;
    SnPoses poses;
    assert_ok(sn_world_poses(world, &poses));
    SnGltf *gltf;
    assert_ok(sn_gltf_begin(&poses, &def, &gltf));
    for (int f = 0; f < 40; ++f) {
        assert_ok(sn_world_poses(world, &poses));
        assert_ok(sn_gltf_frame(gltf, &poses, f / 30.0));
        sn_world_step(world, 1.0f / 30.0f, 16, 1);
    }
    SnResult result = sn_gltf_finish(gltf, path_of(file));
    sn_gltf_destroy(gltf);
    sn_world_destroy(world);
    return result;
}

typedef struct Glb {
    char *bytes;
    const unsigned char *binary;
    JsonDoc doc;
} Glb;

static Glb read_glb(const char *file) {
    Glb glb;
    size_t size;
    uint32_t length;
    assert_ok(sn__file_read(path_of(file), 1 << 26, &glb.bytes, &size));
    memcpy(&length, glb.bytes + 12, sizeof length);
    assert_ok(sn__json_parse(file, glb.bytes + 20, length, &glb.doc, NULL, NULL));
    glb.binary = (const unsigned char *)glb.bytes + 28 + length;
    remove(path_of(file));
    return glb;
}

static void free_glb(Glb *glb) {
    sn__json_free(&glb->doc);
    free(glb->bytes);
}

static size_t number(const Glb *glb, const Json *object, const char *key) {
    return (size_t)sn__json_member(&glb->doc, object, key)->number;
}

// As the extension says: m 2^e.
static float float_of(uint32_t word) {
    int32_t m = (int32_t)(word << 8) >> 8, e = (int32_t)word >> 24;
    return ldexpf((float)m, e);
}

static double apart_floats(const unsigned char *packed, const unsigned char *plain, size_t count) {
    double worst = 0;
    for (size_t i = 0; i < count; ++i) {
        uint32_t word;
        float x;
        memcpy(&word, packed + 4 * i, 4);
        memcpy(&x, plain + 4 * i, 4);
        worst = fmax(worst, fabs((double)float_of(word) - (double)x));
    }
    return worst;
}

static double apart_rotations(const unsigned char *packed, const unsigned char *plain,
                              size_t count) {
    double worst = 0;
    for (size_t i = 0; i < count; ++i) {
        int16_t p[4], q[4];
        memcpy(p, packed + 8 * i, 8);
        memcpy(q, plain + 8 * i, 8);
        double out[4], square = 0, dot = 0, length = 0;
        for (int c = 0; c < 3; ++c) {
            double x = p[c] / (1.4142135623730951 * (p[3] | 3));
            out[((p[3] & 3) + 1 + c) % 4] = x;
            square += x * x;
        }
        out[p[3] & 3] = sqrt(1.0 - square);
        for (int c = 0; c < 4; ++c) {
            dot += out[c] * q[c];
            length += (double)q[c] * q[c];
        }
        worst = fmax(worst, 1.0 - fabs(dot) / sqrt(length));
    }
    return sqrt(2.0 * worst); // half the angle
}

static void filters_give_back_what_was_recorded(void **state) {
    (void)state;
    int calls[2] = {0};
    const SnGltfEncoder encoder = {calls, copy_bound, copy};
    // Keys have what compressing leaves of the tolerance: these two files have the same.
    assert_ok(record(&encoder, 1e-4f, "packed.glb"));
    assert_ok(record(NULL, 1e-4f * (1.0f - GLTF_PACK_PART), "plain.glb"));
    Glb packed = read_glb("packed.glb"), plain = read_glb("plain.glb");
    const Json *a =
        sn__json_first(sn__json_member(&packed.doc, sn__json_root(&packed.doc), "bufferViews"));
    const Json *b =
        sn__json_first(sn__json_member(&plain.doc, sn__json_root(&plain.doc), "bufferViews"));
    int filtered = 0;
    for (; a && b; a = sn__json_next(&packed.doc, a), b = sn__json_next(&plain.doc, b)) {
        const Json *e = sn__json_member(&packed.doc, a, "extensions");
        e = sn__json_member(&packed.doc, e, "EXT_meshopt_compression");
        size_t size = number(&plain, b, "byteLength");
        assert_int_equal(number(&packed, a, "byteLength"), size);
        assert_int_equal(number(&packed, e, "count") * number(&packed, e, "byteStride"), size);
        const unsigned char *x = packed.binary + number(&packed, e, "byteOffset");
        const unsigned char *y = plain.binary + number(&plain, b, "byteOffset");
        const Json *filter = sn__json_member(&packed.doc, e, "filter");
        const char *name = filter ? sn__json_string(&packed.doc, filter) : "";
        filtered += filter != NULL;
        if (strcmp(name, "EXPONENTIAL") == 0)
            assert_below(apart_floats(x, y, size / 4), filtered == 1 ? 0.5e-5 : 1e-4); // of sizes
        else if (strcmp(name, "QUATERNION") == 0)
            assert_below(apart_rotations(x, y, size / 8), 4e-5);
        else
            assert_memory_equal(x, y, size);
    }
    assert_true(a == NULL && b == NULL);
    assert_int_equal(filtered, 3);
    assert_int_equal(calls[SN_GLTF_TRIANGLES], 1);
    free_glb(&packed);
    free_glb(&plain);
}

// What two targets add, times the weight that they have at most: positions and normals.
static void morph_targets_are_filtered_too(void **state) {
    (void)state;
    enum { VERTICES = 50, FLOATS = 6 * VERTICES };
    static float targets[2][FLOATS], first[2] = {2.0f, 0.0f}, second[2] = {-1.0f, -0.01f};
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < FLOATS; ++i)
            targets[k][i] = (i < FLOATS / 2 ? 0.02f : 1.0f) * sinf((float)(i * i + 7 * k));
    float *weights[2] = {first, second};
    int calls[2] = {0};
    GltfMorph morph = {.vertex_count = VERTICES,
                       .count = 2,
                       .targets = {targets[0], targets[1]},
                       .weights = weights,
                       .frame_count = 2};
    GltfActor actor = {.mesh_count = 1, .morphs = &morph};
    const SnGltf gltf = {.actor_count = 1,
                         .actors = &actor,
                         .tolerance = 1e-4f,
                         .encoder = {calls, copy_bound, copy}};
    GltfKeys keys = {.reach = 1.0f};
    GltfLayout layout = {.keys = &keys, .total = sizeof targets};
    layout.size[GLTF_MORPHS] = sizeof targets;
    static unsigned char plain[sizeof targets];
    memcpy(plain, targets, sizeof targets);
    GltfPacked packed;
    assert_ok(sn__gltf_pack(&gltf, &layout, plain, &packed));
    assert_int_equal(packed.size[GLTF_MORPHS], sizeof targets);
    const unsigned char *bytes = packed.bytes + packed.offset[GLTF_MORPHS];
    const double mosts[2] = {2.0, 0.01};
    for (int k = 0; k < 2; ++k) {
        const unsigned char *x = bytes + (size_t)k * sizeof targets[k];
        const unsigned char *y = (const unsigned char *)targets[k];
        const size_t half = sizeof targets[k] / 2, count = FLOATS / 2;
        assert_below(mosts[k] * apart_floats(x, y, count), 0.25e-4);
        assert_below(mosts[k] * apart_floats(x + half, y + half, count), 1.0 / 256.0);
        assert_true(apart_floats(x + half, y + half, count) > 1e-4); // few bits are left
    }
    sn__gltf_free_packed(&packed);
}

static void an_encoder_that_fails_is_told(void **state) {
    (void)state;
    const SnGltfEncoder encoder = {NULL, copy_bound, refuse};
    assert_error(record(&encoder, 1e-4f, "none.glb"), SN_ERROR_INVALID, "encoder");
    assert_int_equal(access(path_of("none.glb"), F_OK), -1);
}

static int remove_folder(void **state) {
    (void)state;
    return rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filters_give_back_what_was_recorded),
        cmocka_unit_test(morph_targets_are_filtered_too),
        cmocka_unit_test(an_encoder_that_fails_is_told),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
