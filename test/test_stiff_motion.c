// Stiff rods in motion against mechanics: fall, pendulum, vibration, conservation laws, energy,
// damping, and ropes that do not stretch.
#include "stiff_kit.h"

static void free_fall_is_exact(void **state) {
    (void)state;
    const float scales[] = {1.0f, 0.5f, 0.0f, -2.0f};
    for (int k = 0; k < 4; ++k) {
        Rng rng = {7};
        static SnVec3 x[40];
        static int edges[80];
        static RodCopy now;
        SnWorld *world = heavy_world();
        random_tree(&rng, 40, 4, x, edges);
        SnRodDef def = stiff_def(x, 40, 0.01f);
        def.edges = edges;
        def.edge_count = 39;
        def.velocity = sn_vec3(1.0f, 2.0f, 3.0f);
        def.gravity_scale = k < 2 ? scales[k] : 1.0f;
        SnBodyId rod = add_rod(world, &def);
        if (k >= 2)
            assert_ok(sn_body_set_gravity_scale(world, rod, scales[k]));
        const int steps = 100;
        const double h = (double)0.01f;
        for (int n = 0; n < steps; ++n)
            assert_int_equal(sn_world_step(world, 0.01f, 1, 2), SN_STEP_OK);
        double g = (double)-9.81f * (double)scales[k], t = h * steps;
        double y = 2.0 * t + 0.5 * g * t * t;
        copy_rod(world, rod, &now);
        for (int i = 0; i < 40; ++i) {
            assert_near(now.x[i].x - x[i].x, h * steps, 2e-6);
            assert_near(now.x[i].y - x[i].y, y, 2e-6);
            assert_near(now.v[i].y, 2.0 + g * h * steps, 4e-6);
        }
        sn_world_destroy(world);
    }
}

static void drag_slows_by_its_rate(void **state) {
    (void)state;
    SnVec3 x[8];
    line_of_points(x, 8, sn_vec3(0, 0, 0), sn_vec3(0.1f, 0, 0));
    SnWorld *world = weightless_world();
    SnRodDef def = stiff_def(x, 8, 0.01f);
    def.velocity = sn_vec3(0.0f, 0.0f, 3.0f);
    def.material.drag = 2.0f;
    SnBodyId rod = add_rod(world, &def);
    for (int n = 0; n < 50; ++n)
        assert_int_equal(sn_world_step(world, 0.02f, 2, 1), SN_STEP_OK);
    assert_near(velocity_at(world, rod, 3).z, 3.0 * pow(1.0 + 0.01 * 2.0, -100.0), 1e-5);
    sn_world_destroy(world);
}

// The mean time between the zero crossings of a signal × 2.
typedef struct Clock {
    double last, first, time, previous;
    int crossings;
} Clock;

static void clock_see(Clock *c, double h, double value) {
    c->time += h;
    if (c->previous != 0.0 && (value < 0.0) != (c->previous < 0.0)) {
        c->last = c->time - h * value / (value - c->previous);
        if (c->crossings++ == 0)
            c->first = c->last;
    }
    c->previous = value;
}

static double clock_period(const Clock *c) {
    return 2.0 * (c->last - c->first) / (c->crossings - 1);
}

// In both of its planes: the inertia is that of the cross-section's ellipse.
static void a_pendulum_has_its_period(void **state) {
    (void)state;
    const float flat[2] = {0.2f, 0.05f};
    for (int plane = 0; plane < 2; ++plane) {
        SnVec3 rest[2] = {{0, 0, 0}, {0, -0.8f, 0}};
        SnVec3 start[2] = {{0, 0, 0}, {0, -0.8f * 0.9998f, 0}};
        *(plane ? &start[1].z : &start[1].x) = 0.8f * 0.02f;
        SnQuat frame = turn_about(1, 0, 0, 0.5 * SUPPORT_PI); // axes: x, z, −y
        SnSegmentDef ellipse = {.radius_x = flat[0], .radius_y = flat[1]};
        SnWorld *world = heavy_world();
        SnRodDef def = stiff_def(rest, 2, 0.02f);
        def.start_positions = start;
        def.frames = &frame;
        def.segments = &ellipse;
        SnBodyId rod = add_rod(world, &def);
        pin(world, rod, SN_ATTACH_VERTEX, 0);
        SnVec3 hinge = vertex_at(world, rod, 0);
        Clock clock = {0};
        for (int n = 0; n < 4000; ++n) {
            assert_int_equal(sn_world_step(world, 0.002f, 1, 2), SN_STEP_OK);
            SnVec3 end = vertex_at(world, rod, 1);
            clock_see(&clock, 0.002, (double)(plane ? end.z : end.x));
        }
        double wide = (double)flat[plane];
        double about_hinge = 0.8 * 0.8 / 3.0 + 0.25 * wide * wide;
        double period = 2.0 * SUPPORT_PI / sqrt(9.81 * 0.4 / about_hinge);
        assert_true(clock.crossings > 8);
        assert_near(clock_period(&clock) / period, 1.0, 1e-3);
        assert_below(distance(vertex_at(world, rod, 0), hinge), 1e-9);
        sn_world_destroy(world);
    }
}

