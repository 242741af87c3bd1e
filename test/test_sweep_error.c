// How far swept rods give way, against what sn_rod_sweep_error says before: cantilevers under their weight
// and under a torque, and how slowly they then vibrate.
#include "support.h"

#define DT (1.0f / 60.0f)
#define SUBSTEPS 10
#define DENSITY 1000.0
#define LENGTH 1.0
// Of its length, in deflection; and in rad.
#define DEFLECTION 0.005
#define TWIST 0.02

typedef struct Case {
    bool twist, classic;
    int segments, iterations;
    double kG;
} Case;

static double radius_of(const Case *c) { return LENGTH / c->segments / (c->twist ? 5.0 : 1.0); }

// That makes k·G of bending, or of twist, what the case asks for.
static double young_of(const Case *c) {
    double h = (double)DT / SUBSTEPS, l = LENGTH / c->segments, r = radius_of(c);
    double bend = c->kG * DENSITY * l * l * (r * r + l * l) / (2.0 * h * h * r * r);
    return c->twist ? c->kG * DENSITY * l * l / (2.0 * h * h) / 0.35 : bend;
}

static SnBodyId rod_of(SnWorld *world, const Case *c, SnRodSolver solver, double drag) {
    SnVec3 x[COPY_MAX];
    double r = radius_of(c), young = young_of(c);
    line_of_points(x, c->segments + 1, sn_vec3(0.0f, 0.0f, 0.0f),
                   sn_vec3((float)(LENGTH / c->segments), 0.0f, 0.0f));
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = c->segments + 1;
    def.positions = x;
    def.radius = (float)r;
    def.material.young = (float)young;
    def.material.transverse = (float)(c->classic ? young : 51.0 * young); // as sweeps shear
    def.material.drag = (float)drag;
    def.classic = c->classic;
    def.solver = solver;
    def.filter.mask = 0;
    // w L⁴/(8 E I) is the deflection.
    double pull = 8.0 * DEFLECTION * young * r * r / (4.0 * DENSITY);
    def.gravity_scale = c->twist ? 0.0f : (float)pull;
    SnBodyId rod;
    assert_ok(sn_rod_create(world, &def, &rod));
    pin(world, rod, SN_ATTACH_VERTEX, 0);
    pin(world, rod, SN_ATTACH_SEGMENT, 0);
    return rod;
}

static double first_frequency(const Case *c) { // rad/s
    return 3.516 * 0.5 * radius_of(c) * sqrt(young_of(c) / DENSITY) / (LENGTH * LENGTH);
}

static uint32_t step(SnWorld *world, const Case *c, SnBodyId rod, int iterations) {
    double torque = TWIST * 0.35 * young_of(c) * 0.5 * SUPPORT_PI * pow(radius_of(c), 4.0) / LENGTH;
    if (c->twist)
        assert_ok(
            sn_body_add_torque(world, rod, c->segments - 1, sn_vec3((float)torque, 0.0f, 0.0f)));
    return sn_world_step(world, DT, SUBSTEPS, iterations);
}

static double given_way(const SnWorld *world, const Case *c, SnBodyId rod) {
    RodCopy now;
    copy_rod(world, rod, &now);
    return c->twist ? angle_between(now.q[0], now.q[now.segments - 1])
                    : -(double)now.x[now.segments].y;
}

// How far it gives way at rest.
static double rest_of(const Case *c, SnRodSolver solver, int iterations, double *out_error,
                      uint32_t *out_bits) {
    SnWorld *world = make_world(sn_vec3(0.0f, -1.0f, 0.0f));
    SnBodyId rod = rod_of(world, c, solver, first_frequency(c));
    *out_error = sn_rod_sweep_error(world, rod, DT, SUBSTEPS, iterations);
    // What gives way too far does so slowly.
    double seconds = 12.0 / first_frequency(c) * (1.0 + *out_error);
    for (int n = 0; n < (int)(60.0 * fmax(seconds, 0.5)); ++n)
        *out_bits = step(world, c, rod, iterations);
    double far = given_way(world, c, rod);
    sn_world_destroy(world);
    return far;
}

// Until it turns back for the first time: half a period.
static double half_period(const Case *c, SnRodSolver solver, int iterations) {
    SnWorld *world = make_world(sn_vec3(0.0f, -1.0f, 0.0f));
    SnBodyId rod = rod_of(world, c, solver, 0.0);
    double before = 0.0, now = 0.0;
    int n = 0;
    do {
        before = now;
        sn_world_step(world, DT, SUBSTEPS, iterations);
        now = given_way(world, c, rod);
    } while (now >= before && ++n < 100000);
    sn_world_destroy(world);
    return n;
}

