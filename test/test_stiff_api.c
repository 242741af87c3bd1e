// Every function of rods on a stiff one.
#include "stiff_fork.h"

static void a_new_rod_reads_as_defined(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnRodDef def = fork_def();
    int data = 0;
    def.user_data = &data;
    def.velocity = sn_vec3(1, 2, 3);
    SnBodyId rod = add_rod(world, &def);
    static RodCopy now;
    for (int round = 0; round < 2; ++round) { // before and after rows are made
        assert_int_equal(sn_body_point_count(world, rod), 6);
        assert_int_equal(sn_body_element_count(world, rod), 5);
        assert_ptr_equal(sn_body_user_data(world, rod), &data);
        copy_rod(world, rod, &now);
        double t = round == 0 ? 0.0 : 0.01;
        for (int i = 0; i < 6; ++i) {
            assert_near(now.x[i].x - FORK_AT[i].x, t, 1e-6);
            assert_near(now.x[i].y - FORK_AT[i].y, 2.0 * t, 1e-6);
            assert_near(now.v[i].z, 3.0, 1e-6);
            assert_near(now.s[i], 1.0, 0.0);
            assert_near(now.vs[i], 0.0, 0.0);
            assert_near(now.radius[i], def.radius, 0.0);
        }
        int edges[10];
        assert_ok(sn_body_edges(world, rod, edges));
        assert_memory_equal(edges, FORK, sizeof edges);
        SnPoses poses;
        assert_ok(sn_world_poses(world, &poses));
        assert_int_equal(poses.element_count, 5);
        assert_memory_equal(poses.positions, now.x, 6 * sizeof(SnVec3));
        assert_memory_equal(poses.frames, now.q, 5 * sizeof(SnQuat));
        assert_memory_equal(poses.edges, FORK, sizeof FORK);
        step(world, 1);
    }
    sn_world_destroy(world);
}

static void written_state_reads_back(void **state) {
    (void)state;
    for (int planted = 0; planted < 2; ++planted) {
        SnWorld *world = weightless_world();
        SnBodyId rod = fork_rod(world);
        step(world, planted);
        static RodCopy copy, now;
        copy_rod(world, rod, &copy);
        // Turned as a whole, moved, and spinning.
        for (int i = 0; i < 6; ++i) {
            copy.x[i] = quarter(FORK_AT[i]);
            copy.x[i].z += 3.0f;
            copy.v[i] = sn_vec3(-2.0f * copy.x[i].y, 2.0f * copy.x[i].x, 0.5f);
        }
        for (int j = 0; j < 5; ++j) {
            copy.q[j] = quarter_frame(copy.q[j]);
            copy.w[j] = sn_vec3(0, 0, 2);
        }
        SnBodyState written = copy_arrays(&copy);
        assert_ok(sn_body_write(world, rod, &written));
        copy_rod(world, rod, &now);
        for (int i = 0; i < 6; ++i) {
            assert_below(distance(now.x[i], copy.x[i]), 1e-6);
            assert_below(distance(now.v[i], copy.v[i]), 1e-5);
        }
        for (int j = 0; j < 5; ++j) {
            assert_below(angle_between(now.q[j], copy.q[j]), 1e-5);
            assert_below(distance(now.w[j], copy.w[j]), 1e-5);
        }
        // Positions alone turn the frames along.
        for (int i = 0; i < 6; ++i)
            copy.x[i] = FORK_AT[i];
        assert_ok(sn_body_write(world, rod, &(SnBodyState){.positions = copy.x}));
        copy_rod(world, rod, &now);
        for (int i = 0; i < 6; ++i)
            assert_below(distance(now.x[i], copy.x[i]), 1e-6);
        copy.x[3].y = NAN;
        uint64_t hash = sn_world_hash(world);
        assert_error(sn_body_write(world, rod, &(SnBodyState){.positions = copy.x}),
                     SN_ERROR_INVALID, "position");
        assert_true(sn_world_hash(world) == hash);
        sn_world_destroy(world);
    }
}

