// Whole motions: against formulas, conservation laws and symmetries.
#include "support.h"

#include <stdlib.h>

#define DT (1.0f / 60.0f)

static SnRodDef straight_def(SnVec3 *x, int count, double length) {
    line_of_points(x, count, sn_vec3(0, 0, 0), sn_vec3(0, 0, (float)(length / (count - 1))));
    SnRodDef def = sn_default_rod_def();
    def.solver = SN_SOLVER_SWEEP;
    def.vertex_count = count;
    def.positions = x;
    def.radius = 0.02f;
    def.filter.mask = 0;
    return def;
}

static SnBodyId create(SnWorld *world, const SnRodDef *def) {
    SnBodyId rod;
    assert_ok(sn_rod_create(world, def, &rod));
    return rod;
}

static void steps(SnWorld *world, int count, int substeps, int iterations) {
    for (int n = 0; n < count; ++n)
        assert_int_equal(step_world(world, DT, substeps, iterations), SN_STEP_OK);
}

// Under its own weight a rod gets longer by ρgL²/2E, however the time is cut.
static void hanging_stretch_depends_on_neither_step_nor_iterations(void **state) {
    (void)state;
    const struct {
        float dt;
        int substeps, iterations;
    } cases[] = {{DT, 8, 1},
                 {DT, 1, 20},
                 {DT, 1, 1},
                 {1.0f / 240.0f, 1, 5},
                 {1.0f / 30.0f, 16, 2},
                 {1.0f / 1000.0f, 1, 1}};
    for (int count = 11; count <= 141; count += 130) { // in one lane, and cut
        for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
            SnWorld *world = make_world(sn_vec3(0.0f, 0.0f, 9.81f));
            SnVec3 x[COPY_MAX];
            SnRodDef def = straight_def(x, count, 1.0);
            def.classic = true;
            def.material.damping = 0.05f;
            SnBodyId rod = create(world, &def);
            pin(world, rod, SN_ATTACH_VERTEX, 0);
            for (float t = 0.0f; t < 2.0f; t += cases[c].dt)
                (void)sn_world_step(world, cases[c].dt, cases[c].substeps, cases[c].iterations);
            RodCopy now;
            copy_rod(world, rod, &now);
            double stretch = (double)now.x[count - 1].z - 1.0, expected = 1000.0 * 9.81 / 2e6;
            if (!(fabs(stretch / expected - 1.0) < 0.01))
                fail_msg("%d vertices, dt %g, %d sub-steps, %d iterations: stretch %g, expected %g",
                         count, (double)cases[c].dt, cases[c].substeps, cases[c].iterations,
                         stretch, expected);
            sn_world_destroy(world);
        }
    }
}

static void a_stiff_rope_hardly_stretches(void **state) {
    (void)state;
    for (int count = 31; count <= 151; count += 120) {
        SnWorld *world = make_world(sn_vec3(0.0f, 0.0f, 9.81f));
        SnVec3 x[COPY_MAX];
        SnRodDef def = straight_def(x, count, 1.0);
        def.material.young = 1e9f;
        SnBodyId rod = create(world, &def);
        pin(world, rod, SN_ATTACH_VERTEX, 0);
        double most = 0.0;
        for (int n = 0; n < 120; ++n) {
            (void)sn_world_step(world, DT, 1, 5);
            most = fmax(most, sn_world_measure(world).stretch_max);
        }
        assert_below(most, 1e-4);
        sn_world_destroy(world);
    }
}

// Bodies that fall freely do so as implicit Euler has it, near and far, for any number of sub-steps.
static void free_fall_is_exact(void **state) {
    (void)state;
    const int substeps[] = {1, 8, 50, 200};
    for (int place = 0; place < 3; ++place) {
        for (int c = 0; c < 4; ++c) {
            for (int kind = 0; kind < 3; ++kind) { // open, ring, cut
                SnWorld *world = make_world(sn_vec3(0.0f, -9.81f, 0.0f));
                SnVec3 x[COPY_MAX];
                int count = kind == 2 ? 120 : 12;
                SnRodDef def = straight_def(x, count, 1.0);
                if (kind == 1) {
                    circle_of_points(x, count, 0.2);
                    def.closed = true;
                }
                def.origin[1] = place == 1 ? 12.3 : (place == 2 ? 1e4 : 0.0);
                SnBodyId rod = create(world, &def);
                RodCopy first, now;
                copy_rod(world, rod, &first);
                for (int n = 0; n < 12; ++n)
                    (void)sn_world_step(world, DT, substeps[c], 1);
                copy_rod(world, rod, &now);
                for (int i = 0; i < count; ++i) {
                    if (!(fabs((double)now.v[i].y + 9.81 * 0.2) < 2e-3))
                        fail_msg("place %d, %d sub-steps, kind %d: v is %g, expected %g", place,
                                 substeps[c], kind, (double)now.v[i].y, -9.81 * 0.2);
                    double fall = 0.5 * 9.81 * 0.2 * (0.2 + 1.0 / 60.0 / substeps[c]);
                    assert_near(first.x[i].y - now.x[i].y, fall, place == 2 ? 2e-3 : 5e-4);
                }
                assert_below(sn_world_measure(world).stretch_max, 2e-4);
                sn_world_destroy(world);
            }
        }
    }
}

