// Torques and blows on rods that nothing holds: they get the angular momentum that they were given, no more and no less.
// And a force that goes on, on a rod that is held: it does no work over a whole swing.
#include "support.h"

#define MOST_VERTICES 64
#define DT (1.0f / 60.0f)
#define SUBSTEPS 10

typedef enum Kind { VOLUME, CLASSIC, STIFF, KINDS } Kind;
static const char *const kinds[] = {"volume", "classic", "stiff"};

typedef struct Struck {
    Kind kind;
    int segments;
    double young, density, radius, length;
} Struck;

static double mass_of(const Struck *c) {
    return c->density * SUPPORT_PI * c->radius * c->radius * c->length;
}

// Along x, its middle in the origin.
static SnBodyId add_struck(SnWorld *world, const Struck *c) {
    SnVec3 x[MOST_VERTICES];
    line_of_points(x, c->segments + 1, sn_vec3((float)(-0.5 * c->length), 0, 0),
                   sn_vec3((float)(c->length / c->segments), 0, 0));
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = c->segments + 1;
    def.positions = x;
    def.radius = (float)c->radius;
    def.classic = c->kind == CLASSIC;
    def.stiff = c->kind == STIFF;
    def.material.young = (float)c->young;
    def.material.density = (float)c->density;
    def.filter.mask = 0;
    SnBodyId rod;
    assert_ok(sn_rod_create(world, &def, &rod));
    return rod;
}

// A second later, what there is of L about z is what was given.
static void assert_keeps(SnWorld *world, const Struck *c, double given, double within,
                         const char *what) {
    for (int n = 0; n < 60; ++n)
        assert_int_equal(sn_world_step(world, DT, SUBSTEPS, 1), SN_STEP_OK);
    double kept = sn_world_measure(world).angular_momentum[2] / given;
    if (!(fabs(kept - 1.0) < within))
        fail_msg("%s, %d segments, E %g, %s: %.4f of the angular momentum", kinds[c->kind],
                 c->segments, c->young, what, kept);
    sn_world_destroy(world);
}

// For one step, in the middle or at the end, so that the rod would turn at 0.01 to 1 rad/s if it were rigid.
static void torques_turn_free_rods(void **state) {
    (void)state;
    const double speeds[] = {0.01, 0.1, 0.3, 1.0}, youngs[] = {3e9, 2e10, 2e11};
    for (int n = 0; n < KINDS * 4 * 3 * 2 * 2; ++n) {
        Struck c = {(Kind)(n % KINDS),
                    n / KINDS & 1 ? 24 : 8,
                    youngs[n / (KINDS * 2) % 3],
                    7850.0,
                    0.01,
                    1.0};
        double speed = speeds[n / (KINDS * 2 * 3) % 4];
        int segment = n / (KINDS * 2 * 3 * 4) ? c.segments - 1 : c.segments / 2;
        double momentum = speed * mass_of(&c) * c.length * c.length / 12.0;
        SnWorld *world = make_world(sn_vec3(0, 0, 0));
        SnBodyId rod = add_struck(world, &c);
        SnVec3 torque = sn_vec3(0, 0, (float)(momentum / (double)DT));
        assert_ok(sn_body_add_torque(world, rod, segment, torque));
        assert_int_equal(sn_world_step(world, DT, SUBSTEPS, 1), SN_STEP_OK);
        assert_keeps(world, &c, momentum, 0.01, segment == c.segments / 2 ? "middle" : "end");
    }
}

// An impulse across a vertex turns the rod about its middle by its lever.
static void blows_turn_free_stiff_rods(void **state) {
    (void)state;
    const double youngs[] = {1e6, 3e9, 2e11};
    for (int n = 0; n < 3 * 2 * 2; ++n) {
        Struck c = {STIFF, n & 1 ? 20 : 8, youngs[n / 4], 1000.0, 0.01, 1.0};
        int vertex = n & 2 ? c.segments / 4 : c.segments;
        double impulse = 0.1 * mass_of(&c), lever = c.length * ((double)vertex / c.segments - 0.5);
        SnWorld *world = make_world(sn_vec3(0, 0, 0));
        SnBodyId rod = add_struck(world, &c);
        assert_ok(sn_body_add_impulse(world, rod, vertex, sn_vec3(0, (float)impulse, 0)));
        assert_keeps(world, &c, impulse * lever, 0.02, "a blow");
    }
}

// A force on the tip of a stiff rod that is clamped and swings without damping: what it has as energy, less the work
// of the force, does not grow over half a minute.
static void steady_forces_drive_no_swing(void **state) {
    (void)state;
    for (int n = 0; n < 4; ++n) {
        Struck c = {STIFF, n & 1 ? 20 : 8, 2e11, 7850.0, 0.01, 1.5};
        SnWorld *world = make_world(sn_vec3(0, 0, 0));
        SnBodyId rod = add_struck(world, &c);
        pin(world, rod, SN_ATTACH_VERTEX, 0);
        pin(world, rod, SN_ATTACH_SEGMENT, 0);
        double force = n & 2 ? 100.0 : 300.0, most = 0.0, swung = 0.0;
        for (int k = 0; k < 1800; ++k) {
            assert_ok(sn_body_add_force(world, rod, c.segments, sn_vec3(0, (float)-force, 0)));
            assert_int_equal(sn_world_step(world, DT, SUBSTEPS, 1), SN_STEP_OK);
            SnVec3 x[MOST_VERTICES];
            SnBodyState arrays = {.positions = x};
            assert_ok(sn_body_read(world, rod, &arrays));
            SnMeasures m = sn_world_measure(world);
            double height = (double)x[c.segments].y;
            swung = fmax(swung, -force * height);
            most = fmax(most, m.energy_elastic + m.energy_kinetic + force * height);
        }
        if (!(most < 0.01 * swung))
            fail_msg("%d segments, %g N: %.4g J more than there were, of %.4g J", c.segments, force,
                     most, swung);
        sn_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(torques_turn_free_rods),
        cmocka_unit_test(blows_turn_free_stiff_rods),
        cmocka_unit_test(steady_forces_drive_no_swing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
