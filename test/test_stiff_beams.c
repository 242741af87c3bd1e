// Stiff rods at rest against the theory of beams: cantilevers, elastica, torsion, supports, ropes
// that hang.
#include "stiff_kit.h"

static SnBodyId clamped(SnWorld *world, const SnRodDef *def) {
    SnBodyId rod = add_rod(world, def);
    clamp(world, rod, 0, 0);
    return rod;
}

// How far the tip of a clamped beam goes under a force that is small enough for its theory.
static double deflection(int segments, double *after_one) {
    static SnVec3 x[1002];
    SnWorld *world = weightless_world();
    SnRodDef def = beam_def(x, segments, 1.0, 0.01f, 1e9f);
    SnBodyId rod = clamped(world, &def);
    double ei = 1e9 * round_moment((double)def.radius);
    float force = (float)(3.0 * ei * 1e-7);
    // The residual is what a solve meets: the second one meets what the first one left.
    assert_ok(sn_body_add_force(world, rod, segments, sn_vec3(0.0f, force, 0.0f)));
    assert_int_equal(sn_world_step(world, 1.0f, 1, 2), SN_STEP_OK);
    *after_one = sn_world_measure(world).stiff_residual;
    settle_under(world, rod, segments, sn_vec3(0.0f, force, 0.0f), 30, 1.0f);
    double y = (double)vertex_at(world, rod, segments).y;
    sn_world_destroy(world);
    return y / 1e-7;
}

// Joints give way by F (L − s)² l/(E I) each, and the wall with half of that, which sums up to the
// deflection.
static void a_cantilever_bends_by_theory(void **state) {
    (void)state;
    const int segments[] = {8, 50, 1000};
    double before = 1.0;
    for (int k = 0; k < 3; ++k) {
        int n = segments[k];
        double l = 1.0 / n, expected = 1.5 * l, residual;
        for (int i = 1; i < n; ++i)
            expected += 3.0 * l * pow(1.0 - l * i, 2.0);
        double ratio = deflection(n, &residual);
        assert_near(ratio, expected, 1e-5);
        assert_below(residual, 1e-12);
        assert_below(fabs(1.0 - ratio), before);
        before = fabs(1.0 - ratio);
        if (n >= 50)
            assert_below(before, 1e-3);
    }
}

// Under its own weight, from jelly to steel, between one wall and nothing, or between two walls: the error
// of a coarse beam is of second order in the length of its segments.
static void clamped_beams_sag_by_theory(void **state) {
    (void)state;
    const float young[] = {1e7f, 1e9f, 2e11f};
    for (int k = 0; k < 6; ++k) {
        double scaled_error[3];
        bool both = k % 2;
        for (int c = 0; c < 3; ++c) {
            int n = 6 << c;
            static SnVec3 x[25];
            SnWorld *world = heavy_world();
            SnRodDef def = beam_def(x, n, 1.0, 0.02f, young[k / 2]);
            def.gravity_scale =
                young[k / 2] * 1e-9f; // a thousandth of the length, whatever it is made of
            SnBodyId rod = clamped(world, &def);
            if (both)
                clamp(world, rod, n - 1, n);
            for (int i = 0; i < 1500; ++i)
                assert_int_equal(sn_world_step(world, 0.02f, 6, 1), SN_STEP_OK);
            double ei = (double)young[k / 2] * round_moment((double)def.radius);
            double weight =
                1000.0 * round_area((double)def.radius) * 9.81 * (double)def.gravity_scale;
            double theory = weight / ei / (both ? 384.0 : 8.0);
            double y = -(double)vertex_at(world, rod, both ? n / 2 : n).y;
            scaled_error[c] = (y / theory - 1.0) * n * n;
            sn_world_destroy(world);
        }
        // A trapezoidal rule for the curvature: by the square of the length, and no less.
        assert_near(scaled_error[0], both ? 8.0 : 1.0, 0.1);
        assert_near(scaled_error[1] / scaled_error[0], 1.0, 0.1);
        assert_near(scaled_error[2] / scaled_error[0], 1.0, 0.2);
    }
}

// E I θ'' = −F cos θ, θ(0) = 0, θ'(L) = 0, by shooting from the tip, with L = 1 and F/(E I) = load.
static void elastica(double load, double *out_x, double *out_y) {
    double low = 0.0, high = 0.5 * SUPPORT_PI;
    for (int round = 0; round < 60; ++round) {
        double tip = 0.5 * (low + high), theta = tip, rate = 0.0, ds = 1e-4;
        *out_x = *out_y = 0.0;
        for (int k = 0; k < 10000; ++k) { // the midpoint rule, from the tip to the wall
            double mid = theta + 0.5 * ds * rate, mid_rate = rate - 0.5 * ds * load * cos(theta);
            *out_x += ds * cos(mid);
            *out_y += ds * sin(mid);
            theta += ds * mid_rate;
            rate -= ds * load * cos(mid);
        }
        *(theta > 0.0 ? &high : &low) = tip;
    }
}

