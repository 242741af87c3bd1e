// Stiff rods that are held twice, or held and touched: both holds hold, what is between them stretches as
// E A says and bears the tension, energy is not made, and what cannot evade what it is held in rests.
#include "stiff_kit.h"

#define SEGMENTS 20

typedef struct Strand {
    double young, radius, slack, damping, drag;
    bool clamped;
} Strand;

static double energy_of(SnWorld *world) {
    SnMeasures m = sn_world_measure(world);
    return m.energy_kinetic + m.energy_elastic + m.energy_gravity;
}

// 1 m long and straight at rest, over two legs that span less by `slack`.
static SnBodyId add_strand(SnWorld *world, const Strand *s, SnVec3 *x, SnAttachmentId *last) {
    double half = 0.5 * (1.0 - s->slack), sag = sqrt(fmax(0.25 - half * half, 0.0));
    for (int i = 0; i <= SEGMENTS; ++i) {
        double t = 2.0 * i / SEGMENTS;
        x[i] = sn_vec3((float)(t * half), (float)(-sag * (t < 1.0 ? t : 2.0 - t)), 0.0f);
    }
    SnRodDef def = stiff_def(x, SEGMENTS + 1, (float)s->radius);
    def.straight = s->slack > 0.0;
    def.material.young = (float)s->young;
    def.material.damping = (float)s->damping;
    def.material.drag = (float)s->drag;
    SnBodyId rod = add_rod(world, &def);
    for (int end = 0; end < 2; ++end) {
        SnAttachmentDef hold = sn_default_attachment_def();
        hold.body = rod;
        hold.kind = SN_ATTACH_VERTEX;
        hold.index = end * SEGMENTS;
        assert_ok(sn_attachment_create(world, &hold, last));
        if (s->clamped)
            pin(world, rod, SN_ATTACH_SEGMENT, end * (SEGMENTS - 1));
    }
    return rod;
}

static double off_by(const SnWorld *world, SnBodyId rod, int vertex, SnVec3 at) {
    return distance(vertex_at(world, rod, vertex), at);
}

// A rope of weight w between two hinges at its own length: it is longer by T/(E A), and hangs as a shallow
// parabola, T = w L²/(8 sag), length L (1 + 8/3 (sag/L)²).
static void strands_stretch_and_both_holds_hold(void **state) {
    (void)state;
    for (int k = 0; k < 12; ++k) {
        static const double moduli[3] = {1e6, 1e7, 1e9}, radii[2] = {0.002, 0.01};
        Strand s = {.young = moduli[k % 3],
                    .radius = radii[k / 3 % 2],
                    .damping = 0.1,
                    .drag = 2.0,
                    .clamped = k >= 6};
        SnVec3 x[SEGMENTS + 1];
        SnWorld *world = heavy_world();
        SnAttachmentId last;
        SnBodyId rod = add_strand(world, &s, x, &last);
        run_steps(world, 300, 10);
        for (int end = 0; end < 2; ++end)
            assert_below(off_by(world, rod, end * SEGMENTS, x[end * SEGMENTS]), 1e-3 * s.radius);
        assert_below(measures_of(world, rod).speed_max, 1e-3);
        SnReaction reaction;
        assert_ok(sn_attachment_reaction(world, last, &reaction));
        double stiffness = s.young * round_area(s.radius), tension = (double)reaction.force.x;
        double sag = -(double)vertex_at(world, rod, SEGMENTS / 2).y;
        double weight = rod_mass(world, rod) * GRAVITY;
        if (!s.clamped && s.radius < 0.005) {
            // The stiffest bears a twentieth of its weight by bending.
            assert_near(tension * sag * 8.0 / weight, 1.0, 0.06);
            assert_near(8.0 / 3.0 * sag * sag / (tension / stiffness), 1.0, 0.05);
        }
        sn_world_destroy(world);
    }
}

// Led away and back, the second hold takes the end along, at any tension.
static void a_led_hold_takes_the_end_along(void **state) {
    (void)state;
    for (int k = 0; k < 6; ++k) {
        static const double moduli[3] = {1e6, 1e8, 2e11};
        Strand s = {moduli[k % 3], 0.005, 0.02, 0.02, 1.0, k >= 3};
        SnVec3 x[SEGMENTS + 1];
        SnWorld *world = heavy_world();
        SnAttachmentId last;
        SnBodyId rod = add_strand(world, &s, x, &last);
        double worst = 0.0;
        for (int n = 0; n < 240; ++n) { // stretched by 1 %, then slack again
            double way = n < 120 ? n / 120.0 : (240.0 - n) / 120.0;
            SnVec3 to = sn_vec3(x[SEGMENTS].x + (float)(0.03 * way), 0.0f, 0.0f);
            assert_ok(sn_attachment_set_target(world, last, to, sn_quat_identity(), 1.0f));
            assert_int_equal(sn_world_step(world, DT, 10, 1), SN_STEP_OK);
            worst = fmax(worst, off_by(world, rod, SEGMENTS, to));
        }
        if (!(worst < 0.05 * s.radius))
            fail_msg("E = %g: the end is %g m from where it is held", s.young, worst);
        sn_world_destroy(world);
    }
}

