// Hinges of rigid bodies against closed forms: limits hold, motors have the torque and the speed they were
// given, what turns is counted, and what is pushed against a limit cannot go on.
#include "support.h"

#define DT (1.0f / 60.0f)
#define SUBSTEPS 10

static SnBodyId rigid(SnWorld *world, const SnRigidPart *parts, int count, SnVec3 at, float mass) {
    SnRigidDef def = sn_default_rigid_def();
    def.part_count = count;
    def.parts = parts;
    def.mass = mass;
    def.pose.position = at;
    SnBodyId body;
    assert_ok(sn_rigid_create(world, &def, &body));
    return body;
}

static void pin_to(SnWorld *world, SnBodyId body, int point, SnFrameId frame) {
    SnAttachmentDef def = sn_default_attachment_def();
    def.body = body;
    def.index = point;
    def.frame = frame;
    assert_ok(sn_attachment_create(world, &def, NULL));
}

// A door of two pills that turns about y through the origin; its handle is the last point.
static SnBodyId make_door(SnWorld *world, SnFrameId frame) {
    const SnRigidPart parts[3] = {
        sn_rigid_pill(sn_vec3(0.0f, 0.0f, 0.0f), sn_vec3(0.0f, 2.0f, 0.0f), 0.05f),
        sn_rigid_pill(sn_vec3(0.1f, 0.2f, 0.0f), sn_vec3(1.0f, 0.2f, 0.0f), 0.05f),
        sn_rigid_pill(sn_vec3(0.1f, 1.0f, 0.0f), sn_vec3(1.0f, 1.0f, 0.0f), 0.05f)};
    SnBodyId door = rigid(world, parts, 3, sn_vec3(0.0f, 0.0f, 0.0f), 20.0f);
    pin_to(world, door, 0, frame);
    pin_to(world, door, 1, frame);
    return door;
}

static SnHingeId hinge(SnWorld *world, SnBodyId a, SnBodyId b, SnVec3 axis, float speed,
                       float torque) {
    SnHingeDef def = sn_default_hinge_def();
    def.a = a;
    def.b = b;
    def.axis = axis;
    def.speed = speed;
    def.max_torque = torque;
    SnHingeId id;
    assert_ok(sn_hinge_create(world, &def, &id));
    return id;
}

static SnHingeState state_of(SnWorld *world, SnHingeId id) {
    SnHingeState state;
    assert_ok(sn_hinge_state(world, id, &state));
    return state;
}

static const SnVec3 up = {0.0f, 1.0f, 0.0f};
static const SnBodyId nobody = {0, 0};
static const SnFrameId nowhere = {0, 0};

// Pushed at its handle with 10 N, 1 m from the axis.
static void push(SnWorld *world, SnBodyId door, float force) {
    assert_ok(sn_body_add_force(world, door, 5, sn_vec3(0.0f, 0.0f, force)));
}

static void test_limits_hold(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnBodyId door = make_door(world, nowhere);
    SnHingeId id = hinge(world, door, nobody, up, 0.0f, 0.0f);
    assert_ok(sn_hinge_set_limits(world, id, true, -0.25f, 1.5f));
    float lowest = 0.0f, highest = 0.0f;
    for (int i = 0; i < 240; ++i) {
        push(world, door, i < 120 ? 10.0f : -10.0f);
        sn_world_step(world, DT, SUBSTEPS, 1);
        SnHingeState s = state_of(world, id);
        lowest = fminf(lowest, s.angle);
        highest = fmaxf(highest, s.angle);
        // Along z at the handle turns it the other way about y.
        if (i == 119) {
            assert_near(s.angle, -0.25, 1e-4);
            // The force stays along z while the handle has turned.
            assert_near(s.limit_torque, 10.0 * cos(0.25), 0.02);
            assert_near(s.speed, 0.0, 1e-4);
        }
    }
    assert_near(lowest, -0.25, 1e-4);
    assert_true(highest > 0.5f && highest <= 1.5001f);
    sn_world_destroy(world);
}

