// GLB out: the file is read back byte by byte and skinned again, as a player would.
#define _POSIX_C_SOURCE 200809L

#include "io/file.h"
#include "io/json.h"
#include "io/tube.h"

#include <sinew/gltf.h>

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#define LINE_VERTICES 5
#define RING_VERTICES 8
#define VERTICES (LINE_VERTICES + RING_VERTICES)
#define SEGMENTS (LINE_VERTICES - 1 + RING_VERTICES)
#define PI 3.14159265358979

// A straight rod along x and a ring around y, as a world would hand them out.
typedef struct Model {
    float positions[3 * VERTICES], radii[VERTICES], scales[VERTICES], frames[4 * SEGMENTS];
    float rotations[4 * VERTICES]; // the rest pose is that of time 0
    int vertex_begin[3], segment_begin[3];
    SnPoses poses;
} Model;

static void put_frame(Model *m, int segment, Vec3d tangent) {
    Quatd q = rotation_between((Vec3d){0, 0, 1}, scaled(tangent, 1 / lengthd(tangent)));
    float sign = segment % 2 ? -1 : 1; // q and −q are the same frame
    float *f = m->frames + 4 * segment;
    f[0] = sign * (float)q.x;
    f[1] = sign * (float)q.y;
    f[2] = sign * (float)q.z;
    f[3] = sign * (float)q.w;
}

// The direction of the arm at vertex i: between those of its two segments.
static Vec3d arm_direction(const Model *m, int i) {
    Vec3d sum = {0, 0, 0};
    for (int s = i > 0 ? i - 1 : 0; s <= i && s < LINE_VERTICES - 1; ++s) {
        const float *a = m->positions + 3 * s, *b = a + 3;
        Vec3d d = {(double)(b[0] - a[0]), (double)(b[1] - a[1]), (double)(b[2] - a[2])};
        sum = addd(sum, scaled(d, 1 / lengthd(d)));
    }
    return scaled(sum, 1 / lengthd(sum));
}

static void put_rotation(Model *m, int vertex, Quatd q) {
    float sign = vertex % 2 ? -1 : 1; // the recorder must cope with either
    float *r = m->rotations + 4 * vertex;
    r[0] = sign * (float)q.x;
    r[1] = sign * (float)q.y;
    r[2] = sign * (float)q.z;
    r[3] = sign * (float)q.w;
}

static void model_at(Model *m, double time) {
    const int vertex_begin[] = {0, LINE_VERTICES, VERTICES};
    const int segment_begin[] = {0, LINE_VERTICES - 1, SEGMENTS};
    memcpy(m->vertex_begin, vertex_begin, sizeof vertex_begin);
    memcpy(m->segment_begin, segment_begin, sizeof segment_begin);
    double bend = 0.3 * time;
    for (int i = 0; i < LINE_VERTICES; ++i) {
        float *p = m->positions + 3 * i;
        p[0] = 0.5f * (float)i;
        p[1] = (float)(bend * i * i * 0.1);
        p[2] = 0;
        m->scales[i] = i == 2 ? (float)(1 + time) : 1;
        m->radii[i] = (0.2f - 0.02f * (float)i) * m->scales[i];
    }
    for (int i = 0; i < RING_VERTICES; ++i) {
        double angle = 2 * PI * i / RING_VERTICES;
        float *p = m->positions + 3 * (LINE_VERTICES + i);
        p[0] = (float)cos(angle);
        p[1] = 3;
        p[2] = (float)sin(angle);
        m->scales[LINE_VERTICES + i] = 1;
        m->radii[LINE_VERTICES + i] = 0.1f;
    }
    for (int r = 0; r < 2; ++r) {
        int first = vertex_begin[r], count = vertex_begin[r + 1] - first;
        for (int s = segment_begin[r]; s < segment_begin[r + 1]; ++s) {
            int i = s - segment_begin[r], j = (i + 1) % count;
            const float *a = m->positions + 3 * (first + i), *b = m->positions + 3 * (first + j);
            put_frame(m, s,
                      (Vec3d){(double)(b[0] - a[0]), (double)(b[1] - a[1]), (double)(b[2] - a[2])});
        }
    }
    for (int i = 0; i < VERTICES; ++i)
        put_rotation(m, i,
                     i < LINE_VERTICES ? rotation_between((Vec3d){1, 0, 0}, arm_direction(m, i))
                                       : (Quatd){0, 0, 0, 1});
    m->poses = (SnPoses){.body_count = 2,
                         .point_count = VERTICES,
                         .element_count = SEGMENTS,
                         .point_begin = m->vertex_begin,
                         .element_begin = m->segment_begin,
                         .positions = m->positions,
                         .rotations = m->rotations,
                         .radii = m->radii,
                         .scales = m->scales,
                         .frames = m->frames};
}

