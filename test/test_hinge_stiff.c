// Hinges of stiff rods against closed forms: limits hold, motors have the torque and the speed they were given, whether
// what is turned is one segment or many, against the world, frames, rigid bodies and each other.
#include "stiff_kit.h"

#define LENGTH 1.0f
#define RADIUS 0.02f

static const SnVec3 z_axis = {0.0f, 0.0f, 1.0f};
static const SnBodyId nobody = {0, 0};

// From (x, 0, 0) to (x + length, 0, 0).
static SnBodyId add_bar(SnWorld *world, float from, int segments, float young) {
    static SnVec3 x[64];
    line_of_points(x, segments + 1, sn_vec3(from, 0.0f, 0.0f),
                   sn_vec3(LENGTH / (float)segments, 0.0f, 0.0f));
    SnRodDef def = stiff_def(x, segments + 1, RADIUS);
    def.material.young = young;
    def.material.shear = 0.4f * young;
    return add_rod(world, &def);
}

static SnHingeDef hinge_def(SnBodyId a, SnBodyId b) {
    SnHingeDef def = sn_default_hinge_def();
    def.a = a;
    def.b = b;
    def.axis = z_axis;
    return def;
}

static SnHingeId add_hinge(SnWorld *world, const SnHingeDef *def) {
    SnHingeId id;
    assert_ok(sn_hinge_create(world, def, &id));
    return id;
}

static SnHingeState state_of(const SnWorld *world, SnHingeId id) {
    SnHingeState state;
    assert_ok(sn_hinge_state(world, id, &state));
    return state;
}

static SnAttachmentId pin_vertex(SnWorld *world, SnBodyId rod, int vertex) {
    SnAttachmentDef def = sn_default_attachment_def();
    def.body = rod;
    def.index = vertex;
    SnAttachmentId id;
    assert_ok(sn_attachment_create(world, &def, &id));
    return id;
}

static SnHingeState step(SnWorld *world, SnHingeId id) {
    assert_int_equal(sn_world_step(world, DT, 8, 1), SN_STEP_OK);
    return state_of(world, id);
}

// A bar that is held at one end falls on its lower limit, and lies on it: the torque is that of its weight, and what
// holds its end bears all of it.
static void falls_on_its_limit(void **state) {
    (void)state;
    const int counts[3] = {1, 4, 20};
    const float young[3] = {1e9f, 1e10f, 2e11f};
    for (int k = 0; k < 9; ++k) {
        SnWorld *world = heavy_world();
        SnBodyId bar = add_bar(world, 0.0f, counts[k % 3], young[k / 3]);
        SnAttachmentId pin = pin_vertex(world, bar, 0);
        SnHingeDef def = hinge_def(bar, nobody);
        def.limited = true;
        def.low = -0.5f;
        def.high = 0.1f;
        SnHingeId id = add_hinge(world, &def);
        SnHingeState s = {0};
        for (int n = 0; n < 480; ++n) {
            s = step(world, id);
            assert_true(s.angle > -0.501f && s.angle < 0.1f);
        }
        double weight = rod_mass(world, bar) * GRAVITY;
        SnReaction reaction;
        assert_ok(sn_attachment_reaction(world, pin, &reaction));
        assert_near(s.angle, -0.5, 1e-4);
        assert_near((double)s.limit_torque / (0.5 * weight * cos(0.5)), 1.0, 0.005);
        assert_near((double)reaction.force.y / weight, 1.0, 1e-3);
        assert_below(sn_world_measure(world).energy_kinetic, 1e-6);
        sn_world_destroy(world);
    }
}

// Of all sizes, materials and steps, with dampers or none: it stays within its limits, and gains nothing.
static void neighbours_stay_within_limits(void **state) {
    (void)state;
    const float sizes[3] = {1e-3f, 0.1f, 5.0f}, young[3] = {1e5f, 1e8f, 2e11f},
                damping[3] = {0.0f, 0.01f, 100.0f};
    const float steps[3] = {1.0f / 30.0f, 1.0f / 60.0f, 1.0f / 1000.0f};
    for (int k = 0; k < 81; ++k) {
        SnWorld *world = heavy_world();
        float size = sizes[k % 3];
        SnVec3 x[5];
        line_of_points(x, 5, sn_vec3(0.0f, 0.0f, 0.0f), sn_vec3(0.25f * size, 0.0f, 0.0f));
        SnRodDef rod = stiff_def(x, 5, 0.03f * size);
        rod.material.young = young[k / 3 % 3];
        rod.material.shear = 0.4f * rod.material.young;
        rod.material.damping = damping[k / 9 % 3];
        SnBodyId bar = add_rod(world, &rod);
        pin_vertex(world, bar, 0);
        SnHingeDef def = hinge_def(bar, nobody);
        def.limited = true;
        def.low = -0.5f;
        SnHingeId id = add_hinge(world, &def);
        double most = rod_mass(world, bar) * GRAVITY * (double)size;
        for (int n = 0; n < 60; ++n) {
            assert_int_equal(sn_world_step(world, steps[k / 27], 1 + 3 * (k % 2), 1), SN_STEP_OK);
            float angle = state_of(world, id).angle;
            if (!(angle > -0.502f && angle < 0.002f))
                fail_msg("case %d, step %d: %g rad", k, n, (double)angle);
            assert_below(sn_world_measure(world).energy_kinetic, most);
        }
        sn_world_destroy(world);
    }
}

