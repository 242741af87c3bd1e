// Loads on rods that are fine, stiff or damped for long: they come to rest where beams have them, and no faster and no
// slower than their damping says.
#include "support.h"

#define MOST_VERTICES 256
#define DT (1.0f / 60.0f)
#define SUBSTEPS 10

typedef struct Beam {
    bool classic;
    int segments;
    double young, radius, length, damping;
    bool hinged; // at both ends, else clamped at the first one
} Beam;

typedef struct Rod {
    SnWorld *world;
    SnBodyId id;
} Rod;

static Rod make_beam(const Beam *b) {
    SnVec3 x[MOST_VERTICES];
    line_of_points(x, b->segments + 1, sn_vec3(0, 0, 0),
                   sn_vec3((float)(b->length / b->segments), 0, 0));
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = b->segments + 1;
    def.positions = x;
    def.radius = (float)b->radius;
    def.classic = b->classic;
    def.material.young = (float)b->young;
    def.material.damping = (float)b->damping;
    def.filter.mask = 0;
    Rod rod = {.world = make_world(sn_vec3(0, 0, 0))};
    assert_ok(sn_rod_create(rod.world, &def, &rod.id));
    pin(rod.world, rod.id, SN_ATTACH_VERTEX, 0);
    if (b->hinged)
        pin(rod.world, rod.id, SN_ATTACH_VERTEX, b->segments);
    else
        pin(rod.world, rod.id, SN_ATTACH_SEGMENT, 0);
    return rod;
}

static double bending_stiffness(const Beam *b) {
    return 0.25 * b->young * SUPPORT_PI * pow(b->radius, 4.0);
}

static double height_of(Rod rod, int vertex) {
    SnVec3 x[MOST_VERTICES];
    SnBodyState arrays = {.positions = x};
    assert_ok(sn_body_read(rod.world, rod.id, &arrays));
    return (double)x[vertex].y;
}

// Steps of 1/60 s at default settings, with a load on a vertex from the first one on.
static void load_for(Rod rod, int vertex, double load, double seconds) {
    const int steps = (int)lround(60.0 * seconds);
    for (int n = 0; n < steps; ++n) {
        assert_ok(sn_body_add_force(rod.world, rod.id, vertex, sn_vec3(0, (float)-load, 0)));
        assert_int_equal(sn_world_step(rod.world, DT, SUBSTEPS, 1), SN_STEP_OK);
    }
}

// How fast anything in it is.
static void assert_rests(Rod rod, double most, const char *what) {
    double fastest = sn_world_measure(rod.world).speed_max;
    if (!(fastest < most))
        fail_msg("%s: still moves at %.3g m/s", what, fastest);
    sn_world_destroy(rod.world);
}

// Between two hinges, 200 to 1000 N from one step to the next in the middle of a steel rod of 1 cm and 20 cm, without
// damping. The sag w of a beam that is drawn out, too, solves F = 48 EI w/L³ + π⁴ EA w³/(8 L³).
static void loads_between_hinges_come_to_rest(void **state) {
    (void)state;
    const double loads[] = {200.0, 400.0, 1000.0};
    for (int n = 0; n < 6; ++n) {
        Beam b = {n & 1, 10, 2e11, 0.005, 0.2, 0.0, true};
        Rod rod = make_beam(&b);
        double load = loads[n / 2], cube = pow(b.length, 3.0), EI = bending_stiffness(&b);
        double EA = b.young * SUPPORT_PI * b.radius * b.radius, sag = 0.0;
        for (int k = 0; k < 50; ++k) {
            double force = 48.0 * EI * sag + pow(SUPPORT_PI, 4.0) / 8.0 * EA * pow(sag, 3.0);
            double slope = 48.0 * EI + 3.0 * pow(SUPPORT_PI, 4.0) / 8.0 * EA * sag * sag;
            sag -= (force - load * cube) / slope;
        }
        load_for(rod, b.segments / 2, load, 1.0);
        double down = -height_of(rod, b.segments / 2);
        if (!(fabs(down / sag - 1.0) < 0.04))
            fail_msg("%s, %g N: sags by %.5g m, not by %.5g m", b.classic ? "classic" : "volume",
                     load, down, sag);
        assert_rests(rod, 5e-3, "between hinges");
    }
}

// A cantilever that is loaded creeps to its deflection as 1 − exp(−t/τ), however many segments it has and however
// stiff they and their dampers are.
static void fine_rods_creep_as_their_damping_says(void **state) {
    (void)state;
    const int segments[] = {20, 60, 200};
    const double taus[] = {0.1, 1.0, 10.0};
    for (int n = 0; n < 18; ++n) {
        Beam b = {n & 1, segments[n / 2 % 3], 2e11, 0.0015, 0.1, taus[n / 6], false};
        Rod rod = make_beam(&b);
        double load = 0.02 * 3.0 * bending_stiffness(&b) / (b.length * b.length), seconds = 0.5;
        load_for(rod, b.segments, load, seconds);
        double part = -height_of(rod, b.segments) / (0.02 * b.length);
        double right = 1.0 - exp(-seconds / b.damping);
        if (!(fabs(part - right) < 0.005))
            fail_msg("%s, %d segments, damping %g s: %.4f of the deflection, not %.4f",
                     b.classic ? "classic" : "volume", b.segments, b.damping, part, right);
        sn_world_destroy(rod.world);
    }
}

