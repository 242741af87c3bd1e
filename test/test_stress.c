// Random and hostile input: the world stays finite whatever it is given. The rods here touch
// nothing; test_contact_stress.c has worlds where they do.
#include "support.h"

#include <stdlib.h>

#define MOST 150 // vertices

typedef struct Definition {
    SnVec3 x[MOST], start[MOST];
    SnQuat q[MOST];
    float radii[MOST], scales[MOST];
    SnRodDef def;
} Definition;

static SnRodMaterial random_material(Rng *rng) {
    SnRodMaterial m = sn_default_rod_material();
    float *stiffness[] = {&m.young,          &m.shear, &m.volume, &m.stretch,    &m.cross_section,
                          &m.scale_gradient, &m.bend,  &m.twist,  &m.scale_bend, &m.volume_bend};
    for (int k = 0; k < 10; ++k) {
        bool derived = k >= 3 && rng_int(rng, 0, 2) > 0;
        *stiffness[k] = derived ? SN_DERIVED : rng_log(rng, 1.0, 1e15);
        if (rng_int(rng, 0, 9) == 0)
            *stiffness[k] = 0.0f;
    }
    m.density = rng_log(rng, 0.1, 1e6);
    m.damping = rng_int(rng, 0, 1) ? rng_log(rng, 1e-6, 10.0) : 0.0f;
    m.drag = rng_int(rng, 0, 3) ? 0.0f : rng_log(rng, 1e-3, 1e3);
    return m;
}

// A random walk whose steps may turn back on themselves.
static void random_walk(Rng *rng, SnVec3 *x, int count, double step) {
    x[0] = rng_vec3(rng, 10.0);
    for (int i = 1; i < count; ++i) {
        SnVec3 d;
        do
            d = rng_vec3(rng, step);
        while (distance(d, sn_vec3(0, 0, 0)) < 0.3 * step);
        x[i] = sn_vec3(x[i - 1].x + d.x, x[i - 1].y + d.y, x[i - 1].z + d.z);
    }
}

static bool closes(const SnVec3 *x, int count) {
    return count >= 4 && distance(x[0], x[count - 1]) > 1e-3;
}

static void random_definition(Rng *rng, Definition *d) {
    SnRodDef def = sn_default_rod_def();
    def.solver = SN_SOLVER_SWEEP;
    def.vertex_count = rng_int(rng, 2, rng_int(rng, 0, 3) ? 40 : MOST);
    double step = (double)rng_log(rng, 1e-3, 10.0);
    random_walk(rng, d->x, def.vertex_count, step);
    random_walk(rng, d->start, def.vertex_count, step * (double)rng_log(rng, 0.3, 3.0));
    def.positions = d->x;
    def.start_positions = rng_int(rng, 0, 2) ? NULL : d->start;
    def.closed = rng_int(rng, 0, 2) == 0 && closes(d->x, def.vertex_count) &&
                 closes(d->start, def.vertex_count);
    for (int i = 0; i < def.vertex_count; ++i) {
        d->radii[i] = rng_log(rng, 1e-4, 1.0);
        d->scales[i] = rng_log(rng, 0.1, 10.0);
    }
    def.radii = rng_int(rng, 0, 1) ? d->radii : NULL;
    def.radius = rng_log(rng, 1e-4, 1.0);
    def.start_scales = rng_int(rng, 0, 2) ? NULL : d->scales;
    def.material = random_material(rng);
    def.classic = rng_int(rng, 0, 1);
    def.velocity = rng_vec3(rng, (double)rng_log(rng, 1e-2, 1e3));
    def.angular_velocity = rng_vec3(rng, (double)rng_log(rng, 1e-2, 1e3));
    def.gravity_scale = rng_float(rng, -2.0, 2.0);
    def.filter.mask = 0;
    def.solver = (SnRodSolver)(def.vertex_count % 3);
    for (int c = 0; c < 3; ++c)
        def.origin[c] = rng_int(rng, 0, 3) ? 0.0 : rng_real(rng, -1e4, 1e4);
    d->def = def;
}

