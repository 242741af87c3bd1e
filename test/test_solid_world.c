// Solids among others: stacks, links, sleep; the same bits for every instruction set, number of threads and
// after a restore; no memory in a steady step.
#include "solid_kit.h"

#include <stdlib.h>

#include "memory_count.h"
#include "odd_tasks.h"

typedef struct Heap {
    SnWorld *world;
    SnBodyId solids[12];
    int count;
} Heap;

// Blocks, bars and sheets that fall on each other, on a rod and on a ball.
static void pile_up(Heap *heap, const SnWorldDef *def) {
    memset(heap, 0, sizeof *heap);
    assert_ok(sn_world_create(def, &heap->world));
    add_floor(heap->world, 0.0f, 0.5f);
    for (int k = 0; k < 12; ++k) {
        SnVec3 at =
            sn_vec3(0.12f * (float)(k % 3), 0.15f + 0.2f * (float)(k / 3), 0.05f * (float)k);
        const int shape[3][3] = {{3, 3, 3}, {6, 1, 1}, {4, 1, 4}};
        const int *n = shape[k % 3];
        SnVec3 size = sn_vec3(0.05f * (float)n[0], 0.05f * (float)n[1], 0.05f * (float)n[2]);
        Grid *g = grid_of(n[0], n[1], n[2], size, at);
        g->def.material.young = k % 2 ? 1e5f : 1e7f;
        g->def.angular_velocity = sn_vec3(0.0f, 0.0f, (float)(k % 5));
        heap->solids[heap->count++] = add_solid(heap->world, g);
    }
    SnVec3 x[12];
    SnRodDef rod =
        line_def(x, 12, sn_vec3(0.2f, 0.1f, 0.2f), sn_vec3(1.0f, 0.0f, 0.0f), 0.6f, 0.02f);
    add_rod(heap->world, &rod);
    SnRigidPart part = sn_rigid_sphere(sn_vec3(0.0f, 0.0f, 0.0f), 0.06f);
    SnRigidDef ball = sn_default_rigid_def();
    ball.part_count = 1;
    ball.parts = &part;
    ball.pose.position = sn_vec3(0.2f, 1.2f, 0.2f);
    assert_ok(sn_rigid_create(heap->world, &ball, NULL));
    hold_particle(heap->world, heap->solids[4], 0);
}

static void step_heap(Heap *heap, int from, int to) {
    for (int n = from; n < to; ++n) {
        SnBodyId body = heap->solids[n % heap->count];
        assert_ok(sn_body_add_force(heap->world, body, 1, sn_vec3(0.1f, 0.0f, 0.0f)));
        uint32_t bits = step_world(heap->world, DT, 4, 1);
        if (bits != SN_STEP_OK)
            fail_msg("step %d: bits %x", n, bits);
    }
}

static uint64_t hash_of_heap(const SnWorldDef *def) {
    Heap heap;
    pile_up(&heap, def);
    step_heap(&heap, 0, 40);
    uint64_t hash = sn_world_hash(heap.world);
    sn_world_destroy(heap.world);
    return hash;
}

static void test_every_instruction_set_and_thread_count_agrees(void **state) {
    (void)state;
    uint64_t expected = 0;
    for (int isa = SN_ISA_SCALAR; isa <= SN_ISA_AVX512; ++isa)
        for (int threads = 1; threads <= 4 && sn_isa_available((SnIsa)isa); threads *= 2) {
            SnWorldDef def = sn_default_world_def();
            def.isa = (SnIsa)isa;
            def.thread_count = threads;
            uint64_t hash = hash_of_heap(&def);
            expected = expected == 0 ? hash : expected;
            if (hash != expected)
                fail_msg("%s, %d threads: other bits", sn_isa_name((SnIsa)isa), threads);
        }
    int calls = 0;
    SnWorldDef def = sn_default_world_def();
    def.tasks = (SnTaskSystem){3, backwards, &calls};
    assert_true(hash_of_heap(&def) == expected);
    def.tasks = (SnTaskSystem){5, odd_cuts, &calls};
    assert_true(hash_of_heap(&def) == expected);
    assert_true(calls > 40);
}

