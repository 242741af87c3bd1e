// Muscles: isometric activation, tension against what was asked for, Hill's curves, bones that carry.
#include "muscle_kit.h"

#include "base/hash.h"
#include "muscle/muscle.h"

static void isometric_activation_thickens_the_belly(void **test) {
    (void)test;
    static Spindle s;
    for (int tendons = 0; tendons < 2; ++tendons) {
        describe_spindle(&s, 8, 9, tendons ? 0.6 : 0.4);
        s.def.tendon = tendons ? 0.2f : 0.0f;
        create_spindle(&s, weightless_world());
        SnMuscleState rest = read_muscle(&s);
        double width = slice_width(&s, 4);
        assert_near(rest.tension, 0.0, 1e-3);
        assert_near(rest.length, 0.2003, 3e-4);
        assert_ok(sn_muscle_activate(s.world, s.muscle, 1.0f));
        for (int k = 0; k < 180; ++k) {
            step_spindle(&s, 1);
            assert_near(read_muscle(&s).volume / rest.volume, 1.0, 0.005);
        }
        SnMuscleState on = read_muscle(&s);
        assert_near(on.length / rest.length, 1.0, 0.001);
        assert_true(on.tension > 0.5f);
        assert_true(slice_width(&s, 4) > (tendons ? 1.01 : 1.03) * width);
        assert_below(sn_world_measure(s.world).energy_kinetic, 1e-10);
        sn_world_destroy(s.world);
    }
}

// Up to three times what muscles of animals can do, and at every length of the sub-step.
static void fibres_pull_as_asked(void **test) {
    (void)test;
    static Spindle s;
    const float stress[4] = {1e4f, 1e5f, 3e5f, 1e6f};
    for (int k = 0; k < 8; ++k) {
        describe_spindle(&s, 8, 9, 0.0);
        s.def.drive = SN_MUSCLE_FORCE;
        s.def.stress = stress[k % 4];
        create_spindle(&s, weightless_world());
        assert_ok(sn_muscle_activate(s.world, s.muscle, 0.5f));
        for (int n = 0; n < 120; ++n)
            step_world(s.world, 1.0f / 60.0f, k < 4 ? 10 : 40, 1);
        SnMuscleState on = read_muscle(&s);
        double area = 8.0 * SUPPORT_PI * 0.005 * 0.005;
        assert_near(on.tension / (0.5 * (double)stress[k % 4] * area), 1.0, 1e-3);
        assert_near(on.volume / (0.2 * area), 1.0, 1e-3);
        assert_near(on.activation, 0.5, 1e-6);
        assert_below(sn_world_measure(s.world).energy_kinetic, 1e-9);
        sn_world_destroy(s.world);
    }
}

// A belly that is wide in the middle is squeezed by what pulls its outer fibres straight.
static void strong_spindles_stay_calm(void **test) {
    (void)test;
    static Spindle s;
    for (int k = 0; k < 8; ++k) {
        describe_spindle(&s, 8, 9, k < 4 ? 0.6 : 0.3);
        s.def.drive = SN_MUSCLE_FORCE;
        s.def.stress = k % 2 ? 1e5f : 3e5f;
        s.def.tendon = k % 4 < 2 ? 0.0f : 0.15f;
        create_spindle(&s, weightless_world());
        float volume = read_muscle(&s).volume;
        assert_ok(sn_muscle_activate(s.world, s.muscle, 1.0f));
        step_spindle(&s, 240);
        assert_near(read_muscle(&s).volume / volume, 1.0, 0.006);
        assert_below(sn_world_measure(s.world).energy_kinetic, 1e-9);
        sn_world_destroy(s.world);
    }
}

// Moves the insertion so far along z, in so many steps.
static void lead_insertion(Spindle *s, double from, double to, int steps) {
    for (int n = 1; n <= steps; ++n) {
        SnPose pose = sn_pose_identity();
        pose.position.z = (float)(from + (to - from) * n / steps);
        assert_ok(sn_frame_set_target(s->world, s->insertion, pose));
        step_spindle(s, 1);
    }
}

