// Long rods and wide nets: solved directly as far as memory goes, and refused beyond.
#include "support.h"

#include <stdlib.h>

#define DT (1.0f / 60.0f)

static SnVec3 *line_down(int segments, float length) {
    SnVec3 *x = malloc(((size_t)segments + 1) * sizeof *x);
    assert_non_null(x);
    line_of_points(x, segments + 1, sn_vec3(0.0f, 0.0f, 0.0f), sn_vec3(0.0f, -length, 0.0f));
    return x;
}

static SnRodDef chain_def(const SnVec3 *x, int segments, SnRodSolver solver) {
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = segments + 1;
    def.positions = x;
    def.solver = solver;
    def.material.young = 1e9f;
    def.material.drag = 5.0f;
    def.filter.mask = 0;
    return def;
}

// 60 m of rope hang on one end.
static void a_long_rod_is_solved_directly(void **state) {
    (void)state;
    const int segments = 6000;
    SnVec3 *x = line_down(segments, 0.01f);
    SnRodDef def = chain_def(x, segments, SN_SOLVER_AUTO);
    def.classic = true;
    SnWorld *world = make_world(sn_vec3(0.0f, -9.81f, 0.0f));
    SnBodyId rod;
    assert_ok(sn_rod_create(world, &def, &rod));
    assert_int_equal(sn_rod_solver(world, rod), SN_SOLVER_DIRECT);
    SnAttachmentId top = attach(world, rod, SN_ATTACH_VERTEX, 0, (SnFrameId){0, 0});
    // Until it has swung out: waves run up and down it for more than two seconds.
    for (int n = 0; n < 180; ++n)
        assert_int_equal(sn_world_step(world, DT, 1, 1), SN_STEP_OK);
    SnReaction reaction;
    assert_ok(sn_attachment_reaction(world, top, &reaction));
    double weight = sn_world_measure(world).mass * 9.81;
    assert_near(reaction.force.y, weight, 0.01 * weight);
    SnBodyState read = {.positions = x};
    assert_ok(sn_body_read(world, rod, &read));
    // ρ g L²/(2 E) longer.
    double longer = 1000.0 * 9.81 * 60.0 * 60.0 / (2.0 * 1e9);
    assert_near(-(double)x[segments].y - 60.0, longer, 0.05 * longer);
    sn_world_destroy(world);
    free(x);
}

static void what_is_too_long_is_refused_or_says_so(void **state) {
    (void)state;
    const int segments = SN_MAX_DIRECT_SEGMENTS + 1;
    SnVec3 *x = line_down(segments, 0.01f);
    SnRodDef def = chain_def(x, segments, SN_SOLVER_DIRECT);
    SnWorld *world = make_world(sn_vec3(0.0f, -9.81f, 0.0f));
    SnBodyId rod;
    assert_error(sn_rod_create(world, &def, &rod), SN_ERROR_LIMIT, "65537 segments");
    def.solver = SN_SOLVER_AUTO;
    assert_ok(sn_rod_create(world, &def, &rod));
    assert_int_equal(sn_rod_solver(world, rod), SN_SOLVER_SWEEP);
    assert_true(sn_rod_sweep_error(world, rod, DT, 1, 1) > 1.0);
    assert_true(sn_world_step(world, DT, 1, 1) & SN_STEP_SOFT);
    sn_world_destroy(world);
    free(x);
}

// Every vertex is joined to others anywhere: elimination fills nearly the whole matrix.
static void what_is_too_wide_is_refused(void **state) {
    (void)state;
    enum { VERTICES = 512, EDGES = 4000 };
    static SnVec3 x[VERTICES];
    static int edges[EDGES][2];
    static int degree[VERTICES];
    Rng rng = {7};
    for (int i = 0; i < VERTICES; ++i)
        x[i] = rng_vec3(&rng, 1.0);
    int count = 0;
    for (; count < VERTICES - 1; ++count) {
        edges[count][0] = count;
        edges[count][1] = count + 1;
        degree[count] += 1;
        degree[count + 1] += 1;
    }
    while (count < EDGES) {
        int a = rng_int(&rng, 0, VERTICES - 1), b = rng_int(&rng, 0, VERTICES - 1);
        if (abs(a - b) < 2 || degree[a] >= 20 || degree[b] >= 20)
            continue;
        bool known = false;
        for (int k = 0; k < count && !known; ++k)
            known =
                (edges[k][0] == a && edges[k][1] == b) || (edges[k][0] == b && edges[k][1] == a);
        if (known)
            continue;
        edges[count][0] = a;
        edges[count++][1] = b;
        degree[a] += 1;
        degree[b] += 1;
    }
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = VERTICES;
    def.positions = x;
    def.edges = edges[0];
    def.edge_count = EDGES;
    def.filter.mask = 0;
    def.solver = SN_SOLVER_DIRECT;
    SnWorld *world = weightless_world();
    SnBodyId rod;
    assert_error(sn_rod_create(world, &def, &rod), SN_ERROR_LIMIT, "too wide");
    def.solver = SN_SOLVER_AUTO;
    assert_ok(sn_rod_create(world, &def, &rod));
    assert_int_equal(sn_rod_solver(world, rod), SN_SOLVER_SWEEP);
    sn_world_destroy(world);
}

