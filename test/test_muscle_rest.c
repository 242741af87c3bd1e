// Muscles under their weight come to rest, whatever damps them and whichever way they hang.
#include "muscle_kit.h"

static double speed_after(Spindle *s, SnVec3 gravity, double seconds) {
    create_spindle(s, make_world(gravity));
    step_spindle(s, (int)(60.0 * seconds));
    double speed = sn_world_measure(s->world).speed_max;
    sn_world_destroy(s->world);
    return speed;
}

static const SnVec3 ALONG = {0.0f, 0.0f, -9.81f}, ACROSS = {9.81f, 0.0f, 0.0f};

// The weight of a soft muscle pushes its stiff tendon by more than the tendon withstands in shear. Dampers
// that remember the tension in the axes of a frame shake it, up to 5 m/s.
static void damped_muscles_on_tendons_rest(void **test) {
    (void)test;
    static Spindle s;
    const float damping[4] = {0.03f, 0.05f, 0.2f, 1.0f};
    for (int k = 0; k < 12; ++k) {
        describe_spindle(&s, k < 8 ? 8 : 3, 9, 0.6);
        s.def.tendon = 0.1f;
        s.def.material.damping = damping[k % 4];
        // Three fibres are about to buckle, and take their time.
        assert_below(speed_after(&s, k % 8 < 4 ? ALONG : ACROSS, 6.0), k < 8 ? 1e-4 : 5e-3);
    }
}

// A bent muscle stays as it is when a step begins: frames, which are means of two sections, tell another
// turn of a section than its vertices do. Where they were believed, it had 0.02 m/s for ever.
static void bent_muscles_rest(void **test) {
    (void)test;
    static Spindle s;
    for (int k = 0; k < 4; ++k) {
        describe_spindle(&s, 8, 9, k < 2 ? 0.6 : 0.0);
        s.def.tendon = k % 2 ? 0.1f : 0.0f;
        s.def.material.damping = 0.0f;
        s.def.material.drag = 10.0f;
        assert_below(speed_after(&s, ACROSS, 6.0), 2e-4);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damped_muscles_on_tendons_rest),
        cmocka_unit_test(bent_muscles_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
