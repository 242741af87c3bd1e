// Links of bodies that are solved as a whole: weights of up to a thousand times the mass of what they hang on, chains
// of rods, swings on two ropes, creatures. What is tied stays tied from the first sub-step on, weights weigh what they
// weigh, and nothing gains energy.
#include "creature_kit.h"
#include "rigid_kit.h"

enum { VOLUME, CLASSIC, STIFF, KINDS };
static const char *const NAMES[] = {"volume", "classic", "stiff"};
#define RADIUS 0.01f
#ifdef __SANITIZE_ADDRESS__
#define EVERY 3 // of many cases: it takes ten times as long
#else
#define EVERY 1
#endif

typedef struct Point {
    SnBodyId body;
    int element;
    float t;
} Point;

static SnBodyId add_rope(SnWorld *world, int kind, SnVec3 from, SnVec3 to, int segments,
                         float young) {
    SnVec3 x[64];
    assert_true(segments < 64);
    for (int i = 0; i <= segments; ++i) {
        float t = (float)i / (float)segments;
        x[i] = sn_vec3(from.x + t * (to.x - from.x), from.y + t * (to.y - from.y),
                       from.z + t * (to.z - from.z));
    }
    SnRodDef def = sn_default_rod_def();
    def.positions = x;
    def.vertex_count = segments + 1;
    def.radius = RADIUS;
    def.classic = kind == CLASSIC;
    def.stiff = kind == STIFF;
    def.material.young = young;
    def.filter.mask = 0;
    return add_rod(world, &def);
}

static void hinge(SnWorld *world, SnBodyId body, int vertex) {
    SnAttachmentDef def = sn_default_attachment_def();
    def.body = body;
    def.index = vertex;
    assert_ok(sn_attachment_create(world, &def, NULL));
}

static SnBodyId add_weight(SnWorld *world, SnVec3 at, double mass) {
    SnRigidPart part;
    SnRigidDef def = ball_def(&part, at, 0.05f);
    def.mass = (float)mass;
    def.filter.mask = 0;
    return add_rigid(world, &def);
}

static SnLinkId tie(SnWorld *world, Point a, Point b) {
    SnLinkDef def = sn_default_link_def();
    def.length = 0.0f;
    def.a = (SnBodyPoint){a.body, a.element, a.t};
    def.b = (SnBodyPoint){b.body, b.element, b.t};
    SnLinkId id;
    assert_ok(sn_link_create(world, &def, &id));
    return id;
}

static SnVec3 place_of(const SnWorld *world, Point p) {
    SnVec3 x[64];
    SnBodyState state = {.positions = x};
    assert_ok(sn_body_read(world, p.body, &state));
    int second = p.t > 0.0f ? p.element + 1 : p.element;
    return sn_vec3(x[p.element].x + p.t * (x[second].x - x[p.element].x),
                   x[p.element].y + p.t * (x[second].y - x[p.element].y),
                   x[p.element].z + p.t * (x[second].z - x[p.element].z));
}

static double gap_between(const SnWorld *world, Point a, Point b) {
    return distance(place_of(world, a), place_of(world, b));
}

static double energy_of(SnWorld *world) {
    SnMeasures m = sn_world_measure(world);
    return m.energy_kinetic + m.energy_elastic + m.energy_gravity;
}

static void weights_hang_by_a_rod(void **state) {
    (void)state;
    const double ratios[] = {0.1, 1.0, 50.0, 1000.0};
    const int segments[] = {5, 30};
    for (int k = 0; k < KINDS * 8; k += EVERY) {
        int kind = k / 8, n = segments[k % 2];
        double ratio = ratios[k / 2 % 4];
        SnWorld *world = heavy_world();
        SnBodyId rod = add_rope(world, kind, sn_vec3(0, 0, 0), sn_vec3(0, -1, 0), n, 1e10f);
        hinge(world, rod, 0);
        double mass = ratio * rod_mass(world, rod);
        Point end = {rod, n - 1, 1.0f}, top = {add_weight(world, sn_vec3(0, -1, 0), mass), 0, 0.0f};
        SnLinkId link = tie(world, end, top);
        double worst = 0.0;
        for (int step = 0; step < 120; ++step) {
            assert_int_equal(sn_world_step(world, DT, 10, 1), SN_STEP_OK);
            worst = fmax(worst, gap_between(world, end, top));
        }
        SnVec3 force;
        assert_ok(sn_link_force(world, link, &force));
        if (!(worst < 1e-4) || !(fabs((double)force.y / (mass * GRAVITY) + 1.0) < 0.01))
            fail_msg("%s, 1:%g, %d segments: open by %g m, bears %g N of %g", NAMES[kind], ratio, n,
                     worst, (double)force.y, mass * GRAVITY);
        sn_world_destroy(world);
    }
}

