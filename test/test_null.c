// Every public function, with NULL for every pointer that must not be NULL: those that return a
// result name the argument, the others do nothing. The others stop at an assert where there are
// asserts, so that they are called in builds without them only.
#include "support.h"

#include <sinew/gltf.h>
#include <sinew/query.h>
#include <sinew/scene.h>
#include <sinew/skeleton_file.h>

#define assert_null_error(call, argument) assert_error(call, SN_ERROR_INVALID, argument " is NULL")

static const SnVec3 zero = {0.0f, 0.0f, 0.0f};

static void bodies_without_world(void **state) {
    (void)state;
    SnBodyId id = {1, 1};
    SnColliderId collider = {1, 1};
    SnSurface surface = sn_default_surface();
    SnFilter filter = sn_default_filter();
    SnBodyState arrays = {0};
    SnMeasures measures;
    double origin[3];
    int edges[2], mark = 0;
    assert_null_error(sn_body_destroy(NULL, id), "world");
    assert_null_error(sn_body_edges(NULL, id, edges), "world");
    assert_null_error(sn_body_set_user_data(NULL, id, &mark), "world");
    assert_null_error(sn_body_read(NULL, id, &arrays), "world");
    assert_null_error(sn_body_write(NULL, id, &arrays), "world");
    assert_null_error(sn_body_origin(NULL, id, origin), "world");
    assert_null_error(sn_body_add_force(NULL, id, 0, zero), "world");
    assert_null_error(sn_body_add_torque(NULL, id, 0, zero), "world");
    assert_null_error(sn_body_add_impulse(NULL, id, 0, zero), "world");
    assert_null_error(sn_body_set_gravity_scale(NULL, id, 1.0f), "world");
    assert_null_error(sn_body_set_surface(NULL, id, &surface), "world");
    assert_null_error(sn_body_surface(NULL, id, &surface), "world");
    assert_null_error(sn_body_set_filter(NULL, id, filter), "world");
    assert_null_error(sn_body_filter(NULL, id, &filter), "world");
    assert_null_error(sn_bodies_ignore(NULL, id, id, true), "world");
    assert_null_error(sn_body_ignore_collider(NULL, id, collider, true), "world");
    assert_null_error(sn_body_wake(NULL, id), "world");
    assert_null_error(sn_body_measure(NULL, id, &measures), "world");
}

static void bodies_without_arrays(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnBodyId rod = plain_rod(world, 4);
    assert_null_error(sn_body_edges(world, rod, NULL), "out_edges");
    assert_null_error(sn_body_read(world, rod, NULL), "out_state");
    assert_null_error(sn_body_write(world, rod, NULL), "state");
    assert_null_error(sn_body_origin(world, rod, NULL), "out_origin");
    assert_null_error(sn_body_set_surface(world, rod, NULL), "surface");
    assert_null_error(sn_body_surface(world, rod, NULL), "out_surface");
    assert_null_error(sn_body_filter(world, rod, NULL), "out_filter");
    assert_null_error(sn_body_measure(world, rod, NULL), "out_measures");
    assert_null_error(sn_rod_set_material(world, rod, NULL), "material");
    assert_ok(sn_body_set_user_data(world, rod, NULL));
    assert_error(sn_rod_create(world, NULL, NULL), SN_ERROR_INVALID, "def");
    sn_world_destroy(world);
}

static void rods_without_world(void **state) {
    (void)state;
    SnBodyId id = {1, 1};
    SnRodDef def = sn_default_rod_def();
    SnRodMaterial material = sn_default_rod_material();
    assert_null_error(sn_rod_create(NULL, &def, &id), "world");
    assert_null_error(sn_rod_add_radial_force(NULL, id, 0, 1.0f), "world");
    assert_null_error(sn_rod_set_length_scale(NULL, id, 0, 1, 1.0f), "world");
    assert_null_error(sn_rod_set_material(NULL, id, &material), "world");
    assert_null_error(sn_rod_material_named(NULL, &material), "name");
    assert_null_error(sn_rod_material_named("steel", NULL), "out_material");
}

