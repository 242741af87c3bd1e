// Coulomb friction against its formulas: slopes, pushes, rolling.
#include "contact_kit.h"

// A plane through the origin that goes down in x by `slope` radians.
static void add_slope(SnWorld *world, double slope, float friction, float held) {
    SnColliderDef def = collider_def(SN_COLLIDER_PLANE, sn_vec3(0, 0, 0), friction);
    def.pose.rotation = turn_about(0, 0, 1, -slope);
    def.surface.static_friction = held;
    add_collider(world, &def);
}

// A rod that lies on the slope, down it or across it.
static SnBodyId add_on_slope(SnWorld *world, double slope, bool across, float friction,
                             float held) {
    SnVec3 x[9];
    float radius = 0.04f, s = (float)sin(slope), c = (float)cos(slope);
    SnVec3 d = across ? sn_vec3(0, 0, 1) : sn_vec3(c, -s, 0.0f);
    SnRodDef def = line_def(x, 9, sn_vec3(radius * s, radius * c, 0.0f), d, 0.8f, radius);
    def.material.young = 1e7f;
    def.material.shear = 4e6f;
    def.classic = true; // one that gives way under its weight also pushes its ends apart
    def.surface = rough(friction);
    def.surface.static_friction = held;
    return add_rod(world, &def);
}

// How far down the slope it is.
static double slid(const SnWorld *world, SnBodyId rod, double slope) {
    Middle m = middle_of(world, rod);
    return m.x[0] * cos(slope) - m.x[1] * sin(slope);
}

static void a_rod_slides_where_the_slope_is_steeper_than_its_friction(void **state) {
    (void)state;
    const float frictions[] = {0.2f, 0.5f, 1.0f};
    for (int k = 0; k < 3; ++k)
        for (int steep = 0; steep < 2; ++steep) {
            float mu = frictions[k];
            double slope = atan((double)mu * (steep ? 1.05 : 0.95));
            SnWorld *world = heavy_world();
            add_slope(world, slope, mu, SN_DERIVED);
            SnBodyId rod = add_on_slope(world, slope, false, mu, SN_DERIVED);
            double before = slid(world, rod, slope);
            run_steps(world, 120, 10);
            double way = slid(world, rod, slope) - before;
            // ½ (g sin φ − μ g cos φ) t²
            double expected = 0.5 * GRAVITY * (sin(slope) - (double)mu * cos(slope)) * 4.0;
            if (!steep && !(fabs(way) < 0.002))
                fail_msg("friction %g: creeps %g m on a slope it should hold on", (double)mu, way);
            if (steep && !(fabs(way / expected - 1.0) < 0.05))
                fail_msg("friction %g: slides %g m, expected %g", (double)mu, way, expected);
            sn_world_destroy(world);
        }
}

// On a slope between the two frictions, a rod that lies stays, and one that was pushed slides on.
static void static_friction_holds_what_kinetic_friction_does_not(void **state) {
    (void)state;
    for (int pushed = 0; pushed < 2; ++pushed) {
        double slope = atan(0.45);
        SnWorld *world = heavy_world();
        add_slope(world, slope, 0.3f, 0.6f);
        SnBodyId rod = add_on_slope(world, slope, false, 0.3f, 0.6f);
        run_steps(world, 30, 10);
        double before = slid(world, rod, slope);
        SnVec3 v[9];
        float s = (float)sin(slope), c = (float)cos(slope);
        line_of_points(v, 9, sn_vec3(0.5f * c, -0.5f * s, 0.0f), sn_vec3(0, 0, 0));
        if (pushed)
            assert_ok(sn_body_write(world, rod, &(SnBodyState){.velocities = v}));
        run_steps(world, 60, 10);
        double way = slid(world, rod, slope) - before;
        double expected = 0.5 + 0.5 * GRAVITY * (sin(slope) - 0.3 * cos(slope));
        if (pushed)
            assert_near(way, expected, 0.05 * expected);
        else
            assert_near(way, 0.0, 0.002);
        sn_world_destroy(world);
    }
}

