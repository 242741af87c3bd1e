// Force fields: accelerations against their formulas. Wind is in test_wind.c and
// test_drag.c.
#include "support.h"

#include "math/vec.h"

// A rod of two vertices without stiffness: two free points.
static SnBodyId two_points(SnWorld *world, SnVec3 a, SnVec3 b, float radius) {
    SnVec3 x[2] = {a, b};
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = 2;
    def.positions = x;
    def.radius = radius;
    def.material.young = def.material.shear = def.material.volume = 0.0f;
    SnBodyId rod;
    assert_ok(sn_rod_create(world, &def, &rod));
    return rod;
}

static SnFieldId add_field(SnWorld *world, const SnFieldDef *def) {
    SnFieldId id;
    assert_ok(sn_field_create(world, def, &id));
    return id;
}

// Acceleration of a point at rest at x, measured over a short step.
static Vec3d acceleration_at(const SnFieldDef *def, SnVec3 x) {
    SnWorld *world = weightless_world();
    SnBodyId rod = two_points(world, x, sn_vec3(x.x, x.y, x.z + 0.5f), 0.01f);
    add_field(world, def);
    const float h = 1e-3f;
    assert_int_equal(sn_world_step(world, h, 1, 1), SN_STEP_OK);
    RodCopy now;
    copy_rod(world, rod, &now);
    sn_world_destroy(world);
    return scaled(vec3d(now.v[0]), 1.0 / (double)h);
}

static void assert_vector(Vec3d found, Vec3d expected, double tolerance) {
    if (!(lengthd(subd(found, expected)) <= tolerance))
        fail_msg("(%g, %g, %g), expected (%g, %g, %g) ± %g", found.x, found.y, found.z, expected.x,
                 expected.y, expected.z, tolerance);
}

static void a_uniform_field_is_the_same_everywhere(void **state) {
    (void)state;
    SnFieldDef def = sn_default_field_def();
    def.strength = 6.0f;
    def.direction = sn_vec3(0.0f, 3.0f, 4.0f); // normalised for us
    Rng rng = {1};
    for (int n = 0; n < 20; ++n)
        assert_vector(acceleration_at(&def, rng_vec3(&rng, 5.0)), (Vec3d){0.0, 3.6, 4.8}, 0.01);
}

// (1 − d²)² towards or away from the centre, d the distance relative to the radius.
static void a_point_field_points_to_its_centre_and_ends_at_its_radius(void **state) {
    (void)state;
    SnFieldDef def = sn_default_field_def();
    def.kind = SN_FIELD_POINT;
    def.centre = sn_vec3(0.5f, -0.2f, 0.1f);
    def.radius = 2.0f;
    Rng rng = {2};
    for (int n = 0; n < 40; ++n) {
        def.strength = n % 2 ? 20.0f : -20.0f;
        SnVec3 x = rng_vec3(&rng, 2.0);
        Vec3d away = subd(vec3d(x), vec3d(def.centre));
        double d = lengthd(away) / 2.0, fade = d < 1.0 ? (1.0 - d * d) * (1.0 - d * d) : 0.0;
        Vec3d expected = scaled(away, (double)def.strength * fade / lengthd(away));
        assert_vector(acceleration_at(&def, x), expected, 0.01);
    }
    // The centre itself has no direction, but is finite.
    Vec3d at_centre = acceleration_at(&def, def.centre);
    assert_true(lengthd(at_centre) <= 20.1);
}

// Around the axis, strength · d (1 − d²)².
static void a_vortex_turns_about_its_axis(void **state) {
    (void)state;
    SnFieldDef def = sn_default_field_def();
    def.kind = SN_FIELD_VORTEX;
    def.strength = 20.0f;
    def.centre = sn_vec3(0.1f, 0.2f, 0.3f);
    def.direction = sn_vec3(1.0f, 2.0f, -2.0f);
    def.radius = 1.5f;
    Vec3d axis = {1.0 / 3.0, 2.0 / 3.0, -2.0 / 3.0};
    Rng rng = {3};
    for (int n = 0; n < 40; ++n) {
        SnVec3 x = rng_vec3(&rng, 1.5);
        Vec3d around = crossd(axis, subd(vec3d(x), vec3d(def.centre)));
        double d = lengthd(around) / 1.5, fade = d < 1.0 ? (1.0 - d * d) * (1.0 - d * d) : 0.0;
        assert_vector(acceleration_at(&def, x), scaled(around, 20.0 / 1.5 * fade), 0.01);
    }
}

