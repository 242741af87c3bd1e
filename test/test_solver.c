// One sub-step against the objective it should minimise: an independent double-precision model
// (reference.h), Newton's method on it, and elements whose step has a formula.
#include "one_step.h"

#include <stdlib.h>

typedef struct Term {
    const char *name;
    size_t offset; // of its stiffness in SnRodMaterial
    float value;
} Term;

#define TERM(name, field, value)                                                                   \
    { name, offsetof(SnRodMaterial, field), value }

// One potential at a time, strongly deformed, with a step so short that the state moves little:
// what is left of the gradient is then the error of the engine's gradient of this potential.
static void check_gradient(const Term *term, int vertices, bool closed, bool sheared) {
    static Shape shape;
    Rng rng = {(uint64_t)vertices};
    random_shape(&shape, &rng, vertices, closed);
    shape.def.material = no_stiffness();
    memcpy((char *)&shape.def.material + term->offset, &term->value, sizeof term->value);
    char name[96];
    snprintf(name, sizeof name, "%s, %s, %d vertices%s", term->name, closed ? "closed" : "open",
             vertices, sheared ? "" : ", no shear");
    RefNorms left = minimise_once(&shape, 7, (Pose){0.3, !sheared}, 1e-3, 20);
    assert_little_left(name, left, 0.05);
}

static void every_potential_has_the_gradient_of_its_energy(void **state) {
    (void)state;
    const Term terms[] = {
        TERM("stretch and shear", stretch, 1e5f),
        TERM("cross-section", cross_section, 1e3f),
        TERM("scale gradient", scale_gradient, 1e5f),
        TERM("bend", bend, 3e5f),
        TERM("twist", twist, 3e4f),
        TERM("scale bend", scale_bend, 20.0f),
        TERM("volume bend", volume_bend, 5e4f),
        TERM("volume", volume, 2e3f),
    };
    for (size_t t = 0; t < sizeof terms / sizeof terms[0]; ++t)
        for (int variant = 0; variant < 4; ++variant) {
            int vertices = variant < 2 ? 9 : 130;
            check_gradient(&terms[t], vertices, variant % 2 == 1, false);
            check_gradient(&terms[t], vertices, variant % 2 == 1, true);
        }
}

// Near rest the potentials are quadratic, and what many sweeps converge to is the minimum.
static void many_sweeps_minimise_the_objective(void **state) {
    (void)state;
    static Shape shape;
    const struct {
        const char *name;
        int vertices;
        bool closed, classic;
    } cases[] = {
        {"open volume", 12, false, false},  {"open classic", 12, false, true},
        {"closed volume", 16, true, false}, {"closed classic", 16, true, true},
        {"cut volume", 120, false, false},  {"cut classic", 120, false, true},
        {"cut ring", 130, true, false},     {"cut classic ring", 130, true, true},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c)
        for (uint64_t seed = 1; seed <= 2; ++seed) {
            Rng rng = {seed};
            random_shape(&shape, &rng, cases[c].vertices, cases[c].closed);
            shape.def.classic = cases[c].classic;
            shape.def.material = all_potentials();
            RefNorms left = minimise_once(&shape, seed, (Pose){0.01, false}, 4e-3, 1000);
            assert_little_left(cases[c].name, left, 0.02);
        }
}

static void a_short_rod_agrees_with_newtons_method(void **state) {
    (void)state;
    static Shape shape;
    static OneStep run;
    for (int variant = 0; variant < 4; ++variant) {
        Rng rng = {(uint64_t)(40 + variant)};
        bool closed = variant / 2 == 1;
        random_shape(&shape, &rng, closed ? 5 : 6, closed);
        shape.def.classic = variant % 2 == 1;
        shape.def.material = all_potentials();
        run_one_step(&run, &shape, &rng, (Pose){0.01, false}, 4e-3, 1000);
        RefState best = run.ref.predicted;
        minimise(&run.ref, &best);
        double moved = 0.0, apart = 0.0, swelled = 0.0, scale_apart = 0.0;
        for (int i = 0; i < run.ref.vertices; ++i) {
            moved = fmax(moved, lengthd(subd(best.x[i], run.ref.predicted.x[i])));
            apart = fmax(apart, lengthd(subd(best.x[i], run.after.x[i])));
            swelled = fmax(swelled, fabs(best.s[i] - run.ref.predicted.s[i]));
            scale_apart = fmax(scale_apart, fabs(best.s[i] - run.after.s[i]));
        }
        assert_true(moved > 1e-4);
        assert_below(apart, 0.02 * moved);
        assert_true(shape.def.classic || swelled > 1e-3);
        assert_below(scale_apart, 0.02 * swelled + 1e-7);
    }
}

