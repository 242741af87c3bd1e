// Snapshots that are damaged, cut, or not from here: they are refused and leave no trace. Where the
// checksum was made to fit, they are refused, or the world they make is finite and steps.
#include "contact_kit.h"

#include "base/hash.h"

#include <stdlib.h>

#define BODIES 12
#ifdef __SANITIZE_ADDRESS__
#define DAMAGED 600
#else
#define DAMAGED 3000
#endif
#define UNCHECKED 16 // bytes: the magic number and the checksum itself

typedef struct Zoo {
    SnWorld *world;
    SnBodyId bodies[BODIES];
    SnFrameId frame;
    int steps;
} Zoo;

static void add_chains(Zoo *zoo) {
    SnVec3 x[12], along = {1.0f, 0.0f, 0.0f};
    for (int k = 0; k < 6; ++k) {
        SnVec3 at = sn_vec3(0.02f * (float)k, 0.03f + 0.065f * (float)k, 0.0f);
        SnRodDef def = line_def(x, 8, at, along, 0.6f, 0.03f);
        def.classic = k == 1;
        def.solver = k == 2 ? SN_SOLVER_DIRECT : SN_SOLVER_SWEEP;
        def.stiff = k >= 4;
        def.self_collide = k == 0;
        zoo->bodies[k] = add_rod(zoo->world, &def);
    }
    // It lies alone and sleeps.
    SnRodDef def = line_def(x, 5, sn_vec3(5.0f, 0.03f, 0.0f), along, 0.4f, 0.03f);
    def.material.drag = 20.0f;
    zoo->bodies[6] = add_rod(zoo->world, &def);
}

static void add_graphs(Zoo *zoo) {
    static const int edges[] = {0, 1, 1, 2, 2, 3, 1, 4, 4, 5};
    SnVec3 x[9];
    line_of_points(x, 4, sn_vec3(2.0f, 0.5f, 0.0f), sn_vec3(0.1f, 0.0f, 0.0f));
    line_of_points(x + 4, 2, sn_vec3(2.1f, 0.5f, 0.1f), sn_vec3(0.0f, 0.0f, 0.1f));
    SnRodDef def = sn_default_rod_def();
    def.positions = x;
    def.vertex_count = 6;
    def.edges = edges;
    def.edge_count = 5;
    def.radius = 0.03f;
    zoo->bodies[7] = add_rod(zoo->world, &def);
    def.origin[2] = 1.0;
    def.solver = SN_SOLVER_DIRECT;
    zoo->bodies[8] = add_rod(zoo->world, &def);
    // A net of four meshes.
    static const int net[] = {0, 1, 1, 2, 3, 4, 4, 5, 6, 7, 7, 8,
                              0, 3, 3, 6, 1, 4, 4, 7, 2, 5, 5, 8};
    for (int i = 0; i < 9; ++i)
        x[i] = sn_vec3(0.1f * (float)(i % 3), 0.3f, 3.0f + 0.1f * (float)(i / 3));
    def = sn_default_rod_def();
    def.stiff = true;
    def.positions = x;
    def.vertex_count = 9;
    def.edges = net;
    def.edge_count = 12;
    def.radius = 0.01f;
    zoo->bodies[9] = add_rod(zoo->world, &def);
}

// Two that break under their own weight: one is held in the middle, one at its end.
static void add_brittle(Zoo *zoo) {
    SnVec3 x[9];
    for (int k = 0; k < 2; ++k) {
        line_of_points(x, 9, sn_vec3(-3.0f, 0.6f, (float)k), sn_vec3(0.1f, 0.0f, 0.0f));
        SnRodDef def = sn_default_rod_def();
        def.stiff = true;
        def.positions = x;
        def.vertex_count = 9;
        def.radius = 0.02f;
        def.material.young = 1e8f;
        def.material.strength = 1.5e5f;
        zoo->bodies[10 + k] = add_rod(zoo->world, &def);
        int segment = k == 0 ? 4 : 0;
        pin(zoo->world, zoo->bodies[10 + k], SN_ATTACH_SEGMENT, segment);
        pin(zoo->world, zoo->bodies[10 + k], SN_ATTACH_VERTEX, segment);
    }
}

static SnFieldDef vortex(void) {
    SnFieldDef field = sn_default_field_def();
    field.kind = SN_FIELD_VORTEX;
    field.centre = sn_vec3(0.0f, 0.0f, 3.0f);
    field.strength = 2.0f;
    return field;
}