// What relaxed muscle bears, Pa, if it stays straight: with s² λ = 1, the derivative by λ of
// ½ E (λ − 1)² + G (s − 1)².
static double stress_at(double stretch) {
    double s = 1.0 / sqrt(stretch);
    return 11.1e3 * (stretch - 1.0) - 3.7e3 * (s - 1.0) * s / stretch;
}

// The force of a muscle that is held at both ends, over its length, as it is asked for. Short and without
// activation it buckles, and must not come to harm.
static void isometric_forces_follow_the_curve(void **test) {
    (void)test;
    static Spindle s;
    for (int k = 0; k <= 8; ++k) {
        double stretch = 0.7 + 0.1 * k, tension[2];
        for (int on = 0; on < 2; ++on) {
            describe_spindle(&s, 8, 9, 0.0);
            s.def.drive = SN_MUSCLE_HILL;
            s.def.stress = 2e5f;
            create_spindle(&s, weightless_world());
            assert_ok(sn_muscle_activate(s.world, s.muscle, (float)on));
            lead_insertion(&s, 0.2, 0.2 * stretch, 60);
            step_spindle(&s, 120);
            tension[on] = (double)read_muscle(&s).tension;
            assert_below(sn_world_measure(s.world).energy_kinetic, 1e-3);
            assert_near(read_muscle(&s).volume / 1.2566e-4, 1.0, 0.003);
            sn_world_destroy(s.world);
        }
        double area = 8.0 * SUPPORT_PI * 0.005 * 0.005, relaxed = area * stress_at(stretch);
        double off = (stretch - 1.0) / 0.56, curve = fmax(0.0, 1.0 - off * off);
        assert_near((tension[1] - relaxed) / (2e5 * area), curve, 0.01 * curve);
        if (stretch > 0.99)
            assert_near(tension[0], relaxed, 0.01 * relaxed + 1e-3);
        else
            assert_true(tension[0] > 0.7 * relaxed); // it bows out
    }
}

// The force at the optimal length of a muscle that is made shorter or longer evenly.
static void forces_follow_velocity(void **test) {
    (void)test;
    static Spindle s;
    const double velocity[6] = {-0.15, -0.1, -0.05, 0.05, 0.1, 0.3}; // of the largest
    for (int k = 0; k < 6; ++k) {
        double active[2], rate = velocity[k] * 10.0 * 0.2, early = 0.2 - 0.3 * rate;
        for (int on = 0; on < 2; ++on) {
            describe_spindle(&s, 8, 9, 0.0);
            s.def.drive = SN_MUSCLE_HILL;
            s.def.stress = 2e5f;
            s.def.hill.width = 10.0f;
            create_spindle(&s, weightless_world());
            assert_ok(sn_muscle_activate(s.world, s.muscle, (float)on));
            lead_insertion(&s, 0.2, early, 60);
            lead_insertion(&s, early, 0.2, 18);
            active[on] = (double)read_muscle(&s).tension;
            sn_world_destroy(s.world);
        }
        double v = velocity[k], whole = 2e5 * 8.0 * SUPPORT_PI * 0.005 * 0.005;
        double curve = v < 0.0 ? (1.0 + v) / (1.0 - v / 0.25) : 1.0 + 0.5 * v / (v + 0.1);
        assert_near((active[1] - active[0]) / whole, curve, 0.03 * curve);
    }
}

static void activation_lags(void **test) {
    (void)test;
    static Spindle s;
    describe_spindle(&s, 2, 3, 0.0);
    s.def.rise_time = 0.1f;
    s.def.fall_time = 0.3f;
    create_spindle(&s, weightless_world());
    assert_ok(sn_muscle_activate(s.world, s.muscle, 1.0f));
    for (int k = 0; k < 100; ++k)
        step_world(s.world, 0.001f, 1, 1);
    assert_near(read_muscle(&s).activation, 1.0 - exp(-1.0), 0.005);
    for (int k = 0; k < 4000; ++k)
        step_world(s.world, 0.001f, 1, 1);
    assert_near(read_muscle(&s).activation, 1.0, 1e-5);
    assert_ok(sn_muscle_activate(s.world, s.muscle, 0.0f));
    for (int k = 0; k < 300; ++k)
        step_world(s.world, 0.001f, 1, 1);
    assert_near(read_muscle(&s).activation, exp(-1.0), 0.005);
    sn_world_destroy(s.world);
}