static SnGltf *record(Model *m, int frames) {
    static const char *const names[] = {"arm \"1\"", "ring"};
    static const SnColour colours[] = {{1, 0, 0}, {0, 1, 0}};
    SnGltfDef def = sn_default_gltf_def();
    def.names = names;
    def.colours = colours;
    def.tolerance = 0; // test_gltf_keys.c has others
    SnGltf *gltf;
    model_at(m, 0);
    assert_int_equal(sn_gltf_begin(&m->poses, &def, &gltf).code, SN_OK);
    for (int f = 0; f < frames; ++f) {
        model_at(m, f * 0.25);
        assert_int_equal(sn_gltf_frame(gltf, &m->poses, f * 0.25).code, SN_OK);
    }
    return gltf;
}

static const char *path_of(const char *name) {
    static char path[256];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/sinew-%ld-%s", folder ? folder : "/tmp", (long)getpid(), name);
    return path;
}

// A GLB in memory.
typedef struct Glb {
    char *bytes;
    size_t size;
    const char *binary;
    JsonDoc doc;
} Glb;

static uint32_t word(const Glb *glb, size_t at) {
    uint32_t value;
    memcpy(&value, glb->bytes + at, 4);
    return value;
}

static Glb read_glb(const char *path) {
    Glb glb;
    assert_int_equal(sn__file_read(path, 1 << 26, &glb.bytes, &glb.size).code, SN_OK);
    assert_int_equal(word(&glb, 0), 0x46546C67);
    assert_int_equal(word(&glb, 8), glb.size);
    size_t json = word(&glb, 12);
    SnResult result = sn__json_parse(path, glb.bytes + 20, json, &glb.doc, NULL, NULL);
    assert_int_equal(result.code, SN_OK);
    assert_int_equal(json % 4, 0);
    glb.binary = glb.bytes + 28 + json;
    assert_int_equal(word(&glb, 20 + json) + 28 + json, glb.size);
    return glb;
}

static void free_glb(Glb *glb) {
    sn__json_free(&glb->doc);
    free(glb->bytes);
}

static const Json *item(const Glb *glb, const Json *object, const char *list, int index) {
    const Json *v = sn__json_first(sn__json_member(&glb->doc, object, list));
    for (; index > 0; --index)
        v = sn__json_next(&glb->doc, v);
    return v;
}

static double number(const Glb *glb, const Json *object, const char *key) {
    return sn__json_member(&glb->doc, object, key)->number;
}

// First byte of an accessor, and how many elements it has.
static const char *accessor(const Glb *glb, int index, int *out_count) {
    const Json *root = sn__json_root(&glb->doc), *a = item(glb, root, "accessors", index);
    const Json *view = item(glb, root, "bufferViews", (int)number(glb, a, "bufferView"));
    *out_count = (int)number(glb, a, "count");
    const Json *offset = sn__json_member(&glb->doc, a, "byteOffset");
    return glb->binary + (size_t)number(glb, view, "byteOffset") +
           (offset ? (size_t)offset->number : 0);
}

