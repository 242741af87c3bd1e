// Rest on every kind of collider, thickness, compliance, filters, self-collision, events.
#include "contact_kit.h"

static const char *const KINDS[] = {"plane", "sphere", "pill", "box", "mesh"};

// A box as a mesh of twelve triangles, half sizes 1 × 0.2 × 1, its top at y = 0.
static SnColliderDef mesh_def(SnVec3 *vertices, uint32_t *triangles) {
    static const uint32_t faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (int k = 0; k < 8; ++k)
        vertices[k] = sn_vec3(k & 1 ? 1.0f : -1.0f, k & 2 ? 0.0f : -0.4f, k & 4 ? 1.0f : -1.0f);
    for (int f = 0; f < 6; ++f)
        for (int c = 0; c < 3; ++c) {
            triangles[6 * f + c] = faces[f][c];
            triangles[6 * f + 3 + c] = faces[f][(c + 2) % 4];
        }
    SnColliderDef def = collider_def(SN_COLLIDER_MESH, sn_vec3(0, 0, 0), 0.5f);
    def.vertex_count = 8;
    def.vertices = vertices;
    def.triangle_count = 12;
    def.triangles = triangles;
    return def;
}

// A collider of each kind whose highest point is the origin.
static SnColliderId add_support(SnWorld *world, int kind, const double origin[3]) {
    SnVec3 vertices[8];
    uint32_t triangles[36];
    SnColliderDef def = collider_def((SnColliderKind)kind, sn_vec3(0, 0, 0), 0.5f);
    switch (kind) {
    case SN_COLLIDER_SPHERE:
        def.pose.position.y = -2.0f;
        def.radius_a = 2.0f;
        break;
    case SN_COLLIDER_PILL:
        def.radius_a = def.radius_b = 0.3f;
        def.a = sn_vec3(0.0f, -0.3f, -1.0f);
        def.b = sn_vec3(0.0f, -0.3f, 1.0f);
        break;
    case SN_COLLIDER_BOX:
        def.pose.position.y = -0.2f;
        def.half_size = sn_vec3(1.0f, 0.2f, 1.0f);
        break;
    case SN_COLLIDER_MESH:
        def = mesh_def(vertices, triangles);
        break;
    default:
        break;
    }
    memcpy(def.origin, origin, sizeof def.origin);
    return add_collider(world, &def);
}

// Drops a rod and returns where it ends up, relative to `origin`.
static Middle drop(int kind, const double origin[3]) {
    SnWorld *world = heavy_world();
    add_support(world, kind, origin);
    SnVec3 x[9];
    SnRodDef def = line_def(x, 9, sn_vec3(0, 0.1f, 0), sn_vec3(1, 0, 0), 0.8f, 0.04f);
    def.material.drag = 3.0f; // or it rocks on what is round for ever
    memcpy(def.origin, origin, sizeof def.origin);
    SnBodyId rod = add_rod(world, &def);
    run_steps(world, 180, 10);
    SnMeasures m = sn_world_measure(world);
    Middle at = middle_of(world, rod);
    if (!(m.speed_max < 0.01) || !(m.penetration_max < 0.02))
        fail_msg("on a %s: speed %g, penetration %g, height %g", KINDS[kind], m.speed_max,
                 m.penetration_max, at.x[1] - origin[1]);
    for (int c = 0; c < 3; ++c)
        at.x[c] -= origin[c];
    sn_world_destroy(world);
    return at;
}

static void a_dropped_rod_comes_to_rest_on_everything(void **state) {
    (void)state;
    const double home[3] = {0.0, 0.0, 0.0};
    for (int kind = SN_COLLIDER_PLANE; kind <= SN_COLLIDER_MESH; ++kind) {
        Middle at = drop(kind, home);
        assert_near(at.x[0], 0.0, 0.01);
        assert_near(at.x[2], 0.0, 0.01);
        bool flat = kind != SN_COLLIDER_SPHERE && kind != SN_COLLIDER_PILL;
        if (flat)
            assert_near(at.x[1], 0.04, 0.001);
        else
            assert_true(at.x[1] < 0.04 && at.x[1] > -0.2);
    }
}

