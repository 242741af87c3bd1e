// Meshes from glTF files, made here: node transforms, all kinds of primitives and indices, buffers
// in three places, and files that lie.
#include "support.h"

#include "folder.h"
#include "io/file.h"
#include "io/painted_mesh.h"
#include "math/vec.h"

#include <sinew/gltf.h>

static int remove_folder(void **state) {
    (void)state;
    static const char *const names[] = {"a.gltf", "a b.bin", "a.glb"};
    for (int i = 0; i < 3; ++i)
        remove(path_of(names[i]));
    return rmdir(folder);
}

// A square in the xy plane, 4 positions, then its indices as 8, 16 and 32 bits (two triangles), and
// as a fan of 4 of 8 bits.
typedef struct Data {
    float positions[12];
    uint8_t small[8];
    uint16_t middle[6];
    uint32_t large[6];
    uint8_t fan[4];
} Data;

static const Data DATA = {
    {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0},
    {0, 1, 2, 0, 2, 3},
    {0, 1, 2, 0, 2, 3},
    {0, 1, 2, 0, 2, 3},
    {0, 1, 2, 3},
};

#define VIEWS                                                                                      \
    "\"bufferViews\":[{\"buffer\":0,\"byteLength\":48},"                                           \
    "{\"buffer\":0,\"byteOffset\":48,\"byteLength\":8},"                                           \
    "{\"buffer\":0,\"byteOffset\":56,\"byteLength\":12},"                                          \
    "{\"buffer\":0,\"byteOffset\":68,\"byteLength\":24},"                                          \
    "{\"buffer\":0,\"byteOffset\":92,\"byteLength\":4}],"