// Vertices of weight 1 follow their joint: brought into its frame by the bind matrix and scaled, they
// lie at the rod's radius in every frame.
static void rings_follow_their_joints(void **state) {
    (void)state;
    Model m;
    SnGltf *gltf = record(&m, 3);
    const char *path = path_of("rings.glb");
    assert_int_equal(sn_gltf_finish(gltf, path).code, SN_OK);
    Glb glb = read_glb(path);
    model_at(&m, 0.5);
    for (int rod = 0; rod < 2; ++rod) {
        int vertices, joints;
        const char *mesh = accessor(&glb, 6 * rod, &vertices);
        const char *bind = accessor(&glb, 6 * rod + 5, &joints);
        assert_int_equal(joints, m.vertex_begin[rod + 1] - m.vertex_begin[rod]);
        int rigid = 0;
        for (int v = 0; v < vertices; ++v) {
            TubeVertex tube;
            memcpy(&tube, mesh + (size_t)v * sizeof tube, sizeof tube);
            assert_int_equal(tube.weights[0] + tube.weights[1], TUBE_WEIGHT);
            double n = 0;
            for (int c = 0; c < 3; ++c)
                n += (double)tube.normal[c] * (double)tube.normal[c];
            assert_true(fabs(n - 1) < 1e-4);
            if (tube.weights[0] != TUBE_WEIGHT)
                continue;
            float b[16];
            memcpy(b, bind + 64 * (size_t)tube.joints[0], sizeof b);
            int vertex = m.vertex_begin[rod] + tube.joints[0];
            double local[3];
            for (int c = 0; c < 3; ++c) {
                local[c] = (double)b[12 + c];
                for (int k = 0; k < 3; ++k)
                    local[c] += (double)b[4 * k + c] * (double)tube.position[k];
            }
            double radius = (double)m.radii[vertex], scale = (double)m.scales[vertex];
            double away = lengthd((Vec3d){local[0], local[1], local[2]}) * scale;
            assert_true(fabs(away - radius) < 1e-4 * radius + 1e-6);
            ++rigid;
        }
        assert_true(rigid >= 12 * joints);
    }
    free_glb(&glb);
    sn_gltf_destroy(gltf);
    remove(path);
}

// Closed surfaces with all triangles facing out have a positive volume: that of the tube.
static void surfaces_are_closed_and_face_out(void **state) {
    (void)state;
    Model m;
    SnGltf *gltf = record(&m, 1);
    const char *path = path_of("volume.glb");
    assert_int_equal(sn_gltf_finish(gltf, path).code, SN_OK);
    Glb glb = read_glb(path);
    const double expected[] = {2.0 * PI * (0.04 + 0.2 * 0.12 + 0.0144) / 3 +
                                   2.0 / 3 * PI * (0.008 + 0.001728),
                               PI * 0.01 * 2 * PI};
    for (int rod = 0; rod < 2; ++rod) {
        int vertices, indices;
        const char *mesh = accessor(&glb, 6 * rod, &vertices);
        const char *index = accessor(&glb, 6 * rod + 4, &indices);
        double volume = 0;
        for (int t = 0; t < indices / 3; ++t) {
            Vec3d p[3], normal = {0, 0, 0};
            for (int k = 0; k < 3; ++k) {
                uint32_t at;
                TubeVertex v;
                memcpy(&at, index + 4 * (size_t)(3 * t + k), 4);
                assert_true(at < (uint32_t)vertices);
                memcpy(&v, mesh + at * sizeof v, sizeof v);
                p[k] = (Vec3d){(double)v.position[0], (double)v.position[1], (double)v.position[2]};
                normal = addd(
                    normal, (Vec3d){(double)v.normal[0], (double)v.normal[1], (double)v.normal[2]});
            }
            assert_true(dotd(crossd(subd(p[1], p[0]), subd(p[2], p[0])), normal) > 0);
            volume += dotd(p[0], crossd(p[1], p[2])) / 6;
        }
        if (!(fabs(volume / expected[rod] - 1) < 0.1))
            fail_msg("volume %g, not %g", volume, expected[rod]);
    }
    free_glb(&glb);
    sn_gltf_destroy(gltf);
    remove(path);
}

// The arm's first vertex keeps its place and the ring does not move at all: no channels for those.
static void still_things_have_no_channels(void **state) {
    (void)state;
    Model m;
    SnGltf *gltf = record(&m, 4);
    const char *path = path_of("channels.glb");
    assert_int_equal(sn_gltf_finish(gltf, path).code, SN_OK);
    SnGltfInfo info;
    assert_int_equal(sn_gltf_info(path, &info).code, SN_OK);
    // 4 translations, 5 rotations and 1 scale.
    assert_int_equal(info.channels, 10);
    assert_int_equal(info.meshes, 2);
    assert_int_equal(info.skins, 2);
    assert_int_equal(info.joints, VERTICES);
    assert_int_equal(info.materials, 2);
    assert_int_equal(info.animations, 1);
    assert_true(fabs(info.duration - 0.75) < 1e-6);
    assert_true(info.has_bounds && fabs(info.bounds_min[0] + 1.1) < 0.02);
    assert_non_null(strstr(info.generator, "Sinew"));
    Glb glb = read_glb(path);
    const Json *node = item(&glb, sn__json_root(&glb.doc), "nodes", 0);
    const char *name = sn__json_string(&glb.doc, sn__json_member(&glb.doc, node, "name"));
    assert_string_equal(name, "arm \"1\"");
    free_glb(&glb);
    sn_gltf_destroy(gltf);
    remove(path);
}