// What bumps into a door at its limit bounces off or stops, and the door stays.
static void test_limit_against_contacts(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnBodyId door = make_door(world, nowhere);
    SnHingeId id = hinge(world, door, nobody, up, 0.0f, 0.0f);
    assert_ok(sn_hinge_set_limits(world, id, true, 0.0f, 1.0f));
    const SnRigidPart ball = sn_rigid_sphere(sn_vec3(0.0f, 0.0f, 0.0f), 0.2f);
    SnBodyId thrown = rigid(world, &ball, 1, sn_vec3(0.7f, 1.0f, -1.5f), 50.0f);
    SnRigidState motion;
    assert_ok(sn_rigid_read(world, thrown, &motion));
    motion.velocity = sn_vec3(0.0f, 0.0f, 5.0f);
    assert_ok(sn_rigid_write(world, thrown, &motion));
    for (int i = 0; i < 150; ++i) {
        assert_ok(sn_body_add_force(world, thrown, 0, sn_vec3(0.0f, 0.0f, 100.0f)));
        sn_world_step(world, DT, SUBSTEPS, 1);
        assert_true(state_of(world, id).angle > -0.01f);
    }
    assert_ok(sn_rigid_read(world, thrown, &motion));
    assert_near(motion.centre.z, -0.25, 0.02); // it leans on the door
    assert_near(state_of(world, id).limit_torque, 70.0, 3.0);
    sn_world_destroy(world);
}

// τ = I α up to the speed that was asked for, which then stays, and turns are counted.
static void test_motor_has_its_torque(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    const SnRigidPart wheel =
        sn_rigid_pill(sn_vec3(-0.1f, 0.0f, 0.0f), sn_vec3(0.1f, 0.0f, 0.0f), 0.4f);
    SnBodyId body = rigid(world, &wheel, 1, sn_vec3(0.0f, 0.0f, 0.0f), 10.0f);
    pin_to(world, body, 0, nowhere);
    pin_to(world, body, 1, nowhere);
    float inertia[6];
    assert_ok(sn_rigid_inertia(world, body, NULL, inertia));
    float torque = 2.0f, speed = 12.0f;
    SnHingeId id = hinge(world, body, nobody, sn_vec3(3.0f, 0.0f, 0.0f), speed, torque);
    double wait = (double)(speed * inertia[0] / torque), angle = 0.0, time = 0.0;
    assert_true(wait > 1.0);
    for (int i = 0; i < 600; ++i) {
        sn_world_step(world, DT, SUBSTEPS, 1);
        time += (double)DT;
        SnHingeState s = state_of(world, id);
        double expected = fmin((double)torque / (double)inertia[0] * time, (double)speed);
        assert_near(s.speed, expected, 0.02);
        angle = time < wait ? 0.5 * (double)(torque / inertia[0]) * time * time
                            : (double)speed * (time - 0.5 * wait);
        assert_near(s.angle, angle, 0.05);
        assert_near(s.motor_torque,
                    fabs(time - wait) < 0.05 ? s.motor_torque
                    : time < wait            ? torque
                                             : 0.0f,
                    1e-3);
    }
    assert_true(angle > 50.0); // several turns
    // A brake.
    assert_ok(sn_hinge_set_motor(world, id, 0.0f, 100.0f));
    for (int i = 0; i < 60; ++i)
        sn_world_step(world, DT, SUBSTEPS, 1);
    assert_near(state_of(world, id).speed, 0.0, 1e-4);
    sn_world_destroy(world);
}

