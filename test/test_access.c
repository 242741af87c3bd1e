// What can be set can be read, and does what it says: colliders, frames, links, fields, materials.
#include "support.h"

#define DT (1.0f / 60.0f)

static SnBodyId ball(SnWorld *world, SnVec3 at) {
    SnRigidPart part = sn_rigid_sphere(sn_vec3(0.0f, 0.0f, 0.0f), 0.1f);
    SnRigidDef def = sn_default_rigid_def();
    def.part_count = 1;
    def.parts = &part;
    def.pose.position = at;
    SnBodyId id;
    assert_ok(sn_rigid_create(world, &def, &id));
    return id;
}

static SnVec3 centre_of(SnWorld *world, SnBodyId body) {
    SnRigidState s;
    assert_ok(sn_rigid_read(world, body, &s));
    return s.centre;
}

static SnWorld *sleepy_world(void) {
    SnWorldDef def = sn_default_world_def();
    def.sleep_speed = 0.05f;
    SnWorld *world;
    assert_ok(sn_world_create(&def, &world));
    return world;
}

static void run(SnWorld *world, int steps) {
    for (int i = 0; i < steps; ++i)
        sn_world_step(world, DT, 4, 1);
}

// A floor that is lowered, a filter that opens it, a surface that lets things slide.
static void test_colliders(void **state) {
    (void)state;
    SnWorld *world = sleepy_world();
    SnColliderDef def = sn_default_collider_def();
    def.kind = SN_COLLIDER_BOX;
    def.half_size = sn_vec3(5.0f, 0.5f, 5.0f);
    def.origin[1] = -0.25;
    def.pose.position = sn_vec3(0.0f, -0.25f, 0.0f);
    SnColliderId floor;
    assert_ok(sn_collider_create(world, &def, &floor));
    SnBodyId body = ball(world, sn_vec3(0.0f, 0.1f, 0.0f));
    run(world, 90);
    assert_true(sn_body_is_asleep(world, body));
    SnPose pose = sn_pose_identity();
    pose.position = sn_vec3(0.0f, -1.25f, 0.0f); // a metre lower
    assert_ok(sn_collider_set_pose(world, floor, pose));
    run(world, 90);
    assert_near(centre_of(world, body).y, -0.9, 0.01);
    SnColliderDef read;
    assert_ok(sn_collider_read(world, floor, &read));
    assert_int_equal(read.kind, SN_COLLIDER_BOX);
    assert_near(read.pose.position.y, -1.25, 1e-6);
    assert_near(read.origin[1], -0.25, 0.0);
    assert_near(read.half_size.x, 5.0, 0.0);
    assert_ok(sn_collider_pose(world, floor, &pose));
    assert_near(pose.position.y, -1.5, 1e-6);
    // It slides when the floor is ice, down a slope.
    pose = sn_pose_identity();
    pose.position = sn_vec3(0.0f, -1.25f, 0.0f);
    SnSurface ice;
    assert_ok(sn_collider_surface(world, floor, &ice));
    assert_near(ice.friction, 0.5, 0.0);
    ice.friction = ice.static_friction = 0.0f;
    assert_ok(sn_collider_set_surface(world, floor, &ice));
    assert_ok(sn_body_add_impulse(world, body, 0, sn_vec3(0.0f, 0.0f, 1.0f)));
    run(world, 30);
    SnRigidState s;
    assert_ok(sn_rigid_read(world, body, &s));
    assert_near(s.angular_velocity.x, 0.0, 1e-3);
    ice.friction = -1.0f;
    assert_error(sn_collider_set_surface(world, floor, &ice), SN_ERROR_INVALID, "friction");
    // And falls through when its filter says so.
    SnFilter none = sn_default_filter(), now;
    none.mask = 0;
    assert_ok(sn_collider_set_filter(world, floor, none));
    assert_ok(sn_collider_filter(world, floor, &now));
    assert_int_equal(now.mask, 0);
    run(world, 60);
    assert_true(centre_of(world, body).y < -4.0f);
    assert_ok(sn_collider_set_user_data(world, floor, &read));
    assert_ptr_equal(sn_collider_user_data(world, floor), &read);
    pose.rotation.w = 5.0f;
    assert_error(sn_collider_set_pose(world, floor, pose), SN_ERROR_INVALID, "pose");
    assert_int_equal(sn_world_next_collider(world, (SnColliderId){0, 0}).index, floor.index);
    assert_int_equal(sn_world_next_collider(world, floor).index, 0);
    assert_ok(sn_collider_destroy(world, floor));
    assert_error(sn_collider_read(world, floor, &read), SN_ERROR_STALE, "collider");
    assert_error(sn_collider_set_filter(world, floor, none), SN_ERROR_STALE, "collider");
    sn_world_destroy(world);
}

