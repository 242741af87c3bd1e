// What conversions are made of, against brute force and closed forms: matching, harmonic fields,
// distances and volumes of unions of pills, meshes of muscles.
#include "fit_kit.h"

#include "fit/comb.h"
#include "fit/pills.h"

static FitMemory memory_of_malloc(void) { return (FitMemory){sn__default_allocator(), NULL}; }

static double cost_of(const double *costs, const int *columns, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; ++i)
        sum += costs[i * count + columns[i]];
    return sum;
}

// Tries all permutations of what is behind `from`.
static double best_cost(const double *costs, int *columns, int from, int count) {
    if (from == count)
        return cost_of(costs, columns, count);
    double best = HUGE_VAL;
    for (int i = from; i < count; ++i) {
        int swap = columns[from];
        columns[from] = columns[i];
        columns[i] = swap;
        best = fmin(best, best_cost(costs, columns, from + 1, count));
        columns[i] = columns[from];
        columns[from] = swap;
    }
    return best;
}

static void matching_is_cheapest(void **state) {
    (void)state;
    FitMemory memory = memory_of_malloc();
    Rng rng = {11};
    for (int round = 0; round < 300; ++round) {
        int count = rng_int(&rng, 1, 6), columns[6], order[6] = {0, 1, 2, 3, 4, 5};
        double costs[36];
        for (int i = 0; i < count * count; ++i) // whole numbers, so that some are equal
            costs[i] = rng_int(&rng, 0, round % 2 ? 9 : 1000);
        assert_true(sn__fit_match(&memory, costs, count, columns));
        bool taken[6] = {false};
        for (int i = 0; i < count; ++i) {
            assert_true(columns[i] >= 0 && columns[i] < count && !taken[columns[i]]);
            taken[columns[i]] = true;
        }
        assert_near(cost_of(costs, columns, count), best_cost(costs, order, 0, count), 1e-9);
    }
    assert_null(memory.last);
}

// Between the two ends of a box the field is linear, and an L has its corner at one half.
static void fields_of_boxes(void **state) {
    (void)state;
    FitMemory memory = memory_of_malloc();
    Soup soup = soup_of(SN_MUSCLE_STRAP, 1.0f, 4000);
    FitSurface surface;
    FitCells cells;
    assert_ok(sn__fit_clean(&memory, soup.positions, soup.vertex_count, soup.triangles,
                            soup.triangle_count, &surface));
    assert_ok(sn__fit_fill(&memory, &surface, &cells));
    double cube = cells.side * cells.side * cells.side;
    assert_near(cells.count * cube / surface.volume, 1.0, 0.01);
    uint8_t *kinds = sn__fit_alloc(&memory, (size_t)cells.count, 1);
    double *field = sn__fit_alloc(&memory, (size_t)cells.count, sizeof *field);
    assert_true(kinds && field);
    for (int i = 0; i < cells.count; ++i)
        kinds[i] = cells.centres[i].y < -0.4 ? FIT_SOURCE : cells.centres[i].y > 0.4 ? FIT_SINK : 0;
    assert_true(sn__fit_harmonic(&memory, &cells, kinds, field));
    for (int i = 0; i < cells.count; ++i) {
        assert_true(field[i] >= -1e-6 && field[i] <= 1.0 + 1e-6);
        // The strap is a third thicker in its middle than where the field starts: not quite linear.
        assert_near(field[i], fmin(1.0, fmax(0.0, (cells.centres[i].y + 0.4) / 0.8)), 0.08);
        double mean = 0.0;
        int neighbours = 0;
        for (int side = 0; side < 6; ++side)
            if (cells.neighbours[i][side] >= 0) {
                mean += field[cells.neighbours[i][side]];
                ++neighbours;
            }
        if (kinds[i] == FIT_FREE) // the mean value property
            assert_near(field[i], mean / neighbours, 1e-4);
    }
    sn__fit_release(&memory, NULL);
    soup_free(&soup);
}

static FitPills random_pills(FitMemory *memory, Rng *rng, int edges) {
    FitPills pills;
    assert_true(sn__fit_create_pills(memory, 2 * edges, edges, &pills));
    for (int i = 0; i < 2 * edges; ++i) {
        pills.points[i] = vec3d(rng_vec3(rng, 1.0));
        pills.radii[i] = rng_real(rng, 0.05, 0.4);
        pills.edges[i / 2][i % 2] = i;
    }
    sn__fit_enclose(&pills);
    return pills;
}

