// Muscles: the same bits whoever is solved beside them, on how many threads; and what is refused.
#include "muscle_kit.h"

#include "base/hash.h"
#include "muscle/muscle.h"

// What others have left in the memory that a worker lends does not matter.
static uint64_t hash_among_rods(int rods) {
    static Spindle s;
    describe_spindle(&s, 5, 6, 0.4);
    SnWorld *world = make_world(sn_vec3(0.0f, 0.0f, -9.81f));
    for (int k = 0; k < rods; ++k) {
        SnVec3 x[12];
        for (int i = 0; i < 12; ++i)
            x[i] = sn_vec3((float)(k + 2), 0.1f * (float)i, 0.0f);
        SnRodDef def = sn_default_rod_def();
        def.vertex_count = 4 + k % 9;
        def.positions = x;
        def.angular_velocity = sn_vec3(3.0f, (float)k, 1.0f);
        def.filter.mask = 0;
        assert_ok(sn_rod_create(world, &def, NULL));
    }
    create_spindle(&s, world);
    s.def.insertion_free = true;
    for (int n = 0; n < 20; ++n) {
        SnPose pose = {sn_vec3(0.0f, 0.01f * (float)n, 0.2f), turn_about(1.0, 0.0, 0.0, 0.03 * n)};
        assert_ok(sn_frame_set_target(world, s.insertion, pose));
        step_spindle(&s, 1);
    }
    RodCopy copy;
    copy_rod(world, s.muscle, &copy);
    uint64_t hash = 5381;
    for (int i = 0; i < copy.vertices; ++i)
        hash = sn__hash_bytes(hash, &copy.x[i], sizeof copy.x[i]);
    sn_world_destroy(world);
    return hash;
}

static void muscles_do_not_feel_who_was_solved_before(void **test) {
    (void)test;
    uint64_t alone = hash_among_rods(0);
    for (int rods = 1; rods < 12; ++rods)
        assert_true(hash_among_rods(rods) == alone);
}

// Three muscles that are driven and carried, in a world of this many threads.
static uint64_t run_muscles(SnIsa isa, int threads, int steps, bool again) {
    static Spindle s[3];
    SnWorldDef def = sn_default_world_def();
    def.isa = isa;
    def.thread_count = threads;
    SnWorld *world;
    assert_ok(sn_world_create(&def, &world));
    for (int k = 0; k < 3; ++k) {
        describe_spindle(&s[k], 7 + k / 2, 8, 0.5);
        s[k].def.drive = (SnMuscleDrive)k;
        s[k].def.section_compliance = k == 1 ? 1e-5f : 0.0f;
        create_spindle(&s[k], world);
        assert_ok(sn_muscle_activate(world, s[k].muscle, 0.7f));
    }
    static char snapshot[1 << 20];
    for (int n = 1; n <= steps; ++n) {
        if (again && n == steps / 2)
            assert_ok(sn_world_save(world, snapshot, sizeof snapshot));
        for (int k = 0; k < 3; ++k) {
            SnPose pose = {sn_vec3(0.0f, 0.02f * (float)n / (float)steps, 0.2f),
                           sn_quat_identity()};
            assert_ok(sn_frame_set_target(world, s[k].insertion, pose));
            if (n == 3 * steps / 4)
                assert_ok(sn_muscle_activate(world, s[k].muscle, 0.2f));
        }
        sn_world_step(world, 1.0f / 60.0f, 10, 1);
        if (again && n == steps) {
            assert_ok(sn_world_restore(world, snapshot, sizeof snapshot));
            n = steps / 2 - 1;
            again = false;
        }
    }
    uint64_t hash = sn_world_hash(world);
    sn_world_destroy(world);
    return hash;
}

static void bits_are_the_same_everywhere(void **test) {
    (void)test;
    uint64_t hash = run_muscles(SN_ISA_SCALAR, 1, 40, false);
    for (int isa = SN_ISA_SCALAR; isa <= SN_ISA_AVX512; ++isa)
        if (sn_isa_available((SnIsa)isa))
            assert_true(run_muscles((SnIsa)isa, 1 + isa % 3, 40, false) == hash);
    assert_true(run_muscles(SN_ISA_BEST, 2, 40, true) == hash);
}

