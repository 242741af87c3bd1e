// What holds rigid bodies and what links them: frames that move and turn, letting go, taking hold in
// flight, writes to what is held, pendulums on pivots and links, ropes of every kind of rod.
#include "rigid_kit.h"

// A bent body with four points: 0 and 1 of a pill along x, 2 and 3 of spheres off it.
static SnBodyId add_bracket(SnWorld *world, SnVec3 at) {
    SnRigidPart parts[3] = {
        sn_rigid_pill(sn_vec3(0.0f, 0.0f, 0.0f), sn_vec3(0.6f, 0.0f, 0.0f), 0.05f),
        sn_rigid_sphere(sn_vec3(0.1f, 0.4f, 0.0f), 0.08f),
        sn_rigid_sphere(sn_vec3(0.0f, 0.0f, 0.5f), 0.06f)};
    SnRigidDef def = sn_default_rigid_def();
    def.part_count = 3;
    def.parts = parts;
    def.pose.position = at;
    return add_rigid(world, &def);
}

static void read_points(const SnWorld *world, SnBodyId body, SnVec3 *x, SnVec3 *v) {
    assert_ok(sn_body_read(world, body, &(SnBodyState){.positions = x, .velocities = v}));
}

// Turns about y through the origin and moves along x, at 2 rad/s and 1 m/s.
static SnPose frame_at(double time) {
    return (SnPose){sn_vec3((float)time, 0.0f, 0.0f), turn_about(0.0, 1.0, 0.0, 2.0 * time)};
}

// A fixed body goes with its frame, however it is fixed, and flies on from there when it is let go.
static void fixed_bodies_follow_their_frame(void **state) {
    (void)state;
    for (int how = 0; how < 2; ++how) {
        SnWorld *world = weightless_world();
        SnBodyId body = add_bracket(world, sn_vec3(0.0f, 0.0f, 0.0f));
        SnVec3 start[4], x[4], v[4];
        read_points(world, body, start, v);
        SnFrameId frame;
        assert_ok(sn_frame_create(world, sn_pose_identity(), &frame));
        SnAttachmentId holds[3];
        for (int k = 0; k < (how == 0 ? 3 : 2); ++k)
            holds[k] =
                attach(world, body, how == 1 && k == 1 ? SN_ATTACH_SEGMENT : SN_ATTACH_VERTEX,
                       how == 1 ? 1 - k : k + (k > 0), frame);
        double time = 0.0;
        for (int n = 0; n < 120; ++n) {
            time += (double)DT;
            assert_ok(sn_frame_set_target(world, frame, frame_at(time)));
            run_steps(world, 1, 10);
            read_points(world, body, x, v);
            for (int i = 0; i < 4; ++i)
                assert_below(distance(x[i], sn_pose_apply(frame_at(time), start[i])), 1e-5);
        }
        for (int k = 0; k < (how == 0 ? 3 : 2); ++k)
            assert_ok(sn_attachment_destroy(world, holds[k]));
        SnRigidState s = rigid_state(world, body);
        assert_near(s.angular_velocity.y, 2.0, 2e-3);
        SnVec3 arm = sn_vec3_sub(s.centre, frame_at(time).position);
        SnVec3 right =
            sn_vec3_add(sn_vec3(1.0f, 0.0f, 0.0f), sn_vec3_cross(sn_vec3(0.0f, 2.0f, 0.0f), arm));
        assert_below(distance(s.velocity, right), 0.03); // the velocity of the last step's chord
        run_steps(world, 60, 10);
        assert_below(distance(rigid_state(world, body).velocity, s.velocity), 1e-5);
        sn_world_destroy(world);
    }
}

// Only the frame of a part is held: it falls, and turns as it is led.
static void a_body_with_a_held_frame_falls_without_turning(void **state) {
    (void)state;
    SnWorld *world = heavy_world();
    SnBodyId body = add_bracket(world, sn_vec3(0.0f, 0.0f, 0.0f));
    SnRigidState s = rigid_state(world, body);
    s.velocity = sn_vec3(1.0f, 2.0f, 3.0f);
    s.angular_velocity = sn_vec3(4.0f, 5.0f, 6.0f);
    assert_ok(sn_rigid_write(world, body, &s));
    pin(world, body, SN_ATTACH_SEGMENT, 0);
    SnQuat before = rigid_state(world, body).pose.rotation;
    run_steps(world, 60, 10);
    s = rigid_state(world, body);
    assert_below(angle_between(before, s.pose.rotation), 1e-6);
    assert_near(s.velocity.x, 1.0, 1e-4);
    assert_near(s.velocity.y, 2.0 - GRAVITY, 1e-3);
    assert_near(s.velocity.z, 3.0, 1e-4);
    sn_world_destroy(world);
}

