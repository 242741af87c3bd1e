// The same bits for every thread count, instruction set, and way of cutting the work.
#include "mixed_scene.h"

#include <float.h>
#include <stdlib.h>

#include "base/denormals.h"
#include "odd_tasks.h"

// State of the mixed scene after 20 steps. It changes when the physics change, and must then be the
// same again on every machine and instruction set: run this test to see the new value.
#define GOLDEN UINT64_C(0xecdbab44c41b99e5)

static uint64_t hash_of_run(const SnWorldDef *def, int steps) {
    MixedScene scene;
    assert_ok(mixed_create(&scene, def));
    for (int n = 0; n < steps; ++n)
        assert_int_equal(mixed_step(&scene), SN_STEP_OK);
    uint64_t hash = sn_world_hash(scene.world);
    sn_world_destroy(scene.world);
    return hash;
}

static uint64_t reference_hash(void) {
    SnWorldDef def = sn_default_world_def();
    def.isa = SN_ISA_SCALAR;
    return hash_of_run(&def, 20);
}

static void assert_same(const char *what, uint64_t hash, uint64_t expected) {
    if (hash != expected)
        fail_msg("%s: 0x%016llx, expected 0x%016llx", what, (unsigned long long)hash,
                 (unsigned long long)expected);
}

static void every_instruction_set_and_thread_count_agrees(void **state) {
    (void)state;
    uint64_t expected = reference_hash();
    for (int isa = SN_ISA_SCALAR; isa <= SN_ISA_AVX512; ++isa) {
        if (!sn_isa_available((SnIsa)isa))
            continue;
        for (int threads = 1; threads <= 4; threads *= 2) {
            SnWorldDef def = sn_default_world_def();
            def.isa = (SnIsa)isa;
            def.thread_count = threads;
            char what[64];
            snprintf(what, sizeof what, "%s, %d threads", sn_isa_name((SnIsa)isa), threads);
            assert_same(what, hash_of_run(&def, 20), expected);
        }
    }
}

static void the_users_own_tasks_agree(void **state) {
    (void)state;
    uint64_t expected = reference_hash();
    int calls = 0;
    SnWorldDef def = sn_default_world_def();
    def.tasks = (SnTaskSystem){3, backwards, &calls};
    assert_same("backwards", hash_of_run(&def, 20), expected);
    def.tasks = (SnTaskSystem){5, odd_cuts, &calls};
    assert_same("odd cuts", hash_of_run(&def, 20), expected);
    assert_true(calls > 40);
}

static void the_golden_hash_is_met(void **state) {
    (void)state;
    assert_same("mixed scene", reference_hash(), GOLDEN);
}

// A rod moves the same whatever shares its pack, and wherever in it it is.
static void neighbours_do_not_matter(void **state) {
    (void)state;
    RodCopy alone = {0}, crowded = {0};
    for (int others = 0; others < 2; ++others) {
        SnWorld *world = make_world(sn_vec3(0.0f, -9.81f, 0.0f));
        SnVec3 x[12];
        SnRodDef def = sn_default_rod_def();
        def.vertex_count = 12;
        def.positions = x;
        def.filter.mask = 0;
        for (int k = 0; k < others * 21; ++k) {
            line_of_points(x, 12, sn_vec3(0, 0, 0), sn_vec3(0.03f, 0.001f * (float)k, 0.0f));
            def.angular_velocity = sn_vec3(0.0f, (float)k, 1.0f);
            assert_ok(sn_rod_create(world, &def, NULL));
        }
        line_of_points(x, 12, sn_vec3(0, 0, 0), sn_vec3(0.05f, 0.02f, 0.0f));
        def.angular_velocity = sn_vec3(1.0f, 0.0f, 2.0f);
        SnBodyId rod;
        assert_ok(sn_rod_create(world, &def, &rod));
        pin(world, rod, SN_ATTACH_VERTEX, 0);
        for (int n = 0; n < 30; ++n)
            (void)sn_world_step(world, 1.0f / 60.0f, 4, 2);
        copy_rod(world, rod, others ? &crowded : &alone);
        sn_world_destroy(world);
    }
    assert_memory_equal(&alone, &crowded, sizeof alone);
}