static void assert_finite3(SnVec3 v, const char *what, int seed) {
    if (!isfinite(v.x) || !isfinite(v.y) || !isfinite(v.z))
        fail_msg("seed %d: %s is (%g, %g, %g)", seed, what, (double)v.x, (double)v.y, (double)v.z);
}

static void check_rod(const SnWorld *world, SnBodyId rod, int seed) {
    static RodCopy now;
    copy_rod(world, rod, &now);
    for (int i = 0; i < now.vertices; ++i) {
        assert_finite3(now.x[i], "a position", seed);
        assert_finite3(now.v[i], "a velocity", seed);
        if (!(now.s[i] >= 0.049f && now.s[i] <= 20.1f) || !isfinite(now.vs[i]) ||
            !(now.radius[i] > 0.0f) || !isfinite(now.radius[i]))
            fail_msg("seed %d: scale %g, its velocity %g, radius %g", seed, (double)now.s[i],
                     (double)now.vs[i], (double)now.radius[i]);
        if (fabsf(now.v[i].x) > SN_MAX_SPEED || fabsf(now.v[i].y) > SN_MAX_SPEED ||
            fabsf(now.v[i].z) > SN_MAX_SPEED)
            fail_msg("seed %d: a speed is above SN_MAX_SPEED", seed);
    }
    for (int j = 0; j < now.segments; ++j) {
        SnQuat q = now.q[j];
        double norm =
            sqrt((double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z + (double)q.w * q.w);
        if (!(norm > 0.99 && norm < 1.01))
            fail_msg("seed %d: a frame has norm %g", seed, norm);
        assert_finite3(now.w[j], "an angular velocity", seed);
    }
}

static void check_world(SnWorld *world, const SnBodyId *rods, int count, uint32_t bits, int seed) {
    if (bits & ~(uint32_t)(SN_STEP_CLAMPED | SN_STEP_RECOVERED))
        fail_msg("seed %d: step returned %u", seed, bits);
    for (int r = 0; r < count; ++r)
        check_rod(world, rods[r], seed);
    SnMeasures m = sn_world_measure(world);
    const double values[] = {
        m.volume_error_mean, m.volume_error_max, m.stretch_max, m.energy_elastic,
        m.energy_kinetic,    m.energy_gravity,   m.mass,        m.residual};
    for (size_t k = 0; k < sizeof values / sizeof values[0]; ++k)
        if (!isfinite(values[k]))
            fail_msg("seed %d: measure %zu is %g", seed, k, values[k]);
}

static void jerk(Rng *rng, SnWorld *world, const SnBodyId *rods, int count, SnFrameId frame) {
    SnPose pose = {rng_vec3(rng, (double)rng_log(rng, 0.1, 1e3)), rng_quat(rng)};
    assert_ok(rng_int(rng, 0, 3) ? sn_frame_set_target(world, frame, pose)
                                 : sn_frame_teleport(world, frame, pose));
    for (int k = 0; k < count; ++k) {
        SnBodyId rod = rods[rng_int(rng, 0, count - 1)];
        int v = rng_int(rng, 0, sn_body_point_count(world, rod) - 1);
        int g = rng_int(rng, 0, sn_body_element_count(world, rod) - 1);
        SnVec3 force = rng_vec3(rng, (double)rng_log(rng, 1e-3, 1e6));
        switch (rng_int(rng, 0, 5)) {
        case 0:
            assert_ok(sn_body_add_force(world, rod, v, force));
            break;
        case 1:
            assert_ok(sn_body_add_torque(world, rod, g, force));
            break;
        case 2:
            assert_ok(sn_rod_add_radial_force(world, rod, v, force.x));
            break;
        case 3:
            assert_ok(sn_body_add_impulse(world, rod, v, sn_vec3(1e-3f * force.x, 0.0f, 0.0f)));
            break;
        case 4:
            assert_ok(sn_rod_set_length_scale(world, rod, g, 1, rng_log(rng, 0.1, 10.0)));
            break;
        default: {
            SnRodMaterial m = random_material(rng);
            assert_ok(sn_rod_set_material(world, rod, &m));
        }
        }
    }
}

static void random_attachments(Rng *rng, SnWorld *world, SnBodyId rod, SnFrameId frame) {
    for (int k = rng_int(rng, -2, 3); k > 0; --k) {
        SnAttachmentDef def = sn_default_attachment_def();
        def.kind = (SnAttachmentKind)rng_int(rng, 0, 2);
        def.body = rod;
        def.index = rng_int(rng, 0, sn_body_point_count(world, rod) - 1);
        def.frame = rng_int(rng, 0, 1) ? frame : (SnFrameId){0, 0};
        def.keep_current = rng_int(rng, 0, 1);
        def.position = rng_vec3(rng, 10.0);
        def.rotation = rng_quat(rng);
        def.scale = rng_log(rng, 0.1, 10.0);
        SnResult result = sn_attachment_create(world, &def, NULL);
        // Twice the same element, a scale of a classic rod and a segment too far are refused.
        assert_true(result.code == SN_OK || result.code == SN_ERROR_INVALID);
    }
}

#ifdef __SANITIZE_ADDRESS__
#define WORLDS 6 // it takes seven times as long
#else
#define WORLDS 40
#endif

static void random_worlds_stay_finite(void **state) {
    (void)state;
    enum { RODS = 30, STEPS = 8 };
    static Definition d;
    for (int seed = 0; seed < WORLDS; ++seed) {
        Rng rng = {(uint64_t)seed};
        SnWorld *world = make_world(rng_vec3(&rng, 30.0));
        SnFrameId frame;
        assert_ok(sn_frame_create(world, (SnPose){rng_vec3(&rng, 1.0), rng_quat(&rng)}, &frame));
        SnFieldDef field = sn_default_field_def();
        field.kind = (SnFieldKind)rng_int(&rng, 0, 3);
        field.strength = rng_log(&rng, 0.1, 1e4);
        field.gust = 1.0f;
        SnFieldId field_id;
        assert_ok(sn_field_create(world, &field, &field_id));
        SnBodyId rods[RODS];
        for (int r = 0; r < RODS; ++r) {
            random_definition(&rng, &d);
            assert_ok(sn_rod_create(world, &d.def, &rods[r]));
            random_attachments(&rng, world, rods[r], frame);
        }
        for (int n = 0; n < STEPS; ++n) {
            jerk(&rng, world, rods, RODS, frame);
            uint32_t bits = step_world(world, rng_log(&rng, 1e-4, 1.0), rng_int(&rng, 1, 8),
                                       rng_int(&rng, 1, 8));
            check_world(world, rods, RODS, bits, seed);
            int r = rng_int(&rng, 0, RODS - 1);
            assert_ok(sn_body_destroy(world, rods[r]));
            random_definition(&rng, &d);
            assert_ok(sn_rod_create(world, &d.def, &rods[r]));
        }
        sn_world_destroy(world);
    }
}

static void bad_times_change_nothing(void **state) {
    (void)state;
    SnWorld *world = make_world(sn_vec3(0.0f, -9.81f, 0.0f));
    SnBodyId rod = plain_rod(world, 20);
    pin(world, rod, SN_ATTACH_VERTEX, 0);
    assert_int_equal(step_world(world, 0.01f, 4, 2), SN_STEP_OK);
    uint64_t hash = sn_world_hash(world);
    double time = sn_world_time(world);
    const float times[] = {0.0f,  -0.0f,    -1.0f,     1.0001f, 10.0f,
                           1e30f, INFINITY, -INFINITY, NAN,     -1e-30f};
    for (size_t k = 0; k < sizeof times / sizeof times[0]; ++k)
        assert_int_equal(step_world(world, times[k], 1, 1), SN_STEP_BAD_TIME);
    const int counts[] = {0, -1, 1001, INT32_MAX, INT32_MIN};
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; ++k) {
        assert_int_equal(step_world(world, 0.01f, counts[k], 1), SN_STEP_BAD_TIME);
        assert_int_equal(step_world(world, 0.01f, 1, counts[k]), SN_STEP_BAD_TIME);
    }
    assert_true(sn_world_hash(world) == hash);
    assert_true(sn_world_time(world) == time);
    // Sub-steps that are too short.
    assert_int_equal(step_world(world, 1e-45f, 1, 1), SN_STEP_BAD_TIME);
    assert_int_equal(step_world(world, 9e-12f, 100, 1), SN_STEP_BAD_TIME);
    // The shortest and the longest that are taken.
    SnLinkDef link = sn_default_link_def();
    link.a.body = rod;
    link.a.element = 18;
    link.length = 0.5f; // it is far from that
    SnLinkId id;
    assert_ok(sn_link_create(world, &link, &id));
    assert_int_equal(step_world(world, 2e-11f, 100, 1) & SN_STEP_BAD_TIME, 0);
    check_rod(world, rod, 0);
    SnVec3 force;
    assert_ok(sn_link_force(world, id, &force));
    assert_true(isfinite(force.x) && isfinite(force.y) && isfinite(force.z));
    assert_ok(sn_link_destroy(world, id));
    assert_int_equal(step_world(world, 1.0f, 1000, 1) & SN_STEP_BAD_TIME, 0);
    check_rod(world, rod, 0);
    sn_world_destroy(world);
}