// From a slant, for three seconds, over the lowest point and up again.
static void swings_gain_no_energy(void **state) {
    (void)state;
    const double ratios[] = {0.2, 5.0, 100.0};
    for (int k = 0; k < KINDS * 3; k += EVERY) {
        int kind = k / 3;
        SnWorld *world = heavy_world();
        Point ends[2], seats[2];
        SnBodyId seat = {0};
        for (int i = 0; i < 2; ++i) {
            float z = 0.4f * (float)i;
            SnBodyId rod =
                add_rope(world, kind, sn_vec3(0, 0, z), sn_vec3(0.6f, -0.8f, z), 12, 1e9f);
            hinge(world, rod, 0);
            if (i == 0) {
                SnRigidPart part = sn_rigid_pill(sn_vec3(0, 0, 0), sn_vec3(0, 0, 0.4f), 0.03f);
                SnRigidDef def = sn_default_rigid_def();
                def.parts = &part;
                def.part_count = 1;
                def.mass = (float)(ratios[k % 3] * rod_mass(world, rod));
                def.pose.position = sn_vec3(0.6f, -0.8f, 0);
                def.filter.mask = 0;
                seat = add_rigid(world, &def);
            }
            ends[i] = (Point){rod, 11, 1.0f};
            seats[i] = (Point){seat, 0, (float)i};
            tie(world, ends[i], seats[i]);
        }
        double start = energy_of(world), highest = start, worst = 0.0, lowest = 0.0;
        SnMeasures m = sn_world_measure(world);
        for (int step = 0; step < 180; ++step) {
            assert_int_equal(sn_world_step(world, DT, 10, 1), SN_STEP_OK);
            highest = fmax(highest, energy_of(world));
            lowest = fmin(lowest, (double)place_of(world, seats[0]).y);
            for (int i = 0; i < 2; ++i)
                worst = fmax(worst, gap_between(world, ends[i], seats[i]));
        }
        double scale = m.mass * GRAVITY;
        if (!(highest - start < 0.002 * scale) || !(worst < 1e-3) || !(lowest < -0.98))
            fail_msg("%s, 1:%g: gained %g m, open by %g m, came down to %g m", NAMES[kind],
                     ratios[k % 3], (highest - start) / scale, worst, lowest);
        sn_world_destroy(world);
    }
}

// Four rods of mixed kinds in a row, and a weight at the end: one wrong force and they fly.
static void chains_of_rods_hold(void **state) {
    (void)state;
    for (int k = 0; k < 9; k += EVERY) {
        SnWorld *world = heavy_world();
        Point before = {0}, ends[5], starts[5];
        double mass = 0.0;
        SnVec3 at = sn_vec3(0, 0, 0);
        for (int i = 0; i < 4; ++i) {
            float side = i % 2 ? -0.1f : 0.15f;
            SnVec3 to = sn_vec3(at.x + side, at.y - 0.2f, at.z);
            SnBodyId rod = add_rope(world, (k + i * (k / 3)) % KINDS, at, to, 6, 1e9f);
            mass += rod_mass(world, rod);
            if (i == 0)
                hinge(world, rod, 0);
            starts[i] = (Point){rod, 0, 0.0f};
            if (i > 0)
                tie(world, before, starts[i]);
            before = ends[i] = (Point){rod, 5, 1.0f};
            at = to;
        }
        starts[4] = (Point){add_weight(world, at, 20.0 * mass), 0, 0.0f};
        tie(world, before, starts[4]);
        double start = energy_of(world), highest = start, worst = 0.0;
        for (int step = 0; step < 180; ++step) {
            assert_int_equal(sn_world_step(world, DT, 10, 1), SN_STEP_OK);
            highest = fmax(highest, energy_of(world));
            for (int i = 0; i < 4; ++i)
                worst = fmax(worst, gap_between(world, ends[i], starts[i + 1]));
        }
        double scale = 21.0 * mass * GRAVITY;
        if (!(highest - start < 0.005 * scale) || !(worst < 2e-3))
            fail_msg("chain %d: gained %g m, open by %g m", k, (highest - start) / scale, worst);
        sn_world_destroy(world);
    }
}

