// Stiff rods: the same bits for every instruction set and number of threads, after a restore and in
// any company; no memory in a steady step, none left behind.
#include "stiff_kit.h"

#include <stdlib.h>

#include "memory_count.h"
#include "odd_tasks.h"

typedef struct Woods {
    SnWorld *world;
    SnBodyId rods[340];
    int count;
    SnFrameId frame;
} Woods;

// A tree that is cut into parts, 300 hairs, rings, nets, forests: on a frame that moves.
static void grow_woods(Woods *w, const SnWorldDef *def, bool touching, int large) {
    static Big big;
    Rng rng = {11};
    memset(w, 0, sizeof *w);
    assert_ok(sn_world_create(def, &w->world));
    assert_ok(sn_frame_create(w->world, sn_pose_identity(), &w->frame));
    random_tree(&rng, large, 12, big.x, big.edges);
    SnRodDef tree = stiff_def(big.x, large, 0.01f);
    tree.edges = big.edges;
    tree.edge_count = large - 1;
    tree.material = (SnRodMaterial){.density = 800.0f, .young = 1e9f, .shear = 4e8f};
    tree.material.damping = 0.01f;
    if (large > 1) {
        w->rods[w->count++] = add_rod(w->world, &tree);
        clamp(w->world, w->rods[0], 0, 0);
    }
    for (int k = 0; k < 300; ++k) {
        int n = 3 + k % 13;
        float at = 0.03f * (float)(k % 20), row = 0.03f * (float)(k / 20);
        line_of_points(big.x, n, sn_vec3(at, 2.0f, row), sn_vec3(0.0f, -0.02f, 0.005f));
        SnRodDef hair = stiff_def(big.x, n, 0.001f);
        hair.closed = k % 30 == 5 && n > 4;
        for (int i = 0; hair.closed && i < n; ++i)
            big.x[i].x += 0.01f * (float)((i * (n - i)) % 7);
        hair.material.young = 1e8f;
        hair.material.drag = k % 3 == 0 ? 1.0f : 0.0f;
        hair.material.yield = k % 7 == 2 ? 1e5f : 0.0f;
        if (touching)
            hair.filter.mask = ~0u;
        SnBodyId rod = add_rod(w->world, &hair);
        w->rods[w->count++] = rod;
        if (k % 4 != 3)
            attach(w->world, rod, SN_ATTACH_VERTEX, 0, w->frame);
        if (k % 4 == 1)
            attach(w->world, rod, SN_ATTACH_SEGMENT, 0, w->frame);
    }
    if (touching) {
        SnColliderDef ball = collider_def(SN_COLLIDER_SPHERE, sn_vec3(0.3f, 1.6f, 0.2f), 0.5f);
        ball.radius_a = 0.1f;
        add_collider(w->world, &ball);
    }
}

static void step_woods(Woods *w, int from, int to) {
    for (int n = from; n < to; ++n) {
        SnPose pose = sn_pose_identity();
        pose.position.x = 0.003f * (float)(n % 17);
        assert_ok(sn_frame_set_target(w->world, w->frame, pose));
        assert_ok(sn_body_add_force(w->world, w->rods[n % w->count], 1, sn_vec3(0.01f, 0, 0)));
        uint32_t bits = sn_world_step(w->world, 0.01f, 1 + n % 2, 2);
        if (bits != SN_STEP_OK)
            fail_msg("step %d: bits %x", n, bits);
    }
}

static uint64_t hash_of_woods(const SnWorldDef *def, bool touching) {
    Woods w;
    grow_woods(&w, def, touching, touching ? 1 : 3500);
    step_woods(&w, 0, 8);
    uint64_t hash = sn_world_hash(w.world);
    sn_world_destroy(w.world);
    return hash;
}

static void every_instruction_set_and_thread_count_agrees(void **state) {
    (void)state;
    for (int touching = 0; touching < 2; ++touching) {
        uint64_t expected = 0;
        for (int isa = SN_ISA_SCALAR; isa <= SN_ISA_AVX512; ++isa)
            for (int threads = 1; threads <= 4 && sn_isa_available((SnIsa)isa); threads *= 2) {
                SnWorldDef def = sn_default_world_def();
                def.isa = (SnIsa)isa;
                def.thread_count = threads;
                uint64_t hash = hash_of_woods(&def, touching);
                expected = expected == 0 ? hash : expected;
                if (hash != expected)
                    fail_msg("%s, %d threads%s: other bits", sn_isa_name((SnIsa)isa), threads,
                             touching ? ", touching" : "");
            }
    }
}

