// Skeletons from files that are made here: glTF with joints that scale, all interpolations, several
// clips and roots; BVH; files that lie; and a recording that is read again.
#include "support.h"

#include "folder.h"
#include "io/file.h"
#include "math/map.h"

#include <sinew/gltf.h>
#include <sinew/scene.h>
#include <sinew/skeleton_file.h>

static int remove_folder(void **state) {
    (void)state;
    static const char *const names[] = {"a.glb", "a.bvh", "b.glb", "a.txt"};
    for (int i = 0; i < 4; ++i)
        remove(path_of(names[i]));
    return rmdir(folder);
}

// A square of 1 cm in the plane of x and y, whose upper half follows joint 1, in a space that is 100
// times too small: the joints have a scale of 100.
typedef struct Data {
    float positions[12], weights[16], binds[32];
    float times[3], turns[12], steps[9], scales[27], texcoords[8];
    uint8_t joints[16], indices[8];
    int16_t small_turns[12];
    uint8_t image[12];
} Data;

#define HALF 0.7071067811865476f

static const Data DATA = {
    .positions = {0, 0, 0, 0.01f, 0, 0, 0.01f, 0.01f, 0, 0, 0.01f, 0},
    .weights = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0.5f, 0.5f, 0, 0},
    .binds = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0,       0, 1,
              1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -0.005f, 0, 1},
    .times = {1, 2, 4},
    .turns = {0, 0, 0, 1, 0, 0, HALF, HALF, 0, 0, 1, 0},
    .steps = {0, 0, 0, 1, 0, 0, 2, 0, 0},
    .scales = {0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 3, 1, 1, 0, 0, 0, 0, 0, 0, 3, 1, 1, 0, 0, 0},
    .joints = {0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0},
    .indices = {0, 1, 2, 0, 2, 3},
    .texcoords = {0, 0, 1, 0, 1, 1, 0, 0.25f},
    .image = {0x89, 'P', 'N', 'G', 1, 2, 3, 4, 5},
    .small_turns = {0, 0, 0, 32767, 0, 0, 23170, 23170, 0, 0, 32767, 0},
};

#define VIEW(member) (int)offsetof(Data, member), (int)sizeof(((Data *)0)->member)