static void rigid_bodies(void **state) {
    (void)state;
    SnBodyId id = {1, 1};
    SnRigidDef def = sn_default_rigid_def();
    SnRigidPart part = sn_rigid_sphere(zero, 0.1f);
    SnRigidState at = {.pose = sn_pose_identity()};
    float mass;
    assert_null_error(sn_rigid_create(NULL, &def, &id), "world");
    assert_null_error(sn_rigid_read(NULL, id, &at), "world");
    assert_null_error(sn_rigid_write(NULL, id, &at), "world");
    assert_null_error(sn_rigid_inertia(NULL, id, &mass, NULL), "world");
    SnWorld *world = weightless_world();
    assert_null_error(sn_rigid_create(world, NULL, &id), "definition");
    assert_error(sn_rigid_create(world, &def, &id), SN_ERROR_INVALID, "part_count: 0 is not ≥ 1");
    def.part_count = 3;
    assert_error(sn_rigid_create(world, &def, &id), SN_ERROR_INVALID, "parts: is NULL");
    def.part_count = 1;
    def.parts = &part;
    assert_ok(sn_rigid_create(world, &def, &id));
    assert_null_error(sn_rigid_read(world, id, NULL), "out_state");
    assert_null_error(sn_rigid_write(world, id, NULL), "state");
    assert_ok(sn_rigid_inertia(world, id, NULL, NULL));
    sn_world_destroy(world);
}

static void frames_and_attachments(void **state) {
    (void)state;
    SnFrameId frame = {1, 1};
    SnAttachmentId attachment = {1, 1};
    SnAttachmentDef def = sn_default_attachment_def();
    SnPose pose = sn_pose_identity();
    assert_null_error(sn_frame_create(NULL, pose, &frame), "world");
    assert_null_error(sn_frame_destroy(NULL, frame), "world");
    assert_null_error(sn_frame_set_target(NULL, frame, pose), "world");
    assert_null_error(sn_frame_teleport(NULL, frame, pose), "world");
    assert_null_error(sn_frame_pose(NULL, frame, &pose), "world");
    assert_null_error(sn_attachment_create(NULL, &def, &attachment), "world");
    assert_null_error(sn_attachment_destroy(NULL, attachment), "world");
    assert_null_error(sn_attachment_set_target(NULL, attachment, zero, sn_quat_identity(), 1.0f),
                      "world");
    SnWorld *world = weightless_world();
    assert_ok(sn_frame_create(world, pose, NULL));
    assert_ok(sn_frame_create(world, pose, &frame));
    assert_null_error(sn_frame_pose(world, frame, NULL), "out_pose");
    assert_null_error(sn_attachment_create(world, NULL, &attachment), "definition");
    sn_world_destroy(world);
}

static void fields_links_and_colliders(void **state) {
    (void)state;
    SnFieldId field = {1, 1};
    SnLinkId link = {1, 1};
    SnColliderId collider = {1, 1};
    SnFieldDef field_def = sn_default_field_def();
    SnLinkDef link_def = sn_default_link_def();
    SnColliderDef collider_def = sn_default_collider_def();
    SnPose pose;
    SnVec3 force;
    assert_null_error(sn_field_create(NULL, &field_def, &field), "world");
    assert_null_error(sn_field_set(NULL, field, &field_def), "world");
    assert_null_error(sn_field_destroy(NULL, field), "world");
    assert_null_error(sn_link_create(NULL, &link_def, &link), "world");
    assert_null_error(sn_link_destroy(NULL, link), "world");
    assert_null_error(sn_link_set_target(NULL, link, zero), "world");
    assert_null_error(sn_link_force(NULL, link, &force), "world");
    assert_null_error(sn_collider_create(NULL, &collider_def, &collider), "world");
    assert_null_error(sn_collider_destroy(NULL, collider), "world");
    assert_null_error(sn_collider_pose(NULL, collider, &pose), "world");

    SnWorld *world = weightless_world();
    assert_ok(sn_field_create(world, &field_def, &field));
    assert_ok(sn_collider_create(world, &collider_def, &collider));
    link_def.a = (SnBodyPoint){.body = plain_rod(world, 3)};
    assert_ok(sn_link_create(world, &link_def, &link));
    assert_error(sn_field_create(world, NULL, NULL), SN_ERROR_INVALID, "def");
    assert_error(sn_field_set(world, field, NULL), SN_ERROR_INVALID, "def");
    assert_error(sn_link_create(world, NULL, NULL), SN_ERROR_INVALID, "def");
    assert_error(sn_collider_create(world, NULL, NULL), SN_ERROR_INVALID, "def");
    assert_null_error(sn_link_force(world, link, NULL), "out_force");
    assert_null_error(sn_collider_pose(world, collider, NULL), "out_pose");
    sn_world_destroy(world);
}