static void bad_muscles_are_refused(void **test) {
    (void)test;
    static Spindle s;
    SnWorld *world = weightless_world();
    SnBodyId body;
    SnMuscleState state;
    SnMuscleDef raw = {0};
    assert_error(sn_muscle_create(world, &raw, &body), SN_ERROR_INVALID, "sn_default_muscle_def");
    assert_error(sn_muscle_create(NULL, &raw, &body), SN_ERROR_INVALID, "world");
    describe_spindle(&s, 8, 9, 0.0);
    SnMuscleDef def = s.def;
    def.rod_count = 0;
    assert_error(sn_muscle_create(world, &def, &body), SN_ERROR_INVALID, "rod_count: 0");
    def = s.def;
    def.slice_count = 1;
    assert_error(sn_muscle_create(world, &def, &body), SN_ERROR_INVALID, "slice_count: 1");
    def = s.def;
    def.rod_count = SN_MAX_MUSCLE_RODS + 1;
    assert_error(sn_muscle_create(world, &def, &body), SN_ERROR_LIMIT, "rod_count");
    def = s.def;
    def.positions = NULL;
    assert_error(sn_muscle_create(world, &def, &body), SN_ERROR_INVALID, "positions");
    def = s.def;
    def.shortening = NAN;
    assert_error(sn_muscle_create(world, &def, &body), SN_ERROR_INVALID, "shortening");
    def = s.def;
    def.origin = (SnFrameId){77, 1};
    assert_error(sn_muscle_create(world, &def, &body), SN_ERROR_STALE, "frame");
    assert_int_equal(sn_world_body_count(world), 0);
    create_spindle(&s, world);
    assert_true(sn_body_is_muscle(world, s.muscle));
    assert_error(sn_muscle_activate(world, s.muscle, 1.5f), SN_ERROR_INVALID, "activation: 1.5");
    assert_error(sn_muscle_activate_fibre(world, s.muscle, 8, 1.0f), SN_ERROR_INVALID, "rod: 8");
    assert_error(sn_muscle_read(world, plain_rod(world, 3), &state), SN_ERROR_INVALID, "none");
    assert_ok(sn_body_destroy(world, s.muscle));
    assert_error(sn_muscle_read(world, s.muscle, &state), SN_ERROR_STALE, "stale");
    assert_false(sn_body_is_muscle(world, s.muscle));
    step_spindle(&s, 1);
    sn_world_destroy(world);
}

// What definitions of bundles may not say.
static void bad_sections_are_refused(void **test) {
    (void)test;
    static Bundle b;
    SnWorld *world = weightless_world();
    SnBodyId body;
    make_bundle(&b, 3, 4, 0.0);
    b.def.solver = SN_SOLVER_DIRECT;
    b.def.section_compliance = 1e-3f;
    assert_error(sn_rod_create(world, &b.def, &body), SN_ERROR_INVALID, "compliance");
    b.def.section_compliance = 0.0f;
    b.sections[5] = 0;
    assert_error(sn_rod_create(world, &b.def, &body), SN_ERROR_INVALID,
                 "from one section to the next");
    b.sections[5] = 1;
    b.def.solver = SN_SOLVER_AUTO;
    b.def.section_compliance = -1.0f;
    assert_error(sn_rod_create(world, &b.def, &body), SN_ERROR_INVALID, "section_compliance: -1");
    b.def.section_compliance = 0.0f;
    b.sections[5] = 12;
    assert_error(sn_rod_create(world, &b.def, &body), SN_ERROR_INVALID, "sections[5]: 12");
    b.sections[5] = 7;
    assert_error(sn_rod_create(world, &b.def, &body), SN_ERROR_INVALID, "section 6");
    for (int i = 0; i < 4; ++i)
        b.sections[4 + i] = -1;
    assert_error(sn_rod_create(world, &b.def, &body), SN_ERROR_INVALID,
                 "vertex 4 is not connected");
    b.def.sections = NULL;
    assert_error(sn_rod_create(world, &b.def, &body), SN_ERROR_INVALID, "cannot connect 12");
    make_bundle(&b, 3, 4, 0.0);
    b.def.edge_count = 5;
    assert_error(sn_rod_create(world, &b.def, &body), SN_ERROR_INVALID, "do not reach 12");
    b.def.edge_count = 8;
    assert_error(sn_rod_create(world, &b.def, &body), SN_ERROR_INVALID, "vertex 11 has none");
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(muscles_do_not_feel_who_was_solved_before),
        cmocka_unit_test(bits_are_the_same_everywhere),
        cmocka_unit_test(bad_muscles_are_refused),
        cmocka_unit_test(bad_sections_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
