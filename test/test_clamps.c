// What is clamped bends from the wall on: against the formulas of beams and shafts, at few segments.
#include "support.h"

#include "math/vec.h"

#define LENGTH 1.0
#define RADIUS 0.005
#define YOUNG 1e9
#define SHEAR 4e8

typedef enum How { CLAMPED, CLAMPED_AT_ITS_END, HELD_WHOLE, CREATURE, HOWS } How;

static double area_moment(void) { return 0.25 * SUPPORT_PI * pow(RADIUS, 4.0); }

typedef struct Rod {
    SnWorld *world;
    SnBodyId id;
    int segments;
} Rod;

// From 0 to LENGTH along x, or a segment farther to the left if that is held as a whole.
static Rod make_rod(int segments, How how, bool classic, SnRodSolver solver) {
    enum { MOST = 120 };
    SnVec3 x[MOST + 1];
    int edges[2 * MOST];
    Rod rod = {weightless_world(), {0}, how == HELD_WHOLE ? segments + 1 : segments};
    double l = LENGTH / segments;
    assert_true(rod.segments <= MOST);
    line_of_points(x, rod.segments + 1, sn_vec3(how == HELD_WHOLE ? (float)-l : 0.0f, 0, 0),
                   sn_vec3((float)l, 0, 0));
    for (int j = 0; j < rod.segments; ++j)
        edges[2 * j] = j, edges[2 * j + 1] = j + 1;
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = rod.segments + 1;
    def.positions = x;
    def.radius = (float)RADIUS;
    def.classic = classic;
    def.solver = solver;
    def.material.density = 1000.0f;
    def.material.young = (float)YOUNG;
    def.material.shear = (float)SHEAR;
    def.material.drag = 30.0f;
    if (how == CREATURE)
        def.edges = edges, def.edge_count = rod.segments;
    assert_ok(sn_rod_create(rod.world, &def, &rod.id));
    bool last = how == CLAMPED_AT_ITS_END;
    pin(rod.world, rod.id, SN_ATTACH_SEGMENT, last ? rod.segments - 1 : 0);
    pin(rod.world, rod.id, SN_ATTACH_VERTEX, last ? rod.segments : 0);
    if (how == HELD_WHOLE)
        pin(rod.world, rod.id, SN_ATTACH_VERTEX, 1);
    return rod;
}

static void settle(const Rod *rod, int point, SnVec3 force, int segment, SnVec3 torque) {
    for (int n = 0; n < 240; ++n) {
        assert_ok(sn_body_add_force(rod->world, rod->id, point, force));
        assert_ok(sn_body_add_torque(rod->world, rod->id, segment, torque));
        assert_int_equal(sn_world_step(rod->world, 1.0f / 60.0f, 10, 1), SN_STEP_OK);
    }
}

// F L³/(3 E I) at the free end, as a part of itself. A creature has no wall, but joints that bend for
// all of the clamped segment, which is second order, too, with a larger error.
static double deflection(int segments, How how, bool classic) {
    Rod rod = make_rod(segments, how, classic, SN_SOLVER_DIRECT);
    double wanted = 0.005, force = 3.0 * YOUNG * area_moment() * wanted;
    int tip = how == CLAMPED_AT_ITS_END ? 0 : rod.segments;
    settle(&rod, tip, sn_vec3(0, (float)force, 0), 0, sn_vec3(0, 0, 0));
    RodCopy now;
    copy_rod(rod.world, rod.id, &now);
    sn_world_destroy(rod.world);
    return (double)now.x[tip].y / wanted;
}

static void cantilevers_begin_at_the_wall(void **state) {
    (void)state;
    for (int how = 0; how < HOWS; ++how)
        for (int classic = 0; classic < 2; ++classic) {
            double error[3];
            for (int k = 0; k < 3; ++k)
                error[k] = deflection(5 << k, (How)how, classic) - 1.0;
            print_message("case %d, classic %d: %+.2f, %+.2f, %+.2f %%\n", how, classic,
                          100.0 * error[0], 100.0 * error[1], 100.0 * error[2]);
            double c = how == CREATURE ? 3.2 : 0.6;
            for (int k = 0; k < 3; ++k)
                assert_below(fabs(error[k]), c / ((5 << k) * (5 << k)) + 5e-4);
        }
}