static void skins(void **state) {
    (void)state;
    SnSkinId skin = {1, 1};
    SnSkinDef def = sn_default_skin_def();
    SnSkinMesh mesh;
    SnSkinPoses poses;
    assert_null_error(sn_skin_create(NULL, &def, &skin), "world");
    assert_null_error(sn_skin_destroy(NULL, skin), "world");
    assert_null_error(sn_skin_mesh(NULL, skin, &mesh), "world");
    assert_null_error(sn_world_skins(NULL, &poses), "world");
    SnWorld *world = weightless_world();
    assert_null_error(sn_skin_create(world, NULL, &skin), "definition");
    assert_null_error(sn_skin_mesh(world, skin, NULL), "out_mesh");
    assert_null_error(sn_world_skins(world, NULL), "out_poses");
    sn_world_destroy(world);
}

static void worlds(void **state) {
    (void)state;
    SnWorldDef def = sn_default_world_def();
    SnPoses poses;
    char buffer[16];
    SnWorld *world;
    assert_null_error(sn_world_create(NULL, &world), "definition");
    assert_null_error(sn_world_create(&def, NULL), "out_world");
    assert_null_error(sn_world_set_gravity(NULL, zero), "world");
    assert_null_error(sn_world_set_tolerance(NULL, 0.0f), "world");
    assert_null_error(sn_world_poses(NULL, &poses), "world");
    assert_null_error(sn_world_save(NULL, buffer, sizeof buffer), "world");
    assert_null_error(sn_world_restore(NULL, buffer, sizeof buffer), "world");
    sn_world_destroy(NULL);
    world = weightless_world();
    assert_null_error(sn_world_poses(world, NULL), "out_poses");
    assert_null_error(sn_world_save(world, NULL, sizeof buffer), "buffer");
    assert_null_error(sn_world_restore(world, NULL, sizeof buffer), "buffer");
    sn_world_destroy(world);
}

static void models(void **state) {
    (void)state;
    SnTreeDef tree_def = sn_default_tree_def(SN_TREE_BIRCH);
    SnIsoDef iso_def = sn_default_iso_def();
    SnTreeModel tree = {0};
    SnTreeSkin skin;
    SnMesh mesh;
    assert_null_error(sn_octopus(1.0f, NULL, NULL), "out_model");
    assert_null_error(sn_iso_mesh(&iso_def, NULL, NULL), "out_mesh");
    assert_null_error(sn_iso_mesh(NULL, NULL, &mesh), "definition");
    assert_null_error(sn_tree_model(&tree_def, NULL, NULL), "out_model");
    assert_null_error(sn_tree_model(NULL, NULL, &tree), "definition");
    assert_null_error(sn_tree_skin(&tree, 8, NULL, NULL), "out_skin");
    assert_error(sn_tree_skin(NULL, 8, NULL, &skin), SN_ERROR_INVALID, "model");
    sn_model_destroy(NULL);
    sn_mesh_destroy(NULL);
    sn_tree_model_destroy(NULL);
    sn_tree_skin_destroy(NULL);
}

