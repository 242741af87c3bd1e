// What a GLB has beside bodies and their skins: things that frames carry or that stand in the world, and
// the camera.
#include "support.h"

#include "folder.h"

#include "io/file.h"
#include "io/json.h"

#include <sinew/gltf.h>
#include <sinew/scene.h>
#include <sinew/skeleton_file.h>

// A triangle that follows one frame, or the world.
typedef struct Thing {
    SnVec3 positions[3], normals[3], place;
    int bones[3 * SN_SKIN_BONES];
    float weights[3 * SN_SKIN_BONES];
    SnFrameId frame;
    SnPose pose;
} Thing;

static const uint32_t triangle[3] = {0, 1, 2};

static SnSkinMesh make_thing(Thing *thing, float x, SnFrameId frame, SnPose pose) {
    *thing = (Thing){.frame = frame, .pose = pose, .place = pose.position};
    for (int i = 0; i < 3; ++i) {
        thing->positions[i] = sn_vec3(x + (float)(i == 1), (float)(i == 2), 0);
        thing->normals[i] = sn_vec3(0, 0, 1);
        thing->weights[SN_SKIN_BONES * i] = 1.0f;
    }
    return (SnSkinMesh){.vertex_count = 3,
                        .triangle_count = 1,
                        .bone_count = 1,
                        .triangles = triangle,
                        .rest_positions = thing->positions,
                        .rest_normals = thing->normals,
                        .bones = thing->bones,
                        .weights = thing->weights,
                        .frames = &thing->frame,
                        .rest_frames = &thing->pose,
                        .frame_count = 1,
                        .rest_bones = &thing->place};
}

static SnVec3 corner_at(const SnSkeleton *skeleton, int mesh, double time) {
    SnTransform locals[16];
    SnMap maps[16];
    SnVec3 x[64];
    SnCue cue = sn_default_cue();
    cue.clip = 0;
    cue.loop = false;
    assert_true(sn_skeleton_joint_count(skeleton) <= 16);
    assert_ok(sn_skeleton_play(skeleton, &cue, 1, time, locals));
    assert_ok(sn_skeleton_maps(skeleton, locals, NULL, maps));
    assert_int_equal(sn_skeleton_mesh(skeleton, mesh).vertex_count, 3);
    assert_ok(sn_skeleton_deform(skeleton, mesh, maps, x, NULL));
    return x[1];
}

static void frames_carry_things_and_the_world_holds_them(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnPose pose = {sn_vec3(5, 0, 0), sn_quat_about(sn_vec3(0, 1, 0), 0.3f)};
    SnFrameId frame;
    assert_ok(sn_frame_create(world, pose, &frame));
    Thing things[2];
    SnSkinMesh meshes[2] = {make_thing(&things[0], 0, frame, pose),
                            make_thing(&things[1], 7, (SnFrameId){0}, sn_pose_identity())};
    SnPoses poses;
    assert_ok(sn_world_poses(world, &poses));
    SnGltfDef def = sn_default_gltf_def();
    def.skin_count = 2;
    def.skins = meshes;
    SnGltf *gltf;
    assert_ok(sn_gltf_begin(&poses, &def, &gltf));
    assert_ok(sn_gltf_frame(gltf, &poses, 0.0));
    pose.position.y = 2;
    assert_ok(sn_frame_teleport(world, frame, pose));
    assert_ok(sn_world_poses(world, &poses));
    assert_ok(sn_gltf_frame(gltf, &poses, 1.0));
    assert_ok(sn_gltf_finish(gltf, path_of("things.glb")));
    sn_gltf_destroy(gltf);
    sn_world_destroy(world);
    SnSkeleton *skeleton;
    assert_ok(sn_skeleton_load_file(path_of("things.glb"), NULL, &skeleton));
    assert_below(distance(corner_at(skeleton, 0, 0.0), sn_vec3(1, 0, 0)), 1e-4);
    assert_below(distance(corner_at(skeleton, 0, 1.0), sn_vec3(1, 2, 0)), 1e-4);
    assert_below(distance(corner_at(skeleton, 1, 1.0), sn_vec3(8, 0, 0)), 1e-5);
    sn_skeleton_destroy(skeleton);
    remove(path_of("things.glb"));
}

