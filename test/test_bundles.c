// Bundles: the matching of sections against brute force, what a step makes of them, momentum, stiffness.
#include "bundle_kit.h"

#define WIDE 1
#define WIDE_NAME scalar
#include "math/match_lanes.h"

// The largest tr(Rᵀ A) of all rotations is the largest eigenvalue of a symmetric 4 × 4 matrix (Horn
// 1987); by Jacobi's method.
static double best_trace(double a[3][3]) {
    double n[4][4] = {
        {a[0][0] + a[1][1] + a[2][2], a[2][1] - a[1][2], a[0][2] - a[2][0], a[1][0] - a[0][1]},
        {0.0, a[0][0] - a[1][1] - a[2][2], a[0][1] + a[1][0], a[2][0] + a[0][2]},
        {0.0, 0.0, a[1][1] - a[0][0] - a[2][2], a[1][2] + a[2][1]},
        {0.0, 0.0, 0.0, a[2][2] - a[0][0] - a[1][1]}};
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < i; ++j)
            n[i][j] = n[j][i];
    for (int sweep = 0; sweep < 30; ++sweep)
        for (int p = 0; p < 4; ++p)
            for (int q = p + 1; q < 4; ++q) {
                double angle = 0.5 * atan2(2.0 * n[p][q], n[q][q] - n[p][p]);
                double c = cos(angle), s = sin(angle);
                for (int k = 0; k < 4; ++k) {
                    double x = n[k][p], y = n[k][q];
                    n[k][p] = c * x - s * y;
                    n[k][q] = s * x + c * y;
                }
                for (int k = 0; k < 4; ++k) {
                    double x = n[p][k], y = n[q][k];
                    n[p][k] = c * x - s * y;
                    n[q][k] = s * x + c * y;
                }
            }
    return fmax(fmax(n[0][0], n[1][1]), fmax(n[2][2], n[3][3]));
}

static LanesMatrix as_lanes(double a[3][3]) {
    Lanes3 row[3];
    for (int i = 0; i < 3; ++i)
        row[i] = (Lanes3){{(float)a[i][0]}, {(float)a[i][1]}, {(float)a[i][2]}};
    return (LanesMatrix){row[0], row[1], row[2]};
}

static double trace_with(double a[3][3], Lanes4 q) {
    Quatd d = {(double)q.x[0], (double)q.y[0], (double)q.z[0], (double)q.w[0]};
    double sum = 0.0;
    for (int c = 0; c < 3; ++c) {
        Vec3d e = rotated(d, (Vec3d){c == 0, c == 1, c == 2});
        sum += a[0][c] * e.x + a[1][c] * e.y + a[2][c] * e.z;
    }
    return sum;
}

typedef enum SectionSort { ROUND, FLAT, COLLINEAR, COLLAPSED, INVERTED, SORTS } SectionSort;

// A as a section of n rods has it, turned by `turn` and disturbed; units over many orders.
static void random_sums(Rng *rng, SectionSort sort, Quatd turn, double noise, double a[3][3]) {
    double unit = (double)rng_log(rng, 1e-9, 1e3);
    memset(a, 0, 9 * sizeof(double));
    int n = rng_int(rng, 1, 12);
    for (int k = 0; k < n; ++k) {
        Vec3d rest = vec3d(rng_vec3(rng, 1.0));
        rest.z *= 0.02;
        if (sort == FLAT)
            rest.z = 0.0;
        if (sort == COLLINEAR)
            rest.y = rest.z = 0.0;
        Vec3d now = rotated(turn, sort == INVERTED ? (Vec3d){-rest.x, rest.y, rest.z} : rest);
        if (sort == COLLAPSED)
            now = (Vec3d){0};
        now = addd(now, vec3d(rng_vec3(rng, sort == COLLAPSED ? 0.0 : noise)));
        double to[3] = {now.x, now.y, now.z}, from[3] = {rest.x, rest.y, rest.z};
        Quatd frame = mulqd(quatd(turn_about(0.3, 0.5, 0.8, rng_real(rng, -noise, noise))), turn);
        for (int c = 0; c < 3; ++c) {
            Vec3d e = rotated(frame, (Vec3d){c == 0, c == 1, c == 2});
            double weight = unit * (c == 2 ? 0.2 : 0.05);
            a[0][c] += weight * e.x;
            a[1][c] += weight * e.y;
            a[2][c] += weight * e.z;
            for (int r = 0; r < 3; ++r)
                a[r][c] += unit * to[r] * from[c];
        }
    }
}

