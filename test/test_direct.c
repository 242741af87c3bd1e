// The direct solver: Newton's method on whole rods, against an independent model (reference.h), a
// dense solve, sweeps, formulas and conservation laws.
#include "contact_kit.h"
#include "mixed_scene.h"
#include "one_step.h"

typedef struct Variant {
    const char *name;
    int vertices;
    bool closed, classic;
} Variant;

static const Variant variants[] = {
    {"open volume", 7, false, false},
    {"open classic", 7, false, true},
    {"closed volume", 7, true, false},
    {"closed classic", 7, true, true},
};
enum { VARIANTS = sizeof variants / sizeof variants[0] };

static void direct_shape(Shape *shape, Rng *rng, const Variant *variant) {
    random_shape(shape, rng, variant->vertices, variant->closed);
    shape->def.classic = variant->classic;
    shape->def.material = all_potentials();
    shape->def.solver = SN_SOLVER_DIRECT;
    shape->def.filter.mask = 0; // some of these shapes touch themselves
}

typedef struct Term {
    const char *name;
    size_t offset; // of its stiffness in SnRodMaterial
    float value;
} Term;

#define TERM(name, field, value)                                                                   \
    { name, offsetof(SnRodMaterial, field), value }

// One potential at a time, strongly deformed: iterations go on until the engine's gradient vanishes,
// so what is left of the model's is the difference of the two.
static void every_potential_has_the_gradient_of_its_energy(void **state) {
    (void)state;
    static Shape shape;
    const Term terms[] = {
        TERM("stretch", stretch, 1e5f),
        TERM("shear", transverse, 1e5f),
        TERM("cross-section", cross_section, 1e3f),
        TERM("scale gradient", scale_gradient, 1e5f),
        TERM("bend", bend, 3e5f),
        TERM("twist", twist, 3e4f),
        TERM("scale bend", scale_bend, 20.0f),
        TERM("volume bend", volume_bend, 5e4f),
        TERM("volume", volume, 1e4f),
    };
    for (size_t t = 0; t < sizeof terms / sizeof terms[0]; ++t)
        for (int variant = 0; variant < 4; ++variant) {
            Rng rng = {(uint64_t)variant};
            direct_shape(&shape, &rng,
                         &(Variant){"", variant < 2 ? 9 : 130, variant % 2 == 1, false});
            shape.def.material = no_stiffness();
            memcpy((char *)&shape.def.material + terms[t].offset, &terms[t].value, sizeof(float));
            RefNorms left = minimise_once(&shape, 7, (Pose){0.3, false}, 1e-3, 12);
            assert_little_left(terms[t].name, left, 0.02);
        }
}

typedef enum Held { HELD_NOWHERE, HELD_WITHIN, HELD_BY_WALLS, HELD_WAYS } Held;

// The Hessian by finite differences, with unit rows for what is held: vertex 1 (x, y, z), the scale
// of vertex 2 and the frame of segment 3, or vertex 0.
static bool is_held(const RefRod *r, int k, Held held) {
    if (r->classic && ref_is_scale(r, k))
        return true;
    int turn = k - 4 * r->vertices;
    bool within = (k >= 4 && k < 7) || k == 11 || (turn >= 9 && turn < 12);
    return (held == HELD_WITHIN && within) || (held == HELD_BY_WALLS && k < 3);
}

static void hold(SnWorld *world, SnBodyId rod, RefRod *ref, Held held) {
    if (held == HELD_WITHIN) {
        pin(world, rod, SN_ATTACH_VERTEX, 1);
        pin(world, rod, SN_ATTACH_SEGMENT, 3);
        if (!ref->classic)
            pin(world, rod, SN_ATTACH_SCALE, 2);
    }
    if (held != HELD_BY_WALLS)
        return;
    // Frames that are not those of the segments, so that the walls turn them from the start.
    pin(world, rod, SN_ATTACH_VERTEX, 0);
    ref->walled = true;
    for (int end = 0; end < 2; ++end) {
        int j = end == 0 ? 0 : ref->segments - 1;
        SnAttachmentDef def = sn_default_attachment_def();
        SnAttachmentId id;
        def.kind = SN_ATTACH_SEGMENT;
        def.body = rod;
        def.index = j;
        assert_ok(sn_attachment_create(world, &def, &id));
        ref->wall[end] = mulqd(ref->predicted.q[j], quatd(turn_about(1, 2, 3, 0.002)));
        assert_ok(sn_attachment_set_target(world, id, sn_vec3(0, 0, 0), quatf(ref->wall[end]), 1));
    }
}

