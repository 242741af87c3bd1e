// Bodies in the wind: drag against formulas worked out by hand, rods against what air can do to
// them, scenes with storms.
#include "support.h"

#include "math/drag.h"
#include "world/world.h"

#include <sinew/scene.h>

static SnFieldDef wind_def(float strength) {
    SnFieldDef def = sn_default_field_def();
    def.kind = SN_FIELD_WIND;
    def.strength = strength;
    return def;
}

static SnFieldDef stormy_def(uint32_t seed) {
    SnFieldDef def = wind_def(8.0f);
    def.direction = sn_vec3(3.0f, 1.0f, -2.0f);
    def.gust = 0.5f;
    def.turbulence = 0.3f;
    def.eddy = 2.0f;
    def.seed = seed;
    return def;
}

static const Vec3d straight[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};

static void assert_vector(Vec3d found, Vec3d expected, double tolerance) {
    if (!(lengthd(subd(found, expected)) <= tolerance))
        fail_msg("(%g, %g, %g), expected (%g, %g, %g) ± %g", found.x, found.y, found.z, expected.x,
                 expected.y, expected.z, tolerance);
}

// A twig of 1 cm and 20 cm, a leaf of 4 × 6 cm, in 10 m/s; worked out by hand.
static void drag_has_the_formulas_forces(void **state) {
    (void)state;
    Drag d = sn__drag((Vec3d){10.0, 0.0, 0.0}, straight, 0.2, 0.005, 0.005, 1.2);
    assert_vector(d.force, (Vec3d){0.132, 0.0, 0.0}, 1e-9); // ½ 1.2 × 0.01 × 0.2 × 1.1 × 100
    assert_near(d.coefficient, 0.0132, 1e-9);
    d = sn__drag((Vec3d){6.0, -8.0, 0.0}, straight, 0.2, 0.005, 0.005, 1.2);
    assert_vector(d.force, (Vec3d){0.0792, -0.1056, 0.0}, 1e-9); // round: along the wind
    d = sn__drag((Vec3d){0.0, 0.0, -10.0}, straight, 0.2, 0.005, 0.005, 1.2);
    assert_vector(d.force, (Vec3d){0.0, 0.0, -0.0075398224},
                  1e-9); // ½ 1.2 π 0.01 × 0.2 × 0.02 × 100
    assert_near(d.coefficient, 0.00075398224, 1e-9);
    d = sn__drag((Vec3d){0.0, 10.0, 0.0}, straight, 0.06, 0.02, 0.0, 1.2);
    assert_vector(d.force, (Vec3d){0.0, 0.1728, 0.0}, 1e-9); // ½ 1.2 × 0.04 × 0.06 × 1.2 × 100
    d = sn__drag((Vec3d){10.0, 0.0, 0.0}, straight, 0.06, 0.02, 0.0, 1.2);
    assert_vector(d.force, (Vec3d){0.00576, 0.0, 0.0},
                  1e-9); // ½ 1.2 × 2 × 0.04 × 0.06 × 0.02 × 100
    d = sn__drag((Vec3d){0.0, 0.0, 10.0}, straight, 0.06, 0.02, 0.0, 1.2);
    assert_vector(d.force, (Vec3d){0.0, 0.0, 0.00576}, 1e-9);
    d = sn__drag((Vec3d){0.0, 6.0, 8.0}, straight, 0.06, 0.02, 0.0, 1.2); // |u| = 10, u_n = 6
    assert_vector(d.force, (Vec3d){0.0, 0.10368, 0.0036864}, 1e-9);
    // An ellipse of 2 : 1, flow along its longer axis: 1.1 × ½ on its thickness, and friction.
    d = sn__drag((Vec3d){10.0, 0.0, 0.0}, straight, 1.0, 0.02, 0.01, 1.2);
    assert_vector(d.force, (Vec3d){0.6 * (0.02 * 0.55 + 4.0 * 0.01 * 0.02) * 100.0, 0.0, 0.0},
                  1e-9);
    d = sn__drag((Vec3d){0}, straight, 1.0, 0.02, 0.01, 1.2);
    assert_true(lengthd(d.force) == 0.0 && d.coefficient == 0.0);
    d = sn__drag((Vec3d){1.0, 2.0, 3.0}, straight, 1.0, 0.0, 0.0, 1.2);
    assert_true(lengthd(d.force) == 0.0);
}