// A snapshot knows where colliders and the lengths of links were.
static void test_snapshot_has_them(void **state) {
    (void)state;
    SnWorld *world = sleepy_world();
    SnColliderDef def = sn_default_collider_def();
    SnColliderId floor;
    assert_ok(sn_collider_create(world, &def, &floor));
    SnBodyId body = ball(world, sn_vec3(0.0f, 1.0f, 0.0f));
    SnLinkDef link_def = sn_default_link_def();
    link_def.a = (SnBodyPoint){body, 0, 0.0f};
    link_def.target = sn_vec3(0.0f, 3.0f, 0.0f);
    SnLinkId link;
    assert_ok(sn_link_create(world, &link_def, &link));
    static char buffer[1 << 16];
    size_t size = sn_world_snapshot_size(world);
    assert_true(size <= sizeof buffer);
    assert_ok(sn_world_save(world, buffer, size));
    SnPose pose = sn_pose_identity();
    pose.position.y = -1.0f;
    assert_ok(sn_collider_set_pose(world, floor, pose));
    assert_ok(sn_link_set_length(world, link, 3.0f));
    run(world, 120);
    assert_near(centre_of(world, body).y, 0.0, 0.05);
    assert_ok(sn_world_restore(world, buffer, size));
    assert_ok(sn_collider_pose(world, floor, &pose));
    assert_near(pose.position.y, 0.0, 0.0);
    assert_ok(sn_link_read(world, link, &link_def));
    assert_near(link_def.length, 2.0, 1e-6);
    run(world, 60);
    assert_near(centre_of(world, body).y, 1.0, 0.01);
    assert_error(sn_link_set_length(world, link, -2.0f), SN_ERROR_INVALID, "length");
    assert_ok(sn_link_set_length(world, link, SN_LINK_KEEP));
    assert_ok(sn_link_set_user_data(world, link, world));
    assert_ptr_equal(sn_link_user_data(world, link), world);
    sn_world_destroy(world);
}

static void test_frames(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnFrameId a, b;
    assert_ok(sn_frame_create(world, sn_pose_identity(), &a));
    assert_ok(sn_frame_create(world, sn_pose_identity(), &b));
    assert_null(sn_frame_user_data(world, a));
    assert_ok(sn_frame_set_user_data(world, a, &b));
    const SnPose path[3] = {sn_pose_identity(), sn_pose_identity(), sn_pose_identity()};
    assert_ok(sn_frame_set_path(world, a, path));
    assert_ptr_equal(sn_frame_user_data(world, a), &b);
    assert_int_equal(sn_world_next_frame(world, (SnFrameId){0, 0}).index, a.index);
    assert_int_equal(sn_world_next_frame(world, a).index, b.index);
    assert_int_equal(sn_world_next_frame(world, b).index, 0);
    assert_ok(sn_frame_destroy(world, a));
    assert_false(sn_frame_is_valid(world, a));
    assert_true(sn_frame_is_valid(world, b));
    assert_null(sn_frame_user_data(world, a));
    assert_error(sn_frame_set_user_data(world, a, NULL), SN_ERROR_STALE, "frame");
    assert_ok(sn_frame_create(world, sn_pose_identity(), &a));
    assert_null(sn_frame_user_data(world, a)); // a new one knows nothing of the old
    sn_world_destroy(world);
}

