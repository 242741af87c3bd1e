// Distance grids of meshes against brute force.
#include "purse.h"
#include "support.h"

#include <float.h>
#include <stdlib.h>

#include "geom/solid.h"

static Vec3d random_point(Rng *rng, double size) {
    double x = rng_real(rng, -size, size), y = rng_real(rng, -size, size);
    return (Vec3d){x, y, rng_real(rng, -size, size)};
}

// A torus with bumps: closed, with saddles and creases that a coarse mesh makes.
#define RING 60
#define TUBE 50

typedef struct Mesh {
    SnVec3 *vertices;
    uint32_t *triangles;
    int vertex_count, triangle_count;
} Mesh;

static Mesh make_torus(void) {
    Mesh mesh = {calloc(RING * TUBE, sizeof(SnVec3)), calloc(6 * RING * TUBE, sizeof(uint32_t)),
                 RING * TUBE, 2 * RING * TUBE};
    for (int i = 0; i < RING; ++i)
        for (int j = 0; j < TUBE; ++j) {
            double u = 2.0 * SUPPORT_PI * i / RING, v = 2.0 * SUPPORT_PI * j / TUBE;
            double r = 0.3 + 0.1 * sin(5.0 * u) * cos(3.0 * v), ring = 1.0 + r * cos(v);
            mesh.vertices[i * TUBE + j] =
                sn_vec3((float)(ring * cos(u)), (float)(r * sin(v)), (float)(-ring * sin(u)));
            uint32_t a = (uint32_t)(i * TUBE + j), b = (uint32_t)((i + 1) % RING * TUBE + j);
            uint32_t c = (uint32_t)(i * TUBE + (j + 1) % TUBE),
                     d = (uint32_t)((i + 1) % RING * TUBE + (j + 1) % TUBE);
            uint32_t *t = mesh.triangles + 6 * (i * TUBE + j);
            memcpy(t, (uint32_t[6]){a, b, d, a, d, c}, 6 * sizeof *t);
        }
    return mesh;
}

// Every triangle with vertices of its own.
static Mesh take_apart(const Mesh *mesh) {
    int count = 3 * mesh->triangle_count;
    Mesh out = {calloc((size_t)count, sizeof(SnVec3)), calloc((size_t)count, sizeof(uint32_t)),
                count, mesh->triangle_count};
    for (int i = 0; i < count; ++i) {
        out.vertices[i] = mesh->vertices[mesh->triangles[i]];
        out.triangles[i] = (uint32_t)i;
    }
    return out;
}

static void free_mesh(Mesh *mesh) {
    free(mesh->vertices);
    free(mesh->triangles);
}

static Vec3d corner(const Mesh *mesh, int triangle, int i) {
    return vec3d(mesh->vertices[mesh->triangles[3 * triangle + i]]);
}

// Distance to a segment, clamped; and to a triangle as the least over its plane, where the foot is
// inside, and its edges.
static double segment_distance(Vec3d a, Vec3d b, Vec3d x) {
    Vec3d e = subd(b, a);
    double t = fmin(fmax(dotd(subd(x, a), e) / dotd(e, e), 0.0), 1.0);
    return lengthd(subd(x, addd(a, scaled(e, t))));
}

static double triangle_distance(Vec3d a, Vec3d b, Vec3d c, Vec3d x) {
    Vec3d n = crossd(subd(b, a), subd(c, a));
    double inside = fmin(
        dotd(crossd(subd(b, a), subd(x, a)), n),
        fmin(dotd(crossd(subd(c, b), subd(x, b)), n), dotd(crossd(subd(a, c), subd(x, c)), n)));
    double edges =
        fmin(segment_distance(a, b, x), fmin(segment_distance(b, c, x), segment_distance(c, a, x)));
    return inside >= 0.0 ? fabs(dotd(subd(x, a), n)) / lengthd(n) : edges;
}

// Signed by the solid angle that the mesh has as seen from x.
static double mesh_distance(const Mesh *mesh, Vec3d x, bool closed) {
    double least_distance = DBL_MAX, winding = 0.0;
    for (int i = 0; i < mesh->triangle_count; ++i) {
        Vec3d a = corner(mesh, i, 0), b = corner(mesh, i, 1), c = corner(mesh, i, 2);
        least_distance = fmin(least_distance, triangle_distance(a, b, c, x));
        a = subd(a, x), b = subd(b, x), c = subd(c, x);
        double la = lengthd(a), lb = lengthd(b), lc = lengthd(c);
        winding += 2.0 * atan2(dotd(a, crossd(b, c)),
                               la * lb * lc + dotd(a, b) * lc + dotd(b, c) * la + dotd(c, a) * lb);
    }
    return closed && winding > 2.0 * SUPPORT_PI ? -least_distance : least_distance;
}

