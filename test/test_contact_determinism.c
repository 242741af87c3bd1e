// A pile of ropes and octopuses: the same bits for every thread count, instruction set, job system
// and after a snapshot, and no allocation once it has settled.
#include "contact_kit.h"

#include <stdlib.h>

#include "collide/contacts.h"

enum { ROPES = 60, OCTOPUSES = 8, STEPS = 24 };

typedef struct Scene {
    SnWorld *world;
    SnFrameId frame;
    int steps;
} Scene;

static void add_ropes(SnWorld *world) {
    SnBodyId before = {0, 0};
    for (int k = 0; k < ROPES; ++k) {
        SnVec3 x[20];
        int count = 6 + k % 5 * 3;
        SnVec3 d = k % 2 ? sn_vec3(0.8f, 0.0f, 0.6f) : sn_vec3(-0.6f, 0.0f, 0.8f);
        SnVec3 at =
            sn_vec3(0.1f * (float)(k % 3 - 1), 0.1f + 0.042f * (float)k, 0.1f * (float)(k % 4));
        SnRodDef def = line_def(x, count, at, d, 0.05f * (float)count, 0.02f);
        def.classic = k % 3 == 0;
        def.surface.friction = 0.2f + 0.1f * (float)(k % 4);
        def.surface.compliance = k % 9 == 0 ? 1e-5f : 0.0f;
        SnBodyId rod = add_rod(world, &def);
        if (k % 10 == 1) {
            SnLinkDef link = sn_default_link_def();
            link.length = 0.0f;
            link.a = (SnBodyPoint){rod, 1, 0.5f};
            link.b = (SnBodyPoint){before, 2, 0.25f};
            link.length = 0.8f; // slack at first
            link.rope = true;
            assert_ok(sn_link_create(world, &link, NULL));
        }
        before = rod;
    }
}

static void add_octopuses(SnWorld *world) {
    SnModel model;
    assert_ok(sn_octopus(0.4f, NULL, &model));
    for (int k = 0; k < OCTOPUSES; ++k) {
        SnRodDef def = sn_default_rod_def();
        def.vertex_count = model.vertex_count;
        def.edge_count = model.edge_count;
        def.positions = model.positions;
        def.radii = model.radii;
        def.edges = model.edges;
        def.material.damping = 0.01f;
        def.origin[0] = 1.0 + 0.1 * (k % 2);
        def.origin[1] = 0.3 + 0.45 * k;
        assert_ok(sn_rod_create(world, &def, NULL));
    }
    sn_model_destroy(&model);
}

static Scene make_scene(const SnWorldDef *def) {
    Scene scene = {.steps = 0};
    assert_ok(sn_world_create(def, &scene.world));
    assert_ok(sn_frame_create(scene.world, sn_pose_identity(), &scene.frame));
    add_floor(scene.world, 0.0f, 0.5f);
    SnColliderDef box = collider_def(SN_COLLIDER_BOX, sn_vec3(0.3f, 0.1f, 0), 0.5f);
    box.half_size = sn_vec3(0.2f, 0.1f, 0.3f);
    add_collider(scene.world, &box);
    SnColliderDef ball = collider_def(SN_COLLIDER_SPHERE, sn_vec3(-0.6f, 0.2f, 0), 0.5f);
    ball.radius_a = 0.2f;
    ball.frame = scene.frame;
    add_collider(scene.world, &ball);
    add_ropes(scene.world);
    add_octopuses(scene.world);
    return scene;
}

static void step_scene(Scene *scene, int count) {
    for (int n = 0; n < count; ++n) {
        ++scene->steps;
        SnPose pose = {sn_vec3(0.02f * (float)(scene->steps < 40 ? scene->steps : 40), 0, 0),
                       sn_quat_identity()};
        assert_ok(sn_frame_set_target(scene->world, scene->frame, pose));
        assert_int_equal(step_world(scene->world, DT, 10, 1), SN_STEP_OK);
    }
}

static uint64_t hash_of_run(const SnWorldDef *def) {
    Scene scene = make_scene(def);
    step_scene(&scene, STEPS);
    assert_true(sn_world_contact_events(scene.world).contact_count > 100);
    uint64_t hash = sn_world_hash(scene.world);
    sn_world_destroy(scene.world);
    return hash;
}

static void assert_same(const char *what, uint64_t hash, uint64_t expected) {
    if (hash != expected)
        fail_msg("%s: 0x%016llx, expected 0x%016llx", what, (unsigned long long)hash,
                 (unsigned long long)expected);
}

