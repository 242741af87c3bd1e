// A thousand hairs and blades of grass of all kinds in one world: each moves as it does alone, to
// the last bit.
#include "stiff_kit.h"

#include <stdlib.h>

#define CHAINS 1000
#define N 30

// Of chain k: round hair or flat blades, straight, curved or closed, of any stiffness, hung up in four ways.
static SnBodyId add_chain(SnWorld *world, int k) {
    static SnVec3 x[N + 1];
    static SnSegmentDef segments[N];
    Rng rng = {(uint64_t)k};
    float step = rng_log(&rng, 0.002, 0.02), curl = rng_float(&rng, 0.0, 0.3);
    for (int i = 0; i <= N; ++i)
        x[i] = sn_vec3(0.05f * (float)(k % 32) + step * curl * (float)sin(0.4 * i),
                       step * (float)(k % 2 ? i : -i), 0.05f * (float)(k / 32));
    bool ring = k % 25 == 6;
    for (int i = 0; i < N && ring; ++i) {
        double angle = 2.0 * SUPPORT_PI * i / N;
        x[i].x += step * (float)(5.0 * cos(angle));
        x[i].y = step * (float)(5.0 * sin(angle));
    }
    float width = rng_log(&rng, 5e-5, 2e-3);
    for (int j = 0; j < N; ++j) {
        float taper = 1.0f - 0.02f * (float)j;
        segments[j] = (SnSegmentDef){.young = rng_log(&rng, 1e6, 1e10),
                                     .density = rng_float(&rng, 300.0, 1500.0),
                                     .radius_x = width * taper,
                                     .radius_y = (k % 3 ? 1.0f : 0.1f) * width * taper};
    }
    SnRodDef def = stiff_def(x, ring ? N : N + 1, width);
    def.closed = ring;
    def.segments = k % 5 ? segments : NULL;
    def.material.young = rng_log(&rng, 1e6, 1e11);
    def.material.shear = 0.4f * def.material.young;
    def.material.damping = k % 7 ? 0.0f : 0.02f;
    def.material.drag = k % 11 ? 0.0f : 1.0f;
    def.material.yield = k % 13 ? 0.0f : 1e6f;
    def.material.strength = k % 17 ? 0.0f : 1e6f;
    def.velocity = rng_vec3(&rng, 1.0);
    SnBodyId rod = add_rod(world, &def);
    if (k % 4 != 0)
        pin(world, rod, SN_ATTACH_VERTEX, 0);
    if (k % 4 > 1)
        pin(world, rod, SN_ATTACH_SEGMENT, 0);
    if (k % 4 == 3)
        pin(world, rod, SN_ATTACH_VERTEX, N - 1);
    return rod;
}

static SnWorld *windy_world(int threads) {
    SnWorldDef def = sn_default_world_def();
    def.thread_count = threads;
    SnWorld *world = NULL;
    assert_ok(sn_world_create(&def, &world));
    SnFieldDef wind = sn_default_field_def();
    wind.kind = SN_FIELD_WIND;
    wind.strength = 5.0f;
    wind.direction = sn_vec3(1, 0, 0.5f);
    wind.turbulence = 0.3f;
    assert_ok(sn_field_create(world, &wind, NULL));
    return world;
}

static void run_wind(SnWorld *world) {
    for (int n = 0; n < 12; ++n) // the softest hairs would have to be twice as long
        assert_int_equal(sn_world_step(world, 0.01f, 2, 2) & ~(uint32_t)SN_STEP_APART, SN_STEP_OK);
}

static void a_crowd_moves_as_each_alone(void **state) {
    (void)state;
    SnBodyId *rods = malloc(CHAINS * sizeof *rods);
    assert_non_null(rods);
    SnWorld *crowd = windy_world(2);
    for (int k = 0; k < CHAINS; ++k)
        rods[k] = add_chain(crowd, k);
    run_wind(crowd);
    static RodCopy one, among;
    for (int k = 0; k < CHAINS; ++k) {
        SnWorld *world = windy_world(1);
        SnBodyId rod = add_chain(world, k);
        run_wind(world);
        copy_rod(world, rod, &one);
        copy_rod(crowd, rods[k], &among);
        if (memcmp(&one, &among, sizeof one) != 0)
            fail_msg("chain %d is %g m from where it is alone", k, farthest(&one, &among));
        sn_world_destroy(world);
    }
    assert_true(sn_world_measure(crowd).broken_joints > 0); // that, too
    sn_world_destroy(crowd);
    free(rods);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_crowd_moves_as_each_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