static void rotations_are_the_best_there_are(void **test) {
    (void)test;
    Rng rng = {7};
    int lower = 0;
    for (int k = 0; k < 20000; ++k) {
        SectionSort sort = (SectionSort)(k % SORTS);
        SnQuat turn = rng_quat(&rng);
        double a[3][3], noise = rng_real(&rng, 0.0, sort == INVERTED ? 0.05 : 0.5);
        random_sums(&rng, sort, quatd(turn), noise, a);
        LanesMatrix A = as_lanes(a);
        Lanes4 guess = {{turn.x}, {turn.y}, {turn.z}, {turn.w}};
        Lanes4 q = match_rotation(&A, guess);
        assert_near(q.x[0] * q.x[0] + q.y[0] * q.y[0] + q.z[0] * q.z[0] + q.w[0] * q.w[0], 1.0,
                    1e-5);
        double best = best_trace(a), found = trace_with(a, q);
        // A mirrored section has several turns that are the best around them.
        if (sort == INVERTED)
            lower += found < trace_with(a, guess) - 1e-6 * fabs(best);
        else
            assert_near(found / best, 1.0, 3e-6);
    }
    assert_in_range(lower, 0, 8);
}

static SnRodDef soft_def(const Bundle *b) {
    SnRodDef def = b->def;
    def.material = no_stiffness();
    return def;
}

// What a hard step makes of a random pose is similar to the rest shape, and doing it again changes
// nothing.
static void steps_leave_sections_in_shape(void **test) {
    (void)test;
    static Bundle b;
    Rng rng = {11};
    for (int n = 0; n < 300; ++n) {
        make_bundle(&b, rng_int(&rng, 1, 9), rng_int(&rng, 2, 9), rng_real(&rng, 0.0, 0.6));
        b.def = soft_def(&b);
        SnWorld *world = weightless_world();
        SnBodyId body = create_bundle(world, &b);
        RodCopy rest, now;
        copy_rod(world, body, &rest);
        now = rest;
        random_pose(&now, &rng, (Pose){0.1, false}, false);
        SnBodyState state = copy_arrays(&now);
        assert_ok(sn_body_write(world, body, &state));
        // Frames of neighbouring sections are shared, so that it takes a few to agree.
        for (int k = 0; k < 40; ++k) {
            copy_rod(world, body, &now);
            memset(now.v, 0, sizeof now.v);
            memset(now.vs, 0, sizeof now.vs);
            memset(now.w, 0, sizeof now.w);
            assert_ok(sn_body_write(world, body, &state));
            step_world(world, 1.0f / 600.0f, 1, 1);
        }
        copy_rod(world, body, &now);
        for (int j = 0; j < b.slices; ++j) {
            double size = 0.0, ratio = -1.0;
            for (int k = 0; k < b.rods; ++k)
                for (int l = 0; l < k; ++l) {
                    int p = bundle_vertex(&b, k, j), q = bundle_vertex(&b, l, j);
                    double before = distance(rest.x[p], rest.x[q]);
                    if (ratio < 0.0)
                        ratio = distance(now.x[p], now.x[q]) / before;
                    size = fmax(size, before);
                    assert_near(distance(now.x[p], now.x[q]), ratio * before, 2e-5 * size + 2e-7);
                }
            for (int k = 0; k < b.rods && ratio > 0.0; ++k)
                assert_near(now.s[bundle_vertex(&b, k, j)], ratio, 1e-3);
        }
        sn_world_destroy(world);
    }
}

