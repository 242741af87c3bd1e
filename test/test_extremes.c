// Loads that no number can hold: no speed gets beyond SN_MAX_SPEED, and whatever a step runs into, the
// world is finite afterwards, and so is all that it hands out or remembers.
#include "contact_kit.h"

#include <stdlib.h>

#define HUGE_LOAD 3e38f
#define KINDS 7

typedef struct Zoo {
    SnWorld *world;
    SnBodyId bodies[KINDS];
    SnLinkId link;
} Zoo;

static bool is_stiff(int kind) { return kind == 3 || kind >= 5; }

// Soft, classic, direct, stiff, a creature that branches, a stiff one, and a stiff ring.
static SnBodyId zoo_body(SnWorld *world, int kind, float height) {
    static const int edges[] = {0, 1, 1, 2, 2, 3, 1, 4, 4, 5};
    SnVec3 x[6];
    line_of_points(x, 6, sn_vec3(0.0f, height, 0.0f), sn_vec3(0.1f, 0.0f, 0.0f));
    bool branches = kind == 4 || kind == 5;
    if (kind == 6)
        circle_of_points(x, 6, 0.2);
    for (int i = 0; i < 6 && kind == 6; ++i)
        x[i].y = height;
    if (branches) {
        x[4] = sn_vec3(0.1f, height, 0.1f);
        x[5] = sn_vec3(0.1f, height, 0.2f);
    }
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = 6;
    def.positions = x;
    def.radius = 0.03f;
    def.classic = kind == 1;
    def.solver = kind == 2 ? SN_SOLVER_DIRECT : SN_SOLVER_SWEEP;
    def.stiff = is_stiff(kind);
    def.closed = kind == 6;
    if (branches) {
        def.edges = edges;
        def.edge_count = 5;
    }
    return add_rod(world, &def);
}

// A pile on a floor, with a link between two of its bodies.
static Zoo make_zoo(void) {
    Zoo zoo = {.world = heavy_world()};
    add_floor(zoo.world, 0.0f, 0.5f);
    for (int k = 0; k < KINDS; ++k)
        zoo.bodies[k] = zoo_body(zoo.world, k, 0.025f + 0.055f * (float)k);
    SnLinkDef def = sn_default_link_def();
    def.length = 0.0f;
    def.a = (SnBodyPoint){zoo.bodies[0], 4, 0.5f};
    def.b = (SnBodyPoint){zoo.bodies[3], 4, 0.5f};
    def.length = 0.2f;
    assert_ok(sn_link_create(zoo.world, &def, &zoo.link));
    return zoo;
}

static bool finite3(SnVec3 v) { return isfinite(v.x) && isfinite(v.y) && isfinite(v.z); }

static double speed_of(SnVec3 v) {
    return sqrt((double)v.x * v.x + (double)v.y * v.y + (double)v.z * v.z);
}

static void check_bodies(const Zoo *zoo) {
    for (int k = 0; k < KINDS; ++k) {
        RodCopy copy;
        copy_rod(zoo->world, zoo->bodies[k], &copy);
        for (int i = 0; i < copy.vertices; ++i) {
            assert_true(finite3(copy.x[i]) && isfinite(copy.radius[i]) && isfinite(copy.vs[i]));
            assert_below(speed_of(copy.v[i]), (double)SN_MAX_SPEED * (1.0 + 1e-5));
        }
        for (int i = 0; i < copy.segments; ++i)
            assert_true(finite3(copy.w[i]) && isfinite(copy.q[i].w));
    }
}