typedef struct Momenta {
    double p[3], l[3], energy, p_scale, l_scale;
} Momenta;

static Momenta momenta(SnWorld *world, SnBodyId rod) {
    SnMeasures m = sn_world_measure(world);
    Momenta out = {0};
    RodCopy now;
    copy_rod(world, rod, &now);
    for (int i = 0; i < now.vertices; ++i) {
        double mv = m.mass / now.vertices * distance(now.v[i], sn_vec3(0, 0, 0));
        out.p_scale += mv;
        out.l_scale += mv * distance(now.x[i], sn_vec3(0, 0, 0));
    }
    memcpy(out.p, m.momentum, sizeof out.p);
    memcpy(out.l, m.angular_momentum, sizeof out.l);
    out.energy = m.energy_kinetic + m.energy_elastic;
    return out;
}

static double difference(const double a[3], const double b[3]) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

// A free rod, thrown and deformed: classic and volume, in one lane, closed and cut, damped or not.
static void free_rods_conserve_momentum_and_gain_no_energy(void **state) {
    (void)state;
    for (int variant = 0; variant < 16; ++variant) {
        Rng rng = {(uint64_t)variant};
        bool closed = variant & 1, classic = variant & 2, cut = variant & 4, damped = variant & 8;
        int count = cut ? 110 : 14;
        SnWorld *world = weightless_world();
        SnVec3 x[COPY_MAX], start[COPY_MAX];
        SnRodDef def = straight_def(x, count, 0.08 * count);
        if (closed)
            circle_of_points(x, count, 0.08 * count / 6.28);
        for (int i = 0; i < count; ++i) {
            SnVec3 by = rng_vec3(&rng, 0.008);
            start[i] = sn_vec3(1.05f * x[i].x + by.x, x[i].y + by.y, 1.05f * x[i].z + by.z);
        }
        def.closed = closed;
        def.classic = classic;
        def.start_positions = start;
        def.material.damping = damped ? 0.005f : 0.0f;
        def.velocity = sn_vec3(0.5f, 1.0f, -0.3f);
        def.angular_velocity = sn_vec3(0.5f, 1.0f, 0.2f);
        SnBodyId rod = create(world, &def);
        Momenta first = momenta(world, rod), before = first;
        for (int n = 0; n < 60; ++n) {
            (void)sn_world_step(world, DT, 16, 4);
            Momenta now = momenta(world, rod);
            double p = difference(now.p, first.p) / first.p_scale;
            double l = difference(now.l, first.l) / first.l_scale;
            double gain = (now.energy - first.energy) / first.energy;
            if (!(p < 5e-5 && l < 0.02 && gain < 1e-4))
                fail_msg("%s %s, %d vertices, %s, step %d: momentum off by %g, angular momentum by "
                         "%g, energy gained %g",
                         closed ? "closed" : "open", classic ? "classic" : "volume", count,
                         damped ? "damped" : "undamped", n, p, l, gain);
            before = now;
        }
        assert_true(before.energy < first.energy);
        sn_world_destroy(world);
    }
}