// τ = I α up to the speed that was asked for, but for what it loses as all that is tied does: a hundredth of the torque
// for each rad/s and second.
static void motor_has_its_torque(void **state) {
    (void)state;
    for (int segments = 1; segments <= 16; segments += 5) {
        SnWorld *world = weightless_world();
        SnBodyId bar = add_bar(world, 0.0f, segments, 2e11f);
        pin_vertex(world, bar, 0);
        SnHingeDef def = hinge_def(bar, nobody);
        def.speed = 4.0f;
        def.max_torque = 1.0f;
        SnHingeId id = add_hinge(world, &def);
        double inertia = rod_mass(world, bar) * (double)(LENGTH * LENGTH) / 3.0;
        double wait = (double)def.speed * inertia, angle = 0.0;
        for (int n = 1; n <= 240; ++n) {
            SnHingeState s = step(world, id);
            double time = n * (double)DT;
            angle = time < wait ? 0.5 * time * time / inertia : angle + (double)(def.speed * DT);
            assert_near(s.speed, fmin(time / inertia, 4.0), 0.1);
            assert_near(s.angle, angle, 0.2);
            if (time < wait - 0.1)
                assert_near(s.motor_torque, 1.0, 1e-6);
            SnVec3 tip = vertex_at(world, bar, segments);
            assert_near(distance(tip, sn_vec3(cosf(s.angle), sinf(s.angle), 0.0f)), 0.0, 1e-3);
        }
        // A brake.
        assert_ok(sn_hinge_set_motor(world, id, 0.0f, 1e4f));
        for (int n = 0; n < 60; ++n)
            step(world, id);
        assert_near(state_of(world, id).speed, 0.0, 1e-6);
        sn_world_destroy(world);
    }
}

// Two free bars, end to end, that a motor folds up to a limit: their momenta stay 0, and they stay together.
static void motor_folds_an_elbow(void **state) {
    (void)state;
    for (int segments = 1; segments <= 9; segments += 4) {
        SnWorld *world = weightless_world();
        SnBodyId a = add_bar(world, 0.0f, segments, 1e10f);
        SnBodyId b = add_bar(world, -LENGTH, segments, 1e10f);
        SnLinkDef link = sn_default_link_def();
        link.a = (SnBodyPoint){a, 0, 0.0f};
        link.b = (SnBodyPoint){b, segments - 1, 1.0f};
        link.length = 0.0f;
        assert_ok(sn_link_create(world, &link, NULL));
        SnHingeDef def = hinge_def(a, b);
        def.element_b = segments - 1;
        def.speed = 3.0f;
        def.max_torque = 100.0f;
        def.limited = true;
        def.low = -0.1f;
        def.high = 2.0f;
        SnHingeId id = add_hinge(world, &def);
        for (int n = 1; n <= 120; ++n) {
            SnHingeState s = step(world, id);
            assert_near(s.angle, fmin(3.0 * n * (double)DT, 2.0), 2e-3);
            assert_near(distance(vertex_at(world, a, 0), vertex_at(world, b, segments)), 0.0, 1e-5);
            SnMeasures m = sn_world_measure(world);
            for (int c = 0; c < 3; ++c) {
                assert_near(m.momentum[c], 0.0, 1e-7);
                assert_near(m.angular_momentum[c], 0.0, 1e-7);
            }
        }
        // The motor has all it may, and the limit bears it.
        assert_near(state_of(world, id).motor_torque, 100.0, 1e-3);
        assert_near(state_of(world, id).limit_torque, -100.0, 0.1);
        sn_world_destroy(world);
    }
}

