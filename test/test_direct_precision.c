// Elimination in float against that in double: cantilevers and free rods of all kinds, and packs that
// have both.
#include "alone.h"
#include "contact_kit.h"

#define DENSITY 1000.0
#define STEPS 300

typedef struct Beam {
    double young, radius, length, h; // length of a segment
    int segments;
    bool classic, free;
} Beam;

static SnIsa fastest_isa(void) {
    SnIsa isa = SN_ISA_AVX512;
    while (isa > SN_ISA_SCALAR && !sn_isa_available(isa))
        isa = (SnIsa)(isa - 1);
    return isa;
}

static void make_alone(Alone *a, const Beam *beam, double gravity) {
    static SnVec3 x[501];
    for (int i = 0; i <= beam->segments; ++i)
        x[i] = sn_vec3((float)(i * beam->length), 0.0f,
                       beam->free ? (float)(0.3 * beam->length * sin(0.5 * i)) : 0.0f);
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = beam->segments + 1;
    def.positions = x;
    def.radius = (float)beam->radius;
    def.classic = beam->classic;
    def.solver = SN_SOLVER_DIRECT;
    def.material.density = (float)DENSITY;
    def.material.young = (float)beam->young;
    def.material.drag = gravity > 0.0 ? 50.0f : 0.0f; // what is loaded comes to rest
    def.material.shear = (float)(0.4 * beam->young);
    def.material.volume = (float)fmin(50.0 * beam->young, 1e12);
    alone_create(a, &def);
    RodPack *pack = a->pack;
    if (!beam->free)
        pack->held[0][0] |= HELD_VERTEX | HELD_FRAME;
    pack->state[-1] = pack->state[0]; // where the wall is
    for (int i = 0; i <= beam->segments && beam->free; ++i) {
        pack->state[i].vx[0] = (float)(0.01 * beam->length * cos(1.3 * i));
        pack->state[i].vy[0] = (float)(0.2 * beam->length * cos(0.3 * i));
    }
    alone_lend(a);
    a->step = (RodStep){.kernels = sn__rod_kernels(fastest_isa()),
                        .substeps = 1,
                        .iterations = 1,
                        .motion = {.h = (float)beam->h, .gravity = {0.0f, -(float)gravity, 0.0f}}};
    alone_prepare(a);
}

static void step_alone(Alone *a) {
    sn__pack_begin(a->pack, &a->step, 0, NULL);
    sn__pack_sweep(a->pack, &a->step, 0);
    sn__pack_end(a->pack, &a->step, 0);
}

static double mean_velocity(const Alone *a, int vertices) {
    double mass = 0.0, momentum = 0.0;
    for (int i = 0; i < vertices; ++i) {
        mass += (double)a->pack->rest[i].mass[0];
        momentum += (double)a->pack->rest[i].mass[0] * (double)a->pack->state[i].vy[0];
    }
    return momentum / mass;
}

// Where the tip is after every step.
static void run_beam(const Beam *beam, double gravity, bool precise, int steps, double tip[STEPS]) {
    Alone a;
    make_alone(&a, beam, gravity);
    a.pack->precise[0] = a.pack->exact[0] = precise ? 1.0f : 0.0f;
    a.pack->precise_lanes = a.pack->exact_lanes = precise;
    a.pack->rough_lanes = !precise;
    double before = mean_velocity(&a, beam->segments + 1);
    for (int n = 0; n < steps; ++n) {
        step_alone(&a);
        tip[n] = (double)a.pack->state[beam->segments].y[0];
    }
    if (beam->free)
        assert_near(mean_velocity(&a, beam->segments + 1), before, 1e-5 * 0.2 * beam->length);
    alone_destroy(&a);
}

static bool is_precise(const Beam *beam) {
    Alone a;
    make_alone(&a, beam, 0.0);
    bool precise = a.pack->precise_lanes == 1;
    assert_int_equal(a.pack->precise_lanes + a.pack->rough_lanes, 1);
    alone_destroy(&a);
    return precise;
}

static Beam random_beam(Rng *rng, int n) {
    static const int segments[] = {5, 30, 100, 5, 30, 100, 500};
    Beam beam = {.young = pow(10.0, rng_real(rng, 4.0, 11.3)),
                 .radius = pow(10.0, rng_real(rng, -3.0, -1.0)),
                 .h = 1.0 / pow(10.0, rng_real(rng, 1.778, 3.0)),
                 .segments = segments[n % 7],
                 .classic = n % 2 == 1};
    beam.length = beam.radius * pow(10.0, rng_real(rng, 0.0, 1.0));
    return beam;
}

// Over one and a half periods, or as much of them as there are steps. After a period, 0.1 % of the
// deflection is 0.016 % of the frequency.
static void float_moves_cantilevers_as_double_does(void **state) {
    (void)state;
    static double rough[STEPS], precise[STEPS];
    Rng rng = {1};
    int of_float = 0, count = 300;
    double worst = 0.0, worst_end = 0.0;
    for (int n = 0; n < count; ++n) {
        Beam beam = random_beam(&rng, n);
        if (is_precise(&beam))
            continue;
        double L = beam.length * beam.segments, c = 0.5 * beam.radius * sqrt(beam.young / DENSITY);
        double period = 2.0 * SUPPORT_PI / 3.516 * L * L / c;
        double gravity = fmin(100.0, 0.05 * 8.0 * c * c / (L * L * L)); // bends by 5 %
        int most = beam.segments > 100 ? STEPS / 5 : STEPS;
        int steps = (int)fmin(most, fmax(20.0, 1.5 * period / beam.h));
        run_beam(&beam, gravity, false, steps, rough);
        run_beam(&beam, gravity, true, steps, precise);
        double deflection = 0.0, apart = 0.0;
        for (int k = 0; k < steps; ++k) {
            deflection = fmax(deflection, fabs(precise[k]));
            apart = fmax(apart, fabs(rough[k] - precise[k]));
        }
        worst = fmax(worst, apart / deflection);
        worst_end = fmax(worst_end, fabs(rough[steps - 1] - precise[steps - 1]) / deflection);
        if (!(apart < 1e-3 * deflection))
            fail_msg("%g Pa, radius %g, length %g, %d segments, h 1/%g: off by %g", beam.young,
                     beam.radius, beam.length, beam.segments, 1.0 / beam.h, apart / deflection);
        of_float += 1;
    }
    print_message("%d of %d in float: off by at most %.1e, at the end %.1e\n", of_float, count,
                  worst, worst_end);
    assert_true(of_float > count / 4 && of_float < count);
}

