// Implicit skins in GLB files: the file is read back and played as a viewer would, morph targets and all,
// and must show what the skin showed.
#include "support.h"

#include "io/gltf_source.h"
#include "math/map.h"

#include <sinew/gltf.h>
#include <sinew/skeleton_file.h>

#include <stdlib.h>
#include <unistd.h>

enum { VERTICES = 2172, FRAMES = 25, MOST_TARGETS = 128 };

static const char *path_of(const char *name) {
    static char path[256];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/sinew-%ld-%s", folder ? folder : "/tmp", (long)getpid(), name);
    return path;
}

static const float *data_of(const GltfSource *g, int64_t accessor, int *out_count) {
    const Json *a = g->lists[SOURCE_ACCESSORS][accessor];
    const Json *view = sn__source_item(g, SOURCE_VIEWS, a, "bufferView");
    *out_count = (int)sn__source_int(g, a, "count", 0);
    return (const float *)(const void *)(g->buffers[0].bytes +
                                         sn__source_int(g, view, "byteOffset", 0) +
                                         sn__source_int(g, a, "byteOffset", 0));
}

// What the targets of the file's only mesh add to its vertices in the last frame; how many there are.
static int read_morphs(const char *path, SnVec3 *out_added) {
    GltfSource g;
    assert_ok(sn__source_open(path, &g));
    const Json *root = sn__json_root(&g.doc);
    const Json *mesh = sn__source_first(&g, root, "meshes");
    const Json *target = sn__source_first(&g, sn__source_first(&g, mesh, "primitives"), "targets");
    const Json *animation = sn__source_first(&g, root, "animations");
    const Json *channel = sn__source_first(&g, animation, "channels"), *last = channel;
    for (; channel; channel = sn__json_next(&g.doc, channel))
        last = channel;
    const Json *sampler = sn__source_first(&g, animation, "samplers");
    for (int64_t k = sn__source_int(&g, last, "sampler", 0); k > 0; --k)
        sampler = sn__json_next(&g.doc, sampler);
    const char *moved = sn__json_string(
        &g.doc, sn__json_member(&g.doc, sn__json_member(&g.doc, last, "target"), "path"));
    assert_string_equal(moved, "weights");
    int count, numbers, targets = 0;
    const float *weights = data_of(&g, sn__source_int(&g, sampler, "output", 0), &numbers);
    weights += numbers - numbers / FRAMES;
    memset(out_added, 0, VERTICES * sizeof *out_added);
    for (; target; target = sn__json_next(&g.doc, target), ++targets) {
        const float *x = data_of(&g, sn__source_int(&g, target, "POSITION", 0), &count);
        assert_int_equal(count, VERTICES);
        for (int v = 0; v < VERTICES; ++v)
            out_added[v] = sn_vec3_add_scaled(
                out_added[v], sn_vec3(x[3 * v], x[3 * v + 1], x[3 * v + 2]), weights[targets]);
    }
    assert_int_equal(numbers, FRAMES * targets);
    sn__source_close(&g);
    return targets;
}

// Records the first `end` seconds of a bend; the skin is left as it was in the last frame.
static SnGltfMorphs record(const SnSkeleton *skeleton, SnImplicit *skin, double end,
                           const char *path) {
    SnWorld *world = weightless_world();
    SnPoses poses;
    SnCue cue = sn_default_cue();
    cue.clip = 0;
    SnGltfActor actor = {.name = "arm",
                         .skeleton = skeleton,
                         .place = {{2, 0, 0}, {0, 2, 0}, {0, 0, 2}, {1, 2, 3}},
                         .cue_count = 1,
                         .cues = &cue,
                         .shows_mesh = true,
                         .skin = skin,
                         .residual = 0.002f};
    SnGltfDef def = sn_default_gltf_def();
    def.actor_count = 1;
    def.actors = &actor;
    SnGltf *gltf;
    assert_ok(sn_world_poses(world, &poses));
    assert_ok(sn_gltf_begin(&poses, &def, &gltf));
    for (int i = 0; i < FRAMES; ++i) {
        double time = end * i / (FRAMES - 1);
        SnTransform locals[3];
        SnMap maps[3];
        assert_ok(sn_skeleton_play(skeleton, &cue, 1, time, locals));
        assert_ok(sn_skeleton_maps(skeleton, locals, &actor.place, maps));
        assert_ok(sn_implicit_deform(skin, maps));
        assert_ok(sn_gltf_frame(gltf, &poses, time));
    }
    assert_ok(sn_gltf_finish(gltf, path));
    SnGltfMorphs morphs = sn_gltf_morphs(gltf);
    sn_gltf_destroy(gltf);
    sn_world_destroy(world);
    return morphs;
}

