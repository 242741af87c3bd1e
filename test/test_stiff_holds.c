// What holds stiff rods: hinges and clamps anywhere, frames that move, rings, nets and forests.
#include "stiff_kit.h"

static void settle(SnWorld *world, int steps, int iterations) {
    for (int n = 0; n < steps; ++n)
        assert_int_equal(sn_world_step(world, DT, 1, iterations), SN_STEP_OK);
}

static void let_settle(SnWorld *world, int steps) { settle(world, steps, 3); }

// Root, middle, leaf, and several of them, as hinges and as clamps: what is held stays, all else
// stays together and comes to rest below.
static void pins_and_clamps_hold_anywhere(void **state) {
    (void)state;
    const int held[][3] = {{0, -1, -1}, {39, -1, -1}, {20, -1, -1}, {0, 39, -1}, {3, 20, 33}};
    for (int k = 0; k < 10; ++k) {
        Rng rng = {40 + (uint64_t)k};
        static SnVec3 x[40];
        static int edges[80];
        static RodCopy before, now;
        random_tree(&rng, 40, 4, x, edges);
        SnWorld *world = heavy_world();
        SnRodDef def = stiff_def(x, 40, 0.005f);
        def.edges = edges;
        def.edge_count = 39;
        def.material.young = 1e9f;
        def.material.shear = 4e8f;
        def.material.drag = 3.0f;
        SnBodyId rod = add_rod(world, &def);
        copy_rod(world, rod, &before);
        bool clamps = k >= 5;
        for (int i = 0; i < 3 && held[k % 5][i] >= 0; ++i) {
            int vertex = held[k % 5][i];
            pin(world, rod, SN_ATTACH_VERTEX, vertex);
            if (clamps)
                pin(world, rod, SN_ATTACH_SEGMENT, vertex > 0 ? vertex - 1 : 0);
        }
        let_settle(world, 1200); // some fall over slowly
        copy_rod(world, rod, &now);
        for (int i = 0; i < 3 && held[k % 5][i] >= 0; ++i) {
            int vertex = held[k % 5][i], segment = vertex > 0 ? vertex - 1 : 0;
            assert_below(distance(now.x[vertex], before.x[vertex]), 1e-5);
            if (clamps) // at an end of the tree, half of the segment bends
                assert_below(angle_between(now.q[segment], before.q[segment]), 0.3);
        }
        SnMeasures m = measures_of(world, rod);
        // Between several holds, a joint gives way as the rod along its axis would: weight/(E A).
        double stretch = held[k % 5][1] >= 0 ? 1e-2 : 1e-6;
        if (!(m.speed_max < 0.01 && m.stretch_max < stretch))
            fail_msg("case %d: moves at %g m/s, stretched by %g", k, m.speed_max, m.stretch_max);
        sn_world_destroy(world);
    }
}

// A frame that goes along a line and turns: the held segment goes and turns with it.
static void held_segments_move_as_their_frame(void **state) {
    (void)state;
    SnVec3 x[6];
    static RodCopy now;
    line_of_points(x, 6, sn_vec3(0.3f, 0, 0), sn_vec3(0.1f, 0, 0));
    SnWorld *world = weightless_world();
    SnRodDef def = stiff_def(x, 6, 0.01f);
    SnBodyId rod = add_rod(world, &def);
    SnFrameId frame;
    assert_ok(sn_frame_create(world, sn_pose_identity(), &frame));
    attach(world, rod, SN_ATTACH_SEGMENT, 0, frame);
    attach(world, rod, SN_ATTACH_VERTEX, 0, frame);
    attach(world, rod, SN_ATTACH_VERTEX, 1, frame);
    const double dt = 0.01, spin = 2.0, speed = 1.5;
    for (int n = 1; n <= 40; ++n) {
        double angle = spin * dt * n;
        SnPose pose = {sn_vec3(0.0f, (float)(speed * dt * n), 0.0f), turn_about(0, 1, 0, angle)};
        assert_ok(sn_frame_set_target(world, frame, pose));
        assert_int_equal(sn_world_step(world, (float)dt, 1 + n % 4, 3), SN_STEP_OK);
        copy_rod(world, rod, &now);
        for (int i = 0; i < 2; ++i) {
            double r = 0.3 + 0.1 * i, y = speed * dt * n;
            assert_near(now.x[i].x, r * cos(angle), 1e-6);
            assert_near(now.x[i].y, y, 1e-6);
            assert_near(now.x[i].z, -r * sin(angle), 1e-6);
            // The chord of the step, half a turn of it behind the tangent.
            double back = angle - 0.5 * spin * dt;
            assert_near(now.v[i].y, speed, 1e-4);
            assert_near(now.v[i].x, -r * spin * sin(back), r * spin * spin * dt);
            assert_near(now.v[i].z, -r * spin * cos(back), r * spin * spin * dt);
        }
        assert_near(now.w[0].y, spin, 1e-3);
        assert_near(hypot((double)now.w[0].x, (double)now.w[0].z), 0.0, 1e-3);
    }
    sn_world_destroy(world);
}