// Fibres that are told to stay out of it are slack beside those that pull.
static void fibres_have_activations_of_their_own(void **test) {
    (void)test;
    static Spindle s;
    describe_spindle(&s, 8, 9, 0.0);
    s.def.drive = SN_MUSCLE_FORCE;
    create_spindle(&s, weightless_world());
    for (int k = 0; k < 4; ++k)
        assert_ok(sn_muscle_activate_fibre(s.world, s.muscle, k, 0.0f));
    assert_ok(sn_muscle_activate(s.world, s.muscle, 1.0f));
    step_spindle(&s, 180);
    assert_near(read_muscle(&s).tension / (4.0 * 1e5 * SUPPORT_PI * 0.005 * 0.005), 1.0, 0.02);
    sn_world_destroy(s.world);
}

// Both bones dash to and fro. Flesh that is carried comes along as if nothing were.
static void bones_carry_the_flesh(void **test) {
    (void)test;
    static Spindle s;
    double off[2];
    for (int carry = 0; carry < 2; ++carry) {
        describe_spindle(&s, 8, 9, 0.4);
        s.def.carry = (float)carry;
        create_spindle(&s, weightless_world());
        RodCopy rest, now;
        copy_rod(s.world, s.muscle, &rest);
        off[carry] = 0.0;
        for (int n = 1; n <= 60; ++n) {
            double t = n / 60.0, move = 0.15 * sin(12.0 * t), turn = 0.5 * sin(9.0 * t);
            SnQuat q = turn_about(1.0, 0.0, 0.0, turn);
            Vec3d end = rotated(quatd(q), (Vec3d){0.0, 0.0, 0.2});
            SnPose pose = {sn_vec3((float)move, 0.0f, 0.0f), q};
            assert_ok(sn_frame_set_target(s.world, s.origin, pose));
            pose.position = sn_vec3((float)(move + end.x), (float)end.y, (float)end.z);
            assert_ok(sn_frame_set_target(s.world, s.insertion, pose));
            step_spindle(&s, 1);
            copy_rod(s.world, s.muscle, &now);
            for (int i = 0; i < now.vertices; ++i) {
                Vec3d at = addd(rotated(quatd(q), vec3d(rest.x[i])), (Vec3d){move, 0.0, 0.0});
                off[carry] = fmax(off[carry], lengthd(subd(vec3d(now.x[i]), at)));
            }
        }
        sn_world_destroy(s.world);
    }
    assert_true(off[0] > 0.05);
    assert_below(off[1], 1e-4);
}

// A weight of 300 g hangs on the free end of a muscle that pulls. What the muscle does, ∫ T dL, is what
// weight and muscle gain.
static void work_lifts_weights(void **test) {
    (void)test;
    static Spindle s;
    describe_spindle(&s, 8, 9, 0.0);
    s.def.insertion_free = true;
    s.def.material.young = 3e4f;
    s.def.rise_time = s.def.fall_time = 0.3f;
    s.def.shortening = 0.4f;
    create_spindle(&s, make_world(sn_vec3(0.0f, 0.0f, 9.81f))); // z is down
    SnRigidDef def = sn_default_rigid_def();
    SnRigidPart ball = {.radius_a = 0.03f, .radius_b = 0.03f};
    def.part_count = 1;
    def.parts = &ball;
    def.mass = 0.3f;
    def.filter.mask = 0;
    def.pose.position = sn_vec3(0.0f, 0.0f, 0.25f);
    SnBodyId weight;
    assert_ok(sn_rigid_create(s.world, &def, &weight));
    for (int k = 0; k < 8; ++k) {
        SnLinkDef link = sn_default_link_def();
        link.length = 0.0f;
        link.a = (SnBodyPoint){s.muscle, 8 * k + 7, 1.0f};
        link.b = (SnBodyPoint){weight, 0, 0.0f};
        double x, y;
        place_in_section(k, 8, &x, &y);
        link.length = (float)hypot(0.05, 0.01 * hypot(x, y));
        assert_ok(sn_link_create(s.world, &link, NULL));
    }
    for (int n = 0; n < 300; ++n)
        step_world(s.world, 1.0f / 60.0f, 10, 1);
    SnRigidState low, high;
    assert_ok(sn_rigid_read(s.world, weight, &low));
    SnMuscleState before = read_muscle(&s);
    SnMeasures still = sn_world_measure(s.world);
    assert_ok(sn_muscle_activate(s.world, s.muscle, 1.0f));
    double work = 0.0;
    for (int n = 0; n < 300; ++n) {
        step_world(s.world, 1.0f / 60.0f, 10, 1);
        SnMuscleState now = read_muscle(&s);
        work += 0.5 * (double)(now.tension + before.tension) * (double)(before.length - now.length);
        before = now;
    }
    assert_ok(sn_rigid_read(s.world, weight, &high));
    SnMeasures lifted = sn_world_measure(s.world);
    double gained = lifted.energy_gravity - still.energy_gravity;
    assert_true(low.centre.z - high.centre.z > 0.03f);
    assert_near(work / gained, 1.0, 0.05);
    sn_world_destroy(s.world);
}