static void a_fall_of_a_kilometre_stays_exact(void **state) {
    (void)state;
    SnWorld *world = make_world(sn_vec3(0.0f, -9.81f, 0.0f));
    SnBodyId rod = plain_rod(world, 10);
    RodCopy first, now;
    copy_rod(world, rod, &first);
    int steps = 0;
    do {
        assert_int_equal(step_world(world, 1.0f / 60.0f, 4, 1), SN_STEP_OK);
        copy_rod(world, rod, &now);
        ++steps;
    } while (now.x[0].y > -1000.0f);
    check_rod(world, rod, 0);
    double t = steps / 60.0;
    assert_near(now.x[0].y, -0.5 * 9.81 * t * (t + 1.0 / 240.0), 0.05);
    SnMeasures m = sn_world_measure(world);
    assert_below(m.stretch_max, 1e-4);
    sn_world_destroy(world);
}

static void a_clamped_rod_leaves_no_bits_behind(void **state) {
    (void)state;
    SnWorld *world = make_world(sn_vec3(2e5f, 0.0f, 0.0f));
    SnBodyId fast = plain_rod(world, 10);
    uint32_t bits = SN_STEP_OK;
    for (int n = 0; n < 10; ++n)
        bits |= step_world(world, 0.01f, 1, 1);
    assert_int_equal(bits, SN_STEP_CLAMPED);
    RodCopy now;
    copy_rod(world, fast, &now);
    assert_near(now.v[0].x, SN_MAX_SPEED, 1.0);
    assert_ok(sn_body_destroy(world, fast));
    assert_int_equal(step_world(world, 0.01f, 1, 1), SN_STEP_OK);
    sn_world_destroy(world);
}