static void test_what_follows_a_restore_is_bit_identical(void **state) {
    (void)state;
    for (int at = 0; at <= 30; at += 15) {
        SnWorldDef def = sn_default_world_def();
        Heap a, b;
        pile_up(&a, &def);
        def.isa = SN_ISA_SCALAR;
        pile_up(&b, &def);
        step_heap(&a, 0, at);
        size_t size = sn_world_snapshot_size(a.world);
        void *buffer = malloc(size);
        assert_non_null(buffer);
        assert_ok(sn_world_save(a.world, buffer, size));
        step_heap(&a, at, at + 6);
        uint64_t after = sn_world_hash(a.world);
        for (int round = 0; round < 2; ++round) {
            Heap *heap = round == 0 ? &a : &b;
            step_heap(&b, 0, round * 3);
            assert_ok(sn_world_restore(heap->world, buffer, size));
            step_heap(heap, at, at + 6);
            assert_true(sn_world_hash(heap->world) == after);
        }
        free(buffer);
        sn_world_destroy(a.world);
        sn_world_destroy(b.world);
    }
}

static void test_steady_steps_do_not_allocate(void **state) {
    (void)state;
    Counter counter = {0};
    SnWorldDef def = counted_def(&counter);
    Heap heap;
    pile_up(&heap, &def);
    step_heap(&heap, 0, 1);
    size_t size = sn_world_snapshot_size(heap.world);
    void *buffer = malloc(size);
    assert_non_null(buffer);
    assert_ok(sn_world_save(heap.world, buffer, size));
    step_heap(&heap, 1, 60);
    assert_ok(sn_world_restore(heap.world, buffer, size));
    long calls = counter.calls;
    step_heap(&heap, 1, 60);
    assert_int_equal(counter.calls, calls);
    free(buffer);
    sn_world_destroy(heap.world);
    assert_int_equal(counter.live, 0);
}

static void test_without_memory_nothing_is_made(void **state) {
    (void)state;
    Counter counter = {0};
    SnWorldDef def = counted_def(&counter);
    SnWorld *world;
    assert_ok(sn_world_create(&def, &world));
    Grid *g = grid_of(3, 2, 2, sn_vec3(0.3f, 0.2f, 0.2f), sn_vec3(0.0f, 0.0f, 0.0f));
    long live = counter.live;
    for (int n = 1;; ++n) {
        counter.fail_at = counter.calls + n;
        SnResult result = sn_solid_create(world, &g->def, NULL);
        counter.fail_at = 0;
        if (result.code == SN_OK)
            break;
        assert_int_equal(result.code, SN_ERROR_MEMORY);
        assert_int_equal(sn_world_body_count(world), 0);
    }
    assert_true(counter.live > live);
    sn_world_destroy(world);
    assert_int_equal(counter.live, 0);
}

static double lowest(const SnWorld *world, SnBodyId body, int count) {
    double low = 1e9;
    for (int i = 0; i < count; ++i)
        low = fmin(low, (double)particle_at(world, body, i).y);
    return low;
}

static void test_stacks_rest_without_overlap(void **state) {
    (void)state;
    const float modulus[] = {1e5f, 1e7f, 2e11f};
    for (int k = 0; k < 3; ++k) {
        SnWorld *world = heavy_world();
        SnBodyId bodies[4];
        add_floor(world, 0.0f, 0.5f);
        for (int b = 0; b < 4; ++b) {
            SnVec3 at = sn_vec3(0.0f, 0.01f + 0.32f * (float)b, 0.0f);
            Grid *g = grid_of(3, 3, 3, sn_vec3(0.3f, 0.3f, 0.3f), at);
            g->def.material.young = modulus[k];
            bodies[b] = add_solid(world, g);
        }
        for (int n = 0; n < 240; ++n)
            assert_int_equal(sn_world_step(world, DT, 10, 1), 0);
        assert_below(sn_world_measure(world).speed_max, 1e-3);
        assert_below(0.05 - lowest(world, bodies[0], 27), 0.02 * 0.05);
        for (int b = 1; b < 4; ++b) {
            double top = (double)particle_at(world, bodies[b - 1], 26).y;
            double gap = lowest(world, bodies[b], 27) - top - 0.1;
            assert_true(gap > -0.02 * 0.1 && gap < 0.05);
        }
        sn_world_destroy(world);
    }
}