// Eight links hold a weight of up to 1000 times the muscle's mass by the eight fibres of its free end: it hangs where
// E A says, and no link is open by more than half a percent of the muscle's length.
static void heavy_weights_hang(void **test) {
    (void)test;
    static Spindle s;
    static const double ratios[] = {10.0, 1000.0};
    for (int k = 0; k < 2; ++k) {
        describe_spindle(&s, 8, 9, 0.0);
        s.def.insertion_free = true;
        s.def.material.young = (float)(1e4 * ratios[k]);
        create_spindle(&s, make_world(sn_vec3(0.0f, 0.0f, 9.81f)));
        double mass = ratios[k] * sn_world_measure(s.world).mass;
        SnRigidPart ball = {.radius_a = 0.03f, .radius_b = 0.03f};
        SnRigidDef def = sn_default_rigid_def();
        def.part_count = 1;
        def.parts = &ball;
        def.mass = (float)mass;
        def.filter.mask = 0;
        def.drag = 20.0f;
        def.pose.position = sn_vec3(0.0f, 0.0f, 0.25f);
        SnBodyId weight;
        assert_ok(sn_rigid_create(s.world, &def, &weight));
        double length[8];
        for (int n = 0; n < 8; ++n) {
            SnVec3 end = s.shape.x[bundle_vertex(&s.shape, n, 8)];
            SnLinkDef link = sn_default_link_def();
            link.a = (SnBodyPoint){s.muscle, 8 * n + 7, 1.0f};
            link.b = (SnBodyPoint){weight, 0, 0.0f};
            length[n] = hypot(0.05, hypot((double)end.x, (double)end.y));
            link.length = (float)length[n];
            assert_ok(sn_link_create(s.world, &link, NULL));
        }
        for (int n = 0; n < 600; ++n)
            step_world(s.world, 1.0f / 60.0f, 10, 1);
        RodCopy copy;
        copy_rod(s.world, s.muscle, &copy);
        SnRigidState at;
        assert_ok(sn_rigid_read(s.world, weight, &at));
        for (int n = 0; n < 8; ++n) {
            Vec3d end = vec3d(copy.x[bundle_vertex(&s.shape, n, 8)]);
            double off = lengthd(subd(end, vec3d(at.centre))) - length[n];
            assert_below(fabs(off), 0.005 * 0.2);
        }
        double radius = (double)s.shape.radius[0];
        double area = 8.0 * SUPPORT_PI * radius * radius, young = 1e4 * ratios[k];
        double strain = mass * 9.81 / (young * area);
        assert_near((double)at.centre.z - 0.25, 0.2 * strain, 0.05 * 0.2 * strain);
        assert_below(lengthd(vec3d(at.velocity)), 1e-3);
        sn_world_destroy(s.world);
    }
}