// Nodes: 0 an armature that scales, 1 and 2 joints, 3 the skinned mesh, whose own place does not count,
// 4 a mesh that hangs on joint 2, 5 a root of its own, which has no name.
static const char *const FORMAT =
    "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0,3,5]}],"
    "\"nodes\":[{\"name\":\"armature\",\"scale\":[100,100,100],\"children\":[1]},"
    "{\"name\":\"low\",\"children\":[2]},"
    "{\"name\":\"high\",\"translation\":[0,0.005,0],\"children\":[4]},"
    "{\"name\":\"body\",\"mesh\":0,\"skin\":0,\"translation\":[999,0,0]},"
    "{\"name\":\"hat\",\"mesh\":1,\"translation\":[0,0.01,0]},"
    "{\"translation\":[5,0,0]}],"
    "\"skins\":[{\"joints\":[1,2],\"inverseBindMatrices\":3}],"
    "\"meshes\":[{\"name\":\"body mesh\",\"primitives\":[{\"attributes\":{\"POSITION\":0,"
    "\"JOINTS_0\":1,\"WEIGHTS_0\":2,\"TEXCOORD_0\":10},\"indices\":4,\"material\":0}]},"
    "{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":4}]}],"
    "\"materials\":[{\"pbrMetallicRoughness\":{\"baseColorFactor\":[1,0.5,0.25,1],"
    "\"baseColorTexture\":{\"index\":0}}}],\"textures\":[{\"source\":0}],"
    "\"images\":[{\"bufferView\":11,\"mimeType\":\"image/png\"}],"
    "\"animations\":[{\"name\":\"turn\",\"samplers\":[{\"input\":5,\"output\":6}],"
    "\"channels\":[{\"sampler\":0,\"target\":{\"node\":2,\"path\":\"rotation\"}},"
    "{\"sampler\":0,\"target\":{\"node\":3,\"path\":\"weights\"}}]},"
    "{\"samplers\":[{\"input\":5,\"output\":7,\"interpolation\":\"STEP\"},"
    "{\"input\":5,\"output\":8,\"interpolation\":\"CUBICSPLINE\"}],"
    "\"channels\":[{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"translation\"}},"
    "{\"sampler\":1,\"target\":{\"node\":2,\"path\":\"scale\"}}]},"
    "{\"name\":\"small\",\"samplers\":[{\"input\":5,\"output\":9}],"
    "\"channels\":[{\"sampler\":0,\"target\":{\"node\":2,\"path\":\"rotation\"}}]},"
    "{\"name\":\"morph\",\"samplers\":[{\"input\":5,\"output\":7}],"
    "\"channels\":[{\"sampler\":0,\"target\":{\"node\":3,\"path\":\"weights\"}}]}],"
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"},"
    "{\"bufferView\":1,\"componentType\":5121,\"count\":4,\"type\":\"VEC4\"},"
    "{\"bufferView\":2,\"componentType\":5126,\"count\":4,\"type\":\"VEC4\"},"
    "{\"bufferView\":3,\"componentType\":5126,\"count\":2,\"type\":\"MAT4\"},"
    "{\"bufferView\":4,\"componentType\":5121,\"count\":6,\"type\":\"SCALAR\"},"
    "{\"bufferView\":5,\"componentType\":5126,\"count\":3,\"type\":\"SCALAR\"},"
    "{\"bufferView\":6,\"componentType\":5126,\"count\":3,\"type\":\"VEC4\"},"
    "{\"bufferView\":7,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"},"
    "{\"bufferView\":8,\"componentType\":5126,\"count\":9,\"type\":\"VEC3\"},"
    "{\"bufferView\":9,\"componentType\":5122,\"normalized\":true,\"count\":3,\"type\":\"VEC4\"},"
    "{\"bufferView\":10,\"componentType\":5126,\"count\":4,\"type\":\"VEC2\"}],"
    "\"buffers\":[{\"byteLength\":%d}],\"bufferViews\":["
    "{\"buffer\":0,\"byteOffset\":%d,\"byteLength\":%d},"
    "{\"buffer\":0,\"byteOffset\":%d,\"byteLength\":%d},"
    "{\"buffer\":0,\"byteOffset\":%d,\"byteLength\":%d},"
    "{\"buffer\":0,\"byteOffset\":%d,\"byteLength\":%d},"
    "{\"buffer\":0,\"byteOffset\":%d,\"byteLength\":%d},"
    "{\"buffer\":0,\"byteOffset\":%d,\"byteLength\":%d},"
    "{\"buffer\":0,\"byteOffset\":%d,\"byteLength\":%d},"
    "{\"buffer\":0,\"byteOffset\":%d,\"byteLength\":%d},"
    "{\"buffer\":0,\"byteOffset\":%d,\"byteLength\":%d},"
    "{\"buffer\":0,\"byteOffset\":%d,\"byteLength\":%d},"
    "{\"buffer\":0,\"byteOffset\":%d,\"byteLength\":%d},"
    "{\"buffer\":0,\"byteOffset\":%d,\"byteLength\":%d}]}";

