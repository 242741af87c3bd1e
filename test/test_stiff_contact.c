// Stiff rods that touch: they rest, hold by friction, roll, stack, knock each other about with the
// right momentum, and do not pass through.
#include "stiff_kit.h"

#include "math/vec.h"

static SnRodDef log_def(SnVec3 *x, int count, SnVec3 centre, SnVec3 d, float length, float radius) {
    SnRodDef def = line_def(x, count, centre, d, length, radius);
    def.stiff = true;
    def.material.young = 1e10f;
    def.material.shear = 4e9f;
    def.material.density = 700.0f;
    return def;
}

static void settle(SnWorld *world, int steps) {
    for (int n = 0; n < steps; ++n)
        assert_int_equal(sn_world_step(world, DT, 4, 2), SN_STEP_OK);
}

static void a_rod_rests_on_the_floor(void **state) {
    (void)state;
    SnVec3 x[9];
    static RodCopy now;
    SnWorld *world = heavy_world();
    add_floor(world, 0.0f, 0.5f);
    SnRodDef def = log_def(x, 9, sn_vec3(0, 0.3f, 0), sn_vec3(1, 0, 0), 1.0f, 0.02f);
    SnBodyId rod = add_rod(world, &def);
    settle(world, 120);
    copy_rod(world, rod, &now);
    for (int i = 0; i < 9; ++i)
        assert_near(now.x[i].y, 0.02, 0.001);
    assert_below(measures_of(world, rod).speed_max, 0.01);
    // What the floor presses with is its weight.
    SnContactEvents events = sn_world_contact_events(world);
    double impulse = 0.0;
    for (int k = 0; k < events.contact_count; ++k)
        impulse += (double)events.contacts[k].impulse;
    assert_near(impulse / (rod_mass(world, rod) * GRAVITY * (double)DT), 1.0, 0.02);
    sn_world_destroy(world);
}

static void a_rod_falls_on_its_end_and_over(void **state) {
    (void)state;
    SnVec3 x[6];
    static RodCopy now;
    SnWorld *world = heavy_world();
    add_floor(world, 0.0f, 0.5f);
    SnRodDef def = log_def(x, 6, sn_vec3(0, 1.0f, 0), sn_vec3(0.1f, 0.995f, 0), 1.0f, 0.02f);
    SnBodyId rod = add_rod(world, &def);
    double lowest = 1.0;
    for (int n = 0; n < 300; ++n) {
        settle(world, 1);
        copy_rod(world, rod, &now);
        for (int i = 0; i < 6; ++i)
            lowest = fmin(lowest, (double)now.x[i].y);
    }
    assert_below(0.0, lowest); // never more than its radius into the floor
    for (int i = 0; i < 6; ++i)
        assert_near(now.x[i].y, 0.02, 0.002);
    assert_below(measures_of(world, rod).speed_max, 0.02);
    sn_world_destroy(world);
}

// On a slope, along its fall line: it holds below the angle of friction and slides above it, as fast
// as Coulomb says.
static void friction_holds_and_slides(void **state) {
    (void)state;
    for (int k = 0; k < 2; ++k) {
        double mu = 0.5, angle = atan(mu) + (k ? 0.1 : -0.1);
        SnWorld *world = make_world(
            sn_vec3((float)(GRAVITY * sin(angle)), (float)(-GRAVITY * cos(angle)), 0.0f));
        add_floor(world, 0.0f, (float)mu);
        SnVec3 x[6];
        SnRodDef def = log_def(x, 6, sn_vec3(0, 0.0205f, 0), sn_vec3(1, 0, 0), 0.6f, 0.02f);
        def.surface = rough((float)mu);
        SnBodyId rod = add_rod(world, &def);
        settle(world, 60);
        double v = middle_of(world, rod).v[0];
        double slides = GRAVITY * (sin(angle) - mu * cos(angle));
        if (k == 0)
            assert_below(fabs(v), 0.01);
        else
            assert_near(v, slides, 0.1 * slides);
        sn_world_destroy(world);
    }
}

// Six logs: three, two, one, between stops.
static void a_stack_of_logs_rests(void **state) {
    (void)state;
    SnWorld *world = heavy_world();
    add_floor(world, 0.0f, 0.6f);
    for (int side = -1; side <= 1; side += 2) {
        SnColliderDef stop =
            collider_def(SN_COLLIDER_BOX, sn_vec3((float)side * 0.41f, 0.1f, 0.0f), 0.6f);
        stop.half_size = sn_vec3(0.1f, 0.2f, 1.0f);
        add_collider(world, &stop);
    }
    SnVec3 x[4];
    SnBodyId logs[6];
    for (int k = 0, row = 0; row < 3; ++row)
        for (int i = 0; i < 3 - row; ++i, ++k) {
            SnVec3 at = sn_vec3(0.2f * (float)i + 0.1f * (float)(row - 2),
                                0.105f + 0.18f * (float)row, 0.0f);
            SnRodDef def = log_def(x, 4, at, sn_vec3(0, 0, 1), 1.5f, 0.1f);
            def.surface = rough(0.6f);
            logs[k] = add_rod(world, &def);
        }
    settle(world, 360);
    for (int k = 0; k < 6; ++k) {
        double row = k < 3 ? 0.0 : k < 5 ? 1.0 : 2.0;
        Middle m = middle_of(world, logs[k]);
        assert_near(m.x[1], 0.1 + row * 0.1 * sqrt(3.0), 0.02);
        assert_below(measures_of(world, logs[k]).speed_max, 0.02);
    }
    sn_world_destroy(world);
}