// An arm whose vertices follow every joint twice, by 0.6 and 0.4 of its weight: six weights, of which a file
// has the heaviest four.
static SnSkeleton *twice(const SnSkeleton *arm) {
    static int joints[SN_MESH_JOINTS * VERTICES];
    static float weights[SN_MESH_JOINTS * VERTICES];
    SnSkeletonMesh mesh = sn_skeleton_mesh(arm, 0);
    for (int i = 0; i < 3 * VERTICES; ++i) {
        int from = SN_MESH_JOINTS * (i / 3) + i % 3, to = SN_MESH_JOINTS * (i / 3) + 2 * (i % 3);
        joints[to] = joints[to + 1] = mesh.vertex_joints[from];
        weights[to] = 0.6f * mesh.vertex_weights[from];
        weights[to + 1] = 0.4f * mesh.vertex_weights[from];
    }
    mesh.vertex_joints = joints;
    mesh.vertex_weights = weights;
    SnJointDef bones[3];
    for (int i = 0; i < 3; ++i)
        bones[i] = sn_skeleton_joint(arm, i);
    SnTransform rest[3], bent[3];
    assert_ok(sn_skeleton_rest(arm, rest));
    assert_ok(sn_skeleton_sample(arm, 0, 0.5, bent));
    const float times[2] = {0.0f, 1.0f};
    SnQuat half = sn_quat_multiply(bent[1].rotation, sn_quat_inverse(rest[1].rotation));
    const SnQuat turns[2] = {rest[1].rotation, sn_quat_multiply(half, bent[1].rotation)};
    const SnChannelDef channel = {1, SN_KEYS_ROTATION, SN_KEYS_LINEAR, 2, times, &turns[0].x};
    const SnClipDef clip = {"bend", 1, &channel};
    SnSkeletonDef def = sn_default_skeleton_def();
    def.joint_count = 3;
    def.joints = bones;
    def.clip_count = def.mesh_count = 1;
    def.clips = &clip;
    def.meshes = &mesh;
    SnSkeleton *skeleton;
    assert_ok(sn_skeleton_create(&def, NULL, &skeleton));
    return skeleton;
}

static void show(SnSkeleton *skeleton) {
    SnSkeleton *read;
    SnImplicit *skin;
    const char *path = path_of("implicit.glb");
    SnImplicitDef def = sn_default_implicit_def();
    def.skeleton = skeleton;
    assert_ok(sn_implicit_create(&def, NULL, &skin));
    SnGltfMorphs morphs = record(skeleton, skin, 1.0, path);
    assert_near(morphs.height, 2.0 * sn_implicit_info(skin).height, 1e-6);
    assert_below(morphs.error, 0.002 * morphs.height + 1e-9);

    static SnVec3 added[VERTICES];
    assert_int_equal(read_morphs(path, added), morphs.target_count);
    // Frame after frame, without principal components, it would take 9.
    print_message("%d morph targets\n", morphs.target_count);
    assert_true(morphs.target_count > 5 && morphs.target_count <= 9);

    // As a player has it: the mesh and what targets add to it, moved by the file's own joints.
    assert_ok(sn_skeleton_load_file(path, NULL, &read));
    SnSkeletonMesh mesh = sn_skeleton_mesh(read, 0);
    SnImplicitMesh shown = sn_implicit_mesh(skin, 0);
    int joints = sn_skeleton_joint_count(read);
    SnTransform *locals = calloc((size_t)joints, sizeof *locals);
    SnMap *maps = calloc((size_t)joints, sizeof *maps);
    assert_ok(sn_skeleton_sample(read, 0, 1.0, locals));
    assert_ok(sn_skeleton_maps(read, locals, NULL, maps));
    double most = 0.0, without = 0.0;
    for (int v = 0; v < VERTICES; ++v) {
        Vec3d with = {0.0, 0.0, 0.0}, plain = with;
        for (int k = SN_MESH_JOINTS * v; k < SN_MESH_JOINTS * (v + 1); ++k) {
            int joint = mesh.vertex_joints[k];
            Map outer = map_wide(&maps[mesh.joints[joint]]), bind = map_wide(&mesh.binds[joint]);
            Map map = map_chain(&outer, &bind);
            Vec3d x = vec3d(mesh.positions[v]), y = addd(x, vec3d(added[v]));
            plain = addd(plain, scaled(map_point(&map, x), (double)mesh.vertex_weights[k]));
            with = addd(with, scaled(map_point(&map, y), (double)mesh.vertex_weights[k]));
        }
        most = fmax(most, lengthd(subd(with, vec3d(shown.positions[v]))));
        without = fmax(without, lengthd(subd(plain, vec3d(shown.positions[v]))));
    }
    // Joints are turned by numbers of 16 bits.
    assert_below(most, morphs.error + 2e-4);
    print_message("without them it is off by %.3g m\n", without);
    assert_true(without > 0.02);
    free(locals);
    free(maps);
    unlink(path);
    sn_skeleton_destroy(read);
    sn_implicit_destroy(skin);
    sn_skeleton_destroy(skeleton);
}

static void file_shows_the_skin(void **state) {
    (void)state;
    SnSkeleton *skeleton;
    assert_ok(sn_character_skeleton(SN_CHARACTER_ARM, NULL, &skeleton));
    show(skeleton);
}

static void file_shows_the_skin_of_many_weights(void **state) {
    (void)state;
    SnSkeleton *arm;
    assert_ok(sn_character_skeleton(SN_CHARACTER_ARM, NULL, &arm));
    SnSkeleton *skeleton = twice(arm);
    sn_skeleton_destroy(arm);
    show(skeleton);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(file_shows_the_skin),
        cmocka_unit_test(file_shows_the_skin_of_many_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