static void test_world_and_fields(void **state) {
    (void)state;
    SnWorld *world = sleepy_world();
    assert_near(sn_world_sleep_speed(world), 0.05, 1e-7);
    assert_error(sn_world_set_sleep_speed(world, -1.0f), SN_ERROR_INVALID, "sleep_speed");
    SnColliderDef floor = sn_default_collider_def();
    assert_ok(sn_collider_create(world, &floor, NULL));
    SnBodyId body = ball(world, sn_vec3(0.0f, 0.1f, 0.0f));
    run(world, 90);
    assert_true(sn_body_is_asleep(world, body));
    assert_ok(sn_world_set_sleep_speed(world, 0.0f));
    assert_false(sn_body_is_asleep(world, body));
    run(world, 90);
    assert_false(sn_body_is_asleep(world, body));
    assert_ok(sn_world_set_tolerance(world, 1e-3f));
    assert_near(sn_world_tolerance(world), 1e-3, 1e-9);
    SnFieldDef def = sn_default_field_def(), read;
    def.strength = 2.5f;
    SnFieldId field;
    assert_ok(sn_field_create(world, &def, &field));
    assert_ok(sn_field_read(world, field, &read));
    assert_near(read.strength, 2.5, 0.0);
    def.strength = 3.5f;
    assert_ok(sn_field_set(world, field, &def));
    assert_ok(sn_field_read(world, field, &read));
    assert_near(read.strength, 3.5, 0.0);
    assert_int_equal(sn_world_next_field(world, (SnFieldId){0, 0}).index, field.index);
    assert_int_equal(sn_world_next_field(world, field).index, 0);
    assert_ok(sn_field_destroy(world, field));
    assert_error(sn_field_read(world, field, &read), SN_ERROR_STALE, "field");
    sn_world_destroy(world);
}

static void test_materials(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    for (int stiff = 0; stiff < 2; ++stiff) {
        SnVec3 x[4];
        line_of_points(x, 4, sn_vec3(0.0f, (float)stiff, 0.0f), sn_vec3(0.1f, 0.0f, 0.0f));
        SnRodDef def = sn_default_rod_def();
        def.vertex_count = 4;
        def.positions = x;
        def.stiff = stiff;
        SnBodyId rod;
        assert_ok(sn_rod_create(world, &def, &rod));
        SnRodMaterial material;
        assert_ok(sn_rod_material(world, rod, &material));
        SnRodMaterial given = sn_rod_material_derived(def.material);
        assert_memory_equal(&material, &given, sizeof material);
        material.young *= 2.0f;
        assert_ok(sn_rod_set_material(world, rod, &material));
        SnRodMaterial now;
        assert_ok(sn_rod_material(world, rod, &now));
        assert_memory_equal(&material, &now, sizeof material);
        float scale;
        if (!stiff)
            assert_ok(sn_rod_set_length_scale(world, rod, 1, 1, 0.5f));
        for (int j = 0; j < 3; ++j) {
            assert_ok(sn_rod_length_scale(world, rod, j, &scale));
            assert_near(scale, j == 1 && !stiff ? 0.5 : 1.0, 0.0);
        }
        assert_error(sn_rod_length_scale(world, rod, 3, &scale), SN_ERROR_INVALID, "segment 3");
    }
    SnRodMaterial material;
    SnBodyId body = ball(world, sn_vec3(5.0f, 0.0f, 0.0f));
    assert_error(sn_rod_material(world, body, &material), SN_ERROR_INVALID, "rigid");
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_colliders), cmocka_unit_test(test_snapshot_has_them),
        cmocka_unit_test(test_frames),    cmocka_unit_test(test_world_and_fields),
        cmocka_unit_test(test_materials),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