static void dense_step(const RefRod *r, const RefState *s, Held held, double *out_step) {
    enum { MOST = 7 * 8 };
    static double H[MOST * MOST], plus[REF_DOF], minus[REF_DOF];
    int n = ref_unknowns(r);
    assert_true(n <= MOST);
    ref_gradient(r, s, out_step);
    for (int k = 0; k < n; ++k) {
        RefState moved = *s;
        ref_move(r, &moved, k, 1e-5);
        ref_gradient(r, &moved, plus);
        moved = *s;
        ref_move(r, &moved, k, -1e-5);
        ref_gradient(r, &moved, minus);
        for (int i = 0; i < n; ++i)
            H[i * n + k] = (plus[i] - minus[i]) / 2e-5;
    }
    for (int k = 0; k < n; ++k) {
        out_step[k] = is_held(r, k, held) ? 0.0 : -out_step[k];
        for (int i = 0; i < n && is_held(r, k, held); ++i)
            H[i * n + k] = H[k * n + i] = i == k ? 1.0 : 0.0;
    }
    solve_dense(H, out_step, n);
}

// Near rest the Hessian of Gauss and Newton is the Hessian: one iteration is a dense Newton step.
static void one_iteration_is_a_dense_newton_step(void **state) {
    (void)state;
    static Shape shape;
    static RefRod ref;
    static double step[REF_DOF];
    for (int c = 0; c < 2 * HELD_WAYS * VARIANTS; ++c) {
        const Variant *variant = &variants[c % VARIANTS];
        Held held = (Held)(c / VARIANTS % HELD_WAYS);
        bool stiff = c >= HELD_WAYS * VARIANTS;
        if (variant->closed && held == HELD_BY_WALLS)
            continue;
        Rng rng = {(uint64_t)(90 + c)};
        direct_shape(&shape, &rng, variant);
        shape.def.material.young *= stiff ? 30.0f : 1.0f;
        // So that it counts; over the seam of a closed rod, the Hessian has only a bound of it.
        shape.def.material.scale_bend = variant->closed ? SN_DERIVED : 1e5f;
        SnWorld *world = weightless_world();
        SnBodyId rod;
        assert_ok(sn_rod_create(world, &shape.def, &rod));
        assert_int_equal(sn_rod_solver(world, rod), SN_SOLVER_DIRECT);
        RodCopy copy;
        copy_rod(world, rod, &copy);
        ref_create(&ref, &shape.def, &copy, ref_second_order(4e-3));
        random_pose(&copy, &rng, (Pose){stiff ? 0.001 : 0.003, false}, variant->classic);
        SnBodyState arrays = copy_arrays(&copy);
        assert_ok(sn_body_write(world, rod, &arrays));
        copy_rod(world, rod, &copy);
        ref.predicted = ref_state(&copy);
        hold(world, rod, &ref, held);
        dense_step(&ref, &ref.predicted, held, step);
        assert_int_equal(sn_world_step(world, 4e-3f, 1, 1), SN_STEP_OK);
        copy_rod(world, rod, &copy);
        RefState after = ref_state(&copy), expected = ref.predicted;
        for (int k = 0; k < ref_unknowns(&ref); ++k)
            ref_move(&ref, &expected, k, step[k]);
        double moved = 0.0, apart = 0.0, turned = 0.0, turn_apart = 0.0;
        double swelled = 0.0, swell_apart = 0.0;
        for (int i = 0; i < ref.vertices; ++i) {
            moved = fmax(moved, lengthd(subd(expected.x[i], ref.predicted.x[i])));
            apart = fmax(apart, lengthd(subd(expected.x[i], after.x[i])));
            swelled = fmax(swelled, fabs(expected.s[i] - ref.predicted.s[i]));
            swell_apart = fmax(swell_apart, fabs(expected.s[i] - after.s[i]));
        }
        for (int j = 0; j < ref.segments; ++j) {
            turned = fmax(turned, lengthd(ref_darboux(ref.predicted.q[j], expected.q[j], 1.0)));
            turn_apart = fmax(turn_apart, lengthd(ref_darboux(after.q[j], expected.q[j], 1.0)));
        }
        assert_true(moved > 1e-5);
        if (!(apart < 0.03 * moved && turn_apart < 0.03 * turned &&
              swell_apart <= 0.03 * swelled + 1e-7))
            fail_msg("%s%s%s: off by %.4f, %.4f and %.4f of the step", variant->name,
                     held == HELD_NOWHERE  ? ""
                     : held == HELD_WITHIN ? ", held"
                                           : ", held by walls",
                     stiff ? ", stiff" : "", apart / moved, turn_apart / turned,
                     swell_apart / swelled);
        sn_world_destroy(world);
    }
}

