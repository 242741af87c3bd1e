// Torques and blows on rods that nothing holds: they get the angular momentum that they were given, no more and no less.
// And a force or a moment that goes on, on a rod that is held: it does no work over a whole swing, and leads to rest.
#include "support.h"

#define MOST_VERTICES 64
#define DT (1.0f / 60.0f)
#define SUBSTEPS 10

typedef enum Kind { VOLUME, CLASSIC, STIFF, KINDS } Kind;
static const char *const kinds[] = {"volume", "classic", "stiff"};

typedef struct Struck {
    Kind kind;
    int segments;
    double young, density, radius, length, damping;
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
    def.material.damping = (float)c->damping;
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
                    1.0,
                    0.0};
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
        Struck c = {STIFF, n & 1 ? 20 : 8, youngs[n / 4], 1000.0, 0.01, 1.0, 0.0};
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
        Struck c = {STIFF, n & 1 ? 20 : 8, 2e11, 7850.0, 0.01, 1.5, 0.0};
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

// A moment at the tip, about an axis of the world, that bends a clamped rod to an arc of 0.4 and 1 rad.
static void assert_rests_as_an_arc(const Struck *c, double angle) {
    SnVec3 x[MOST_VERTICES], v[MOST_VERTICES];
    SnWorld *world = make_world(sn_vec3(0, 0, 0));
    SnBodyId rod = add_struck(world, c);
    pin(world, rod, SN_ATTACH_VERTEX, 0);
    pin(world, rod, SN_ATTACH_SEGMENT, 0);
    double stiffness = c->young * SUPPORT_PI * pow(c->radius, 4.0) / 4.0, fastest = 0.0;
    SnVec3 moment = sn_vec3(0, 0, (float)(stiffness * angle / c->length));
    SnBodyState arrays = {.positions = x, .velocities = v};
    for (int k = 0; k < 300; ++k) {
        assert_ok(sn_body_add_torque(world, rod, c->segments - 1, moment));
        assert_int_equal(sn_world_step(world, DT, SUBSTEPS, 1), SN_STEP_OK);
        assert_ok(sn_body_read(world, rod, &arrays));
        for (int j = 0; j <= c->segments && k >= 240; ++j)
            fastest =
                fmax(fastest, sqrt((double)(v[j].x * v[j].x + v[j].y * v[j].y + v[j].z * v[j].z)));
    }
    // From where the rod began, half its length along x before the origin.
    double along = (double)x[c->segments].x + 0.5 * c->length, aside = (double)x[c->segments].y;
    double off = hypot(along - c->length * sin(angle) / angle,
                       aside - c->length * (1.0 - cos(angle)) / angle);
    if (!(fastest < 1e-3) || !(off < 2e-3 * c->length))
        fail_msg("%s, %d segments, E %g, r %g, bent by %g rad: %g m/s, tip off by %g m",
                 kinds[c->kind], c->segments, c->young, c->radius, angle, fastest, off);
    sn_world_destroy(world);
}

static void moments_bend_short_rods_to_arcs(void **state) {
    (void)state;
    const double youngs[] = {2e11, 12.5e9, 2.8e9}, densities[] = {7850.0, 700.0, 1140.0};
    for (int n = 0; n < KINDS * 2 * 3 * 2 * 2; ++n) {
        int material = n / (KINDS * 2) % 3;
        Struck c = {(Kind)(n % KINDS),
                    n / KINDS & 1 ? 30 : 12,
                    youngs[material],
                    densities[material],
                    n / (KINDS * 6) & 1 ? 0.01 : 0.003,
                    0.3,
                    0.0};
        // What is less stiff would swing for long.
        c.damping = material > 0 || c.radius < 0.005 ? 1e-3 : 0.0;
        assert_rests_as_an_arc(&c, n / (KINDS * 12) ? 1.0 : 0.4);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(torques_turn_free_rods),
        cmocka_unit_test(blows_turn_free_stiff_rods),
        cmocka_unit_test(steady_forces_drive_no_swing),
        cmocka_unit_test(moments_bend_short_rods_to_arcs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