static Zoo make_zoo(void) {
    SnWorldDef def = sn_default_world_def();
    def.sleep_speed = 0.02f;
    Zoo zoo = {0};
    assert_ok(sn_world_create(&def, &zoo.world));
    add_floor(zoo.world, 0.0f, 0.5f);
    add_chains(&zoo);
    add_graphs(&zoo);
    add_brittle(&zoo);
    assert_ok(sn_frame_create(zoo.world, sn_pose_identity(), &zoo.frame));
    attach(zoo.world, zoo.bodies[3], SN_ATTACH_VERTEX, 0, zoo.frame);
    attach(zoo.world, zoo.bodies[4], SN_ATTACH_VERTEX, 0, zoo.frame);
    SnLinkDef link = sn_default_link_def();
    link.length = 0.0f;
    link.a = (SnBodyPoint){zoo.bodies[0], 3, 0.5f};
    link.b = (SnBodyPoint){zoo.bodies[5], 3, 0.5f};
    link.length = 0.3f;
    assert_ok(sn_link_create(zoo.world, &link, NULL));
    SnFieldDef field = vortex();
    assert_ok(sn_field_create(zoo.world, &field, NULL));
    return zoo;
}

static void step_zoo(Zoo *zoo, int count) {
    for (int n = 0; n < count; ++n) {
        float up = 0.002f * (float)(zoo->steps++ % 20);
        SnPose pose = {sn_vec3(0.0f, up, 0.0f), sn_quat_identity()};
        assert_ok(sn_frame_set_target(zoo->world, zoo->frame, pose));
        sn_world_step(zoo->world, DT, 4, 2);
    }
}

static char *saved(SnWorld *world, size_t *size) {
    *size = sn_world_snapshot_size(world);
    char *buffer = malloc(*size);
    assert_non_null(buffer);
    assert_ok(sn_world_save(world, buffer, *size));
    return buffer;
}

static void fix_checksum(char *buffer, size_t size) {
    uint64_t sum = sn__hash_bytes(0, buffer + UNCHECKED, size - UNCHECKED);
    memcpy(buffer + 8, &sum, sizeof sum);
}

static void damage(char *buffer, size_t size, size_t from, Rng *rng) {
    for (int n = rng_int(rng, 1, 3); n > 0; --n)
        buffer[from + rng_next(rng) % (size - from)] ^= (char)rng_int(rng, 1, 255);
}

static void assert_same_future(Zoo *zoo, Zoo *twin, int steps) {
    assert_true(sn_world_hash(zoo->world) == sn_world_hash(twin->world));
    for (int n = 0; n < steps; ++n) {
        step_zoo(zoo, 1);
        step_zoo(twin, 1);
        assert_true(sn_world_hash(zoo->world) == sn_world_hash(twin->world));
    }
}

static void assert_finite(const Zoo *zoo) {
    for (int k = 0; k < BODIES; ++k) {
        RodCopy copy;
        copy_rod(zoo->world, zoo->bodies[k], &copy);
        for (int i = 0; i < copy.vertices; ++i)
            assert_true(isfinite(copy.x[i].x) && isfinite(copy.x[i].y) && isfinite(copy.x[i].z) &&
                        isfinite(copy.s[i]) && isfinite(copy.v[i].x));
        for (int i = 0; i < copy.segments; ++i)
            assert_true(isfinite(copy.q[i].x) && isfinite(copy.q[i].y) && isfinite(copy.q[i].z) &&
                        isfinite(copy.q[i].w) && isfinite(copy.w[i].x));
    }
}

// The zoo has all that it is meant to have.
static void the_zoo_is_complete(void **state) {
    (void)state;
    Zoo zoo = make_zoo();
    step_zoo(&zoo, 100);
    assert_true(sn_world_measure(zoo.world).broken_joints > 0);
    assert_true(sn_world_contact_events(zoo.world).contact_count > 5);
    assert_true(sn_body_is_asleep(zoo.world, zoo.bodies[6]));
    assert_int_equal(sn_rod_solver(zoo.world, zoo.bodies[8]), SN_SOLVER_DIRECT);
    sn_world_destroy(zoo.world);
}