// On a body of its own, a motor turns both against each other, and the sum of their momenta stays.
static void test_motor_between_bodies(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    const SnRigidPart parts[2] = {
        sn_rigid_pill(sn_vec3(0.0f, -0.2f, 0.0f), sn_vec3(0.0f, 0.2f, 0.0f), 0.3f),
        sn_rigid_pill(sn_vec3(-0.5f, 0.0f, 0.0f), sn_vec3(0.5f, 0.0f, 0.0f), 0.1f)};
    SnBodyId wheel = rigid(world, &parts[0], 1, sn_vec3(0.0f, 0.0f, 0.0f), 5.0f);
    SnBodyId chassis = rigid(world, &parts[1], 1, sn_vec3(0.0f, 0.0f, 0.0f), 30.0f);
    SnHingeId id = hinge(world, wheel, chassis, up, 20.0f, 4.0f);
    assert_ok(sn_bodies_ignore(world, wheel, chassis, true));
    for (int i = 0; i < 300; ++i)
        sn_world_step(world, DT, SUBSTEPS, 1);
    SnRigidState a, b;
    assert_ok(sn_rigid_read(world, wheel, &a));
    assert_ok(sn_rigid_read(world, chassis, &b));
    assert_near(a.angular_velocity.y - b.angular_velocity.y, 20.0, 0.01);
    assert_near(state_of(world, id).speed, 20.0, 0.01);
    assert_near(sn_world_measure(world).angular_momentum[1], 0.0, 1e-3);
    assert_true(b.angular_velocity.y < -0.1f);
    sn_world_destroy(world);
}

// Two links hold a wheel on a chassis; its motor drives it over the floor.
static void test_driven_wheel(void **state) {
    (void)state;
    SnWorldDef world_def = sn_default_world_def();
    SnWorld *world;
    assert_ok(sn_world_create(&world_def, &world));
    SnColliderDef floor = sn_default_collider_def();
    assert_ok(sn_collider_create(world, &floor, NULL));
    const SnRigidPart chassis_part =
        sn_rigid_pill(sn_vec3(-0.6f, 0.0f, 0.0f), sn_vec3(0.6f, 0.0f, 0.0f), 0.1f);
    const SnRigidPart wheel_part =
        sn_rigid_pill(sn_vec3(0.0f, 0.0f, -0.3f), sn_vec3(0.0f, 0.0f, 0.3f), 0.25f);
    SnBodyId chassis = rigid(world, &chassis_part, 1, sn_vec3(0.0f, 0.6f, 0.0f), 20.0f);
    SnHingeId motors[2];
    for (int w = 0; w < 2; ++w) {
        float x = w == 0 ? -0.5f : 0.5f;
        SnBodyId wheel = rigid(world, &wheel_part, 1, sn_vec3(x, 0.25f, 0.0f), 5.0f);
        for (int side = 0; side < 2; ++side) {
            // From the axle to both ends of the chassis: two triangles, which are stiff.
            for (int end = 0; end < 2; ++end) {
                SnLinkDef link = sn_default_link_def();
                link.a = (SnBodyPoint){wheel, 0, (float)side};
                link.b = (SnBodyPoint){chassis, 0, (float)end};
                link.ignore = true;
                assert_ok(sn_link_create(world, &link, NULL));
            }
        }
        motors[w] = hinge(world, wheel, chassis, sn_vec3(0.0f, 0.0f, 1.0f), -8.0f, 30.0f);
    }
    for (int i = 0; i < 180; ++i)
        sn_world_step(world, DT, SUBSTEPS, 1);
    SnRigidState s;
    assert_ok(sn_rigid_read(world, chassis, &s));
    assert_near(s.velocity.x, 8.0 * 0.25, 0.05);
    assert_near(state_of(world, motors[0]).speed, -8.0, 0.05);
    assert_true(s.centre.x > 4.0f && s.centre.y > 0.5f);
    sn_world_destroy(world);
}

