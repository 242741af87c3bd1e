// The direct solver on creatures: elimination over graphs against dense solves, Newton steps against
// an independent model (creature_reference.h), and octopuses.
#include "alone.h"
#include "contact_kit.h"
#include "creature_reference.h"
#include "one_step.h"

#include "rod/symbolic.h"

#define WIDE 1
#define WIDE_NAME scalar
#define NEWTON_DOUBLE 1
#include "rod/newton_graph.h"

// A tree of so many vertices whose branch points have up to `branching` segments, edges in either
// direction and in any order, and `more` edges that close cycles.
static Creature random_creature(Rng *rng, int vertices, int branching, int more) {
    Creature c = {0};
    int degree[COPY_MAX] = {0};
    add_vertex(&c, 0.0, 0.0, 0.0, 0.03);
    for (int i = 1; i < vertices; ++i) {
        int from;
        do
            from = rng_int(rng, i > 2 * branching ? i - 2 * branching : 0, i - 1);
        while (degree[from] >= branching);
        Vec3d d = vec3d(rng_vec3(rng, 1.0)), at = vec3d(c.x[from]);
        d = scaled(d, (double)rng_float(rng, 0.06, 0.15) / lengthd(d));
        add_vertex(&c, at.x + d.x, at.y + d.y, at.z + d.z, (double)rng_float(rng, 0.015, 0.03));
        bool back = rng_int(rng, 0, 1) == 1;
        add_edge(&c, back ? i : from, back ? from : i);
        degree[from] += 1;
        degree[i] += 1;
    }
    for (int n = 0; n < more; ++n) {
        int a = rng_int(rng, 0, vertices - 1), b = rng_int(rng, 0, vertices - 1);
        bool there = a == b;
        for (int j = 0; j < c.edge_count; ++j)
            there |= (c.edges[2 * j] == a && c.edges[2 * j + 1] == b) ||
                     (c.edges[2 * j] == b && c.edges[2 * j + 1] == a);
        if (!there)
            add_edge(&c, a, b);
    }
    for (int j = c.edge_count - 1; j > 0; --j) {
        int k = rng_int(rng, 0, j);
        for (int e = 0; e < 2; ++e) {
            int kept = c.edges[2 * j + e];
            c.edges[2 * j + e] = c.edges[2 * k + e];
            c.edges[2 * k + e] = kept;
        }
    }
    return c;
}

static SnRodMaterial random_material(Rng *rng) {
    SnRodMaterial m = all_potentials();
    float factor = powf(10.0f, rng_float(rng, -2.0, 4.0));
    m.young *= factor;
    m.shear *= factor;
    m.volume *= factor;
    m.scale_bend = rng_int(rng, 0, 1) ? 50.0f * factor : SN_DERIVED;
    m.damping = rng_int(rng, 0, 3) == 0 ? 0.01f : 0.0f;
    return m;
}

static void make_alone(Alone *a, const SnRodDef *def, Rng *rng) {
    alone_create(a, def);
    RodPack *pack = a->pack;
    for (int i = 0; i < def->vertex_count; ++i) {
        pack->state[i].x[0] += rng_float(rng, -5e-3, 5e-3);
        pack->state[i].y[0] += rng_float(rng, -5e-3, 5e-3);
        pack->state[i].s[0] += def->classic ? 0.0f : rng_float(rng, -0.1, 0.1);
        pack->state[i].vz[0] = rng_float(rng, -1.0, 1.0);
        pack->held[i][0] |= (uint8_t)(rng_int(rng, 0, 5) == 0 ? 1 << rng_int(rng, 0, 2) : 0);
    }
    for (int j = 0; j < def->edge_count; ++j)
        pack->state[j].wx[0] = rng_float(rng, -20.0, 20.0);
    alone_lend(a);
    a->step = (RodStep){.kernels = sn__rod_kernels(SN_ISA_SCALAR),
                        .motion = {.h = 1.0f / 600.0f, .gravity = {0.0f, -9.81f, 0.0f}}};
    alone_prepare(a);
    a->step.kernels->predict(pack, &a->step.motion);
    if (pack->damped)
        a->step.kernels->warm(pack);
}

// The Hessian before it is eliminated, as a dense matrix.
static void expand(const RodSymbolic *symbolic, const double *A, double *H) {
    int n = symbolic->unknowns;
    memset(H, 0, (size_t)n * (size_t)n * sizeof *H);
    for (int k = 0; k < symbolic->stations; ++k) {
        const SymbolicStation *s = &symbolic->station[k];
        for (int i = 0; i < s->count; ++i) {
            const double *row = A + s->at + i * s->width;
            int r = s->first + i;
            for (int m = i; m < s->count; ++m)
                H[r * n + s->first + m] = H[(s->first + m) * n + r] = row[m];
            for (int b = s->behind; b < s->behind + s->behind_count; ++b) {
                const SymbolicGroup *g = &symbolic->behind[b];
                for (int m = 0; m < g->size; ++m)
                    H[r * n + g->unknown + m] = H[(g->unknown + m) * n + r] = row[g->column + m];
            }
        }
    }
}

