// Joints that stay bent, and joints that break.
#include "stiff_kit.h"

#define N 20
#define RADIUS 0.01f
#define YOUNG 1e9f

static SnBodyId cantilever(SnWorld *world, float yield, float strength) {
    static SnVec3 x[N + 1];
    SnRodDef def = beam_def(x, N, 1.0, RADIUS, YOUNG);
    def.material.yield = yield;
    def.material.strength = strength;
    SnBodyId rod = add_rod(world, &def);
    clamp(world, rod, 0, 0);
    return rod;
}

// The stress in the outermost fibre is M r/I; the joint next to the wall is a segment from it.
static double force_for(double stress) {
    double arm = 1.0 - 1.0 / N;
    return stress * round_moment((double)RADIUS) / ((double)RADIUS * arm);
}

// Slowly, so that it does not swing beyond, and then so long.
static void push(SnWorld *world, SnBodyId rod, double from, double force, int steps) {
    for (int n = 1; n <= 100; ++n) {
        float now = (float)(from + 0.01 * n * (force - from));
        settle_under(world, rod, N, sn_vec3(0.0f, -now, 0.0f), 1, 0.1f);
    }
    settle_under(world, rod, N, sn_vec3(0.0f, -(float)force, 0.0f), steps, 0.1f);
}

static void a_rod_yields_beyond_its_stress(void **state) {
    (void)state;
    const double stress = 1e5; // a curvature of 0.01/m: the theory of small ones holds
    for (int k = 0; k < 2; ++k) {
        SnWorld *world = weightless_world();
        SnBodyId rod = cantilever(world, (float)stress, 0.0f);
        double force = force_for(stress) * (k == 0 ? 0.98 : 1.1);
        push(world, rod, 0.0, force, 60);
        double bent = -(double)vertex_at(world, rod, N).y;
        push(world, rod, force, 0.0, 60);
        double left = -(double)vertex_at(world, rod, N).y;
        if (k == 0) {
            assert_below(fabs(left), 1e-5 * bent);
        } else {
            // What gave way goes on giving way, and what is left does not spring back.
            assert_below(0.05 * bent, left);
            assert_below(measures_of(world, rod).speed_max, 1e-3);
            push(world, rod, 0.0, 0.0, 60);
            assert_near(-(double)vertex_at(world, rod, N).y, left, 1e-5);
        }
        assert_int_equal(sn_world_measure(world).broken_joints, 0);
        sn_world_destroy(world);
    }
}

// Bent against a stop instead of by a force: it yields until the stress is what it bears.
static void a_bent_rod_keeps_its_bend(void **state) {
    (void)state;
    SnVec3 x[3] = {{-0.05f, 0, 0}, {0.05f, 0, 0}, {0.15f, 0, 0}};
    SnWorld *world = weightless_world();
    SnRodDef def = stiff_def(x, 3, RADIUS);
    def.material.young = YOUNG;
    def.material.yield = 5e7f;
    SnBodyId rod = add_rod(world, &def);
    clamp(world, rod, 0, 0);
    SnFrameId hand;
    assert_ok(sn_frame_create(world, sn_pose_identity(), &hand));
    SnAttachmentId grip = attach(world, rod, SN_ATTACH_SEGMENT, 1, hand);
    SnAttachmentId end = attach(world, rod, SN_ATTACH_VERTEX, 1, hand);
    // Turned by 1.2 rad about the joint, against E r/l θ = 1e8 Pa per radian.
    for (int n = 1; n <= 30; ++n) {
        double a = 0.04 * n, c = cos(a), s = sin(a);
        SnPose pose = {sn_vec3((float)(0.05 - 0.05 * c), (float)(-0.05 * s), 0.0f),
                       turn_about(0, 0, 1, a)};
        assert_ok(sn_frame_set_target(world, hand, pose));
        assert_int_equal(sn_world_step(world, 0.01f, 1, 3), SN_STEP_OK);
    }
    assert_ok(sn_attachment_destroy(world, grip));
    assert_ok(sn_attachment_destroy(world, end));
    for (int n = 0; n < 100; ++n)
        assert_int_equal(sn_world_step(world, 0.1f, 1, 3), SN_STEP_OK);
    SnVec3 tip = vertex_at(world, rod, 2);
    double angle = atan2((double)tip.y, (double)tip.x - 0.05);
    assert_near(angle, 1.2 - 0.5, 0.05); // the elastic part, yield/(E r/l), came back
    sn_world_destroy(world);
}