static void what_is_let_go_keeps_its_velocity(void **state) {
    (void)state;
    for (int clamps = 0; clamps < 2; ++clamps) {
        SnVec3 x[4];
        static RodCopy now;
        line_of_points(x, 4, sn_vec3(0, 0, 0), sn_vec3(0.1f, 0, 0));
        SnWorld *world = weightless_world();
        SnRodDef def = stiff_def(x, 4, 0.01f);
        def.material.young = 1e10f;
        def.material.shear = 4e9f;
        SnBodyId rod = add_rod(world, &def);
        SnFrameId frame;
        assert_ok(sn_frame_create(world, sn_pose_identity(), &frame));
        SnAttachmentId held[2] = {attach(world, rod, SN_ATTACH_VERTEX, 0, frame)};
        if (clamps)
            held[1] = attach(world, rod, SN_ATTACH_SEGMENT, 0, frame);
        for (int n = 1; n <= 100; ++n) {
            SnPose pose = {sn_vec3(0.02f * (float)n, 0, 0), sn_quat_identity()};
            assert_ok(sn_frame_set_target(world, frame, pose));
            assert_int_equal(sn_world_step(world, 0.01f, 1, 3), SN_STEP_OK);
        }
        for (int k = 0; k <= clamps; ++k)
            assert_ok(sn_attachment_destroy(world, held[k]));
        for (int n = 0; n < 10; ++n) {
            copy_rod(world, rod, &now);
            for (int i = 0; i < 4; ++i) {
                assert_near(now.v[i].x, 2.0, 1e-4);
                assert_near(hypot((double)now.v[i].y, (double)now.v[i].z), 0.0, 1e-4);
            }
            assert_int_equal(sn_world_step(world, 0.01f, 1, 3), SN_STEP_OK);
        }
        sn_world_destroy(world);
    }
}

static void a_teleported_frame_takes_its_segment_along(void **state) {
    (void)state;
    SnVec3 x[11];
    static RodCopy now;
    line_of_points(x, 11, sn_vec3(0, 0, 0), sn_vec3(0, -0.1f, 0));
    SnWorld *world = heavy_world();
    SnRodDef def = stiff_def(x, 11, 0.01f);
    def.material.drag = 2.0f;
    def.material.young = 1e8f;
    def.material.shear = 4e7f;
    SnBodyId rod = add_rod(world, &def);
    SnFrameId frame;
    assert_ok(sn_frame_create(world, sn_pose_identity(), &frame));
    attach(world, rod, SN_ATTACH_VERTEX, 0, frame);
    attach(world, rod, SN_ATTACH_SEGMENT, 0, frame);
    let_settle(world, 20);
    assert_ok(sn_frame_teleport(world, frame, (SnPose){sn_vec3(2, 3, 4), sn_quat_identity()}));
    copy_rod(world, rod, &now);
    assert_below(distance(now.x[0], sn_vec3(2, 3, 4)), 1e-6);
    assert_below(distance(now.v[0], sn_vec3(0, 0, 0)), 1e-6);
    let_settle(world, 600);
    copy_rod(world, rod, &now);
    for (int i = 0; i < 11; ++i)
        assert_below(distance(now.x[i], sn_vec3(2, 3 - 0.1f * (float)i, 4)), 0.02);
    sn_world_destroy(world);
}

static void a_rod_that_is_all_held_stays(void **state) {
    (void)state;
    SnVec3 x[5];
    static RodCopy before, now;
    line_of_points(x, 5, sn_vec3(0, 0, 0), sn_vec3(0.1f, 0.05f, 0));
    SnWorld *world = heavy_world();
    SnRodDef def = stiff_def(x, 5, 0.01f);
    SnBodyId rod = add_rod(world, &def);
    for (int i = 0; i < 5; ++i)
        pin(world, rod, SN_ATTACH_VERTEX, i);
    for (int j = 0; j < 4; ++j)
        pin(world, rod, SN_ATTACH_SEGMENT, j);
    copy_rod(world, rod, &before);
    assert_ok(sn_body_add_force(world, rod, 2, sn_vec3(1e6f, 0, 0)));
    assert_ok(sn_body_add_impulse(world, rod, 2, sn_vec3(0, 1e3f, 0)));
    let_settle(world, 30);
    copy_rod(world, rod, &now);
    assert_below(farthest(&before, &now), 1e-6);
    assert_below(measures_of(world, rod).speed_max, 1e-6);
    sn_world_destroy(world);
}