// A soft ball, that is a short thick rod, knocks a free stiff one about.
static void collisions_keep_momentum(void **state) {
    (void)state;
    for (int k = 0; k < 3; ++k) {
        SnWorld *world = weightless_world();
        SnVec3 x[8], y[2];
        SnRodDef def = log_def(x, 8, sn_vec3(0, 0, 0), sn_vec3(1, 0, 0), 0.7f, 0.02f);
        SnBodyId rod = add_rod(world, &def);
        SnRodDef ball =
            line_def(y, 2, sn_vec3(0.1f * (float)k, 0.3f, 0), sn_vec3(0, 0, 1), 0.05f, 0.05f);
        ball.stiff = k == 2;
        ball.velocity = sn_vec3(0, -5, 0);
        SnBodyId hit = add_rod(world, &ball);
        SnMeasures before = sn_world_measure(world);
        settle(world, 30);
        SnMeasures after = sn_world_measure(world);
        for (int c = 0; c < 3; ++c)
            assert_near(after.momentum[c] / before.momentum[1], c == 1 ? 1.0 : 0.0, 1e-5);
        assert_below(after.energy_kinetic, before.energy_kinetic);
        assert_below(middle_of(world, rod).v[1], -0.1); // it was hit
        if (k == 0)                                     // in the middle: it stays on its side
            assert_below(middle_of(world, rod).x[1], middle_of(world, hit).x[1]);
        sn_world_destroy(world);
    }
}

// A heavy log that lies across a hinge, in the middle of a rod that is held there and at its end.
static void hinges_do_not_give_way(void **state) {
    (void)state;
    SnVec3 x[5], y[2];
    line_of_points(x, 5, sn_vec3(-0.1f, 0, 0), sn_vec3(0.1f, 0, 0));
    SnWorld *world = heavy_world();
    SnRodDef def = stiff_def(x, 5, 0.02f);
    def.filter = sn_default_filter();
    def.material.young = 1e9f;
    SnBodyId rod = add_rod(world, &def);
    pin(world, rod, SN_ATTACH_VERTEX, 1);
    pin(world, rod, SN_ATTACH_VERTEX, 4);
    SnRodDef load = log_def(y, 2, sn_vec3(0, 0.08f, 0), sn_vec3(0, 0, 1), 0.6f, 0.05f);
    load.material.density = 5000.0f;
    SnBodyId on_top = add_rod(world, &load);
    for (int n = 0; n < 60; ++n) {
        settle(world, 1);
        assert_below(distance(vertex_at(world, rod, 1), x[1]), 1e-9);
    }
    assert_near(middle_of(world, on_top).x[1], 0.07, 1e-3);
    sn_world_destroy(world);
}

// A vertical coil of a soft stiff rod that is let fall on the floor does not fall into itself.
// Segments that are as far apart as their radii when the rod is straight must not touch when it bends: rods whose width
// was a multiple of their segments blew up.
static void thick_rods_do_not_touch_their_neighbours(void **state) {
    (void)state;
    static const int segments[] = {10, 20, 40};
    for (int k = 0; k < 3; ++k) {
        SnVec3 x[41];
        for (int i = 0; i <= segments[k]; ++i)
            x[i] = sn_vec3((float)i / (float)segments[k], 0.0f, 0.0f);
        SnWorld *world = heavy_world();
        SnRodDef def = stiff_def(x, segments[k] + 1, 0.05f);
        def.filter.mask = ~0u;
        def.self_collide = true;
        def.material.young = 1e10f;
        def.material.shear = 4e9f;
        SnBodyId rod = add_rod(world, &def);
        clamp(world, rod, 0, 0);
        settle(world, 60);
        assert_int_equal(sn_world_contact_events(world).contact_count, 0);
        assert_below(measures_of(world, rod).speed_max, 0.05);
        sn_world_destroy(world);
    }
}