// Nor does it matter whether it shares vectors with rods that go another way through time (scheme.h). In long sub-steps
// the rod that is looked at is too stiff for its sweeps, and implicit Euler; in short ones it is second order, and
// goes on with the accelerations that are left of the long ones.
static void the_order_in_time_of_neighbours_does_not_matter(void **state) {
    (void)state;
    static RodCopy alone, crowded;
    for (int others = 0; others < 2; ++others) {
        SnWorld *world = make_world(sn_vec3(0.0f, -9.81f, 0.0f));
        SnVec3 x[12];
        SnRodDef def = sn_default_rod_def();
        def.vertex_count = 12;
        def.positions = x;
        def.filter.mask = 0;
        def.solver = SN_SOLVER_SWEEP;
        SnBodyId rod;
        for (int k = 0; k < 1 + others * 5; ++k) {
            line_of_points(x, 12, sn_vec3(0, 0, 0), sn_vec3(0.05f, 0.002f * (float)k, 0.0f));
            def.material.young = k == 0 ? 1.0e6f : 1.0e3f;
            SnBodyId made;
            assert_ok(sn_rod_create(world, &def, &made));
            pin(world, made, SN_ATTACH_VERTEX, 0);
            rod = k == 0 ? made : rod;
        }
        for (int n = 0; n < 20; ++n)
            (void)sn_world_step(world, 1.0f / 60.0f, 4, 2);
        for (int n = 0; n < 3; ++n)
            (void)sn_world_step(world, 1.0f / 60.0f, 200, 2);
        copy_rod(world, rod, others ? &crowded : &alone);
        sn_world_destroy(world);
    }
    assert_memory_equal(&alone, &crowded, sizeof alone);
}

// Strands that are let go: how much they bend decays along them, below the range of float.
static uint64_t hash_of_falling_strands(void) {
    SnWorld *world = make_world(sn_vec3(0.0f, -9.81f, 0.0f));
    SnVec3 x[51];
    line_of_points(x, 51, sn_vec3(0, 0, 0), sn_vec3(1.0f / 30.0f, 0.0f, 0.0f));
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = 51;
    def.positions = x;
    def.radius = 0.005f;
    for (int k = 0; k < 4; ++k) {
        SnBodyId rod;
        def.solver = k < 2 ? SN_SOLVER_DIRECT : SN_SOLVER_SWEEP;
        def.classic = k % 2 == 1;
        def.origin[2] = 0.1 * k;
        assert_ok(sn_rod_create(world, &def, &rod));
        pin(world, rod, SN_ATTACH_VERTEX, 0);
        pin(world, rod, SN_ATTACH_SEGMENT, 0);
    }
    (void)sn_world_step(world, 1.0f / 60.0f, 4, 1);
    uint64_t hash = sn_world_hash(world);
    sn_world_destroy(world);
    return hash;
}

static bool tiny_numbers_are_zero(void) {
    volatile float tiny = FLT_MIN;
    return 0.5f * tiny == 0.0f;
}

// Games often run with such a mode. A step has its own, and leaves that of the caller as it was.
static void the_callers_way_with_tiny_numbers_does_not_matter(void **state) {
    (void)state;
    uint64_t hash = hash_of_falling_strands();
    assert_false(tiny_numbers_are_zero());
    uint64_t mode = sn__denormals_flush();
    bool flushed = tiny_numbers_are_zero();
    uint64_t hash_flushed = hash_of_falling_strands();
    bool still_flushed = tiny_numbers_are_zero();
    sn__denormals_restore(mode);
    assert_int_equal(flushed, still_flushed);
    assert_same("tiny numbers as zero", hash_flushed, hash);
}

// The hash is over the whole state: whatever is changed, it changes.
static void the_hash_sees_every_part_of_the_state(void **state) {
    (void)state;
    uint64_t seen[10];
    for (int which = 0; which < 10; ++which) {
        SnWorld *world = weightless_world();
        SnVec3 x[5];
        line_of_points(x, 5, sn_vec3(0, 0, 0), sn_vec3(0.1f, 0.0f, 0.0f));
        SnRodDef def = sn_default_rod_def();
        def.vertex_count = 5;
        def.positions = x;
        def.origin[1] = which == 1 ? 1000.0 : 0.0;
        SnBodyId rod;
        assert_ok(sn_rod_create(world, &def, &rod));
        static RodCopy copy;
        copy_rod(world, rod, &copy);
        copy.x[4].y += which == 2 ? 0.01f : 0.0f;
        copy.v[4].z += which == 3 ? 0.01f : 0.0f;
        copy.s[4] += which == 4 ? 0.01f : 0.0f;
        copy.vs[4] += which == 5 ? 0.01f : 0.0f;
        copy.w[3].x += which == 6 ? 0.01f : 0.0f;
        if (which == 7)
            copy.q[3] = turn_about(0, 1, 0, 1.5);
        SnBodyState written = copy_arrays(&copy);
        assert_ok(sn_body_write(world, rod, &written));
        if (which == 8)
            assert_ok(sn_rod_set_length_scale(world, rod, 3, 1, 0.9f));
        if (which == 9)
            assert_ok(sn_rod_create(world, &def, NULL));
        seen[which] = sn_world_hash(world);
        for (int k = 0; k < which; ++k)
            if (seen[k] == seen[which])
                fail_msg("states %d and %d have the same hash", k, which);
        sn_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_instruction_set_and_thread_count_agrees),
        cmocka_unit_test(the_users_own_tasks_agree),
        cmocka_unit_test(the_golden_hash_is_met),
        cmocka_unit_test(neighbours_do_not_matter),
        cmocka_unit_test(the_order_in_time_of_neighbours_does_not_matter),
        cmocka_unit_test(the_callers_way_with_tiny_numbers_does_not_matter),
        cmocka_unit_test(the_hash_sees_every_part_of_the_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