static DistanceGrid make_grid(const Mesh *mesh, double cell, double shell) {
    SnAllocator allocator = sn__default_allocator();
    DistanceGrid grid;
    assert_ok(sn__distance_grid_create(&allocator, mesh->vertices, mesh->vertex_count,
                                       mesh->triangles, mesh->triangle_count, cell, shell, &grid));
    return grid;
}

// At the grid's own points: what is stored there is exact near the mesh, and almost so far from it.
static void check_grid_points(const DistanceGrid *grid, const Mesh *mesh, bool closed,
                              double shell) {
    Rng rng = {8};
    for (int n = 0; n < 500; ++n) {
        int at[3];
        for (int c = 0; c < 3; ++c)
            at[c] = rng_int(&rng, 0, grid->size[c] - 1);
        Vec3d x = {grid->low[0] + at[0] * grid->cell, grid->low[1] + at[1] * grid->cell,
                   grid->low[2] + at[2] * grid->cell};
        double expected = mesh_distance(mesh, x, closed);
        double tolerance = fabs(expected) < 2.0 * grid->cell ? 1e-6 : 0.05 * grid->cell;
        assert_near(sn__distance_grid_at(grid, x, NULL), expected - shell, tolerance);
    }
}

static void test_distance_grid(void **state) {
    (void)state;
    Mesh torus = make_torus(), parts = take_apart(&torus);
    DistanceGrid grid = make_grid(&torus, 2.8 / 40.0, 0.0);
    check_grid_points(&grid, &torus, true, 0.0);
    // Vertices at one place are one: the same bits, closed or cut into single triangles.
    DistanceGrid same = make_grid(&parts, 2.8 / 40.0, 0.0);
    size_t count = (size_t)grid.size[0] * (size_t)grid.size[1] * (size_t)grid.size[2];
    for (size_t i = 0; i < count; ++i)
        assert_near(same.distance[i], grid.distance[i], 0.0);
    sn__distance_grid_destroy(&same);
    sn__distance_grid_destroy(&grid);
    assert_null(grid.distance);
    free_mesh(&torus);
    free_mesh(&parts);
}

static void test_open_mesh_is_a_shell(void **state) {
    (void)state;
    Mesh torus = make_torus();
    torus.triangle_count -= TUBE; // a gap
    DistanceGrid grid = make_grid(&torus, 0.07, 0.1);
    check_grid_points(&grid, &torus, false, 0.05);
    sn__distance_grid_destroy(&grid);
    free_mesh(&torus);
}

// Sharp corners: a thin wedge, on whose edges a plain face normal would have the wrong sign.
static void test_sharp_mesh(void **state) {
    (void)state;
    SnVec3 x[4] = {{0.0f, 0.0f, 0.0f}, {1.0f, 0.0f, 0.0f}, {0.5f, 0.05f, 0.4f}, {0.4f, 1.0f, 0.1f}};
    uint32_t t[12] = {0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0};
    Mesh wedge = {x, t, 4, 4};
    // Not the same winding as make_torus' by accident: the tetrahedron must be seen from outside.
    Vec3d n = crossd(subd(vec3d(x[1]), vec3d(x[0])), subd(vec3d(x[2]), vec3d(x[0])));
    if (dotd(n, subd(vec3d(x[3]), vec3d(x[0]))) > 0.0)
        for (int i = 0; i < 4; ++i) {
            uint32_t swap = t[3 * i + 1];
            t[3 * i + 1] = t[3 * i + 2];
            t[3 * i + 2] = swap;
        }
    DistanceGrid grid = make_grid(&wedge, 0.02, 0.0);
    check_grid_points(&grid, &wedge, true, 0.0);
    sn__distance_grid_destroy(&grid);
}