// A quarter of a ring that is pulled out of its plane at its free end bends and twists: F R³ (π/(4 E I) + (3π/4 − 2)/(G J)).
// Second order, too: joints measure in axes that are as far from one segment as from the other.
static double arc_deflection(int segments, bool classic) {
    SnVec3 x[33];
    const double radius = 2.0 * LENGTH / SUPPORT_PI, wanted = 0.005;
    for (int i = 0; i <= segments; ++i) {
        double at = 0.5 * SUPPORT_PI * i / segments;
        x[i] = sn_vec3((float)(radius * sin(at)), (float)(radius * (1.0 - cos(at))), 0.0f);
    }
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = segments + 1;
    def.positions = x;
    def.radius = (float)RADIUS;
    def.classic = classic;
    def.material.young = (float)YOUNG;
    def.material.shear = (float)SHEAR;
    def.material.drag = 30.0f;
    Rod rod = {weightless_world(), {0}, segments};
    assert_ok(sn_rod_create(rod.world, &def, &rod.id));
    pin(rod.world, rod.id, SN_ATTACH_SEGMENT, 0);
    pin(rod.world, rod.id, SN_ATTACH_VERTEX, 0);
    double bends = 0.25 * SUPPORT_PI / (YOUNG * area_moment());
    double twists = (0.75 * SUPPORT_PI - 2.0) / (2.0 * SHEAR * area_moment());
    double force = wanted / (pow(radius, 3.0) * (bends + twists));
    settle(&rod, segments, sn_vec3(0, 0, (float)force), 0, sn_vec3(0, 0, 0));
    RodCopy now;
    copy_rod(rod.world, rod.id, &now);
    sn_world_destroy(rod.world);
    return (double)now.x[segments].z / wanted;
}

static void arcs_bend_out_of_their_plane(void **state) {
    (void)state;
    for (int classic = 0; classic < 2; ++classic)
        for (int n = 6; n <= 24; n *= 2) {
            double error = arc_deflection(n, classic) - 1.0;
            print_message("arc, %d segments, classic %d: %+.2f %%\n", n, classic, 100.0 * error);
            assert_below(fabs(error), 1.0 / (n * n) + 5e-4);
        }
}

// T L/(G J) at the middle of the last segment.
static void shafts_begin_at_the_wall(void **state) {
    (void)state;
    for (int c = 0; c < 4; ++c) {
        const int n = 5;
        Rod rod = make_rod(n, c < 2 ? CLAMPED : HELD_WHOLE, c % 2 == 1, SN_SOLVER_DIRECT);
        double wanted = 0.2, length = LENGTH * (1.0 - 0.5 / n);
        double torque = 2.0 * SHEAR * area_moment() * wanted / length;
        settle(&rod, 0, sn_vec3(0, 0, 0), rod.segments - 1, sn_vec3((float)torque, 0, 0));
        RodCopy now;
        copy_rod(rod.world, rod.id, &now);
        Quatd turn = mulqd(quatd(now.q[rod.segments - 1]), conjugated(quatd(now.q[0])));
        double own = c < 2 ? 0.5 * LENGTH / n * wanted / length : 0.0; // of the first segment
        assert_near(2.0 * fabs(turn.x) + own, wanted, 0.005 * wanted);
        sn_world_destroy(rod.world);
    }
}