static void recordings(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    plain_rod(world, 4);
    SnPoses poses;
    assert_ok(sn_world_poses(world, &poses));
    SnGltfDef def = sn_default_gltf_def();
    SnGltf *gltf;
    SnGltfInfo info;
    SnMesh mesh;
    assert_null_error(sn_gltf_begin(NULL, &def, &gltf), "poses");
    assert_null_error(sn_gltf_begin(&poses, NULL, &gltf), "definition");
    assert_null_error(sn_gltf_begin(&poses, &def, NULL), "out_gltf");
    assert_null_error(sn_gltf_frame(NULL, &poses, 0.0), "gltf");
    assert_null_error(sn_gltf_finish(NULL, "never.glb"), "gltf");
    assert_null_error(sn_mesh_read_gltf(NULL, NULL, &mesh), "path");
    assert_null_error(sn_mesh_read_gltf("never.glb", NULL, NULL), "out_mesh");
    assert_null_error(sn_gltf_info(NULL, &info), "path");
    assert_null_error(sn_gltf_info("never.glb", NULL), "out_info");
    assert_ok(sn_gltf_begin(&poses, &def, &gltf));
    assert_null_error(sn_gltf_frame(gltf, NULL, 0.0), "poses");
    assert_null_error(sn_gltf_finish(gltf, NULL), "path");
    sn_gltf_destroy(gltf);
    sn_gltf_destroy(NULL);
    sn_world_destroy(world);
}

