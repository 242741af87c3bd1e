// Models made by code: the octopus, and the mesh around pills.
#include "purse.h"
#include "support.h"

#include <stdlib.h>

#include "geom/blend.h"

static void test_octopus(void **state) {
    (void)state;
    SnModel model;
    assert_ok(sn_octopus(3.77f, NULL, &model));
    assert_int_equal(model.vertex_count, 38);
    assert_int_equal(model.edge_count, 38);
    int degree[38] = {0};
    for (int i = 0; i < 76; ++i) {
        assert_true(model.edges[i] >= 0 && model.edges[i] < 38);
        ++degree[model.edges[i]];
    }
    // Pairs of pills that meet.
    int joints = 0, feet = 0;
    for (int i = 0; i < 38; ++i) {
        joints += degree[i] * (degree[i] - 1) / 2;
        feet += degree[i] == 1;
    }
    assert_int_equal(joints, 72);
    assert_int_equal(feet, 8 + 2); // and eyes
    assert_int_equal(degree[0], 9);
    // Twice the published size, from the root: its height, 0.179, is taken off.
    assert_near(distance(model.positions[0], sn_vec3(0.0f, 0.0f, 0.0f)), 0.0, 0.0);
    assert_near(model.radii[0], 0.716, 1e-6);
    assert_near(model.positions[1].y, 2.0 * (0.844 - 0.179), 1e-6);
    for (int arm = 0; arm < 8; ++arm) {
        SnVec3 foot = model.positions[6 + 4 * arm + 3], hip = model.positions[6 + 4 * arm];
        assert_near(hypot((double)foot.x, (double)foot.z), 3.77, 1e-5);
        assert_near(hypot((double)hip.x, (double)hip.z), 1.04, 1e-5);
        assert_near(foot.y, 2.0 * (-0.636 - 0.179), 1e-6);
        assert_near(model.radii[6 + 4 * arm + 3], 0.154, 1e-6);
        SnVec3 next = model.positions[6 + 4 * ((arm + 1) % 8) + 3];
        assert_near(distance(foot, next), 2.0 * 3.77 * sin(SUPPORT_PI / 8.0), 1e-5);
    }
    // The eyes look to the front, between two arms.
    assert_near(model.positions[4].z, 0.776, 1e-6);
    assert_near(model.positions[4].x, -model.positions[5].x, 0.0);
    sn_model_destroy(&model);
    assert_null(model.positions);
    assert_error(sn_octopus(0.0f, NULL, &model), SN_ERROR_INVALID, "size");
    assert_error(sn_octopus(NAN, NULL, &model), SN_ERROR_INVALID, "size");
    assert_error(sn_octopus(1.0f, NULL, NULL), SN_ERROR_INVALID, "out_model");
}