// Far from rest, soft and stiff: what it converges to is the minimum, and it gets there fast.
static void few_iterations_minimise_the_objective(void **state) {
    (void)state;
    static Shape shape;
    for (int c = 0; c < 4 * VARIANTS; ++c) {
        Variant variant = variants[c % VARIANTS];
        variant.vertices = 16;
        bool stiff = c >= 2 * VARIANTS;
        Rng rng = {(uint64_t)c};
        direct_shape(&shape, &rng, &variant);
        shape.def.material.young *= stiff ? 1e4f : 1.0f;
        shape.def.material.shear *= stiff ? 1e4f : 1.0f;
        shape.def.material.volume *= stiff ? 1e4f : 1.0f;
        RefNorms left = minimise_once(&shape, (uint64_t)c, (Pose){0.2, false}, 4e-3, 16);
        assert_little_left(variant.name, left, stiff ? 0.002 : 0.0005);
    }
}

// Kelvin-Voigt damping, as in test_solver.c.
static void two_vertices_take_the_analytic_step(void **state) {
    (void)state;
    for (int damped = 0; damped < 2; ++damped) {
        SnWorld *world = weightless_world();
        SnVec3 rest[2] = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.5f}};
        SnVec3 start[2] = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.6f}};
        SnRodDef def = sn_default_rod_def();
        def.solver = SN_SOLVER_DIRECT;
        def.vertex_count = 2;
        def.positions = rest;
        def.start_positions = start;
        def.radius = 0.1f;
        def.classic = true;
        def.material.young = 1e5f;
        def.material.damping = damped ? 0.02f : 0.0f;
        SnBodyId rod;
        assert_ok(sn_rod_create(world, &def, &rod));
        assert_int_equal(sn_world_step(world, 0.01f, 1, 1), SN_STEP_OK);
        double area = SUPPORT_PI * (double)0.1f * (double)0.1f, l = 0.5, h = (double)0.01f;
        double m = 0.5 * 1000.0 * area * l, k = 1e5 * area / l;
        double kappa = damped ? (double)0.02f / h : 0.0, G = h * h / 3.0 * k * (2.0 / m);
        double d0 = (double)0.6f, d = (d0 + G * (l + kappa * d0)) / (1.0 + G * (1.0 + kappa));
        RodCopy now;
        copy_rod(world, rod, &now);
        assert_near((double)now.x[1].z - (double)now.x[0].z, d, 2e-6);
        sn_world_destroy(world);
    }
}

