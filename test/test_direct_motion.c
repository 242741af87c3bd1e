// Creatures that are solved directly, in worlds: octopuses that fall and hang, conservation laws,
// convergence against sweeps, the same bits everywhere, memory, and who is solved directly at all.
#include "contact_kit.h"
#include "creature_reference.h"
#include "memory_count.h"

#include <sinew/model.h>

static SnRodDef direct_def(const Creature *c) {
    SnRodDef def = def_of(c);
    def.material = flesh();
    def.solver = SN_SOLVER_DIRECT;
    return def;
}

static double energy_of(const SnMeasures *m) {
    return m->energy_kinetic + m->energy_gravity + m->energy_elastic;
}

typedef struct Landing {
    double volume_error, stretch; // the largest on the way
    double speed;                 // in the end
} Landing;

// An octopus with arms of 50 cm that falls 70 cm onto the floor and tumbles, for 3 s.
static Landing land(SnRodSolver solver, float stiffer, int substeps, int iterations) {
    SnModel model;
    assert_ok(sn_octopus(0.5f, NULL, &model));
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = model.vertex_count;
    def.positions = model.positions;
    def.radii = model.radii;
    def.edges = model.edges;
    def.edge_count = model.edge_count;
    def.material.density = 200.0f;
    def.material.young = 2e5f * stiffer;
    def.material.shear = 7e4f * stiffer;
    def.material.volume = 4e6f * stiffer;
    def.material.damping = 0.01f;
    def.material.drag = 1.0f;
    def.self_collide = true;
    def.origin[1] = 0.7;
    def.angular_velocity = sn_vec3(1.0f, 0.5f, 0.3f);
    def.solver = solver;
    SnWorld *world = heavy_world();
    add_floor(world, 0.0f, 0.5f);
    SnBodyId rod = add_rod(world, &def);
    assert_int_equal(sn_rod_solver(world, rod), solver);
    SnMeasures m = sn_world_measure(world);
    double start = energy_of(&m);
    Landing landing = {0};
    for (int n = 0; n < 180; ++n) {
        assert_int_equal(step_world(world, DT, substeps, iterations), SN_STEP_OK);
        m = sn_world_measure(world);
        landing.volume_error = fmax(landing.volume_error, m.volume_error_max);
        landing.stretch = fmax(landing.stretch, m.stretch_max);
        if (solver == SN_SOLVER_DIRECT) // what sweeps leave over counts as energy
            assert_below(energy_of(&m), start * 1.001);
    }
    landing.speed = m.speed_max;
    static RodCopy now;
    copy_rod(world, rod, &now);
    for (int i = 0; i < now.vertices; ++i) // it lies on the floor
        assert_true(now.x[i].y > 0.9f * now.s[i] * now.radius[i] && now.x[i].y < 0.5f);
    sn_world_destroy(world);
    sn_model_destroy(&model);
    return landing;
}

// As soft as the octopuses of the gallery and a hundred times stiffer. Sweeps leave over more of the
// volume at ten sub-steps than the direct solver at four.
static void octopuses_land(void **state) {
    (void)state;
    Landing swept = land(SN_SOLVER_SWEEP, 1.0f, 10, 1);
    Landing stiff_swept = land(SN_SOLVER_SWEEP, 100.0f, 10, 1);
    for (int k = 0; k < 4; ++k) {
        bool stiff = k >= 2;
        Landing direct = land(SN_SOLVER_DIRECT, stiff ? 100.0f : 1.0f, k % 2 ? 4 : 10, 1 + k % 2);
        print_message("stiffer %d: volume %.5f, stretch %.5f, speed %.4f; swept %.5f, %.5f, %.4f\n",
                      stiff ? 100 : 1, direct.volume_error, direct.stretch, direct.speed,
                      stiff ? stiff_swept.volume_error : swept.volume_error,
                      stiff ? stiff_swept.stretch : swept.stretch,
                      stiff ? stiff_swept.speed : swept.speed);
        assert_below(direct.volume_error, stiff ? 0.001 : 0.03);
        assert_below(direct.volume_error, 0.6 * (stiff ? stiff_swept : swept).volume_error);
        assert_below(direct.stretch, stiff ? 0.005 : 0.05);
        assert_below(direct.speed, 0.1);
    }
}