static void a_coil_does_not_pass_through_itself(void **state) {
    (void)state;
    enum { N = 120 };
    SnVec3 x[N];
    for (int i = 0; i < N; ++i) {
        double turn = 2.0 * SUPPORT_PI * i / 24.0;
        x[i] = sn_vec3((float)(0.2 * cos(turn)), (float)(0.05 + 0.06 * i / 24.0),
                       (float)(0.2 * sin(turn)));
    }
    SnWorld *world = heavy_world();
    add_floor(world, 0.0f, 0.5f);
    SnRodDef def = stiff_def(x, N, 0.01f);
    def.filter.mask = ~0u;
    def.self_collide = true;
    def.material.young = 2e6f;
    def.material.shear = 1e6f;
    def.material.damping = 0.05f;
    SnBodyId rod = add_rod(world, &def);
    settle(world, 240);
    static RodCopy now;
    copy_rod(world, rod, &now);
    // Turns lie on each other: where one is above another, they are two radii apart.
    double least = 1.0;
    for (int i = 0; i < N; ++i)
        for (int j = i + 12; j < N; ++j)
            least = fmin(least, distance(now.x[i], now.x[j]));
    assert_below(0.014, least);
    assert_below(measures_of(world, rod).speed_max, 0.05);
    sn_world_destroy(world);
}

static void bullets_do_not_pass_through(void **state) {
    (void)state;
    Rng rng = {3};
    for (int k = 0; k < 40; ++k) {
        SnWorld *world = weightless_world();
        SnVec3 x[11], y[3];
        SnRodDef beam = log_def(x, 11, sn_vec3(0, 0, 0), sn_vec3(1, 0, 0), 1.0f, 0.02f);
        SnBodyId wall = add_rod(world, &beam);
        pin(world, wall, SN_ATTACH_VERTEX, 0);
        pin(world, wall, SN_ATTACH_SEGMENT, 0);
        clamp(world, wall, 9, 10);
        SnRodDef shot = log_def(y, 3, sn_vec3(rng_float(&rng, -0.3, 0.3), 0.5f, 0.0f),
                                sn_vec3(0, 0, 1), 0.1f, 0.01f);
        shot.velocity = sn_vec3(0.0f, -rng_float(&rng, 5.0, 50.0), 0.0f);
        SnBodyId bullet = add_rod(world, &shot);
        for (int n = 0; n < 20; ++n)
            (void)sn_world_step(world, DT, 10, 1);
        if (!(middle_of(world, bullet).x[1] > -0.3))
            fail_msg("shot %d at %g m/s went through", k, -(double)shot.velocity.y);
        sn_world_destroy(world);
    }
}

// Rings that go through each other hang from the first, and stay linked while they swing.
static void a_chain_of_rings_holds(void **state) {
    (void)state;
    enum { RINGS = 5, N = 20 };
    const double radius = 0.1, wire = 0.018, pitch = 2.0 * (radius - wire);
    SnWorld *world = heavy_world();
    SnBodyId ring[RINGS];
    static RodCopy now;
    for (int k = 0; k < RINGS; ++k) {
        SnVec3 x[N];
        circle_of_points(x, N, radius);
        for (int i = 0; i < N; ++i)
            x[i] = k % 2 ? sn_vec3(0.0f, x[i].x - (float)(k * pitch), x[i].z)
                         : sn_vec3(x[i].z, x[i].x - (float)(k * pitch), 0.0f);
        SnRodDef def = stiff_def(x, N, (float)wire);
        def.filter = sn_default_rod_def().filter;
        def.closed = true;
        def.material.young = 2e9f;
        def.material.shear = 8e8f;
        def.material.density = 3000.0f;
        def.velocity = sn_vec3(k > 0 ? 1.0f : 0.0f, 0.0f, 0.0f);
        ring[k] = add_rod(world, &def);
    }
    for (int i = -1; i <= 1; ++i)
        pin(world, ring[0], SN_ATTACH_VERTEX, (i + N) % N); // its top
    for (int n = 0; n < 240; ++n) {
        assert_int_equal(sn_world_step(world, DT, 8, 2), SN_STEP_OK);
        Vec3d above = {0};
        for (int k = 0; k < RINGS; ++k) {
            copy_rod(world, ring[k], &now);
            Vec3d middle = {0};
            for (int i = 0; i < N; ++i)
                middle = addd(middle, scaled(vec3d(now.x[i]), 1.0 / N));
            if (k > 0)
                assert_below(lengthd(subd(middle, above)), 1.03 * pitch);
            assert_below(measures_of(world, ring[k]).stretch_max, 0.05);
            above = middle;
        }
        assert_below(sn_world_measure(world).penetration_max, 0.1);
    }
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rod_rests_on_the_floor),
        cmocka_unit_test(a_rod_falls_on_its_end_and_over),
        cmocka_unit_test(friction_holds_and_slides),
        cmocka_unit_test(a_stack_of_logs_rests),
        cmocka_unit_test(collisions_keep_momentum),
        cmocka_unit_test(hinges_do_not_give_way),
        cmocka_unit_test(thick_rods_do_not_touch_their_neighbours),
        cmocka_unit_test(a_coil_does_not_pass_through_itself),
        cmocka_unit_test(bullets_do_not_pass_through),
        cmocka_unit_test(a_chain_of_rings_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
