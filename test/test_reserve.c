// With a reserve, no step asks for memory from the first one on, whatever touches; one that is too small is
// told of; and nothing else changes.
#include "memory_count.h"

#include "base/reserve.h"

#define DT (1.0f / 60.0f)

// Balls, classic rods, a stiff tree, soft rods and a solid sheet fall on a floor, and a chain of links hangs.
static SnWorld *make_crowd(Counter *counter, int threads) {
    SnWorldDef def = counted_def(counter);
    def.thread_count = threads;
    def.sleep_speed = 0.01f;
    SnWorld *world;
    assert_ok(sn_world_create(&def, &world));
    SnColliderDef floor = sn_default_collider_def();
    assert_ok(sn_collider_create(world, &floor, NULL));
    SnRigidPart part = sn_rigid_sphere(sn_vec3(0.0f, 0.0f, 0.0f), 0.05f);
    SnRigidDef ball = sn_default_rigid_def();
    ball.parts = &part;
    ball.part_count = 1;
    SnBodyId last = {0, 0};
    for (int k = 0; k < 120; ++k) {
        ball.pose.position = sn_vec3(0.12f * (float)(k % 5), 0.3f + 0.12f * (float)(k / 25),
                                     0.12f * (float)(k / 5 % 5));
        SnBodyId id;
        assert_ok(sn_rigid_create(world, &ball, &id));
        if (k > 0 && k < 8) {
            SnLinkDef link = sn_default_link_def();
            link.a = (SnBodyPoint){last, 0, 0.0f};
            link.b = (SnBodyPoint){id, 0, 0.0f};
            assert_ok(sn_link_create(world, &link, NULL));
        }
        last = id;
    }
    for (int k = 0; k < 12; ++k) {
        SnVec3 x[12];
        line_of_points(x, 12, sn_vec3(-0.2f, 1.0f + 0.06f * (float)k, 0.05f * (float)k),
                       sn_vec3(0.08f, 0.0f, 0.0f));
        SnRodDef rod = sn_default_rod_def();
        rod.vertex_count = 12;
        rod.positions = x;
        rod.radius = 0.02f;
        rod.classic = k % 3 == 1;
        rod.stiff = k % 3 == 2;
        rod.self_collide = k % 3 == 0;
        assert_ok(sn_rod_create(world, &rod, NULL));
    }
    return world;
}

static SnReserve reserve_of(int contacts, int pairs) {
    SnReserve reserve = sn_default_reserve();
    reserve.contacts = contacts;
    reserve.pairs = pairs;
    return reserve;
}

static void test_no_step_allocates(void **state) {
    (void)state;
    uint64_t hash[2] = {0, 0};
    for (int threads = 1; threads <= 2; ++threads) {
        Counter counter = {0};
        SnWorld *world = make_crowd(&counter, threads);
        SnReserve reserve = reserve_of(4000, 20000);
        assert_ok(sn_world_reserve(world, &reserve));
        long calls = counter.calls;
        int most = 0;
        for (int i = 0; i < 150; ++i) {
            if (i == 60) // a blow that scatters all of it
                for (SnBodyId b = sn_world_next_body(world, (SnBodyId){0, 0}); b.index != 0;
                     b = sn_world_next_body(world, b))
                    assert_ok(sn_body_add_impulse(world, b, 0, sn_vec3(0.5f, 1.0f, -0.5f)));
            if (i == 60)
                calls = counter.calls; // impulses may take memory; steps may not
            uint32_t bits = sn_world_step(world, DT, 4, 1);
            assert_int_equal(bits & (SN_STEP_RESERVE | SN_STEP_NO_MEMORY), 0);
            int contacts = sn_world_contact_events(world).contact_count;
            most = contacts > most ? contacts : most;
            if (counter.calls != calls)
                fail_msg("step %d asked for memory %ld times", i, counter.calls - calls);
        }
        assert_true(most > 200);
        hash[threads - 1] = sn_world_hash(world);
        sn_world_destroy(world);
        assert_int_equal(counter.live, 0);
        assert_int_equal(counter.bytes, 0);
    }
    Counter counter = {0};
    SnWorld *world = make_crowd(&counter, 1);
    for (int i = 0; i < 150; ++i) {
        if (i == 60)
            for (SnBodyId b = sn_world_next_body(world, (SnBodyId){0, 0}); b.index != 0;
                 b = sn_world_next_body(world, b))
                assert_ok(sn_body_add_impulse(world, b, 0, sn_vec3(0.5f, 1.0f, -0.5f)));
        assert_int_equal(sn_world_step(world, DT, 4, 1) & SN_STEP_RESERVE, 0);
    }
    assert_true(hash[0] == hash[1] && hash[0] == sn_world_hash(world));
    sn_world_destroy(world);
}