// A frame that turns carries what a strong brake holds on it.
static void test_frame_carries(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnFrameId frame;
    assert_ok(sn_frame_create(world, sn_pose_identity(), &frame));
    SnBodyId door = make_door(world, frame);
    SnHingeDef def = sn_default_hinge_def();
    def.a = door;
    def.frame = frame;
    def.max_torque = 1e5f;
    SnHingeId id;
    assert_ok(sn_hinge_create(world, &def, &id));
    for (int i = 1; i <= 120; ++i) {
        SnPose pose = sn_pose_identity();
        pose.rotation = turn_about(0.0, 1.0, 0.0, 0.05 * i);
        assert_ok(sn_frame_set_target(world, frame, pose));
        sn_world_step(world, DT, SUBSTEPS, 1);
        assert_near(state_of(world, id).angle, 0.0, 0.01);
    }
    SnRigidState s;
    assert_ok(sn_rigid_read(world, door, &s));
    assert_near(s.angular_velocity.y, 3.0, 0.02);
    // Without the frame, the angle starts from where it was.
    assert_ok(sn_frame_destroy(world, frame));
    assert_near(state_of(world, id).angle, 0.0, 0.01);
    sn_world_destroy(world);
}

// A stiff rod that is linked to a hub at two points turns with it, against gravity.
static void test_hub_drives_stiff_rod(void **state) {
    (void)state;
    SnWorld *world = make_world(sn_vec3(0.0f, -9.81f, 0.0f));
    const SnRigidPart parts[2] = {
        sn_rigid_pill(sn_vec3(0.0f, 0.0f, -0.1f), sn_vec3(0.0f, 0.0f, 0.1f), 0.1f),
        sn_rigid_pill(sn_vec3(-0.1f, 0.0f, 0.0f), sn_vec3(0.1f, 0.0f, 0.0f), 0.05f)};
    SnBodyId hub = rigid(world, parts, 2, sn_vec3(0.0f, 0.0f, 0.0f), 5.0f);
    pin_to(world, hub, 0, nowhere);
    pin_to(world, hub, 1, nowhere);
    SnVec3 x[12];
    line_of_points(x, 12, sn_vec3(-0.1f, 0.0f, 0.0f), sn_vec3(0.1f, 0.0f, 0.0f));
    SnRodDef def = sn_default_rod_def();
    def.stiff = true;
    def.vertex_count = 12;
    def.positions = x;
    def.radius = 0.02f;
    def.material.young = 1e9f;
    SnBodyId rod;
    assert_ok(sn_rod_create(world, &def, &rod));
    for (int k = 0; k < 2; ++k) {
        SnLinkDef link = sn_default_link_def();
        link.a = (SnBodyPoint){rod, 2 * k, 0.0f};
        link.b = (SnBodyPoint){hub, 1, (float)k};
        link.length = 0.0f;
        link.ignore = true;
        assert_ok(sn_link_create(world, &link, NULL));
    }
    SnHingeId id = hinge(world, hub, nobody, sn_vec3(0.0f, 0.0f, 1.0f), 2.0f, 100.0f);
    for (int i = 0; i < 120; ++i) {
        assert_int_equal(sn_world_step(world, DT, SUBSTEPS, 1), SN_STEP_OK);
        RodCopy copy;
        copy_rod(world, rod, &copy);
        SnHingeState s = state_of(world, id);
        double dx = (double)(copy.x[11].x - copy.x[1].x), dy = (double)(copy.x[11].y - copy.x[1].y);
        double ahead = dx * cos((double)s.angle) + dy * sin((double)s.angle);
        if (i > 30) {
            assert_near(s.speed, 2.0, 0.01);
            assert_near(ahead, 1.0, 0.01); // of the metre from vertex 1 to the last
        }
    }
    sn_world_destroy(world);
}

