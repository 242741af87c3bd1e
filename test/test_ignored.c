// Pairs that pass through each other, in large numbers.
#include "contact_kit.h"

#include "world/world.h"

#define BODIES 150
#define COLLIDERS 40

static SnBodyId bodies[BODIES];
static SnColliderId colliders[COLLIDERS];

static SnWorld *crowd(void) {
    SnWorld *world = weightless_world();
    SnVec3 x[2];
    for (int k = 0; k < BODIES; ++k) {
        // Side by side and into each other, so that all boxes meet.
        SnRodDef def = line_def(x, 2, sn_vec3(0.0f, 1e-4f * (float)k, 0.0f),
                                sn_vec3(1.0f, 0.0f, 0.0f), 0.2f, 0.05f);
        bodies[k] = add_rod(world, &def);
    }
    for (int k = 0; k < COLLIDERS; ++k) {
        SnColliderDef def = collider_def(SN_COLLIDER_SPHERE, sn_vec3(0.0f, 0.0f, 0.0f), 0.5f);
        def.radius_a = 0.05f;
        colliders[k] = add_collider(world, &def);
    }
    return world;
}

static int contacts_after_a_step(SnWorld *world) {
    sn_world_step(world, 1e-3f, 1, 1);
    return world->contacts.list.seed_count;
}

static void all_pairs_are_ignored(void **state) {
    (void)state;
    SnWorld *world = crowd();
    int pairs = 0;
    for (int i = 0; i < BODIES; ++i)
        for (int j = i + 1; j < BODIES; ++j, ++pairs)
            assert_ok(
                sn_bodies_ignore(world, bodies[(i * 7) % BODIES], bodies[(j * 7) % BODIES], true));
    for (int i = 0; i < BODIES; ++i)
        for (int j = 0; j < COLLIDERS; ++j, ++pairs)
            assert_ok(sn_body_ignore_collider(world, bodies[i], colliders[j], true));
    assert_true(pairs > 10000);
    assert_int_equal(world->contacts.ignored_count, pairs);
    assert_int_equal(contacts_after_a_step(world), 0);
    assert_ok(sn_bodies_ignore(world, bodies[80], bodies[3], false));
    assert_ok(sn_body_ignore_collider(world, bodies[80], colliders[5], false));
    assert_int_equal(contacts_after_a_step(world), 2);
    sn_world_destroy(world);
}

// Against a plain table of what was asked for; bodies and colliders that go take their pairs along.
static void random_pairs(void **state) {
    (void)state;
    static bool pair[BODIES][BODIES], other[BODIES][COLLIDERS];
    SnWorld *world = crowd();
    const ContactSystem *s = &world->contacts;
    Rng rng = {5};
    for (int n = 0; n < 30000; ++n) {
        int a = rng_int(&rng, 0, BODIES - 1), b = rng_int(&rng, 0, BODIES - 1);
        int c = rng_int(&rng, 0, COLLIDERS - 1);
        bool on = rng_int(&rng, 0, 2) > 0;
        assert_ok(sn_bodies_ignore(world, bodies[a], bodies[b], on));
        assert_ok(sn_body_ignore_collider(world, bodies[a], colliders[c], on));
        pair[a][b] = pair[b][a] = other[a][c] = on;
    }
    assert_ok(sn_body_destroy(world, bodies[9]));
    assert_ok(sn_collider_destroy(world, colliders[9]));
    int count = 0;
    for (int a = 0; a < BODIES; ++a) {
        for (int b = 0; b < BODIES; ++b) {
            bool on = pair[a][b] && a != 9 && b != 9;
            assert_int_equal(sn__is_ignored(s, bodies[a].index, bodies[b].index, false), on);
            count += on && a <= b;
        }
        for (int c = 0; c < COLLIDERS; ++c) {
            bool on = other[a][c] && a != 9 && c != 9;
            assert_int_equal(sn__is_ignored(s, bodies[a].index, colliders[c].index, true), on);
            count += on;
        }
    }
    assert_int_equal(s->ignored_count, count);
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_pairs_are_ignored),
        cmocka_unit_test(random_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