// A bar of one free segment on a fixed one swings about its axis at sqrt(k/I), I = m r²/2; half of it
// gives way.
static void a_bar_swings_about_its_axis(void **state) {
    (void)state;
    SnVec3 x[3] = {{-0.05f, 0, 0}, {0.05f, 0, 0}, {0.15f, 0, 0}};
    static RodCopy now;
    SnWorld *world = weightless_world();
    SnRodDef def = stiff_def(x, 3, 0.02f);
    def.material.young = 1e6f;
    def.material.shear = 4e5f;
    SnBodyId rod = add_rod(world, &def);
    clamp(world, rod, 0, 0);
    pin(world, rod, SN_ATTACH_VERTEX, 1);
    double k = 4e5 * 2.0 * round_moment(0.02) / 0.05;
    double inertia = 0.5 * 1000.0 * round_area(0.02) * 0.1 * 0.02 * 0.02;
    double omega = sqrt(k / inertia), h = 0.01 / omega;
    copy_rod(world, rod, &now);
    now.w[1] = sn_vec3((float)(0.01 * omega), 0, 0);
    assert_ok(sn_body_write(world, rod, &(SnBodyState){.angular_velocities = now.w}));
    Clock clock = {0};
    for (int n = 0; n < 2500; ++n) {
        assert_int_equal(sn_world_step(world, (float)h, 1, 2), SN_STEP_OK);
        copy_rod(world, rod, &now);
        clock_see(&clock, h, (double)now.w[1].x);
    }
    assert_true(clock.crossings > 5);
    assert_near(clock_period(&clock) / (2.0 * SUPPORT_PI / omega), 1.0, 1e-3);
    sn_world_destroy(world);
}

// Bent by a force at its tip and let go: the period, and how the amplitude decays.
static void vibrate(double damping, double *out_period, double *out_rate, double omega, double h) {
    static SnVec3 x[33];
    SnWorld *world = weightless_world();
    SnRodDef def = beam_def(x, 32, 1.0, 0.01f, 1e8f);
    SnBodyId rod = add_rod(world, &def);
    clamp(world, rod, 0, 0);
    double ei = 1e8 * round_moment((double)def.radius);
    settle_under(world, rod, 32, sn_vec3(0.0f, (float)(3.0 * ei * 1e-3), 0.0f), 30, 1.0f);
    def.material.damping = (float)damping;
    assert_ok(sn_rod_set_material(world, rod, &def.material));
    Clock clock = {0};
    double peak[2] = {0.0, 0.0}, sign = 1.0;
    int swings = 0;
    while (clock.crossings < 12) {
        assert_int_equal(sn_world_step(world, (float)h, 1, 1), SN_STEP_OK);
        double y = (double)vertex_at(world, rod, 32).y;
        int before = clock.crossings;
        clock_see(&clock, h, y);
        if (clock.crossings != before) {
            sign = y < 0.0 ? -1.0 : 1.0;
            ++swings;
        }
        int which = swings == 2 ? 0 : swings == 10 ? 1 : -1;
        if (which >= 0)
            peak[which] = fmax(peak[which], sign * y);
    }
    *out_period = clock_period(&clock);
    *out_rate = log(peak[0] / peak[1]) / (8.0 * SUPPORT_PI / omega);
    sn_world_destroy(world);
}

static void a_beam_vibrates_by_theory(void **state) {
    (void)state;
    double mass = 1000.0 * round_area(0.01), ei = 1e8 * round_moment(0.01);
    double omega = 1.875104 * 1.875104 * sqrt(ei / mass), h = (double)(float)(0.01 / omega);
    double period, rate, damped_rate;
    vibrate(0.0, &period, &rate, omega, h);
    assert_near(period / (2.0 * SUPPORT_PI / omega), 1.0, 0.005);
    // The amplitude of implicit Euler would decay at ω² h/2; Kelvin-Voigt damping adds ω² τ/2.
    assert_below(rate / (0.5 * omega * omega * h), 0.1);
    double tau = 0.03 / omega;
    vibrate(tau, &period, &damped_rate, omega, h);
    assert_near((damped_rate - rate) / (0.5 * omega * omega * tau), 1.0, 0.03);
}

typedef struct Free {
    SnMeasures before, after;
    double energy_up; // most that there was beyond the energy at the start, of itself
} Free;