// The file with `from` in its JSON replaced by `to`, unless that is NULL.
static void write_glb(const char *from, const char *to) {
    static char json[8192], changed[8192], bytes[16384];
    snprintf(json, sizeof json, FORMAT, (int)sizeof DATA, VIEW(positions), VIEW(joints),
             VIEW(weights), VIEW(binds), VIEW(indices), VIEW(times), VIEW(turns), VIEW(steps),
             VIEW(scales), VIEW(small_turns), VIEW(texcoords), VIEW(image));
    const char *at = from ? strstr(json, from) : NULL;
    assert_true(from == NULL || at != NULL);
    if (from)
        snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - json), json, to,
                 at + strlen(from));
    const char *text = from ? changed : json;
    size_t length = strlen(text), padded = (length + 3) / 4 * 4;
    const uint32_t head[5] = {0x46546C67u, 2, (uint32_t)(28 + padded + sizeof DATA),
                              (uint32_t)padded, 0x4E4F534Au};
    const uint32_t chunk[2] = {sizeof DATA, 0x004E4942u};
    memset(bytes, ' ', sizeof bytes);
    memcpy(bytes, head, 20);
    memcpy(bytes + 20, text, length);
    memcpy(bytes + 20 + padded, chunk, 8);
    memcpy(bytes + 28 + padded, &DATA, sizeof DATA);
    write_file("a.glb", bytes, 28 + padded + sizeof DATA);
}

static SnSkeleton *load(const char *name) {
    SnSkeleton *skeleton;
    assert_ok(sn_skeleton_load_file(path_of(name), NULL, &skeleton));
    return skeleton;
}

// Where a joint is when a clip has played for so long.
static SnMap joint_at(const SnSkeleton *skeleton, const char *clip, double time,
                      const char *joint) {
    SnTransform locals[64];
    SnMap maps[64];
    assert_true(sn_skeleton_joint_count(skeleton) <= 64);
    if (clip)
        assert_ok(
            sn_skeleton_sample(skeleton, sn_skeleton_find_clip(skeleton, clip), time, locals));
    else
        assert_ok(sn_skeleton_rest(skeleton, locals));
    assert_ok(sn_skeleton_maps(skeleton, locals, NULL, maps));
    int number = sn_skeleton_find_joint(skeleton, joint);
    assert_true(number >= 0);
    return maps[number];
}

static void assert_box(const SnMesh *mesh, int first, int count, const double low[3],
                       const double high[3]) {
    for (int c = 0; c < 3; ++c) {
        double least = INFINITY, most = -INFINITY;
        for (int i = first; i < first + count; ++i) {
            least = fmin(least, (double)(&mesh->positions[i].x)[c]);
            most = fmax(most, (double)(&mesh->positions[i].x)[c]);
        }
        assert_near(least, low[c], 1e-6);
        assert_near(most, high[c], 1e-6);
    }
}

// A mesh is read as its file shows it: the skinned one of 1 m, wherever its node stands, and the other
// one on top of joint "high", at 0.5 + 1 m.
static void joints_scale_their_mesh(void **state) {
    (void)state;
    write_glb(NULL, NULL);
    SnMesh mesh;
    assert_ok(sn_mesh_read_gltf(path_of("a.glb"), NULL, &mesh));
    assert_int_equal(mesh.vertex_count, 8);
    const double low[2][3] = {{0, 1.5, 0}, {0, 0, 0}}, high[2][3] = {{1, 2.5, 0}, {1, 1, 0}};
    assert_box(&mesh, 0, 4, low[0], high[0]); // the hat comes first in the tree
    assert_box(&mesh, 4, 4, low[1], high[1]);
    for (int i = 0; i < 8; ++i)
        assert_near(mesh.normals[i].z, 1.0, 1e-6);
    sn_mesh_destroy(&mesh);
    // Mirrored joints turn the triangles round, so that they still look outwards.
    write_glb("\"scale\":[100,100,100]", "\"scale\":[-100,100,100]");
    assert_ok(sn_mesh_read_gltf(path_of("a.glb"), NULL, &mesh));
    for (int i = 0; i < 8; ++i)
        assert_near(mesh.normals[i].z, 1.0, 1e-6);
    assert_near(mesh.positions[5].x, -1.0, 1e-6);
    sn_mesh_destroy(&mesh);
}