// Writes a file with this camera and gives back the rotation of its node.
static SnQuat written_rotation(SnGltf *gltf, const SnGltfCamera *camera) {
    assert_ok(sn_gltf_set_camera(gltf, camera));
    assert_ok(sn_gltf_finish(gltf, path_of("camera.glb")));
    char *bytes;
    size_t size;
    uint32_t length;
    assert_ok(sn__file_read(path_of("camera.glb"), 1 << 20, &bytes, &size));
    memcpy(&length, bytes + 12, sizeof length);
    JsonDoc doc;
    assert_ok(sn__json_parse("camera.glb", bytes + 20, length, &doc, NULL, NULL));
    const Json *root = sn__json_root(&doc);
    const Json *lens = sn__json_first(sn__json_member(&doc, root, "cameras"));
    lens = sn__json_member(&doc, lens, "perspective");
    assert_near(sn__json_member(&doc, lens, "yfov")->number, (double)camera->fov * 3.14159265 / 180,
                1e-6);
    const Json *node = sn__json_first(sn__json_member(&doc, root, "nodes"));
    while (sn__json_member(&doc, node, "camera") == NULL)
        node = sn__json_next(&doc, node);
    float q[4];
    const Json *number = sn__json_first(sn__json_member(&doc, node, "rotation"));
    for (int i = 0; i < 4; ++i, number = sn__json_next(&doc, number))
        q[i] = (float)number->number;
    sn__json_free(&doc);
    free(bytes);
    remove(path_of("camera.glb"));
    return (SnQuat){q[0], q[1], q[2], q[3]};
}

static void the_camera_looks_at_its_target(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    plain_rod(world, 4);
    SnPoses poses;
    assert_ok(sn_world_poses(world, &poses));
    SnGltfDef def = sn_default_gltf_def();
    SnGltf *gltf;
    assert_ok(sn_gltf_begin(&poses, &def, &gltf));
    assert_ok(sn_gltf_frame(gltf, &poses, 0.0));
    const SnVec3 targets[] = {{0, 0, -4}, {3, -2, 1}, {-1, 5, 2}, {0, -3, 0}};
    for (int i = 0; i < 4; ++i) {
        SnGltfCamera camera = {sn_vec3(0.5f, 1, 2), targets[i], 35};
        SnVec3 way = sn_vec3_sub(camera.target, camera.position);
        way = sn_vec3_scale(way, 1.0f / sn_vec3_length(way));
        SnQuat q = written_rotation(gltf, &camera);
        assert_below(distance(sn_quat_rotate(q, sn_vec3(0, 0, -1)), way), 1e-5);
        assert_near(sn_quat_rotate(q, sn_vec3(1, 0, 0)).y, 0, 1e-6); // it does not lean
    }
    SnGltfCamera bad = {sn_vec3(1, 1, 1), sn_vec3(1, 1, 1), 35};
    assert_error(sn_gltf_set_camera(gltf, &bad), SN_ERROR_INVALID, "target");
    bad = (SnGltfCamera){sn_vec3(1, 1, 1), sn_vec3(0, 0, 0), 180};
    assert_error(sn_gltf_set_camera(gltf, &bad), SN_ERROR_INVALID, "fov");
    assert_error(sn_gltf_set_camera(NULL, &bad), SN_ERROR_INVALID, "gltf");
    sn_gltf_destroy(gltf);
    sn_world_destroy(world);
}

static int remove_folder(void **state) {
    (void)state;
    return rmdir(folder);
}

// Two triangles along x, one of them painted, as a file.
static const float corners[6] = {0.0f, 0.25f, 1.0f, 0.0f, 0.5f, 1.0f};
static const unsigned char picture[9] = {0x89, 'P', 'N', 'G', 1, 2, 3, 4, 5};

static void write_painted(const char *name) {
    static const SnVec3 x[2][3] = {{{0, 0, 0}, {0.5f, 0, 0}, {0.5f, 0.1f, 0}},
                                   {{0.5f, 0, 0}, {1, 0, 0}, {1, 0.1f, 0}}};
    static const SnVec3 up[3] = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
    static const int joint = 0, joints[3 * SN_MESH_JOINTS];
    const SnMap bind = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};
    float weights[3 * SN_MESH_JOINTS] = {0};
    for (int i = 0; i < 3; ++i)
        weights[SN_MESH_JOINTS * i] = 1.0f;
    const SnJointDef joint_def = {
        .name = "root", .parent = -1, .rest = {.rotation = sn_quat_identity(), .scale = {1, 1, 1}}};
    SnSkeletonMesh meshes[2];
    for (int m = 0; m < 2; ++m)
        meshes[m] = (SnSkeletonMesh){.name = m == 0 ? "plain" : "painted",
                                     .vertex_count = 3,
                                     .triangle_count = 1,
                                     .joint_count = 1,
                                     .positions = x[m],
                                     .normals = up,
                                     .triangles = triangle,
                                     .joints = &joint,
                                     .binds = &bind,
                                     .vertex_joints = joints,
                                     .vertex_weights = weights,
                                     .colour = {0, m == 0, 0.5f},
                                     .texcoords = m == 0 ? NULL : corners,
                                     .image = m - 1};
    const SnSkeletonImage image = {"image/png", picture, sizeof picture};
    SnSkeletonDef def = sn_default_skeleton_def();
    def.joint_count = def.image_count = 1;
    def.joints = &joint_def;
    def.mesh_count = 2;
    def.meshes = meshes;
    def.images = &image;
    SnSkeleton *skeleton;
    assert_ok(sn_skeleton_create(&def, NULL, &skeleton));
    const SnPoses nobody = {0};
    const SnGltfActor actor = {.skeleton = skeleton,
                               .place = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}},
                               .shows_mesh = true};
    SnGltfDef gltf_def = sn_default_gltf_def();
    gltf_def.actor_count = 1;
    gltf_def.actors = &actor;
    SnGltf *gltf;
    assert_ok(sn_gltf_begin(&nobody, &gltf_def, &gltf));
    assert_ok(sn_gltf_finish(gltf, path_of(name)));
    sn_gltf_destroy(gltf);
    sn_skeleton_destroy(skeleton);
}