#define ACCESSORS                                                                                  \
    "\"accessors\":["                                                                              \
    "{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"},"                     \
    "{\"bufferView\":1,\"componentType\":5121,\"count\":6,\"type\":\"SCALAR\"},"                   \
    "{\"bufferView\":2,\"componentType\":5123,\"count\":6,\"type\":\"SCALAR\"},"                   \
    "{\"bufferView\":3,\"componentType\":5125,\"count\":6,\"type\":\"SCALAR\"},"                   \
    "{\"bufferView\":4,\"componentType\":5121,\"count\":4,\"type\":\"SCALAR\"}],"
#define HEAD "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,"

// A GLB of this JSON with DATA as its binary chunk, written to a.glb.
static void write_glb(const char *json) {
    static char bytes[8192];
    size_t length = strlen(json), padded = (length + 3) / 4 * 4;
    const uint32_t head[5] = {0x46546C67u, 2, (uint32_t)(28 + padded + sizeof DATA),
                              (uint32_t)padded, 0x4E4F534Au};
    const uint32_t chunk[2] = {sizeof DATA, 0x004E4942u};
    memset(bytes, ' ', sizeof bytes);
    memcpy(bytes, head, 20);
    memcpy(bytes + 20, json, length);
    memcpy(bytes + 20 + padded, chunk, 8);
    memcpy(bytes + 28 + padded, &DATA, sizeof DATA);
    write_file("a.glb", bytes, 28 + padded + sizeof DATA);
}

static const char *const MANY = HEAD VIEWS ACCESSORS
    "\"buffers\":[{\"byteLength\":96}],"
    "\"meshes\":[{\"primitives\":["
    "{\"attributes\":{\"POSITION\":0},\"indices\":1},"
    "{\"attributes\":{\"POSITION\":0},\"indices\":2},"
    "{\"attributes\":{\"POSITION\":0},\"indices\":3},"
    "{\"attributes\":{\"POSITION\":0},\"indices\":4,\"mode\":6},"
    "{\"attributes\":{\"POSITION\":0},\"mode\":5},"
    "{\"attributes\":{\"POSITION\":0},\"mode\":1}]}],"
    "\"nodes\":[{\"children\":[1,2],\"translation\":[10,0,0]},"
    "{\"mesh\":0,\"rotation\":[0,0,0.7071067811865476,0.7071067811865476],\"scale\":[2,3,1]},"
    "{\"mesh\":0,\"matrix\":[-1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,5,1]}],"
    "\"scenes\":[{\"nodes\":[0]}]}";

static SnMesh read_mesh(const char *name) {
    SnMesh mesh;
    assert_ok(sn_mesh_read_gltf(path_of(name), NULL, &mesh));
    return mesh;
}

static Vec3d corner(const SnMesh *mesh, int triangle, int c) {
    return vec3d(mesh->positions[mesh->triangles[3 * triangle + c]]);
}

static void nodes_move_meshes(void **state) {
    (void)state;
    write_glb(MANY);
    SnMesh mesh = read_mesh("a.glb");
    assert_int_equal(mesh.vertex_count, 2 * 5 * 4);
    assert_int_equal(mesh.triangle_count, 2 * 5 * 2);
    double area[2] = {0};
    for (int t = 0; t < mesh.triangle_count; ++t) {
        Vec3d a = corner(&mesh, t, 0);
        Vec3d n = scaled(crossd(subd(corner(&mesh, t, 1), a), subd(corner(&mesh, t, 2), a)), 0.5);
        int turned = a.z < 1.0; // the others were mirrored, and moved along z
        area[turned] += lengthd(n);
        // The strip's square is folded; all others face z, mirrored or not.
        assert_true(t % 10 >= 8 || n.z > 0.0);
        Vec3d low = turned ? (Vec3d){7.0, 0.0, 0.0} : (Vec3d){9.0, 0.0, 5.0};
        Vec3d high = turned ? (Vec3d){10.0, 2.0, 0.0} : (Vec3d){10.0, 1.0, 5.0};
        for (int c = 0; c < 3; ++c) {
            Vec3d x = corner(&mesh, t, c);
            assert_true(x.x >= low.x - 1e-6 && x.x <= high.x + 1e-6 && x.y >= low.y - 1e-6 &&
                        x.y <= high.y + 1e-6 && fabs(x.z - low.z) < 1e-6);
        }
    }
    assert_near(area[0], 5.0, 1e-5);
    assert_near(area[1], 30.0, 1e-4);
    for (int i = 0; i < mesh.vertex_count; ++i)
        assert_near(lengthd(vec3d(mesh.normals[i])), 1.0, 1e-5);
    sn_mesh_destroy(&mesh);
}

// Nodes that show something, one by one: their names, primitives as materials, and colours of vertices.
static void meshes_are_read_one_by_one(void **state) {
    (void)state;
    static const char *const json = HEAD VIEWS ACCESSORS
        "\"buffers\":[{\"byteLength\":96}],"
        "\"materials\":[{\"name\":\"belly\"},{\"name\":\"tendon\"}],"
        "\"meshes\":[{\"name\":\"plate\",\"primitives\":["
        "{\"attributes\":{\"POSITION\":0,\"COLOR_0\":0},\"indices\":1,\"material\":1},"
        "{\"attributes\":{\"POSITION\":0},\"indices\":2,\"material\":0}]}],"
        "\"nodes\":[{\"children\":[1,2]},{\"mesh\":0,\"name\":\"biceps\"},"
        "{\"mesh\":0,\"matrix\":[-1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,5,1]}],"
        "\"scenes\":[{\"nodes\":[0]}]}";
    write_glb(json);
    PaintedMeshes all;
    assert_ok(sn__meshes_read_gltf(path_of("a.glb"), &all));
    assert_int_equal(all.count, 2);
    assert_string_equal(all.meshes[0].name, "biceps");
    assert_string_equal(all.meshes[1].name, "plate");
    for (int m = 0; m < 2; ++m) {
        const PaintedMesh *mesh = &all.meshes[m];
        assert_int_equal(mesh->mesh.triangle_count, 4);
        assert_non_null(mesh->colours);
        for (int t = 0; t < 4; ++t) {
            assert_string_equal(mesh->material_names[mesh->materials[t]],
                                t < 2 ? "tendon" : "belly");
            for (int c = 0; c < 3; ++c) { // colours are the places in the file, or white
                SnVec3 x = mesh->mesh.positions[mesh->mesh.triangles[3 * t + c]];
                const float *colour = mesh->colours[3 * t + c];
                assert_near(colour[0], t < 2 ? fabsf(x.x) : 1.0f, 1e-6);
                assert_near(colour[1], t < 2 ? x.y : 1.0f, 1e-6);
            }
        }
    }
    sn__painted_meshes_destroy(&all);
    assert_int_equal(sn__meshes_read_gltf(path_of("none.glb"), &all).code, SN_ERROR_FILE);
    write_glb(HEAD "\"nodes\":[{}],\"scenes\":[{\"nodes\":[0]}]}");
    assert_error(sn__meshes_read_gltf(path_of("a.glb"), &all), SN_ERROR_FORMAT,
                 "no node of its scene shows a mesh");
    assert_null(all.meshes);
}

static const char *const ONE = HEAD VIEWS ACCESSORS
    "\"buffers\":[{\"byteLength\":96,\"uri\":\"%s\"}],"
    "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":2}]}],"
    "\"nodes\":[{\"mesh\":0}],\"scenes\":[{\"nodes\":[0]}]}";

static void base64_of(const unsigned char *bytes, size_t size, char *out) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        uint32_t word = (uint32_t)bytes[i] << 16 | (uint32_t)bytes[i + 1] << 8 | bytes[i + 2];
        for (int k = 3; k >= 0; --k)
            *out++ = digits[word >> 6 * k & 63];
    }
    *out = 0;
}