// Never against the wind, never more than the coefficient allows; which half width is called a does
// not matter, and round sections know no direction.
static void drag_is_fair(void **state) {
    (void)state;
    Rng rng = {21};
    for (int n = 0; n < 2000; ++n) {
        Quatd q = quatd(rng_quat(&rng));
        const Vec3d x = rotated(q, straight[0]), y = rotated(q, straight[1]), z = axis_z(q);
        const Vec3d axis[3] = {x, y, z}, swapped[3] = {y, scaled(x, -1.0), z};
        double a = (double)rng_log(&rng, 1e-4, 0.1),
               b = n % 3 ? (double)rng_log(&rng, 1e-4, 0.1) : a;
        Vec3d u = vec3d(rng_vec3(&rng, 20.0));
        Drag d = sn__drag(u, axis, 0.3, a, b, 1.2), e = sn__drag(u, swapped, 0.3, b, a, 1.2);
        double size = lengthd(d.force);
        assert_vector(e.force, d.force, 1e-6 * size);
        assert_true(dotd(d.force, u) > 0.0);
        assert_below(size, d.coefficient * lengthd(u) * (1.0 + 1e-6));
        if (n % 3 == 0) {
            double c = cos(0.1 * n), s = sin(0.1 * n);
            const Vec3d rolled[3] = {addd(scaled(x, c), scaled(y, s)),
                                     subd(scaled(y, c), scaled(x, s)), z};
            assert_vector(sn__drag(u, rolled, 0.3, a, a, 1.2).force, d.force, 1e-6 * size);
        }
        // The force divided by 1 + h c/m leaves the air's motion relative to the body as it was, or
        // less, along every axis.
        double h = (double)rng_log(&rng, 1e-4, 1.0), m = (double)rng_log(&rng, 1e-6, 1.0);
        Vec3d after = subd(u, scaled(d.force, h / m / (1.0 + h * d.coefficient / m)));
        for (int k = 0; k < 3; ++k)
            assert_true(dotd(after, axis[k]) * dotd(u, axis[k]) >= -1e-12 * dotd(u, u));
    }
}

// A straight rod of `count` vertices from the origin along `step`, of a light material.
static SnBodyId light_rod(SnWorld *world, int count, SnVec3 step, float radius, bool stiff) {
    SnVec3 x[COPY_MAX];
    line_of_points(x, count, sn_vec3(0, 0, 0), step);
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = count;
    def.positions = x;
    def.radius = radius;
    def.material.density = 100.0f;
    def.filter.mask = 0;
    if (!stiff)
        def.material.young = def.material.shear = def.material.volume = 0.0f;
    SnBodyId rod;
    assert_ok(sn_rod_create(world, &def, &rod));
    return rod;
}

static void add_wind(SnWorld *world, const SnFieldDef *def) {
    SnFieldId id;
    assert_ok(sn_field_create(world, def, &id));
}

// What a rod at rest feels is what sn__drag says, divided by its mass.
static void rods_feel_the_drag(void **state) {
    (void)state;
    const double radius = 0.002, mass = 100.0 * SUPPORT_PI * radius * radius * 0.1;
    Rng rng = {22};
    for (int n = 0; n < 30; ++n) {
        SnWorld *world = weightless_world();
        SnBodyId rod = light_rod(world, 2, sn_vec3(0.0f, 0.0f, 0.1f), (float)radius, false);
        SnFieldDef def = wind_def(6.0f);
        def.direction = n == 0 ? sn_vec3(0, 0, 1) : rng_vec3(&rng, 1.0);
        add_wind(world, &def);
        const float h = 1e-5f;
        (void)sn_world_step(world, h, 1, 1);
        RodCopy now;
        copy_rod(world, rod, &now);
        Vec3d u = vec3d(def.direction);
        u = scaled(u, 6.0 / lengthd(u));
        Drag d = sn__drag(u, straight, 0.1, radius, radius, 1.2);
        Vec3d expected = scaled(d.force, 1.0 / mass);
        assert_vector(scaled(vec3d(now.v[0]), 1.0 / (double)h), expected, 1e-3 * lengthd(expected));
        sn_world_destroy(world);
    }
}

