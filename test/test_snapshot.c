// Snapshots: what follows a restore is bit-identical, and what does not fit is refused.
#include "contact_kit.h"
#include "mixed_scene.h"

#include <stdlib.h>

static void *save(SnWorld *world, size_t *out_size) {
    *out_size = sn_world_snapshot_size(world);
    void *buffer = malloc(*out_size);
    assert_non_null(buffer);
    assert_ok(sn_world_save(world, buffer, *out_size));
    return buffer;
}

static void run(MixedScene *scene, int steps) {
    for (int n = 0; n < steps; ++n)
        (void)mixed_step(scene);
}

static void what_follows_a_restore_is_bit_identical(void **state) {
    (void)state;
    SnWorldDef def = sn_default_world_def();
    MixedScene scene;
    assert_ok(mixed_create(&scene, &def));
    run(&scene, 7);
    size_t size;
    void *buffer = save(scene.world, &size);
    uint64_t at_save = sn_world_hash(scene.world);
    double time = sn_world_time(scene.world);
    run(&scene, 15);
    uint64_t after = sn_world_hash(scene.world);
    assert_true(after != at_save);

    // Everything that the user can set in between is undone.
    assert_ok(sn_world_set_gravity(scene.world, sn_vec3(3.0f, 0.0f, 0.0f)));
    SnFieldDef field = sn_default_field_def();
    field.strength = 77.0f;
    assert_ok(sn_field_set(scene.world, scene.fields[0], &field));
    for (int r = 0; r < MIXED_RODS; ++r) {
        assert_ok(sn_rod_set_length_scale(scene.world, scene.rods[r], 1, 2, 0.5f));
        assert_ok(sn_body_add_force(scene.world, scene.rods[r], 0, sn_vec3(9.0f, 9.0f, 9.0f)));
    }
    assert_ok(sn_frame_teleport(scene.world, scene.frames[0],
                                (SnPose){sn_vec3(1, 2, 3), sn_quat_identity()}));

    for (int round = 0; round < 2; ++round) {
        assert_ok(sn_world_restore(scene.world, buffer, size));
        assert_true(sn_world_hash(scene.world) == at_save);
        assert_true(sn_world_time(scene.world) == time);
        scene.steps = 7;
        run(&scene, 15);
        assert_true(sn_world_hash(scene.world) == after);
    }
    free(buffer);
    sn_world_destroy(scene.world);
}

static void a_world_made_by_the_same_calls_takes_it(void **state) {
    (void)state;
    SnWorldDef def = sn_default_world_def();
    MixedScene a, b;
    assert_ok(mixed_create(&a, &def));
    def.isa = SN_ISA_SCALAR; // another machine, say
    assert_ok(mixed_create(&b, &def));
    run(&a, 9);
    size_t size;
    void *buffer = save(a.world, &size);
    run(&b, 2);
    assert_ok(sn_world_restore(b.world, buffer, size));
    b.steps = a.steps;
    run(&a, 10);
    run(&b, 10);
    assert_true(sn_world_hash(a.world) == sn_world_hash(b.world));
    free(buffer);
    sn_world_destroy(a.world);
    sn_world_destroy(b.world);
}

// Five logs that lie on each other, and one in mid-air.
static void pile_up(SnWorld *world, bool stiff) {
    SnVec3 x[5];
    add_floor(world, 0.0f, 0.5f);
    for (int k = 0; k < 5; ++k) {
        SnVec3 along = k % 2 ? sn_vec3(1, 0, 0) : sn_vec3(0, 0, 1);
        SnRodDef def = line_def(x, 5, sn_vec3(0, 0.05f + 0.09f * (float)k, 0), along, 0.4f, 0.04f);
        def.stiff = stiff;
        add_rod(world, &def);
    }
}

// What contacts remember goes by the numbers of the bodies: in a snapshot that is taken right after
// a body came, and in a world that has not made a step yet.
static void contacts_are_remembered_by_the_right_bodies(void **state) {
    (void)state;
    for (int k = 0; k < 4; ++k) {
        SnWorld *world = heavy_world(), *other = heavy_world();
        bool comes = k & 1;
        SnVec3 x[5];
        SnRodDef last = line_def(x, 5, sn_vec3(3, 3, 0), sn_vec3(1, 0, 0), 0.4f, 0.04f);
        for (int w = 0; w < 2; ++w) {
            pile_up(w == 0 ? world : other, k & 2);
            if (w == 0)
                run_steps(world, 60, 4);
            if (comes)
                add_rod(w == 0 ? world : other, &last);
        }
        size_t size;
        void *buffer = save(world, &size);
        run_steps(world, 3, 4);
        uint64_t after = sn_world_hash(world);
        for (int w = 0; w < 2; ++w) {
            SnWorld *to = w == 0 ? world : other;
            assert_ok(sn_world_restore(to, buffer, size));
            run_steps(to, 3, 4);
            if (sn_world_hash(to) != after)
                fail_msg("case %d: %s world differs", k, w == 0 ? "the same" : "another");
        }
        free(buffer);
        sn_world_destroy(world);
        sn_world_destroy(other);
    }
}