// What is left of the gradient of an octopus that was torn out of shape: three iterations do what
// hundreds of sweeps do not.
static void few_iterations_are_worth_many_sweeps(void **state) {
    (void)state;
    Creature c = octopus();
    SnRodDef def = direct_def(&c);
    RefNorms direct = creature_left(&c, &def, 0.3, 4e-3, 3);
    def.solver = SN_SOLVER_SWEEP;
    RefNorms swept = creature_left(&c, &def, 0.3, 4e-3, 200);
    print_message("left by 3 iterations %.1e %.1e %.1e, by 200 sweeps %.1e %.1e %.1e\n", direct.x,
                  direct.s, direct.turn, swept.x, swept.s, swept.turn);
    assert_creature_left("direct", 9, direct, 1e-3);
    assert_true(swept.x > direct.x && swept.s > direct.s && swept.turn > direct.turn);
}

// A rod that is given as edges is the same rod, up to rounding.
static void a_chain_of_edges_is_a_chain(void **state) {
    (void)state;
    enum { N = 20 };
    static RodCopy copies[2];
    for (int classic = 0; classic < 2; ++classic) {
        Creature c = {0};
        for (int i = 0; i < N; ++i) {
            add_vertex(&c, 0.05 * i, 0.0, 0.0, 0.02);
            if (i > 0)
                add_edge(&c, i - 1, i);
        }
        for (int k = 0; k < 2; ++k) {
            SnRodDef def = direct_def(&c);
            def.classic = classic;
            if (k == 1)
                def.edges = NULL, def.edge_count = 0;
            SnWorld *world = heavy_world();
            SnBodyId rod = add_rod(world, &def);
            assert_int_equal(sn_rod_solver(world, rod), SN_SOLVER_DIRECT);
            pin(world, rod, SN_ATTACH_VERTEX, 0);
            pin(world, rod, SN_ATTACH_VERTEX, 1);
            pin(world, rod, SN_ATTACH_SEGMENT, 0);
            for (int n = 0; n < 20; ++n)
                assert_int_equal(step_world(world, DT, 4, 2), SN_STEP_OK);
            copy_rod(world, rod, &copies[k]);
            sn_world_destroy(world);
        }
        assert_true(copies[0].x[N - 1].y < -0.1f);
        for (int i = 0; i < N; ++i) {
            assert_below(distance(copies[0].x[i], copies[1].x[i]), 1e-4);
            assert_near(copies[0].s[i], copies[1].s[i], 1e-4);
        }
    }
}

// Torn out of shape and let go: momentum stays, and the energy never gets above that of the start.
static void momentum_stays_and_energy_never_grows(void **state) {
    (void)state;
    for (int n = 0; n < 6; ++n) {
        Creature c = n % 2 == 0 ? octopus() : star(6, 3);
        SnRodDef def = direct_def(&c);
        float stiffer = n < 2 ? 1.0f : n < 4 ? 100.0f : 1e4f;
        def.material.young *= stiffer;
        def.material.shear *= stiffer;
        def.material.volume *= stiffer;
        def.classic = n == 3;
        def.velocity = sn_vec3(1.0f, -2.0f, 0.5f);
        SnWorld *world = weightless_world();
        SnBodyId rod = add_rod(world, &def);
        static RodCopy copy;
        Rng rng = {(uint64_t)n};
        copy_rod(world, rod, &copy);
        disturb(&copy, &rng, 0.7, def.classic);
        SnBodyState written = copy_arrays(&copy);
        written.velocities = written.angular_velocities = NULL;
        assert_ok(sn_body_write(world, rod, &written));
        SnMeasures start = sn_world_measure(world);
        for (int k = 0; k < 120; ++k) {
            assert_int_equal(step_world(world, DT, 2, 1 + k % 3), SN_STEP_OK);
            SnMeasures now = sn_world_measure(world);
            assert_below(energy_of(&now), energy_of(&start));
            for (int e = 0; e < 3; ++e)
                assert_near(now.momentum[e], start.momentum[e], 2e-4 * start.mass);
        }
        sn_world_destroy(world);
    }
}