// Two winds are one air: their velocities add up, and the denser one says how dense.
static void winds_add_up(void **state) {
    (void)state;
    SnVec3 v[2];
    for (int two = 0; two < 2; ++two) {
        SnWorld *world = weightless_world();
        SnBodyId rod = light_rod(world, 2, sn_vec3(0.0f, 0.0f, 0.1f), 0.002f, false);
        SnFieldDef def = wind_def(5.0f);
        if (two) {
            def.direction = sn_vec3(0.6f, 0.8f, 0.0f);
            def.air_density = 0.2f;
            add_wind(world, &def);
            def.direction = sn_vec3(0.6f, -0.8f, 0.0f);
            def.air_density = 1.2f;
        } else {
            def.strength = 6.0f;
        }
        add_wind(world, &def);
        (void)sn_world_step(world, 1e-3f, 1, 1);
        RodCopy now;
        copy_rod(world, rod, &now);
        v[two] = now.v[0];
        sn_world_destroy(world);
    }
    assert_true(v[0].x > 0.01f);
    assert_below(distance(v[0], v[1]), 1e-5);
}

// Falling in still air, broadside and end-on: weight = drag.
static void falling_rods_reach_terminal_velocity(void **state) {
    (void)state;
    const double g = 9.81, radius = 1e-3, density = 100.0, rho = 1.2;
    for (int end_on = 0; end_on < 2; ++end_on) {
        SnWorld *world = make_world(sn_vec3(0.0f, -9.81f, 0.0f));
        SnVec3 step = end_on ? sn_vec3(0.0f, -0.05f, 0.0f) : sn_vec3(0.05f, 0.0f, 0.0f);
        SnBodyId rod = light_rod(world, 9, step, (float)radius, true);
        SnFieldDef still = wind_def(0.0f);
        add_wind(world, &still);
        for (int n = 0; n < 400; ++n)
            (void)sn_world_step(world, 0.01f, 20, 1);
        RodCopy now;
        copy_rod(world, rod, &now);
        double expected = end_on ? sqrt(density * radius * g / (rho * DRAG_ALONG))
                                 : sqrt(density * SUPPORT_PI * radius * g / (rho * DRAG_ACROSS));
        for (int i = 0; i < now.vertices; ++i)
            assert_near(-(double)now.v[i].y, expected, 0.01 * expected);
        sn_world_destroy(world);
    }
}

// Still air takes energy from whatever moves in it, however long the step, and gives none.
static void still_air_only_takes_energy(void **state) {
    (void)state;
    const float times[] = {1e-3f, 1.0f / 60.0f, 1.0f};
    for (int t = 0; t < 3; ++t) {
        for (int seed = 0; seed < 10; ++seed) {
            SnWorld *world = weightless_world();
            Rng rng = {(uint64_t)seed};
            SnBodyId rod =
                light_rod(world, 2, sn_vec3(0.1f, 0.2f, 0.2f), seed % 2 ? 1e-4f : 0.05f, false);
            SnVec3 v[2] = {rng_vec3(&rng, 20.0), rng_vec3(&rng, 20.0)};
            assert_ok(sn_body_write(world, rod, &(SnBodyState){.velocities = v}));
            SnFieldDef still = wind_def(0.0f);
            still.gust = still.turbulence = 1.0f; // of nothing
            add_wind(world, &still);
            double before = dotd(vec3d(v[0]), vec3d(v[0])) + dotd(vec3d(v[1]), vec3d(v[1]));
            for (int n = 0; n < 100; ++n) {
                (void)sn_world_step(world, times[t], 1, 1);
                RodCopy now;
                copy_rod(world, rod, &now);
                double energy =
                    dotd(vec3d(now.v[0]), vec3d(now.v[0])) + dotd(vec3d(now.v[1]), vec3d(now.v[1]));
                assert_true(energy <= before * (1.0 + 1e-6));
                assert_true(n > 0 || energy < 0.9999 * before);
                before = energy;
            }
            sn_world_destroy(world);
        }
    }
}

