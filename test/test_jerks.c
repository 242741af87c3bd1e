// Heavy things that jerk at light ones over links, or push them together: what could not be solved
// within a sub-step is told, links may open for a moment, but nothing gets faster than what fell.
#include "random_world.h"

typedef struct Case {
    uint64_t seed, groups;
    double seconds;
} Case;

static double fastest_of(const Case *c, RandomWorld *w) {
    double fastest = 0.0;
    random_world(w, c->seed, 2, c->groups);
    for (int n = 0; n < (int)(c->seconds * 60.0); ++n) {
        sn_world_step(w->world, 1.0f / 60.0f, 10, 1);
        fastest = fmax(fastest, (double)sn_world_measure(w->world).speed_max);
    }
    return fastest;
}

static void nothing_is_thrown(void **state) {
    (void)state;
    // Pills of 4 and 5 g in a chain with one of 3.7 kg, at which a rope jerks; and 65 kg that hang on
    // a damped rod of 150 g, land, and push it together.
    const Case cases[] = {{2054, 0x3, 6.0}, {2165, 0x2, 1.0}};
    static RandomWorld w;
    for (int k = 0; k < 2; ++k) {
        double fastest = fastest_of(&cases[k], &w);
        double fall = sqrt(2.0 * GRAVITY * w.start_height);
        if (!(fastest < 3.0 * fall))
            fail_msg("case %d: %g m/s, where a fall makes %g", k, fastest, fall);
        sn_world_destroy(w.world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_thrown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