// Creatures of all kinds, swept and direct, held, activated, damped and pushed, on a floor.
static SnWorld *mixed_world(const SnWorldDef *def) {
    SnWorld *world = NULL;
    if (sn_world_create(def, &world).code != SN_OK)
        return NULL;
    add_floor(world, -1.0f, 0.5f);
    return world;
}

static SnResult add_mixed(SnWorld *world, int count) {
    SnResult result = {SN_OK, ""};
    for (int k = 0; k < count && result.code == SN_OK; ++k) {
        Creature c = k % 3 == 0 ? octopus() : star(3 + k % 4, 3);
        SnRodDef def = direct_def(&c);
        def.solver = k % 5 == 4 ? SN_SOLVER_SWEEP : SN_SOLVER_DIRECT;
        def.classic = k % 7 == 3;
        def.material.damping = k % 2 ? 0.01f : 0.0f;
        def.origin[0] = 3.0 * k;
        def.filter = sn_default_filter();
        SnAttachmentDef hold = sn_default_attachment_def();
        result = sn_rod_create(world, &def, &hold.body);
        hold.index = 2;
        if (result.code == SN_OK && k % 4 == 0)
            result = sn_attachment_create(world, &hold, NULL);
    }
    return result;
}

static void step_mixed(SnWorld *world, int count) {
    SnPoses poses;
    static SnBodyId rods[64];
    assert_ok(sn_world_poses(world, &poses));
    memcpy(rods, poses.bodies, (size_t)poses.body_count * sizeof rods[0]);
    int rod_count = poses.body_count;
    for (int n = 0; n < count; ++n) {
        for (int k = 0; k < rod_count; k += 3) {
            assert_ok(sn_body_add_force(world, rods[k], 2, sn_vec3(1.0f, 2.0f, 0.0f)));
            assert_ok(sn_body_add_torque(world, rods[k], 3, sn_vec3(0.1f, 0.0f, 0.0f)));
            assert_ok(sn_rod_set_length_scale(world, rods[k], 1, 2, 1.0f - 0.01f * (float)n));
        }
        assert_int_equal(step_world(world, DT, 3, 2), SN_STEP_OK);
    }
}

static void instruction_sets_threads_and_snapshots_agree(void **state) {
    (void)state;
    uint64_t expected = 0;
    static unsigned char saved[1 << 21];
    for (int isa = SN_ISA_SCALAR; isa <= SN_ISA_AVX512; ++isa)
        for (int threads = 1; threads <= 2 && sn_isa_available((SnIsa)isa); threads *= 2) {
            SnWorldDef def = sn_default_world_def();
            def.isa = (SnIsa)isa;
            def.thread_count = threads;
            SnWorld *world = mixed_world(&def);
            assert_ok(add_mixed(world, 24));
            step_mixed(world, 5);
            size_t size = sn_world_snapshot_size(world);
            assert_true(size <= sizeof saved);
            assert_ok(sn_world_save(world, saved, size));
            step_mixed(world, 8);
            uint64_t hash = sn_world_hash(world);
            assert_ok(sn_world_restore(world, saved, size));
            assert_true(sn_world_hash(world) != hash);
            step_mixed(world, 8);
            assert_true(sn_world_hash(world) == hash);
            if (expected != 0 && hash != expected)
                fail_msg("%s, %d threads: another hash", sn_isa_name((SnIsa)isa), threads);
            expected = hash;
            sn_world_destroy(world);
        }
}