static void a_recovered_rod_is_at_rest_where_it_was(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnBodyId rod = plain_rod(world, 10), other = plain_rod(world, 10);
    SnVec3 v[10];
    line_of_points(v, 10, sn_vec3(0.0f, 1.0f, 0.0f), sn_vec3(0.0f, 0.0f, 0.0f));
    assert_ok(sn_body_write(world, other, &(SnBodyState){.velocities = v}));
    RodCopy first, now;
    copy_rod(world, rod, &first);
    for (int i = 0; i < 10; ++i)
        assert_ok(sn_body_add_force(world, rod, i, sn_vec3(i % 2 ? 1e38f : -1e38f, 0.0f, 0.0f)));
    assert_true(sn_world_step(world, 0.01f, 1, 1) & SN_STEP_RECOVERED);
    copy_rod(world, rod, &now);
    for (int i = 0; i < 10; ++i) {
        assert_near(distance(now.x[i], first.x[i]), 0.0, 1e-6);
        assert_near(distance(now.v[i], sn_vec3(0, 0, 0)), 0.0, 1e-6);
    }
    copy_rod(world, other, &now); // in the same pack, and none the worse for it
    assert_near(now.v[5].y, 1.0, 1e-3);
    sn_world_destroy(world);
}

// Finite values at the end of float's range are finite input, too.
static void the_largest_floats_do_not_break_the_state(void **state) {
    (void)state;
    const float most = 3e38f;
    for (int which = 0; which < 6; ++which) {
        SnWorld *world = weightless_world();
        SnBodyId rod = plain_rod(world, 6);
        SnVec3 big[6];
        for (int i = 0; i < 6; ++i)
            big[i] = sn_vec3(i % 2 ? most : -most, most, -most);
        SnFrameId frame;
        assert_ok(sn_frame_create(world, sn_pose_identity(), &frame));
        attach(world, rod, SN_ATTACH_VERTEX, 3, frame);
        // Each of these may be refused, but not taken and then break the rod.
        SnPose far = {sn_vec3(most, -most, most), turn_about(1, 1, 0, 1.0)};
        if (which == 0)
            (void)sn_body_write(world, rod, &(SnBodyState){.positions = big});
        else if (which == 1)
            (void)sn_body_write(world, rod, &(SnBodyState){.velocities = big});
        else if (which == 2)
            (void)sn_body_write(world, rod, &(SnBodyState){.angular_velocities = big});
        else if (which == 3)
            (void)sn_body_add_impulse(world, rod, 1, big[0]);
        else if (which == 4)
            (void)sn_body_add_force(world, rod, 1, big[0]);
        else
            (void)sn_frame_teleport(world, frame, far);
        check_rod(world, rod, which);
        for (int n = 0; n < 5; ++n)
            (void)sn_world_step(world, 0.1f, 2, 2);
        check_rod(world, rod, which);
        sn_world_destroy(world);
    }
}