// A cube of this size, turned by an angle about z, that falls from three times its size.
static void drop_on_an_edge(float size, float young, float angle) {
    SnWorld *world = heavy_world();
    add_floor(world, 0.0f, 0.5f);
    Grid *g = grid_of(3, 3, 3, sn_vec3(size, size, size), sn_vec3(0.0f, 0.0f, 0.0f));
    g->def.material.young = young;
    for (int i = 0; i < g->count; ++i) {
        float x = g->positions[i].x - 0.5f * size, y = g->positions[i].y - 0.5f * size;
        g->positions[i].x = x * cosf(angle) - y * sinf(angle);
        g->positions[i].y = x * sinf(angle) + y * cosf(angle) + 3.0f * size;
    }
    add_solid(world, g);
    double start = sn_world_measure(world).energy_gravity;
    for (int n = 0; n < 90; ++n) {
        assert_int_equal(sn_world_step(world, DT, 10, 1), 0);
        SnMeasures m = sn_world_measure(world);
        assert_below(m.energy_kinetic + m.energy_gravity + m.energy_stretch, 1.0001 * start);
    }
    assert_below(sn_world_measure(world).speed_max, 0.01);
    sn_world_destroy(world);
}

static void test_small_stiff_bodies_gain_nothing_by_a_fall(void **state) {
    (void)state;
    drop_on_an_edge(0.01f, 1e10f, 0.5f);
    drop_on_an_edge(0.01f, 1e10f, 0.2f);
    drop_on_an_edge(0.05f, 2e11f, 0.785f);
    drop_on_an_edge(0.05f, 2e11f, 0.5f);
}

static void test_bodies_at_rest_sleep_and_wake(void **state) {
    (void)state;
    SnWorldDef def = sn_default_world_def();
    def.gravity = sn_vec3(0.0f, -(float)GRAVITY, 0.0f);
    def.sleep_speed = 0.01f;
    SnWorld *world;
    assert_ok(sn_world_create(&def, &world));
    add_floor(world, 0.0f, 0.5f);
    Grid *g = grid_of(3, 3, 3, sn_vec3(0.3f, 0.3f, 0.3f), sn_vec3(0.0f, 0.01f, 0.0f));
    SnBodyId body = add_solid(world, g);
    for (int n = 0; n < 240 && !sn_body_is_asleep(world, body); ++n)
        sn_world_step(world, DT, 10, 1);
    assert_true(sn_body_is_asleep(world, body));
    assert_ok(sn_body_add_impulse(world, body, 26, sn_vec3(0.0f, 5.0f, 0.0f)));
    sn_world_step(world, DT, 10, 1);
    assert_false(sn_body_is_asleep(world, body));
    sn_world_destroy(world);
}

// A block hangs on a rope: each pulls at the other with the weight of the block.
static void test_a_block_hangs_on_a_rope(void **state) {
    (void)state;
    SnWorld *world = heavy_world();
    SnVec3 x[11];
    SnRodDef rope =
        line_def(x, 11, sn_vec3(0.0f, 1.5f, 0.0f), sn_vec3(0.0f, -1.0f, 0.0f), 1.0f, 0.01f);
    rope.material.young = 1e8f;
    rope.solver = SN_SOLVER_AUTO;
    SnBodyId rod = add_rod(world, &rope);
    pin(world, rod, SN_ATTACH_VERTEX, 0);
    Grid *g = grid_of(3, 3, 3, sn_vec3(0.2f, 0.2f, 0.2f), sn_vec3(-0.1f, 0.8f, -0.1f));
    g->def.material.young = 1e6f;
    SnBodyId block = add_solid(world, g);
    SnLinkDef def = sn_default_link_def();
    def.a = (SnBodyPoint){.body = rod, .element = 9, .t = 1.0f};
    def.b = (SnBodyPoint){.body = block, .element = 16};
    SnLinkId link;
    assert_ok(sn_link_create(world, &def, &link));
    for (int n = 0; n < 900; ++n)
        sn_world_step(world, DT, 10, 1);
    SnVec3 force;
    assert_ok(sn_link_force(world, link, &force));
    assert_near(fabs((double)force.y), 8.0 * GRAVITY, 0.05 * 8.0 * GRAVITY);
    float gap;
    assert_ok(sn_link_gap(world, link, &gap));
    assert_below(gap, 2e-3);
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_instruction_set_and_thread_count_agrees),
        cmocka_unit_test(test_what_follows_a_restore_is_bit_identical),
        cmocka_unit_test(test_steady_steps_do_not_allocate),
        cmocka_unit_test(test_without_memory_nothing_is_made),
        cmocka_unit_test(test_stacks_rest_without_overlap),
        cmocka_unit_test(test_small_stiff_bodies_gain_nothing_by_a_fall),
        cmocka_unit_test(test_bodies_at_rest_sleep_and_wake),
        cmocka_unit_test(test_a_block_hangs_on_a_rope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