static void free_spins_are_kept(void **state) {
    (void)state;
    SnVec3 x[COPY_MAX];
    for (int damped = 0; damped < 2; ++damped) {
        // About its own axis for one second.
        SnWorld *world = weightless_world();
        SnRodDef def = straight_def(x, 8, 0.7);
        def.material.damping = damped ? 0.05f : 0.0f;
        def.angular_velocity = sn_vec3(0.0f, 0.0f, 20.0f);
        SnBodyId rod = create(world, &def);
        steps(world, 60, 8, 1);
        RodCopy now;
        copy_rod(world, rod, &now);
        for (int j = 0; j < now.segments; ++j)
            assert_near(now.w[j].z, 20.0, 0.01);
        sn_world_destroy(world);

        // End over end: implicit Euler loses about (hω)² per sub-step, and internal damping nothing.
        for (int substeps = 16; substeps <= 64; substeps *= 4) {
            world = weightless_world();
            def.material.young = 1e8f;
            def.angular_velocity = sn_vec3(4.0f, 0.0f, 0.0f);
            create(world, &def);
            double first = sn_world_measure(world).angular_momentum[0];
            steps(world, 60, substeps, 1);
            double left = sn_world_measure(world).angular_momentum[0] / first;
            assert_near(left, 1.0, 16.0 / (60.0 * substeps));
            sn_world_destroy(world);
        }
    }
}

// A rod at rest stays as it is, whatever its shape and wherever it is cut.
static void rods_at_rest_stay_at_rest(void **state) {
    (void)state;
    for (int variant = 0; variant < 8; ++variant) {
        bool closed = variant & 1, cut = variant & 2, longer = variant & 4;
        int count = cut ? 201 : 40;
        Rng rng = {(uint64_t)variant};
        double size = longer ? 300.0 / count : 0.05; // m per segment
        SnWorld *world = weightless_world();
        SnVec3 x[COPY_MAX];
        SnRodDef def = straight_def(x, count, size * count);
        if (closed)
            circle_of_points(x, count, size * count / 6.28);
        for (int i = 0; i < count; ++i)
            x[i].y = rng_float(&rng, -0.1 * size, 0.1 * size);
        def.closed = closed;
        def.radius = (float)(0.3 * size);
        SnBodyId rod = create(world, &def);
        RodCopy first, now;
        copy_rod(world, rod, &first);
        steps(world, 100, 4, 2);
        copy_rod(world, rod, &now);
        if (!(farthest(&first, &now) < 4e-5 * size * count))
            fail_msg("%s, %d vertices, %g m: moved by %g", closed ? "closed" : "open", count,
                     size * count, farthest(&first, &now));
        for (int i = 0; i < count; ++i)
            assert_near(now.s[i], 1.0, 1e-3);
        sn_world_destroy(world);
    }
}

// How much the vertices of a ring about the origin differ.
static void ring_spread(const RodCopy *now, double *out_radius, double *out_scale) {
    double least = 1e9, most = 0.0, s_least = 1e9, s_most = 0.0;
    for (int i = 0; i < now->vertices; ++i) {
        double r = hypot((double)now->x[i].x, (double)now->x[i].z);
        least = fmin(least, r);
        most = fmax(most, r);
        s_least = fmin(s_least, (double)now->s[i]);
        s_most = fmax(s_most, (double)now->s[i]);
    }
    *out_radius = most - least;
    *out_scale = s_most - s_least;
}

// A uniform ring that is pulled outwards, or let go stretched, stays a circle: the seam is a vertex as
// all others. (For long the pull is not stable; the ring would slip off the centre.)
static void rings_stay_round(void **state) {
    (void)state;
    for (int variant = 0; variant < 4; ++variant) {
        int count = variant / 2 ? 120 : 24;
        bool stretched = variant % 2;
        SnWorld *world = weightless_world();
        SnVec3 x[COPY_MAX], start[COPY_MAX];
        SnRodDef def = straight_def(x, count, 1.0);
        circle_of_points(x, count, 0.5);
        circle_of_points(start, count, 0.52);
        def.closed = true;
        def.radius = 0.03f;
        def.start_positions = stretched ? start : NULL;
        SnBodyId rod = create(world, &def);
        SnFieldDef field = sn_default_field_def();
        field.kind = SN_FIELD_POINT;
        field.strength = stretched ? 0.0f : 30.0f;
        field.radius = 2.0f;
        SnFieldId id;
        assert_ok(sn_field_create(world, &field, &id));
        for (int n = 0; n < 20; ++n) {
            steps(world, 1, 8, 2);
            RodCopy now;
            copy_rod(world, rod, &now);
            double radius, scale;
            ring_spread(&now, &radius, &scale);
            if (!(radius < 1e-3 && scale < 2e-3))
                fail_msg("%d vertices, %s, step %d: radii differ by %g, scales by %g", count,
                         stretched ? "stretched" : "pulled", n, radius, scale);
        }
        sn_world_destroy(world);
    }
}