static void the_users_own_tasks_agree(void **state) {
    (void)state;
    for (int touching = 0; touching < 2; ++touching) {
        int calls = 0;
        SnWorldDef def = sn_default_world_def();
        uint64_t expected = hash_of_woods(&def, touching);
        def.tasks = (SnTaskSystem){3, backwards, &calls};
        assert_true(hash_of_woods(&def, touching) == expected);
        def.tasks = (SnTaskSystem){5, odd_cuts, &calls};
        assert_true(hash_of_woods(&def, touching) == expected);
        assert_true(calls > 40);
    }
}

// A snapshot at `at`, one more run from there, and the same again: in this world, and in another one.
static void restore_from(bool touching, int at, int large) {
    SnWorldDef def = sn_default_world_def();
    Woods a, b;
    grow_woods(&a, &def, touching, large);
    def.isa = SN_ISA_SCALAR;
    def.thread_count = 1;
    grow_woods(&b, &def, touching, large);
    step_woods(&a, 0, at);
    size_t size = sn_world_snapshot_size(a.world);
    void *buffer = malloc(size);
    assert_non_null(buffer);
    assert_ok(sn_world_save(a.world, buffer, size));
    uint64_t saved = sn_world_hash(a.world);
    step_woods(&a, at, at + 6);
    uint64_t after = sn_world_hash(a.world);
    assert_ok(sn_body_add_force(a.world, a.rods[3], 1, sn_vec3(9, 9, 9)));
    for (int round = 0; round < 2; ++round) {
        Woods *w = round == 0 ? &a : &b;
        step_woods(&b, 0, round * 3);
        assert_ok(sn_world_restore(w->world, buffer, size));
        assert_true(sn_world_hash(w->world) == saved);
        step_woods(w, at, at + 6);
        if (sn_world_hash(w->world) != after)
            fail_msg("saved at step %d%s: %s world differs", at, touching ? ", touching" : "",
                     round == 0 ? "the same" : "another");
    }
    free(buffer);
    sn_world_destroy(a.world);
    sn_world_destroy(b.world);
}

static void what_follows_a_restore_is_bit_identical(void **state) {
    (void)state;
    restore_from(false, 0, 200);
    restore_from(false, 7, 200);
    restore_from(true, 0, 1);
    restore_from(true, 7, 1);
}

// A rod moves the same whatever shares its grove.
static void neighbours_do_not_matter(void **state) {
    (void)state;
    static RodCopy alone, crowded;
    for (int others = 0; others < 2; ++others) {
        Rng rng = {31};
        static SnVec3 x[30];
        static int edges[60];
        SnWorld *world = heavy_world();
        random_tree(&rng, 30, 3, x, edges);
        SnRodDef def = stiff_def(x, 30, 0.01f);
        def.edges = edges;
        def.edge_count = 29;
        for (int k = 0; k < 10 * others; ++k) {
            def.vertex_count = 20 + k;
            def.edge_count = 19 + k;
            SnBodyId rod = add_rod(world, &def);
            if (k % 2)
                pin(world, rod, SN_ATTACH_VERTEX, k);
        }
        def.vertex_count = 30;
        def.edge_count = 29;
        SnBodyId rod = add_rod(world, &def);
        pin(world, rod, SN_ATTACH_VERTEX, 3);
        pin(world, rod, SN_ATTACH_VERTEX, 20);
        for (int n = 0; n < 30; ++n)
            (void)sn_world_step(world, DT, 2, 2);
        copy_rod(world, rod, others ? &crowded : &alone);
        sn_world_destroy(world);
    }
    assert_memory_equal(&alone, &crowded, sizeof alone);
}

// What was done once is done again without memory.
static void steady_steps_do_not_allocate(void **state) {
    (void)state;
    for (int touching = 0; touching < 2; ++touching) {
        Counter counter = {0};
        SnWorldDef def = counted_def(&counter);
        def.thread_count = 2;
        Woods w;
        grow_woods(&w, &def, touching, touching ? 1 : 3500);
        step_woods(&w, 0, 1);
        size_t size = sn_world_snapshot_size(w.world);
        void *buffer = malloc(size);
        assert_non_null(buffer);
        assert_ok(sn_world_save(w.world, buffer, size));
        long calls = 0;
        for (int round = 0; round < 2; ++round) {
            step_woods(&w, 1, 2); // after a restore, rows are made anew
            calls = counter.calls;
            step_woods(&w, 2, 12);
            (void)sn_world_measure(w.world);
            (void)sn_world_hash(w.world);
            if (round == 0)
                assert_ok(sn_world_restore(w.world, buffer, size));
        }
        assert_int_equal(counter.calls, calls);
        free(buffer);
        sn_world_destroy(w.world);
        assert_int_equal(counter.live, 0);
        assert_int_equal(counter.bytes, 0);
    }
}

