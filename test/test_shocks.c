// Who meets whom within a step because others are stopped or struck in it: no pair of these comes
// near to each other as it moves when the step begins.
#include "contact_kit.h"
#include "world/world.h"

#define RADIUS 0.05f
#define VERTICES 4
#define MOST_RODS 10
#define FALL 6.0f // m/s: two radii in a step

// Rods along z whose middles are at x, y.
typedef struct Rods {
    SnWorld *world;
    int count;
    SnBodyId id[MOST_RODS];
} Rods;

typedef enum Kind { SWEPT, DIRECT, CLASSIC, STIFF, KINDS } Kind;
static const char *const NAMES[KINDS] = {"swept", "direct", "classic", "stiff"};

static void add(Rods *rods, Kind kind, float x, float y, SnVec3 velocity) {
    SnVec3 places[VERTICES];
    SnRodDef def =
        line_def(places, VERTICES, sn_vec3(x, y, 0), sn_vec3(0, 0, 1), 4.0f * RADIUS, RADIUS);
    def.classic = kind == CLASSIC;
    def.stiff = kind == STIFF;
    if (kind != STIFF)
        def.solver = kind == SWEPT ? SN_SOLVER_SWEEP : SN_SOLVER_DIRECT;
    def.velocity = velocity;
    def.material.drag = 2.0f;
    assert_true(rods->count < MOST_RODS);
    rods->id[rods->count++] = add_rod(rods->world, &def);
}

// How deep the middles of any two are in each other, in radii.
static double overlap(const Rods *rods) {
    double deepest = 0.0;
    for (int i = 0; i < rods->count; ++i)
        for (int j = 0; j < i; ++j) {
            Middle a = middle_of(rods->world, rods->id[i]), b = middle_of(rods->world, rods->id[j]);
            double apart = hypot(a.x[0] - b.x[0], a.x[1] - b.x[1]);
            deepest = fmax(deepest, 2.0 - apart / (double)RADIUS);
        }
    return deepest;
}

// The deepest overlap after any of so many steps; the world is gone then.
static double deepest_of(Rods *rods, int steps) {
    double deepest = 0.0;
    for (int i = 0; i < steps; ++i) {
        run_steps(rods->world, 1, 10);
        deepest = fmax(deepest, overlap(rods));
    }
    sn_world_destroy(rods->world);
    return deepest;
}

static SnColliderId add_ground(SnWorld *world, SnColliderKind kind) {
    SnColliderDef def = collider_def(kind, sn_vec3(0, 0, 0), 0.5f);
    def.half_size = sn_vec3(1.0f, 0.2f, 1.0f);
    def.radius_a = def.radius_b = 0.2f;
    def.a = sn_vec3(0.0f, 0.0f, -1.0f);
    def.b = sn_vec3(0.0f, 0.0f, 1.0f);
    if (kind != SN_COLLIDER_PLANE)
        def.pose.position.y = -0.2f;
    return add_collider(world, &def);
}

static void who_follows_one_that_is_stopped_is_stopped_by_it(void **state) {
    (void)state;
    static const SnColliderKind grounds[] = {SN_COLLIDER_PLANE, SN_COLLIDER_BOX, SN_COLLIDER_PILL};
    for (int g = 0; g < 3; ++g)
        for (int kind = 0; kind < KINDS; ++kind) {
            Rods rods = {.world = heavy_world()};
            add_ground(rods.world, grounds[g]);
            for (int i = 0; i < 3; ++i)
                add(&rods, (Kind)kind, 0.0f, RADIUS * (1.5f + 2.5f * (float)i),
                    sn_vec3(0.0f, -FALL, 0.0f));
            double deepest = deepest_of(&rods, 1);
            if (!(deepest < 0.2))
                fail_msg("%s on ground %d: %g radii", NAMES[kind], g, deepest);
        }
}

static void a_blow_goes_through_a_row_within_the_step(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; ++kind) {
        Rods rods = {.world = make_world(sn_vec3(0, 0, 0))};
        for (int i = 0; i < 3; ++i)
            add(&rods, (Kind)kind, 2.4f * RADIUS * (float)i, 0.0f,
                sn_vec3(i == 0 ? 2.0f * FALL : 0.0f, 0.0f, 0.0f));
        double deepest = deepest_of(&rods, 1);
        if (!(deepest < 0.2))
            fail_msg("%s: %g radii", NAMES[kind], deepest);
    }
}

static void a_stack_with_gaps_falls_without_overlaps(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; ++kind) {
        Rods rods = {.world = heavy_world()};
        add_floor(rods.world, 0.0f, 0.5f);
        for (int i = 0; i < MOST_RODS; ++i)
            add(&rods, (Kind)kind, 0.0f, RADIUS * (2.0f + 3.0f * (float)i), sn_vec3(0, 0, 0));
        double deepest = deepest_of(&rods, 60);
        if (!(deepest < 0.2))
            fail_msg("%s: %g radii", NAMES[kind], deepest);
    }
}

// Nobody is stopped, so nobody meets.
static void who_falls_together_makes_no_pairs(void **state) {
    (void)state;
    Rods rods = {.world = heavy_world()};
    add_floor(rods.world, -100.0f, 0.5f);
    for (int i = 0; i < MOST_RODS; ++i)
        add(&rods, SWEPT, 0.0f, 2.5f * RADIUS * (float)i, sn_vec3(0.0f, -10.0f * FALL, 0.0f));
    run_steps(rods.world, 1, 10);
    assert_int_equal(rods.world->contacts.list.seed_count, 0);
    assert_int_equal(rods.world->contacts.shocks.count, 0);
    sn_world_destroy(rods.world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_follows_one_that_is_stopped_is_stopped_by_it),
        cmocka_unit_test(a_blow_goes_through_a_row_within_the_step),
        cmocka_unit_test(a_stack_with_gaps_falls_without_overlaps),
        cmocka_unit_test(who_falls_together_makes_no_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