// A torque of a microsecond spins a rod faster than anyone may write.
static void what_is_read_can_be_written(void **state) {
    (void)state;
    for (int classic = 0; classic < 2; ++classic) {
        SnWorld *world = weightless_world();
        SnVec3 x[5], spins[4];
        float scale_velocities[5];
        line_of_points(x, 5, sn_vec3(0, 0, 0), sn_vec3(0.1f, 0, 0));
        SnRodDef def = sn_default_rod_def();
        def.positions = x;
        def.vertex_count = 5;
        def.radius = 0.01f;
        def.classic = classic == 1;
        SnBodyId rod;
        assert_ok(sn_rod_create(world, &def, &rod));
        assert_ok(sn_body_add_torque(world, rod, 1, sn_vec3(1e6f, 0, 0)));
        assert_int_equal(sn_world_step(world, 1e-6f, 1, 1), SN_STEP_OK);
        SnBodyState read = {.angular_velocities = spins, .scale_velocities = scale_velocities};
        assert_ok(sn_body_read(world, rod, &read));
        assert_true(spins[1].x == SN_MAX_SPIN);
        assert_ok(sn_body_write(world, rod, &read));
        sn_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_worlds_stay_finite),
        cmocka_unit_test(bad_times_change_nothing),
        cmocka_unit_test(a_fall_of_a_kilometre_stays_exact),
        cmocka_unit_test(a_clamped_rod_leaves_no_bits_behind),
        cmocka_unit_test(a_recovered_rod_is_at_rest_where_it_was),
        cmocka_unit_test(the_largest_floats_do_not_break_the_state),
        cmocka_unit_test(what_is_read_can_be_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