// Wires as stiff as steel, 1 cm thick in segments of 1 cm, in steps of 1/60 s: F L³/(3 E I) at the
// tip, with one iteration.
static void a_steel_cantilever_bends_as_it_should(void **state) {
    (void)state;
    enum { N = 50 };
    for (int c = 0; c < 4; ++c) {
        double young = c < 2 ? 1e9 : 2e11;
        SnVec3 x[N + 1];
        line_of_points(x, N + 1, sn_vec3(0, 0, 0), sn_vec3(0.01f, 0, 0));
        SnRodDef def = sn_default_rod_def();
        def.vertex_count = N + 1;
        def.positions = x;
        def.radius = 0.01f;
        def.classic = c % 2 == 1;
        def.solver = SN_SOLVER_DIRECT;
        def.material.density = 7800.0f;
        def.material.young = (float)young;
        def.material.shear = (float)(0.4 * young);
        def.material.volume = (float)(50.0 * young);
        def.material.drag = 100.0f;
        SnWorld *world = weightless_world();
        SnBodyId rod;
        assert_ok(sn_rod_create(world, &def, &rod));
        pin(world, rod, SN_ATTACH_VERTEX, 0);
        pin(world, rod, SN_ATTACH_SEGMENT, 0);
        double L = 0.01 * N, I = 0.25 * SUPPORT_PI * 1e-8, wanted = 0.01 * L;
        float force = (float)(wanted * 3.0 * young * I / (L * L * L));
        for (int n = 0; n < 300; ++n) {
            assert_ok(sn_body_add_force(world, rod, N, sn_vec3(0, -force, 0)));
            assert_int_equal(sn_world_step(world, 1.0f / 60.0f, 1, 1), SN_STEP_OK);
        }
        RodCopy now;
        copy_rod(world, rod, &now);
        // Shear adds 3 (r/2)²/L² × E/(E + k_v), less than 0.04 %; discretisation 1/(2N − 1)².
        assert_near(-(double)now.x[N].y / wanted, 1.0, 0.005);
        sn_world_destroy(world);
    }
}

static double energy_of(const SnMeasures *m) {
    return m->energy_kinetic + m->energy_gravity + m->energy_elastic;
}

// A free rod torn out of shape: its momentum stays, and its energy never gets above that of the
// start, in long steps and with few iterations. What one iteration leaves unsolved of a very stiff
// rod counts as energy, and comes and goes.
static void momentum_stays_and_energy_never_grows(void **state) {
    (void)state;
    static Shape shape;
    for (int c = 0; c < 3 * VARIANTS; ++c) {
        Variant variant = variants[c % VARIANTS];
        variant.vertices = 20;
        Rng rng = {(uint64_t)(50 + c)};
        direct_shape(&shape, &rng, &variant);
        float stiffer = c < VARIANTS ? 1.0f : c < 2 * VARIANTS ? 100.0f : 1e5f;
        shape.def.material.young *= stiffer;
        shape.def.material.shear *= stiffer;
        shape.def.material.volume *= stiffer;
        shape.def.velocity = sn_vec3(1.0f, -2.0f, 0.5f);
        SnWorld *world = weightless_world();
        SnBodyId rod;
        assert_ok(sn_rod_create(world, &shape.def, &rod));
        RodCopy copy;
        copy_rod(world, rod, &copy);
        random_pose(&copy, &rng, (Pose){0.2, false}, variant.classic);
        SnBodyState arrays = copy_arrays(&copy);
        assert_ok(sn_body_write(world, rod, &arrays));
        SnMeasures start = sn_world_measure(world), before = start;
        double most = 0.0;
        for (int n = 0; n < 120; ++n) {
            assert_int_equal(sn_world_step(world, 1.0f / 60.0f, 2, 1 + n % 3), SN_STEP_OK);
            SnMeasures now = sn_world_measure(world);
            most = fmax(most, energy_of(&now));
            if (stiffer < 1e3f && !(energy_of(&now) <= energy_of(&before) * 1.02))
                fail_msg("%s, stiffer %g, step %d: energy grew from %g to %g", variant.name,
                         (double)stiffer, n, energy_of(&before), energy_of(&now));
            for (int k = 0; k < 3; ++k)
                assert_near(now.momentum[k], start.momentum[k], 2e-4 * start.mass);
            before = now;
        }
        assert_below(most, energy_of(&start));
        sn_world_destroy(world);
    }
}