// However fast it is told to spin: what is read can be written, and a step goes on from there.
static void no_end_is_too_fast(void **state) {
    (void)state;
    SnVec3 x[3];
    line_of_points(x, 3, sn_vec3(0, 0, 0), sn_vec3(10, 0, 0));
    for (int written = 0; written < 2; ++written) {
        SnWorld *world = weightless_world();
        SnRodDef def = sn_default_rod_def();
        def.vertex_count = 3;
        def.positions = x;
        def.radius = 0.1f;
        def.stiff = true;
        SnVec3 spin[2] = {{0, SN_MAX_SPIN, 0}, {0, SN_MAX_SPIN, 0}};
        if (!written)
            def.angular_velocity = spin[0];
        SnBodyId rod;
        assert_ok(sn_rod_create(world, &def, &rod));
        if (written)
            assert_ok(sn_body_write(world, rod, &(SnBodyState){.angular_velocities = spin}));
        static RodCopy now;
        copy_rod(world, rod, &now);
        assert_near(fabsf(now.v[0].z), SN_MAX_SPEED, 1.0);
        SnBodyState arrays = copy_arrays(&now);
        assert_ok(sn_body_write(world, rod, &arrays));
        assert_false(sn_world_step(world, 1e-4f, 1, 2) & SN_STEP_RECOVERED);
        sn_world_destroy(world);
    }
}

// Forces, impulses and torques by Newton's law: what the whole body gains in one step.
static void loads_follow_newton(void **state) {
    (void)state;
    for (int which = 0; which < 3; ++which) {
        SnWorld *world = weightless_world();
        SnBodyId rod = fork_rod(world);
        SnVec3 at = FORK_AT[5];
        if (which == 0) { // they add up
            assert_ok(sn_body_add_force(world, rod, 5, sn_vec3(0.001f, -0.003f, 0.001f)));
            assert_ok(sn_body_add_force(world, rod, 5, sn_vec3(0.002f, 0.001f, 0.0f)));
        } else if (which == 1) {
            assert_ok(sn_body_add_torque(world, rod, 4, sn_vec3(0.003f, -0.002f, 0.001f)));
        } else {
            assert_ok(sn_body_add_impulse(world, rod, 5, sn_vec3(3e-5f, -2e-5f, 1e-5f)));
        }
        const double p[3] = {3e-5, -2e-5, 1e-5};
        double l[3] = {(double)at.y * p[2] - (double)at.z * p[1],
                       (double)at.z * p[0] - (double)at.x * p[2],
                       (double)at.x * p[1] - (double)at.y * p[0]};
        for (int round = 0; round < 2; ++round) { // and are forgotten
            assert_int_equal(sn_world_step(world, 0.01f, 20, 3), SN_STEP_OK);
            SnMeasures m = measures_of(world, rod);
            for (int c = 0; c < 3; ++c) {
                assert_near(m.momentum[c], which == 1 ? 0.0 : p[c], 1e-11);
                // A torque acts half a sub-step late.
                double lag = which == 1 && round == 0 ? 0.03 * fabs(p[c]) : 0.0;
                assert_near(m.angular_momentum[c], which == 1 ? p[c] : l[c], 2e-7 + lag);
            }
        }
        sn_world_destroy(world);
    }
}