static int compare(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static Vec3d at(const SnMesh *mesh, int triangle, int corner) {
    return vec3d(mesh->positions[mesh->triangles[3 * triangle + corner % 3]]);
}

// Every edge is used once in each direction.
static void check_closed(const SnMesh *mesh) {
    size_t count = 3 * (size_t)mesh->triangle_count;
    uint64_t *edges = malloc(count * sizeof *edges);
    for (size_t i = 0; i < count; ++i) {
        uint64_t a = mesh->triangles[i], b = mesh->triangles[i - i % 3 + (i + 1) % 3];
        assert_true(a < (uint64_t)mesh->vertex_count && a != b);
        edges[i] = a << 32 | b;
    }
    qsort(edges, count, sizeof *edges, compare);
    for (size_t i = 0; i < count; ++i) {
        if (i > 0)
            assert_true(edges[i] != edges[i - 1]);
        uint64_t back = edges[i] << 32 | edges[i] >> 32;
        assert_non_null(bsearch(&back, edges, count, sizeof *edges, compare));
    }
    free(edges);
}

// Triangles that are all of a size and far from flat; returns the volume.
static double check_shape(const SnMesh *mesh, double least_quality) {
    double volume = 0.0;
    for (int i = 0; i < mesh->triangle_count; ++i) {
        Vec3d a = at(mesh, i, 0), b = at(mesh, i, 1), c = at(mesh, i, 2);
        Vec3d normal = crossd(subd(b, a), subd(c, a));
        double sides = 0.0;
        for (int k = 0; k < 3; ++k) {
            Vec3d side = subd(at(mesh, i, k + 1), at(mesh, i, k));
            sides += dotd(side, side);
        }
        // 1 for equal sides, 0 for no area.
        assert_true(2.0 * sqrt(3.0) * lengthd(normal) / sides > least_quality);
        volume += dotd(a, normal) / 6.0;
        for (int k = 0; k < 3; ++k) {
            Vec3d n = vec3d(mesh->normals[mesh->triangles[3 * i + k]]);
            assert_near(lengthd(n), 1.0, 1e-6);
            assert_true(dotd(n, normal) > 0.3 * lengthd(normal));
        }
    }
    return volume;
}

static SnIsoDef iso_of(const SnModel *model) {
    SnIsoDef def = sn_default_iso_def();
    def.vertex_count = model->vertex_count;
    def.edge_count = model->edge_count;
    def.positions = model->positions;
    def.radii = model->radii;
    def.edges = model->edges;
    return def;
}

static void test_octopus_skin(void **state) {
    (void)state;
    SnModel model;
    assert_ok(sn_octopus(0.5f, NULL, &model));
    SnIsoDef def = iso_of(&model);
    SnMesh mesh;
    assert_ok(sn_iso_mesh(&def, NULL, &mesh));
    assert_near(mesh.triangle_count, 12000, 0.15 * 12000);
    check_closed(&mesh);
    assert_int_equal(mesh.vertex_count - mesh.triangle_count / 2, 2); // one sphere
    double scale = 0.5 / 1.885;
    double volume = check_shape(&mesh, 0.3);
    assert_true(volume > 2.0 * scale * scale * scale && volume < 2.6 * scale * scale * scale);
    // Every vertex is on or a little outside the nearest pill, but for creases.
    double blend = 0.5 * 0.077 * scale;
    for (int i = 0; i < mesh.vertex_count; ++i) {
        double nearest = INFINITY;
        for (int e = 0; e < model.edge_count; ++e) {
            int a = model.edges[2 * e], b = model.edges[2 * e + 1];
            Pill pill = {vec3d(model.positions[a]), vec3d(model.positions[b]),
                         (double)model.radii[a], (double)model.radii[b]};
            nearest = fmin(nearest, sn__pill_distance(&pill, vec3d(mesh.positions[i]), NULL));
        }
        assert_true(nearest > -1e-4 * scale && nearest < 4.0 * blend);
    }
    sn_mesh_destroy(&mesh);
    assert_null(mesh.positions);
    sn_model_destroy(&model);
}

// Pills without a crease: the mesh is the pill.
static void test_tapered_pill(void **state) {
    (void)state;
    SnVec3 x[3] = {{100.0f, 0.0f, 0.0f}, {102.0f, 0.0f, 0.0f}, {103.0f, 0.0f, 0.0f}};
    float radii[3] = {0.2f, 0.4f, 0.5f};
    int edges[4] = {0, 1, 1, 2};
    SnModel model = {3, 2, x, radii, edges, {0}, 0};
    for (int triangles = 1000; triangles <= 16000; triangles *= 4) {
        SnIsoDef def = iso_of(&model);
        def.triangles = triangles;
        def.blend = 0.04f; // four times that is less than half the radius
        def.grow = 0.05f;
        SnMesh mesh;
        assert_ok(sn_iso_mesh(&def, NULL, &mesh));
        assert_near(mesh.triangle_count, triangles, 0.15 * triangles);
        check_closed(&mesh);
        check_shape(&mesh, 0.3);
        assert_int_equal(mesh.vertex_count - mesh.triangle_count / 2, 2);
        Pill whole = {vec3d(x[0]), vec3d(x[2]), 0.2, 0.5};
        for (int i = 0; i < mesh.vertex_count; ++i)
            assert_near(sn__pill_distance(&whole, vec3d(mesh.positions[i]), NULL), 0.05, 2e-5);
        sn_mesh_destroy(&mesh);
    }
}

// A row of pills is as thick as they are, however large the blend: no joint becomes a bead.
static void test_row_of_pills(void **state) {
    (void)state;
    enum { VERTICES = 25 };
    SnVec3 x[VERTICES];
    float radii[VERTICES];
    int edges[2 * VERTICES];
    for (int i = 0; i < VERTICES; ++i) {
        x[i] = sn_vec3(0.04f * (float)i, 0.0f, 0.0f);
        radii[i] = 0.05f - 0.04f * (float)i / (VERTICES - 1);
        edges[2 * i] = (i * 7) % (VERTICES - 1); // in any order
        edges[2 * i + 1] = edges[2 * i] + 1;
    }
    SnModel model = {VERTICES, VERTICES - 1, x, radii, edges, {0}, 0};
    Pill whole = {vec3d(x[0]), vec3d(x[VERTICES - 1]), 0.05, 0.01};
    for (int k = 0; k < 3; ++k) {
        const float blends[] = {0.01f, 0.05f, 0.15f};
        SnIsoDef def = iso_of(&model);
        def.blend = blends[k];
        SnMesh mesh;
        assert_ok(sn_iso_mesh(&def, NULL, &mesh));
        check_closed(&mesh);
        for (int i = 0; i < mesh.vertex_count; ++i)
            assert_near(sn__pill_distance(&whole, vec3d(mesh.positions[i]), NULL), 0.0, 5e-4);
        sn_mesh_destroy(&mesh);
    }
}

// Two pills side by side with a gap between them: closing fills it, and leaves their outer sides where
// they are.
static void test_closing(void **state) {
    (void)state;
    SnVec3 x[4] = {{0.0f, 0.0f, 0.0f}, {2.0f, 0.0f, 0.0f}, {0.0f, 0.5f, 0.0f}, {2.0f, 0.5f, 0.0f}};
    float radii[4] = {0.2f, 0.2f, 0.2f, 0.2f};
    int edges[4] = {0, 1, 2, 3};
    SnModel model = {4, 2, x, radii, edges, {0}, 0};
    SnIsoDef def = iso_of(&model);
    def.blend = 0.005f;
    SnMesh mesh;
    assert_ok(sn_iso_mesh(&def, NULL, &mesh));
    assert_int_equal(mesh.vertex_count - mesh.triangle_count / 2, 4); // two pieces
    sn_mesh_destroy(&mesh);
    def.close = 0.15f;
    def.smooth = 0.02f;
    assert_ok(sn_iso_mesh(&def, NULL, &mesh));
    check_closed(&mesh);
    assert_int_equal(mesh.vertex_count - mesh.triangle_count / 2, 2); // one
    double high = 0.0;
    for (int i = 0; i < mesh.vertex_count; ++i)
        high = fmax(high, (double)mesh.positions[i].y);
    assert_near(high, 0.7, 0.003);
    sn_mesh_destroy(&mesh);
}

// A row of pills that swell and shrink in turn: blurred over one of them it is nearly
// even.
static void test_smoothing(void **state) {
    (void)state;
    enum { PIECES = 20 };
    SnVec3 x[PIECES + 1];
    float radii[PIECES + 1];
    int edges[2 * PIECES];
    for (int i = 0; i <= PIECES; ++i) {
        x[i] = sn_vec3(0.1f * (float)i, 0.0f, 0.0f);
        radii[i] = i % 2 ? 0.20f : 0.17f;
        if (i < PIECES) {
            edges[2 * i] = i;
            edges[2 * i + 1] = i + 1;
        }
    }
    SnModel model = {PIECES + 1, PIECES, x, radii, edges, {0}, 0};
    double span[2];
    for (int k = 0; k < 2; ++k) {
        SnIsoDef def = iso_of(&model);
        def.triangles = 40000;
        def.blend = 0.005f;
        def.smooth = k ? 0.08f : 0.0f;
        SnMesh mesh;
        assert_ok(sn_iso_mesh(&def, NULL, &mesh));
        double low = 1.0, high = 0.0;
        for (int i = 0; i < mesh.vertex_count; ++i) {
            SnVec3 p = mesh.positions[i];
            double r = sqrt((double)p.y * (double)p.y + (double)p.z * (double)p.z);
            if (p.x > 0.5f && p.x < 1.5f) {
                low = fmin(low, r);
                high = fmax(high, r);
            }
        }
        span[k] = high - low;
        sn_mesh_destroy(&mesh);
    }
    assert_true(span[0] > 0.01);
    assert_below(span[1], 0.25 * span[0]);
}

// Random graphs, far too coarse for what they are: still closed.
static void test_wild_graphs(void **state) {
    (void)state;
    Rng rng = {11};
    for (int round = 0; round < 40; ++round) {
        enum { COUNT = 12 };
        SnVec3 x[COUNT];
        float radii[COUNT];
        int edges[2 * COUNT];
        for (int i = 0; i < COUNT; ++i) {
            x[i] = rng_vec3(&rng, 1.0);
            radii[i] = rng_log(&rng, 0.08, 0.5);
            edges[2 * i] = rng_int(&rng, 0, COUNT - 1);
            edges[2 * i + 1] = rng_int(&rng, 0, COUNT - 1); // may be the same
        }
        SnModel model = {COUNT, COUNT, x, radii, edges, {0}, 0};
        SnIsoDef def = iso_of(&model);
        def.triangles = rng_int(&rng, 100, 4000);
        def.blend = rng_float(&rng, -0.1, 0.2);
        SnMesh mesh;
        assert_ok(sn_iso_mesh(&def, NULL, &mesh));
        assert_true(mesh.triangle_count >= 80);
        check_closed(&mesh);
        for (int i = 0; i < mesh.vertex_count; ++i)
            assert_true(isfinite(mesh.positions[i].x + mesh.normals[i].y));
        sn_mesh_destroy(&mesh);
    }
}

// What the tree of blocks leaves out does not matter: the same as all pills at every point.
static void test_blend_ignores_far_pills(void **state) {
    (void)state;
    Rng rng = {12};
    for (int round = 0; round < 2000; ++round) {
        enum { COUNT = 20 };
        BlendPill pills[COUNT];
        int all[COUNT], near[COUNT], near_count = 0;
        Vec3d x = vec3d(rng_vec3(&rng, 1.5)), g;
        double distances[COUNT], nearest = INFINITY;
        for (int i = 0; i < COUNT; ++i) {
            Pill pill = {vec3d(rng_vec3(&rng, 1.0)), vec3d(rng_vec3(&rng, 1.0)),
                         rng_real(&rng, 0.01, 0.4), rng_real(&rng, 0.01, 0.4)};
            pills[i] = sn__blend_pill(&pill);
            distances[i] = sn__blend_distance(pills + i, x);
            assert_near(distances[i], sn__pill_distance(&pill, x, NULL), 1e-7);
            nearest = fmin(nearest, distances[i]);
            all[i] = i;
        }
        Blend blend = {pills, rng_real(&rng, 0.0, 0.3)};
        for (int i = 0; i < COUNT; ++i)
            if (distances[i] <= nearest + 3.0 * blend.width)
                near[near_count++] = i;
        double value = sn__blend_at(&blend, all, COUNT, x, &g);
        assert_near(value, sn__blend_at(&blend, near, near_count, x, &g), 1e-9);
        assert_true(value <= nearest && value >= nearest - blend.width);
    }
}

static void test_iso_errors(void **state) {
    (void)state;
    SnVec3 x[2] = {{0.0f, 0.0f, 0.0f}, {1.0f, 0.0f, 0.0f}};
    float radii[2] = {0.1f, 0.1f};
    int edges[2] = {0, 1};
    SnModel model = {2, 1, x, radii, edges, {0}, 0};
    SnMesh mesh;
    SnIsoDef good = iso_of(&model), def = good;
    assert_error(sn_iso_mesh(NULL, NULL, &mesh), SN_ERROR_INVALID, "sn_default_iso_def");
    assert_error(sn_iso_mesh(&def, NULL, NULL), SN_ERROR_INVALID, "out_mesh");
    def.triangles = 99;
    assert_error(sn_iso_mesh(&def, NULL, &mesh), SN_ERROR_INVALID, "triangles: 99");
    def = good;
    def.edge_count = 0;
    assert_error(sn_iso_mesh(&def, NULL, &mesh), SN_ERROR_INVALID, "edge_count");
    def = good;
    def.grow = -1.0f;
    assert_error(sn_iso_mesh(&def, NULL, &mesh), SN_ERROR_INVALID, "grow");
    def = good;
    def.blend = NAN;
    assert_error(sn_iso_mesh(&def, NULL, &mesh), SN_ERROR_INVALID, "blend");
    def = good;
    def.close = -1.0f;
    assert_error(sn_iso_mesh(&def, NULL, &mesh), SN_ERROR_INVALID, "close");
    def = good;
    def.smooth = NAN;
    assert_error(sn_iso_mesh(&def, NULL, &mesh), SN_ERROR_INVALID, "smooth");
    def.smooth = 1000.0f;
    assert_error(sn_iso_mesh(&def, NULL, &mesh), SN_ERROR_LIMIT, "smooth: 1000 m");
    edges[1] = 2;
    assert_error(sn_iso_mesh(&good, NULL, &mesh), SN_ERROR_INVALID, "edges[1]: vertex 2");
    edges[1] = 1;
    radii[1] = 0.0f;
    assert_error(sn_iso_mesh(&good, NULL, &mesh), SN_ERROR_INVALID, "radii[1]");
    radii[1] = 0.1f;
    x[0].z = INFINITY;
    assert_error(sn_iso_mesh(&good, NULL, &mesh), SN_ERROR_INVALID, "positions[0]");
    x[0].z = 1e8f; // a hair of 100,000 km
    assert_error(sn_iso_mesh(&good, NULL, &mesh), SN_ERROR_LIMIT, "triangles");
    assert_null(mesh.positions);
}

static void test_no_memory(void **state) {
    (void)state;
    SnVec3 x[2] = {{0.0f, 0.0f, 0.0f}, {1.0f, 0.0f, 0.0f}};
    float radii[2] = {0.4f, 0.3f};
    int edges[2] = {0, 1};
    SnModel model = {2, 1, x, radii, edges, {0}, 0};
    SnIsoDef def = iso_of(&model);
    def.triangles = 200;
    SnCode code = SN_ERROR_MEMORY;
    int budget = 0;
    for (; code != SN_OK; ++budget) {
        Purse purse = {budget, 0};
        SnAllocator allocator = {purse_allocate, purse_release, &purse};
        SnMesh mesh;
        code = sn_iso_mesh(&def, &allocator, &mesh).code;
        assert_true(code == SN_OK || (code == SN_ERROR_MEMORY && mesh.positions == NULL));
        sn_mesh_destroy(&mesh);
        assert_int_equal(purse.held, 0);
    }
    assert_true(budget > 10);
    Purse purse = {0, 0};
    SnAllocator allocator = {purse_allocate, purse_release, &purse};
    SnModel octopus;
    assert_error(sn_octopus(1.0f, &allocator, &octopus), SN_ERROR_MEMORY, "octopus");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_octopus),      cmocka_unit_test(test_octopus_skin),
        cmocka_unit_test(test_tapered_pill), cmocka_unit_test(test_row_of_pills),
        cmocka_unit_test(test_closing),      cmocka_unit_test(test_smoothing),
        cmocka_unit_test(test_wild_graphs),  cmocka_unit_test(test_blend_ignores_far_pills),
        cmocka_unit_test(test_iso_errors),   cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