static void check_contacts(const Zoo *zoo) {
    SnContactEvents events = sn_world_contact_events(zoo->world);
    for (int k = 0; k < events.contact_count; ++k) {
        const SnContact *c = &events.contacts[k];
        assert_true(finite3(c->position) && finite3(c->normal) && isfinite(c->gap));
        assert_true(isfinite(c->impulse) && isfinite(c->friction));
        assert_true(c->t_a >= 0.0f && c->t_a <= 1.0f && c->t_b >= 0.0f && c->t_b <= 1.0f);
    }
    for (int k = 0; k < events.begin_count; ++k)
        assert_true(finite3(events.begin[k].position) && isfinite(events.begin[k].impulse));
    SnVec3 force;
    assert_ok(sn_link_force(zoo->world, zoo->link, &force));
    assert_true(finite3(force));
    SnMeasures m = sn_world_measure(zoo->world);
    assert_true(isfinite(m.energy_kinetic) && isfinite(m.penetration_max) && isfinite(m.residual));
    assert_true(isfinite(m.stiff_residual));
}

// A snapshot that holds a number that is not finite is refused.
static void check_memory(const Zoo *zoo) {
    size_t size = sn_world_snapshot_size(zoo->world);
    void *buffer = malloc(size);
    assert_non_null(buffer);
    assert_ok(sn_world_save(zoo->world, buffer, size));
    assert_ok(sn_world_restore(zoo->world, buffer, size));
    free(buffer);
}

static uint32_t step_and_check(const Zoo *zoo, int substeps) {
    uint32_t bits = step_world(zoo->world, DT, substeps, 2);
    check_bodies(zoo);
    check_contacts(zoo);
    check_memory(zoo);
    return bits;
}

static SnVec3 huge_vector(Rng *rng) {
    SnVec3 v = sn_vec3(HUGE_LOAD, HUGE_LOAD, HUGE_LOAD);
    v.x *= (float)rng_int(rng, -1, 1);
    v.y *= (float)rng_int(rng, -1, 1);
    v.z *= (float)rng_int(rng, -1, 1);
    return v;
}

static void impulses(void **state) {
    (void)state;
    Rng rng = {1};
    for (int k = 0; k < KINDS; ++k) {
        Zoo zoo = make_zoo();
        run_steps(zoo.world, 20, 4);
        for (int round = 0; round < 5; ++round) {
            for (int n = 0; n < 4; ++n) {
                int point = rng_int(&rng, 0, 5);
                assert_ok(sn_body_add_impulse(zoo.world, zoo.bodies[k], point, huge_vector(&rng)));
                check_bodies(&zoo);
            }
            for (int n = 0; n < 5; ++n)
                step_and_check(&zoo, 1 + n);
        }
        sn_world_destroy(zoo.world);
    }
}

// The limit is on the length of a velocity, and what is within it is not touched.
static void impulses_up_to_the_limit(void **state) {
    (void)state;
    for (int k = 0; k < KINDS; ++k) {
        Zoo zoo = make_zoo();
        RodCopy copy;
        assert_ok(sn_body_add_impulse(zoo.world, zoo.bodies[k], 5, sn_vec3(1e30f, 1e30f, 1e30f)));
        copy_rod(zoo.world, zoo.bodies[k], &copy);
        // Rods that are solved directly feel it in the next step.
        if (sn_rod_solver(zoo.world, zoo.bodies[k]) == SN_SOLVER_DIRECT && !is_stiff(k)) {
            assert_near(speed_of(copy.v[5]), 0.0, 1e-3);
            sn_world_step(zoo.world, 0.01f, 4, 1);
            copy_rod(zoo.world, zoo.bodies[k], &copy);
            assert_below(10.0, speed_of(copy.v[5]));
            assert_below(speed_of(copy.v[5]), (double)SN_MAX_SPEED + 0.01);
            sn_world_destroy(zoo.world);
            continue;
        }
        // A rigid segment also has a limit to its spin, which it may reach first.
        bool stiff = is_stiff(k);
        assert_below(stiff ? 5e3 : (double)SN_MAX_SPEED - 1.0, speed_of(copy.v[5]));
        assert_below(speed_of(copy.v[5]), (double)SN_MAX_SPEED + 0.01);
        if (!stiff)
            assert_near(copy.v[5].x, copy.v[5].y, 0.01);
        sn_world_destroy(zoo.world);
    }
}