// A creature moves the same whatever shares its pack.
static void neighbours_do_not_matter(void **state) {
    (void)state;
    static RodCopy alone, crowded;
    Creature c = octopus();
    for (int others = 0; others < 2; ++others) {
        SnWorld *world = heavy_world();
        SnRodDef def = direct_def(&c);
        for (int k = 0; k < others * 21; ++k) {
            def.angular_velocity = sn_vec3(0.0f, (float)k, 1.0f);
            def.material.young = 1e5f * (float)(k + 1);
            add_rod(world, &def);
        }
        def = direct_def(&c);
        def.angular_velocity = sn_vec3(1.0f, 0.0f, 2.0f);
        SnBodyId rod = add_rod(world, &def);
        pin(world, rod, SN_ATTACH_VERTEX, 2);
        for (int n = 0; n < 20; ++n)
            assert_int_equal(step_world(world, DT, 4, 2), SN_STEP_OK);
        copy_rod(world, rod, others ? &crowded : &alone);
        sn_world_destroy(world);
    }
    assert_memory_equal(&alone, &crowded, sizeof alone);
}

static void steady_steps_do_not_allocate(void **state) {
    (void)state;
    Counter counter = {0};
    SnWorldDef def = counted_def(&counter);
    def.thread_count = 2;
    SnWorld *world = mixed_world(&def);
    assert_ok(add_mixed(world, 20));
    step_mixed(world, 60);
    long calls = counter.calls;
    step_mixed(world, 10);
    assert_int_equal(counter.calls, calls);
    sn_world_destroy(world);
    assert_int_equal(counter.live, 0);
    assert_int_equal(counter.bytes, 0);
}

// Whichever call gets no memory, the world says so, works on, and gives back what it has.
static void every_allocation_may_fail(void **state) {
    (void)state;
    Counter counter = {0};
    SnWorldDef def = counted_def(&counter);
    SnWorld *world = mixed_world(&def);
    long begin = counter.calls;
    assert_ok(add_mixed(world, 5));
    long end = counter.calls;
    sn_world_destroy(world);
    for (long k = begin + 1; k <= end; ++k) {
        counter = (Counter){.fail_at = k};
        world = mixed_world(&def);
        SnResult result = add_mixed(world, 5);
        assert_int_equal(result.code, SN_ERROR_MEMORY);
        assert_true(strlen(result.message) > 0);
        assert_ok(add_mixed(world, 2));
        assert_int_equal(step_world(world, 0.01f, 1, 1), SN_STEP_OK);
        sn_world_destroy(world);
        assert_int_equal(counter.live, 0);
    }
}

// Swept and direct ones of one graph lie in packs of their own and come and go as they like.
static void creatures_come_and_go(void **state) {
    (void)state;
    SnWorld *world = heavy_world();
    SnBodyId rods[40] = {{0}};
    Rng rng = {3};
    for (int n = 0; n < 400; ++n) {
        int k = rng_int(&rng, 0, 39);
        if (sn_body_is_valid(world, rods[k])) {
            assert_ok(sn_body_destroy(world, rods[k]));
            continue;
        }
        Creature c = k % 3 == 0 ? star(8, 13) : star(3 + k % 2, 2);
        SnRodDef def = direct_def(&c);
        def.solver = k % 2 ? SN_SOLVER_DIRECT : SN_SOLVER_SWEEP;
        rods[k] = add_rod(world, &def);
        assert_int_equal(sn_rod_solver(world, rods[k]), def.solver);
        if (n % 10 == 0)
            assert_int_equal(step_world(world, DT, 2, 1), SN_STEP_OK);
    }
    sn_world_destroy(world);
}

static SnRodSolver solver_of(const SnRodDef *def) {
    SnWorld *world = weightless_world();
    SnRodSolver solver = sn_rod_solver(world, add_rod(world, def));
    sn_world_destroy(world);
    return solver;
}