// A body caught at one point in flight goes on turning about it with the angular momentum it had, and
// leaves on a tangent.
static void a_caught_body_swings_round(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnRigidPart parts[2] = {sn_rigid_sphere(sn_vec3(0.0f, 0.0f, 0.0f), 0.1f),
                            sn_rigid_sphere(sn_vec3(1.0f, 0.0f, 0.0f), 0.1f)};
    SnRigidDef def = sn_default_rigid_def();
    def.part_count = 2;
    def.parts = parts;
    def.velocity = sn_vec3(0.0f, 2.0f, 0.0f);
    SnBodyId body = add_rigid(world, &def);
    float mass, i[6];
    assert_ok(sn_rigid_inertia(world, body, &mass, i));
    SnAttachmentId hold = attach(world, body, SN_ATTACH_VERTEX, 0, (SnFrameId){0, 0});
    double spin = (double)mass * 2.0 * 0.5 / ((double)i[2] + (double)mass * 0.25);
    assert_near(rigid_state(world, body).angular_velocity.z, spin, 1e-4);
    run_steps(world, 100, 10);
    SnVec3 x[2], v[2];
    read_points(world, body, x, v);
    assert_below(sn_vec3_length(x[0]), 1e-6);
    assert_near(sn_vec3_length(v[1]), spin, 1e-3);
    assert_ok(sn_attachment_destroy(world, hold));
    run_steps(world, 10, 10);
    SnRigidState s = rigid_state(world, body);
    assert_near(s.angular_velocity.z, spin, 1e-3);
    assert_near(sn_vec3_length(s.velocity), 0.5 * spin, 1e-3);
    // Twice the same place, and taken again: it is a ball joint still.
    pin(world, body, SN_ATTACH_VERTEX, 1);
    assert_near(sn_vec3_length(rigid_state(world, body).velocity),
                0.5 * fabs((double)rigid_state(world, body).angular_velocity.z), 1e-3);
    sn_world_destroy(world);
}

// A state that is written does not tear a body off what holds it.
static void writes_respect_holds(void **state) {
    (void)state;
    SnWorld *world = heavy_world();
    SnBodyId body = add_bracket(world, sn_vec3(0.0f, 0.0f, 0.0f));
    pin(world, body, SN_ATTACH_VERTEX, 0);
    SnRigidState s = rigid_state(world, body);
    s.pose.position = sn_vec3(50.0f, -20.0f, 3.0f);
    s.velocity = sn_vec3(0.0f, 0.0f, 0.0f);
    assert_ok(sn_rigid_write(world, body, &s));
    SnVec3 x[4], v[4];
    read_points(world, body, x, v);
    assert_below(sn_vec3_length(x[0]), 1e-5);
    for (int i = 0; i < 4; ++i)
        x[i].y += 30.0f;
    assert_ok(sn_body_write(world, body, &(SnBodyState){.positions = x}));
    run_steps(world, 1, 10);
    assert_below(sn_world_measure(world).speed_max, 0.5);
    read_points(world, body, x, v);
    assert_below(sn_vec3_length(x[0]), 1e-5);
    sn_world_destroy(world);
}

// Points that coincide, and three on a line, hold no more than one and two do.
static void points_that_coincide_are_one(void **state) {
    (void)state;
    SnRigidPart parts[4] = {sn_rigid_sphere(sn_vec3(0.0f, 0.0f, 0.0f), 0.05f),
                            sn_rigid_sphere(sn_vec3(0.0f, 0.0f, 0.0f), 0.05f),
                            sn_rigid_sphere(sn_vec3(0.0f, 0.0f, 0.3f), 0.05f),
                            sn_rigid_sphere(sn_vec3(0.5f, 0.0f, 0.0f), 0.1f)};
    parts[1].a.z = parts[1].b.z = 0.0f;
    SnWorld *world = heavy_world();
    SnRigidDef def = sn_default_rigid_def();
    def.part_count = 4;
    def.parts = parts;
    SnBodyId body = add_rigid(world, &def);
    for (int k = 0; k < 3; ++k)
        pin(world, body, SN_ATTACH_VERTEX, k);
    double most = 0.0;
    for (int n = 0; n < 240; ++n) {
        run_steps(world, 1, 10);
        SnVec3 x[4], v[4];
        read_points(world, body, x, v);
        assert_below(distance(x[0], sn_vec3(0.0f, 0.0f, 0.0f)), 1e-5);
        assert_below(distance(x[2], sn_vec3(0.0f, 0.0f, 0.3f)), 1e-5);
        most = fmax(most, -(double)x[3].y);
    }
    assert_near(most, 0.5, 0.01); // it swings through
    sn_world_destroy(world);
}