// Six bars in a row that wriggle on a floor: none of the five elbows leaves its limits, turns about another axis or
// comes apart.
static void a_row_of_elbows_wriggles(void **state) {
    (void)state;
    SnWorld *world = heavy_world();
    SnColliderDef floor = sn_default_collider_def();
    assert_ok(sn_collider_create(world, &floor, NULL));
    SnBodyId bars[6];
    SnHingeId hinges[6];
    for (int i = 0; i < 6; ++i) {
        SnVec3 x[3];
        line_of_points(x, 3, sn_vec3(0.3f * (float)i, 0.3f, 0.0f), sn_vec3(0.15f, 0.0f, 0.0f));
        SnRodDef def = stiff_def(x, 3, 0.03f);
        def.filter = sn_default_filter();
        def.material.young = 1e9f;
        def.material.shear = 4e8f;
        bars[i] = add_rod(world, &def);
        if (i == 0)
            continue;
        SnLinkDef link = sn_default_link_def();
        link.a = (SnBodyPoint){bars[i], 0, 0.0f};
        link.b = (SnBodyPoint){bars[i - 1], 1, 1.0f};
        link.length = 0.0f;
        assert_ok(sn_link_create(world, &link, NULL));
        SnHingeDef elbow = hinge_def(bars[i], bars[i - 1]);
        elbow.element_b = 1;
        elbow.limited = true;
        elbow.low = -0.5f;
        elbow.high = 0.5f;
        hinges[i] = add_hinge(world, &elbow);
    }
    for (int n = 0; n < 360; ++n) {
        for (int i = 1; i < 6 && n % 60 == 0; ++i)
            assert_ok(sn_hinge_set_motor(world, hinges[i], (n / 60 + i) % 2 ? 1.0f : -1.0f, 5.0f));
        assert_int_equal(sn_world_step(world, DT, 8, 1), SN_STEP_OK);
        for (int i = 1; i < 6; ++i) {
            assert_true(fabsf(state_of(world, hinges[i]).angle) < 0.501f);
            assert_near(distance(vertex_at(world, bars[i], 0), vertex_at(world, bars[i - 1], 2)),
                        0.0, 1e-3);
            // All of it stays in a plane across the axes.
            SnHingeDef now;
            assert_ok(sn_hinge_read(world, hinges[1], &now));
            SnVec3 by = sn_vec3_sub(vertex_at(world, bars[i], 2), vertex_at(world, bars[0], 0));
            assert_near(sn_vec3_dot(now.axis, by), 0.0, 0.03);
        }
    }
    sn_world_destroy(world);
}

// A motor between a wheel and a bar: what one gets the other loses, and each stays on the axis.
static void motor_between_wheel_and_bar(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnRigidDef wheel_def = sn_default_rigid_def();
    const SnRigidPart part =
        sn_rigid_pill(sn_vec3(0.0f, 0.0f, -0.1f), sn_vec3(0.0f, 0.0f, 0.1f), 0.3f);
    wheel_def.parts = &part;
    wheel_def.part_count = 1;
    wheel_def.mass = 5.0f;
    SnBodyId wheel, bar = add_bar(world, -0.5f, 4, 1e10f);
    assert_ok(sn_rigid_create(world, &wheel_def, &wheel));
    SnLinkDef link = sn_default_link_def();
    link.a = (SnBodyPoint){wheel, 0, 0.5f};
    link.b = (SnBodyPoint){bar, 2, 0.0f};
    link.length = 0.0f;
    link.ignore = true;
    assert_ok(sn_link_create(world, &link, NULL));
    SnHingeDef def = hinge_def(wheel, bar);
    def.element_b = 1;
    def.speed = 1.0f;
    def.max_torque = 2.0f;
    SnHingeId id = add_hinge(world, &def);
    for (int n = 0; n < 120; ++n)
        step(world, id);
    SnRigidState s;
    assert_ok(sn_rigid_read(world, wheel, &s));
    assert_near(state_of(world, id).speed, 1.0, 1e-4);
    assert_true(s.angular_velocity.z > 0.1f && s.angular_velocity.z < 0.9f);
    assert_near(s.angular_velocity.x, 0.0, 1e-3);
    for (int c = 0; c < 3; ++c)
        assert_near(sn_world_measure(world).angular_momentum[c], 0.0, 1e-3);
    sn_world_destroy(world);
}

// On a frame that turns, a strong brake carries a bar along, whose weight the hinge holds, too.
static void frame_carries_a_bar(void **state) {
    (void)state;
    SnWorld *world = heavy_world();
    SnFrameId frame;
    assert_ok(sn_frame_create(world, sn_pose_identity(), &frame));
    SnBodyId bar = add_bar(world, 0.0f, 4, 1e10f);
    attach(world, bar, SN_ATTACH_VERTEX, 0, frame);
    SnHingeDef def = hinge_def(bar, nobody);
    def.frame = frame;
    def.axis = sn_vec3(0.0f, 1.0f, 0.0f);
    def.max_torque = 1e5f;
    SnHingeId id = add_hinge(world, &def);
    for (int n = 1; n <= 120; ++n) {
        SnPose pose = sn_pose_identity();
        pose.rotation = turn_about(0.0, 1.0, 0.0, 0.05 * n);
        assert_ok(sn_frame_set_target(world, frame, pose));
        assert_near(step(world, id).angle, 0.0, 1e-4);
        if (n < 60) // it swings, as it is jerked at
            continue;
        SnVec3 tip = vertex_at(world, bar, 4);
        assert_near(tip.y, 0.0, 2e-3);
        assert_near(atan2(-(double)tip.z, (double)tip.x), remainder(0.05 * n, 2.0 * SUPPORT_PI),
                    2e-3);
    }
    sn_world_destroy(world);
}