static uint64_t reference_hash(void) {
    static uint64_t hash;
    SnWorldDef def = sn_default_world_def();
    def.thread_count = 1;
    if (hash == 0)
        hash = hash_of_run(&def);
    return hash;
}

static void thread_counts_agree(void **state) {
    (void)state;
    for (int threads = 2; threads <= 4; threads *= 2) {
        SnWorldDef def = sn_default_world_def();
        def.thread_count = threads;
        char what[32];
        snprintf(what, sizeof what, "%d threads", threads);
        assert_same(what, hash_of_run(&def), reference_hash());
    }
}

static void instruction_sets_agree(void **state) {
    (void)state;
    for (int isa = SN_ISA_SCALAR; isa <= SN_ISA_AVX512; ++isa) {
        if (!sn_isa_available((SnIsa)isa))
            continue;
        SnWorldDef def = sn_default_world_def();
        def.isa = (SnIsa)isa;
        def.thread_count = 1;
        assert_same(sn_isa_name((SnIsa)isa), hash_of_run(&def), reference_hash());
    }
}

static void backwards(int count, int grain, SnTask *task, void *task_context, void *context) {
    (void)grain;
    (void)context;
    for (int k = count; k-- > 0;)
        task(k, k + 1, k % 3, task_context);
}

static void a_users_tasks_agree(void **state) {
    (void)state;
    SnWorldDef def = sn_default_world_def();
    def.tasks = (SnTaskSystem){3, backwards, NULL};
    assert_same("backwards", hash_of_run(&def), reference_hash());
}

static void what_follows_a_restore_is_the_same(void **state) {
    (void)state;
    SnWorldDef def = sn_default_world_def();
    Scene scene = make_scene(&def), other = make_scene(&def);
    step_scene(&scene, STEPS / 2);
    size_t size = sn_world_snapshot_size(scene.world);
    void *buffer = malloc(size);
    assert_non_null(buffer);
    assert_ok(sn_world_save(scene.world, buffer, size));
    step_scene(&scene, STEPS / 2);
    assert_same("saved", sn_world_hash(scene.world), reference_hash());

    assert_ok(sn_world_restore(scene.world, buffer, size));
    scene.steps = STEPS / 2;
    step_scene(&scene, STEPS / 2);
    assert_same("restored", sn_world_hash(scene.world), reference_hash());

    step_scene(&other, 7); // it has contacts of its own to forget
    assert_ok(sn_world_restore(other.world, buffer, size));
    other.steps = STEPS / 2;
    step_scene(&other, STEPS / 2);
    assert_same("restored into another world", sn_world_hash(other.world), reference_hash());
    free(buffer);
    sn_world_destroy(scene.world);
    sn_world_destroy(other.world);
}

typedef struct Counter {
    long calls, live;
} Counter;

static void *count_allocate(size_t size, size_t align, void *context) {
    Counter *c = context;
    c->calls += 1;
    c->live += 1;
    void *memory = aligned_alloc(align, (size + align - 1) / align * align);
    assert_non_null(memory);
    memset(memory, 0xCD, size);
    return memory;
}

static void count_release(void *memory, size_t size, void *context) {
    (void)size;
    Counter *c = context;
    c->live -= 1;
    free(memory);
}

static void a_settled_pile_does_not_allocate(void **state) {
    (void)state;
    Counter counter = {0, 0};
    SnWorldDef def = sn_default_world_def();
    def.allocator = (SnAllocator){count_allocate, count_release, &counter};
    Scene scene = make_scene(&def);
    long calls = 0;
    for (int n = 0; n < 3 * STEPS; ++n) {
        if (n == 2 * STEPS)
            calls = counter.calls;
        step_scene(&scene, 1);
        (void)sn_world_contact_events(scene.world);
    }
    assert_int_equal(counter.calls, calls);
    sn_world_destroy(scene.world);
    assert_int_equal(counter.live, 0);
}

// Memory that runs out in a step is a bit in its result, and no crash.
static void *fail_allocate(size_t size, size_t align, void *context) {
    long *left = context;
    return --*left >= 0 ? aligned_alloc(align, (size + align - 1) / align * align) : NULL;
}

static void fail_release(void *memory, size_t size, void *context) {
    (void)size;
    (void)context;
    free(memory);
}