// A tree in space with a velocity and a spin, and a bend of its own.
static Free fly(uint64_t seed, float dt, int steps, int substeps) {
    Rng rng = {seed};
    static SnVec3 x[60], start[60];
    static int edges[120];
    SnWorld *world = weightless_world();
    random_tree(&rng, 60, 5, x, edges);
    for (int i = 0; i < 60; ++i)
        start[i] = x[i];
    for (int i = 1; i < 60; ++i) { // turn what leads there about the last vertex, keeping lengths
        SnVec3 a = start[edges[2 * i - 2]],
               d = sn_vec3(x[i].x - x[edges[2 * i - 2]].x, x[i].y - x[edges[2 * i - 2]].y,
                           x[i].z - x[edges[2 * i - 2]].z);
        double c = cos(0.2), s = sin(0.2);
        start[i] = sn_vec3(a.x + (float)(c * (double)d.x - s * (double)d.y),
                           a.y + (float)(s * (double)d.x + c * (double)d.y), a.z + d.z);
    }
    SnRodDef def = stiff_def(x, 60, 0.01f);
    def.edges = edges;
    def.edge_count = 59;
    def.start_positions = start;
    def.velocity = rng_vec3(&rng, 3.0);
    def.angular_velocity = rng_vec3(&rng, 2.0);
    def.material.young = 1e7f;
    def.material.shear = 4e6f;
    SnBodyId rod = add_rod(world, &def);
    Free out = {.before = measures_of(world, rod)};
    double first = out.before.energy_kinetic + out.before.energy_elastic;
    for (int n = 0; n < steps; ++n) {
        assert_int_equal(sn_world_step(world, dt, substeps, 3), SN_STEP_OK);
        out.after = measures_of(world, rod);
        double now = out.after.energy_kinetic + out.after.energy_elastic;
        out.energy_up = fmax(out.energy_up, now / first - 1.0);
    }
    sn_world_destroy(world);
    return out;
}

static double turning_lost(uint64_t seed, int substeps) {
    Free f = fly(seed, 0.01f, 50, substeps);
    double lost = 0.0, all = 0.0;
    for (int c = 0; c < 3; ++c) {
        double scale = f.before.mass * 3.0;
        assert_near(f.after.momentum[c] / scale, f.before.momentum[c] / scale, 1e-11);
        lost += pow(f.after.angular_momentum[c] - f.before.angular_momentum[c], 2.0);
        all += pow(f.before.angular_momentum[c], 2.0);
    }
    return sqrt(lost / all);
}

// Momentum is exact; angular momentum is lost in proportion to the step.
static void a_free_tree_keeps_its_momenta(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 5; ++seed) {
        double coarse = turning_lost(seed, 4), fine = turning_lost(seed, 16);
        assert_below(coarse, 0.02);
        assert_below(fine, 0.35 * coarse);
    }
}

// A rod of one or of many segments that spins in space, about an axis across it and about any: all of its
// angular momentum is left after 20 s, and next to no energy is won.
static void spins_last(void **state) {
    (void)state;
    const SnVec3 axes[] = {{0, 0, 1}, {0.6f, 0.64f, -0.48f}};
    const float speeds[] = {2.0f, 10.0f};
    for (int k = 0; k < 16; ++k) {
        SnVec3 x[21], axis = axes[k / 2 % 2];
        float speed = speeds[k % 2];
        int segments = k < 8 ? 20 : 1, iterations = k / 4 % 2 ? 3 : 1;
        line_of_points(x, segments + 1, sn_vec3(0, 0, 0), sn_vec3(1.0f / (float)segments, 0, 0));
        SnWorld *world = weightless_world();
        SnRodDef def = stiff_def(x, segments + 1, 0.01f);
        def.material.young = 2e11f;
        def.material.shear = 8e10f;
        def.angular_velocity = sn_vec3(speed * axis.x, speed * axis.y, speed * axis.z);
        SnBodyId rod = add_rod(world, &def);
        SnMeasures before = measures_of(world, rod);
        for (int n = 0; n < 1200; ++n)
            assert_int_equal(sn_world_step(world, 1.0f / 60.0f, 10, iterations), SN_STEP_OK);
        SnMeasures after = measures_of(world, rod);
        double left = 0.0, all = 0.0;
        for (int c = 0; c < 3; ++c) {
            left += after.angular_momentum[c] * before.angular_momentum[c];
            all += before.angular_momentum[c] * before.angular_momentum[c];
        }
        assert_near(left / all, 1.0, k % 2 ? 0.01 : 0.001);
        assert_below(after.energy_kinetic + after.energy_bend, 1.001 * before.energy_kinetic);
        sn_world_destroy(world);
    }
}