static void damaged_bytes_are_refused(void **state) {
    (void)state;
    Zoo zoo = make_zoo(), twin = make_zoo();
    Rng rng = {1};
    for (int round = 0; round < 10; ++round) {
        step_zoo(&zoo, 10);
        step_zoo(&twin, 10);
        size_t size;
        char *good = saved(zoo.world, &size), *bad = malloc(size);
        assert_non_null(bad);
        uint64_t hash = sn_world_hash(zoo.world);
        for (int n = 0; n < DAMAGED / 10; ++n) {
            memcpy(bad, good, size);
            damage(bad, size, 0, &rng);
            assert_true(memcmp(bad, good, size) == 0 ||
                        sn_world_restore(zoo.world, bad, size).code != SN_OK);
        }
        assert_true(sn_world_hash(zoo.world) == hash);
        assert_same_future(&zoo, &twin, 2);
        free(good);
        free(bad);
    }
    sn_world_destroy(zoo.world);
    sn_world_destroy(twin.world);
}

// The world is put back by a good snapshot after each, and has the same future as ever.
static void forged_checksums(void **state) {
    (void)state;
    Zoo zoo = make_zoo(), twin = make_zoo();
    Rng rng = {2};
    int accepted = 0, refused = 0;
    for (int round = 0; round < 5; ++round) {
        step_zoo(&zoo, 20);
        step_zoo(&twin, 20);
        size_t size;
        char *good = saved(zoo.world, &size), *bad = malloc(size);
        assert_non_null(bad);
        uint64_t hash = sn_world_hash(zoo.world);
        for (int n = 0; n < DAMAGED / 5; ++n) {
            memcpy(bad, good, size);
            damage(bad, size, n % 4 == 0 ? 0 : UNCHECKED, &rng);
            fix_checksum(bad, size);
            Zoo now = zoo;
            if (sn_world_restore(zoo.world, bad, size).code != SN_OK) {
                assert_true(sn_world_hash(zoo.world) == hash);
                ++refused;
                continue;
            }
            ++accepted;
            assert_finite(&now);
            step_zoo(&now, 2);
            assert_finite(&now);
            sn_world_contact_events(now.world);
            assert_ok(sn_world_restore(zoo.world, good, size));
            assert_true(sn_world_hash(zoo.world) == hash);
        }
        assert_same_future(&zoo, &twin, 2);
        free(good);
        free(bad);
    }
    assert_true(accepted > 100 && refused > 10);
    sn_world_destroy(zoo.world);
    sn_world_destroy(twin.world);
}

// All zeros are what a world has where it never had a field. Where it has one, they are no definition.
static void fields_do_not_vanish(void **state) {
    (void)state;
    Zoo zoo = make_zoo();
    step_zoo(&zoo, 2);
    size_t size, at = 0;
    char *buffer = saved(zoo.world, &size);
    SnFieldDef field = vortex();
    while (at + sizeof field <= size && memcmp(buffer + at, &field, sizeof field) != 0)
        ++at;
    assert_true(at + sizeof field <= size);
    memset(buffer + at, 0, sizeof field);
    fix_checksum(buffer, size);
    assert_error(sn_world_restore(zoo.world, buffer, size), SN_ERROR_FORMAT, "damaged");
    step_zoo(&zoo, 2);
    assert_finite(&zoo);
    free(buffer);
    sn_world_destroy(zoo.world);
}

static void other_sizes_are_refused(void **state) {
    (void)state;
    Zoo zoo = make_zoo(), twin = make_zoo();
    step_zoo(&zoo, 60);
    step_zoo(&twin, 60);
    size_t size;
    char *good = saved(zoo.world, &size), *longer = calloc(1, size + 4096);
    assert_non_null(longer);
    Rng rng = {3};
    for (int n = 0; n < 500; ++n) {
        // Memory of just that size, so that a sanitizer sees what is read behind it.
        size_t part = n < 100 ? (size_t)n : rng_next(&rng) % size;
        char *cut = malloc(part + 1);
        assert_non_null(cut);
        memcpy(cut, good, part);
        assert_int_not_equal(sn_world_restore(zoo.world, cut, part).code, SN_OK);
        if (part >= 64) {
            uint64_t claimed = part;
            memcpy(cut + UNCHECKED, &claimed, sizeof claimed);
            fix_checksum(cut, part);
            assert_int_not_equal(sn_world_restore(zoo.world, cut, part).code, SN_OK);
        }
        free(cut);
    }
    for (size_t more = 1; more <= 4096; more *= 2) {
        uint64_t claimed = size + more;
        memcpy(longer, good, size);
        memcpy(longer + UNCHECKED, &claimed, sizeof claimed);
        fix_checksum(longer, size + more);
        assert_int_not_equal(sn_world_restore(zoo.world, longer, size + more).code, SN_OK);
    }
    assert_same_future(&zoo, &twin, 3);
    // What lies behind a whole one does not matter.
    memcpy(longer, good, size);
    assert_ok(sn_world_restore(zoo.world, longer, size + 4096));
    free(good);
    free(longer);
    sn_world_destroy(zoo.world);
    sn_world_destroy(twin.world);
}