// Two vertices on the z axis, stretched: d' = (d + h v + kG l) / (1 + kG), kG = h² E A/l (1/m + 1/m).
static void two_vertices_take_the_analytic_step(void **state) {
    (void)state;
    const float stiffness[] = {1e3f, 1e5f, 1e7f};
    for (int c = 0; c < 3; ++c) {
        for (int damped = 0; damped < 2; ++damped) {
            SnWorld *world = weightless_world();
            SnVec3 rest[2] = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.5f}};
            SnVec3 start[2] = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.6f}};
            SnRodDef def = sn_default_rod_def();
            def.solver = SN_SOLVER_SWEEP;
            def.vertex_count = 2;
            def.positions = rest;
            def.start_positions = start;
            def.radius = 0.1f;
            def.classic = true;
            def.material.young = stiffness[c];
            def.material.damping = damped ? 0.02f : 0.0f;
            SnBodyId rod;
            assert_ok(sn_rod_create(world, &def, &rod));
            SnVec3 v[2] = {{0.0f, 0.0f, -0.5f}, {0.0f, 0.0f, 1.5f}};
            assert_ok(sn_body_write(world, rod, &(SnBodyState){.velocities = v}));
            double h = (double)0.01f;
            assert_int_equal(sn_world_step(world, (float)h, 1, 3), SN_STEP_OK);

            double area = SUPPORT_PI * (double)0.1f * (double)0.1f, l = 0.5;
            double m = 0.5 * 1000.0 * area * l, k = (double)stiffness[c] * area / l;
            double kappa = damped ? (double)0.02f / h : 0.0; // force −k ((d − l) + κ (d − d₀))
            // The stiffest one is made with implicit Euler, the others are second order in time.
            double share = c == 2 ? 1.0 : 1.0 / 3.0;
            double G = share * h * h * k * (2.0 / m), d0 = (double)0.6f;
            double d = (d0 + h * 2.0 + G * (l + kappa * d0)) / (1.0 + G * (1.0 + kappa));
            RodCopy now;
            copy_rod(world, rod, &now);
            assert_near((double)now.x[1].z - (double)now.x[0].z, d, 2e-6);
            assert_near((double)now.v[1].z + (double)now.v[0].z, 1.0, 2e-4);
            sn_world_destroy(world);
        }
    }
}

// Appendix B: in one step a load changes nothing but the velocity of its own element.
static void loads_act_on_free_elements_as_appendix_b_says(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    static Shape shape;
    static RefRod ref;
    Rng rng = {5};
    random_shape(&shape, &rng, 6, false);
    shape.def.material = no_stiffness();
    SnBodyId rod;
    assert_ok(sn_rod_create(world, &shape.def, &rod));
    RodCopy before, after;
    copy_rod(world, rod, &before);
    double h = (double)0.005f;
    ref_create(&ref, &shape.def, &before, h);

    SnVec3 force = {3.0f, -2.0f, 5.0f}, torque = {1e-3f, 2e-3f, -3e-3f}, impulse = {0.1f, 0.2f, 0};
    assert_ok(sn_body_add_force(world, rod, 2, force));
    assert_ok(sn_body_add_force(world, rod, 2, force)); // loads add up
    assert_ok(sn_body_add_torque(world, rod, 3, torque));
    assert_ok(sn_rod_add_radial_force(world, rod, 4, 0.02f));
    assert_ok(sn_body_add_impulse(world, rod, 0, impulse));
    assert_int_equal(sn_world_step(world, (float)h, 1, 1), SN_STEP_OK);
    copy_rod(world, rod, &after);

    assert_near(after.v[2].x, h * 2.0 * 3.0 / ref.mass[2], 1e-4);
    assert_near(after.v[2].y, h * 2.0 * -2.0 / ref.mass[2], 1e-4);
    assert_near(after.v[2].z, h * 2.0 * 5.0 / ref.mass[2], 1e-4);
    assert_near(after.v[0].x, 0.1 / ref.mass[0], 2e-4);
    assert_near(after.v[0].y, 0.2 / ref.mass[0], 2e-4);
    assert_near(after.vs[4], h * 0.02 / ref.scale_inertia[4], 1e-3);
    // ω = h I⁻¹ τ, I = across (1 − wwᵀ) + about wwᵀ.
    Vec3d w = axis_z(ref.rest.q[3]), t = vec3d(torque);
    double along = dotd(w, t);
    Vec3d omega = addd(scaled(subd(t, scaled(w, along)), h / ref.across[3]),
                       scaled(w, h * along / ref.about[3]));
    assert_near(after.w[3].x, omega.x, 1e-3 * lengthd(omega));
    assert_near(after.w[3].y, omega.y, 1e-3 * lengthd(omega));
    assert_near(after.w[3].z, omega.z, 1e-3 * lengthd(omega));
    for (int i = 0; i < 6; ++i) {
        assert_near(after.vs[i], i == 4 ? (double)after.vs[4] : 0.0, 1e-4);
        if (i != 0 && i != 2)
            assert_near(distance(after.x[i], before.x[i]), 0.0, 1e-7);
        if (i != 3 && i < 5)
            assert_near(angle_between(after.q[i], before.q[i]), 0.0, 1e-6);
    }
    // Loads last for one step.
    SnVec3 v = after.v[2];
    assert_int_equal(sn_world_step(world, (float)h, 1, 1), SN_STEP_OK);
    copy_rod(world, rod, &after);
    assert_near(after.v[2].x, v.x, 1e-4);
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_potential_has_the_gradient_of_its_energy),
        cmocka_unit_test(many_sweeps_minimise_the_objective),
        cmocka_unit_test(a_short_rod_agrees_with_newtons_method),
        cmocka_unit_test(two_vertices_take_the_analytic_step),
        cmocka_unit_test(loads_act_on_free_elements_as_appendix_b_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