// Two segments of one rod that bends easily between them.
static void limits_within_a_rod(void **state) {
    (void)state;
    SnWorld *world = heavy_world();
    SnBodyId rod = add_bar(world, 0.0f, 4, 3e7f);
    clamp(world, rod, 0, 0);
    SnHingeDef def = hinge_def(rod, rod);
    def.element_a = 2;
    def.element_b = 1;
    def.limited = true;
    def.low = -0.05f;
    def.high = 0.05f;
    SnHingeId id = add_hinge(world, &def);
    for (int n = 0; n < 300; ++n)
        assert_true(fabsf(step(world, id).angle) < 0.0505f);
    assert_near(state_of(world, id).angle, -0.05, 1e-4);
    assert_true(state_of(world, id).limit_torque > 0.1f);
    sn_world_destroy(world);
}

// One that sleeps at its limit stays there, and a motor wakes it.
static void sleeps_and_wakes(void **state) {
    (void)state;
    SnWorldDef world_def = sn_default_world_def();
    world_def.sleep_speed = 0.02f;
    SnWorld *world;
    assert_ok(sn_world_create(&world_def, &world));
    SnBodyId bar = add_bar(world, 0.0f, 4, 1e10f);
    pin_vertex(world, bar, 0);
    SnHingeDef def = hinge_def(bar, nobody);
    def.limited = true;
    def.low = -0.5f;
    def.high = 1.0f;
    SnHingeId id = add_hinge(world, &def);
    for (int n = 0; n < 300; ++n)
        step(world, id);
    assert_true(sn_body_is_asleep(world, bar));
    assert_near(state_of(world, id).angle, -0.5, 1e-4);
    assert_ok(sn_hinge_set_motor(world, id, 2.0f, 50.0f));
    for (int n = 0; n < 60; ++n)
        step(world, id);
    assert_near(state_of(world, id).angle, 1.0, 1e-3);
    sn_world_destroy(world);
}

static void snapshot_repeats(void **state) {
    (void)state;
    SnWorld *world = heavy_world();
    SnBodyId bar = add_bar(world, 0.0f, 4, 1e10f);
    pin_vertex(world, bar, 0);
    SnHingeDef def = hinge_def(bar, nobody);
    def.speed = 2.0f;
    def.max_torque = 50.0f;
    SnHingeId id = add_hinge(world, &def);
    for (int n = 0; n < 30; ++n)
        step(world, id);
    static char buffer[1 << 16];
    size_t size = sn_world_snapshot_size(world);
    assert_true(size < sizeof buffer);
    assert_ok(sn_world_save(world, buffer, size));
    uint64_t hash[2];
    for (int k = 0; k < 2; ++k) {
        assert_ok(sn_world_restore(world, buffer, size));
        for (int n = 0; n < 300; ++n)
            step(world, id);
        hash[k] = sn_world_hash(world);
        assert_near(state_of(world, id).angle, 2.0 * 330 * (double)DT, 0.05);
    }
    assert_true(hash[0] == hash[1]);
    sn_world_destroy(world);
}

static void what_is_refused(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnBodyId bar = add_bar(world, 0.0f, 4, 1e10f);
    SnHingeDef def = hinge_def(bar, nobody);
    def.element_a = 4;
    assert_error(sn_hinge_create(world, &def, NULL), SN_ERROR_INVALID,
                 "element_a: 4 is not in 0 to 3");
    def = hinge_def(bar, bar);
    assert_error(sn_hinge_create(world, &def, NULL), SN_ERROR_INVALID, "same segment");
    def.element_b = -1;
    assert_error(sn_hinge_create(world, &def, NULL), SN_ERROR_INVALID, "element_b: -1");
    // It goes with its body.
    def.element_b = 1;
    SnHingeId id = add_hinge(world, &def);
    assert_ok(sn_body_destroy(world, bar));
    assert_false(sn_hinge_is_valid(world, id));
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(falls_on_its_limit),       cmocka_unit_test(neighbours_stay_within_limits),
        cmocka_unit_test(motor_has_its_torque),     cmocka_unit_test(motor_folds_an_elbow),
        cmocka_unit_test(a_row_of_elbows_wriggles), cmocka_unit_test(motor_between_wheel_and_bar),
        cmocka_unit_test(frame_carries_a_bar),      cmocka_unit_test(limits_within_a_rod),
        cmocka_unit_test(sleeps_and_wakes),         cmocka_unit_test(snapshot_repeats),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