static void rest_is_the_same_far_from_the_origin(void **state) {
    (void)state;
    const double home[3] = {0.0, 0.0, 0.0}, far[3] = {10000.25, -8000.5, 9000.125};
    for (int kind = SN_COLLIDER_PLANE; kind <= SN_COLLIDER_MESH; ++kind) {
        Middle a = drop(kind, home), b = drop(kind, far);
        // What is read from the world is a float, and has a millimetre there.
        for (int c = 0; c < 3; ++c)
            assert_near(b.x[c], a.x[c], 0.002);
    }
}

static void thickness_keeps_surfaces_apart(void **state) {
    (void)state;
    SnWorld *world = heavy_world();
    SnColliderDef floor = collider_def(SN_COLLIDER_PLANE, sn_vec3(0, 0, 0), 0.5f);
    floor.surface.thickness = 0.01f;
    add_collider(world, &floor);
    SnVec3 x[9];
    SnRodDef def = line_def(x, 9, sn_vec3(0, 0.1f, 0), sn_vec3(1, 0, 0), 0.8f, 0.04f);
    def.surface.thickness = 0.02f;
    SnBodyId low = add_rod(world, &def);
    line_of_points(x, 9, sn_vec3(0.0f, 0.25f, -0.4f), sn_vec3(0.0f, 0.0f, 0.1f));
    SnBodyId high = add_rod(world, &def);
    pin(world, high, SN_ATTACH_VERTEX, 0); // it stays across the other one
    run_steps(world, 120, 10);
    assert_near(middle_of(world, low).x[1], 0.07, 0.002);
    RodCopy now;
    copy_rod(world, high, &now);
    assert_near(now.x[4].y, 0.07 + 0.04 + 0.04 + 0.04, 0.008);
    sn_world_destroy(world);
}

// A soft contact gives way by its compliance times its force.
static void compliance_is_how_far_it_sinks(void **state) {
    (void)state;
    for (int k = 0; k < 3; ++k) {
        float compliance = (float)(k + 1) * 1e-4f;
        SnWorld *world = heavy_world();
        SnColliderDef floor = collider_def(SN_COLLIDER_PLANE, sn_vec3(0, 0, 0), 0.5f);
        floor.surface.compliance = compliance;
        add_collider(world, &floor);
        SnVec3 x[9];
        SnRodDef def = line_def(x, 9, sn_vec3(0, 0.05f, 0), sn_vec3(1, 0, 0), 0.8f, 0.05f);
        def.material.drag = 2.0f;
        def.classic = true;
        SnBodyId rod = add_rod(world, &def);
        double load = rod_mass(world, rod) * GRAVITY;
        run_steps(world, 300, 10);
        SnContactEvents events = sn_world_contact_events(world);
        assert_int_equal(events.contact_count, 9);
        double sink = 0.05 - middle_of(world, rod).x[1];
        assert_near(sink, load / 9.0 * (double)compliance, 0.1 * load / 9.0 * (double)compliance);
        sn_world_destroy(world);
    }
}

// Whether a rod above a floor and another above it touch the floor and each other.
typedef struct Fate {
    bool floor, lower;
} Fate;

typedef struct Filters {
    SnFilter floor, low, high;
    bool ignore_floor, ignore_low;
} Filters;