static void similar_poses_are_left_alone(void **test) {
    (void)test;
    static Bundle b;
    Rng rng = {5};
    for (int n = 0; n < 300; ++n) {
        make_bundle(&b, rng_int(&rng, 1, 9), rng_int(&rng, 2, 9), 0.5);
        b.def = soft_def(&b);
        SnWorld *world = weightless_world();
        SnBodyId body = create_bundle(world, &b);
        RodCopy before, after;
        copy_rod(world, body, &before);
        double scale = (double)rng_log(&rng, 0.3, 3.0);
        transform_copy(&before, quatd(rng_quat(&rng)), vec3d(rng_vec3(&rng, 1.0)), scale);
        SnBodyState state = copy_arrays(&before);
        assert_ok(sn_body_write(world, body, &state));
        step_world(world, 1.0f / 60.0f, 10, 1);
        copy_rod(world, body, &after);
        assert_below(farthest(&before, &after), 1e-5);
        for (int i = 0; i < before.vertices; ++i)
            assert_near(after.s[i] / before.s[i], 1.0, 5e-5);
        sn_world_destroy(world);
    }
}

static void classic_matching_brings_the_size_back(void **test) {
    (void)test;
    static Bundle b;
    for (int rigid = 0; rigid < 2; ++rigid) {
        make_bundle(&b, 7, 3, 0.0);
        b.def = soft_def(&b);
        b.def.section_matching = rigid ? SN_MATCH_RIGID : SN_MATCH_SCALED;
        SnWorld *world = weightless_world();
        SnBodyId body = create_bundle(world, &b);
        RodCopy copy;
        copy_rod(world, body, &copy);
        transform_copy(&copy, (Quatd){0.0, 0.0, 0.0, 1.0}, (Vec3d){0}, 1.5);
        SnBodyState state = copy_arrays(&copy);
        assert_ok(sn_body_write(world, body, &state));
        step_world(world, 1.0f / 600.0f, 1, 1);
        copy_rod(world, body, &copy);
        double width = distance(copy.x[bundle_vertex(&b, 1, 1)], copy.x[bundle_vertex(&b, 4, 1)]);
        assert_near(width, rigid ? 0.02 : 0.03, 1e-6);
        assert_near(copy.s[bundle_vertex(&b, 1, 1)], 1.5, 1e-5);
        sn_world_destroy(world);
    }
}

// What sections do in one step to bundles that are out of shape and at rest, against all that moves.
static void sections_push_no_net(void **test) {
    (void)test;
    static Bundle b;
    Rng rng = {3};
    for (int n = 0; n < 300; ++n) {
        make_bundle(&b, rng_int(&rng, 2, 8), rng_int(&rng, 2, 9), 0.5);
        b.def = soft_def(&b);
        b.def.section_compliance = n % 2 ? 0.0f : rng_log(&rng, 1e-7, 1e-3);
        SnWorld *world = weightless_world();
        SnBodyId body = create_bundle(world, &b);
        RodCopy copy;
        copy_rod(world, body, &copy);
        random_pose(&copy, &rng, (Pose){0.002, false}, false);
        SnBodyState state = copy_arrays(&copy);
        assert_ok(sn_body_write(world, body, &state));
        step_world(world, 1.0f / 600.0f, 1, 1 + n % 3);
        SnMeasures m = sn_world_measure(world);
        double size = sqrt(2.0 * m.energy_kinetic * m.mass);
        for (int c = 0; c < 3; ++c) {
            assert_below(fabs(m.momentum[c]), 1e-6 * size);
            assert_below(fabs(m.angular_momentum[c]), 5e-4 * 0.2 * size);
        }
        sn_world_destroy(world);
    }
}