// Held at one vertex, with a weight at another: at the seam, beside it, and across.
static void rings_bear_weights(void **state) {
    (void)state;
    for (int k = 0; k < 2 * 3; k += EVERY) {
        SnVec3 x[24];
        for (int i = 0; i < 24; ++i) {
            double angle = 2.0 * SUPPORT_PI * i / 24.0;
            x[i] = sn_vec3((float)(0.2 * cos(angle)), 0.0f, (float)(0.2 * sin(angle)));
        }
        SnWorld *world = heavy_world();
        SnRodDef def = sn_default_rod_def();
        def.positions = x;
        def.vertex_count = 24;
        def.closed = true;
        def.classic = k % 2 == 1;
        def.radius = RADIUS;
        def.material.young = 1e9f;
        def.filter.mask = 0;
        SnBodyId ring = add_rod(world, &def);
        int at = (k / 2) * 11 + (k / 2 == 2); // 0, 11, 23
        hinge(world, ring, (at + 12) % 24);
        double mass = 200.0 * rod_mass(world, ring);
        Point point = {ring, at, 0.0f}, weight = {add_weight(world, x[at], mass), 0, 0.0f};
        tie(world, point, weight);
        double start = energy_of(world), highest = start, worst = 0.0;
        for (int step = 0; step < 120; ++step) {
            assert_int_equal(sn_world_step(world, DT, 10, 1), SN_STEP_OK);
            worst = fmax(worst, gap_between(world, point, weight));
            highest = fmax(highest, energy_of(world));
        }
        if (!(worst < 5e-4) || !(highest - start < 0.002 * mass * GRAVITY))
            fail_msg("ring %d: open by %g m, gained %g J", k, worst, highest - start);
        sn_world_destroy(world);
    }
}

// Short and very stiff links, which swing fast, with a ball on the last: half of their mass, and ten times.
static void flails_gain_no_energy(void **state) {
    (void)state;
    for (int k = 0; k < KINDS * 4; k += EVERY) {
        SnWorld *world = heavy_world();
        Point before = {0};
        double mass = 0.0, length = k & 1 ? 0.05 : 0.1;
        for (int i = 0; i < 4; ++i) {
            SnVec3 from = sn_vec3((float)(length * i), 0, 0);
            SnVec3 to = sn_vec3((float)(length * (i + 1)), 0, 0);
            SnBodyId rod = add_rope(world, k / 4, from, to, 2, 2e11f);
            mass += rod_mass(world, rod);
            if (i == 0)
                hinge(world, rod, 0);
            else
                tie(world, before, (Point){rod, 0, 0.0f});
            before = (Point){rod, 1, 1.0f};
        }
        mass *= k & 2 ? 10.0 : 0.5;
        tie(world, before,
            (Point){add_weight(world, sn_vec3((float)(4.0 * length), 0, 0), mass), 0, 0.0f});
        double start = energy_of(world), highest = start;
        for (int step = 0; step < 120; ++step) {
            assert_int_equal(sn_world_step(world, DT, 10, 1), SN_STEP_OK);
            highest = fmax(highest, energy_of(world));
        }
        if (!(highest - start < 0.01 * mass * GRAVITY * length))
            fail_msg("%s, flail %d: gained %g J", NAMES[k / 4], k, highest - start);
        sn_world_destroy(world);
    }
}

// A creature that is solved directly, held at its hub, carries a weight on one arm.
static void creatures_bear_weights(void **state) {
    (void)state;
    Creature c = star(4, 5);
    SnWorld *world = heavy_world();
    SnRodDef def = def_of(&c);
    def.solver = SN_SOLVER_DIRECT;
    def.material.young = 1e8f;
    def.filter.mask = 0;
    SnBodyId body = create(world, &def);
    int last = def.edge_count - 1;
    int tip = def.edges[2 * last];
    hinge(world, body, def.edges[0]);
    double mass = 20.0 * rod_mass(world, body);
    SnBodyId weight = add_weight(world, def.positions[tip], mass);
    SnLinkDef link = sn_default_link_def();
    link.length = 0.0f;
    link.a = (SnBodyPoint){body, last, 0.0f};
    link.b = (SnBodyPoint){weight, 0, 0.0f};
    assert_ok(sn_link_create(world, &link, NULL));
    double start = energy_of(world), highest = start, worst = 0.0;
    for (int step = 0; step < 120; ++step) {
        assert_int_equal(sn_world_step(world, DT, 10, 1), SN_STEP_OK);
        static RodCopy now;
        copy_rod(world, body, &now);
        worst = fmax(worst, distance(now.x[tip], rigid_state(world, weight).centre));
        highest = fmax(highest, energy_of(world));
    }
    assert_below(worst, 1e-3);
    assert_below(highest - start, 0.005 * mass * GRAVITY);
    sn_world_destroy(world);
}