static Fate fate_of(const Filters *f, bool toggle) {
    SnWorld *world = heavy_world();
    SnColliderDef floor = collider_def(SN_COLLIDER_PLANE, sn_vec3(0, 0, 0), 0.5f);
    floor.filter = f->floor;
    SnColliderId ground = add_collider(world, &floor);
    SnVec3 x[5];
    SnRodDef def = line_def(x, 5, sn_vec3(0, 0.1f, 0), sn_vec3(1, 0, 0), 0.4f, 0.04f);
    def.filter = f->low;
    SnBodyId low = add_rod(world, &def);
    pin(world, low, SN_ATTACH_VERTEX, 0);
    pin(world, low, SN_ATTACH_VERTEX, 4);
    line_of_points(x, 5, sn_vec3(0.0f, 0.25f, -0.2f), sn_vec3(0.0f, 0.0f, 0.1f));
    def.filter = f->high;
    SnBodyId high = add_rod(world, &def);
    if (f->ignore_floor)
        assert_ok(sn_body_ignore_collider(world, high, ground, true));
    if (f->ignore_low)
        assert_ok(sn_bodies_ignore(world, high, low, true));
    if (toggle) {
        assert_ok(sn_body_ignore_collider(world, high, ground, !f->ignore_floor));
        assert_ok(sn_bodies_ignore(world, low, high, !f->ignore_low));
    }
    Fate fate = {false, false};
    for (int n = 0; n < 40; ++n) {
        run_steps(world, 1, 8);
        SnContactEvents events = sn_world_contact_events(world);
        for (int k = 0; k < events.contact_count; ++k) {
            const SnContact *c = &events.contacts[k];
            bool mine = c->a.index == high.index || c->b.index == high.index;
            fate.floor |= mine && c->collider.index != 0;
            fate.lower |= mine && c->collider.index == 0 && c->a.index != c->b.index;
        }
    }
    double y = middle_of(world, high).x[1];
    if (!fate.floor && !fate.lower)
        assert_true(y < -0.5);
    sn_world_destroy(world);
    return fate;
}

static void assert_fate(const char *what, Fate fate, bool floor, bool lower) {
    if (fate.floor != floor || fate.lower != lower)
        fail_msg("%s: touches floor %d, lower rod %d, expected %d, %d", what, fate.floor,
                 fate.lower, floor, lower);
}

static void filters_decide_what_touches(void **state) {
    (void)state;
    SnFilter all = sn_default_filter();
    Filters f = {all, all, all, false, false};
    assert_fate("default", fate_of(&f, false), false, true);
    assert_fate("ignored by toggling", fate_of(&f, true), false, false);
    f.ignore_low = true;
    assert_fate("ignored pair", fate_of(&f, false), true, false);
    f.ignore_floor = true;
    assert_fate("both ignored", fate_of(&f, false), false, false);
    assert_fate("touching again", fate_of(&f, true), false, true);

    f = (Filters){all, all, all, false, false};
    f.high.mask = 2u;
    f.floor.category = 2u;
    assert_fate("mask", fate_of(&f, false), true, false);
    f.floor.mask = 4u; // both must want to
    assert_fate("the other's mask", fate_of(&f, false), false, false);
    f.high.mask = 0u;
    assert_fate("mask 0", fate_of(&f, false), false, false);

    f = (Filters){all, all, all, false, false};
    f.low.group = f.high.group = -3;
    assert_fate("negative group", fate_of(&f, false), true, false);
    f.floor.group = -3;
    assert_fate("negative group of all", fate_of(&f, false), false, false);
    f.high.group = -4;
    assert_fate("different groups", fate_of(&f, false), false, true);
    f.low.group = f.high.group = 5;
    f.high.mask = f.low.mask = 0x10u; // they would not touch, but for the group
    assert_fate("positive group", fate_of(&f, false), false, true);
}

static void a_filter_can_be_changed_later(void **state) {
    (void)state;
    SnWorld *world = heavy_world();
    add_floor(world, 0.0f, 0.5f);
    SnVec3 x[5];
    SnRodDef def = line_def(x, 5, sn_vec3(0, 0.05f, 0), sn_vec3(1, 0, 0), 0.4f, 0.04f);
    SnBodyId rod = add_rod(world, &def);
    run_steps(world, 30, 8);
    assert_near(middle_of(world, rod).x[1], 0.04, 0.002);
    SnFilter none = sn_default_filter();
    none.mask = 0;
    assert_ok(sn_body_set_filter(world, rod, none));
    run_steps(world, 30, 8);
    assert_below(middle_of(world, rod).x[1], -0.5);
    sn_world_destroy(world);
}