static void moment_arms_are_distances(void **test) {
    (void)test;
    static Spindle s;
    describe_spindle(&s, 8, 9, 0.0);
    create_spindle(&s, weightless_world());
    float arm;
    assert_ok(sn_muscle_moment_arm(s.world, s.muscle, sn_vec3(0.03f, 0.0f, 0.1f),
                                   sn_vec3(0.0f, 2.0f, 0.0f), &arm));
    // It pulls towards −z at x = −0.03 from the axis y: r × F = (−0.03, 0, ·) × (0, 0, −1).
    assert_near(arm, -0.03, 1e-5);
    assert_ok(sn_muscle_moment_arm(s.world, s.muscle, sn_vec3(0.0f, 0.0f, 0.0f),
                                   sn_vec3(0.0f, 0.0f, 1.0f), &arm));
    assert_near(arm, 0.0, 1e-6);
    assert_error(sn_muscle_moment_arm(s.world, s.muscle, sn_vec3(0.0f, 0.0f, 0.0f),
                                      sn_vec3(0.0f, 0.0f, 0.0f), &arm),
                 SN_ERROR_INVALID, "axis");
    // The same by the reading, about the joint that the insertion's frame is at.
    SnPose joint = sn_pose_identity();
    joint.position = sn_vec3(0.03f, 0.02f, 0.1f);
    assert_ok(sn_frame_create(s.world, joint, &s.def.insertion));
    assert_ok(sn_muscle_create(s.world, &s.def, &s.muscle));
    SnVec3 arms = read_muscle(&s).moment_arm;
    const float each[3] = {arms.x, arms.y, arms.z};
    for (int c = 0; c < 3; ++c) {
        SnVec3 axis = sn_vec3(c == 0 ? 2.0f : 0.0f, c == 1 ? 2.0f : 0.0f, c == 2 ? 2.0f : 0.0f);
        assert_ok(sn_muscle_moment_arm(s.world, s.muscle, joint.position, axis, &arm));
        assert_near((double)each[c], (double)arm, 1e-7);
    }
    assert_below(0.01, (double)sn_vec3_length(arms));
    sn_world_destroy(s.world);
}

// Bones of a slice turn as the slice does, whatever their own segments do.
static void bones_turn_with_their_section(void **test) {
    (void)test;
    static Spindle s;
    describe_spindle(&s, 8, 9, 0.5);
    create_spindle(&s, weightless_world());
    SnPose pose = {sn_vec3(0.0f, -0.09f, 0.17f), turn_about(1.0, 0.0, 0.0, 1.0)};
    for (int n = 1; n <= 60; ++n) {
        double a = n / 60.0;
        pose.rotation = turn_about(1.0, 0.0, 0.0, a);
        pose.position =
            sn_vec3(0.0f, (float)(-0.2 * (1.0 - cos(a)) / a), (float)(0.2 * sin(a) / a));
        assert_ok(sn_frame_set_target(s.world, s.insertion, pose));
        step_spindle(&s, 1);
    }
    step_spindle(&s, 240);
    SnPoses poses;
    assert_ok(sn_world_poses(s.world, &poses));
    for (int j = 0; j < 9; ++j) {
        SnQuat turn[8];
        for (int k = 0; k < 8; ++k) {
            const float *q = poses.rotations + 4 * bundle_vertex(&s.shape, k, j);
            turn[k] = (SnQuat){q[0], q[1], q[2], q[3]};
            assert_below(angle_between(turn[k], turn[0]), 1e-6);
        }
        assert_below(angle_between(turn[0], turn_about(1.0, 0.0, 0.0, j / 8.0)), 0.06);
    }
    sn_world_destroy(s.world);
}