// Tension is stiffness across the rod: a hanging rope with a heavy end that swings, in steps of 1/60 s.
static void a_rope_under_tension_swings_quietly(void **state) {
    (void)state;
    enum { N = 40 };
    SnVec3 x[N + 1];
    float radii[N + 1];
    line_of_points(x, N + 1, sn_vec3(0, 0, 0), sn_vec3(0.02f, -0.01f, 0));
    for (int i = 0; i <= N; ++i)
        radii[i] = i < N ? 0.002f : 0.1f;
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = N + 1;
    def.positions = x;
    def.radii = radii;
    def.classic = true;
    def.solver = SN_SOLVER_DIRECT;
    def.material.young = 1e9f;
    def.material.bend = def.material.twist = 1e5f;
    SnWorld *world = heavy_world();
    SnBodyId rod;
    assert_ok(sn_rod_create(world, &def, &rod));
    pin(world, rod, SN_ATTACH_VERTEX, 0);
    SnMeasures before = sn_world_measure(world);
    for (int n = 0; n < 300; ++n) {
        assert_int_equal(sn_world_step(world, DT, 1, 3), SN_STEP_OK);
        SnMeasures now = sn_world_measure(world);
        assert_below(now.stretch_max, 0.01);
        assert_below(energy_of(&now), energy_of(&before) + 2e-3 * fabs(energy_of(&before)));
        before = now;
    }
    sn_world_destroy(world);
}

// Stiff wires wound into three turns spring open, and end up straight and at rest.
static void a_wound_up_wire_springs_open(void **state) {
    (void)state;
    enum { N = 60 };
    SnVec3 x[N + 1], start[N + 1];
    for (int classic = 0; classic < 2; ++classic) {
        line_of_points(x, N + 1, sn_vec3(0, 0, 0), sn_vec3(0.01f, 0, 0));
        for (int i = 0; i <= N; ++i) {
            double angle = 6.0 * SUPPORT_PI * i / N, r = 0.01 * N / (6.0 * SUPPORT_PI);
            start[i] = sn_vec3((float)(r * cos(angle)), (float)(r * sin(angle)), 0.001f * (float)i);
        }
        SnRodDef def = sn_default_rod_def();
        def.vertex_count = N + 1;
        def.positions = x;
        def.start_positions = start;
        def.radius = 0.003f;
        def.classic = classic == 1;
        def.solver = SN_SOLVER_DIRECT;
        def.material.young = 1e9f;
        def.material.shear = 4e8f;
        def.material.volume = 1e10f;
        def.material.drag = 5.0f;
        def.filter.mask = 0;
        SnWorld *world = weightless_world();
        SnBodyId rod;
        assert_ok(sn_rod_create(world, &def, &rod));
        SnMeasures wound = sn_world_measure(world);
        for (int n = 0; n < 240; ++n) {
            assert_int_equal(sn_world_step(world, DT, 4, 2), SN_STEP_OK);
            SnMeasures open = sn_world_measure(world);
            assert_below(open.energy_kinetic + open.energy_elastic, energy_of(&wound));
        }
        RodCopy now;
        copy_rod(world, rod, &now);
        assert_near(distance(now.x[0], now.x[N]), 0.6, 0.003);
        sn_world_destroy(world);
    }
}

