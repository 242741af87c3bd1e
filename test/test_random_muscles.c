// Random muscles whose insertion is thrown about while they pull: they stay in one piece.
#include "muscle_kit.h"

static void describe_random(Spindle *s, Rng *rng) {
    describe_spindle(s, rng_int(rng, 1, 12), rng_int(rng, 5, 13), rng_real(rng, 0.0, 0.6));
    s->def.drive = (SnMuscleDrive)rng_int(rng, 0, 2);
    s->def.stress = rng_log(rng, 1e4, 3e5);
    s->def.shortening = rng_float(rng, 0.1, 0.5);
    s->def.tendon = rng_int(rng, 0, 1) ? rng_float(rng, 0.05, 0.3) : 0.0f;
    s->def.section_compliance = rng_int(rng, 0, 1) ? 0.0f : rng_log(rng, 1e-7, 1e-3);
    s->def.section_matching = rng_int(rng, 0, 4) == 0 ? SN_MATCH_RIGID : SN_MATCH_SCALED;
    s->def.material.young = rng_log(rng, 8e3, 1e5);
    s->def.material.shear = s->def.material.volume = SN_DERIVED;
}

// Up to 4 cm to and fro and 70° to either side, up to twice a second.
typedef struct Throw {
    double way, turn, rate, activation;
} Throw;

static void throw_insertion(const Spindle *s, const Throw *t, double time) {
    double phase = 2.0 * SUPPORT_PI * t->rate * time;
    SnPose pose = {
        sn_vec3(0.0f, (float)(t->way * sin(phase)), (float)(0.2 - t->way * (1.0 - cos(phase)))),
        turn_about(1.0, 0.0, 0.0, t->turn * sin(phase))};
    assert_ok(sn_frame_set_target(s->world, s->insertion, pose));
    assert_ok(sn_muscle_activate(s->world, s->muscle,
                                 (float)(t->activation * (0.5 - 0.5 * cos(3.0 * time)))));
}

static void random_muscles_stay_in_one_piece(void **test) {
    (void)test;
    static Spindle s;
    Rng rng = {42};
    for (int n = 0; n < 60; ++n) {
        describe_random(&s, &rng);
        Throw t = {rng_real(&rng, 0.0, 0.04), rng_real(&rng, 0.0, 1.2), rng_real(&rng, 0.5, 2.0),
                   rng_real(&rng, 0.0, 1.0)};
        create_spindle(&s, make_world(sn_vec3(0.0f, 0.0f, -9.81f)));
        float volume = read_muscle(&s).volume;
        for (int k = 1; k <= 90; ++k) {
            throw_insertion(&s, &t, k / 60.0);
            uint32_t bits = sn_world_step(s.world, 1.0f / 60.0f, 10, 1);
            assert_int_equal(bits & SN_STEP_RECOVERED, 0);
            assert_near(read_muscle(&s).volume / volume, 1.0, 0.2);
            assert_below(sn_world_measure(s.world).energy_kinetic, 2.0);
        }
        sn_world_destroy(s.world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_muscles_stay_in_one_piece)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
