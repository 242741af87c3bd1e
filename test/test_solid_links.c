// Links of solids: weights against statics, rods that pull at solids and are pulled by them, momenta of what flies tied.
#include "rigid_kit.h"
#include "solid_kit.h"

static Grid *bar_grid(int nx, float young) {
    Grid *g = grid_of(nx, 1, 1, sn_vec3(1.0f, 0.1f, 0.1f), sn_vec3(0.0f, 0.0f, 0.0f));
    g->def.material.young = young;
    g->def.material.damping = 0.3f;
    g->def.filter.mask = 0;
    return g;
}

static SnLinkId tie(SnWorld *world, SnBodyPoint a, SnBodyPoint b, float length) {
    SnLinkDef def = sn_default_link_def();
    SnLinkId id;
    def.a = a;
    def.b = b;
    def.length = length;
    assert_ok(sn_link_create(world, &def, &id));
    return id;
}

static SnBodyId add_weight(SnWorld *world, SnVec3 at, float mass) {
    SnRigidPart part;
    SnRigidDef def = ball_def(&part, at, 0.05f);
    def.mass = mass;
    def.filter.mask = 0;
    return add_rigid(world, &def);
}

static SnBodyId add_rope(SnWorld *world, SnVec3 from, SnVec3 to, bool stiff) {
    static SnVec3 x[11];
    for (int i = 0; i <= 10; ++i) {
        float t = 0.1f * (float)i;
        x[i] = sn_vec3_add(sn_vec3_scale(from, 1.0f - t), sn_vec3_scale(to, t));
    }
    SnRodDef def = sn_default_rod_def();
    def.positions = x;
    def.vertex_count = 11;
    def.radius = 0.01f;
    def.stiff = stiff;
    def.material.young = 1e9f;
    def.material.damping = 0.05f;
    def.filter.mask = 0;
    return add_rod(world, &def);
}

// The gap of a link, m, and its force on a.
static double gap_of(const SnWorld *world, SnLinkId link) {
    float gap;
    assert_ok(sn_link_gap(world, link, &gap));
    return (double)gap;
}

static SnVec3 force_of(const SnWorld *world, SnLinkId link) {
    SnVec3 force;
    assert_ok(sn_link_force(world, link, &force));
    return force;
}

// Sag of a cantilever under a force on its tip, and under weights of up to a hundred times its own that hang there: F L³/3EI
// is the same for both.
static void test_weights_bend_a_bar_as_forces_do(void **state) {
    (void)state;
    const float masses[] = {1.0f, 10.0f, 1000.0f};
    for (int k = 0; k < 3; ++k) {
        double sag[2];
        for (int linked = 0; linked < 2; ++linked) {
            SnWorld *world = heavy_world();
            Grid *g = bar_grid(10, 4e6f * masses[k]);
            g->def.gravity_scale = 0.0f;
            SnBodyId bar = add_solid(world, g);
            SnVec3 tip = g->positions[9];
            SnLinkId link = {0, 0};
            hold_particle(world, bar, 0);
            if (linked)
                link = tie(world, (SnBodyPoint){bar, 9, 0.0f},
                           (SnBodyPoint){add_weight(world, tip, masses[k]), 0, 0.0f}, 0.0f);
            for (int n = 0; n < 300; ++n) {
                if (!linked)
                    assert_ok(sn_body_add_force(world, bar, 9,
                                                sn_vec3(0.0f, -masses[k] * (float)GRAVITY, 0.0f)));
                assert_int_equal(sn_world_step(world, DT, 10, 1), SN_STEP_OK);
                if (linked)
                    assert_below(fabs(gap_of(world, link)), 1e-4);
            }
            sag[linked] = (double)(tip.y - particle_at(world, bar, 9).y);
            if (linked)
                assert_near((double)force_of(world, link).y / (-GRAVITY * (double)masses[k]), 1.0,
                            2e-3);
            sn_world_destroy(world);
        }
        assert_near(sag[1] / sag[0], 1.0, 2e-3);
    }
}

