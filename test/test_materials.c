// Materials by name: the table, and rods of every kind made of all of it.
#include "support.h"

#define SEGMENTS 20
#define LENGTH 1.0
#define RADIUS 0.01
#define GRAVITY 9.81

static SnRodMaterial named(const char *name) {
    SnRodMaterial material;
    assert_ok(sn_rod_material_named(name, &material));
    return material;
}

static void every_row_makes_sense(void **state) {
    (void)state;
    int count = 0;
    for (const char *name; (name = sn_rod_material_name(count)) != NULL; ++count) {
        SnRodMaterial given = named(name), m = sn_rod_material_derived(given);
        assert_true(m.density > 500.0f && m.density < 10e3f);
        assert_true(m.young > 1e3f && m.young < 1e12f);
        assert_true(m.shear > 0.05f * m.young && m.shear < 0.5f * m.young);
        assert_true(isfinite(m.volume) && m.volume >= 0.5f * m.young);
        assert_true(m.damping >= 0.0f && m.damping < 0.1f);
        assert_true(m.drag == 0.0f && m.yield == 0.0f && m.strength == 0.0f);
        assert_true(m.stretch == SN_DERIVED || (m.stretch > m.young && m.stretch < 1e12f));
        for (int i = 0; i < count; ++i)
            assert_string_not_equal(name, sn_rod_material_name(i));
    }
    assert_int_equal(count, 11);
    assert_null(sn_rod_material_name(-1));
    assert_null(sn_rod_material_name(count + 1));
}

static void handbooks_agree(void **state) {
    (void)state;
    SnRodMaterial steel = named("steel");
    assert_true(steel.density == 7850.0f && steel.young == 200e9f && steel.shear == 79e9f);
    assert_true(named("hair").density == 1320.0f);
    // Pulled, a rope is as stiff as its fibres; bent, it is not.
    SnRodMaterial rope = named("rope");
    assert_true(rope.stretch > 10.0f * rope.young && rope.bend == SN_DERIVED);
}

static void unknown_names_are_refused(void **state) {
    (void)state;
    SnRodMaterial material = sn_default_rod_material(), before = material;
    assert_error(sn_rod_material_named("cheese", &material), SN_ERROR_INVALID,
                 "there is no material \"cheese\"; there are: steel, oak, nylon, rubber, silicone, "
                 "muscle, tendon, jelly, rope, hair, grass");
    assert_error(sn_rod_material_named("", &material), SN_ERROR_INVALID, "no material \"\"");
    assert_error(sn_rod_material_named("Steel", &material), SN_ERROR_INVALID, "\"Steel\"");
    assert_memory_equal(&material, &before, sizeof material);
    assert_error(sn_rod_material_named(NULL, &material), SN_ERROR_INVALID, "name is NULL");
    assert_error(sn_rod_material_named("oak", NULL), SN_ERROR_INVALID, "out_material is NULL");
}

typedef enum Kind { KIND_VOLUME, KIND_CLASSIC, KIND_STIFF, KIND_COUNT } Kind;

// How far the free end of a clamped rod is down after a second. Drag, the critical one of its slowest
// motion, brings it to rest.
static double sag_after_a_second(const SnRodMaterial *material, Kind kind, double rate) {
    SnWorld *world = make_world(sn_vec3(0.0f, (float)-GRAVITY, 0.0f));
    SnVec3 x[SEGMENTS + 1];
    line_of_points(x, SEGMENTS + 1, sn_vec3(0.0f, 0.0f, 0.0f),
                   sn_vec3((float)(LENGTH / SEGMENTS), 0.0f, 0.0f));
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = SEGMENTS + 1;
    def.positions = x;
    def.radius = (float)RADIUS;
    def.material = *material;
    def.material.drag = (float)(2.0 * rate);
    def.classic = kind == KIND_CLASSIC;
    def.stiff = kind == KIND_STIFF;
    SnBodyId rod;
    assert_ok(sn_rod_create(world, &def, &rod));
    pin(world, rod, SN_ATTACH_SEGMENT, 0);
    pin(world, rod, SN_ATTACH_VERTEX, 0);
    for (int i = 0; i < 60; ++i)
        assert_int_equal(sn_world_step(world, 1.0f / 60.0f, 10, 1), SN_STEP_OK);
    RodCopy copy;
    copy_rod(world, rod, &copy);
    for (int i = 0; i <= SEGMENTS; ++i) {
        assert_true(isfinite(copy.x[i].x) && isfinite(copy.x[i].y) && isfinite(copy.x[i].z));
        assert_true(isfinite(copy.s[i]) && copy.s[i] > 0.1f && copy.s[i] < 10.0f);
    }
    sn_world_destroy(world);
    return -(double)copy.x[SEGMENTS].y;
}

static void rods_of_all_materials_sag_as_beams_do(void **state) {
    (void)state;
    int beams = 0;
    for (int i = 0; sn_rod_material_name(i); ++i) {
        SnRodMaterial m = named(sn_rod_material_name(i));
        // ρ g A L⁴/(8 E I) with I/A = r²/4.
        double bending = (double)m.young * RADIUS * RADIUS / (4.0 * (double)m.density);
        double sag = GRAVITY * pow(LENGTH, 4.0) / (8.0 * bending);
        double rate = 3.516 * sqrt(bending) / (LENGTH * LENGTH);
        bool beam = sag < 0.1 * LENGTH;
        beams += beam;
        for (int kind = 0; kind < KIND_COUNT; ++kind) {
            double measured = sag_after_a_second(&m, (Kind)kind, beam ? rate : 0.0);
            if (beam && !(fabs(measured - sag) < 0.02 * sag))
                fail_msg("%s, kind %d: sags by %g m, not by %g m", sn_rod_material_name(i), kind,
                         measured, sag);
        }
    }
    assert_int_equal(beams, 6); // steel, oak, nylon, tendon, hair, grass
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_makes_sense),
        cmocka_unit_test(handbooks_agree),
        cmocka_unit_test(unknown_names_are_refused),
        cmocka_unit_test(rods_of_all_materials_sag_as_beams_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