static void large_deflections_follow_the_elastica(void **state) {
    (void)state;
    const double loads[] = {0.5, 2.0, 6.0};
    for (int k = 0; k < 3; ++k) {
        static SnVec3 x[51];
        SnWorld *world = weightless_world();
        SnRodDef def = beam_def(x, 50, 1.0, 0.01f, 1e8f);
        SnBodyId rod = clamped(world, &def);
        float force = (float)(loads[k] * 1e8 * round_moment((double)def.radius));
        settle_under(world, rod, 50, sn_vec3(0.0f, force, 0.0f), 200, 0.1f);
        double px, py;
        elastica(loads[k], &px, &py);
        SnVec3 tip = vertex_at(world, rod, 50);
        assert_near(tip.x, px, 0.01);
        assert_near(tip.y, py, 0.01 * py);
        sn_world_destroy(world);
    }
}

static void a_bar_twists_by_theory(void **state) {
    (void)state;
    static SnVec3 x[31];
    static RodCopy now;
    SnWorld *world = weightless_world();
    SnRodDef def = beam_def(x, 30, 1.0, 0.01f, 1e8f);
    SnBodyId rod = clamped(world, &def);
    double gj = (double)def.material.shear * 2.0 * round_moment((double)def.radius);
    double length = 29.5 / 30.0, angle = 0.5; // from the wall to the middle of the last segment
    SnVec3 torque = sn_vec3((float)(gj * angle / length), 0.0f, 0.0f);
    SnQuat before[30];
    assert_ok(sn_body_read(world, rod, &(SnBodyState){.frames = before}));
    for (int n = 0; n < 60; ++n) {
        assert_ok(sn_body_add_torque(world, rod, 29, torque));
        assert_int_equal(sn_world_step(world, 0.5f, 1, 3), SN_STEP_OK);
    }
    copy_rod(world, rod, &now);
    // The moment of a joint is k sin θ.
    double per_joint = angle / 29.5;
    assert_near(angle_between(now.q[29], before[29]), angle, angle * per_joint * per_joint + 1e-6);
    assert_near(now.x[30].y, 0.0, 1e-6);
    sn_world_destroy(world);
}

// An elliptic cross-section gives way across its flat side, by the square of the ratio of its axes.
static void a_flat_rod_bends_more_easily_across(void **state) {
    (void)state;
    double bent[2];
    for (int axis = 0; axis < 2; ++axis) {
        static SnVec3 x[21];
        SnQuat frames[20];
        SnSegmentDef flat[20];
        SnWorld *world = weightless_world();
        SnRodDef def = beam_def(x, 20, 1.0, 0.01f, 1e9f);
        for (int j = 0; j < 20; ++j) {
            frames[j] = (SnQuat){0.5f, 0.5f, 0.5f, 0.5f}; // axes: y, z, x
            flat[j] = (SnSegmentDef){.radius_x = 0.02f, .radius_y = 0.005f};
        }
        def.frames = frames;
        def.segments = flat;
        SnBodyId rod = clamped(world, &def);
        SnVec3 force = axis == 0 ? sn_vec3(0.0f, 1e-3f, 0.0f) : sn_vec3(0.0f, 0.0f, 1e-3f);
        settle_under(world, rod, 20, force, 20, 1.0f);
        SnVec3 tip = vertex_at(world, rod, 20);
        double i = 0.25 * SUPPORT_PI * 0.02 * 0.005 * (axis == 0 ? 0.02 * 0.02 : 0.005 * 0.005);
        bent[axis] = (double)(axis == 0 ? tip.y : tip.z);
        assert_near(bent[axis] * 3.0 * 1e9 * i / 1e-3, 1.0, 2e-3);
        assert_near(axis == 0 ? tip.z : tip.y, 0.0, 1e-8);
        sn_world_destroy(world);
    }
    assert_near(bent[1] / bent[0], 16.0, 1e-3);
}

static void a_tapering_beam_bends_by_theory(void **state) {
    (void)state;
    static SnVec3 x[61];
    float radii[61];
    SnWorld *world = weightless_world();
    SnRodDef def = beam_def(x, 60, 1.0, 0.01f, 1e9f);
    for (int i = 0; i <= 60; ++i)
        radii[i] = 0.02f - 0.015f * fmaxf(x[i].x, 0.0f);
    def.radii = radii;
    SnBodyId rod = clamped(world, &def);
    settle_under(world, rod, 60, sn_vec3(0.0f, 1e-4f, 0.0f), 20, 1.0f);
    double expected = 0.0;
    for (int k = 0; k < 10000; ++k) {
        double s = (k + 0.5) * 1e-4;
        expected += 1e-4 * 1e-4 * (1.0 - s) * (1.0 - s) / (1e9 * round_moment(0.02 - 0.015 * s));
    }
    assert_near((double)vertex_at(world, rod, 60).y / expected, 1.0, 3e-3);
    sn_world_destroy(world);
}