// The time of a swing about the target of a link of length 0, off the centre.
static void a_link_off_the_centre_is_a_pendulum(void **state) {
    (void)state;
    SnWorld *world = heavy_world();
    SnRigidPart part = sn_rigid_pill(sn_vec3(0.0f, 0.0f, 0.0f), sn_vec3(0.1f, -1.0f, 0.0f), 0.05f);
    SnRigidDef def = sn_default_rigid_def();
    def.part_count = 1;
    def.parts = &part;
    SnBodyId bar = add_rigid(world, &def);
    SnLinkDef link = sn_default_link_def();
    link.length = 0.0f;
    link.a = (SnBodyPoint){bar, 0, 0.0f};
    assert_ok(sn_link_create(world, &link, NULL));
    float mass, i[6];
    assert_ok(sn_rigid_inertia(world, bar, &mass, i));
    SnVec3 c = rigid_state(world, bar).centre;
    double arm = (double)sn_vec3_length(c), about = (double)i[2] + (double)mass * arm * arm;
    double period = 2.0 * SUPPORT_PI * sqrt(about / ((double)mass * GRAVITY * arm));
    double first = 0.0, last = 0.0, before = (double)c.x;
    int crossings = 0;
    for (int n = 0; n < 1200; ++n) {
        run_steps(world, 1, 10);
        SnVec3 x[2], v[2];
        read_points(world, bar, x, v);
        assert_below(sn_vec3_length(x[0]), 1e-3);
        double now = (double)rigid_state(world, bar).centre.x;
        if ((before < 0.0) != (now < 0.0)) {
            last = sn_world_time(world) - (double)DT * now / (now - before);
            first = crossings++ == 0 ? last : first;
        }
        before = now;
    }
    assert_near((last - first) / (0.5 * (crossings - 1)) / period, 1.0, 3e-3);
    sn_world_destroy(world);
}

// Two bodies on a link between points off their centres, alone in space.
static void linked_bodies_keep_their_momenta(void **state) {
    (void)state;
    for (int k = 0; k < 4; ++k) {
        SnWorld *world = weightless_world();
        SnBodyId a = add_bracket(world, sn_vec3(0.0f, 0.0f, 0.0f));
        SnBodyId b = add_bracket(world, sn_vec3(1.2f, 0.0f, 0.0f));
        assert_ok(sn_bodies_ignore(world, a, b, true));
        SnLinkDef link = sn_default_link_def();
        link.length = 0.0f;
        link.a = (SnBodyPoint){a, 0, 1.0f};
        link.b = (SnBodyPoint){b, 0, 0.0f};
        link.length = 0.6f;
        link.rope = k == 1;
        link.compliance = k == 2 ? 1e-3f : 0.0f;
        link.max_force = k == 3 ? 1e5f : 0.0f;
        assert_ok(sn_link_create(world, &link, NULL));
        assert_ok(sn_body_add_impulse(world, a, 2, sn_vec3(-3.0f, 4.0f, 2.0f)));
        assert_ok(sn_body_add_impulse(world, b, 3, sn_vec3(4.0f, -4.0f, 1.0f)));
        SnMeasures before = sn_world_measure(world);
        double size = sqrt(2.0 * before.energy_kinetic * before.mass);
        for (int n = 0; n < 600; ++n) {
            run_steps(world, 1, 10);
            SnVec3 x[4], y[4], v[4];
            read_points(world, a, x, v);
            read_points(world, b, y, v);
            if (k == 0)
                assert_near(distance(x[1], y[0]), 0.6, 2e-3);
            if (k != 2)
                assert_below(distance(x[1], y[0]), 0.602);
        }
        SnMeasures now = sn_world_measure(world);
        for (int c = 0; c < 3; ++c) {
            assert_near((now.momentum[c] - before.momentum[c]) / size, 0.0, 1e-4);
            assert_near((now.angular_momentum[c] - before.angular_momentum[c]) / size, 0.0, 2e-2);
        }
        if (k != 2)
            assert_below(now.energy_kinetic, 1.001 * before.energy_kinetic);
        sn_world_destroy(world);
    }
}