// A rod on the floor that is held at its end, as a hinge and as a clamp, just where it lies and a little
// within the floor: contacts cannot move what is held, and do not try.
static void what_is_held_on_a_floor_lies_still(void **state) {
    (void)state;
    for (int k = 0; k < 8; ++k) {
        SnVec3 x[11];
        line_of_points(x, 11, sn_vec3(0, k % 2 ? 0.005f : 0.01f, 0), sn_vec3(0.1f, 0, 0));
        SnWorld *world = heavy_world();
        add_floor(world, 0.0f, 0.5f);
        SnRodDef def = stiff_def(x, 11, 0.01f);
        def.filter = sn_default_rod_def().filter;
        def.material.young = 1e8f;
        def.material.shear = 4e7f;
        SnBodyId rod = add_rod(world, &def);
        pin(world, rod, SN_ATTACH_VERTEX, 0);
        if (k / 2 % 2)
            pin(world, rod, SN_ATTACH_SEGMENT, 0);
        for (int n = 0; n < 200; ++n) {
            assert_int_equal(sn_world_step(world, DT, 10, k / 4 ? 3 : 1), SN_STEP_OK);
            assert_below(measures_of(world, rod).speed_max, k % 2 ? 0.2 : 1e-6);
        }
        assert_below(measures_of(world, rod).speed_max, 1e-6);
        assert_below(distance(vertex_at(world, rod, 0), x[0]), 1e-6);
        sn_world_destroy(world);
    }
}

// Several trees in one definition move as if each had its own.
static void a_forest_moves_as_its_trees(void **state) {
    (void)state;
    enum { N = 10 };
    SnVec3 x[3 * N];
    int edges[6 * N];
    static RodCopy together, alone;
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < N; ++i) {
            x[N * k + i] = sn_vec3(0.1f * (float)i, (float)k, 0.02f * (float)(i * k));
            if (i > 0) {
                edges[2 * ((N - 1) * k + i - 1)] = N * k + i - 1;
                edges[2 * ((N - 1) * k + i - 1) + 1] = N * k + i;
            }
        }
    SnWorld *world = heavy_world();
    SnRodDef def = stiff_def(x, 3 * N, 0.01f);
    def.edges = edges;
    def.edge_count = 3 * (N - 1);
    SnBodyId forest = add_rod(world, &def);
    pin(world, forest, SN_ATTACH_VERTEX, 0); // one hangs on a hinge, one in a wall, one falls
    clamp(world, forest, N - 1, N);
    for (int k = 0; k < 3; ++k) {
        SnRodDef one = stiff_def(x + N * k, N, 0.01f);
        SnBodyId rod = add_rod(world, &one);
        if (k == 0)
            pin(world, rod, SN_ATTACH_VERTEX, 0);
        if (k == 1)
            clamp(world, rod, 0, 0);
    }
    for (int n = 0; n < 60; ++n)
        assert_int_equal(sn_world_step(world, DT, 8, 3), SN_STEP_OK);
    SnPoses poses;
    assert_ok(sn_world_poses(world, &poses));
    copy_rod(world, forest, &together);
    for (int k = 0; k < 3; ++k) {
        copy_rod(world, poses.bodies[1 + k], &alone);
        for (int i = 0; i < N; ++i)
            assert_below(distance(alone.x[i], together.x[N * k + i]), 1e-6);
    }
    assert_near(together.x[2 * N].y, 2.0 - 0.5 * GRAVITY, 1e-4);
    sn_world_destroy(world);
}