// However light the rod and long the step, the wind never blows it faster than itself.
static void wind_never_overshoots(void **state) {
    (void)state;
    const float times[] = {0.001f, 1.0f / 60.0f, 1.0f};
    for (int t = 0; t < 3; ++t)
        for (int heavy = 0; heavy < 2; ++heavy) {
            SnWorld *world = weightless_world();
            SnBodyId rod = light_rod(world, 2, sn_vec3(0, 0, 1), heavy ? 0.5f : 1e-4f, false);
            SnFieldDef def = wind_def(50.0f);
            add_wind(world, &def);
            RodCopy now;
            float before = 0.0f;
            for (int n = 0; n < 200; ++n) {
                (void)sn_world_step(world, times[t], 1, 1);
                copy_rod(world, rod, &now);
                assert_true(now.v[0].x <= 50.0f * 1.0001f);
                assert_true(now.v[0].x >= before - 1e-2f);
                before = now.v[0].x;
            }
            assert_true(heavy || before > 49.0f || t == 0);
            sn_world_destroy(world);
        }
}

// Rods in a storm that rises, turns and dies: the same bits everywhere, and after a snapshot.
static uint64_t storm(const SnWorldDef *def, bool restored) {
    SnWorld *world;
    assert_ok(sn_world_create(def, &world));
    for (int r = 0; r < 20; ++r) {
        SnBodyId rod =
            light_rod(world, 5 + r, sn_vec3(0.01f, 0.05f, 0.01f * (float)r), 0.004f, true);
        pin(world, rod, SN_ATTACH_VERTEX, 0);
    }
    SnFieldDef wind = stormy_def(6);
    wind.profile = 0.15f;
    SnFieldId id;
    assert_ok(sn_field_create(world, &wind, &id));
    static unsigned char saved[1 << 20];
    size_t size = sn_world_snapshot_size(world);
    assert_true(size <= sizeof saved);
    for (int n = 0; n < 40; ++n) {
        wind.strength = 0.05f * (float)(n * (40 - n));
        wind.direction.z = 0.1f * (float)n;
        assert_ok(sn_field_set(world, id, &wind));
        if (n == 20)
            assert_ok(sn_world_save(world, saved, size));
        assert_int_equal(sn_world_step(world, 0.02f, 4, 1), SN_STEP_OK);
        if (n == 30 && restored) {
            assert_ok(sn_world_restore(world, saved, size));
            n = 19;
            restored = false;
        }
    }
    uint64_t hash = sn_world_hash(world);
    sn_world_destroy(world);
    return hash;
}

static void storms_have_the_same_bits(void **state) {
    (void)state;
    SnWorldDef def = sn_default_world_def();
    def.isa = SN_ISA_SCALAR;
    uint64_t expected = storm(&def, false);
    assert_true(storm(&def, true) == expected);
    for (int isa = SN_ISA_128; isa <= SN_ISA_AVX512; ++isa)
        for (int threads = 1; threads <= 2 && sn_isa_available((SnIsa)isa); ++threads) {
            def.isa = (SnIsa)isa;
            def.thread_count = threads;
            assert_true(storm(&def, false) == expected);
        }
}

// Whoever rests in a lull is awake for the next gust; a steady wind lets it sleep.
static void nobody_sleeps_in_a_gusty_wind(void **state) {
    (void)state;
    for (int gusty = 0; gusty < 2; ++gusty) {
        SnWorldDef def = sn_default_world_def();
        def.gravity = sn_vec3(0, 0, 0);
        def.sleep_speed = 0.5f;
        SnWorld *world;
        assert_ok(sn_world_create(&def, &world));
        SnBodyId rod = light_rod(world, 4, sn_vec3(0.5f, 0.0f, 0.0f), 0.2f, true);
        SnFieldDef wind = wind_def(0.5f);
        wind.turbulence = gusty ? 0.2f : 0.0f;
        add_wind(world, &wind);
        for (int n = 0; n < 60; ++n)
            (void)sn_world_step(world, 1.0f / 60.0f, 2, 1);
        assert_int_equal(sn_body_is_asleep(world, rod), !gusty);
        sn_world_destroy(world);
    }
}