// Two copies of a skin whose mesh is painted, and one that has a colour of its own: the file has its picture
// once, its coordinates, and a primitive for each material.
static void skins_keep_what_is_painted_on_them(void **state) {
    (void)state;
    write_painted("painted.glb");
    const char text[] =
        "{\"version\":1,\"rods\":[{\"name\":\"a\",\"radius\":0.05,\"shape\":{\"line\":{\"from\":[0,"
        "0,0],\"to\":"
        "[1,0,0],\"segments\":4}},\"copies\":{\"count\":[1,1,2],\"spacing\":[0,0,1]}},"
        "{\"name\":\"b\",\"radius\":0.05,\"shape\":{\"line\":{\"from\":[0,0,0],\"to\":[1,0,0],"
        "\"segments\":4}}}],\"skins\":[{\"rods\":\"a\",\"mesh\":\"painted.glb\"},"
        "{\"rods\":\"b\",\"mesh\":\"painted.glb\",\"colour\":\"sand\"}]}";
    write_file("painted.json", text, sizeof text - 1);
    SnScene *scene;
    SnSceneErrors errors;
    assert_ok(sn_scene_load_file(path_of("painted.json"), &scene, &errors));
    SnWorldDef world_def = sn_default_world_def();
    SnWorld *world;
    assert_ok(sn_scene_build(scene, &world_def, &world));
    SnPoses poses;
    assert_ok(sn_world_poses(world, &poses));
    SnSkinMesh meshes[3];
    const SnSkeleton *paints[3];
    for (int i = 0; i < 3; ++i) {
        SnSceneSkin skin = sn_scene_skin(scene, i);
        assert_ok(sn_skin_mesh(world, skin.id, &meshes[i]));
        paints[i] = skin.paint;
        assert_true((skin.paint != NULL) == (i < 2));
    }
    SnGltfDef def = sn_default_gltf_def();
    def.skin_count = 3;
    def.skins = meshes;
    def.skin_paints = paints;
    SnGltf *gltf;
    assert_ok(sn_gltf_begin(&poses, &def, &gltf));
    assert_ok(sn_gltf_finish(gltf, path_of("out.glb")));
    sn_gltf_destroy(gltf);
    SnSkeleton *read;
    assert_ok(sn_skeleton_load_file(path_of("out.glb"), NULL, &read));
    assert_int_equal(sn_skeleton_image_count(read), 1);
    assert_int_equal(sn_skeleton_image(read, 0).size, sizeof picture);
    assert_memory_equal(sn_skeleton_image(read, 0).bytes, picture, sizeof picture);
    assert_int_equal(sn_skeleton_mesh_count(read), 5);
    for (int i = 0; i < 5; ++i) {
        SnSkeletonMesh part = sn_skeleton_mesh(read, i);
        bool painted = i == 1 || i == 3;
        assert_int_equal(part.triangle_count, i < 4 ? 1 : 2);
        assert_true((part.texcoords != NULL) == painted);
        for (int c = 0; c < 3 && painted;
             ++c) // of the corners, which follow those of the first part
            assert_memory_equal(part.texcoords + 2 * part.triangles[c], corners + 2 * c, 8);
        if (i < 4)
            assert_near(part.colour[1], painted ? 0.0 : 1.0, 1e-6);
    }
    sn_skeleton_destroy(read);
    // Another mesh than its own.
    paints[2] = paints[0];
    meshes[2].vertex_count = 5;
    assert_error(sn_gltf_begin(&poses, &def, &gltf), SN_ERROR_INVALID, "skin_paints[2] has 6");
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    static const char *const files[] = {"painted.glb", "painted.json", "out.glb"};
    for (int i = 0; i < 3; ++i)
        remove(path_of(files[i]));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_carry_things_and_the_world_holds_them),
        cmocka_unit_test(the_camera_looks_at_its_target),
        cmocka_unit_test(skins_keep_what_is_painted_on_them),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