// A rod that goes along x, where it is held, then round a loop and back across itself, 10 cm above.
// Returns how high the highest point of the free end is in the end: over the held part, or not.
static double looped(bool self_collide) {
    SnWorld *world = heavy_world();
    enum { HELD = 13, LOOP = 18, COUNT = 42 };
    SnVec3 x[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        double angle = -0.5 * SUPPORT_PI + 1.5 * SUPPORT_PI * (i - HELD + 1) / LOOP;
        float up = 0.1f * (float)(i - HELD + 1) / (float)LOOP;
        if (i < HELD)
            x[i] = sn_vec3(0.05f * (float)i, 0.0f, 0.0f);
        else if (i < HELD + LOOP)
            x[i] = sn_vec3(0.6f + 0.2f * (float)cos(angle), up, 0.2f + 0.2f * (float)sin(angle));
        else
            x[i] = sn_vec3(0.4f, 0.1f, x[i - 1].z - 0.05f);
    }
    SnRodDef def = sn_default_rod_def();
    def.solver = SN_SOLVER_SWEEP;
    def.vertex_count = COUNT;
    def.positions = x;
    def.radius = 0.02f;
    def.material.damping = 0.02f;
    def.self_collide = self_collide;
    SnBodyId rod = add_rod(world, &def);
    for (int i = 0; i < HELD; ++i)
        pin(world, rod, SN_ATTACH_VERTEX, i);
    for (int i = 0; i + 1 < HELD; ++i)
        pin(world, rod, SN_ATTACH_SEGMENT, i);
    run_steps(world, 60, 10);
    RodCopy now;
    copy_rod(world, rod, &now);
    sn_world_destroy(world);
    double highest = -1.0;
    for (int i = HELD + LOOP - 3; i < COUNT; ++i)
        highest = fmax(highest, (double)now.x[i].y);
    return highest;
}

static void a_rod_does_not_pass_through_itself(void **state) {
    (void)state;
    double height = looped(true);
    assert_true(height > 0.035 && height < 0.07);
    assert_below(looped(false), 0.0);
}

// Two rods at rest that nothing brings together are left alone in a sub-step. A push that comes
// within the step must not take one through the other.
static void what_starts_to_move_within_a_step_is_seen(void **state) {
    (void)state;
    SnWorld *world = make_world(sn_vec3(0.0f, 0.0f, 0.0f));
    SnVec3 x[5], y[5];
    SnRodDef def =
        line_def(x, 5, sn_vec3(0.0f, 0.0f, 0.0f), sn_vec3(1.0f, 0.0f, 0.0f), 0.2f, 0.01f);
    add_rod(world, &def);
    def = line_def(y, 5, sn_vec3(0.0f, 0.022f, 0.0f), sn_vec3(0.0f, 0.0f, 1.0f), 0.2f, 0.01f);
    SnBodyId upper = add_rod(world, &def);
    float mass = 1000.0f * 3.14159265f * 0.01f * 0.01f * 0.2f;
    SnVec3 push = sn_vec3(0.0f, -60.0f * mass / 5.0f, 0.0f); // 8 mm in a step, and 2 mm are free
    for (int v = 0; v < 5; ++v)
        assert_ok(sn_body_add_force(world, upper, v, push));
    sn_world_step(world, DT, 20, 1);
    SnContactEvents events = sn_world_contact_events(world);
    assert_int_equal(events.contact_count, 1);
    assert_true(events.contacts[0].impulse > 0.0f);
    SnMeasures measures = sn_world_measure(world);
    assert_below(measures.penetration_max, 0.02);
    sn_world_destroy(world);
}