static SnResult create_some(SnWorld **world, const SnWorldDef *def) {
    SnVec3 x[8];
    SnRodDef rod = stiff_def(x, 8, 0.01f);
    rod.filter.mask = ~0u;
    SnResult result = sn_world_create(def, world);
    for (int k = 0; k < 20 && result.code == SN_OK; ++k) {
        SnBodyId id;
        line_of_points(x, 8, sn_vec3(0, 0, 0.021f * (float)k), sn_vec3(0.1f, 0, 0));
        result = sn_rod_create(*world, &rod, &id);
        SnAttachmentDef peg = sn_default_attachment_def();
        peg.body = id;
        if (result.code == SN_OK)
            result = sn_attachment_create(*world, &peg, NULL);
        if (result.code == SN_OK)
            result = sn_body_add_force(*world, id, 3, sn_vec3(0, 1, 0));
    }
    return result;
}

// Whichever call gets no memory, it says so, and the world works on.
static void every_failed_allocation_is_an_error(void **state) {
    (void)state;
    Counter counter = {0};
    SnWorldDef def = counted_def(&counter);
    def.thread_count = 1;
    SnWorld *world = NULL;
    assert_ok(create_some(&world, &def));
    long calls = counter.calls;
    sn_world_destroy(world);
    for (long k = 1; k <= calls; ++k) {
        counter = (Counter){.fail_at = k};
        world = NULL;
        SnResult result = create_some(&world, &def);
        if (result.code != SN_ERROR_MEMORY)
            fail_msg("allocation %ld fails, and nothing says so", k);
        if (world) {
            assert_int_equal(sn_world_step(world, 0.01f, 2, 2) & ~(uint32_t)SN_STEP_NO_MEMORY, 0);
            assert_int_equal(sn_world_step(world, 0.01f, 2, 2), SN_STEP_OK);
            sn_world_destroy(world);
        }
        if (counter.live != 0 || counter.bytes != 0)
            fail_msg("failure %ld leaves %ld blocks", k, counter.live);
    }
}

// Steps that run out of memory, too.
static void steps_survive_without_memory(void **state) {
    (void)state;
    for (long k = 1; k < 60; ++k) {
        Counter counter = {0};
        SnWorldDef def = counted_def(&counter);
        def.thread_count = 1;
        SnWorld *world = NULL;
        assert_ok(create_some(&world, &def));
        counter.fail_at = counter.calls + k;
        (void)sn_world_step(world, 0.01f, 2, 2);
        assert_int_equal(sn_world_step(world, 0.01f, 2, 2) & SN_STEP_RECOVERED, 0);
        assert_true(isfinite(sn_world_measure(world).speed_max));
        sn_world_destroy(world);
        assert_int_equal(counter.live, 0);
    }
}

// Rods that come and go, in any order, with all that hangs on them.
static void rods_come_and_go(void **state) {
    (void)state;
    enum { RODS = 50 };
    Counter counter = {0};
    SnWorldDef def = counted_def(&counter);
    SnWorld *world = NULL;
    assert_ok(sn_world_create(&def, &world));
    SnBodyId rods[RODS] = {0};
    Rng rng = {2};
    static SnVec3 x[60];
    static int edges[120];
    long settled = 0;
    for (int n = 0; n < 1500; ++n) {
        int r = rng_int(&rng, 0, RODS - 1);
        if (sn_body_is_valid(world, rods[r])) {
            assert_ok(sn_body_destroy(world, rods[r]));
        } else {
            int count = rng_int(&rng, 2, 60);
            random_tree(&rng, count, rng_int(&rng, 1, 9), x, edges);
            SnRodDef rod = stiff_def(x, count, 0.01f);
            rod.edges = edges;
            rod.edge_count = count - 1;
            rod.filter.mask = n % 3 ? 0 : ~0u;
            rod.self_collide = false;
            rods[r] = add_rod(world, &rod);
            int held = rng_int(&rng, 0, count - 1);
            if (n % 2)
                pin(world, rods[r], SN_ATTACH_VERTEX, held);
            if (n % 5 == 1)
                pin(world, rods[r], SN_ATTACH_SEGMENT, held > 0 ? held - 1 : 0);
        }
        if (n % 50 == 49)
            (void)sn_world_step(world, 0.005f, 1, 1);
        if (n == 750)
            settled = counter.bytes;
    }
    assert_true(counter.bytes <= settled + settled / 5);
    sn_world_destroy(world);
    assert_int_equal(counter.live, 0);
    assert_int_equal(counter.bytes, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_instruction_set_and_thread_count_agrees),
        cmocka_unit_test(the_users_own_tasks_agree),
        cmocka_unit_test(what_follows_a_restore_is_bit_identical),
        cmocka_unit_test(neighbours_do_not_matter),
        cmocka_unit_test(steady_steps_do_not_allocate),
        cmocka_unit_test(every_failed_allocation_is_an_error),
        cmocka_unit_test(steps_survive_without_memory),
        cmocka_unit_test(rods_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