static void energy_never_grows(void **state) {
    (void)state;
    Rng rng = {77};
    for (uint64_t k = 1; k <= 24; ++k) {
        float dt = rng_log(&rng, 1e-3, 4e-2);
        Free f = fly(100 + k, dt, 100, 1);
        if (!(f.energy_up < 1e-5))
            fail_msg("tree %d at %g ms: energy grew by %g of itself", (int)k, 1e3 * (double)dt,
                     f.energy_up);
    }
}

// 1000 segments and a weight of 1000 times their mass.
static void a_heavy_rope_does_not_stretch(void **state) {
    (void)state;
    enum { N = 1000 };
    static SnVec3 x[N + 1];
    static SnSegmentDef segments[N];
    for (int swings = 0; swings < 2; ++swings) {
        SnWorld *world = heavy_world();
        line_of_points(x, N + 1, sn_vec3(0, 0, 0),
                       swings ? sn_vec3(0.008f, -0.006f, 0.0f) : sn_vec3(0.0f, -0.01f, 0.0f));
        memset(segments, 0, sizeof segments);
        segments[N - 1] = (SnSegmentDef){.density = 1e6f, .radius_x = 0.1581f, .radius_y = 0.1581f};
        SnRodDef def = stiff_def(x, N + 1, 0.005f);
        def.segments = segments;
        SnBodyId rod = add_rod(world, &def);
        double rope = 1000.0 * round_area(0.005) * 10.0;
        assert_near(rod_mass(world, rod) / rope, 1001.0, 5.0);
        pin(world, rod, SN_ATTACH_VERTEX, 0);
        double worst = 0.0, energy = 1e300;
        for (int n = 0; n < 120; ++n) {
            assert_int_equal(sn_world_step(world, 1.0f / 60.0f, 1, 3), SN_STEP_OK);
            SnMeasures m = measures_of(world, rod);
            worst = fmax(worst, m.stretch_max);
            double now = m.energy_kinetic + m.energy_gravity + m.energy_elastic;
            assert_below(now, energy + 1e-4 * m.mass * 9.81 * 10.0);
            energy = now;
        }
        assert_below(worst, 1e-4);
        double apart = distance(vertex_at(world, rod, 0), vertex_at(world, rod, N));
        assert_near(apart, 10.0, 0.01);
        sn_world_destroy(world);
    }
}

// A curved, soft rod spins about a hinge, in three dimensions, and vibrates. What ω × I ω does to a segment depends on
// how fast it turns in the middle of a sub-step, which the torque of its joints has a part in: without that, energy grew
// by 20 % in 20 s of these sub-steps, and by 60 % in others.
static void what_spins_about_a_hinge_gains_nothing(void **state) {
    (void)state;
    const int substeps[] = {2, 4};
    for (int k = 0; k < 2; ++k) {
        const double bow = 0.684, radius = 1.2 / bow;
        SnVec3 x[8], spin = sn_vec3(2.55f, 0.0f, 8.49f), centre = sn_vec3(0.0f, 0.0f, 0.0f);
        for (int i = 0; i < 8; ++i) {
            double at = bow * i / 7.0;
            x[i] = sn_vec3((float)(radius * sin(at)), (float)(radius * (1.0 - cos(at))), 0.0f);
            float part = (i > 0 && i < 7 ? 1.0f : 0.5f) / 7.0f;
            centre = sn_vec3_add(centre, sn_vec3_scale(x[i], part));
        }
        SnRodDef def = stiff_def(x, 8, 0.0183f);
        def.material.density = 1000.0f;
        def.material.young = 4.37e6f;
        def.material.damping = 0.0f;
        def.angular_velocity = spin;
        def.velocity = sn_vec3_cross(spin, centre);
        SnWorld *world = weightless_world();
        SnBodyId rod = add_rod(world, &def);
        pin(world, rod, SN_ATTACH_VERTEX, 0);
        SnMeasures m = sn_world_measure(world);
        const double start = m.energy_elastic + m.energy_kinetic;
        for (int n = 0; n < 4400; ++n) {
            assert_int_equal(sn_world_step(world, 0.004461f, substeps[k], 1), SN_STEP_OK);
            m = sn_world_measure(world);
            assert_below(m.energy_elastic + m.energy_kinetic, 1.0005 * start);
        }
        assert_true(m.energy_elastic + m.energy_kinetic > 0.99 * start);
        sn_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_fall_is_exact),
        cmocka_unit_test(drag_slows_by_its_rate),
        cmocka_unit_test(a_pendulum_has_its_period),
        cmocka_unit_test(a_bar_swings_about_its_axis),
        cmocka_unit_test(a_beam_vibrates_by_theory),
        cmocka_unit_test(a_free_tree_keeps_its_momenta),
        cmocka_unit_test(spins_last),
        cmocka_unit_test(energy_never_grows),
        cmocka_unit_test(what_spins_about_a_hinge_gains_nothing),
        cmocka_unit_test(a_heavy_rope_does_not_stretch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