// A block of 27 kg hangs on a rod of a tenth of that: the link bears the block, the peg both, and neither sinks.
static void test_a_rod_holds_a_solid_and_the_solid_pulls_the_rod(void **state) {
    (void)state;
    for (int stiff = 0; stiff < 2; ++stiff) {
        SnWorld *world = heavy_world();
        Grid *g = grid_of(3, 3, 3, sn_vec3(0.3f, 0.3f, 0.3f), sn_vec3(-0.15f, -0.15f, -0.15f));
        g->def.filter.mask = 0;
        g->def.material.damping = 0.1f;
        SnBodyId block = add_solid(world, g);
        // From particle 16, in the middle of the upper side, up.
        SnVec3 from = g->positions[16];
        SnBodyId rope = add_rope(world, from, sn_vec3_add(from, sn_vec3(0.0f, 1.0f, 0.0f)), stiff);
        SnAttachmentDef peg = sn_default_attachment_def();
        SnAttachmentId held;
        peg.body = rope;
        peg.index = 10;
        assert_ok(sn_attachment_create(world, &peg, &held));
        SnLinkId link =
            tie(world, (SnBodyPoint){block, 16, 0.0f}, (SnBodyPoint){rope, 0, 0.0f}, 0.0f);
        SnMeasures m = sn_world_measure(world);
        for (int n = 0; n < 300; ++n) {
            assert_int_equal(sn_world_step(world, DT, 10, 1), SN_STEP_OK);
            assert_below(fabs(gap_of(world, link)), 1e-5);
        }
        assert_near((double)force_of(world, link).y / (27.0 * GRAVITY), 1.0, 0.01);
        SnReaction reaction;
        assert_ok(sn_attachment_reaction(world, held, &reaction));
        assert_near((double)reaction.force.y / (m.mass * GRAVITY), 1.0, 0.02);
        sn_world_destroy(world);
    }
}

// Two solids and a rod between them fly off, tied; nothing outside touches them.
static void test_what_flies_tied_keeps_its_momenta(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    Grid *g = bar_grid(6, 1e6f);
    g->def.velocity = sn_vec3(0.0f, 1.0f, 0.0f);
    SnBodyId a = add_solid(world, g);
    SnVec3 end = g->positions[5];
    g = bar_grid(6, 1e6f);
    for (int i = 0; i < g->count; ++i)
        g->positions[i].x += 2.0f;
    g->def.velocity = sn_vec3(0.0f, -1.0f, 0.5f);
    SnBodyId b = add_solid(world, g);
    SnBodyId rope = add_rope(world, end, g->positions[0], false);
    tie(world, (SnBodyPoint){a, 5, 0.0f}, (SnBodyPoint){rope, 0, 0.0f}, 0.0f);
    SnLinkId link = tie(world, (SnBodyPoint){rope, 9, 1.0f}, (SnBodyPoint){b, 0, 0.0f}, 0.0f);
    SnMeasures before = sn_world_measure(world);
    for (int n = 0; n < 120; ++n) {
        assert_int_equal(sn_world_step(world, DT, 10, 1), SN_STEP_OK);
        assert_below(fabs(gap_of(world, link)), 1e-3);
    }
    SnMeasures after = sn_world_measure(world);
    double size = 0.0;
    for (int c = 0; c < 3; ++c)
        size = fmax(size, fabs(before.angular_momentum[c]));
    for (int c = 0; c < 3; ++c) {
        assert_near(after.momentum[c], before.momentum[c], 1e-3 * before.mass);
        // Implicit Euler loses some of what turns.
        assert_near(after.angular_momentum[c], before.angular_momentum[c], 0.1 * size);
    }
    assert_below(after.energy_kinetic, before.energy_kinetic * 1.0001);
    sn_world_destroy(world);
}

// A string of ten soft blocks, each tied to the next by a link with a length, hangs as long as its parts are.
static void test_a_chain_of_solids_hangs(void **state) {
    (void)state;
    SnWorld *world = heavy_world();
    SnBodyId last = {0, 0}, first = {0, 0};
    SnLinkId link = {0, 0};
    for (int k = 0; k < 10; ++k) {
        Grid *g =
            grid_of(2, 2, 2, sn_vec3(0.1f, 0.1f, 0.1f), sn_vec3(0.0f, -0.2f * (float)k, 0.0f));
        g->def.filter.mask = 0;
        g->def.material.young = 1e6f;
        SnBodyId block = add_solid(world, g);
        if (k > 0)
            link = tie(world, (SnBodyPoint){last, 0, 0.0f}, (SnBodyPoint){block, 2, 0.0f},
                       SN_LINK_KEEP);
        else
            first = block;
        last = block;
    }
    hold_particle(world, first, 2);
    for (int n = 0; n < 240; ++n)
        assert_int_equal(sn_world_step(world, DT, 10, 1), SN_STEP_OK);
    assert_near((double)sn_vec3_length(force_of(world, link)) / GRAVITY, 1.0, 0.01);
    assert_below(fabs(gap_of(world, link)), 1e-4);
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights_bend_a_bar_as_forces_do),
        cmocka_unit_test(test_a_rod_holds_a_solid_and_the_solid_pulls_the_rod),
        cmocka_unit_test(test_what_flies_tied_keeps_its_momenta),
        cmocka_unit_test(test_a_chain_of_solids_hangs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