static void steps_without_memory_are_survived(void **state) {
    (void)state;
    int starved = 0;
    for (long allowed = 0; allowed < 40; allowed += 3) {
        long left = 1000000;
        SnWorldDef def = sn_default_world_def();
        def.thread_count = 1;
        def.allocator = (SnAllocator){fail_allocate, fail_release, &left};
        Scene scene = make_scene(&def);
        left = allowed;
        for (int n = 0; n < 3; ++n)
            starved += (sn_world_step(scene.world, DT, 2, 1) & SN_STEP_NO_MEMORY) != 0;
        (void)sn_world_contact_events(scene.world);
        left = 1000000; // and it goes on when there is memory again
        assert_int_equal(step_world(scene.world, DT, 2, 1) & SN_STEP_NO_MEMORY, 0);
        sn_world_destroy(scene.world);
    }
    assert_true(starved > 0);
}

// Pairs of segments that lie above each other, every other one pressed together, and the upper one of lane 3 lost.
static void lay_pairs(ContactBatch *batch, Knot *knots, float lost) {
    *batch = (ContactBatch){.count = KNOT_ROW, .kind = CONTACT_PAIR};
    knots[0] = (Knot){0};
    for (int k = 0; k < KNOT_ROW; ++k) {
        for (int v = 0; v < 4; ++v)
            knots[1 + 4 * k + v] = (Knot){
                .start = {0.1f * (float)(v % 2), v < 2 ? 0.04f : 0.0f, 0.0f, 0.019f},
                .motion = {0.001f * (float)k, v < 2 && k % 2 == 0 ? -0.01f : 0.0f, 0.0f, 0.0f},
                .mobility = 1.0f,
                .spin = 1.0f};
        batch->a[k] = batch->a1[k] = 1 + 4 * k;
        batch->a2[k] = 2 + 4 * k;
        batch->b[k] = batch->b1[k] = 3 + 4 * k;
        batch->b2[k] = 4 + 4 * k;
        batch->friction[k] = batch->static_friction[k] = 0.5f;
    }
    knots[1 + 4 * 3].motion[2] = lost;
}

// All that is not a number is as good as the next one.
static void assert_same_numbers(const char *what, const float *a, const float *b, size_t bytes) {
    for (size_t k = 0; k < bytes / sizeof(float); ++k)
        if (a[k] != b[k] && !(isnan(a[k]) && isnan(b[k])))
            fail_msg("%s: number %zu is %g and %g", what, k, (double)a[k], (double)b[k]);
}

// A contact of a body that is lost learns the same whether those beside it in the vector press or not.
static void what_is_lost_is_so_on_every_instruction_set(void **state) {
    (void)state;
    const float lost[] = {INFINITY, NAN, 1e30f};
    for (int n = 0; n < 3; ++n) {
        static ContactBatch batches[2];
        static Knot knots[2][1 + 4 * KNOT_ROW];
        for (int isa = SN_ISA_SCALAR; isa <= SN_ISA_AVX512; ++isa) {
            int which = isa == SN_ISA_SCALAR ? 0 : 1;
            if (!sn_isa_available((SnIsa)isa))
                continue;
            lay_pairs(&batches[which], knots[which], lost[n]);
            for (int k = 0; k < 3; ++k) {
                ContactPass pass = {.h = 0.001f, .first = k == 0, .repeat = k == 2};
                sn__contact_kernels((SnIsa)isa)->solve(&batches[which], knots[which], &pass);
            }
            sn__contact_kernels((SnIsa)isa)->learn(&batches[which], 0.001f, false);
            const char *name = sn_isa_name((SnIsa)isa);
            const ContactBatch *a = &batches[0], *b = &batches[which];
            assert_same_numbers(name, a->mu_normal, b->mu_normal, 3 * sizeof(ContactRow));
            assert_same_numbers(name, a->warm_normal, b->warm_normal, 3 * sizeof(ContactRow));
            assert_same_numbers(name, (float *)knots[0], (float *)knots[which], sizeof knots[0]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thread_counts_agree),
        cmocka_unit_test(instruction_sets_agree),
        cmocka_unit_test(a_users_tasks_agree),
        cmocka_unit_test(what_follows_a_restore_is_the_same),
        cmocka_unit_test(a_settled_pile_does_not_allocate),
        cmocka_unit_test(steps_without_memory_are_survived),
        cmocka_unit_test(what_is_lost_is_so_on_every_instruction_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
