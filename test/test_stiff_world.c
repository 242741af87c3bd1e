// What the rest of the API makes of stiff rods: queries, links, skins, sleep, filters, wind.
#include "stiff_fork.h"

static void queries_see_stiff_rods(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnRodDef def = fork_def();
    def.filter = sn_default_filter();
    def.velocity = sn_vec3(0, 0, 1);
    SnBodyId rod = add_rod(world, &def);
    for (int n = 0; n < 2; ++n) {
        float z = (float)n;
        SnHit hit;
        assert_true(sn_world_ray_cast(world, sn_vec3(1, 0.1f, z), sn_vec3(-1, 0, 0), 5.0f,
                                      sn_default_filter(), &hit));
        assert_int_equal(hit.body.index, rod.index);
        assert_int_equal(hit.element, 0);
        assert_near(hit.t, 0.5, 1e-3);
        assert_near(hit.distance, 0.99, 1e-4);
        assert_true(
            sn_world_nearest(world, sn_vec3(0, 0.3f, z + 0.5f), 1.0f, sn_default_filter(), &hit));
        assert_int_equal(hit.element, 1);
        assert_near(hit.distance, 0.49, 1e-4);
        SnHit hits[8];
        assert_int_equal(
            sn_world_overlap(world, sn_vec3(0, 0.4f, z), 0.02f, sn_default_filter(), hits, 8), 3);
        for (int k = 0; k < 100; ++k)
            step(world, 1);
    }
    sn_world_destroy(world);
}

// A soft rod that hangs on a stiff one: the link bears its weight.
static void links_tie_stiff_rods_to_all_else(void **state) {
    (void)state;
    SnWorld *world = heavy_world();
    SnVec3 x[6], y[6];
    line_of_points(x, 6, sn_vec3(0, 0, 0), sn_vec3(0.1f, 0, 0));
    line_of_points(y, 6, sn_vec3(0.5f, 0, 0), sn_vec3(0.1f, 0, 0));
    SnRodDef stiff = stiff_def(x, 6, 0.01f), soft = sn_default_rod_def();
    stiff.material.drag = 2.0f;
    soft.positions = y;
    soft.vertex_count = 6;
    soft.filter.mask = 0;
    soft.material.drag = 2.0f;
    SnBodyId a = add_rod(world, &stiff), b = add_rod(world, &soft);
    pin(world, a, SN_ATTACH_VERTEX, 0);
    SnLinkDef link = sn_default_link_def();
    link.length = 0.0f;
    link.a = (SnBodyPoint){a, 4, 1.0f};
    link.b = (SnBodyPoint){b, 0, 0.0f};
    SnLinkId id;
    assert_ok(sn_link_create(world, &link, &id));
    double worst = 0.0;
    for (int n = 0; n < 600; ++n) {
        assert_int_equal(sn_world_step(world, 0.01f, 4, 2), SN_STEP_OK);
        worst = fmax(worst, distance(vertex_at(world, a, 5), vertex_at(world, b, 0)));
    }
    assert_below(worst, 0.01);
    SnVec3 force;
    assert_ok(sn_link_force(world, id, &force));
    assert_near(fabs((double)force.y) / (9.81 * rod_mass(world, b)), 1.0, 0.05);
    SnVec3 end = vertex_at(world, b, 5);
    assert_near(end.y, -1.0, 0.02);
    assert_near(vertex_at(world, a, 5).y, -0.5, 0.01);
    assert_ok(sn_body_destroy(world, a));
    step(world, 3);
    sn_world_destroy(world);
}