// The same ring, numbered from another vertex, moves the same way.
static void the_first_vertex_of_a_ring_is_any_vertex(void **state) {
    (void)state;
    enum { COUNT = 30, SHIFT = 11 };
    RodCopy runs[2];
    for (int run = 0; run < 2; ++run) {
        SnWorld *world = make_world(sn_vec3(0.0f, -9.81f, 0.0f));
        SnVec3 x[COUNT];
        SnRodDef def = sn_default_rod_def();
        def.solver = SN_SOLVER_SWEEP;
        for (int i = 0; i < COUNT; ++i) {
            double angle = 2.0 * SUPPORT_PI * (i + run * SHIFT) / COUNT;
            x[i] = sn_vec3((float)(0.5 * cos(angle)), (float)(0.1 * cos(2.0 * angle)),
                           (float)(0.3 * sin(angle)));
        }
        def.vertex_count = COUNT;
        def.closed = true;
        def.positions = x;
        def.radius = 0.05f; // bends, and does not fold
        SnBodyId rod = create(world, &def);
        pin(world, rod, SN_ATTACH_VERTEX, run ? COUNT - SHIFT : 0);
        steps(world, 30, 16, 4);
        copy_rod(world, rod, &runs[run]);
        sn_world_destroy(world);
    }
    double most = 0.0, fallen = 0.0;
    for (int i = 0; i < COUNT; ++i) {
        most = fmax(most, distance(runs[0].x[(i + SHIFT) % COUNT], runs[1].x[i]));
        fallen = fmax(fallen, fabs((double)runs[1].x[i].y));
    }
    assert_true(fallen > 0.3);
    assert_below(most, 0.02 * fallen);
}

// A rod that is cut hangs as one that is not: 96 and 97 segments of the same rope.
static void a_cut_rod_moves_as_an_uncut_one(void **state) {
    (void)state;
    double tip[2][2];
    for (int cut = 0; cut < 2; ++cut) {
        SnWorld *world = make_world(sn_vec3(0.0f, -9.81f, 0.0f));
        SnVec3 x[COPY_MAX];
        int count = cut ? 98 : 97;
        SnRodDef def = straight_def(x, count, 1.0);
        def.material.damping = 0.02f;
        def.material.drag = 0.5f;
        SnBodyId rod = create(world, &def);
        pin(world, rod, SN_ATTACH_VERTEX, 0);
        steps(world, 30, 20, 2);
        RodCopy now;
        copy_rod(world, rod, &now);
        tip[cut][0] = (double)now.x[count - 1].y;
        tip[cut][1] = (double)now.x[count - 1].z;
        sn_world_destroy(world);
    }
    assert_true(tip[0][0] < -0.3);
    assert_near(tip[1][0], tip[0][0], 0.03);
    assert_near(tip[1][1], tip[0][1], 0.03);
}

static void an_activated_rod_shortens_and_bulges(void **state) {
    (void)state;
    for (int count = 12; count <= 121; count += 109) {
        SnWorld *world = weightless_world();
        SnVec3 x[COPY_MAX];
        SnRodDef def = straight_def(x, count, 1.0);
        def.radius = 0.05f;
        def.material.shear = 1e4f; // little resistance of the cross-section
        def.material.damping = 0.02f;
        SnBodyId rod = create(world, &def);
        pin(world, rod, SN_ATTACH_VERTEX, 0);
        for (int n = 0; n < 240; ++n) {
            float to = n < 60 ? 1.0f - 0.3f * (float)(n + 1) / 60.0f : 0.7f;
            assert_ok(sn_rod_set_length_scale(world, rod, 0, count - 1, to));
            steps(world, 1, 16, 2);
        }
        RodCopy now;
        copy_rod(world, rod, &now);
        assert_near(distance(now.x[0], now.x[count - 1]), 0.7, 0.01);
        for (int i = 0; i < count; ++i)
            assert_near(now.s[i], 1.0 / sqrt(0.7), 0.015);
        assert_below(sn_world_measure(world).volume_error_max, 0.01);
        sn_world_destroy(world);
    }
}