static void test_snapshot_repeats(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnBodyId door = make_door(world, nowhere);
    SnHingeId id = hinge(world, door, nobody, up, 4.0f, 20.0f);
    assert_ok(sn_hinge_set_limits(world, id, true, -1.0f, 30.0f));
    for (int i = 0; i < 200; ++i)
        sn_world_step(world, DT, SUBSTEPS, 1);
    static char buffer[1 << 16];
    size_t size = sn_world_snapshot_size(world);
    assert_true(size < sizeof buffer);
    assert_ok(sn_world_save(world, buffer, size));
    uint64_t hash[2];
    float angle[2];
    for (int k = 0; k < 2; ++k) {
        assert_ok(sn_world_restore(world, buffer, size));
        for (int i = 0; i < 400; ++i)
            sn_world_step(world, DT, SUBSTEPS, 1);
        hash[k] = sn_world_hash(world);
        angle[k] = state_of(world, id).angle;
    }
    assert_true(hash[0] == hash[1] && angle[0] == angle[1]);
    assert_near(angle[0], 30.0, 1e-3);
    sn_world_destroy(world);
}

static void test_what_is_refused(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnBodyId door = make_door(world, nowhere);
    SnVec3 x[2] = {{2.0f, 0.0f, 0.0f}, {3.0f, 0.0f, 0.0f}};
    SnRodDef rod = sn_default_rod_def();
    rod.vertex_count = 2;
    rod.positions = x;
    SnBodyId soft;
    assert_ok(sn_rod_create(world, &rod, &soft));
    SnHingeDef def = sn_default_hinge_def();
    assert_error(sn_hinge_create(world, &def, NULL), SN_ERROR_STALE, "a: id is stale");
    def.a = soft;
    assert_error(sn_hinge_create(world, &def, NULL), SN_ERROR_INVALID, "rigid body");
    def.a = def.b = door;
    assert_error(sn_hinge_create(world, &def, NULL), SN_ERROR_INVALID, "same body");
    def.b = nobody;
    def.axis = sn_vec3(0.0f, 0.0f, 0.0f);
    assert_error(sn_hinge_create(world, &def, NULL), SN_ERROR_INVALID, "axis");
    def.axis = up;
    def.low = 1.0f;
    assert_error(sn_hinge_create(world, &def, NULL), SN_ERROR_INVALID, "low 1 and high 0");
    def.low = 0.0f;
    def.max_torque = -1.0f;
    assert_error(sn_hinge_create(world, &def, NULL), SN_ERROR_INVALID, "max_torque");
    def.max_torque = 0.0f;
    def.cookie = 0;
    assert_error(sn_hinge_create(world, &def, NULL), SN_ERROR_INVALID, "sn_default_hinge_def");
    SnHingeId id = hinge(world, door, nobody, up, 1.0f, 2.0f);
    assert_error(sn_hinge_set_motor(world, id, NAN, 1.0f), SN_ERROR_INVALID, "speed");
    assert_error(sn_hinge_set_limits(world, id, true, 2.0f, 1.0f), SN_ERROR_INVALID, "low");
    assert_ok(sn_hinge_set_user_data(world, id, &door));
    assert_ptr_equal(sn_hinge_user_data(world, id), &door);
    SnHingeDef read;
    assert_ok(sn_hinge_read(world, id, &read));
    assert_near(read.axis.y, 1.0, 1e-6);
    assert_near(read.speed, 1.0, 0.0);
    assert_int_equal(sn_world_next_hinge(world, (SnHingeId){0, 0}).index, id.index);
    assert_int_equal(sn_world_next_hinge(world, id).index, 0);
    // It goes with its body.
    assert_ok(sn_body_destroy(world, door));
    assert_false(sn_hinge_is_valid(world, id));
    assert_error(sn_hinge_destroy(world, id), SN_ERROR_STALE, "hinge");
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits_hold),          cmocka_unit_test(test_limit_against_contacts),
        cmocka_unit_test(test_motor_has_its_torque), cmocka_unit_test(test_motor_between_bodies),
        cmocka_unit_test(test_driven_wheel),         cmocka_unit_test(test_frame_carries),
        cmocka_unit_test(test_hub_drives_stiff_rod), cmocka_unit_test(test_snapshot_repeats),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