// Two thick rods that a link holds end to end overlap there; nobody pushes.
static void what_is_tied_does_not_touch(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; ++kind) {
        SnWorld *world = weightless_world();
        SnBodyId rods[2];
        for (int i = 0; i < 2; ++i) {
            SnVec3 x[7];
            SnRodDef def =
                line_def(x, 7, sn_vec3(0.3f * (float)i, 0, 0), sn_vec3(1, 0, 0), 0.3f, 0.04f);
            def.classic = kind == CLASSIC;
            def.stiff = kind == STIFF;
            rods[i] = add_rod(world, &def);
        }
        tie(world, (Point){rods[0], 5, 1.0f}, (Point){rods[1], 0, 0.0f});
        run_steps(world, 30, 10);
        SnMeasures m = sn_world_measure(world);
        assert_below(m.energy_kinetic, 1e-9 * m.mass);
        sn_world_destroy(world);
    }
}

// Points that were far apart when they were tied come together at a few metres per second, and stay.
static void what_is_tied_from_afar_is_drawn_in(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; ++kind) {
        SnWorld *world = weightless_world();
        Point ends[2];
        for (int i = 0; i < 2; ++i) {
            float z = 10.0f * (float)i;
            SnBodyId rod = add_rope(world, kind, sn_vec3(0, 0, z), sn_vec3(0.9f, 0, z), 9, 1e8f);
            ends[i] = (Point){rod, 8, 1.0f};
        }
        tie(world, ends[0], ends[1]);
        double fastest = 0.0;
        for (int step = 0; step < 300; ++step) {
            assert_int_equal(sn_world_step(world, DT, 10, 1), SN_STEP_OK);
            fastest = fmax(fastest, sn_world_measure(world).speed_max);
        }
        if (!(fastest < 15.0) || !(gap_between(world, ends[0], ends[1]) < 1e-3))
            fail_msg("%s: %g m/s, open by %g m", NAMES[kind], fastest,
                     gap_between(world, ends[0], ends[1]));
        sn_world_destroy(world);
    }
}

// A world whose only ropes are slack has nothing to solve, from the first step on.
static void slack_ropes_bear_nothing(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; ++kind) {
        SnWorld *world = weightless_world();
        SnLinkDef link = sn_default_link_def();
        link.length = 0.0f;
        link.a.body = add_rope(world, kind, sn_vec3(0, 0, 0), sn_vec3(1, 0, 0), 8, 1e8f);
        link.rope = true;
        link.length = 1.0f;
        SnLinkId id;
        assert_ok(sn_link_create(world, &link, &id));
        run_steps(world, 3, 10);
        SnVec3 force;
        assert_ok(sn_link_force(world, id, &force));
        assert_true(force.x == 0.0f && force.y == 0.0f && force.z == 0.0f);
        sn_world_destroy(world);
    }
}

static SnBodyId add_touching(SnWorld *world, int kind, SnVec3 from, SnVec3 to, int segments) {
    SnBodyId rod = add_rope(world, kind, from, to, segments, 1e7f);
    SnFilter filter = sn_default_rod_def().filter;
    assert_ok(sn_body_set_filter(world, rod, filter));
    return rod;
}

static void tie_to_world(SnWorld *world, SnBodyId rod, SnVec3 target) {
    SnLinkDef def = sn_default_link_def();
    def.length = 0.0f;
    def.a = (SnBodyPoint){rod, 0, 0.0f};
    def.target = target;
    assert_ok(sn_link_create(world, &def, NULL));
}

// Two cables on one hook, held or linked there: they overlap, and nothing could get them apart.
static void cables_share_a_hook(void **state) {
    (void)state;
    for (int k = 0; k < KINDS * 2; k += EVERY) {
        SnWorld *world = heavy_world();
        for (int i = 0; i < 2; ++i) {
            SnVec3 to = sn_vec3(i ? 0.5f : -0.5f, 0, 0), hook = sn_vec3(0, 1, 0);
            SnBodyId rod = add_touching(world, k / 2, hook, to, 4);
            if (k % 2)
                tie_to_world(world, rod, hook);
            else
                hinge(world, rod, 0);
        }
        double start = energy_of(world);
        for (int step = 0; step < 120; ++step) {
            assert_int_equal(sn_world_step(world, DT, 10, 1), SN_STEP_OK);
            assert_below(energy_of(world), start + 0.01 * fabs(start));
        }
        sn_world_destroy(world);
    }
}

