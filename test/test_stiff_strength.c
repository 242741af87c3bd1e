// What moment a joint bears: flat rods, rods that change their thickness, forks, and twist.
#include "stiff_kit.h"

#define N 4
#define YOUNG 1e9f
#define STRESS 1e5

// A beam from a wall along x, whose first axis is −z and whose second is y.
static SnBodyId beam(SnWorld *world, const SnSegmentDef *segments, bool breaks) {
    static SnVec3 x[N + 1];
    static SnQuat frames[N];
    SnRodDef def = beam_def(x, N, 1.0, 0.01f, YOUNG);
    for (int j = 0; j < N; ++j)
        frames[j] = turn_about(0, 1, 0, 0.5 * SUPPORT_PI);
    def.frames = frames;
    def.segments = segments;
    if (breaks)
        def.material.strength = (float)STRESS;
    else
        def.material.yield = (float)STRESS;
    SnBodyId rod = add_rod(world, &def);
    clamp(world, rod, 0, 0);
    return rod;
}

static double joint_at(int vertex) { return (double)vertex / N; }

typedef struct Load {
    SnVec3 force, torque; // on the free end
} Load;

static Load times(Load load, double s) {
    float f = (float)s;
    return (Load){sn_vec3(f * load.force.x, f * load.force.y, f * load.force.z),
                  sn_vec3(f * load.torque.x, f * load.torque.y, f * load.torque.z)};
}

// Slowly from one part of the load to another, in long steps, so that nothing swings.
static void press(SnWorld *world, SnBodyId rod, Load load, double from, double to) {
    for (int n = 1; n <= 120; ++n) {
        Load now = times(load, from + (to - from) * fmin(1.0, 0.0125 * n));
        assert_ok(sn_body_add_force(world, rod, N, now.force));
        assert_ok(sn_body_add_torque(world, rod, N - 1, now.torque));
        assert_int_equal(sn_world_step(world, 0.1f, 1, 5), SN_STEP_OK);
    }
}

// It holds a little less than this load, and breaks at the vertex under a little more.
static void breaks_at(const SnSegmentDef *segments, Load load, int vertex) {
    SnWorld *world = weightless_world();
    SnBodyId rod = beam(world, segments, true);
    press(world, rod, load, 0.0, 0.98);
    assert_int_equal(sn_world_measure(world).broken_joints, 0);
    press(world, rod, load, 0.98, 1.02);
    assert_int_equal(sn_world_measure(world).broken_joints, 1);
    // All up to the vertex stays, all beyond it flies off.
    for (int i = 0; i <= N; ++i) {
        SnVec3 v = velocity_at(world, rod, i);
        double speed = distance(v, sn_vec3(0, 0, 0));
        if (i <= vertex)
            assert_below(speed, 1e-3);
        else if (load.torque.x == 0.0f)
            assert_below(1e-2, speed);
    }
    sn_world_destroy(world);
}

static Load force_along(double y, double z) {
    return (Load){sn_vec3(0.0f, (float)y, (float)z), sn_vec3(0, 0, 0)};
}

// σ = M r/I with I = π/4 of the width across times r³.
static double moment_of(double across, double r) {
    return STRESS * 0.25 * SUPPORT_PI * across * r * r;
}

static void a_flat_rod_breaks_more_easily_across(void **state) {
    (void)state;
    const double a = 0.02, b = 0.005;
    SnSegmentDef flat[N];
    for (int j = 0; j < N; ++j)
        flat[j] = (SnSegmentDef){.radius_x = (float)a, .radius_y = (float)b};
    double arm = 1.0 - joint_at(1), weak = moment_of(a, b) / arm, strong = moment_of(b, a) / arm;
    assert_near(strong / weak, a / b, 1e-9);
    breaks_at(flat, force_along(-weak, 0.0), 1);
    breaks_at(flat, force_along(0.0, strong), 1);
    // Both at once add up as they do in von Mises' stress.
    breaks_at(flat, force_along(0.6 * weak, 0.8 * strong), 1);
}

static void a_flat_rod_stays_bent_across(void **state) {
    (void)state;
    SnSegmentDef flat[N];
    for (int j = 0; j < N; ++j)
        flat[j] = (SnSegmentDef){.radius_x = 0.02f, .radius_y = 0.005f};
    double weak = moment_of(0.02, 0.005) / (1.0 - joint_at(1));
    for (int k = 0; k < 2; ++k) {
        SnWorld *world = weightless_world();
        SnBodyId rod = beam(world, flat, false);
        Load load = force_along(k == 0 ? 1.05 * weak : 0.0, k == 0 ? 0.0 : 1.05 * weak);
        press(world, rod, load, 0.0, 1.0);
        double bent = distance(vertex_at(world, rod, N), sn_vec3(1, 0, 0));
        press(world, rod, load, 1.0, 0.0);
        double left = distance(vertex_at(world, rod, N), sn_vec3(1, 0, 0));
        if (k == 0)
            assert_below(0.02 * bent, left);
        else
            assert_below(left, 1e-4 * bent);
        sn_world_destroy(world);
    }
}

// Where a rod gets thinner or softer, both sides of the joint bear the same moment: what counts is
// the thin one, however little the other bends.
static void a_stepped_rod_breaks_at_its_thin_side(void **state) {
    (void)state;
    const double thin = 0.005;
    for (int kind = 0; kind < 2; ++kind) {
        SnSegmentDef stepped[N] = {0};
        for (int j = 0; j < N; ++j)
            stepped[j].radius_x = stepped[j].radius_y = j < 2 && kind == 0 ? 0.02f : (float)thin;
        // Stiffer, but no stronger: it bears the most at the wall.
        for (int j = 0; j < 2 && kind == 1; ++j)
            stepped[j].young = 20.0f * YOUNG;
        int vertex = kind == 0 ? 2 : 1;
        double force = moment_of(thin, thin) / (1.0 - joint_at(vertex));
        breaks_at(stepped, force_along(-force, 0.0), vertex);
    }
}

// In twist, σ = √3 T r/J.
static void a_rod_is_twisted_off(void **state) {
    (void)state;
    const double r = 0.01;
    double torque = STRESS / sqrt(3.0) * 2.0 * round_moment(r) / r;
    // The same moment at every joint: which one goes first is up to rounding.
    SnWorld *world = weightless_world();
    SnBodyId rod = beam(world, NULL, true);
    Load load = {sn_vec3(0, 0, 0), sn_vec3((float)torque, 0, 0)};
    press(world, rod, load, 0.0, 0.98);
    assert_int_equal(sn_world_measure(world).broken_joints, 0);
    press(world, rod, load, 0.98, 1.02);
    assert_true(sn_world_measure(world).broken_joints >= 1);
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flat_rod_breaks_more_easily_across),
        cmocka_unit_test(a_flat_rod_stays_bent_across),
        cmocka_unit_test(a_stepped_rod_breaks_at_its_thin_side),
        cmocka_unit_test(a_rod_is_twisted_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