// A stiff bar that falls on two soft ones on the floor lies on them as on a bridge.
static void a_bar_lies_on_two_others(void **state) {
    (void)state;
    for (int iterations = 1; iterations <= 3; iterations += 2) {
        SnWorld *world = heavy_world();
        add_floor(world, 0.0f, 0.5f);
        SnVec3 x[21];
        for (int k = 0; k < 3; ++k) {
            SnVec3 at = sn_vec3(k < 2 ? 0.2f * (float)k - 0.1f : 0.0f, k < 2 ? 0.03f : 0.1f, 0.0f);
            SnRodDef def =
                line_def(x, 21, at, k < 2 ? sn_vec3(0, 0, 1) : sn_vec3(1, 0, 0), 0.4f, 0.02f);
            def.solver = SN_SOLVER_DIRECT;
            def.material.young = k < 2 ? 1e6f : 2e11f;
            def.material.shear = 0.3f * def.material.young;
            def.material.volume = 10.0f * def.material.young;
            SnBodyId rod = add_rod(world, &def);
            if (k < 2)
                continue;
            for (int n = 0; n < 40; ++n) // they are rollers: it does not stay for ever
                assert_int_equal(sn_world_step(world, DT, 10, iterations), SN_STEP_OK);
            RodCopy now;
            copy_rod(world, rod, &now);
            for (int i = 0; i < 21; ++i) {
                assert_near(now.x[i].y, 0.06, 0.004);
                assert_near(now.v[i].y, 0.0, 0.05);
            }
        }
        sn_world_destroy(world);
    }
}

static uint64_t hash_of_run(const SnWorldDef *def) {
    MixedScene scene;
    assert_ok(mixed_create_with(&scene, def, SN_SOLVER_DIRECT));
    for (int n = 0; n < 10; ++n)
        assert_int_equal(mixed_step(&scene), SN_STEP_OK);
    uint64_t hash = sn_world_hash(scene.world);
    sn_world_destroy(scene.world);
    return hash;
}

static void every_instruction_set_and_thread_count_agrees(void **state) {
    (void)state;
    uint64_t expected = 0;
    for (int isa = SN_ISA_SCALAR; isa <= SN_ISA_AVX512; ++isa)
        for (int threads = 1; threads <= 2 && sn_isa_available((SnIsa)isa); ++threads) {
            SnWorldDef def = sn_default_world_def();
            def.isa = (SnIsa)isa;
            def.thread_count = threads;
            uint64_t hash = hash_of_run(&def);
            expected = expected ? expected : hash;
            if (hash != expected)
                fail_msg("%s, %d threads: another hash", sn_isa_name((SnIsa)isa), threads);
        }
}

// A rod moves the same whatever shares its pack: closed ones, too.
static void neighbours_do_not_matter(void **state) {
    (void)state;
    RodCopy alone = {0}, crowded = {0};
    for (int others = 0; others < 2; ++others) {
        SnWorld *world = heavy_world();
        SnVec3 x[12];
        SnRodDef def = sn_default_rod_def();
        def.vertex_count = 12;
        def.positions = x;
        def.filter.mask = 0;
        def.solver = SN_SOLVER_DIRECT;
        for (int k = 0; k < others * 21; ++k) {
            circle_of_points(x, 11, 0.1 + 0.01 * k);
            def.vertex_count = 11;
            def.closed = true;
            if (k % 2) {
                line_of_points(x, 12, sn_vec3(0, 0, 0), sn_vec3(0.03f, 0.001f * (float)k, 0.0f));
                def.vertex_count = 12;
                def.closed = false;
            }
            def.angular_velocity = sn_vec3(0.0f, (float)k, 1.0f);
            assert_ok(sn_rod_create(world, &def, NULL));
        }
        line_of_points(x, 12, sn_vec3(0, 0, 0), sn_vec3(0.05f, 0.02f, 0.0f));
        def.vertex_count = 12;
        def.closed = false;
        def.angular_velocity = sn_vec3(1.0f, 0.0f, 2.0f);
        SnBodyId rod;
        assert_ok(sn_rod_create(world, &def, &rod));
        pin(world, rod, SN_ATTACH_VERTEX, 0);
        for (int n = 0; n < 30; ++n)
            (void)sn_world_step(world, DT, 4, 2);
        copy_rod(world, rod, others ? &crowded : &alone);
        sn_world_destroy(world);
    }
    assert_memory_equal(&alone, &crowded, sizeof alone);
}