// A cantilever that has come to rest: forces are exact, so its deflection is, too.
static void float_deflects_cantilevers_as_double_does(void **state) {
    (void)state;
    static double rough[STEPS], precise[STEPS];
    const double youngs[] = {1e7, 1e8, 1e9}, hs[] = {1.0 / 60.0, 1.0 / 200.0};
    int of_float = 0;
    for (int n = 0; n < 12; ++n) {
        Beam beam = {.young = youngs[n % 3],
                     .radius = 0.1,
                     .length = 0.2,
                     .h = hs[n / 3 % 2],
                     .segments = 10,
                     .classic = n >= 6};
        if (is_precise(&beam))
            continue;
        of_float += 1;
        run_beam(&beam, 9.81, false, STEPS, rough);
        run_beam(&beam, 9.81, true, STEPS, precise);
        assert_near(rough[STEPS - 1] / precise[STEPS - 1], 1.0, 1e-3);
    }
    assert_true(of_float >= 8);
}

static void free_rods_keep_their_momentum_in_float(void **state) {
    (void)state;
    static double tip[STEPS];
    Rng rng = {2};
    for (int n = 0; n < 60; ++n) {
        Beam beam = random_beam(&rng, n % 6);
        beam.free = true;
        if (!is_precise(&beam))
            run_beam(&beam, 0.0, false, 100, tip);
    }
}

static void too_stiff_is_what_the_rod_is_in_its_sub_step(void **state) {
    (void)state;
    Beam steel = {2e11, 0.01, 0.01, 1.0 / 600.0, 30, true, false};
    Beam flesh = {1e5, 0.01, 0.03, 1.0 / 600.0, 30, false, false};
    Beam wood = {1e10, 0.1, 0.3, 1.0 / 60.0, 30, true, false}, in_short_steps = wood;
    wood.young = 2e11;
    in_short_steps.h = 1.0 / 1000.0;
    assert_true(is_precise(&steel));
    assert_false(is_precise(&flesh));
    assert_true(is_precise(&wood));
    assert_false(is_precise(&in_short_steps));
}

// The k-th of rods that are soft, stiff and damped in turn.
static SnBodyId add_line(SnWorld *world, int k, bool closed) {
    enum { N = 12 };
    SnVec3 x[N];
    for (int i = 0; i < N; ++i) {
        float angle = 0.5f * (float)i, height = 0.1f * (float)k;
        x[i] = closed ? sn_vec3(0.2f * cosf(angle), height, 0.2f * sinf(angle))
                      : sn_vec3(0.05f * (float)i, height, 0.0f);
    }
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = N;
    def.positions = x;
    def.closed = closed;
    def.radius = 0.01f;
    def.filter.mask = 0;
    def.solver = SN_SOLVER_DIRECT;
    def.material.young = k % 3 == 1 ? 1e11f : 1e6f;
    def.material.damping = k % 3 == 2 ? 0.01f : 0.0f;
    SnBodyId id;
    assert_ok(sn_rod_create(world, &def, &id));
    pin(world, id, SN_ATTACH_VERTEX, 0);
    return id;
}

// Soft rods, stiff ones and damped ones share packs, and so do open and closed ones. What a rod does is the same bits as
// if it were alone.
static void a_pack_may_have_both(void **state) {
    (void)state;
    enum { RODS = 20 };
    for (int closed = 0; closed < 3; ++closed) {
        SnWorld *all = heavy_world();
        SnBodyId ids[RODS];
        for (int k = 0; k < RODS; ++k)
            ids[k] = add_line(all, k, closed == 1 || (closed == 2 && k >= 3));
        for (int n = 0; n < 30; ++n)
            assert_int_equal(sn_world_step(all, DT, 2, 2), SN_STEP_OK);
        for (int k = 0; k < 3; ++k) {
            SnWorld *world = heavy_world();
            SnBodyId alone = add_line(world, k, closed == 1);
            for (int n = 0; n < 30; ++n)
                assert_int_equal(sn_world_step(world, DT, 2, 2), SN_STEP_OK);
            static RodCopy a, b;
            copy_rod(world, alone, &a);
            copy_rod(all, ids[k], &b);
            assert_memory_equal(a.x, b.x, (size_t)a.vertices * sizeof a.x[0]);
            assert_memory_equal(a.q, b.q, (size_t)a.segments * sizeof a.q[0]);
            sn_world_destroy(world);
        }
        sn_world_destroy(all);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(float_moves_cantilevers_as_double_does),
        cmocka_unit_test(float_deflects_cantilevers_as_double_does),
        cmocka_unit_test(free_rods_keep_their_momentum_in_float),
        cmocka_unit_test(too_stiff_is_what_the_rod_is_in_its_sub_step),
        cmocka_unit_test(a_pack_may_have_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