static void skeletons(void **state) {
    (void)state;
    SnJointDef joint = {.name = "only", .parent = -1};
    joint.rest = (SnTransform){{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    SnSkeletonDef def = sn_default_skeleton_def();
    def.joint_count = 1;
    def.joints = &joint;
    SnSkeleton *skeleton;
    SnTransform local = joint.rest;
    SnMap map;
    SnVec3 x;
    assert_null_error(sn_skeleton_create(&def, NULL, NULL), "out_skeleton");
    assert_error(sn_skeleton_create(NULL, NULL, &skeleton), SN_ERROR_INVALID, "def");
    assert_null_error(sn_skeleton_load_file(NULL, NULL, &skeleton), "path");
    assert_null_error(sn_skeleton_load_file("never.glb", NULL, NULL), "out_skeleton");
    assert_null_error(sn_skeleton_rest(NULL, &local), "skeleton");
    assert_null_error(sn_skeleton_sample(NULL, 0, 0.0, &local), "skeleton");
    assert_null_error(sn_skeleton_blend(NULL, &local, &local, 0.5f, &local), "skeleton");
    assert_null_error(sn_skeleton_play(NULL, NULL, 0, 0.0, &local), "skeleton");
    assert_null_error(sn_skeleton_maps(NULL, &local, NULL, &map), "skeleton");
    assert_null_error(sn_skeleton_deform(NULL, 0, &map, &x, &x), "skeleton");
    assert_ok(sn_skeleton_create(&def, NULL, &skeleton));
    assert_null_error(sn_skeleton_rest(skeleton, NULL), "out_locals");
    assert_null_error(sn_skeleton_sample(skeleton, 0, 0.0, NULL), "out_locals");
    assert_null_error(sn_skeleton_blend(skeleton, NULL, &local, 0.5f, &local), "a");
    assert_null_error(sn_skeleton_blend(skeleton, &local, NULL, 0.5f, &local), "b");
    assert_null_error(sn_skeleton_blend(skeleton, &local, &local, 0.5f, NULL), "out_locals");
    assert_null_error(sn_skeleton_play(skeleton, NULL, 1, 0.0, &local), "cues");
    assert_null_error(sn_skeleton_maps(skeleton, NULL, NULL, &map), "locals");
    assert_null_error(sn_skeleton_maps(skeleton, &local, NULL, NULL), "out_maps");
    assert_null_error(sn_skeleton_deform(skeleton, 0, NULL, &x, &x), "maps");
    assert_null_error(sn_skeleton_deform(skeleton, 0, &map, NULL, &x), "out_positions");
    sn_skeleton_destroy(skeleton);
    sn_skeleton_destroy(NULL);
}

static void rigs(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnFrameId frame;
    SnRigDef def = sn_default_rig_def();
    SnRig *rig;
    assert_null_error(sn_rig_create(NULL, &def, &rig), "world");
    assert_error(sn_rig_create(world, NULL, &rig), SN_ERROR_INVALID, "def");
    assert_null_error(sn_rig_create(world, &def, NULL), "out_rig");
    assert_null_error(sn_rig_remove(NULL, world), "rig");
    assert_null_error(sn_rig_set_cues(NULL, NULL, 0), "rig");
    assert_null_error(sn_rig_move(NULL, world, 1.0, 1.0), "rig");
    assert_ok(sn_frame_create(world, sn_pose_identity(), &frame));
    assert_null_error(sn_frame_set_path(world, frame, NULL), "path");
    assert_null_error(sn_frame_target(world, frame, NULL), "out_target");
    sn_rig_destroy(NULL);
    sn_world_destroy(world);
}

static void scenes(void **state) {
    (void)state;
    static const char text[] = "{\"version\": 1}";
    SnWorldDef def = sn_default_world_def();
    SnScene *scene;
    SnWorld *world;
    assert_null_error(sn_scene_load_file(NULL, &scene, NULL), "path");
    assert_null_error(sn_scene_load_file("never.json", NULL, NULL), "out_scene");
    assert_null_error(sn_scene_load_text("scene", NULL, 0, &scene, NULL), "text");
    assert_null_error(sn_scene_load_text("scene", text, sizeof text - 1, NULL, NULL), "out_scene");
    assert_null_error(sn_scene_build(NULL, &def, &world), "scene");
    assert_ok(sn_scene_load_text(NULL, text, sizeof text - 1, &scene, NULL));
    assert_null_error(sn_scene_build(scene, NULL, &world), "def");
    assert_null_error(sn_scene_build(scene, &def, NULL), "out_world");
    assert_ok(sn_scene_build(scene, &def, &world));
    assert_null_error(sn_scene_animate(NULL, world, 0.1, 0.1), "scene");
    assert_null_error(sn_scene_animate(scene, NULL, 0.1, 0.1), "world");
    sn_world_destroy(world);
    sn_scene_destroy(scene);
    sn_scene_destroy(NULL);
}

#ifdef NDEBUG
static void nothing_of_bodies(void **state) {
    (void)state;
    SnBodyId id = {1, 1};
    assert_false(sn_body_is_valid(NULL, id));
    assert_int_equal(sn_body_kind(NULL, id), SN_BODY_NONE);
    assert_int_equal(sn_body_point_count(NULL, id), 0);
    assert_int_equal(sn_body_element_count(NULL, id), 0);
    assert_null(sn_body_name(NULL, id));
    assert_int_equal(sn_world_find_body(NULL, "name").index, 0);
    assert_int_equal(sn_world_next_body(NULL, id).index, 0);
    assert_true(sn_rod_sweep_error(NULL, id, 0.01f, 1, 1) == 0.0);
    assert_int_equal(sn_world_next_attachment(NULL, (SnAttachmentId){0, 0}).index, 0);
    assert_int_equal(sn_world_body_count(NULL), 0);
    assert_null(sn_body_user_data(NULL, id));
    assert_true(sn_body_gravity_scale(NULL, id) == 0.0f);
    assert_false(sn_body_is_asleep(NULL, id));
    assert_int_equal(sn_rod_solver(NULL, id), SN_SOLVER_SWEEP);
    assert_false(sn_collider_is_valid(NULL, (SnColliderId){1, 1}));
    assert_null(sn_collider_user_data(NULL, (SnColliderId){1, 1}));
    assert_false(sn_skin_is_valid(NULL, (SnSkinId){1, 1}));
    assert_null(sn_skin_user_data(NULL, (SnSkinId){1, 1}));
    SnWorld *world = weightless_world();
    plain_rod(world, 4);
    assert_int_equal(sn_world_find_body(world, NULL).index, 0);
    sn_world_destroy(world);
}

static void nothing_of_worlds(void **state) {
    (void)state;
    SnHit hit;
    SnFilter all = sn_default_filter();
    SnVec3 down = sn_vec3(0.0f, -1.0f, 0.0f);
    assert_true(sn_world_gravity(NULL).y == 0.0f);
    assert_true(sn_world_time(NULL) == 0.0);
    assert_int_equal(sn_world_isa(NULL), SN_ISA_BEST);
    assert_int_equal(sn_world_step(NULL, 0.01f, 1, 1), SN_STEP_BAD_TIME);
    assert_true(sn_world_step_times(NULL).total == 0.0f);
    assert_true(sn_world_measure(NULL).mass == 0.0);
    assert_int_equal(sn_world_hash(NULL), 0);
    assert_int_equal(sn_world_snapshot_size(NULL), 0);
    assert_int_equal(sn_world_contact_events(NULL).contact_count, 0);
    assert_false(sn_world_ray_cast(NULL, zero, down, 1.0f, all, &hit));
    assert_false(sn_world_nearest(NULL, zero, 1.0f, all, &hit));
    assert_int_equal(sn_world_overlap(NULL, zero, 1.0f, all, &hit, 1), 0);
}

static void nothing_of_scenes(void **state) {
    (void)state;
    assert_int_equal(sn_gltf_frame_count(NULL), 0);
    sn_scene_set_mesh_loader(NULL, NULL, NULL);
    assert_null(sn_scene_name(NULL));
    assert_int_equal(sn_scene_settings(NULL).substeps, 0);
    assert_false(sn_scene_camera(NULL, 0.0).has_position);
    assert_false(sn_scene_look(NULL).has_background);
    assert_int_equal(sn_scene_body_count(NULL), 0);
    assert_null(sn_scene_body_name(NULL, 0));
    assert_true(sn_scene_body_colour(NULL, 0).r == 0.0f);
    assert_int_equal(sn_scene_body_id(NULL, 0).index, 0);
    assert_int_equal(sn_scene_collider_count(NULL), 0);
    assert_int_equal(sn_scene_collider(NULL, 0).id.index, 0);
    assert_int_equal(sn_scene_skin_count(NULL), 0);
    assert_int_equal(sn_scene_skin(NULL, 0).id.index, 0);
    assert_int_equal(sn_scene_skeleton_count(NULL), 0);
    assert_null(sn_scene_skeleton(NULL, 0).skeleton);
    assert_int_equal(sn_skeleton_joint_count(NULL), 0);
    assert_int_equal(sn_skeleton_joint(NULL, 0).parent, -1);
    assert_int_equal(sn_skeleton_find_joint(NULL, "a"), -1);
    assert_int_equal(sn_skeleton_clip_count(NULL), 0);
    assert_int_equal(sn_skeleton_clip(NULL, 0).channel_count, 0);
    assert_int_equal(sn_skeleton_find_clip(NULL, "a"), -1);
    assert_int_equal(sn_skeleton_mesh_count(NULL), 0);
    assert_int_equal(sn_skeleton_mesh(NULL, 0).vertex_count, 0);
    assert_int_equal(sn_skeleton_image_count(NULL), 0);
    assert_int_equal(sn_skeleton_image(NULL, 0).size, 0);
    assert_true(sn_skeleton_cue_time(NULL, NULL, 1.0) == 0.0);
    assert_int_equal(sn_skeleton_bones(NULL, NULL, NULL), 0);
    assert_true(sn_map_pose(NULL).rotation.w == 1.0f);
    assert_null(sn_rig_skeleton(NULL));
    assert_int_equal(sn_rig_frame(NULL, 0).index, 0);
    sn_rig_maps(NULL, NULL, NULL);
    assert_int_equal(sn_rig_bone_count(NULL), 0);
    assert_int_equal(sn_rig_bone(NULL, 0).parent, 0);
    assert_int_equal(sn_rig_bone_collider(NULL, 0).index, 0);
    assert_int_equal(sn_scene_link_count(NULL), 0);
}
#endif

// Queries need no place for the hit, nor creation one for the id.
static void optional(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnColliderDef def = sn_default_collider_def();
    def.kind = SN_COLLIDER_SPHERE;
    assert_ok(sn_collider_create(world, &def, NULL));
    SnFilter all = sn_default_filter();
    SnVec3 above = sn_vec3(0.0f, 2.0f, 0.0f), down = sn_vec3(0.0f, -1.0f, 0.0f);
    assert_true(sn_world_ray_cast(world, above, down, 5.0f, all, NULL));
    assert_true(sn_world_nearest(world, above, 5.0f, all, NULL));
    assert_int_equal(sn_world_overlap(world, above, 5.0f, all, NULL, 4), 1);
    sn_world_destroy(world);
}

static void new_things_without_world(void **state) {
    (void)state;
    SnColliderId collider = {1, 1};
    SnFrameId frame = {1, 1};
    SnLinkId link = {1, 1};
    SnHingeId hinge = {1, 1};
    SnFieldId field = {1, 1};
    SnBodyId body = {1, 1};
    SnSurface surface = sn_default_surface();
    SnFilter filter = sn_default_filter();
    SnColliderDef collider_def = sn_default_collider_def();
    SnHingeDef hinge_def = sn_default_hinge_def();
    SnHingeState hinge_state;
    SnFieldDef field_def;
    SnRodMaterial material;
    SnSolidMaterial solid_material;
    SnDraw draw = sn_default_draw();
    float scale;
    assert_null_error(sn_collider_read(NULL, collider, &collider_def), "world");
    assert_null_error(sn_collider_set_pose(NULL, collider, sn_pose_identity()), "world");
    assert_null_error(sn_collider_set_surface(NULL, collider, &surface), "world");
    assert_null_error(sn_collider_surface(NULL, collider, &surface), "world");
    assert_null_error(sn_collider_set_filter(NULL, collider, filter), "world");
    assert_null_error(sn_collider_filter(NULL, collider, &filter), "world");
    assert_null_error(sn_collider_set_user_data(NULL, collider, NULL), "world");
    assert_null_error(sn_frame_set_user_data(NULL, frame, NULL), "world");
    assert_null_error(sn_link_set_user_data(NULL, link, NULL), "world");
    assert_null_error(sn_link_set_length(NULL, link, 1.0f), "world");
    assert_null_error(sn_hinge_create(NULL, &hinge_def, NULL), "world");
    assert_null_error(sn_hinge_destroy(NULL, hinge), "world");
    assert_null_error(sn_hinge_read(NULL, hinge, &hinge_def), "world");
    assert_null_error(sn_hinge_state(NULL, hinge, &hinge_state), "world");
    assert_null_error(sn_hinge_set_motor(NULL, hinge, 0.0f, 0.0f), "world");
    assert_null_error(sn_hinge_set_limits(NULL, hinge, false, 0.0f, 0.0f), "world");
    assert_null_error(sn_hinge_set_user_data(NULL, hinge, NULL), "world");
    assert_null_error(sn_field_read(NULL, field, &field_def), "world");
    assert_null_error(sn_rod_material(NULL, body, &material), "world");
    assert_null_error(sn_rod_length_scale(NULL, body, 0, &scale), "world");
    assert_null_error(sn_solid_material(NULL, body, &solid_material), "world");
    assert_null_error(sn_world_set_contact_test(NULL, NULL, NULL), "world");
    assert_null_error(sn_world_set_sleep_speed(NULL, 0.0f), "world");
    assert_null_error(sn_world_draw(NULL, &draw), "world");
    assert_null_error(sn_interpolator_create(NULL, NULL), "out_interpolator");
    assert_null_error(sn_interpolator_push(NULL, NULL), "interpolator");
    SnWorld *world = weightless_world();
    assert_error(sn_world_draw(world, NULL), SN_ERROR_INVALID, "draw");
    assert_error(sn_hinge_create(world, NULL, NULL), SN_ERROR_INVALID, "hinge");
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_things_without_world),
        cmocka_unit_test(bodies_without_world),
        cmocka_unit_test(bodies_without_arrays),
        cmocka_unit_test(rods_without_world),
        cmocka_unit_test(rigid_bodies),
        cmocka_unit_test(frames_and_attachments),
        cmocka_unit_test(fields_links_and_colliders),
        cmocka_unit_test(skins),
        cmocka_unit_test(worlds),
        cmocka_unit_test(models),
        cmocka_unit_test(recordings),
        cmocka_unit_test(skeletons),
        cmocka_unit_test(rigs),
        cmocka_unit_test(scenes),
#ifdef NDEBUG
        cmocka_unit_test(nothing_of_bodies),
        cmocka_unit_test(nothing_of_worlds),
        cmocka_unit_test(nothing_of_scenes),
#endif
        cmocka_unit_test(optional),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