// Loads given before something else changes the rods still act.
static void loads_survive_changes(void **state) {
    (void)state;
    for (int change = 0; change < 5; ++change) {
        SnWorld *world = weightless_world();
        SnBodyId rod = fork_rod(world), other = fork_rod(world);
        step(world, 1);
        assert_ok(sn_body_add_force(world, rod, 5, sn_vec3(0.3f, 0, 0)));
        SnRodMaterial material = sn_default_rod_material();
        if (change == 0)
            (void)fork_rod(world);
        else if (change == 1)
            assert_ok(sn_body_destroy(world, other));
        else if (change == 2)
            pin(world, other, SN_ATTACH_VERTEX, 0);
        else if (change == 3)
            assert_ok(sn_rod_set_material(world, rod, &material));
        else
            assert_ok(sn_body_set_gravity_scale(world, rod, 0.5f));
        step(world, 1);
        double gained = measures_of(world, rod).momentum[0];
        if (!(fabs(gained - 3e-3) < 1e-9))
            fail_msg("change %d: 3e-3 N·s became %g", change, gained);
        sn_world_destroy(world);
    }
}

static void what_makes_no_sense_is_harmless_or_refused(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnBodyId rod = fork_rod(world);
    assert_error(sn_rod_add_radial_force(world, rod, 2, 1e6f), SN_ERROR_INVALID, "stiff rod");
    step(world, 2);
    assert_below(measures_of(world, rod).speed_max, 1e-9);
    assert_error(sn_rod_set_length_scale(world, rod, 0, 1, 0.5f), SN_ERROR_INVALID, "stiff");
    assert_error(sn_rod_set_length_scale(world, rod, 0, 9, 0.5f), SN_ERROR_INVALID, "9");
    assert_error(sn_body_add_force(world, rod, 6, sn_vec3(1, 0, 0)), SN_ERROR_INVALID, "6");
    assert_error(sn_body_add_force(world, rod, 0, sn_vec3(NAN, 0, 0)), SN_ERROR_INVALID, "finite");
    assert_error(sn_body_add_torque(world, rod, 5, sn_vec3(1, 0, 0)), SN_ERROR_INVALID, "5");
    assert_error(sn_body_add_impulse(world, rod, -1, sn_vec3(1, 0, 0)), SN_ERROR_INVALID, "-1");
    assert_error(sn_body_set_gravity_scale(world, rod, INFINITY), SN_ERROR_INVALID, "inf");
    SnAttachmentDef scale = sn_default_attachment_def();
    scale.body = rod;
    scale.kind = SN_ATTACH_SCALE;
    assert_int_not_equal(sn_attachment_create(world, &scale, NULL).code, SN_OK);
    scale.kind = SN_ATTACH_SEGMENT;
    scale.index = 5;
    assert_error(sn_attachment_create(world, &scale, NULL), SN_ERROR_INVALID, "5");
    scale.index = 4;
    assert_ok(sn_attachment_create(world, &scale, NULL));
    assert_int_not_equal(sn_attachment_create(world, &scale, NULL).code, SN_OK);
    assert_ok(sn_body_destroy(world, rod));
    assert_false(sn_body_is_valid(world, rod));
    assert_error(sn_body_add_force(world, rod, 0, sn_vec3(1, 0, 0)), SN_ERROR_STALE, "stale");
    assert_int_equal(sn_body_point_count(world, rod), 0);
    step(world, 2);
    sn_world_destroy(world);
}