static void buffers_are_found(void **state) {
    (void)state;
    static char json[4096], uri[1024] = "data:application/octet-stream;base64,";
    assert_int_equal(sizeof DATA % 3, 0);
    base64_of((const unsigned char *)&DATA, sizeof DATA, uri + strlen(uri));
    snprintf(json, sizeof json, ONE, uri);
    write_file("a.gltf", json, strlen(json));
    SnMesh mesh = read_mesh("a.gltf");
    assert_int_equal(mesh.triangle_count, 2);
    assert_near(corner(&mesh, 1, 2).y, 1.0, 0.0);
    sn_mesh_destroy(&mesh);

    write_file("a b.bin", &DATA, sizeof DATA);
    snprintf(json, sizeof json, ONE, "a%20b.bin");
    write_file("a.gltf", json, strlen(json));
    mesh = read_mesh("a.gltf");
    assert_int_equal(mesh.vertex_count, 4);
    sn_mesh_destroy(&mesh);

    snprintf(json, sizeof json, ONE, "nowhere.bin");
    write_file("a.gltf", json, strlen(json));
    assert_error(sn_mesh_read_gltf(path_of("a.gltf"), NULL, &mesh), SN_ERROR_FILE, "nowhere.bin");
    assert_null(mesh.positions);
}

// `from` in MANY becomes `to`.
static SnResult read_changed(const char *from, const char *to) {
    static char json[8192];
    const char *at = strstr(MANY, from);
    assert_non_null(at);
    snprintf(json, sizeof json, "%.*s%s%s", (int)(at - MANY), MANY, to, at + strlen(from));
    write_glb(json);
    SnMesh mesh;
    SnResult result = sn_mesh_read_gltf(path_of("a.glb"), NULL, &mesh);
    assert_true((result.code == SN_OK) == (mesh.positions != NULL));
    sn_mesh_destroy(&mesh);
    return result;
}

static void lies_are_refused(void **state) {
    (void)state;
    static const char *const changes[][3] = {
        {"\"byteLength\":48", "\"byteLength\":480", "a buffer view ends"},
        {"\"byteLength\":48", "\"byteLength\":-48", "points nowhere"},
        {"\"count\":4,\"type\":\"VEC3\"", "\"count\":5,\"type\":\"VEC3\"", "do not fit"},
        {"\"count\":4,\"type\":\"VEC3\"", "\"count\":1e9,\"type\":\"VEC3\"", "do not fit"},
        {"\"count\":4,\"type\":\"VEC3\"", "\"count\":3,\"type\":\"VEC3\"", "is not below 3"},
        {"\"type\":\"VEC3\"", "\"type\":\"VEC2\"", "plain data"},
        {"\"count\":4,", "\"count\":4,\"sparse\":{},", "plain data"},
        {"5126", "5121", "plain data"},
        {"\"children\":[1,2]", "\"children\":[1,2,0]", "not a tree"},
        {"\"children\":[1,2]", "\"children\":[1,1]", "not a tree"},
        {"\"children\":[1,2]", "\"children\":[1,3]", "not a tree"},
        {"\"scale\":[2,3,1]", "\"scale\":[2,3e30,1]", "is not within"},
        {"\"nodes\":[0]}]}", "\"nodes\":[]}]}", "no triangles"},
        {"\"scene\":0", "\"extensionsRequired\":[\"KHR_draco\"]", "KHR_draco"},
        {"\"scene\":0", "\"extensionsRequired\":[\"KHR_materials_unlit\",\"EXT_x\"]", "EXT_x"},
        {"\"asset\"", "\"assets\"", "no \"asset\""},
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; ++i)
        assert_error(read_changed(changes[i][0], changes[i][1]), SN_ERROR_FORMAT, changes[i][2]);
    assert_ok(read_changed("\"scene\":0", "\"extensionsRequired\":[\"KHR_materials_unlit\"]"));
    SnMesh mesh;
    assert_int_equal(sn_mesh_read_gltf(path_of("none.glb"), NULL, &mesh).code, SN_ERROR_FILE);
}

// Cut off or changed at random, a file gives a mesh or an error, never a crash.
static void damage_is_survived(void **state) {
    (void)state;
    write_glb(MANY);
    char *bytes;
    size_t size;
    assert_ok(sn__file_read(path_of("a.glb"), 1 << 20, &bytes, &size));
    SnMesh mesh;
    for (size_t cut = 0; cut < size; cut += 7) {
        write_file("a.glb", bytes, cut);
        assert_int_equal(sn_mesh_read_gltf(path_of("a.glb"), NULL, &mesh).code, SN_ERROR_FORMAT);
    }
    Rng rng = {77};
    for (int round = 0; round < 3000; ++round) {
        size_t at = (size_t)rng_int(&rng, 0, (int)size - 1);
        char kept = bytes[at];
        bytes[at] = "0123456789-[]{},\"e\xff\x80"[rng_int(&rng, 0, 19)];
        write_file("a.glb", bytes, size);
        SnResult result = sn_mesh_read_gltf(path_of("a.glb"), NULL, &mesh);
        for (int i = 0; result.code == SN_OK && i < 3 * mesh.triangle_count; ++i)
            assert_true(mesh.triangles[i] < (uint32_t)mesh.vertex_count);
        sn_mesh_destroy(&mesh);
        bytes[at] = kept;
    }
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_move_meshes),  cmocka_unit_test(meshes_are_read_one_by_one),
        cmocka_unit_test(buffers_are_found),  cmocka_unit_test(lies_are_refused),
        cmocka_unit_test(damage_is_survived),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