// Far from what would buckle them, they stay straight and rest: the torque turns light frames far in a
// sub-step alone, and none of that may leak into bending.
static void shafts_do_not_whirl(void **state) {
    (void)state;
    const int segments[] = {3, 5, 20, 60};
    for (int c = 0; c < 8; ++c) {
        Rod rod = make_rod(segments[c / 2], CLAMPED, c % 2 == 1, SN_SOLVER_DIRECT);
        float torque = (float)(2.0 * SHEAR * area_moment() * 0.2 / LENGTH);
        int last = rod.segments - 1;
        settle(&rod, 0, sn_vec3(0, 0, 0), last, sn_vec3(torque, 0, 0));
        RodCopy now;
        copy_rod(rod.world, rod.id, &now);
        assert_below(hypot((double)now.x[last].y, (double)now.x[last].z), 1e-4);
        assert_below(lengthd(vec3d(now.w[last])), 0.01);
        sn_world_destroy(rod.world);
    }
}

// A force at the tip, all of it at once and nothing but the time step to damp what swings: aluminium, a
// steel needle, nylon, of which a sub-step cannot see the vibrations.
static void a_load_that_is_new_is_withstood(void **state) {
    (void)state;
    const struct {
        double young, density, radius, length;
        int segments;
    } cases[] = {
        {7e10, 2700, 0.01, 0.3, 20}, {2e11, 7850, 0.002, 0.1, 5}, {2.8e9, 1140, 0.002, 0.05, 20}};
    for (int c = 0; c < 6; ++c) {
        double l = cases[c / 2].length, r = cases[c / 2].radius, young = cases[c / 2].young;
        int n = cases[c / 2].segments;
        SnVec3 x[21];
        line_of_points(x, n + 1, sn_vec3(0, 0, 0), sn_vec3((float)(l / n), 0, 0));
        SnRodDef def = sn_default_rod_def();
        def.vertex_count = n + 1;
        def.positions = x;
        def.radius = (float)r;
        def.classic = c % 2 == 1;
        def.material.young = (float)young;
        def.material.density = (float)cases[c / 2].density;
        SnWorld *world = weightless_world();
        SnBodyId rod;
        assert_ok(sn_rod_create(world, &def, &rod));
        pin(world, rod, SN_ATTACH_VERTEX, 0);
        pin(world, rod, SN_ATTACH_SEGMENT, 0);
        double wanted = 1e-3 * l;
        float force = (float)(3.0 * young * 0.25 * SUPPORT_PI * pow(r, 4.0) * wanted / pow(l, 3.0));
        for (int step = 0; step < 180; ++step) {
            assert_ok(sn_body_add_force(world, rod, n, sn_vec3(0, force, 0)));
            assert_int_equal(sn_world_step(world, 1.0f / 60.0f, 10, 1), SN_STEP_OK);
        }
        RodCopy now;
        copy_rod(world, rod, &now);
        assert_near((double)now.x[n].y / wanted, 1.0, 0.03);
        assert_below(lengthd(vec3d(now.v[n])), 0.01);
        sn_world_destroy(world);
    }
}

// Pressed together at the vertex where the ring begins and at the one opposite, by two forces: P R³/(E I)
// (π/4 − 2/π). What repeats its first vertex must go where that goes.
static void a_ring_is_pressed_where_it_begins(void **state) {
    (void)state;
    enum { N = 60 };
    for (int classic = 0; classic < 2; ++classic) {
        double big = 0.24, r = 0.002, young = 2e11, second = 0.25 * SUPPORT_PI * pow(r, 4.0);
        SnVec3 x[N];
        for (int i = 0; i < N; ++i)
            x[i] = sn_vec3((float)(big * cos(2.0 * SUPPORT_PI * i / N)), 0,
                           (float)(big * sin(2.0 * SUPPORT_PI * i / N)));
        SnRodDef def = sn_default_rod_def();
        def.vertex_count = N;
        def.positions = x;
        def.closed = true;
        def.radius = (float)r;
        def.classic = classic;
        def.material.young = (float)young;
        def.material.density = 7850.0f;
        def.material.drag = 400.0f;
        SnWorld *world = weightless_world();
        SnBodyId rod;
        assert_ok(sn_rod_create(world, &def, &rod));
        double wanted = 0.002 * big;
        double gives = (0.25 * SUPPORT_PI - 2.0 / SUPPORT_PI) * pow(big, 3.0) / (young * second);
        float force = (float)(wanted / gives);
        for (int step = 0; step < 120; ++step) {
            assert_ok(sn_body_add_force(world, rod, 0, sn_vec3(-force, 0, 0)));
            assert_ok(sn_body_add_force(world, rod, N / 2, sn_vec3(force, 0, 0)));
            assert_int_equal(sn_world_step(world, 1.0f / 60.0f, 10, 1), SN_STEP_OK);
        }
        RodCopy now;
        copy_rod(world, rod, &now);
        double pressed = 2.0 * big - (double)(now.x[0].x - now.x[N / 2].x);
        assert_near(pressed / wanted, 1.0, 0.03);
        sn_world_destroy(world);
    }
}