// Off by so much of what is predicted, and by a little of the load's own.
static void rods_give_way_as_predicted(void **state) {
    (void)state;
    const double kG[] = {0.2, 2.0, 20.0};
    for (int twist = 0; twist < 2; ++twist)
        for (int classic = 0; classic < 2; ++classic)
            for (int segments = 10; segments <= 20; segments *= 2)
                for (int k = 0; k < 3; ++k)
                    for (int iterations = 1; iterations <= 4; iterations *= 4) {
                        Case c = {twist, classic, segments, iterations, kG[k]};
                        Case easy = c;
                        easy.kG = 2.0;
                        double none, error;
                        uint32_t bits = SN_STEP_OK;
                        double right = rest_of(&easy, SN_SOLVER_DIRECT, 1, &none, &bits);
                        assert_true(none == 0.0 && bits == SN_STEP_OK);
                        double far = rest_of(&c, SN_SOLVER_SWEEP, iterations, &error, &bits);
                        double excess = far / right - 1.0;
                        print_message("%s %s, %d segments, k·G %g, %d sweeps: %+.1f %%, predicted "
                                      "%.1f %%\n",
                                      twist ? "twist" : "bend", classic ? "classic" : "volume",
                                      segments, c.kG, iterations, 100.0 * excess, 100.0 * error);
                        assert_true((bits & SN_STEP_SOFT) == (error > 0.1 ? SN_STEP_SOFT : 0));
                        assert_below(excess, error + 0.01);
                        assert_true(excess > 0.4 * error - 0.01);
                    }
}

// What is softer by 1 + e vibrates more slowly by the root of that.
static void rods_vibrate_as_slowly_as_that(void **state) {
    (void)state;
    for (int k = 0; k < 2; ++k) {
        Case c = {false, true, 20, 1, k ? 2.0 : 0.5};
        SnWorld *world = weightless_world();
        SnBodyId rod = rod_of(world, &c, SN_SOLVER_SWEEP, 0.0);
        double error = sn_rod_sweep_error(world, rod, DT, SUBSTEPS, 1);
        sn_world_destroy(world);
        double swept = half_period(&c, SN_SOLVER_SWEEP, 1);
        double direct = half_period(&c, SN_SOLVER_DIRECT, 1);
        double off = direct / swept - 1.0, predicted = 1.0 / sqrt(1.0 + error) - 1.0;
        print_message("k·G %g: frequency %+.1f %%, predicted %+.1f %%\n", c.kG, 100.0 * off,
                      100.0 * predicted);
        assert_near(off, predicted, 0.08);
    }
}

// Damping makes joints stiffer within a sub-step, materials can be changed, and sleep is no step.
static void predictions_follow_the_rod(void **state) {
    (void)state;
    SnWorld *world = make_world(sn_vec3(0.0f, 0.0f, 0.0f));
    SnBodyId rod = plain_rod(world, 10);
    double before = sn_rod_sweep_error(world, rod, DT, SUBSTEPS, 1);
    assert_true(before > 0.1);
    assert_true(sn_rod_sweep_error(world, rod, DT, 4 * SUBSTEPS, 1) < 0.1 * before);
    assert_true(sn_rod_sweep_error(world, rod, DT, SUBSTEPS, 2) < before);
    assert_true(sn_rod_sweep_error(world, rod, 0.0f, SUBSTEPS, 1) == 0.0);
    assert_int_equal(sn_world_step(world, DT, SUBSTEPS, 1), SN_STEP_SOFT);
    SnRodMaterial material = sn_default_rod_material();
    material.damping = 0.1f;
    assert_ok(sn_rod_set_material(world, rod, &material));
    assert_true(sn_rod_sweep_error(world, rod, DT, SUBSTEPS, 1) > 10.0 * before);
    material.damping = 0.0f;
    material.young = 1e4f;
    assert_ok(sn_rod_set_material(world, rod, &material));
    assert_int_equal(sn_world_step(world, DT, SUBSTEPS, 1), SN_STEP_OK);
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rods_give_way_as_predicted),
        cmocka_unit_test(rods_vibrate_as_slowly_as_that),
        cmocka_unit_test(predictions_follow_the_rod),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
