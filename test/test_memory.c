// A counting allocator: nothing in a steady step, nothing left behind, and no crash when there is
// no memory.
#include "memory_count.h"
#include "mixed_scene.h"

static void steady_steps_do_not_allocate(void **state) {
    (void)state;
    for (int threads = 1; threads <= 2; ++threads) {
        Counter counter = {0};
        SnWorldDef def = counted_def(&counter);
        def.thread_count = threads;
        MixedScene scene;
        assert_ok(
            mixed_create_with(&scene, &def, threads == 1 ? SN_SOLVER_SWEEP : SN_SOLVER_DIRECT));
        SnPoses poses;
        for (int n = 0; n < 3; ++n) {
            (void)mixed_step(&scene);
            assert_ok(sn_world_poses(scene.world, &poses));
        }
        long calls = counter.calls, live = counter.live;
        for (int n = 0; n < 20; ++n) {
            (void)mixed_step(&scene);
            assert_ok(sn_world_poses(scene.world, &poses));
            (void)sn_world_measure(scene.world);
            (void)sn_world_hash(scene.world);
        }
        assert_int_equal(counter.calls, calls);
        assert_int_equal(counter.live, live);
        sn_world_destroy(scene.world);
        assert_int_equal(counter.live, 0);
        assert_int_equal(counter.bytes, 0);
    }
}

// Whichever call gets no memory, the world says so, works on, and gives back what it has.
static void fail_every_allocation(SnRodSolver solver) {
    Counter counter = {0};
    SnWorldDef def = counted_def(&counter);
    MixedScene scene;
    assert_ok(mixed_create_with(&scene, &def, solver));
    long calls = counter.calls;
    sn_world_destroy(scene.world);
    assert_true(calls > 100);
    for (long k = 1; k <= calls; ++k) {
        counter = (Counter){.fail_at = k};
        SnResult result = mixed_create_with(&scene, &def, solver);
        assert_int_equal(result.code, SN_ERROR_MEMORY);
        assert_true(strlen(result.message) > 0);
        if (scene.world) {
            int rods = sn_world_body_count(scene.world);
            assert_int_equal(sn_world_step(scene.world, 0.01f, 1, 1) & SN_STEP_BAD_TIME, 0);
            assert_int_equal(sn_world_body_count(scene.world), rods);
            SnBodyId again = {0};
            // With memory again, the next rod is made.
            if (rods < MIXED_RODS) {
                assert_ok(mixed_rod(&scene, rods));
                again = scene.rods[rods];
                assert_true(sn_body_is_valid(scene.world, again));
            }
            sn_world_destroy(scene.world);
        }
        if (counter.live != 0 || counter.bytes != 0)
            fail_msg("failure %ld leaves %ld blocks", k, counter.live);
    }
}

static void every_failed_allocation_is_an_error(void **state) {
    (void)state;
    fail_every_allocation(SN_SOLVER_SWEEP);
    fail_every_allocation(SN_SOLVER_DIRECT);
}

static void loads_and_poses_without_memory_are_errors(void **state) {
    (void)state;
    Counter counter = {0};
    SnWorldDef def = counted_def(&counter);
    MixedScene scene;
    assert_ok(mixed_create(&scene, &def));
    uint64_t hash = sn_world_hash(scene.world);
    counter.fail_at = counter.calls + 1;
    assert_error(sn_body_add_force(scene.world, scene.rods[0], 0, sn_vec3(1, 0, 0)),
                 SN_ERROR_MEMORY, "memory");
    SnPoses poses;
    counter.fail_at = counter.calls + 1;
    assert_error(sn_world_poses(scene.world, &poses), SN_ERROR_MEMORY, "memory");
    assert_true(sn_world_hash(scene.world) == hash);
    assert_ok(sn_body_add_force(scene.world, scene.rods[0], 0, sn_vec3(1, 0, 0)));
    assert_ok(sn_world_poses(scene.world, &poses));
    sn_world_destroy(scene.world);
    assert_int_equal(counter.live, 0);
}

// Rods that come and go reuse what was there.
static void turn_over(SnRodSolver solver) {
    Counter counter = {0};
    SnWorldDef def = counted_def(&counter);
    MixedScene scene;
    assert_ok(mixed_create_with(&scene, &def, solver));
    Rng rng = {9};
    long settled = 0;
    for (int round = 0; round < 400; ++round) {
        int r = rng_int(&rng, 0, MIXED_RODS - 1);
        assert_ok(sn_body_destroy(scene.world, scene.rods[r]));
        assert_ok(mixed_rod(&scene, r));
        if (round == 100)
            settled = counter.bytes;
    }
    assert_true(counter.bytes <= settled + settled / 20);
    sn_world_destroy(scene.world);
    assert_int_equal(counter.live, 0);
    assert_int_equal(counter.bytes, 0);
}

static void memory_does_not_grow_with_turnover(void **state) {
    (void)state;
    turn_over(SN_SOLVER_SWEEP);
    turn_over(SN_SOLVER_DIRECT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steady_steps_do_not_allocate),
        cmocka_unit_test(every_failed_allocation_is_an_error),
        cmocka_unit_test(loads_and_poses_without_memory_are_errors),
        cmocka_unit_test(memory_does_not_grow_with_turnover),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