// Stretched, a volume rod has an error for a moment; a classic rod has no volume that it would keep.
static void only_what_keeps_its_volume_has_an_error(void **state) {
    (void)state;
    for (int classic = 0; classic < 2; ++classic) {
        SnWorld *world = weightless_world();
        SnVec3 x[COPY_MAX];
        SnRodDef def = straight_def(x, 12, 1.0);
        def.classic = classic;
        SnBodyId rod = create(world, &def);
        pin(world, rod, SN_ATTACH_VERTEX, 0);
        assert_ok(sn_body_add_impulse(world, rod, 11, sn_vec3(0.05f, 0, 0)));
        steps(world, 3, 16, 1);
        SnMeasures m = sn_world_measure(world);
        assert_true(m.stretch_max > 1e-5);
        assert_true(classic ? m.volume_error_max == 0.0 && m.volume_error_mean == 0.0
                            : m.volume_error_max > 0.0 && m.volume_error_mean > 0.0);
        sn_world_destroy(world);
    }
}

static double energy_after(float damping, float drag, double seconds, bool rigid) {
    SnWorld *world = weightless_world();
    SnVec3 x[COPY_MAX], start[COPY_MAX];
    SnRodDef def = straight_def(x, 12, 0.6);
    for (int i = 0; i < 12; ++i)
        start[i] = sn_vec3(0.0f, 0.0f, (rigid ? 1.0f : 1.1f) * x[i].z);
    def.start_positions = start;
    def.material.damping = damping;
    def.material.drag = drag;
    def.velocity = rigid ? sn_vec3(1.0f, 2.0f, 0.0f) : sn_vec3(0, 0, 0);
    create(world, &def);
    steps(world, (int)(seconds * 60.0 + 0.5), 16, 2);
    SnMeasures m = sn_world_measure(world);
    sn_world_destroy(world);
    return m.energy_kinetic + m.energy_elastic;
}

static void damping_takes_vibration_and_not_motion(void **state) {
    (void)state;
    double free = energy_after(0.0f, 0.0f, 0.1, false);
    double some = energy_after(0.001f, 0.0f, 0.1, false);
    double more = energy_after(0.01f, 0.0f, 0.1, false);
    assert_true(some < 0.9 * free);
    assert_true(more < 0.9 * some);
    double still = energy_after(0.0f, 0.0f, 0.0, true), moved = energy_after(1.0f, 0.0f, 1.0, true);
    assert_near(moved, still, 1e-3 * still);
    // Drag: velocities decay as exp(−t c), energy twice as fast.
    double dragged = energy_after(0.0f, 1.5f, 1.0, true);
    assert_near(dragged / still, exp(-3.0), 0.01 * exp(-3.0));
}

// Placed with `origin`, a rod moves 10 km away as it does here.
static void far_away_is_as_near(void **state) {
    (void)state;
    RodCopy runs[2];
    for (int far = 0; far < 2; ++far) {
        SnWorld *world = make_world(sn_vec3(0.0f, -9.81f, 0.0f));
        SnVec3 x[COPY_MAX];
        SnRodDef def = straight_def(x, 20, 1.0);
        def.origin[0] = far ? 10000.0 : 0.0;
        def.origin[2] = far ? -8000.0 : 0.0;
        SnBodyId rod = create(world, &def);
        pin(world, rod, SN_ATTACH_VERTEX, 0);
        pin(world, rod, SN_ATTACH_SEGMENT, 0);
        steps(world, 60, 8, 2);
        copy_rod(world, rod, &runs[far]);
        sn_world_destroy(world);
    }
    assert_memory_equal(runs[0].v, runs[1].v, 20 * sizeof(SnVec3));
    assert_memory_equal(runs[0].s, runs[1].s, 20 * sizeof(float));
    assert_memory_equal(runs[0].q, runs[1].q, 19 * sizeof(SnQuat));
    assert_true(runs[0].x[19].y < -0.1f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hanging_stretch_depends_on_neither_step_nor_iterations),
        cmocka_unit_test(a_stiff_rope_hardly_stretches),
        cmocka_unit_test(free_fall_is_exact),
        cmocka_unit_test(free_rods_conserve_momentum_and_gain_no_energy),
        cmocka_unit_test(free_spins_are_kept),
        cmocka_unit_test(rods_at_rest_stay_at_rest),
        cmocka_unit_test(rings_stay_round),
        cmocka_unit_test(the_first_vertex_of_a_ring_is_any_vertex),
        cmocka_unit_test(a_cut_rod_moves_as_an_uncut_one),
        cmocka_unit_test(an_activated_rod_shortens_and_bulges),
        cmocka_unit_test(only_what_keeps_its_volume_has_an_error),
        cmocka_unit_test(damping_takes_vibration_and_not_motion),
        cmocka_unit_test(far_away_is_as_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
