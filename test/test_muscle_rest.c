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

static void hang_plate(const Spindle *s, float mass) {
    RodCopy copy;
    copy_rod(s->world, s->muscle, &copy);
    SnRigidPart parts[8] = {0};
    for (int k = 0; k < s->shape.rods; ++k) {
        SnVec3 at = copy.x[bundle_vertex(&s->shape, k, 8)];
        parts[k] = (SnRigidPart){.a = at, .b = at, .radius_a = 0.005f, .radius_b = 0.005f};
    }
    SnRigidDef def = sn_default_rigid_def();
    def.part_count = s->shape.rods;
    def.parts = parts;
    def.mass = mass;
    def.drag = 5.0f;
    def.filter.mask = 0;
    SnBodyId plate;
    assert_ok(sn_rigid_create(s->world, &def, &plate));
    for (int k = 0; k < s->shape.rods; ++k) {
        SnLinkDef link = sn_default_link_def();
        link.a = (SnBodyPoint){s->muscle, 8 * k + 7, 1.0f};
        link.b = (SnBodyPoint){plate, k, 0.0f};
        assert_ok(sn_link_create(s->world, &link, NULL));
    }
}

// A rigid plate at the free end, by all of its fibres. The muscle gets longer and thinner, and the plate does not.
// Where the end section still spread, links and plate spun each other up to thousands of metres per second.
static void plates_hang_from_muscles(void **test) {
    (void)test;
    static Spindle s;
    for (int k = 0; k < 4; ++k) {
        describe_spindle(&s, k < 2 ? 8 : 3, 9, 0.6);
        s.def.tendon = k % 2 ? 0.1f : 0.0f;
        s.def.material.drag = 2.0f;
        s.def.insertion_free = true;
        create_spindle(&s, make_world(sn_vec3(0.0f, 0.0f, 9.81f))); // z is down
        hang_plate(&s, 2.0f);
        step_spindle(&s, 360);
        assert_below(sn_world_measure(s.world).speed_max, 0.5);
        sn_world_destroy(s.world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damped_muscles_on_tendons_rest),
        cmocka_unit_test(bent_muscles_rest),
        cmocka_unit_test(plates_hang_from_muscles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