// Thousands of random graphs, with held vertices, frames and scales: the step is that of a dense
// solve of the same system.
static void elimination_is_a_dense_solve(void **state) {
    (void)state;
    enum { MOST = 7 * 24 };
    static double H[MOST * MOST], b[MOST], scale[MOST];
    double worst = 0.0;
    for (int c = 0; c < 2000; ++c) {
        Rng rng = {(uint64_t)c};
        int vertices = 3 + rng_int(&rng, 0, c % 20 == 0 ? 16 : 8);
        int more = c % 4 == 3 ? rng_int(&rng, 1, 4) : 0;
        Creature creature = random_creature(&rng, vertices, 2 + c % 5, more);
        SnRodDef def = def_of(&creature);
        def.solver = SN_SOLVER_DIRECT;
        def.classic = c % 7 == 0;
        def.material = random_material(&rng);
        Alone a;
        make_alone(&a, &def, &rng);
        const RodSymbolic *symbolic = a.pack->graph->symbolic;
        int n = symbolic->unknowns;
        assert_true(n <= MOST && n == 4 * creature.vertices + 3 * creature.edge_count);
        a.pack->precise[0] = a.pack->exact[0] = 1.0f;
        a.pack->precise_lanes = a.pack->exact_lanes = 1;
        a.pack->rough_lanes = 0;
        a.step.kernels->newton(a.pack, SOLVE_FIRST);
        a.step.kernels->residual(a.pack);
        const Creatures creatures_of_pack = creatures(a.pack, 0);
        const double(*exact)[PACK_LANES] = graph_forces_of(a.pack).exact;
        const double *r = (const double *)creatures_of_pack.sparse.r;
        for (int k = 0; k < symbolic->stations; ++k)
            assemble_for(&creatures_of_pack, k);
        expand(symbolic, (const double *)creatures_of_pack.sparse.A, H);
        for (int k = 0; k < n; ++k)
            scale[k] = 1.0 / sqrt(H[k * n + k]);
        for (int k = 0; k < n; ++k) {
            b[k] = exact[k][0] * scale[k];
            for (int m = 0; m < n; ++m)
                H[k * n + m] *= scale[k] * scale[m];
        }
        solve_dense(H, b, n);
        a.step.kernels->newton(a.pack, SOLVE_AGAIN);
        double most = 0.0, off = 0.0;
        for (int k = 0; k < n; ++k) {
            most = fmax(most, fabs(b[k]));
            off = fmax(off, fabs(r[k] / scale[k] - b[k]));
        }
        assert_true(most > 0.0);
        worst = fmax(worst, off / most);
        if (!(off <= 1e-10 * most))
            fail_msg("graph %d: off by %g of the step", c, off / most);
        alone_destroy(&a);
    }
    print_message("largest difference %.1e\n", worst);
}

static SnRodDef direct_def(const Creature *c) {
    SnRodDef def = def_of(c);
    def.solver = SN_SOLVER_DIRECT;
    return def;
}

// One potential at a time, strongly deformed: iterations go on until the engine's gradient vanishes,
// so what is left of the model's is the difference of the two.
static void every_potential_has_the_gradient_of_its_energy(void **state) {
    (void)state;
    const struct {
        const char *name;
        size_t offset;
        float value;
    } terms[] = {{"stretch", offsetof(SnRodMaterial, stretch), 1e5f},
                 {"cross-section", offsetof(SnRodMaterial, cross_section), 1e3f},
                 {"scale gradient", offsetof(SnRodMaterial, scale_gradient), 1e5f},
                 {"bend", offsetof(SnRodMaterial, bend), 3e5f},
                 {"twist", offsetof(SnRodMaterial, twist), 3e4f},
                 {"scale bend", offsetof(SnRodMaterial, scale_bend), 20.0f},
                 {"volume bend", offsetof(SnRodMaterial, volume_bend), 5e4f},
                 {"volume", offsetof(SnRodMaterial, volume), 1e4f}};
    for (size_t t = 0; t < sizeof terms / sizeof terms[0]; ++t)
        for (int n = 0; n < 4; ++n) {
            Rng rng = {(uint64_t)n};
            Creature c =
                n < 2 ? star(n == 0 ? 3 : 9, 2) : random_creature(&rng, 12, 6, 2 * (n - 2));
            SnRodDef def = direct_def(&c);
            def.material = no_stiffness();
            memcpy((char *)&def.material + terms[t].offset, &terms[t].value, sizeof(float));
            RefNorms left = creature_left(&c, &def, 0.7, 1e-3, 12);
            assert_creature_left(terms[t].name, n, left, 0.01);
        }
}

// Vertex 1, the scale of vertex 2 and the frame of segment 3 if `held`.
static bool is_held(const RefRod *r, int k, bool held) {
    if (r->classic && ref_is_scale(r, k))
        return true;
    int turn = k - 4 * r->vertices;
    return held && ((k >= 4 && k < 7) || k == 11 || (turn >= 9 && turn < 12));
}

