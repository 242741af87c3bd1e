// What is light and carries something heavy over a link: contacts bear the weight of both (link_hold.c). What hangs on
// it lies lower or higher than it would alone, so that all of the weight of an end rests on the light one.
#include "rigid_kit.h"

#define LIGHT_RADIUS 0.02f // m
#define HEAVY_RADIUS 0.018f
#define LENGTH 0.06f // of pills
#define SEGMENTS 8

typedef enum Kind { VOLUME, CLASSIC, STIFF, RIGID, CHAIN, KINDS } Kind;
static const char *const NAMES[KINDS] = {"volume", "classic", "stiff", "rigid", "chain of rigid"};

static SnBodyId add_pill(SnWorld *world, float from, float height, float radius, float mass) {
    SnRigidPart part =
        sn_rigid_pill(sn_vec3(0.0f, 0.0f, 0.0f), sn_vec3(LENGTH, 0.0f, 0.0f), radius);
    SnRigidDef def = sn_default_rigid_def();
    def.part_count = 1;
    def.parts = &part;
    def.mass = mass;
    def.pose.position = sn_vec3(from, height, 0.0f);
    return add_rigid(world, &def);
}

static void tie(SnWorld *world, SnBodyId a, SnBodyId b) {
    SnLinkDef def = sn_default_link_def();
    SnLinkId id;
    def.length = 0.0f;
    def.a = (SnBodyPoint){a, sn_body_element_count(world, a) - 1, 1.0f};
    def.b = (SnBodyPoint){b, 0, 0.0f};
    assert_ok(sn_link_create(world, &def, &id));
}

static double mass_of(SnWorld *world, SnBodyId id) {
    SnMeasures m;
    assert_ok(sn_body_measure(world, id, &m));
    return m.mass;
}

// The light one along x up to 0, and what hangs on it behind, `ratio` times as heavy.
static SnBodyId add_pair(SnWorld *world, Kind kind, float height, double ratio) {
    SnVec3 x[SEGMENTS + 1];
    SnBodyId light;
    if (kind >= RIGID) {
        light = add_pill(world, -LENGTH, height, LIGHT_RADIUS, 0.05f);
        if (kind == CHAIN) {
            SnBodyId first = add_pill(world, -2.0f * LENGTH, height, LIGHT_RADIUS, 0.05f);
            tie(world, first, light);
        }
    } else {
        for (int i = 0; i <= SEGMENTS; ++i)
            x[i] = sn_vec3(0.03f * (float)(i - SEGMENTS), height, 0.0f);
        SnRodDef def = sn_default_rod_def();
        def.vertex_count = SEGMENTS + 1;
        def.positions = x;
        def.radius = LIGHT_RADIUS;
        def.material.young = 1e8f;
        def.classic = kind == CLASSIC;
        def.stiff = kind == STIFF;
        light = add_rod(world, &def);
    }
    float mass = (float)(ratio * mass_of(world, light));
    SnBodyId heavy = add_pill(world, 0.0f, height, HEAVY_RADIUS, mass);
    tie(world, light, heavy);
    return heavy;
}

static double deepest(SnWorld *world) {
    SnContactEvents events = sn_world_contact_events(world);
    double overlap = 0.0;
    for (int k = 0; k < events.contact_count; ++k)
        overlap = fmax(overlap, -(double)events.contacts[k].gap);
    return overlap;
}

static void heavy_ends_rest_on_light_bodies(void **state) {
    (void)state;
    static const double ratios[] = {30.0, 170.0};
    for (Kind kind = VOLUME; kind < KINDS; ++kind)
        for (int r = 0; r < 2; ++r) {
            SnWorld *world = heavy_world();
            add_floor(world, 0.0f, 0.5f);
            add_pair(world, kind, 0.1f, ratios[r]);
            run_steps(world, 360, 10);
            double fastest = 0.0;
            for (int n = 0; n < 60; ++n) {
                run_steps(world, 1, 10);
                fastest = fmax(fastest, sn_world_measure(world).speed_max);
            }
            double overlap = deepest(world);
            if (!(fastest < 0.02) || !(overlap < 0.05 * (double)HEAVY_RADIUS))
                fail_msg("%s, %.0f times: %.3g m/s, overlap %.3g m", NAMES[kind], ratios[r],
                         fastest, overlap);
            sn_world_destroy(world);
        }
}

// The light one hangs on a point and the heavy one on it, level at first.
static void heavy_pills_swing_on_light_ones(void **state) {
    (void)state;
    for (float ratio = 10.0f; ratio < 2000.0f; ratio *= 10.0f) {
        SnWorld *world = heavy_world();
        SnBodyId light = add_pill(world, -LENGTH, 1.0f, 0.01f, 0.01f);
        SnBodyId heavy = add_pill(world, 0.0f, 1.0f, 0.01f, ratio * 0.01f);
        tie(world, light, heavy);
        pin(world, light, SN_ATTACH_VERTEX, 0);
        SnMeasures m = sn_world_measure(world);
        double start = m.energy_gravity, stake = m.mass * 9.81 * (double)LENGTH, most = -1e30;
        for (int n = 0; n < 300; ++n) {
            run_steps(world, 1, 10);
            m = sn_world_measure(world);
            most = fmax(most, m.energy_gravity + m.energy_kinetic);
        }
        if (!(most < start + 0.05 * stake))
            fail_msg("%.0f times: %.3g of %.3g J more", (double)ratio, most - start, stake);
        sn_world_destroy(world);
    }
}

// Two of them meet in the air.
static void momentum_is_kept(void **state) {
    (void)state;
    for (Kind kind = VOLUME; kind < KINDS; ++kind) {
        SnWorld *world = weightless_world();
        add_pair(world, kind, 0.0f, 200.0);
        SnBodyId other = add_pill(world, -0.5f * LENGTH, 0.3f, LIGHT_RADIUS, 20.0f);
        assert_ok(sn_body_add_impulse(world, other, 0, sn_vec3(0.0f, -20.0f, 0.0f)));
        run_steps(world, 1, 10);
        SnMeasures before = sn_world_measure(world);
        for (int n = 0; n < 60; ++n) // the blow may open a link for a moment
            assert_int_equal(step_world(world, 1.0f / 60.0f, 10, 1) & ~SN_STEP_TORN, SN_STEP_OK);
        SnMeasures after = sn_world_measure(world);
        double size = sqrt(2.0 * before.mass * before.energy_kinetic);
        for (int c = 0; c < 3; ++c)
            if (!(fabs(after.momentum[c] - before.momentum[c]) < 1e-5 * size))
                fail_msg("%s: momentum %d from %.6g to %.6g", NAMES[kind], c, before.momentum[c],
                         after.momentum[c]);
        if (!(after.energy_kinetic + after.energy_elastic < 1.001 * before.energy_kinetic))
            fail_msg("%s: energy from %.4g to %.4g J", NAMES[kind], before.energy_kinetic,
                     after.energy_kinetic + after.energy_elastic);
        if (!(after.energy_kinetic < 0.999 * before.energy_kinetic))
            fail_msg("%s: nothing touched", NAMES[kind]);
        sn_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heavy_ends_rest_on_light_bodies),
        cmocka_unit_test(heavy_pills_swing_on_light_ones),
        cmocka_unit_test(momentum_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