// The accessor of the values of the k-th channel of rotations.
static int rotation_accessor(const Glb *glb, int k) {
    const Json *animation = item(glb, sn__json_root(&glb->doc), "animations", 0);
    for (int i = 0;; ++i) {
        const Json *channel = item(glb, animation, "channels", i);
        const Json *target = sn__json_member(&glb->doc, channel, "target");
        const char *path = sn__json_string(&glb->doc, sn__json_member(&glb->doc, target, "path"));
        if (strcmp(path, "rotation") == 0 && k-- == 0) {
            int sampler = (int)number(glb, channel, "sampler");
            return (int)number(glb, item(glb, animation, "samplers", sampler), "output");
        }
    }
}

// Rotations are those since the rest pose and do not change sign from one frame to the next.
static void rotations_are_continuous(void **state) {
    (void)state;
    Model m;
    SnGltf *gltf = record(&m, 1);
    for (int f = 1; f < 6; ++f) {
        model_at(&m, f * 0.25);
        for (int i = 0; i < 4 * VERTICES && f % 2; ++i)
            m.rotations[i] = -m.rotations[i];
        assert_int_equal(sn_gltf_frame(gltf, &m.poses, f * 0.25).code, SN_OK);
    }
    const char *path = path_of("signs.glb");
    assert_int_equal(sn_gltf_finish(gltf, path).code, SN_OK);
    Glb glb = read_glb(path);
    for (int k = 0; k < LINE_VERTICES; ++k) {
        int count;
        const char *keys = accessor(&glb, rotation_accessor(&glb, k), &count);
        assert_int_equal(count, 6);
        for (int f = 1; f < count; ++f) {
            int16_t a[4], b[4];
            memcpy(a, keys + 8 * (f - 1), 8);
            memcpy(b, keys + 8 * f, 8);
            double dot = 0;
            for (int c = 0; c < 4; ++c)
                dot += (double)a[c] * b[c] / 32767 / 32767;
            assert_true(dot > 0.9 && dot < 1.001);
        }
        int16_t last[4];
        memcpy(last, keys + 8 * (count - 1), 8);
        Quatd turn = normalisedq((Quatd){last[0], last[1], last[2], last[3]});
        Vec3d axis = rotated(turn, (Vec3d){1, 0, 0});
        assert_true(dotd(axis, arm_direction(&m, k)) > 0.9999);
    }
    free_glb(&glb);
    sn_gltf_destroy(gltf);
    remove(path);
}

static void no_frames_or_no_rods_is_a_file_too(void **state) {
    (void)state;
    Model m;
    SnGltf *gltf = record(&m, 0);
    const char *path = path_of("still.glb");
    SnGltfInfo info;
    assert_int_equal(sn_gltf_finish(gltf, path).code, SN_OK);
    assert_int_equal(sn_gltf_info(path, &info).code, SN_OK);
    assert_int_equal(info.animations, 0);
    sn_gltf_destroy(gltf);
    SnPoses none = {0};
    const int begin[] = {0};
    none.point_begin = none.element_begin = begin;
    SnGltfDef def = sn_default_gltf_def();
    assert_int_equal(sn_gltf_begin(&none, &def, &gltf).code, SN_OK);
    assert_int_equal(sn_gltf_frame(gltf, &none, 0).code, SN_OK);
    assert_int_equal(sn_gltf_finish(gltf, path).code, SN_OK);
    assert_int_equal(sn_gltf_info(path, &info).code, SN_OK);
    assert_int_equal(info.nodes, 0);
    sn_gltf_destroy(gltf);
    remove(path);
}