// The body has its picture, and the hat has none.
static void assert_painted(const SnSkeleton *skeleton) {
    assert_int_equal(sn_skeleton_image_count(skeleton), 1);
    SnSkeletonImage image = sn_skeleton_image(skeleton, 0);
    assert_string_equal(image.mime, "image/png");
    assert_int_equal(image.size, sizeof DATA.image);
    assert_memory_equal(image.bytes, DATA.image, sizeof DATA.image);
    assert_int_equal(sn_skeleton_mesh(skeleton, 1).image, 0);
    assert_memory_equal(sn_skeleton_mesh(skeleton, 1).texcoords, DATA.texcoords,
                        sizeof DATA.texcoords);
    assert_null(sn_skeleton_mesh(skeleton, 0).texcoords);
}

static void nodes_are_joints(void **state) {
    (void)state;
    write_glb(NULL, NULL);
    SnSkeleton *skeleton = load("a.glb");
    assert_int_equal(sn_skeleton_joint_count(skeleton), 6);
    int high = sn_skeleton_find_joint(skeleton, "high"),
        low = sn_skeleton_find_joint(skeleton, "low");
    assert_int_equal(sn_skeleton_joint(skeleton, high).parent, low);
    assert_true(sn_skeleton_joint(skeleton, high).bone);
    assert_false(sn_skeleton_joint(skeleton, sn_skeleton_find_joint(skeleton, "armature")).bone);
    int other = sn_skeleton_find_joint(skeleton, "node 5");
    assert_int_equal(sn_skeleton_joint(skeleton, other).parent, -1);
    SnMap map = joint_at(skeleton, NULL, 0, "high");
    assert_near(map.origin.y, 0.5, 1e-6);
    assert_near(map.x.x, 100.0, 1e-4);
    assert_int_equal(sn_skeleton_mesh_count(skeleton), 2);
    SnSkeletonMesh mesh = sn_skeleton_mesh(skeleton, 1);
    assert_string_equal(mesh.name, "body mesh");
    assert_near(mesh.colour[1], 0.5, 1e-6);
    assert_int_equal(mesh.joint_count, 2);
    assert_int_equal(mesh.joints[1], high);
    assert_painted(skeleton);
    sn_skeleton_destroy(skeleton);
    write_glb("\"name\":\"hat\"", "\"name\":\"high\""); // the joint of the skin keeps its name
    skeleton = load("a.glb");
    assert_int_equal(sn_skeleton_find_joint(skeleton, "high"), high);
    assert_int_equal(sn_skeleton_joint(skeleton, sn_skeleton_find_joint(skeleton, "high 2")).parent,
                     high);
    sn_skeleton_destroy(skeleton);
    write_glb("\"name\":\"armature\"", "\"name\":\"low\"");
    skeleton = load("a.glb");
    assert_int_equal(sn_skeleton_find_joint(skeleton, "low"), low);
    assert_int_equal(sn_skeleton_find_joint(skeleton, "low 2"), 0);
    sn_skeleton_destroy(skeleton);
}

static void clips_are_read(void **state) {
    (void)state;
    write_glb(NULL, NULL);
    SnSkeleton *skeleton = load("a.glb");
    assert_int_equal(sn_skeleton_clip_count(skeleton), 4);
    assert_near(sn_skeleton_clip(skeleton, 0).duration, 3.0, 1e-6);
    // Half way to a quarter turn about z, and half way from there to half a turn; floats and shorts.
    static const char *const turning[] = {"turn", "small"};
    for (int i = 0; i < 2; ++i) {
        SnMap map = joint_at(skeleton, turning[i], 0.5, "high");
        assert_near(atan2((double)map.x.y, (double)map.x.x), 0.25 * SUPPORT_PI, 1e-4);
        map = joint_at(skeleton, turning[i], 2.0, "high");
        assert_near(atan2((double)map.x.y, (double)map.x.x), 0.75 * SUPPORT_PI, 1e-4);
    }
    SnMap map = joint_at(skeleton, "clip 1", 0.9, "low");
    assert_near(map.origin.x, 0.0, 1e-6);
    map = joint_at(skeleton, "clip 1", 1.1, "low");
    assert_near(map.origin.x, 100.0, 1e-4);
    map = joint_at(skeleton, "clip 1", 0.5, "high"); // with level slopes: half way
    assert_near(map.x.x, 200.0, 1e-3);
    map = joint_at(skeleton, "clip 1", 0.25, "high");
    assert_near(map.x.x, 100.0 + 200.0 * 0.15625, 1e-3);
    assert_int_equal(sn_skeleton_clip(skeleton, 3).channel_count, 0); // only morph targets
    sn_skeleton_destroy(skeleton);
}