// Between two hinges a rod is drawn out by what it sags, and gets thinner: a radius that creeps by less than float can
// tell in a sub-step still gets there.
static void damping_leaves_the_sag_between_hinges(void **state) {
    (void)state;
    double sags[2];
    for (int n = 0; n < 2; ++n) {
        Beam b = {false, 20, 3e9, 0.005, 0.5, n == 0 ? 0.05 : 1.0, true};
        Rod rod = make_beam(&b);
        double load = 48.0 * bending_stiffness(&b) * 0.1 * b.radius / pow(b.length, 3.0);
        load_for(rod, b.segments / 2, load, n == 0 ? 1.0 : 8.0);
        sags[n] = -height_of(rod, b.segments / 2);
        assert_rests(rod, 1e-4, "damped, between hinges");
    }
    if (!(fabs(sags[1] / sags[0] - 1.0) < 0.005))
        fail_msg("sags by %.5g m with much damping, by %.5g m with little", sags[1], sags[0]);
}

static double twist_of(Rod rod, int segments) {
    SnQuat q[MOST_VERTICES];
    SnBodyState arrays = {.frames = q};
    assert_ok(sn_body_read(rod.world, rod.id, &arrays));
    double sum = 0.0;
    for (int j = 1; j < segments; ++j) {
        SnQuat a = q[j - 1], b = q[j];
        double z = (double)(a.w * b.z - a.z * b.w - a.x * b.y + a.y * b.x);
        double w = (double)(a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z);
        sum += 2.0 * atan2(z, w);
    }
    return sum;
}

// A torque about the axis of the last segment would turn that alone by thousands of radians in a sub-step. Its joint
// twists as all others do.
static void torques_twist_damped_rods(void **state) {
    (void)state;
    for (int n = 0; n < 8; ++n) {
        Beam b = {n & 1, 20, n & 2 ? 2e11 : 1e8, 0.01, 1.0, n & 4 ? 0.1 : 0.01, false};
        Rod rod = make_beam(&b);
        double torque = 0.5 * 0.35 * b.young * 0.5 * SUPPORT_PI * pow(b.radius, 4.0) / b.length;
        for (int k = 0; k < 90; ++k) {
            SnVec3 about = sn_vec3((float)torque, 0, 0);
            assert_ok(sn_body_add_torque(rod.world, rod.id, b.segments - 1, about));
            assert_int_equal(sn_world_step(rod.world, DT, SUBSTEPS, 1), SN_STEP_OK);
        }
        double twist = twist_of(rod, b.segments), right = 0.5 * (b.segments - 1) / b.segments;
        if (!(fabs(twist / right - 1.0) < 0.005))
            fail_msg("%s, E %g Pa, damping %g s: twisted by %.5g rad, not by %.5g rad",
                     b.classic ? "classic" : "volume", b.young, b.damping, twist, right);
        assert_rests(rod, 1e-2, "twisted");
    }
}

// A rod that spins about its middle while one end is pinned keeps a quarter of its energy, as a rigid one does; soft ones
// keep more, in vibrations. None has more than it had, nor makes a spin about its own axis of it.
static void pinned_ends_stop_spins(void **state) {
    (void)state;
    for (int n = 0; n < 12; ++n) {
        SnVec3 x[MOST_VERTICES];
        const int segments = (const int[]){10, 60, 150}[n % 3];
        line_of_points(x, segments + 1, sn_vec3(0, 0, 0), sn_vec3(1.0f / (float)segments, 0, 0));
        SnRodDef def = sn_default_rod_def();
        def.vertex_count = segments + 1;
        def.positions = x;
        def.radius = 0.008f;
        def.classic = n & 1;
        def.material.young = n < 6 ? 2e11f : 2e9f;
        def.angular_velocity = sn_vec3(1.2f, 4, 2);
        def.filter.mask = 0;
        SnWorld *world = make_world(sn_vec3(0, 0, 0));
        SnBodyId rod;
        assert_ok(sn_rod_create(world, &def, &rod));
        pin(world, rod, SN_ATTACH_VERTEX, 0);
        double first = sn_world_measure(world).energy_kinetic, now = first;
        for (int k = 0; k < 60; ++k) {
            assert_int_equal(sn_world_step(world, DT, SUBSTEPS, 1), SN_STEP_OK);
            now = sn_world_measure(world).energy_kinetic;
            assert_below(now, first);
        }
        if (n < 6 && !(now > 0.2 * first && now < 0.35 * first))
            fail_msg("%s, %d segments: %.3f of the energy is left",
                     def.classic ? "classic" : "volume", segments, now / first);
        sn_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_between_hinges_come_to_rest),
        cmocka_unit_test(fine_rods_creep_as_their_damping_says),
        cmocka_unit_test(damping_leaves_the_sag_between_hinges),
        cmocka_unit_test(torques_twist_damped_rods),
        cmocka_unit_test(pinned_ends_stop_spins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