static void misuse_is_refused(void **state) {
    (void)state;
    Model m;
    SnGltf *gltf = record(&m, 2), *other = NULL;
    assert_int_equal(sn_gltf_frame(gltf, &m.poses, 0.25).code, SN_ERROR_INVALID);
    m.poses.body_count = 1;
    assert_int_equal(sn_gltf_frame(gltf, &m.poses, 1).code, SN_ERROR_INVALID);
    m.poses.body_count = 2;
    SnGltfDef def = {0};
    assert_int_equal(sn_gltf_begin(&m.poses, &def, &other).code, SN_ERROR_INVALID);
    assert_null(other);
    def = sn_default_gltf_def();
    m.vertex_begin[1] = 70000;
    assert_int_equal(sn_gltf_begin(&m.poses, &def, &other).code, SN_ERROR_LIMIT);
    assert_int_equal(sn_gltf_finish(gltf, "/no/such/folder/x.glb").code, SN_ERROR_FILE);
    sn_gltf_destroy(gltf);
}

static void a_full_disk_leaves_nothing_behind(void **state) {
    (void)state;
    Model m;
    SnGltf *gltf = record(&m, 3);
    char path[256], part[264];
    snprintf(path, sizeof path, "%s", path_of("full.glb"));
    snprintf(part, sizeof part, "%s.part", path);
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 4096;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    SnResult result = sn_gltf_finish(gltf, path);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(result.code, SN_ERROR_FILE);
    assert_non_null(strstr(result.message, path));
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_not_equal(access(part, F_OK), 0);
    assert_int_equal(sn_gltf_finish(gltf, path).code, SN_OK); // and a second try works
    sn_gltf_destroy(gltf);
    remove(path);
}

static void write_bytes(const char *path, const char *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void sums_stay_within_int(void **state) {
    (void)state;
    static const char text[] =
        "{\"asset\":{},\"accessors\":[{\"count\":2e9}],\"meshes\":[{\"primitives\":["
        "{\"attributes\":{\"POSITION\":0},\"mode\":5},{\"attributes\":{\"POSITION\":0},\"mode\":5}]"
        "}]}";
    char path[256];
    snprintf(path, sizeof path, "%s", path_of("claims.gltf"));
    write_bytes(path, text, strlen(text));
    SnGltfInfo info;
    assert_int_equal(sn_gltf_info(path, &info).code, SN_OK);
    assert_int_equal(info.vertices, INT32_MAX);
    assert_int_equal(info.triangles, INT32_MAX);
    remove(path);
}

static void truncated_files_are_refused(void **state) {
    (void)state;
    Model m;
    SnGltf *gltf = record(&m, 2);
    char path[256];
    snprintf(path, sizeof path, "%s", path_of("whole.glb"));
    assert_int_equal(sn_gltf_finish(gltf, path).code, SN_OK);
    sn_gltf_destroy(gltf);
    char *bytes;
    size_t size;
    assert_int_equal(sn__file_read(path, 1 << 26, &bytes, &size).code, SN_OK);
    SnGltfInfo info;
    for (size_t cut = 0; cut < size; cut += cut < 64 ? 1 : 997) {
        write_bytes(path, bytes, cut);
        SnResult result = sn_gltf_info(path, &info);
        assert_int_equal(result.code, SN_ERROR_FORMAT);
        assert_non_null(strstr(result.message, "whole.glb"));
    }
    uint32_t seed = 99;
    for (int round = 0; round < 300; ++round) { // damage within the JSON must not crash
        seed = seed * 1664525u + 1013904223u;
        char kept = bytes[20 + seed % 4000];
        bytes[20 + seed % 4000] = "0[{-"[seed >> 20 & 3];
        write_bytes(path, bytes, size);
        sn_gltf_info(path, &info);
        bytes[20 + seed % 4000] = kept;
    }
    free(bytes);
    remove(path);
    assert_int_equal(sn_gltf_info(path, &info).code, SN_ERROR_FILE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rings_follow_their_joints),
        cmocka_unit_test(surfaces_are_closed_and_face_out),
        cmocka_unit_test(still_things_have_no_channels),
        cmocka_unit_test(rotations_are_continuous),
        cmocka_unit_test(no_frames_or_no_rods_is_a_file_too),
        cmocka_unit_test(misuse_is_refused),
        cmocka_unit_test(a_full_disk_leaves_nothing_behind),
        cmocka_unit_test(sums_stay_within_int),
        cmocka_unit_test(truncated_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