static void a_pushed_rod_slides_as_far_as_it_should(void **state) {
    (void)state;
    const struct {
        float mu;
        double v;
        int substeps;
    } cases[] = {{0.2f, 1.0, 10}, {0.5f, 2.0, 10}, {0.5f, 2.0, 4}, {1.0f, 3.0, 20}};
    for (int k = 0; k < 4; ++k)
        for (int sideways = 0; sideways < 2; ++sideways) {
            SnWorld *world = heavy_world();
            add_floor(world, 0.0f, cases[k].mu);
            SnBodyId rod = add_on_slope(world, 0.0, sideways, cases[k].mu, SN_DERIVED);
            if (sideways) // or it would roll
                for (int j = 0; j < 8; ++j)
                    pin(world, rod, SN_ATTACH_SEGMENT, j);
            run_steps(world, 30, cases[k].substeps);
            double before = middle_of(world, rod).x[0];
            SnVec3 v[9];
            line_of_points(v, 9, sn_vec3((float)cases[k].v, 0, 0), sn_vec3(0, 0, 0));
            assert_ok(sn_body_write(world, rod, &(SnBodyState){.velocities = v}));
            run_steps(world, 120, cases[k].substeps);
            double way = middle_of(world, rod).x[0] - before;
            double expected = cases[k].v * cases[k].v / (2.0 * (double)cases[k].mu * GRAVITY);
            if (!(fabs(way / expected - 1.0) < 0.05))
                fail_msg("friction %g, %g m/s, %d sub-steps, sideways %d: slides %g m, expected %g",
                         (double)cases[k].mu, cases[k].v, cases[k].substeps, sideways, way,
                         expected);
            assert_below(sn_world_measure(world).speed_max, 0.005);
            sn_world_destroy(world);
        }
}

static void a_rod_across_a_slope_rolls(void **state) {
    (void)state;
    for (int rolls = 0; rolls < 2; ++rolls) {
        double slope = 0.2;
        float mu = rolls ? 0.8f : 0.0f;
        SnWorld *world = heavy_world();
        add_slope(world, slope, mu, SN_DERIVED);
        SnBodyId rod = add_on_slope(world, slope, true, mu, SN_DERIVED);
        run_steps(world, 60, 10);
        Middle m = middle_of(world, rod);
        double speed = sqrt(m.v[0] * m.v[0] + m.v[1] * m.v[1]);
        // A full cylinder has half as much inertia again; without friction it only slides.
        double expected = GRAVITY * sin(slope) * (rolls ? 2.0 / 3.0 : 1.0);
        assert_near(speed, expected, 0.1 * expected);
        RodCopy now;
        copy_rod(world, rod, &now);
        assert_near(fabs((double)now.w[4].z), rolls ? speed / 0.04 : 0.0, 0.1 * speed / 0.04);
        sn_world_destroy(world);
    }
}

// Friction between rods: one lies across two others that are held, and slopes down over them.
static void rods_hold_each_other_by_friction(void **state) {
    (void)state;
    for (int steep = 0; steep < 2; ++steep) {
        double slope = atan(0.5 * (steep ? 1.1 : 0.9));
        float s = (float)sin(slope), c = (float)cos(slope);
        SnWorld *world = heavy_world();
        SnVec3 x[9];
        for (int k = -1; k <= 1; k += 2) {
            float at = 0.2f * (float)k;
            SnRodDef def =
                line_def(x, 5, sn_vec3(at * c, -at * s, 0), sn_vec3(0, 0, 1), 0.4f, 0.04f);
            SnBodyId peg = add_rod(world, &def);
            for (int i = 0; i < 5; ++i)
                pin(world, peg, SN_ATTACH_VERTEX, i);
            for (int i = 0; i < 4; ++i)
                pin(world, peg, SN_ATTACH_SEGMENT, i);
        }
        SnRodDef def =
            line_def(x, 9, sn_vec3(0.08f * s, 0.08f * c, 0), sn_vec3(c, -s, 0), 0.8f, 0.04f);
        def.material.young = 1e8f;
        def.material.shear = 4e7f;
        SnBodyId rod = add_rod(world, &def);
        run_steps(world, 60, 10);
        Middle m = middle_of(world, rod);
        double way = (m.x[0] - (double)(0.08f * s)) * (double)c;
        if (steep)
            assert_true(way > 0.05);
        else
            assert_near(way, 0.0, 0.005);
        sn_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rod_slides_where_the_slope_is_steeper_than_its_friction),
        cmocka_unit_test(static_friction_holds_what_kinetic_friction_does_not),
        cmocka_unit_test(a_pushed_rod_slides_as_far_as_it_should),
        cmocka_unit_test(a_rod_across_a_slope_rolls),
        cmocka_unit_test(rods_hold_each_other_by_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