// It breaks at the wall, at the force that theory says.
static void a_rod_breaks_at_its_strength(void **state) {
    (void)state;
    const double strength = 1e5;
    SnWorld *world = weightless_world();
    SnBodyId rod = cantilever(world, 0.0f, (float)strength);
    push(world, rod, 0.0, 0.97 * force_for(strength), 40);
    assert_int_equal(sn_world_measure(world).broken_joints, 0);
    push(world, rod, 0.97 * force_for(strength), 1.03 * force_for(strength), 40);
    assert_int_equal(sn_world_measure(world).broken_joints, 1);
    assert_below(distance(vertex_at(world, rod, 0), sn_vec3(0, 0, 0)), 1e-6);
    assert_true(sn_body_is_valid(world, rod));
    // The rest flies off as one piece that keeps its momentum.
    double momentum = measures_of(world, rod).momentum[1];
    assert_below(momentum, -1e-3);
    for (int n = 0; n < 20; ++n)
        assert_int_equal(sn_world_step(world, 0.01f, 1, 3), SN_STEP_OK);
    assert_near(measures_of(world, rod).momentum[1] / momentum, 1.0, 1e-9);
    assert_int_equal(sn_world_measure(world).broken_joints, 1);
    sn_world_destroy(world);
}

static void what_broke_off_falls(void **state) {
    (void)state;
    SnWorld *world = heavy_world();
    SnBodyId rod = cantilever(world, 0.0f, 0.0f);
    for (int n = 0; n < 60; ++n)
        assert_int_equal(sn_world_step(world, 0.1f, 1, 3), SN_STEP_OK);
    double held = (double)vertex_at(world, rod, N).y;
    // The weight bends it by q L²/2; half that strength does not bear it.
    double weight = 1000.0 * round_area((double)RADIUS) * 9.81;
    double stress = 0.5 * weight * (double)RADIUS / round_moment((double)RADIUS);
    SnRodMaterial material = sn_default_rod_material();
    material.young = YOUNG;
    material.shear = 0.4f * YOUNG;
    material.strength = (float)(0.5 * stress);
    assert_ok(sn_rod_set_material(world, rod, &material));
    for (int n = 0; n < 60; ++n)
        assert_int_equal(sn_world_step(world, 1.0f / 60.0f, 1, 3), SN_STEP_OK);
    assert_true(sn_world_measure(world).broken_joints >= 1);
    assert_below(vertex_at(world, rod, N).y, held - 3.0);
    assert_below(fabs((double)vertex_at(world, rod, 0).y), 1e-6);
    // It still answers.
    assert_int_equal(sn_body_point_count(world, rod), N + 1);
    assert_ok(sn_body_add_force(world, rod, N, sn_vec3(0, 1, 0)));
    assert_ok(sn_body_add_impulse(world, rod, 0, sn_vec3(0, 1, 0)));
    assert_int_equal(sn_world_step(world, 0.01f, 1, 3), SN_STEP_OK);
    sn_world_destroy(world);
}

// A free rod that breaks while it whirls keeps its momentum, and its angular momentum but for what
// the step loses.
static void breaking_keeps_momentum(void **state) {
    (void)state;
    SnVec3 x[N + 1];
    line_of_points(x, N + 1, sn_vec3(-0.5f, 0, 0), sn_vec3(0.05f, 0, 0));
    SnWorld *world = weightless_world();
    SnRodDef def = stiff_def(x, N + 1, RADIUS);
    def.material.young = 1e7f;
    def.material.shear = 4e6f;
    def.velocity = sn_vec3(1.0f, -2.0f, 0.5f);
    def.material.strength = 2e5f;
    SnBodyId rod = add_rod(world, &def);
    assert_int_equal(sn_world_step(world, 1e-3f, 1, 3), SN_STEP_OK);
    assert_ok(sn_body_add_impulse(world, rod, 0, sn_vec3(0.0f, 0.5f, 0.0f)));
    assert_ok(sn_body_add_impulse(world, rod, N / 2, sn_vec3(0.0f, -0.5f, 0.0f)));
    SnMeasures before = measures_of(world, rod);
    for (int n = 0; n < 100; ++n)
        assert_int_equal(sn_world_step(world, 1e-3f, 1, 3), SN_STEP_OK);
    SnMeasures after = measures_of(world, rod);
    assert_true(sn_world_measure(world).broken_joints >= 1);
    for (int c = 0; c < 3; ++c)
        assert_near(after.momentum[c], before.momentum[c], 1e-10 * before.mass);
    assert_below(after.energy_kinetic + after.energy_elastic,
                 before.energy_kinetic + before.energy_elastic);
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rod_yields_beyond_its_stress),
        cmocka_unit_test(a_bent_rod_keeps_its_bend),
        cmocka_unit_test(a_rod_breaks_at_its_strength),
        cmocka_unit_test(what_broke_off_falls),
        cmocka_unit_test(breaking_keeps_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