static void test_grid_between_points(void **state) {
    (void)state;
    // The corner of a box: three-linear interpolation is exact above its faces.
    SnVec3 x[8];
    for (int i = 0; i < 8; ++i)
        x[i] = sn_vec3(i & 1 ? 1.0f : -1.0f, i & 2 ? 1.0f : -1.0f, i & 4 ? 1.0f : -1.0f);
    uint32_t t[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                      2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    Mesh box = {x, t, 8, 12};
    DistanceGrid grid = make_grid(&box, 0.1, 0.0);
    Vec3d half = {1.0, 1.0, 1.0};
    Rng rng = {9};
    for (int i = 0; i < 5000; ++i) {
        Vec3d p = random_point(&rng, 1.8), g, expected;
        double d = sn__box_distance(half, p, &expected), got = sn__distance_grid_at(&grid, p, &g);
        assert_near(lengthd(g), 1.0, 1e-12);
        bool over_face = fabs(p.x) < 0.8 && fabs(p.z) < 0.8 && p.y > 0.85;
        assert_near(got, d, over_face ? 1e-6 : 0.07);
        if (over_face)
            assert_near(g.y, 1.0, 1e-5);
    }
    // Outside the grid, too.
    assert_near(sn__distance_grid_at(&grid, (Vec3d){0.2, 50.0, 0.3}, NULL), 49.0, 1e-4);
    sn__distance_grid_destroy(&grid);
}

static void test_grid_errors(void **state) {
    (void)state;
    SnAllocator a = sn__default_allocator();
    SnVec3 x[4] = {{0.0f, 0.0f, 0.0f}, {1.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 1.0f}, {0.0f, 1.0f, 0.0f}};
    uint32_t t[12] = {0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0}; // seen from outside
    DistanceGrid g;
    assert_ok(sn__distance_grid_create(&a, x, 4, t, 4, 0.1, 0.0, &g));
    sn__distance_grid_destroy(&g);
    assert_error(sn__distance_grid_create(&a, x, 4, t, 4, 1e-6, 0.0, &g), SN_ERROR_LIMIT, "cell");
    assert_error(sn__distance_grid_create(&a, x, 4, t, 4, NAN, 0.0, &g), SN_ERROR_INVALID, "cell");
    assert_error(sn__distance_grid_create(&a, x, 4, t, 4, -0.1, 0.0, &g), SN_ERROR_INVALID, "cell");
    assert_ok(sn__distance_grid_create(&a, x, 4, t, 4, 0.0, 0.0, &g));
    assert_near(g.cell, 1.0 / 64.0, 1e-15);
    sn__distance_grid_destroy(&g);
    assert_error(sn__distance_grid_create(&a, x, 4, t, 4, 0.1, -1.0, &g), SN_ERROR_INVALID,
                 "shell");
    assert_error(sn__distance_grid_create(&a, x, 3, t, 4, 0.1, 0.0, &g), SN_ERROR_INVALID,
                 "triangles[4]: vertex 3");
    assert_error(sn__distance_grid_create(&a, x, 4, t, 0, 0.1, 0.0, &g), SN_ERROR_INVALID,
                 "triangle_count");
    assert_error(sn__distance_grid_create(&a, NULL, 4, t, 4, 0.1, 0.0, &g), SN_ERROR_INVALID,
                 "vertex_count");
    uint32_t flat[6] = {0, 1, 1, 2, 2, 2};
    assert_error(sn__distance_grid_create(&a, x, 4, flat, 2, 0.1, 0.0, &g), SN_ERROR_INVALID,
                 "area");
    uint32_t inverted[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    assert_error(sn__distance_grid_create(&a, x, 4, inverted, 4, 0.1, 0.0, &g), SN_ERROR_INVALID,
                 "inside out");
    x[2].y = NAN;
    assert_error(sn__distance_grid_create(&a, x, 4, t, 4, 0.1, 0.0, &g), SN_ERROR_INVALID,
                 "vertices[2]");
}

static void test_grid_without_memory(void **state) {
    (void)state;
    SnVec3 x[3] = {{0.0f, 0.0f, 0.0f}, {1.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 1.0f}};
    uint32_t t[3] = {0, 1, 2};
    SnCode code = SN_ERROR_MEMORY;
    for (int budget = 0; code != SN_OK; ++budget) {
        Purse purse = {budget, 0};
        SnAllocator a = {purse_allocate, purse_release, &purse};
        DistanceGrid grid;
        code = sn__distance_grid_create(&a, x, 3, t, 1, 0.1, 0.0, &grid).code;
        assert_true(code == SN_OK || code == SN_ERROR_MEMORY);
        assert_int_equal(purse.held, code == SN_OK);
        sn__distance_grid_destroy(&grid);
        assert_int_equal(purse.held, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distance_grid), cmocka_unit_test(test_open_mesh_is_a_shell),
        cmocka_unit_test(test_sharp_mesh),    cmocka_unit_test(test_grid_between_points),
        cmocka_unit_test(test_grid_errors),   cmocka_unit_test(test_grid_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