// Four fibres around one are pulled apart along x and pushed together along y, which neither moves nor
// turns nor scales their section. Each then gives way by F/(κ m), κ = 1/(c ρ g²), however many sub-steps
// and iterations there are.
static void compliance_is_what_it_says(void **test) {
    (void)test;
    static Bundle b;
    const int steps[5][2] = {{2, 1}, {10, 1}, {10, 5}, {50, 1}, {3, 20}};
    const float compliance = 1e-4f, force = 0.002f;
    for (int n = 0; n < 5; ++n) {
        make_bundle(&b, 5, 2, 0.0);
        b.def = soft_def(&b);
        b.def.material.drag = 30.0f;
        b.def.section_compliance = compliance;
        SnWorld *world = weightless_world();
        SnBodyId body = create_bundle(world, &b);
        RodCopy copy;
        for (int k = 0; k < 120; ++k) {
            const SnVec3 pull[4] = {{force, 0, 0}, {0, -force, 0}, {-force, 0, 0}, {0, force, 0}};
            for (int r = 0; r < 4; ++r)
                assert_ok(sn_body_add_force(world, body, bundle_vertex(&b, r + 1, 0), pull[r]));
            step_world(world, 1.0f / 60.0f, steps[n][0], steps[n][1]);
        }
        copy_rod(world, body, &copy);
        // All fibres have the same mass; the centre one has no way to the middle.
        double mass = sn_world_measure(world).mass / 10.0;
        double density = (double)b.def.material.density;
        double gyration = 4.0 / 5.0 * 1e-4 + 0.5 * 0.005 * 0.005;
        double way = (double)force * (double)compliance * density * gyration / mass;
        assert_near(copy.x[bundle_vertex(&b, 1, 0)].x, 0.01 + way, 0.01 * way);
        assert_near(copy.x[bundle_vertex(&b, 2, 0)].y, 0.01 - way, 0.01 * way);
        assert_near(copy.x[bundle_vertex(&b, 1, 1)].x, 0.01, 0.01 * way);
        sn_world_destroy(world);
    }
}

// Bundles that fly out of shape. What turns loses some of its angular momentum to Euler's method.
static void momentum_is_kept(void **test) {
    (void)test;
    static Bundle b;
    Rng rng = {3};
    for (int n = 0; n < 20; ++n) {
        make_bundle(&b, rng_int(&rng, 1, 8), rng_int(&rng, 2, 9), 0.5);
        b.def.section_compliance = n % 2 ? 0.0f : rng_log(&rng, 1e-7, 1e-3);
        SnWorld *world = weightless_world();
        b.def.velocity = sn_vec3(0.3f, -0.2f, 0.1f);
        SnBodyId body = create_bundle(world, &b);
        RodCopy copy;
        copy_rod(world, body, &copy);
        for (int i = 0; i < copy.vertices; ++i) {
            SnVec3 by = rng_vec3(&rng, 0.2);
            copy.v[i] = sn_vec3(copy.v[i].x + by.x, copy.v[i].y + by.y, copy.v[i].z + by.z);
        }
        SnBodyState state = {.velocities = copy.v};
        assert_ok(sn_body_write(world, body, &state));
        SnMeasures first = sn_world_measure(world);
        for (int k = 0; k < 10; ++k)
            step_world(world, 1.0f / 60.0f, 20, 1 + n % 3);
        SnMeasures last = sn_world_measure(world);
        double p = 0.0, dp = 0.0, dl = 0.0;
        for (int c = 0; c < 3; ++c) {
            p += first.momentum[c] * first.momentum[c];
            dp += pow(last.momentum[c] - first.momentum[c], 2.0);
            dl += pow(last.angular_momentum[c] - first.angular_momentum[c], 2.0);
        }
        assert_below(sqrt(dp / p), 1e-5);
        assert_below(sqrt(dl), 2e-3 * 0.1 * sqrt(2.0 * first.energy_kinetic * first.mass));
        assert_true(last.energy_kinetic < first.energy_kinetic);
        sn_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotations_are_the_best_there_are),
        cmocka_unit_test(similar_poses_are_left_alone),
        cmocka_unit_test(steps_leave_sections_in_shape),
        cmocka_unit_test(classic_matching_brings_the_size_back),
        cmocka_unit_test(sections_push_no_net),
        cmocka_unit_test(compliance_is_what_it_says),
        cmocka_unit_test(momentum_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