// A muscle of half the packing weighs, pulls and resists half as much.
static void fibres_that_overlap_count_for_a_part(void **test) {
    (void)test;
    static Spindle s;
    double mass[2], tension[2], volume[2];
    for (int n = 0; n < 2; ++n) {
        describe_spindle(&s, 8, 9, 0.0);
        s.def.packing = n == 0 ? 1.0f : 0.5f;
        s.def.drive = SN_MUSCLE_FORCE;
        create_spindle(&s, weightless_world());
        mass[n] = sn_world_measure(s.world).mass;
        volume[n] = (double)read_muscle(&s).volume;
        assert_ok(sn_muscle_activate(s.world, s.muscle, 0.5f));
        lead_insertion(&s, 0.2, 0.24, 60);
        step_spindle(&s, 60);
        tension[n] = (double)read_muscle(&s).tension;
        sn_world_destroy(s.world);
    }
    assert_near(mass[1] / mass[0], 0.5, 1e-5);
    assert_near(volume[1] / volume[0], 0.5, 1e-5);
    assert_near(tension[1] / tension[0], 0.5, 1e-3);
    describe_spindle(&s, 8, 9, 0.0);
    s.def.packing = 0.0f;
    SnWorld *world = weightless_world();
    assert_error(sn_muscle_create(world, &s.def, &s.muscle), SN_ERROR_INVALID, "packing: 0");
    sn_world_destroy(world);
}

// Stiff muscles that are drawn out or activated between two holds rest, and pull as they should: tension is
// as stiff as the fibres are.
static void stiff_muscles_rest_under_tension(void **test) {
    (void)test;
    static Spindle s;
    for (int n = 0; n < 12; ++n) {
        double young = n / 3 == 0 ? 1e6 : n / 3 == 1 ? 1e7 : n / 3 == 2 ? 1e8 : 1e9;
        describe_spindle(&s, n % 3 == 2 ? 1 : 8, 9, 0.0);
        s.def.material.young = (float)young;
        s.def.material.shear = s.def.material.volume = SN_DERIVED;
        s.def.material.damping = 1e-3f;
        create_spindle(&s, weightless_world());
        double stretch = n % 3 == 0 ? 1.0 : 1.2, shorter = n % 3 == 0 ? 0.7 : 1.0;
        if (n % 3 == 0)
            assert_ok(sn_muscle_activate(s.world, s.muscle, 1.0f));
        lead_insertion(&s, 0.2, 0.2 * stretch, 60);
        step_spindle(&s, 120);
        double width = 1.0 / sqrt(stretch), x = 1.0 / shorter;
        double stress =
            young * x * (stretch * x - 1.0) - 0.35 * young * (width - 1.0) * width / stretch;
        double area = (double)s.def.rod_count * SUPPORT_PI * 0.005 * 0.005;
        assert_near((double)read_muscle(&s).tension / (stress * area), 1.0, 0.02);
        assert_below(sn_world_measure(s.world).speed_max, 1e-3);
        sn_world_destroy(s.world);
    }
}

// Another density is another mass of the same shape: nothing moves.
static void materials_may_change(void **test) {
    (void)test;
    static Spindle s;
    for (int soft = 0; soft < 2; ++soft) {
        describe_spindle(&s, 8, 9, 0.4);
        s.def.section_compliance = soft ? 1e-4f : 0.0f;
        create_spindle(&s, weightless_world());
        double mass = sn_world_measure(s.world).mass;
        SnRodMaterial material = s.def.material;
        material.density *= 0.5f;
        assert_ok(sn_rod_set_material(s.world, s.muscle, &material));
        step_spindle(&s, 20);
        assert_near(sn_world_measure(s.world).mass / mass, 0.5, 1e-5);
        assert_below(sn_world_measure(s.world).speed_max, 1e-4);
        sn_world_destroy(s.world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(isometric_activation_thickens_the_belly),
        cmocka_unit_test(fibres_pull_as_asked),
        cmocka_unit_test(strong_spindles_stay_calm),
        cmocka_unit_test(isometric_forces_follow_the_curve),
        cmocka_unit_test(forces_follow_velocity),
        cmocka_unit_test(activation_lags),
        cmocka_unit_test(fibres_have_activations_of_their_own),
        cmocka_unit_test(bones_carry_the_flesh),
        cmocka_unit_test(stiff_muscles_rest_under_tension),
        cmocka_unit_test(materials_may_change),
        cmocka_unit_test(fibres_that_overlap_count_for_a_part),
        cmocka_unit_test(work_lifts_weights),
        cmocka_unit_test(heavy_weights_hang),
        cmocka_unit_test(moment_arms_are_distances),
        cmocka_unit_test(bones_turn_with_their_section),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
