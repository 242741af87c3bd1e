// Packs that have the same prepared numbers read them from one place (share.c). Whatever is done to
// some of a crowd, each of them moves as it would alone in a world, to the last bit.
#include "support.h"

#include "body/world.h"
#include "rod/rods.h"

#define CROWD 40 // packs of 16, 16 and 8
#define VERTICES 6
#define DT (1.0f / 60.0f)

// The crowd in one world, and each of it in another.
typedef struct Worlds {
    SnWorld *world[1 + CROWD];
    SnBodyId crowd[CROWD], alone[CROWD];
} Worlds;

static SnWorld *new_world(void) {
    SnWorldDef def = sn_default_world_def();
    def.thread_count = 1;
    SnWorld *world = NULL;
    assert_ok(sn_world_create(&def, &world));
    return world;
}

// Edges make it a creature with three arms, without them it is a rope.
static SnBodyId add(SnWorld *world, int k, bool creature) {
    static const int edges[2 * (VERTICES - 1)] = {0, 1, 1, 2, 1, 3, 3, 4, 1, 5};
    const SnVec3 positions[VERTICES] = {{0.0f, 0.0f, 0.0f},  {0.1f, 0.0f, 0.0f},
                                        {0.2f, 0.1f, 0.0f},  {0.2f, 0.0f, 0.1f},
                                        {0.3f, 0.0f, 0.15f}, {0.2f, -0.1f, -0.05f}};
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = VERTICES;
    def.positions = positions;
    def.radius = 0.02f;
    def.material.damping = 0.02f;
    def.filter.mask = 0;
    def.angular_velocity = sn_vec3((float)k, 1.0f, 0.0f);
    if (creature) {
        def.edges = edges;
        def.edge_count = VERTICES - 1;
    }
    SnBodyId rod;
    assert_ok(sn_rod_create(world, &def, &rod));
    return rod;
}

static Worlds make_worlds(bool creature) {
    Worlds w;
    w.world[0] = new_world();
    for (int k = 0; k < CROWD; ++k) {
        w.world[1 + k] = new_world();
        w.crowd[k] = add(w.world[0], k, creature);
        w.alone[k] = add(w.world[1 + k], k, creature);
    }
    return w;
}

static void destroy_worlds(Worlds *w) {
    for (int k = 0; k <= CROWD; ++k)
        sn_world_destroy(w->world[k]);
}

static bool shares(const Worlds *w, int pack, int with) {
    const RodSystem *rods = sn__world_system(w->world[0], &sn__rod_kind);
    return rods->packs[pack]->prepared == rods->packs[with]->own_prepared;
}

static void step_and_compare(Worlds *w) {
    for (int n = 0; n < 3; ++n)
        for (int k = 0; k <= CROWD; ++k)
            assert_int_equal(step_world(w->world[k], DT, 3, 2), SN_STEP_OK);
    for (int k = 0; k < CROWD; ++k) {
        if (!sn_body_is_valid(w->world[0], w->crowd[k]))
            continue;
        SnVec3 x[2][VERTICES];
        float s[2][VERTICES];
        assert_ok(sn_body_read(w->world[0], w->crowd[k],
                               &(SnBodyState){.positions = x[0], .scales = s[0]}));
        assert_ok(sn_body_read(w->world[1 + k], w->alone[k],
                               &(SnBodyState){.positions = x[1], .scales = s[1]}));
        if (memcmp(x[0], x[1], sizeof x[0]) != 0 || memcmp(s[0], s[1], sizeof s[0]) != 0)
            fail_msg("number %d is not where it would be alone", k);
    }
}

static void shorten(Worlds *w, int k, float to) {
    assert_ok(sn_rod_set_length_scale(w->world[0], w->crowd[k], 1, 2, to));
    assert_ok(sn_rod_set_length_scale(w->world[1 + k], w->alone[k], 1, 2, to));
}

static void soften(Worlds *w, int k) {
    SnRodMaterial m = sn_default_rod_material();
    m.young *= 0.1f;
    assert_ok(sn_rod_set_material(w->world[0], w->crowd[k], &m));
    assert_ok(sn_rod_set_material(w->world[1 + k], w->alone[k], &m));
}

static void destroy_first_pack(Worlds *w) {
    for (int k = 0; k < PACK_LANES; ++k)
        assert_ok(sn_body_destroy(w->world[0], w->crowd[k]));
}

static void check_crowd(bool creature) {
    Worlds w = make_worlds(creature);
    step_and_compare(&w);
    assert_true(shares(&w, 1, 0));
    assert_true(shares(&w, 2, 2)); // lanes that are empty differ
    shorten(&w, 3, 0.8f);          // whom the others read from
    step_and_compare(&w);
    assert_true(shares(&w, 1, 1));
    shorten(&w, 3, 1.0f);
    step_and_compare(&w);
    assert_true(shares(&w, 1, 0));
    shorten(&w, 20, 0.9f); // who reads from others
    soften(&w, 39);
    step_and_compare(&w);
    assert_true(shares(&w, 1, 1));
    shorten(&w, 20, 1.0f);
    step_and_compare(&w);
    assert_true(shares(&w, 1, 0));
    destroy_first_pack(&w);
    step_and_compare(&w);
    assert_true(shares(&w, 1, 1));
    for (int k = 0; k < PACK_LANES; ++k) {
        w.crowd[k] = add(w.world[0], k, creature);
        assert_ok(sn_body_destroy(w.world[1 + k], w.alone[k]));
        w.alone[k] = add(w.world[1 + k], k, creature);
    }
    step_and_compare(&w);
    destroy_worlds(&w);
}

static void creatures_of_a_crowd_move_as_if_alone(void **state) {
    (void)state;
    check_crowd(true);
}

static void ropes_of_a_crowd_move_as_if_alone(void **state) {
    (void)state;
    check_crowd(false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(creatures_of_a_crowd_move_as_if_alone),
        cmocka_unit_test(ropes_of_a_crowd_move_as_if_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