// A force in the middle of a beam with an end in each wall, and on two hinges.
static void beams_on_two_supports_bend_by_theory(void **state) {
    (void)state;
    for (int hinges = 0; hinges < 2; ++hinges) {
        SnVec3 x[61];
        int n = 60;
        line_of_points(x, n + 1, sn_vec3(0, 0, 0), sn_vec3(1.0f / (float)n, 0, 0));
        SnWorld *world = weightless_world();
        SnRodDef def = stiff_def(x, n + 1, 0.01f);
        def.material.young = 1e9f;
        def.material.shear = 4e8f;
        def.material.damping = 0.1f;
        SnBodyId rod = add_rod(world, &def);
        if (hinges) {
            pin(world, rod, SN_ATTACH_VERTEX, 0);
            pin(world, rod, SN_ATTACH_VERTEX, n);
        } else {
            clamp(world, rod, 0, 0);
            clamp(world, rod, n - 1, n);
        }
        double ei = 1e9 * round_moment(0.01), theory = (hinges ? 1.0 / 48.0 : 1.0 / 192.0) / ei;
        float force = (float)(1e-5 / theory); // the sag is a thousandth of the thickness
        settle_under(world, rod, n / 2, sn_vec3(0.0f, force, 0.0f), 30, 1.0f);
        assert_near((double)vertex_at(world, rod, n / 2).y / (theory * (double)force), 1.0, 0.01);
        sn_world_destroy(world);
    }
}

// 2 a sinh(d / 2 a) = S.
static double catenary(double distance, double length) {
    double low = 1e-3, high = 1e3;
    for (int k = 0; k < 200; ++k) {
        double a = sqrt(low * high);
        *(2.0 * a * sinh(0.5 * distance / a) > length ? &low : &high) = a;
    }
    return low;
}

static void a_rope_between_pegs_is_a_catenary(void **state) {
    (void)state;
    enum { N = 40 };
    SnVec3 rest[N + 1], start[N + 1];
    SnWorld *world = heavy_world();
    double length = 1.5, distance = 1.0, h = sqrt(0.25 * (length * length - distance * distance));
    for (int i = 0; i <= N; ++i) {
        double t = (double)i / N;
        rest[i] = sn_vec3((float)(length * t), 0.0f, 0.0f);
        start[i] = sn_vec3((float)(distance * t), (float)(-2.0 * h * fmin(t, 1.0 - t)), 0.0f);
    }
    SnRodDef def = stiff_def(rest, N + 1, 0.001f);
    def.start_positions = start;
    def.material.young = 5e7f;
    def.material.drag = 4.0f;
    SnBodyId rod = add_rod(world, &def);
    pin(world, rod, SN_ATTACH_VERTEX, 0);
    pin(world, rod, SN_ATTACH_VERTEX, N);
    for (int n = 0; n < 600; ++n)
        assert_int_equal(sn_world_step(world, 0.02f, 1, 3), SN_STEP_OK);
    double a = catenary(distance, length), worst = 0.0;
    for (int i = 0; i <= N; ++i) {
        double s = length * ((double)i / N - 0.5), px = 0.5 * distance + a * asinh(s / a);
        double py = a * (cosh((px - 0.5 * distance) / a) - cosh(0.5 * distance / a));
        SnVec3 at = vertex_at(world, rod, i);
        worst = fmax(worst, hypot((double)at.x - px, (double)at.y - py));
    }
    assert_below(worst, 0.01 * a * (cosh(0.5 * distance / a) - 1.0));
    assert_below(sn_world_measure(world).speed_max, 1e-3);
    sn_world_destroy(world);
}

// Any rest shape, and any tree, is at rest in its rest shape.
static void rest_shapes_rest(void **state) {
    (void)state;
    Rng rng = {5};
    for (int k = 0; k < 6; ++k) {
        static SnVec3 x[120];
        static int edges[240];
        static RodCopy now;
        SnWorld *world = weightless_world();
        random_tree(&rng, 120, 1 + 7 * (k % 3), x, edges);
        for (int i = 0; i < 120 && k == 5; ++i) // a helix
            x[i] = sn_vec3((float)cos(0.3 * i), 0.02f * (float)i, (float)sin(0.3 * i));
        SnRodDef def = stiff_def(x, 120, 0.01f);
        if (k < 5) {
            def.edges = edges;
            def.edge_count = 119;
        }
        def.material.young = rng_log(&rng, 1e3, 1e10);
        SnBodyId rod = add_rod(world, &def);
        if (k % 2)
            clamp(world, rod, 7, edges[15]);
        for (int n = 0; n < 50; ++n)
            assert_int_equal(sn_world_step(world, 0.02f, 2, 2), SN_STEP_OK);
        copy_rod(world, rod, &now);
        for (int i = 0; i < 120; ++i)
            assert_below(distance(now.x[i], x[i]), 1e-6);
        sn_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cantilever_bends_by_theory),
        cmocka_unit_test(clamped_beams_sag_by_theory),
        cmocka_unit_test(large_deflections_follow_the_elastica),
        cmocka_unit_test(a_bar_twists_by_theory),
        cmocka_unit_test(a_flat_rod_bends_more_easily_across),
        cmocka_unit_test(a_tapering_beam_bends_by_theory),
        cmocka_unit_test(beams_on_two_supports_bend_by_theory),
        cmocka_unit_test(a_rope_between_pegs_is_a_catenary),
        cmocka_unit_test(rest_shapes_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