static void lies_are_refused(void **state) {
    (void)state;
    static const char *const changes[][3] = {
        {"\"children\":[4]", "\"children\":[4,0]", "not a tree: node 0 is met twice"},
        {"\"children\":[4]", "\"children\":[4,99]", "node 99 does not exist"},
        {"\"joints\":[1,2]", "\"joints\":[1,7]", "skin 0: a joint is no node"},
        {"\"joints\":[1,2]", "\"joints\":[1,2,3]", "3 joints has 2 bind matrices"},
        {"\"joints\":[1,2]", "\"joints\":[1]", "follows joint 1 of a skin of 1"},
        {"\"joints\":[1,2]", "\"joints\":[]", "no joints"},
        {"\"skin\":0", "\"skin\":4", "does not exist"},
        {"\"nodes\":[0,3,5]", "\"nodes\":[3,5]", "is not in the scene"},
        {"\"WEIGHTS_0\":2", "\"WEIGHTS_0\":0", "weights without plain data of type VEC4"},
        {"\"JOINTS_0\":1", "\"JOINTS_0\":2", "a skinned mesh of 4 vertices"},
        {"\"WEIGHTS_0\":2", "\"WEIGHTS_0\":2,\"JOINTS_1\":1", "weights without plain data"},
        {"\"WEIGHTS_0\":2", "\"WEIGHTS_0\":2,\"JOINTS_2\":1", "more than eight joints"},
        {"\"samplers\":[{\"input\":5,\"output\":6}]", "\"samplers\":[]", "no sampler"},
        {"\"input\":5,\"output\":6", "\"input\":6,\"output\":6", "times without plain data"},
        {"\"input\":5,\"output\":6", "\"input\":5,\"output\":2", "do not go together"},
        {"\"STEP\"", "\"BEZIER\"", "LINEAR, STEP or CUBICSPLINE"},
        {"\"node\":2,\"path\"", "\"node\":44,\"path\"", "node 44, which does not exist"},
        {"\"type\":\"VEC2\"", "\"type\":\"VEC3\"", "coordinates without plain data"},
        {"\"scale\":[100,100,100]", "\"matrix\":[1,0,0,0,1,1,0,0,0,0,1,0,0,0,0,1]", "shears"},
        {"\"nodes\":[0,3,5]", "\"nodes\":[]", "no nodes"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; ++i) {
        write_glb(changes[i][0], changes[i][1]);
        SnSkeleton *skeleton;
        assert_error(sn_skeleton_load_file(path_of("a.glb"), NULL, &skeleton), SN_ERROR_FORMAT,
                     changes[i][2]);
        assert_null(skeleton);
    }
    SnSkeleton *skeleton;
    write_glb("\"bufferView\":11,", "\"uri\":\"gone.png\",");
    skeleton = load("a.glb"); // a picture that is not there changes nothing
    assert_int_equal(sn_skeleton_image_count(skeleton), 0);
    assert_null(sn_skeleton_mesh(skeleton, 1).texcoords);
    sn_skeleton_destroy(skeleton);
    assert_error(sn_skeleton_load_file(path_of("a.txt"), NULL, &skeleton), SN_ERROR_FORMAT, ".bvh");
    assert_int_equal(sn_skeleton_load_file(path_of("none.glb"), NULL, &skeleton).code,
                     SN_ERROR_FILE);
}

static const char *const WALK =
    "HIERARCHY\n"
    "ROOT hips\n{\n OFFSET 0 0 0\n"
    " CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation "
    "Yrotation\n"
    " JOINT knee\n {\n  OFFSET 0 -2 0\n  CHANNELS 3 Zrotation Yrotation "
    "Xrotation\n"
    "  End Site\n  {\n   OFFSET 0 -1.5 0\n  }\n }\n}\n"
    "MOTION\nFrames: 2\nFrame Time: .5\n"
    "1 10 0 0 0 0 0 0 0\n"
    "3 10. +0 90 0 90 90 0 0\n";

static SnResult load_bvh(const char *from, const char *to, SnSkeleton **out) {
    static char text[2048];
    const char *at = from ? strstr(WALK, from) : WALK;
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - WALK), WALK, from ? to : "",
             at + (from ? strlen(from) : 0));
    write_file("a.bvh", text, strlen(text));
    return sn_skeleton_load_file(path_of("a.bvh"), NULL, out);
}