static void dense_creature_step(const RefRod *r, const Creature *c, bool held, double *out_step) {
    enum { MOST = 4 * 9 + 3 * 10 };
    static double H[MOST * MOST], plus[REF_DOF], minus[REF_DOF];
    int n = ref_unknowns(r);
    assert_true(n <= MOST);
    creature_gradient(r, c, &r->predicted, out_step);
    for (int k = 0; k < n; ++k) {
        RefState moved = r->predicted;
        ref_move(r, &moved, k, 1e-5);
        creature_gradient(r, c, &moved, plus);
        moved = r->predicted;
        ref_move(r, &moved, k, -1e-5);
        creature_gradient(r, c, &moved, minus);
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

// Largest parts of positions, turns and scales.
typedef struct Parts {
    double x, turn, s;
} Parts;

static Parts parts_between(const RefRod *r, const RefState *a, const RefState *b) {
    Parts p = {0};
    for (int i = 0; i < r->vertices; ++i) {
        p.x = fmax(p.x, lengthd(subd(a->x[i], b->x[i])));
        p.s = fmax(p.s, fabs(a->s[i] - b->s[i]));
    }
    for (int j = 0; j < r->segments; ++j)
        p.turn = fmax(p.turn, lengthd(ref_darboux(a->q[j], b->q[j], 1.0)));
    return p;
}

static void check_newton_step(int c) {
    static RefRod ref;
    static double step[REF_DOF];
    static RodCopy copy;
    Rng rng = {(uint64_t)(90 + c)};
    bool held = c % 2 == 1, stiff = c % 3 == 2;
    Creature creature = random_creature(&rng, 8 + c % 2, 2 + c % 5, c % 4 == 3 ? 1 : 0);
    SnRodDef def = direct_def(&creature);
    def.classic = c % 5 == 4;
    def.material = all_potentials();
    def.material.young *= stiff ? 30.0f : 1.0f;
    def.material.scale_bend = 1e3f; // so that it counts
    SnWorld *world = weightless_world();
    SnBodyId rod;
    assert_ok(sn_rod_create(world, &def, &rod));
    assert_int_equal(sn_rod_solver(world, rod), SN_SOLVER_DIRECT);
    copy_rod(world, rod, &copy);
    make_reference(&ref, &creature, &def, &copy, ref_second_order(4e-3));
    disturb(&copy, &rng, stiff ? 0.001 : 0.004, def.classic);
    SnBodyState arrays = copy_arrays(&copy);
    assert_ok(sn_body_write(world, rod, &arrays));
    copy_rod(world, rod, &copy);
    ref.predicted = ref_state(&copy);
    if (held) {
        pin(world, rod, SN_ATTACH_VERTEX, 1);
        pin(world, rod, SN_ATTACH_SEGMENT, 3);
        if (!def.classic)
            pin(world, rod, SN_ATTACH_SCALE, 2);
    }
    dense_creature_step(&ref, &creature, held, step);
    assert_int_equal(sn_world_step(world, 4e-3f, 1, 1), SN_STEP_OK);
    copy_rod(world, rod, &copy);
    RefState after = ref_state(&copy), expected = ref.predicted;
    for (int k = 0; k < ref_unknowns(&ref); ++k)
        ref_move(&ref, &expected, k, step[k]);
    Parts moved = parts_between(&ref, &expected, &ref.predicted);
    Parts off = parts_between(&ref, &expected, &after);
    assert_true(moved.x > 1e-5);
    if (!(off.x < 0.03 * moved.x && off.turn < 0.03 * moved.turn && off.s <= 0.03 * moved.s + 1e-7))
        fail_msg("creature %d: off by %.4f, %.4f and %.4f of the step", c, off.x / moved.x,
                 off.turn / moved.turn, off.s / moved.s);
    sn_world_destroy(world);
}

// Near rest the Hessian of Gauss and Newton is the Hessian: one iteration is a Newton step of the
// independent model, its Hessian taken by finite differences and solved densely.
static void one_iteration_is_a_dense_newton_step(void **state) {
    (void)state;
    for (int c = 0; c < 30; ++c)
        check_newton_step(c);
}

// Far from rest, soft and stiff: what it converges to is the minimum.
static void few_iterations_minimise_the_objective(void **state) {
    (void)state;
    for (int n = 0; n < 12; ++n) {
        Rng rng = {(uint64_t)n};
        Creature c = random_creature(&rng, 16, 2 + n % 5, n % 4);
        SnRodDef def = direct_def(&c);
        bool stiff = n >= 6;
        def.classic = n % 3 == 2;
        def.material = all_potentials();
        def.material.young *= stiff ? 1e4f : 1.0f;
        def.material.shear *= stiff ? 1e4f : 1.0f;
        def.material.volume *= stiff ? 1e4f : 1.0f;
        RefNorms left = creature_left(&c, &def, 0.5, 4e-3, 16);
        assert_creature_left(stiff ? "stiff" : "soft", n, left, stiff ? 0.002 : 0.0005);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elimination_is_a_dense_solve),
        cmocka_unit_test(every_potential_has_the_gradient_of_its_energy),
        cmocka_unit_test(one_iteration_is_a_dense_newton_step),
        cmocka_unit_test(few_iterations_minimise_the_objective),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