static void touches_are_the_nearest(void **state) {
    (void)state;
    FitMemory memory = memory_of_malloc();
    Rng rng = {5};
    for (int round = 0; round < 50; ++round) {
        FitPills pills = random_pills(&memory, &rng, rng_int(&rng, 1, 12));
        for (int k = 0; k < 50; ++k) {
            Vec3d x = vec3d(rng_vec3(&rng, 1.5));
            double least = HUGE_VAL;
            for (int i = 0; i < pills.edge_count; ++i) {
                Pill pill = sn__fit_pill(&pills, i);
                least = fmin(least, sn__pill_distance(&pill, x, NULL));
            }
            int guess = rng_int(&rng, 0, pills.edge_count - 1);
            assert_near(sn__fit_touch(&pills, x, guess).distance, least, 1e-12);
        }
        sn__fit_release(&memory, NULL);
    }
}

// One cylinder with round ends, two far apart, and one that is given twice; then grown to a volume.
static void volumes_of_pills(void **state) {
    (void)state;
    FitMemory memory = memory_of_malloc();
    FitPills pills;
    assert_true(sn__fit_create_pills(&memory, 6, 3, &pills));
    const double length = 2.0, radius = 0.3;
    for (int i = 0; i < 6; ++i) {
        pills.points[i] = (Vec3d){i < 4 ? 0.0 : 5.0, 0.1, i % 2 ? length : 0.0};
        pills.radii[i] = radius;
        pills.edges[i / 2][i % 2] = i;
    }
    sn__fit_enclose(&pills);
    double one = SUPPORT_PI * radius * radius * (length + 4.0 / 3.0 * radius), growth, volume;
    for (int count = 1; count <= 3; ++count) {
        pills.edge_count = count;
        pills.node_count = 2 * count;
        double expected = count < 3 ? one : 2.0 * one;
        assert_true(sn__fit_volume(&memory, &pills, 0.03, expected, &growth, &volume));
        assert_near(volume / expected, 1.0, 0.004);
        assert_near(growth, 0.0, 0.002);
    }
    double wanted = 2.0 * SUPPORT_PI * 0.36 * 0.36 * (length + 4.0 / 3.0 * 0.36);
    assert_true(sn__fit_match_volume(&memory, &pills, 0.03, wanted, &volume));
    assert_near(volume / wanted, 1.0, 0.004);
    assert_near(pills.radii[0], 0.36, 0.002);
    sn__fit_release(&memory, NULL);
}

// Muscles made by code are closed, of the length that was asked for and have normals that look out.
static void muscle_meshes_are_closed(void **state) {
    (void)state;
    FitMemory memory = memory_of_malloc();
    for (int shape = 0; shape < SN_MUSCLE_SHAPE_COUNT; ++shape)
        for (int triangles = 500; triangles < 40000; triangles *= 8) {
            SnMesh mesh;
            assert_ok(sn_muscle_mesh((SnMuscleShape)shape, 0.4f, triangles, NULL, &mesh));
            if (shape != SN_MUSCLE_TWO_HEADED || triangles > 2000)
                assert_true(abs(mesh.triangle_count - triangles) < triangles / 4);
            FitSurface surface;
            assert_ok(sn__fit_clean(&memory, mesh.positions, mesh.vertex_count, mesh.triangles,
                                    mesh.triangle_count, &surface));
            assert_int_equal(surface.holes, 0);
            assert_int_equal(surface.turned, 0);
            assert_int_equal(surface.shells, 1);
            assert_int_equal(surface.branching_edges, 0);
            float low = 1e9f, high = -1e9f;
            for (int i = 0; i < mesh.vertex_count; ++i) {
                low = fminf(low, mesh.positions[i].y);
                high = fmaxf(high, mesh.positions[i].y);
                assert_near(sn_vec3_length(mesh.normals[i]), 1.0, 1e-3);
            }
            if (shape != SN_MUSCLE_CURVED)
                assert_near(high - low, 0.4, 0.012);
            sn_mesh_destroy(&mesh);
            sn__fit_release(&memory, NULL);
        }
    SnMesh mesh;
    assert_error(sn_muscle_mesh(SN_MUSCLE_SHAPE_COUNT, 0.4f, 500, NULL, &mesh), SN_ERROR_INVALID,
                 "shape");
    assert_error(sn_muscle_mesh(SN_MUSCLE_FAN, 0.0f, 500, NULL, &mesh), SN_ERROR_INVALID, "length");
    assert_error(sn_muscle_mesh(SN_MUSCLE_FAN, 1.0f, 5, NULL, &mesh), SN_ERROR_INVALID,
                 "triangles");
    assert_error(sn_muscle_mesh(SN_MUSCLE_FAN, 1.0f, 500, NULL, NULL), SN_ERROR_INVALID,
                 "out_mesh");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matching_is_cheapest),     cmocka_unit_test(fields_of_boxes),
        cmocka_unit_test(touches_are_the_nearest),  cmocka_unit_test(volumes_of_pills),
        cmocka_unit_test(muscle_meshes_are_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