static void test_too_small_a_reserve_is_told(void **state) {
    (void)state;
    Counter counter = {0};
    SnWorld *world = make_crowd(&counter, 1);
    // Nearly all of what is there is taken away again.
    SnReserve reserve = reserve_of(0, 0);
    reserve.points = 1;
    assert_ok(sn_world_reserve(world, &reserve));
    uint32_t bits = 0;
    for (int i = 0; i < 80; ++i)
        bits |= sn_world_step(world, DT, 4, 1);
    // 4 MB go a long way: a crowd that needs more is told of.
    SnRigidPart part = sn_rigid_sphere(sn_vec3(0.0f, 0.0f, 0.0f), 0.05f);
    SnRigidDef ball = sn_default_rigid_def();
    ball.parts = &part;
    ball.part_count = 1;
    for (int k = 0; k < 12000; ++k) {
        ball.pose.position =
            sn_vec3(5.0f + 0.099f * (float)(k % 20), 0.05f + 0.099f * (float)(k / 400),
                    0.099f * (float)(k / 20 % 20));
        assert_ok(sn_rigid_create(world, &ball, NULL));
    }
    bits = sn_world_step(world, DT, 1, 1);
    assert_true(bits & SN_STEP_RESERVE);
    assert_int_equal(bits & SN_STEP_NO_MEMORY, 0);
    sn_world_destroy(world);
    assert_int_equal(counter.live, 0);
}

static void test_refused(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnReserve reserve = reserve_of(-1, 0);
    assert_error(sn_world_reserve(world, &reserve), SN_ERROR_INVALID, "contacts: -1");
    reserve.cookie = 0;
    assert_error(sn_world_reserve(world, &reserve), SN_ERROR_INVALID, "sn_default_reserve");
    assert_error(sn_world_reserve(NULL, &reserve), SN_ERROR_INVALID, "NULL");
    sn_world_destroy(world);
    Counter counter = {0};
    SnWorldDef def = counted_def(&counter);
    assert_ok(sn_world_create(&def, &world));
    counter.fail_at = counter.calls + 1;
    reserve = reserve_of(100, 100);
    assert_error(sn_world_reserve(world, &reserve), SN_ERROR_MEMORY, "bytes");
    sn_world_destroy(world);
    assert_int_equal(counter.live, 0);
}

// Pieces of random sizes, taken and given back in any order: none overlap, and in the end it is one.
static void test_pieces(void **state) {
    (void)state;
    enum { PIECES = 60, BYTES = 1 << 16 };
    Counter counter = {0};
    Reserve reserve = {.user = {count_allocate, count_release, &counter}};
    assert_true(sn__reserve_bytes(&reserve, BYTES));
    assert_true(sn__reserve_bytes(&reserve, BYTES)); // is there already
    assert_int_equal(counter.live, 1);
    SnAllocator a = sn__reserve_allocator(&reserve);
    reserve.open = true;
    Rng rng = {4};
    unsigned char *pieces[PIECES] = {NULL};
    size_t sizes[PIECES];
    int inside = 0;
    for (int round = 0; round < 4000; ++round) {
        int k = rng_int(&rng, 0, PIECES - 1);
        if (pieces[k]) {
            for (size_t i = 0; i < sizes[k]; ++i)
                assert_int_equal(pieces[k][i], k);
            sn__free(&a, pieces[k], sizes[k]);
            pieces[k] = NULL;
        } else {
            sizes[k] = (size_t)rng_int(&rng, 1, 3000);
            pieces[k] = sn__alloc(&a, sizes[k]);
            memset(pieces[k], k, sizes[k]);
            inside += !reserve.exceeded;
        }
    }
    assert_true(inside > 100 && reserve.exceeded);
    for (int k = 0; k < PIECES; ++k)
        sn__free(&a, pieces[k], sizes[k]);
    assert_true(reserve.blocks->free->size == BYTES && reserve.blocks->free->next == NULL);
    sn__reserve_destroy(&reserve);
    assert_int_equal(counter.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_step_allocates),
        cmocka_unit_test(test_too_small_a_reserve_is_told),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