static SnRodSolver solver_of(const SnRodDef *def) {
    SnWorld *world = weightless_world();
    SnBodyId rod;
    assert_ok(sn_rod_create(world, def, &rod));
    SnRodSolver solver = sn_rod_solver(world, rod);
    sn_world_destroy(world);
    return solver;
}

// Rods and creatures are solved directly unless they ask for sweeps and are not far too stiff for them.
static void who_asks_for_sweeps_is_swept(void **state) {
    (void)state;
    SnVec3 x[21];
    line_of_points(x, 21, sn_vec3(0, 0, 0), sn_vec3(0.01f, 0, 0));
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = 21;
    def.positions = x;
    def.material.young = 1e7f;
    def.solver = SN_SOLVER_SWEEP;
    assert_int_equal(solver_of(&def), SN_SOLVER_SWEEP);
    def.material.young = 2e11f; // sweeps would be nowhere near it
    assert_int_equal(solver_of(&def), SN_SOLVER_DIRECT);
    def.solver = sn_default_rod_def().solver;
    assert_int_equal(solver_of(&def), SN_SOLVER_DIRECT);
    def.material.young = 1e3f;
    def.material.shear = 4e2f;
    assert_int_equal(solver_of(&def), SN_SOLVER_DIRECT);
    const int edges[] = {0, 1, 1, 2, 1, 3};
    def.edges = edges;
    def.edge_count = 3;
    def.vertex_count = 4;
    assert_int_equal(solver_of(&def), SN_SOLVER_DIRECT);
    def.solver = SN_SOLVER_SWEEP;
    assert_int_equal(solver_of(&def), SN_SOLVER_SWEEP);
    def.solver = (SnRodSolver)7;
    SnWorld *world = weightless_world();
    assert_int_equal(sn_rod_create(world, &def, NULL).code, SN_ERROR_INVALID);
    assert_int_equal(sn_rod_solver(world, (SnBodyId){9, 9}), SN_SOLVER_SWEEP);
    sn_world_destroy(world);
}

// The statistics tell how far from the solution the last sub-step was.
static void the_residual_falls_with_iterations(void **state) {
    (void)state;
    static Shape shape;
    for (int c = 0; c < VARIANTS; ++c) {
        double residual[2];
        for (int k = 0; k < 2; ++k) {
            Rng rng = {(uint64_t)(70 + c)};
            direct_shape(&shape, &rng, &variants[c]);
            SnWorld *world = weightless_world();
            SnBodyId rod;
            assert_ok(sn_rod_create(world, &shape.def, &rod));
            RodCopy copy;
            copy_rod(world, rod, &copy);
            random_pose(&copy, &rng, (Pose){0.2, false}, variants[c].classic);
            SnBodyState arrays = copy_arrays(&copy);
            assert_ok(sn_body_write(world, rod, &arrays));
            assert_int_equal(sn_world_step(world, 4e-3f, 1, k ? 8 : 1), SN_STEP_OK);
            residual[k] = sn_world_measure(world).residual;
            sn_world_destroy(world);
        }
        assert_below(residual[0], 0.05); // far turns are repeated by themselves
        assert_below(residual[1], fmax(0.1 * residual[0], 1e-5)); // what float positions round
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_potential_has_the_gradient_of_its_energy),
        cmocka_unit_test(one_iteration_is_a_dense_newton_step),
        cmocka_unit_test(few_iterations_minimise_the_objective),
        cmocka_unit_test(two_vertices_take_the_analytic_step),
        cmocka_unit_test(a_steel_cantilever_bends_as_it_should),
        cmocka_unit_test(momentum_stays_and_energy_never_grows),
        cmocka_unit_test(a_rope_under_tension_swings_quietly),
        cmocka_unit_test(a_wound_up_wire_springs_open),
        cmocka_unit_test(a_bar_lies_on_two_others),
        cmocka_unit_test(every_instruction_set_and_thread_count_agrees),
        cmocka_unit_test(neighbours_do_not_matter),
        cmocka_unit_test(who_asks_for_sweeps_is_swept),
        cmocka_unit_test(the_residual_falls_with_iterations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