typedef struct Net {
    SnVec3 x[25 * 25];
    int edges[2 * 25 * 50];
} Net;

static SnRodDef net_def(Net *net, int side) {
    int count = 0;
    for (int i = 0; i < side * side; ++i) {
        net->x[i] = sn_vec3(0.1f * (float)(i % side), 0.0f, 0.1f * (float)(i / side));
        for (int k = 0; k < 2; ++k) {
            if ((k == 0 ? i % side : i / side) == 0)
                continue;
            net->edges[2 * count] = k == 0 ? i - 1 : i - side;
            net->edges[2 * count++ + 1] = i;
        }
    }
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = side * side;
    def.positions = net->x;
    def.radius = 0.01f;
    def.edges = net->edges;
    def.edge_count = count;
    def.filter.mask = 0;
    def.solver = SN_SOLVER_DIRECT;
    return def;
}

// Trees of all kinds and what has a few cycles is solved directly, wide nets only if that is asked for, and others
// if they are stiff.
static void who_is_solved_directly(void **state) {
    (void)state;
    static Net net;
    Creature hub = star(SN_MAX_BRANCHES, 2), body = octopus();
    SnRodDef def = direct_def(&hub);
    assert_int_equal(solver_of(&def), SN_SOLVER_DIRECT);
    def = net_def(&net, 25);
    assert_int_equal(solver_of(&def), SN_SOLVER_DIRECT);
    def.solver = SN_SOLVER_AUTO;
    def.material.young = 1e13f;
    assert_int_equal(solver_of(&def), SN_SOLVER_SWEEP);
    def = net_def(&net, 9);
    assert_int_equal(solver_of(&def), SN_SOLVER_DIRECT);
    def.solver = SN_SOLVER_AUTO;
    def.material = sn_default_rod_material();
    assert_int_equal(solver_of(&def), SN_SOLVER_SWEEP);
    def.material.young = 1e13f;
    assert_int_equal(solver_of(&def), SN_SOLVER_DIRECT);
    def = direct_def(&body);
    def.solver = SN_SOLVER_AUTO;
    def.material = sn_default_rod_material();
    assert_int_equal(solver_of(&def), SN_SOLVER_DIRECT);
    def.solver = SN_SOLVER_SWEEP;
    assert_int_equal(solver_of(&def), SN_SOLVER_SWEEP);
}

// A net under its own weight between two corners, cycles and all.
static void a_net_hangs(void **state) {
    (void)state;
    static Net net;
    SnRodDef def = net_def(&net, 5);
    def.material.young = 1e9f;
    def.material.bend = def.material.twist = 1e5f;
    def.material.drag = 3.0f;
    SnWorld *world = heavy_world();
    SnBodyId rod = add_rod(world, &def);
    pin(world, rod, SN_ATTACH_VERTEX, 0);
    pin(world, rod, SN_ATTACH_VERTEX, 4);
    for (int n = 0; n < 300; ++n)
        assert_int_equal(step_world(world, DT, 2, 2), SN_STEP_OK);
    SnMeasures m = sn_world_measure(world);
    assert_below(m.stretch_max, 1e-3);
    assert_below(m.speed_max, 0.05);
    assert_below(m.residual, 0.1);
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(octopuses_land),
        cmocka_unit_test(few_iterations_are_worth_many_sweeps),
        cmocka_unit_test(a_chain_of_edges_is_a_chain),
        cmocka_unit_test(momentum_stays_and_energy_never_grows),
        cmocka_unit_test(instruction_sets_threads_and_snapshots_agree),
        cmocka_unit_test(neighbours_do_not_matter),
        cmocka_unit_test(steady_steps_do_not_allocate),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(creatures_come_and_go),
        cmocka_unit_test(who_is_solved_directly),
        cmocka_unit_test(a_net_hangs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