static void events_begin_press_and_end(void **state) {
    (void)state;
    SnWorld *world = heavy_world();
    SnColliderId ground = add_floor(world, 0.0f, 0.5f);
    SnVec3 x[9];
    SnRodDef def = line_def(x, 9, sn_vec3(0, 0.1f, 0), sn_vec3(1, 0, 0), 0.8f, 0.04f);
    SnBodyId rod = add_rod(world, &def);
    assert_int_equal(sn_world_contact_events(world).contact_count, 0);
    int begins = 0, ends = 0;
    for (int n = 0; n < 120; ++n) {
        run_steps(world, 1, 10);
        SnContactEvents events = sn_world_contact_events(world);
        for (int k = 0; k < events.begin_count; ++k, ++begins) {
            assert_int_equal(events.begin[k].a.index, rod.index);
            assert_int_equal(events.begin[k].b.index, 0);
            assert_int_equal(events.begin[k].collider.index, ground.index);
            assert_int_equal(events.begin[k].collider.generation, ground.generation);
            assert_true(events.begin[k].impulse > 0.0f);
            assert_near(events.begin[k].position.y, 0.0, 0.02);
        }
        ends += events.end_count;
    }
    assert_int_equal(begins - ends, 1);
    SnContactEvents events = sn_world_contact_events(world);
    double impulse = 0.0, expected = rod_mass(world, rod) * GRAVITY / 60.0;
    for (int k = 0; k < events.contact_count; ++k) {
        const SnContact *c = &events.contacts[k];
        impulse += (double)c->impulse * (double)c->normal.y;
        assert_near(c->normal.y, 1.0, 1e-4);
        assert_near(c->position.y, 0.0, 0.001);
        assert_true(c->element_a >= 0 && c->element_a < 8 && c->t_a >= 0.0f && c->t_a <= 1.0f);
    }
    assert_near(impulse, expected, 0.05 * expected);
    // Asked twice after one step, the answer is the same.
    assert_int_equal(sn_world_contact_events(world).contact_count, events.contact_count);

    SnVec3 up[9];
    line_of_points(up, 9, sn_vec3(0, 3, 0), sn_vec3(0, 0, 0));
    assert_ok(sn_body_write(world, rod, &(SnBodyState){.velocities = up}));
    run_steps(world, 2, 10);
    events = sn_world_contact_events(world);
    assert_int_equal(events.end_count, 1);
    assert_int_equal(events.begin_count, 0);
    assert_int_equal(events.contact_count, 0);
    assert_int_equal(events.end[0].a.index, rod.index);
    assert_int_equal(events.end[0].collider.index, ground.index);
    sn_world_destroy(world);
}

// Two rods that cross: the event names both, and what one feels the other feels.
static void events_name_both_rods(void **state) {
    (void)state;
    SnWorld *world = heavy_world();
    SnVec3 x[5];
    SnRodDef def = line_def(x, 5, sn_vec3(0, 0, 0), sn_vec3(1, 0, 0), 0.4f, 0.04f);
    SnBodyId low = add_rod(world, &def);
    for (int i = 0; i < 5; ++i)
        pin(world, low, SN_ATTACH_VERTEX, i);
    line_of_points(x, 5, sn_vec3(0.01f, 0.09f, -0.2f), sn_vec3(0.0f, 0.0f, 0.1f));
    SnBodyId high = add_rod(world, &def);
    pin(world, high, SN_ATTACH_VERTEX, 0);
    pin(world, high, SN_ATTACH_VERTEX, 4);
    int begins = 0;
    for (int n = 0; n < 60; ++n) {
        run_steps(world, 1, 10);
        SnContactEvents events = sn_world_contact_events(world);
        for (int k = 0; k < events.begin_count; ++k, ++begins) {
            uint32_t a = events.begin[k].a.index, b = events.begin[k].b.index;
            assert_true((a == low.index && b == high.index) || (a == high.index && b == low.index));
        }
        for (int k = 0; k < events.contact_count; ++k) {
            const SnContact *c = &events.contacts[k];
            double towards_high = c->a.index == high.index ? 1.0 : -1.0;
            assert_near(towards_high * (double)c->normal.y, 1.0, 0.05);
        }
    }
    assert_true(begins >= 1);
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dropped_rod_comes_to_rest_on_everything),
        cmocka_unit_test(rest_is_the_same_far_from_the_origin),
        cmocka_unit_test(thickness_keeps_surfaces_apart),
        cmocka_unit_test(compliance_is_how_far_it_sinks),
        cmocka_unit_test(filters_decide_what_touches),
        cmocka_unit_test(a_filter_can_be_changed_later),
        cmocka_unit_test(a_rod_does_not_pass_through_itself),
        cmocka_unit_test(what_starts_to_move_within_a_step_is_seen),
        cmocka_unit_test(events_begin_press_and_end),
        cmocka_unit_test(events_name_both_rods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