static void skins_follow_stiff_rods(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnBodyId rod = fork_rod(world);
    // A triangle around vertex 4.
    SnVec3 mesh[3] = {{0.21f, 0.6f, 0}, {0.2f, 0.61f, 0}, {0.2f, 0.6f, 0.01f}};
    uint32_t triangle[3] = {0, 1, 2};
    int bones[12] = {4, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0};
    float weights[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    SnSkinDef def = sn_default_skin_def();
    def.body_count = 1;
    def.bodies = &rod;
    def.vertex_count = 3;
    def.triangle_count = 1;
    def.positions = mesh;
    def.triangles = triangle;
    def.bones = bones;
    def.weights = weights;
    SnSkinId skin;
    assert_ok(sn_skin_create(world, &def, &skin));
    static RodCopy copy;
    copy_rod(world, rod, &copy);
    for (int i = 0; i < 6; ++i)
        copy.x[i] = quarter(FORK_AT[i]);
    for (int j = 0; j < 5; ++j)
        copy.q[j] = quarter_frame(copy.q[j]);
    assert_ok(sn_body_write(world, rod, &(SnBodyState){.positions = copy.x, .frames = copy.q}));
    SnSkinPoses poses;
    assert_ok(sn_world_skins(world, &poses));
    for (int i = 0; i < 3; ++i) {
        const float *p = poses.positions + 3 * i;
        assert_below(distance(sn_vec3(p[0], p[1], p[2]), quarter(mesh[i])), 1e-5);
    }
    assert_ok(sn_body_destroy(world, rod));
    assert_false(sn_skin_is_valid(world, skin));
    sn_world_destroy(world);
}

static void stiff_rods_fall_asleep_and_wake(void **state) {
    (void)state;
    SnWorldDef world_def = sn_default_world_def();
    world_def.sleep_speed = 0.01f;
    SnWorld *world = NULL;
    assert_ok(sn_world_create(&world_def, &world));
    static SnVec3 x[9];
    SnRodDef def = beam_def(x, 8, 0.5, 0.01f, 1e9f);
    def.material.damping = 0.05f;
    SnBodyId rod = add_rod(world, &def);
    clamp(world, rod, 0, 0);
    for (int n = 0; n < 300; ++n)
        assert_int_equal(sn_world_step(world, DT, 2, 3), SN_STEP_OK);
    assert_true(sn_body_is_asleep(world, rod));
    SnVec3 before = vertex_at(world, rod, 8);
    step(world, 10);
    assert_below(distance(before, vertex_at(world, rod, 8)), 1e-9);
    assert_ok(sn_body_add_force(world, rod, 8, sn_vec3(0, 5, 0)));
    assert_false(sn_body_is_asleep(world, rod));
    step(world, 1);
    assert_below(1e-5, distance(before, vertex_at(world, rod, 8)));
    sn_world_destroy(world);
}

static void iterations_stop_at_the_tolerance(void **state) {
    (void)state;
    for (int k = 0; k < 2; ++k) {
        SnWorldDef world_def = sn_default_world_def();
        world_def.tolerance = k ? 1e-9f : 0.0f;
        SnWorld *world = NULL;
        assert_ok(sn_world_create(&world_def, &world));
        static SnVec3 x[21];
        SnRodDef def = beam_def(x, 20, 1.0, 0.01f, 1e9f);
        SnBodyId rod = add_rod(world, &def);
        clamp(world, rod, 0, 0);
        assert_int_equal(sn_world_step(world, 0.01f, 1, 50), SN_STEP_OK);
        SnMeasures m = sn_world_measure(world);
        if (k == 0) {
            SnStepTimes times = sn_world_step_times(world); // there is little else to do
            assert_in_range((int)(100.0f * times.iterate / times.total), 20, 100);
            assert_int_equal(m.stiff_iterations, 50);
        } else {
            assert_in_range(m.stiff_iterations, 2, 10); // Newton's method converges
            assert_below(m.stiff_residual, 1e-9);
            assert_error(sn_world_set_tolerance(world, NAN), SN_ERROR_INVALID, "tolerance: nan");
            assert_ok(sn_world_set_tolerance(world, 0.0f));
            sn_world_step(world, 0.01f, 1, 50);
            assert_int_equal(sn_world_measure(world).stiff_iterations, 50);
        }
        sn_world_destroy(world);
    }
}

static void filters_and_surfaces_change(void **state) {
    (void)state;
    SnVec3 x[4];
    line_of_points(x, 4, sn_vec3(0, 0.1f, 0), sn_vec3(0.1f, 0, 0));
    SnWorld *world = heavy_world();
    add_floor(world, 0.0f, 1.0f);
    SnRodDef def = stiff_def(x, 4, 0.02f);
    def.surface.friction = 0.0f;
    def.velocity = sn_vec3(1, 0, 0);
    SnBodyId through = add_rod(world, &def), rests = add_rod(world, &def);
    assert_ok(sn_body_set_filter(world, rests, sn_default_filter()));
    for (int n = 0; n < 60; ++n)
        assert_int_equal(sn_world_step(world, DT, 4, 1), SN_STEP_OK);
    assert_below(vertex_at(world, through, 1).y, -4.0);
    assert_near(vertex_at(world, rests, 1).y, 0.02, 0.002);
    assert_near(velocity_at(world, rests, 1).x, 1.0, 1e-3); // it slides
    SnSurface surface = rough(1.0f);
    assert_ok(sn_body_set_surface(world, rests, &surface));
    for (int n = 0; n < 60; ++n)
        assert_int_equal(sn_world_step(world, DT, 4, 1), SN_STEP_OK);
    assert_below(fabs((double)velocity_at(world, rests, 1).x), 0.01);
    sn_world_destroy(world);
}

// The wind pushes a stiff rod as it pushes any other of the same shape.
static void wind_pushes_it_like_any_rod(void **state) {
    (void)state;
    SnVec3 x[8];
    line_of_points(x, 8, sn_vec3(0, 0, 0), sn_vec3(0.1f, 0.05f, 0));
    SnWorld *world = weightless_world();
    SnRodDef def = stiff_def(x, 8, 0.01f);
    SnBodyId stiff = add_rod(world, &def);
    def.stiff = false;
    def.classic = true;
    SnBodyId other = add_rod(world, &def);
    SnFieldDef wind = sn_default_field_def();
    wind.kind = SN_FIELD_WIND;
    wind.strength = 10.0f;
    wind.direction = sn_vec3(1, 0, 1);
    SnFieldId field;
    assert_ok(sn_field_create(world, &wind, &field));
    for (int n = 0; n < 10; ++n)
        assert_int_equal(sn_world_step(world, 0.002f, 2, 2), SN_STEP_OK);
    SnMeasures a = measures_of(world, stiff), b = measures_of(world, other);
    assert_below(1e-3, b.momentum[2]);
    for (int c = 0; c < 3; ++c)
        assert_near(a.momentum[c], b.momentum[c], 0.03 * b.momentum[2]);
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_see_stiff_rods),
        cmocka_unit_test(links_tie_stiff_rods_to_all_else),
        cmocka_unit_test(skins_follow_stiff_rods),
        cmocka_unit_test(stiff_rods_fall_asleep_and_wake),
        cmocka_unit_test(iterations_stop_at_the_tolerance),
        cmocka_unit_test(filters_and_surfaces_change),
        cmocka_unit_test(wind_pushes_it_like_any_rod),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