// Each definition is wrong in one place, and the message says which.
static void bad_definitions_are_named(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnSegmentDef segments[5] = {0};
    int edges[10];
    memcpy(edges, FORK, sizeof edges);
    SnRodDef def = fork_def();
    def.name = "twig";
    def.segments = segments;
    def.edges = edges;
    assert_ok(sn_rod_create(world, &def, NULL));
    const struct {
        float *where;
        const char *part;
    } floats[] = {
        {&segments[3].young, "twig: segments[3].young: -1"},
        {&segments[2].shear, "twig: segments[2].shear: -1"},
        {&segments[1].density, "twig: segments[1].density: -1"},
        {&segments[0].radius_x, "twig: segments[0].radius_x: -1"},
        {&segments[4].radius_y, "twig: segments[4].radius_y: -1"},
        {&def.material.yield, "twig: material.yield: -1"},
        {&def.material.strength, "twig: material.strength: -1"},
        {&def.material.density, "twig: material.density: -1"},
        {&def.material.damping, "twig: material.damping: -1"},
        {&def.radius, "twig: radius[0]: -1"},
    };
    for (size_t k = 0; k < sizeof floats / sizeof floats[0]; ++k) {
        float good = *floats[k].where;
        *floats[k].where = -1.0f;
        assert_error(sn_rod_create(world, &def, NULL), SN_ERROR_INVALID, floats[k].part);
        *floats[k].where = NAN;
        assert_error(sn_rod_create(world, &def, NULL), SN_ERROR_INVALID, "nan");
        *floats[k].where = good;
    }
    edges[7] = 6;
    assert_error(sn_rod_create(world, &def, NULL), SN_ERROR_INVALID, "twig: edges[3]: vertex 6");
    edges[7] = -1;
    assert_error(sn_rod_create(world, &def, NULL), SN_ERROR_INVALID, "twig: edges[3]: vertex -1");
    edges[7] = edges[6];
    assert_error(sn_rod_create(world, &def, NULL), SN_ERROR_INVALID, "edges[3]");
    edges[7] = 4;
    def.closed = true;
    assert_error(sn_rod_create(world, &def, NULL), SN_ERROR_INVALID, "twig: closed");
    def.closed = false;
    def.edge_count = -3;
    assert_error(sn_rod_create(world, &def, NULL), SN_ERROR_INVALID, "twig: edge_count: -3");
    def.edges = NULL;
    def.edge_count = 5;
    assert_error(sn_rod_create(world, &def, NULL), SN_ERROR_INVALID, "twig: edges");
    def.edges = edges;
    SnVec3 x[6];
    memcpy(x, FORK_AT, sizeof x);
    def.positions = x;
    x[3] = x[2];
    assert_error(sn_rod_create(world, &def, NULL), SN_ERROR_INVALID, "twig: positions: segment 2");
    x[3].x = INFINITY;
    assert_error(sn_rod_create(world, &def, NULL), SN_ERROR_INVALID, "twig: positions[3]");
    // A vertex that no edge goes to has no place to be.
    def.positions = FORK_AT;
    def.edge_count = 4;
    assert_error(sn_rod_create(world, &def, NULL), SN_ERROR_INVALID, "vertex 5");
    assert_int_equal(sn_world_body_count(world), 1);
    sn_world_destroy(world);
}

static void a_new_material_acts_at_once(void **state) {
    (void)state;
    static SnVec3 x[21];
    SnWorld *world = weightless_world();
    SnRodDef def = beam_def(x, 20, 1.0, 0.01f, 1e8f);
    SnBodyId rod = add_rod(world, &def);
    clamp(world, rod, 0, 0);
    SnVec3 force = sn_vec3(0.0f, 1e-4f, 0.0f);
    settle_under(world, rod, 20, force, 30, 1.0f);
    double soft = (double)vertex_at(world, rod, 20).y;
    def.material.young = 1e9f;
    def.material.density = 500.0f;
    assert_ok(sn_rod_set_material(world, rod, &def.material));
    settle_under(world, rod, 20, force, 30, 1.0f);
    assert_near(soft / (double)vertex_at(world, rod, 20).y, 10.0, 1e-3);
    assert_near(rod_mass(world, rod) / (500.0 * round_area(0.01)), 1.0, 1e-5);
    def.material.young = -2.0f;
    assert_error(sn_rod_set_material(world, rod, &def.material), SN_ERROR_INVALID, "young: -2");
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_rod_reads_as_defined),
        cmocka_unit_test(written_state_reads_back),
        cmocka_unit_test(no_end_is_too_fast),
        cmocka_unit_test(loads_follow_newton),
        cmocka_unit_test(loads_survive_changes),
        cmocka_unit_test(what_makes_no_sense_is_harmless_or_refused),
        cmocka_unit_test(bad_definitions_are_named),
        cmocka_unit_test(a_new_material_acts_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