// A rod whose end is tied to a peg in the floor falls, and lies there.
static void what_is_tied_to_the_floor_lies_there(void **state) {
    (void)state;
    for (int k = 0; k < KINDS * 2; k += EVERY) {
        SnWorld *world = heavy_world();
        add_floor(world, 0.0f, 0.5f);
        SnVec3 peg = sn_vec3(1, k % 2 ? 0.5f * RADIUS : RADIUS, 0);
        SnBodyId rod = add_touching(world, k / 2, peg, sn_vec3(0, 1, 0), 10);
        tie_to_world(world, rod, peg);
        double start = energy_of(world);
        for (int step = 0; step < 240; ++step) {
            assert_int_equal(sn_world_step(world, DT, 10, 1), SN_STEP_OK);
            assert_below(energy_of(world), start + 0.01 * fabs(start));
        }
        assert_below(sn_world_measure(world).speed_max, 0.05);
        sn_world_destroy(world);
    }
}

// What is too heavy for the step is told, and the world stays finite.
static void torn_links_are_told(void **state) {
    (void)state;
    SnWorld *world = heavy_world();
    SnBodyId rod = add_rope(world, CLASSIC, sn_vec3(0, 0, 0), sn_vec3(1, 0, 0), 8, 1e11f);
    hinge(world, rod, 0);
    SnBodyId weight = add_weight(world, sn_vec3(1, 0, 0), 1e5 * rod_mass(world, rod));
    tie(world, (Point){rod, 7, 1.0f}, (Point){weight, 0, 0.0f});
    SnRigidState now = rigid_state(world, weight);
    now.velocity = sn_vec3(300, 200, 0);
    assert_ok(sn_rigid_write(world, weight, &now));
    uint32_t bits = 0;
    for (int step = 0; step < 20; ++step)
        bits |= sn_world_step(world, 1.0f / 30.0f, 1, 1);
    assert_true(bits & SN_STEP_TORN);
    sn_world_destroy(world);
}

// Hash after a second, on this instruction set.
static uint64_t hang_pendants(SnIsa isa, int kind, int count) {
    SnWorldDef world_def = sn_default_world_def();
    world_def.isa = isa;
    SnWorld *world;
    assert_ok(sn_world_create(&world_def, &world));
    SnBodyId rope = add_rope(world, kind, sn_vec3(0, 0, 0), sn_vec3(2, 0, 0), 40, 1e9f);
    double mass = 10.0 * rod_mass(world, rope) / (double)count;
    hinge(world, rope, 0);
    hinge(world, rope, 40);
    Point at[20], weight[20];
    for (int k = 0; k < count; ++k) {
        at[k] = (Point){rope, 40 * (k + 1) / (count + 1), 0.0f};
        weight[k] = (Point){add_weight(world, place_of(world, at[k]), mass), 0, 0.0f};
        tie(world, at[k], weight[k]);
    }
    for (int step = 0; step < 60; ++step)
        assert_int_equal(sn_world_step(world, DT, 10, 1), SN_STEP_OK);
    for (int k = 0; k < count; ++k)
        assert_below(gap_between(world, at[k], weight[k]), 1e-6);
    uint64_t hash = sn_world_hash(world);
    sn_world_destroy(world);
    return hash;
}

// A rope with twenty weights, ten times its mass together. Where a rod is alone, its lanes share its ties.
static void a_rope_bears_many_weights(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; ++kind) {
        uint64_t hash = hang_pendants(SN_ISA_BEST, kind, 20);
        for (int isa = SN_ISA_SCALAR; isa <= SN_ISA_AVX512; ++isa)
            if (sn_isa_available((SnIsa)isa) && hang_pendants((SnIsa)isa, kind, 20) != hash)
                fail_msg("%s: %s differs", NAMES[kind], sn_isa_name((SnIsa)isa));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_hang_by_a_rod),
        cmocka_unit_test(swings_gain_no_energy),
        cmocka_unit_test(chains_of_rods_hold),
        cmocka_unit_test(flails_gain_no_energy),
        cmocka_unit_test(rings_bear_weights),
        cmocka_unit_test(creatures_bear_weights),
        cmocka_unit_test(what_is_tied_does_not_touch),
        cmocka_unit_test(cables_share_a_hook),
        cmocka_unit_test(what_is_tied_to_the_floor_lies_there),
        cmocka_unit_test(torn_links_are_told),
        cmocka_unit_test(a_rope_bears_many_weights),
        cmocka_unit_test(what_is_tied_from_afar_is_drawn_in),
        cmocka_unit_test(slack_ropes_bear_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