// A net of 20 × 20 vertices falls; that one was made to be solved directly changes nothing for its twin.
static void wide_nets_are_solved_if_asked_for(void **state) {
    (void)state;
    enum { SIDE = 20 };
    static SnVec3 x[SIDE * SIDE];
    static int edges[2 * SIDE * SIDE][2];
    int count = 0;
    for (int i = 0; i < SIDE * SIDE; ++i) {
        x[i] = sn_vec3(0.05f * (float)(i % SIDE), 0.0f, 0.05f * (float)(i / SIDE));
        if (i % SIDE + 1 < SIDE) {
            edges[count][0] = i;
            edges[count++][1] = i + 1;
        }
        if (i + SIDE < SIDE * SIDE) {
            edges[count][0] = i;
            edges[count++][1] = i + SIDE;
        }
    }
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = SIDE * SIDE;
    def.positions = x;
    def.edges = edges[0];
    def.edge_count = count;
    def.filter.mask = 0;
    def.classic = true;
    def.solver = SN_SOLVER_DIRECT;
    SnWorld *world = make_world(sn_vec3(0.0f, -10.0f, 0.0f));
    SnBodyId direct, swept;
    assert_ok(sn_rod_create(world, &def, &direct));
    def.solver = SN_SOLVER_AUTO;
    def.material.young = 1e13f;
    assert_ok(sn_rod_create(world, &def, &swept));
    assert_int_equal(sn_rod_solver(world, direct), SN_SOLVER_DIRECT);
    assert_int_equal(sn_rod_solver(world, swept), SN_SOLVER_SWEEP);
    assert_ok(sn_body_destroy(world, swept));
    for (int n = 0; n < 3; ++n)
        assert_int_equal(sn_world_step(world, 0.01f, 1, 1), SN_STEP_OK);
    SnBodyState read = {.positions = x};
    assert_ok(sn_body_read(world, direct, &read));
    for (int i = 0; i < SIDE * SIDE; ++i)
        assert_near(x[i].y, -0.5 * 10.0 * 0.03 * 0.03, 1e-5);
    sn_world_destroy(world);
}

// What sweeps leave over of a rod that hangs between two clamps in the wrong shape was kept by its dampers: it flew apart.
static void hard_dampers_are_solved_directly(void **state) {
    (void)state;
    SnVec3 x[19], start[19];
    Rng rng = {3};
    for (int i = 0; i < 19; ++i) {
        x[i] = sn_vec3(0.0967f * (float)i, 0.0f, 0.0f);
        start[i] = sn_vec3_add(
            x[i], sn_vec3(rng_float(&rng, -1e-4f, 1e-4f), rng_float(&rng, -1e-4f, 1e-4f), 0.0f));
    }
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = 19;
    def.positions = x;
    def.start_positions = start;
    def.radius = 0.0151f;
    def.solver = SN_SOLVER_SWEEP;
    def.filter.mask = 0;
    def.material.young = 3.38e5f;
    SnWorld *world = make_world(sn_vec3(0.0f, -9.81f, 0.0f));
    SnBodyId swept, rod;
    assert_ok(sn_rod_create(world, &def, &swept));
    assert_int_equal(sn_rod_solver(world, swept), SN_SOLVER_SWEEP);
    assert_ok(sn_body_destroy(world, swept));
    def.material.damping = 0.783f;
    assert_ok(sn_rod_create(world, &def, &rod));
    assert_int_equal(sn_rod_solver(world, rod), SN_SOLVER_DIRECT);
    for (int end = 0; end < 2; ++end) {
        pin(world, rod, SN_ATTACH_VERTEX, 18 * end);
        pin(world, rod, SN_ATTACH_SEGMENT, 17 * end);
    }
    for (int n = 0; n < 120; ++n)
        assert_int_equal(sn_world_step(world, 0.0329f, 1, 1), SN_STEP_OK);
    assert_below(sn_world_measure(world).speed_max, 5.0);
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hard_dampers_are_solved_directly),
        cmocka_unit_test(a_long_rod_is_solved_directly),
        cmocka_unit_test(what_is_too_long_is_refused_or_says_so),
        cmocka_unit_test(what_is_too_wide_is_refused),
        cmocka_unit_test(wide_nets_are_solved_if_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