// A rope of 1 m with a ball at its end, for rods of every kind and three mass ratios.
static void balls_hang_on_ropes_of_all_rods(void **state) {
    (void)state;
    for (int k = 0; k < 12; ++k) {
        static const float ratios[3] = {1.0f, 5.0f, 20.0f};
        SnWorld *world = heavy_world();
        SnVec3 x[17];
        SnRodDef def =
            line_def(x, 17, sn_vec3(0.0f, -0.5f, 0.0f), sn_vec3(0.0f, -1.0f, 0.0f), 1.0f, 0.02f);
        def.classic = k / 3 == 1;
        def.stiff = k / 3 == 2;
        def.solver = k / 3 == 3 ? SN_SOLVER_DIRECT : SN_SOLVER_SWEEP;
        def.material.young = 1e8f;
        if (def.solver == SN_SOLVER_SWEEP) { // as far as sweeps can go
            def.material.shear = 3.5e5f;
            def.material.volume = 5e7f;
        }
        SnBodyId rope = add_rod(world, &def);
        pin(world, rope, SN_ATTACH_VERTEX, 0);
        SnRigidPart part;
        SnRigidDef ball = ball_def(&part, sn_vec3(0.0f, -1.15f, 0.0f), 0.1f);
        ball.mass = ratios[k % 3] * (float)rod_mass(world, rope);
        ball.velocity = sn_vec3(0.5f, 0.0f, 0.0f);
        SnBodyId bob = add_rigid(world, &ball);
        SnLinkDef link = sn_default_link_def();
        link.length = 0.0f;
        link.a = (SnBodyPoint){bob, 0, 0.0f};
        link.b = (SnBodyPoint){rope, 15, 1.0f};
        link.length = 0.15f;
        assert_ok(sn_link_create(world, &link, NULL));
        double most = 0.0, deepest = 0.0, gap = 0.0, swing = 0.0;
        for (int n = 0; n < 600; ++n) {
            run_steps(world, 1, 10);
            SnVec3 at = rigid_state(world, bob).centre;
            RodCopy now;
            copy_rod(world, rope, &now);
            most = fmax(most, sn_world_measure(world).speed_max);
            deepest = fmax(deepest, -(double)at.y);
            swing = fmax(swing, fabs((double)at.x));
            gap = fmax(gap, fabs(distance(at, now.x[16]) - 0.15));
        }
        // A heavy ball on a light rope of the direct solver is more than a link can hold.
        if (k < 11) {
            assert_below(gap, 0.01);
            assert_below(most, 1.3);
            assert_below(deepest, 1.15 + 0.0125 * (double)ratios[k % 3]);
            assert_near(swing, 0.15, 0.03);
        }
        sn_world_destroy(world);
    }
}

// A cross of two pills hangs on a hinge through one of them, which touches the floor at its end: what presses there acts
// through the axis or next to it, and what rubs there can turn the body one way only.
static void what_touches_beside_its_hinge_stays_slow(void **state) {
    (void)state;
    for (int k = 0; k < 40; ++k) {
        Rng rng = {(uint64_t)k + 1};
        SnWorld *world = heavy_world();
        SnRigidPart parts[2] = {
            sn_rigid_pill(sn_vec3(0.0f, 0.0f, 0.0f), sn_vec3(0.08f, 0.0f, 0.0f), 0.02f),
            sn_rigid_pill(sn_vec3(0.02f, 0.0f, 0.0f), sn_vec3(0.02f, 0.0f, 0.06f), 0.02f)};
        SnRigidDef def = sn_default_rigid_def();
        def.part_count = 2;
        def.parts = parts;
        def.pose.position.y = 0.02f;
        def.pose.rotation =
            turn_about(rng_real(&rng, -0.3, 0.3), 0.0, 1.0, rng_real(&rng, 0.0, 1.5));
        SnBodyId body = add_rigid(world, &def);
        pin(world, body, SN_ATTACH_VERTEX, 0);
        pin(world, body, SN_ATTACH_VERTEX, 1);
        add_floor(world, rng_int(&rng, 0, 1) ? rng_float(&rng, -1e-3, 1e-3) : 0.0f,
                  rng_float(&rng, 0.0, 1.0));
        double most = 0.0;
        for (int n = 0; n < 120; ++n) {
            sn_world_step(world, DT, 10, 1);
            most = fmax(most, sn_world_measure(world).speed_max);
        }
        assert_below(most, sqrt(2.0 * GRAVITY * 0.12));
        sn_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_bodies_follow_their_frame),
        cmocka_unit_test(a_body_with_a_held_frame_falls_without_turning),
        cmocka_unit_test(a_caught_body_swings_round),
        cmocka_unit_test(writes_respect_holds),
        cmocka_unit_test(points_that_coincide_are_one),
        cmocka_unit_test(a_link_off_the_centre_is_a_pendulum),
        cmocka_unit_test(linked_bodies_keep_their_momenta),
        cmocka_unit_test(balls_hang_on_ropes_of_all_rods),
        cmocka_unit_test(what_touches_beside_its_hinge_stays_slow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