// Hung up at one place, a ring comes to rest below it and stays closed.
static void a_ring_hangs(void **state) {
    (void)state;
    enum { N = 32 };
    SnVec3 x[N];
    static RodCopy now;
    circle_of_points(x, N, 0.5);
    SnWorld *world = heavy_world();
    SnRodDef def = stiff_def(x, N, 0.004f);
    def.closed = true;
    def.material.young = 1e8f;
    def.material.shear = 4e7f;
    def.material.drag = 2.0f;
    SnBodyId rod = add_rod(world, &def);
    pin(world, rod, SN_ATTACH_VERTEX, 0);
    settle(world, 600, 3);
    copy_rod(world, rod, &now);
    double lowest = 0.0;
    for (int i = 0; i < N; ++i) {
        int next = (i + 1) % N;
        assert_near(distance(now.x[i], now.x[next]) / distance(x[i], x[next]), 1.0, 1e-4);
        lowest = fmin(lowest, (double)now.x[i].y);
    }
    assert_below(lowest, -0.9);
    assert_below(distance(now.x[0], x[0]), 1e-5);
    assert_below(measures_of(world, rod).speed_max, 0.01);
    sn_world_destroy(world);
}

static void a_net_hangs(void **state) {
    (void)state;
    enum { N = 8 };
    SnVec3 x[N * N];
    int edges[4 * N * N], count = 0;
    for (int i = 0; i < N * N; ++i) {
        x[i] = sn_vec3(0.1f * (float)(i % N), 0.0f, 0.1f * (float)(i / N));
        if (i % N > 0) {
            edges[2 * count] = i - 1;
            edges[2 * count++ + 1] = i;
        }
        if (i >= N) {
            edges[2 * count] = i - N;
            edges[2 * count++ + 1] = i;
        }
    }
    SnWorld *world = heavy_world();
    SnRodDef def = stiff_def(x, N * N, 0.003f);
    def.edges = edges;
    def.edge_count = count;
    def.material.young = 1e9f;
    def.material.shear = 4e8f;
    def.material.drag = 2.0f;
    SnBodyId rod = add_rod(world, &def);
    const int corners[4] = {0, N - 1, N * N - N, N * N - 1};
    for (int k = 0; k < 4; ++k)
        pin(world, rod, SN_ATTACH_VERTEX, corners[k]);
    settle(world, 1000, 3);
    static RodCopy now;
    copy_rod(world, rod, &now);
    for (int j = 0; j < count; ++j)
        assert_near(distance(now.x[edges[2 * j]], now.x[edges[2 * j + 1]]) / 0.1, 1.0, 1e-3);
    for (int k = 0; k < 4; ++k)
        assert_below(distance(now.x[corners[k]], x[corners[k]]), 1e-5);
    assert_below(now.x[N * N / 2 + N / 2].y, -0.005);
    assert_below(measures_of(world, rod).speed_max, 1e-6);
    sn_world_destroy(world);
}

// Soft rope, of which a tree would not stretch: at the defaults, a net that swings from a corner does not either.
static void a_net_that_swings_stays_closed(void **state) {
    (void)state;
    enum { N = 9 };
    static SnVec3 x[N * N];
    int edges[4 * N * N], count = 0;
    for (int i = 0; i < N * N; ++i) {
        x[i] = sn_vec3(0.1f * (float)(i % N), 0.0f, 0.1f * (float)(i / N));
        for (int d = 0; d < 2; ++d) {
            if (d == 0 ? i % N == 0 : i < N)
                continue;
            edges[2 * count] = d == 0 ? i - 1 : i - N;
            edges[2 * count++ + 1] = i;
        }
    }
    SnWorld *world = heavy_world();
    SnRodDef def = stiff_def(x, N * N, 0.005f);
    def.edges = edges;
    def.edge_count = count;
    def.material.young = 1e6f;
    def.material.shear = 4e5f;
    SnBodyId rod = add_rod(world, &def);
    pin(world, rod, SN_ATTACH_VERTEX, 0);
    for (int k = 0; k < 60; ++k) {
        sn_world_step(world, 1.0f / 60.0f, 10, 1);
        assert_below(measures_of(world, rod).stretch_max, 1e-3);
    }
    assert_true(measures_of(world, rod).speed_max > 1.0);
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pins_and_clamps_hold_anywhere),
        cmocka_unit_test(held_segments_move_as_their_frame),
        cmocka_unit_test(what_is_let_go_keeps_its_velocity),
        cmocka_unit_test(a_teleported_frame_takes_its_segment_along),
        cmocka_unit_test(a_rod_that_is_all_held_stays),
        cmocka_unit_test(what_is_held_on_a_floor_lies_still),
        cmocka_unit_test(a_forest_moves_as_its_trees),
        cmocka_unit_test(a_ring_hangs),
        cmocka_unit_test(a_net_hangs),
        cmocka_unit_test(a_net_that_swings_stays_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
