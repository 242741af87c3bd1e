// Solids: bars against beam theory, free flight against conservation laws, bad input.
#include "solid_kit.h"

// A bar of 1 m × 10 cm × 10 cm along x whose first layer is held.
static Grid *bar_grid(int nx, int across, float young) {
    Grid *g = grid_of(nx, across, across, sn_vec3(1.0f, 0.1f, 0.1f), sn_vec3(0.0f, 0.0f, 0.0f));
    g->def.material.young = young;
    g->def.material.damping = 0.3f;
    g->def.filter.mask = 0;
    return g;
}

static SnBodyId held_bar(SnWorld *world, const Grid *g) {
    SnBodyId bar = add_solid(world, g);
    for (int i = 0; i < g->count; i += g->nx)
        hold_particle(world, bar, i);
    return bar;
}

typedef struct Steps {
    float dt;
    int substeps, iterations;
} Steps;

static const Steps usual = {DT, 10, 1};

// Where the last particle is after a force on the last layer has acted for so long.
static SnVec3 pulled_tip(const Grid *g, SnVec3 force, Steps steps, float seconds) {
    SnWorld *world = weightless_world();
    SnBodyId bar = held_bar(world, g);
    int layer = g->ny * g->nz, count = (int)(seconds / steps.dt + 0.5f);
    SnVec3 share = sn_vec3_scale(force, 1.0f / (float)layer);
    for (int n = 0; n < count; ++n) {
        for (int i = g->nx - 1; i < g->count; i += g->nx)
            assert_ok(sn_body_add_force(world, bar, i, share));
        assert_int_equal(sn_world_step(world, steps.dt, steps.substeps, steps.iterations), 0);
    }
    SnVec3 tip = particle_at(world, bar, g->count - 1);
    sn_world_destroy(world);
    return tip;
}

#define BAR_EI(young) ((young)*1e-4 / 12.0)

static double free_length(const Grid *g) { return (double)(g->nx - 1) / g->nx; }

static void test_a_bar_stretches_as_youngs_modulus_says(void **state) {
    (void)state;
    const float modulus[] = {1e5f, 1e7f, 2e11f};
    for (int k = 0; k < 3; ++k)
        for (int across = 1; across <= 3; ++across) {
            Grid *g = bar_grid(10, across, modulus[k]);
            float rest = g->positions[g->count - 1].x;
            SnVec3 tip = pulled_tip(g, sn_vec3(modulus[k] * 1e-4f, 0.0f, 0.0f), usual, 4.0f);
            assert_near((double)(tip.x - rest) / (0.01 * free_length(g)), 1.0, 1e-3);
        }
}

static double deflection(const Grid *g, float young, Steps steps, float seconds) {
    double length = free_length(g), force = 3.0 * BAR_EI((double)young) * 0.01 / pow(length, 3.0);
    float rest = g->positions[g->count - 1].y;
    SnVec3 tip = pulled_tip(g, sn_vec3(0.0f, -(float)force, 0.0f), steps, seconds);
    return (double)(rest - tip.y) / 0.01;
}

// Of F L³/(3 E I). One row is an ellipse's second moment for a square's, several have the rest of it.
static void test_a_bar_bends_as_beams_do_whatever_it_is_made_of(void **state) {
    (void)state;
    const int grids[][2] = {{10, 1}, {20, 1}, {40, 1}, {10, 2}, {20, 3}};
    const double expected[] = {1.082, 1.085, 1.085, 1.022, 1.0135};
    for (int k = 0; k < 5; ++k) {
        Grid *g = bar_grid(grids[k][0], grids[k][1], 1e6f);
        assert_near(deflection(g, 1e6f, usual, 6.0f), expected[k], 0.005);
    }
    Grid *steel = bar_grid(20, 1, 2e11f);
    assert_near(deflection(steel, 2e11f, usual, 6.0f), 1.085, 0.005);
}

static void test_deflection_does_not_depend_on_steps_or_iterations(void **state) {
    (void)state;
    const Steps steps[] = {{DT, 10, 1}, {DT, 10, 10},          {DT, 10, 100},        {DT, 10, 1000},
                           {DT, 1, 1},  {1.0f / 30.0f, 10, 1}, {1.0f / 120.0f, 1, 1}};
    Grid *g = bar_grid(20, 1, 1e6f);
    double first = deflection(g, 1e6f, steps[0], 6.0f);
    for (int k = 1; k < 7; ++k)
        assert_near(deflection(g, 1e6f, steps[k], 6.0f), first, 1e-3);
}