static void other_worlds_are_refused(void **state) {
    (void)state;
    Zoo zoo = make_zoo(), twin = make_zoo(), more = make_zoo();
    SnWorld *small = heavy_world();
    plain_rod(small, 5);
    step_zoo(&zoo, 30);
    step_zoo(&twin, 30);
    plain_rod(more.world, 5);
    step_zoo(&more, 30);
    size_t size;
    char *other = saved(more.world, &size);
    assert_error(sn_world_restore(zoo.world, other, size), SN_ERROR_INVALID,
                 "created or destroyed");
    free(other);
    other = saved(small, &size);
    assert_error(sn_world_restore(zoo.world, other, size), SN_ERROR_INVALID,
                 "created or destroyed");
    free(other);
    assert_same_future(&zoo, &twin, 3);
    sn_world_destroy(small);
    sn_world_destroy(more.world);
    sn_world_destroy(zoo.world);
    sn_world_destroy(twin.world);
}

// Bodies come and go between a step, a snapshot and the question what touched.
static void events_after_restore(void **state) {
    (void)state;
    for (int create = 0; create < 2; ++create) {
        Zoo zoo = make_zoo(), twin = make_zoo();
        Zoo *zoos[] = {&zoo, &twin};
        for (int k = 0; k < 2; ++k) {
            step_zoo(zoos[k], 40);
            if (create)
                plain_rod(zoos[k]->world, 6);
            else
                assert_ok(sn_body_destroy(zoos[k]->world, zoos[k]->bodies[1]));
        }
        size_t size;
        char *good = saved(zoo.world, &size);
        assert_ok(sn_world_restore(zoo.world, good, size));
        SnContactEvents events = sn_world_contact_events(zoo.world);
        assert_int_equal(events.contact_count, 0);
        step_zoo(&zoo, 1);
        events = sn_world_contact_events(zoo.world);
        assert_true(events.contact_count > 0);
        for (int i = 0; i < events.contact_count; ++i)
            assert_true(sn_body_is_valid(zoo.world, events.contacts[i].a));
        step_zoo(&twin, 1);
        assert_same_future(&zoo, &twin, 3);
        free(good);
        sn_world_destroy(zoo.world);
        sn_world_destroy(twin.world);
    }
}

// Back to before anything broke, and on as if nothing had.
static void restored_across_a_break(void **state) {
    (void)state;
    Zoo zoo = make_zoo(), twin = make_zoo();
    step_zoo(&zoo, 1);
    step_zoo(&twin, 1);
    assert_int_equal(sn_world_measure(zoo.world).broken_joints, 0);
    size_t size;
    char *whole = saved(zoo.world, &size);
    Zoo before = zoo;
    step_zoo(&zoo, 60);
    int broken = sn_world_measure(zoo.world).broken_joints;
    assert_true(broken > 0);
    assert_ok(sn_world_restore(zoo.world, whole, size));
    assert_int_equal(sn_world_measure(zoo.world).broken_joints, 0);
    zoo.steps = before.steps;
    assert_same_future(&zoo, &twin, 61);
    assert_int_equal(sn_world_measure(zoo.world).broken_joints,
                     sn_world_measure(twin.world).broken_joints);
    free(whole);
    sn_world_destroy(zoo.world);
    sn_world_destroy(twin.world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_zoo_is_complete),     cmocka_unit_test(damaged_bytes_are_refused),
        cmocka_unit_test(forged_checksums),        cmocka_unit_test(fields_do_not_vanish),
        cmocka_unit_test(other_sizes_are_refused), cmocka_unit_test(other_worlds_are_refused),
        cmocka_unit_test(events_after_restore),    cmocka_unit_test(restored_across_a_break),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