// Nothing of it, and with damping less of it in every step until they rest.
static void strands_make_no_energy(void **state) {
    (void)state;
    for (int k = 0; k < 12; ++k) {
        static const double slacks[3] = {0.0, 0.001, 0.1};
        Strand s = {1e6, 0.01, slacks[k / 2 % 3], k % 2 == 0 ? 0.0 : 0.1, 0.0, k >= 6};
        SnVec3 x[SEGMENTS + 1];
        SnWorld *world = heavy_world();
        SnAttachmentId last;
        add_strand(world, &s, x, &last);
        double first = energy_of(world), before = first, most = 0.0, growth = 0.0, moves = 0.0;
        for (int n = 0; n < 300; ++n) {
            run_steps(world, 1, 10);
            double now = energy_of(world);
            most = fmax(most, now - first);
            growth = fmax(growth, now - before);
            moves = fmax(moves, sn_world_measure(world).energy_kinetic);
            before = now;
        }
        if (!(most < 0.005 * moves && (s.damping == 0.0 || growth < 1e-6 * moves)))
            fail_msg("slack %g: %g J gained, %g J in a step, of %g J", s.slack, most, growth,
                     moves);
        if (s.damping > 0.0)
            assert_below(sn_world_measure(world).speed_max, 0.01);
        sn_world_destroy(world);
    }
}

// A strand under tension that is let go at one end has no more than it had.
static void letting_go_is_no_blow(void **state) {
    (void)state;
    for (int released = 0; released < 2; ++released) {
        Strand s = {1e7, 0.005, 0.0, 0.0, 0.0, false};
        SnVec3 x[SEGMENTS + 1];
        SnWorld *world = make_world(sn_vec3(0.0f, 0.0f, 0.0f));
        SnAttachmentId last;
        SnBodyId rod = add_strand(world, &s, x, &last);
        for (int n = 0; n <= 60; ++n) {
            SnVec3 to = sn_vec3(1.0f + 0.01f * (float)n / 60.0f, 0.0f, 0.0f);
            assert_ok(sn_attachment_set_target(world, last, to, sn_quat_identity(), 1.0f));
            run_steps(world, 1, 10);
        }
        double before = energy_of(world), stiffness = s.young * round_area(s.radius);
        assert_near(before / (0.5 * stiffness * 1e-4), 1.0, 0.02);
        SnAttachmentId first = sn_world_next_attachment(world, (SnAttachmentId){0});
        assert_ok(sn_attachment_destroy(world, released == 0 ? first : last));
        run_steps(world, 1, 10);
        assert_below(energy_of(world), before);
        assert_below(measures_of(world, rod).stretch_max, 1e-6);
        sn_world_destroy(world);
    }
}

// What is held too low over a floor stays there, and the rod rests, however stiff it is.
static void rods_that_cannot_evade_a_floor_rest(void **state) {
    (void)state;
    for (int k = 0; k < 12; ++k) {
        static const double moduli[3] = {1e7, 1e9, 2e11}, heights[2] = {0.9, 0.3};
        static const int vertices[2] = {5, 2};
        const double radius = 0.02;
        SnVec3 x[11];
        for (int i = 0; i <= 10; ++i)
            x[i] = sn_vec3(0.1f * (float)i, (float)(heights[k / 3 % 2] * radius), 0.0f);
        SnWorld *world = heavy_world();
        add_floor(world, 0.0f, 0.5f);
        SnRodDef def = stiff_def(x, 11, (float)radius);
        def.filter.mask = ~0u;
        def.material.young = (float)moduli[k % 3];
        def.material.damping = 0.01f;
        SnBodyId rod = add_rod(world, &def);
        pin(world, rod, SN_ATTACH_VERTEX, vertices[k / 6]);
        run_steps(world, 150, 10);
        double speed = measures_of(world, rod).speed_max;
        if (!(speed < 0.01))
            fail_msg("E = %g, at %g radii: %g m/s", (double)def.material.young, heights[k / 3 % 2],
                     speed);
        sn_world_destroy(world);
    }
}

// The two ends of one segment, led apart: it cannot be at both.
static void holds_that_contradict_each_other_are_named(void **state) {
    (void)state;
    SnVec3 x[2] = {{0.0f, 0.0f, 0.0f}, {0.1f, 0.0f, 0.0f}};
    SnWorld *world = heavy_world();
    SnRodDef def = stiff_def(x, 2, 0.005f);
    SnBodyId rod = add_rod(world, &def);
    pin(world, rod, SN_ATTACH_VERTEX, 0);
    SnAttachmentDef hold = sn_default_attachment_def();
    SnAttachmentId last;
    hold.body = rod;
    hold.kind = SN_ATTACH_VERTEX;
    hold.index = 1;
    assert_ok(sn_attachment_create(world, &hold, &last));
    assert_int_equal(sn_world_step(world, DT, 10, 1), SN_STEP_OK);
    assert_ok(sn_attachment_set_target(world, last, sn_vec3(0.15f, 0.0f, 0.0f), sn_quat_identity(),
                                       1.0f));
    assert_int_equal(sn_world_step(world, DT, 10, 1), SN_STEP_APART);
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strands_stretch_and_both_holds_hold),
        cmocka_unit_test(a_led_hold_takes_the_end_along),
        cmocka_unit_test(strands_make_no_energy),
        cmocka_unit_test(letting_go_is_no_blow),
        cmocka_unit_test(rods_that_cannot_evade_a_floor_rest),
        cmocka_unit_test(holds_that_contradict_each_other_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