// The torsion of a square section is G J, G = E/2 and J = 0.1406 a⁴.
static void test_a_bar_twists(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    Grid *g = bar_grid(20, 1, 1e6f);
    SnBodyId bar = held_bar(world, g);
    double torque = 0.05 * 0.5e6 * 0.1406e-4 / free_length(g);
    for (int n = 0; n < 240; ++n) {
        assert_ok(sn_body_add_torque(world, bar, 19, sn_vec3((float)torque, 0.0f, 0.0f)));
        sn_world_step(world, DT, 10, 1);
    }
    SnQuat frames[20];
    SnBodyState out = {.frames = frames};
    assert_ok(sn_body_read(world, bar, &out));
    assert_near(2.0 * (double)frames[19].x / 0.05, 0.913, 0.005);
    sn_world_destroy(world);
}

static double size3(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

static void test_free_flight_keeps_momenta_and_gains_no_energy(void **state) {
    (void)state;
    const float modulus[] = {1e4f, 1e6f, 1e9f, 2e11f};
    for (int k = 0; k < 8; ++k) {
        SnWorld *world = weightless_world();
        Grid *g = bar_grid(8, 1 + k % 3, modulus[k % 4]);
        g->def.material.damping = k < 4 ? 0.0f : 0.02f;
        g->def.velocity = sn_vec3(1.0f, 2.0f, -1.0f);
        g->def.angular_velocity = sn_vec3(2.0f, 7.0f, -4.0f);
        SnBodyId body = add_solid(world, g);
        // A blow at one particle excites what is faster than a sub-step, which is lost.
        if (k >= 4)
            assert_ok(sn_body_add_impulse(world, body, 1, sn_vec3(0.2f, -0.5f, 0.1f)));
        SnMeasures before = sn_world_measure(world), last = before;
        double energy = before.energy_kinetic + before.energy_elastic;
        for (int n = 0; n < 180; ++n) {
            assert_int_equal(sn_world_step(world, DT, 10, 1), 0);
            last = sn_world_measure(world);
            double now = last.energy_kinetic + last.energy_elastic;
            assert_below(now, energy * (1.0 + 1e-5));
        }
        for (int c = 0; c < 3; ++c) {
            assert_near(last.momentum[c], before.momentum[c], 1e-7 * size3(before.momentum));
            assert_near(last.angular_momentum[c], before.angular_momentum[c],
                        1e-5 * size3(before.angular_momentum));
        }
        // The softest is stretched so far that it is of first order.
        if (k > 0 && k < 4)
            assert_true(last.energy_kinetic + last.energy_elastic > 0.97 * energy);
        sn_world_destroy(world);
    }
}

// A cantilever that is let go: how much of the first mode is left, and how fast it is.
static void test_vibrations_last(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    Grid *g = bar_grid(20, 1, 1e6f);
    g->def.material.damping = 0.0f;
    SnBodyId bar = held_bar(world, g);
    for (int n = 0; n < 600; ++n) {
        SnVec3 force = sn_vec3(0.0f, -0.5f * fminf((float)n / 500.0f, 1.0f), 0.0f);
        assert_ok(sn_body_add_force(world, bar, 19, force));
        sn_world_step(world, DT, 10, 1);
    }
    float rest = g->positions[19].y, most[2] = {0.0f, 0.0f};
    int crossings = 0;
    bool above = false;
    for (int n = 0; n < 600; ++n) {
        sn_world_step(world, DT, 10, 1);
        float y = particle_at(world, bar, 19).y - rest;
        crossings += n > 0 && (y > 0.0f) != above;
        above = y > 0.0f;
        float *m = &most[n >= 480];
        *m = fmaxf(*m, fabsf(y));
    }
    // f₁ = 1.875²/(2π L²) √(EI/(ρA)), 0.51 Hz with half a cell of the bar held.
    double f = 3.516 / (2.0 * SUPPORT_PI * pow(0.975, 2.0)) * sqrt(BAR_EI(1e6) / 1.085 / 10.0);
    assert_near(0.5 * crossings / 10.0, f, 0.05 * f);
    assert_true(most[1] > 0.97f * most[0]);
    sn_world_destroy(world);
}

// Any material, size, step and damping.
static void test_nothing_explodes_at_any_stiffness(void **state) {
    (void)state;
    Rng rng = {31};
    for (int k = 0; k < 60; ++k) {
        SnWorld *world = heavy_world();
        float length = rng_log(&rng, 1e-3, 1.0);
        int nx = rng_int(&rng, 2, 8), ny = rng_int(&rng, 1, 2);
        SnVec3 size = sn_vec3(length, 0.2f * length * (float)ny, 0.2f * length);
        Grid *g = grid_of(nx, ny, 1, size, sn_vec3(0.0f, 0.0f, 0.0f));
        g->def.material.young = rng_log(&rng, 1e4, 2e11);
        g->def.material.density = rng_log(&rng, 100.0, 8000.0);
        g->def.material.damping = k % 3 == 0 ? 0.0f : rng_log(&rng, 1e-4, 100.0);
        g->def.filter.mask = 0;
        SnBodyId body = add_solid(world, g);
        hold_particle(world, body, 0);
        float dt = rng_log(&rng, 1e-3, 1.0 / 30.0);
        SnMeasures first = sn_world_measure(world);
        double energy = first.energy_gravity + first.energy_elastic;
        double scale = first.mass * GRAVITY * (double)length;
        for (int n = 0; n < 240; ++n) {
            assert_int_equal(sn_world_step(world, dt, 10, 1), 0);
            SnMeasures m = sn_world_measure(world);
            double now = m.energy_gravity + m.energy_elastic + m.energy_kinetic;
            assert_below(now, energy + 0.01 * scale);
        }
        sn_world_destroy(world);
    }
}

static void test_reactions_bear_the_weight(void **state) {
    (void)state;
    SnWorld *world = heavy_world();
    Grid *g = bar_grid(10, 1, 1e6f);
    SnBodyId bar = add_solid(world, g);
    SnAttachmentId ids[2];
    for (int k = 0; k < 2; ++k) {
        SnAttachmentDef def = sn_default_attachment_def();
        def.body = bar;
        def.kind = k == 0 ? SN_ATTACH_VERTEX : SN_ATTACH_SEGMENT;
        assert_ok(sn_attachment_create(world, &def, &ids[k]));
    }
    for (int n = 0; n < 600; ++n)
        sn_world_step(world, DT, 10, 1);
    SnReaction force, torque;
    assert_ok(sn_attachment_reaction(world, ids[0], &force));
    assert_ok(sn_attachment_reaction(world, ids[1], &torque));
    assert_near(force.force.y, 10.0 * GRAVITY, 0.05);
    // Of nine tenths of it, on the mean as far away as the particles are now.
    SnVec3 x[10];
    SnBodyState out = {.positions = x};
    assert_ok(sn_body_read(world, bar, &out));
    double moment = 0.0;
    for (int i = 1; i < 10; ++i)
        moment += GRAVITY * (double)(x[i].x - x[0].x);
    assert_near(torque.torque.z, moment, 0.01 * moment);
    sn_world_destroy(world);
}

// A bar that is pulled by a hundredth yields at a thousandth, and breaks at a fiftieth.
static void test_edges_yield_and_break(void **state) {
    (void)state;
    for (int k = 0; k < 2; ++k) {
        SnWorld *world = weightless_world();
        Grid *g = bar_grid(10, 1, 1e6f);
        g->def.material.damping = 0.01f;
        g->def.material.yield = k == 0 ? 1e3f : 0.0f;
        g->def.material.strength = 2e4f;
        SnBodyId bar = held_bar(world, g);
        float strains[9], force = k == 0 ? 1e6f * 1e-2f * 0.0012f : 1e6f * 1e-2f * 0.021f;
        for (int n = 0; n < 240; ++n) {
            // Slowly, so that nothing swings.
            if (n < 120)
                assert_ok(
                    sn_body_add_force(world, bar, 9, sn_vec3(force * (float)n / 119.0f, 0, 0)));
            sn_world_step(world, DT, 10, 1);
        }
        assert_ok(sn_solid_edges(world, bar, NULL, strains));
        int broken = 0;
        for (int e = 0; e < 9; ++e)
            broken += strains[e] == -1.0f;
        float left = particle_at(world, bar, 9).x - g->positions[9].x;
        if (k == 0) {
            assert_int_equal(broken, 0);
            assert_true(left > 1e-3f);
        } else {
            assert_true(broken > 0 && left > 0.05f);
        }
        sn_world_destroy(world);
    }
}

static void test_bad_definitions_are_refused(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    Grid *g = grid_of(3, 1, 1, sn_vec3(0.3f, 0.1f, 0.1f), sn_vec3(0.0f, 0.0f, 0.0f));
    SnSolidDef good = g->def, def = (SnSolidDef){0};
    assert_error(sn_solid_create(NULL, &good, NULL), SN_ERROR_INVALID, "world");
    assert_error(sn_solid_create(world, NULL, NULL), SN_ERROR_INVALID, "def");
    assert_error(sn_solid_create(world, &def, NULL), SN_ERROR_INVALID, "sn_default_solid_def");
#define REFUSED(change, code, part)                                                                \
    do {                                                                                           \
        def = good;                                                                                \
        change;                                                                                    \
        assert_error(sn_solid_create(world, &def, NULL), code, part);                              \
    } while (0)
    REFUSED(def.particle_count = 0, SN_ERROR_INVALID, "particle_count");
    REFUSED(def.particle_count = 1 << 20, SN_ERROR_LIMIT, "particle_count");
    REFUSED(def.positions = NULL, SN_ERROR_INVALID, "positions");
    REFUSED(def.radii = NULL, SN_ERROR_INVALID, "radii");
    REFUSED(def.edges = NULL, SN_ERROR_INVALID, "edges");
    REFUSED(def.edge_count = -1, SN_ERROR_INVALID, "edge_count");
    REFUSED(def.material.young = -1.0f, SN_ERROR_INVALID, "young");
    REFUSED(def.material.young = NAN, SN_ERROR_INVALID, "young");
    REFUSED(def.material.density = 0.0f, SN_ERROR_INVALID, "density");
    REFUSED(def.material.damping = -1.0f, SN_ERROR_INVALID, "damping");
    REFUSED(def.velocity.x = NAN, SN_ERROR_INVALID, "velocity");
    REFUSED(def.origin[1] = NAN, SN_ERROR_INVALID, "origin");
    SnVec3 same[3] = {{0}}, thin[3] = {{0.1f, 0.1f, 0.0f}, {0.1f, 0.1f, 0.1f}, {0.1f, 0.1f, 0.1f}};
    float volumes[3] = {1.0f, -1.0f, 1.0f};
    float areas[2] = {1.0f, -1.0f};
    const int wrong[1][2] = {{0, 3}}, self[1][2] = {{1, 1}}, twice[2][2] = {{0, 1}, {1, 0}};
    SnQuat turns[3] = {{0}};
    REFUSED(def.positions = same, SN_ERROR_INVALID, "same place");
    REFUSED(def.radii = thin, SN_ERROR_INVALID, "radii[0]");
    REFUSED(def.volumes = volumes, SN_ERROR_INVALID, "volumes[1]");
    REFUSED((def.edges = wrong, def.edge_count = 1), SN_ERROR_INVALID, "edges[0]");
    REFUSED((def.edges = self, def.edge_count = 1), SN_ERROR_INVALID, "edges[0]");
    REFUSED(def.edges = twice, SN_ERROR_INVALID, "0 and 1 are joined by another edge, too");
    REFUSED(def.areas = areas, SN_ERROR_INVALID, "areas[1]");
    REFUSED(def.rotations = turns, SN_ERROR_INVALID, "rotations[0]");
    SnBodyId body = add_solid(world, g);
    SnSolidMaterial material = sn_default_solid_material();
    material.young = NAN;
    assert_error(sn_solid_set_material(world, body, &material), SN_ERROR_INVALID, "young");
    assert_error(sn_solid_set_material(world, (SnBodyId){9, 9}, &material), SN_ERROR_STALE, "");
    assert_int_equal(sn_body_kind(world, body), SN_BODY_SOLID);
    assert_int_equal(sn_solid_edge_count(world, body), 2);
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_bar_stretches_as_youngs_modulus_says),
        cmocka_unit_test(test_a_bar_bends_as_beams_do_whatever_it_is_made_of),
        cmocka_unit_test(test_deflection_does_not_depend_on_steps_or_iterations),
        cmocka_unit_test(test_a_bar_twists),
        cmocka_unit_test(test_free_flight_keeps_momenta_and_gains_no_energy),
        cmocka_unit_test(test_vibrations_last),
        cmocka_unit_test(test_nothing_explodes_at_any_stiffness),
        cmocka_unit_test(test_reactions_bear_the_weight),
        cmocka_unit_test(test_edges_yield_and_break),
        cmocka_unit_test(test_bad_definitions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