// A scene's wind rises and dies by keys of its strength.
static void scenes_have_storms(void **state) {
    (void)state;
    const char *text =
        "{\"version\": 1, \"world\": {\"gravity\": [0, 0, 0]},"
        "\"rods\": [{\"shape\": {\"line\": {\"from\": [0, 1, 0], \"to\": [0, 2, 0]}}}],"
        "\"fields\": [{\"kind\": \"wind\", \"strength\": 1, \"gust\": 0.4, \"turbulence\": 0.2,"
        "\"eddy\": 3, \"profile\": 0.125, \"seed\": 77}],"
        "\"animation\": [{\"target\": \"/fields/0/%s\", \"keys\": [[0, 0], [1, 20], [2, 0]]}]}";
    char with_strength[1024], with_seed[1024];
    snprintf(with_strength, sizeof with_strength, text, "strength");
    snprintf(with_seed, sizeof with_seed, text, "seed");
    SnScene *scene;
    assert_error(sn_scene_load_text("t", with_seed, strlen(with_seed), &scene, NULL),
                 SN_ERROR_FORMAT, "seed");
    assert_ok(sn_scene_load_text("t", with_strength, strlen(with_strength), &scene, NULL));
    SnWorldDef def = sn_default_world_def();
    SnWorld *world;
    assert_ok(sn_scene_build(scene, &def, &world));
    for (int n = 1; n <= 200; ++n) {
        assert_ok(sn_scene_animate(scene, world, 0.01 * n, 0.01));
        (void)sn_world_step(world, 0.01f, 1, 1);
        assert_int_equal(world->air.count, 1);
        assert_near(lengthd(world->air.winds[0].velocity), 20.0 * (1.0 - fabs(0.01 * n - 1.0)),
                    1e-3);
        assert_near(world->air.winds[0].profile, 0.125, 0.0);
    }
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

static void bad_winds_are_refused(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnFieldDef good = wind_def(1.0f), bad;
    SnFieldId id;
#define REFUSE(field, value, part)                                                                 \
    bad = good;                                                                                    \
    bad.field = value;                                                                             \
    assert_error(sn_field_create(world, &bad, &id), SN_ERROR_INVALID, part)
    REFUSE(turbulence, -0.1f, "turbulence: -0.1");
    REFUSE(turbulence, 1.5f, "turbulence: 1.5");
    REFUSE(turbulence, NAN, "turbulence");
    REFUSE(eddy, 0.0f, "eddy: 0");
    REFUSE(eddy, INFINITY, "eddy: inf");
    REFUSE(profile, 0.6f, "profile: 0.6");
    REFUSE(profile, NAN, "profile");
#undef REFUSE
    // Everything that is allowed is finite.
    Rng rng = {31};
    SnBodyId rod = light_rod(world, 6, sn_vec3(0.0f, 0.05f, 0.01f), 0.003f, true);
    for (int n = 0; n < 200; ++n) {
        SnFieldDef def = stormy_def((uint32_t)rng_next(&rng));
        def.strength = n % 10 ? rng_log(&rng, 1e-6, 1e6) : 0.0f;
        def.eddy = rng_log(&rng, 0.01, 1e6);
        def.gust = rng_float(&rng, 0.0, 1.0);
        def.gust_period = rng_log(&rng, 0.01, 1e6);
        def.profile = rng_float(&rng, 0.0, 0.5);
        def.centre = rng_vec3(&rng, n % 2 ? 1e9 : 1.0);
        assert_ok(sn_field_create(world, &def, &id));
        (void)sn_world_step(world, rng_log(&rng, 1e-4, 0.1), 2, 1);
        assert_ok(sn_field_destroy(world, id));
        RodCopy now;
        copy_rod(world, rod, &now);
        for (int i = 0; i < now.vertices; ++i)
            assert_true(isfinite(now.x[i].x + now.x[i].y + now.x[i].z));
    }
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drag_has_the_formulas_forces),
        cmocka_unit_test(drag_is_fair),
        cmocka_unit_test(rods_feel_the_drag),
        cmocka_unit_test(winds_add_up),
        cmocka_unit_test(falling_rods_reach_terminal_velocity),
        cmocka_unit_test(still_air_only_takes_energy),
        cmocka_unit_test(wind_never_overshoots),
        cmocka_unit_test(storms_have_the_same_bits),
        cmocka_unit_test(nobody_sleeps_in_a_gusty_wind),
        cmocka_unit_test(scenes_have_storms),
        cmocka_unit_test(bad_winds_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