static void bvh_is_read(void **state) {
    (void)state;
    SnSkeleton *skeleton;
    assert_ok(load_bvh(NULL, NULL, &skeleton));
    assert_int_equal(sn_skeleton_joint_count(skeleton), 3);
    assert_string_equal(sn_skeleton_joint(skeleton, 2).name, "knee end");
    assert_near(sn_skeleton_clip(skeleton, 0).duration, 0.5, 1e-6);
    SnMap map = joint_at(skeleton, "motion", 0.0, "knee end");
    assert_below(distance(map.origin, sn_vec3(1.0f, 6.5f, 0.0f)), 1e-5);
    map = joint_at(skeleton, "motion", 0.25, "hips"); // half way
    assert_near(map.origin.x, 2.0, 1e-5);
    // Turned by 90° about z, and before that about y: −y goes to +x, and the knee's own turn by 90°
    // about z then leads its end along −z of the hips, turned.
    map = joint_at(skeleton, "motion", 0.5, "knee");
    assert_below(distance(map.origin, sn_vec3(5.0f, 10.0f, 0.0f)), 1e-5);
    map = joint_at(skeleton, "motion", 0.5, "knee end");
    Quatd hips = mulqd(quatd(turn_about(0, 0, 1, 0.5 * SUPPORT_PI)),
                       quatd(turn_about(0, 1, 0, 0.5 * SUPPORT_PI)));
    Quatd knee = mulqd(hips, quatd(turn_about(0, 0, 1, 0.5 * SUPPORT_PI)));
    Vec3d wanted = addd((Vec3d){5.0, 10.0, 0.0}, rotated(knee, (Vec3d){0.0, -1.5, 0.0}));
    assert_below(lengthd(subd(vec3d(map.origin), wanted)), 1e-5);
    sn_skeleton_destroy(skeleton);
    assert_ok(load_bvh("Frames: 2\nFrame Time: .5\n1 10 0 0 0 0 0 0 0\n3 10. +0 90 0 90 90 0 0\n",
                       "Frames: 0\nFrame Time: .5\n", &skeleton));
    assert_int_equal(sn_skeleton_clip_count(skeleton), 0); // a skeleton without animation
    sn_skeleton_destroy(skeleton);
}