// Clamped at one end, guided at the other, where only the frame is held: F L³/(12 E I).
static void a_frame_alone_guides_its_end(void **state) {
    (void)state;
    for (int n = 5; n <= 20; n *= 2) {
        Rod rod = make_rod(n, CLAMPED, false, SN_SOLVER_DIRECT);
        pin(rod.world, rod.id, SN_ATTACH_SEGMENT, n - 1);
        double wanted = 0.005, force = 12.0 * YOUNG * area_moment() * wanted;
        settle(&rod, n, sn_vec3(0, (float)force, 0), 0, sn_vec3(0, 0, 0));
        RodCopy now;
        copy_rod(rod.world, rod.id, &now);
        assert_near((double)now.x[n].y / wanted, 1.0, 2.2 / (n * n) + 1e-3);
        sn_world_destroy(rod.world);
    }
}

// Soft enough for sweeps: they know of walls as well, at both ends of packs that are full or not, and
// in rods that are cut into pieces. T L/(G J) again.
// The longest one takes minutes under sanitizers.
#ifdef __SANITIZE_ADDRESS__
#define TWISTED 6
#else
#define TWISTED 8
#endif

static void sweeps_twist_from_the_wall_on(void **state) {
    (void)state;
    const int segments[] = {7, 8, 17, 110};
    for (int c = 0; c < TWISTED; ++c) {
        int n = segments[c / 2], far = c % 2 ? 0 : n - 1;
        Rod rod = make_rod(n, c % 2 ? CLAMPED_AT_ITS_END : CLAMPED, c % 3 == 0, SN_SOLVER_SWEEP);
        SnRodMaterial soft = sn_default_rod_material();
        soft.young = 2e4f;
        soft.shear = 1e4f;
        soft.drag = 8.0f;
        assert_ok(sn_rod_set_material(rod.world, rod.id, &soft));
        double wanted = 0.2, length = LENGTH * (1.0 - 0.5 / n);
        float torque = (float)(2.0 * 1e4 * area_moment() * wanted / length);
        for (int step = 0; step < 600; ++step) {
            assert_ok(sn_body_add_torque(rod.world, rod.id, far, sn_vec3(torque, 0, 0)));
            (void)sn_world_step(rod.world, 1.0f / 60.0f, 10, 20);
        }
        RodCopy now;
        copy_rod(rod.world, rod.id, &now);
        Quatd turn = mulqd(quatd(now.q[far]), conjugated(quatd(now.q[n - 1 - far])));
        double own = 0.5 * LENGTH / n * wanted / length; // of the clamped segment
        if (!(fabs(2.0 * fabs(turn.x) + own - wanted) < 0.02 * wanted))
            fail_msg("%d segments, case %d: turned by %g", n, c % 2, 2.0 * fabs(turn.x) + own);
        sn_world_destroy(rod.world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cantilevers_begin_at_the_wall),
        cmocka_unit_test(arcs_bend_out_of_their_plane),
        cmocka_unit_test(shafts_begin_at_the_wall),
        cmocka_unit_test(shafts_do_not_whirl),
        cmocka_unit_test(a_load_that_is_new_is_withstood),
        cmocka_unit_test(a_ring_is_pressed_where_it_begins),
        cmocka_unit_test(a_frame_alone_guides_its_end),
        cmocka_unit_test(sweeps_twist_from_the_wall_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