// Fields follow a rod that is far away, in its own coordinates.
static void fields_act_far_from_the_origin(void **state) {
    (void)state;
    SnFieldDef def = sn_default_field_def();
    def.kind = SN_FIELD_POINT;
    def.strength = 10.0f;
    def.radius = 3.0f;
    def.centre = sn_vec3(4096.0f, 0.0f, 0.0f);
    SnWorld *world = weightless_world();
    SnVec3 x[2] = {{1.5f, 0.0f, 0.0f}, {1.5f, 0.0f, 0.5f}};
    SnRodDef rod_def = sn_default_rod_def();
    rod_def.vertex_count = 2;
    rod_def.positions = x;
    rod_def.origin[0] = 4096.0;
    rod_def.material.young = rod_def.material.shear = rod_def.material.volume = 0.0f;
    SnBodyId rod;
    assert_ok(sn_rod_create(world, &rod_def, &rod));
    add_field(world, &def);
    (void)sn_world_step(world, 1e-3f, 1, 1);
    RodCopy now;
    copy_rod(world, rod, &now);
    assert_near(now.v[0].x, 1e-3 * 10.0 * 0.5625, 1e-5);
    sn_world_destroy(world);
}

static void fields_add_up_change_and_go(void **state) {
    (void)state;
    SnWorld *world = make_world(sn_vec3(0.0f, -1.0f, 0.0f));
    SnBodyId rod = two_points(world, sn_vec3(0, 0, 0), sn_vec3(0, 0, 1), 0.01f);
    SnFieldDef def = sn_default_field_def();
    def.strength = 3.0f;
    SnFieldId a = add_field(world, &def);
    def.direction = sn_vec3(0.0f, 1.0f, 0.0f);
    SnFieldId b = add_field(world, &def);
    RodCopy now;
    (void)sn_world_step(world, 0.1f, 10, 1);
    copy_rod(world, rod, &now);
    assert_near(now.v[0].x, 0.3, 1e-3);
    assert_near(now.v[0].y, 0.2, 1e-3);
    assert_ok(sn_field_destroy(world, b));
    def.direction = sn_vec3(-1.0f, 0.0f, 0.0f);
    assert_ok(sn_field_set(world, a, &def));
    (void)sn_world_step(world, 0.1f, 10, 1);
    copy_rod(world, rod, &now);
    assert_near(now.v[0].x, 0.0, 1e-3);
    assert_near(now.v[0].y, 0.1, 1e-3);
    assert_error(sn_field_set(world, b, &def), SN_ERROR_STALE, "field");
    assert_error(sn_field_destroy(world, b), SN_ERROR_STALE, "field");
    SnFieldId c = add_field(world, &def);
    assert_true(c.index == b.index && c.generation != b.generation);
    assert_error(sn_field_destroy(world, b), SN_ERROR_STALE, "field");
    sn_world_destroy(world);
}

static void bad_fields_are_refused(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnFieldDef good = sn_default_field_def(), bad;
    SnFieldId id;
#define REFUSE(field, value, part)                                                                 \
    bad = good;                                                                                    \
    bad.field = value;                                                                             \
    assert_error(sn_field_create(world, &bad, &id), SN_ERROR_INVALID, part)
    REFUSE(cookie, 0, "default");
    REFUSE(kind, (SnFieldKind)9, "kind: 9");
    REFUSE(strength, NAN, "strength");
    REFUSE(strength, INFINITY, "strength: inf");
    REFUSE(direction, sn_vec3(0, 0, 0), "direction");
    REFUSE(direction, sn_vec3(NAN, 0, 1), "direction");
    REFUSE(centre, sn_vec3(0, INFINITY, 1), "centre");
    REFUSE(radius, 0.0f, "radius: 0");
    REFUSE(radius, NAN, "radius");
    REFUSE(gust, 1.5f, "gust: 1.5");
    REFUSE(gust, -0.5f, "gust: -0.5");
    REFUSE(gust_period, 0.0f, "gust_period: 0");
    REFUSE(air_density, -1.0f, "air_density: -1");
#undef REFUSE
    assert_error(sn_field_create(world, NULL, &id), SN_ERROR_INVALID, "default");
    for (int k = 0; k < SN_MAX_FIELDS; ++k)
        add_field(world, &good);
    assert_error(sn_field_create(world, &good, &id), SN_ERROR_LIMIT, "64");
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_uniform_field_is_the_same_everywhere),
        cmocka_unit_test(a_point_field_points_to_its_centre_and_ends_at_its_radius),
        cmocka_unit_test(a_vortex_turns_about_its_axis),
        cmocka_unit_test(fields_act_far_from_the_origin),
        cmocka_unit_test(fields_add_up_change_and_go),
        cmocka_unit_test(bad_fields_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