static void bad_bvh_is_refused(void **state) {
    (void)state;
    static const char *const changes[][3] = {
        {"HIERARCHY", "HIERARHY", "a.bvh:1: \"HIERARHY\" is not \"HIERARCHY\""},
        {"ROOT", "JOINT", ":2: \"JOINT\" should be ROOT or MOTION"},
        {"OFFSET 0 -2 0", "OFFSET 0 -2", "a.bvh:9: \"CHANNELS\" is not a number"},
        {"CHANNELS 3", "CHANNELS 9", "9 is not a whole number from 0 to 6"},
        {"Xposition", "Xpos", "\"Xpos\" is not a channel"},
        {"}\nMOTION", "MOTION", "\"MOTION\" should be OFFSET"},
        {"Frames: 2", "Frames: 3", "the file ends where a number should be"},
        {"Frames: 2", "Frames: 1", "after the last of 1 frames"},
        {"Frames: 2", "Frames: 9999999", "more than the file has"},
        {"Time: .5", "Time: 0", "a frame time of 0 s"},
        {"1 10 0", "1 1e99 0", "\"1e99\" is not a number within 1e9"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; ++i) {
        SnSkeleton *skeleton;
        assert_error(load_bvh(changes[i][0], changes[i][1], &skeleton), SN_ERROR_FORMAT,
                     changes[i][2]);
        assert_null(skeleton);
    }
}

// Cut off or changed at random, a file gives a skeleton or an error, never a crash.
static void damage_is_survived(void **state) {
    (void)state;
    write_glb(NULL, NULL);
    char *glb;
    size_t glb_size;
    assert_ok(sn__file_read(path_of("a.glb"), 1 << 20, &glb, &glb_size));
    Rng rng = {3};
    for (int round = 0; round < 1500; ++round) {
        bool bvh = round % 3 == 0;
        const char *name = bvh ? "a.bvh" : "a.glb", *from = bvh ? WALK : glb;
        size_t size = bvh ? strlen(WALK) : glb_size;
        static char bytes[32768];
        memcpy(bytes, from, size);
        for (int k = rng_int(&rng, 1, 3); k > 0; --k)
            bytes[rng_int(&rng, 0, (int)size - 1)] =
                "0123456789-[]{},\"e\n \xff\x80"[rng_int(&rng, 0, 21)];
        write_file(name, bytes, round % 10 == 9 ? (size_t)rng_int(&rng, 0, (int)size) : size);
        SnSkeleton *skeleton = NULL;
        SnResult result = sn_skeleton_load_file(path_of(name), NULL, &skeleton);
        assert_true((result.code == SN_OK) == (skeleton != NULL));
        sn_skeleton_destroy(skeleton);
    }
    free(glb);
}

// A recording of the skeleton alone has the same mesh and clip when it is read again.
static void recordings_keep_skeletons(void **state) {
    (void)state;
    write_glb(NULL, NULL);
    SnSkeleton *first = load("a.glb");
    SnCue cue = sn_default_cue();
    cue.clip = sn_skeleton_find_clip(first, "clip 1");
    cue.loop = false;
    const SnGltfActor actor = {.name = "man",
                               .skeleton = first,
                               .place = {{2, 0, 0}, {0, 2, 0}, {0, 0, 2}, {0, 1, 0}},
                               .cue_count = 1,
                               .cues = &cue,
                               .shows_mesh = true};
    SnGltfDef def = sn_default_gltf_def();
    def.title = "take";
    def.actor_count = 1;
    def.actors = &actor;
    SnWorld *world = weightless_world();
    SnPoses poses;
    SnGltf *gltf;
    assert_ok(sn_world_poses(world, &poses));
    assert_ok(sn_gltf_begin(&poses, &def, &gltf));
    for (int i = 0; i <= 60; ++i)
        assert_ok(sn_gltf_frame(gltf, &poses, i * 0.05));
    assert_ok(sn_gltf_finish(gltf, path_of("b.glb")));
    sn_gltf_destroy(gltf);
    sn_world_destroy(world);
    SnSkeleton *again = load("b.glb");
    assert_int_equal(sn_skeleton_mesh_count(again), 2);
    assert_near(sn_skeleton_clip(again, 0).duration, 3.0, 1e-5);
    for (int i = 0; i <= 6; ++i) {
        double time = 0.5 * i;
        SnMap a = joint_at(first, "clip 1", time, "high"),
              b = joint_at(again, "take", time, "high");
        assert_below(fabs(2.0 * (double)a.x.x - (double)b.x.x), 0.01);
        assert_below(fabs(2.0 * (double)a.origin.x - (double)b.origin.x), 1e-3);
        assert_below(fabs(1.0 + 2.0 * (double)a.origin.y - (double)b.origin.y), 1e-4);
    }
    SnSkeletonMesh mesh = sn_skeleton_mesh(again, 1);
    assert_near(mesh.colour[2], 0.25, 1e-6);
    assert_near(mesh.vertex_weights[3 * SN_MESH_JOINTS], 0.5, 1e-4);
    assert_painted(again);
    sn_skeleton_destroy(first);
    sn_skeleton_destroy(again);
}

// A second set of joints and weights, here the first one again: half of everything comes from each. Files
// that are written have the heaviest four.
static void vertices_follow_eight_joints(void **state) {
    (void)state;
    write_glb("", "");
    SnSkeleton *four = load("a.glb");
    write_glb("\"WEIGHTS_0\":2", "\"WEIGHTS_0\":2,\"JOINTS_1\":1,\"WEIGHTS_1\":2");
    SnSkeleton *eight = load("a.glb");
    SnSkeletonMesh a = sn_skeleton_mesh(four, 0), b = sn_skeleton_mesh(eight, 0);
    for (int i = 1; i < sn_skeleton_mesh_count(four) && a.joint_count < 2; ++i) {
        a = sn_skeleton_mesh(four, i);
        b = sn_skeleton_mesh(eight, i);
    }
    assert_true(a.joint_count > 1);
    for (int v = 0; v < a.vertex_count; ++v)
        for (int k = 0; k < 4; ++k) {
            int at = SN_MESH_JOINTS * v + k;
            assert_near(b.vertex_weights[at], 0.5 * (double)a.vertex_weights[at], 1e-6);
            assert_near(b.vertex_weights[at + 4], 0.5 * (double)a.vertex_weights[at], 1e-6);
            if (a.vertex_weights[at] > 0.0f)
                assert_int_equal(b.vertex_joints[at + 4], a.vertex_joints[at]);
        }
    sn_skeleton_destroy(four);
    sn_skeleton_destroy(eight);
}

// A part of the mesh as a bone, in the space of its joint without the scale of that.
static void parts_of_meshes_are_bones(void **state) {
    (void)state;
    write_glb(NULL, NULL);
    char text[512];
    snprintf(text, sizeof text,
             "{\"version\":1,\"skeleton\":{\"file\":\"%s\",\"clip\":\"turn\",\"loop\":false,"
             "\"bones\":[{\"joint\":\"high\",\"mesh\":\"body mesh\"}]}}",
             path_of("a.glb"));
    SnScene *scene;
    SnWorld *world;
    SnWorldDef def = sn_default_world_def();
    assert_ok(sn_scene_load_text("t.json", text, strlen(text), &scene, NULL));
    assert_ok(sn_scene_build(scene, &def, &world));
    SnSceneCollider bone = sn_scene_collider(scene, 0);
    assert_int_equal(bone.def.kind, SN_COLLIDER_MESH);
    assert_int_equal(bone.def.triangle_count, 2);
    assert_below(distance(bone.def.vertices[0], sn_vec3(0.0f, -0.5f, 0.0f)), 1e-6);
    assert_below(distance(bone.def.vertices[2], sn_vec3(1.0f, 0.5f, 0.0f)), 1e-6);
    for (int i = 1; i <= 10; ++i) { // a quarter turn
        assert_ok(sn_scene_animate(scene, world, 0.1 * i, 0.1));
        step_world(world, 0.1f, 1, 1);
    }
    SnPose pose;
    assert_ok(sn_collider_pose(world, bone.id, &pose));
    assert_below(distance(pose.position, sn_vec3(0.0f, 0.5f, 0.0f)), 1e-6);
    assert_below(angle_between(pose.rotation, turn_about(0, 0, 1, 0.5 * SUPPORT_PI)), 1e-5);
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_scale_their_mesh),
        cmocka_unit_test(nodes_are_joints),
        cmocka_unit_test(clips_are_read),
        cmocka_unit_test(lies_are_refused),
        cmocka_unit_test(bvh_is_read),
        cmocka_unit_test(bad_bvh_is_refused),
        cmocka_unit_test(damage_is_survived),
        cmocka_unit_test(recordings_keep_skeletons),
        cmocka_unit_test(vertices_follow_eight_joints),
        cmocka_unit_test(parts_of_meshes_are_bones),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