static void what_is_not_a_snapshot_is_refused(void **state) {
    (void)state;
    SnWorldDef def = sn_default_world_def();
    MixedScene scene;
    assert_ok(mixed_create(&scene, &def));
    run(&scene, 3);
    size_t size;
    char *buffer = save(scene.world, &size);
    run(&scene, 3);
    uint64_t hash = sn_world_hash(scene.world);

    assert_error(sn_world_save(scene.world, buffer, size - 1), SN_ERROR_INVALID, "enough");
    assert_error(sn_world_save(scene.world, NULL, size), SN_ERROR_INVALID, "snapshot");
    assert_error(sn_world_restore(scene.world, NULL, size), SN_ERROR_INVALID, "snapshot");
    for (size_t cut = 0; cut < size; cut += 1 + size / 97)
        assert_error(sn_world_restore(scene.world, buffer, cut), SN_ERROR_FORMAT, "snapshot");
    assert_error(sn_world_restore(scene.world, buffer, size - 1), SN_ERROR_FORMAT, "snapshot");
    for (int byte = 0; byte < 8; ++byte) {
        buffer[byte] ^= 0x10;
        assert_error(sn_world_restore(scene.world, buffer, size), SN_ERROR_FORMAT, "snapshot");
        buffer[byte] ^= 0x10;
    }
    assert_true(sn_world_hash(scene.world) == hash);
    assert_ok(sn_world_restore(scene.world, buffer, size));
    free(buffer);
    sn_world_destroy(scene.world);
}

// Each of the changes alone makes the snapshot one of another world.
static void a_changed_world_refuses_and_stays_as_it_is(void **state) {
    (void)state;
    for (int change = 0; change < 7; ++change) {
        SnWorldDef def = sn_default_world_def();
        MixedScene scene;
        assert_ok(mixed_create(&scene, &def));
        run(&scene, 2);
        size_t size;
        void *buffer = save(scene.world, &size);
        SnFrameId frame;
        SnFieldDef field = sn_default_field_def();
        SnFieldId field_id;
        switch (change) {
        case 0:
            assert_ok(sn_body_destroy(scene.world, scene.rods[5]));
            break;
        case 1: // the same rod again is another rod
            assert_ok(sn_body_destroy(scene.world, scene.rods[5]));
            assert_ok(mixed_rod(&scene, 5));
            break;
        case 2:
            assert_ok(sn_frame_create(scene.world, sn_pose_identity(), &frame));
            break;
        case 3:
            assert_ok(sn_frame_destroy(scene.world, scene.frames[1]));
            break;
        case 4:
            assert_ok(sn_attachment_destroy(scene.world, scene.led));
            break;
        case 5:
            pin(scene.world, scene.rods[1], SN_ATTACH_VERTEX, 0);
            break;
        default:
            assert_ok(sn_field_create(scene.world, &field, &field_id));
        }
        uint64_t hash = sn_world_hash(scene.world);
        assert_error(sn_world_restore(scene.world, buffer, size), SN_ERROR_INVALID,
                     change == 4 || change == 5 ? "an attachment" : "snapshot");
        assert_true(sn_world_hash(scene.world) == hash);
        free(buffer);
        sn_world_destroy(scene.world);
    }
}

// As many calls and the same sizes do not make it the same world.
static void a_world_made_by_other_calls_refuses(void **state) {
    (void)state;
    for (int variant = 0; variant < 2; ++variant) {
        SnWorld *a = weightless_world(), *b = weightless_world();
        SnBodyId rod_a, rod_b;
        if (variant == 0) { // rods of different length that share a size of pack
            rod_a = plain_rod(a, 24);
            rod_b = plain_rod(b, 25);
        } else { // ids of another generation
            assert_ok(sn_body_destroy(a, plain_rod(a, 5)));
            rod_a = plain_rod(a, 5);
            SnFieldDef field = sn_default_field_def();
            SnFieldId id;
            assert_ok(sn_field_create(b, &field, &id));
            assert_ok(sn_field_destroy(b, id));
            rod_b = plain_rod(b, 5);
        }
        pin(a, rod_a, SN_ATTACH_VERTEX, 0);
        pin(b, rod_b, SN_ATTACH_VERTEX, 0);
        size_t size;
        void *buffer = save(a, &size);
        uint64_t hash = sn_world_hash(b);
        assert_error(sn_world_restore(b, buffer, size), SN_ERROR_INVALID, "snapshot");
        assert_true(sn_world_hash(b) == hash);
        free(buffer);
        sn_world_destroy(a);
        sn_world_destroy(b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_follows_a_restore_is_bit_identical),
        cmocka_unit_test(a_world_made_by_the_same_calls_takes_it),
        cmocka_unit_test(contacts_are_remembered_by_the_right_bodies),
        cmocka_unit_test(what_is_not_a_snapshot_is_refused),
        cmocka_unit_test(a_changed_world_refuses_and_stays_as_it_is),
        cmocka_unit_test(a_world_made_by_other_calls_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