static void forces(void **state) {
    (void)state;
    Rng rng = {2};
    for (int k = 0; k < KINDS; ++k) {
        Zoo zoo = make_zoo();
        run_steps(zoo.world, 20, 4);
        bool stiff = is_stiff(k);
        for (int round = 0; round < 12; ++round) {
            for (int n = 0; n < 4; ++n) {
                SnBodyId body = zoo.bodies[k];
                int index = rng_int(&rng, 0, 4);
                if (round % 3 != 1)
                    assert_ok(sn_body_add_force(zoo.world, body, index, huge_vector(&rng)));
                if (round % 3 != 0)
                    assert_ok(sn_body_add_torque(zoo.world, body, index, huge_vector(&rng)));
                if (round % 4 == 3 && !stiff)
                    assert_ok(sn_rod_add_radial_force(zoo.world, body, index, HUGE_LOAD));
            }
            step_and_check(&zoo, 1 + round % 5);
            step_and_check(&zoo, 4);
        }
        sn_world_destroy(zoo.world);
    }
}

// Fast, but within what is allowed: the diagonal is longer than its components.
static void diagonals(void **state) {
    (void)state;
    for (int k = 0; k < KINDS; ++k) {
        SnWorld *world = weightless_world();
        SnBodyId body = zoo_body(world, k, 0.0f);
        SnVec3 v[6];
        for (int i = 0; i < 6; ++i)
            v[i] = sn_vec3(0.9f * SN_MAX_SPEED, -0.9f * SN_MAX_SPEED, 0.9f * SN_MAX_SPEED);
        assert_ok(sn_body_write(world, body, &(SnBodyState){.velocities = v}));
        uint32_t bits = step_world(world, DT, 2, 2);
        assert_true(bits & (SN_STEP_CLAMPED | SN_STEP_RECOVERED));
        RodCopy copy;
        copy_rod(world, body, &copy);
        for (int i = 0; i < 6; ++i)
            assert_below(speed_of(copy.v[i]), (double)SN_MAX_SPEED * (1.0 + 1e-5));
        sn_world_destroy(world);
    }
}

// However wild a rod has become, what is read of it can be written.
static void what_is_read_can_be_written(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; ++kind) {
        SnWorld *world = make_world(sn_vec3(0, -9.81f, 0));
        SnVec3 x[5], v[5], w[4];
        float s[5], sv[5];
        SnQuat q[4];
        line_of_points(x, 5, sn_vec3(0, 0, 0), sn_vec3(0.01f, 0, 0));
        SnRodDef def = sn_default_rod_def();
        def.positions = x;
        def.vertex_count = 5;
        def.radius = 0.001f;
        def.solver = (SnRodSolver)kind;
        def.material.young = 1e6f;
        SnBodyId rod;
        assert_ok(sn_rod_create(world, &def, &rod));
        const SnBodyState all = {.positions = x,
                                 .velocities = v,
                                 .frames = q,
                                 .angular_velocities = w,
                                 .scales = s,
                                 .scale_velocities = sv};
        for (int i = 0; i < 5; ++i)
            s[i] = 3.0f; // radii that are wrong by so much change fast
        assert_ok(sn_body_write(world, rod, &(SnBodyState){.scales = s}));
        sn_world_step(world, 1e-6f, 1, 4);
        for (int step = 0; step < 20; ++step) {
            for (int j = 0; j < 4; ++j)
                assert_ok(sn_body_add_torque(world, rod, j, sn_vec3(1e6f, 1e6f * (float)j, 0)));
            sn_world_step(world, 1e-6f, 1, 1);
            assert_ok(sn_body_read(world, rod, &all));
            assert_ok(sn_body_write(world, rod, &all));
        }
        sn_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impulses),
        cmocka_unit_test(impulses_up_to_the_limit),
        cmocka_unit_test(forces),
        cmocka_unit_test(diagonals),
        cmocka_unit_test(what_is_read_can_be_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
