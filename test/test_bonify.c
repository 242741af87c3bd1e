// From meshes to a few pills.
#include "fit_kit.h"

#include <time.h>

#include "fit/sphere_mesh.h"

static SnBonifyDef bonify_def(const Soup *soup, int pills) {
    SnBonifyDef def = sn_default_bonify_def();
    def.vertex_count = soup->vertex_count;
    def.positions = soup->positions;
    def.triangle_count = soup->triangle_count;
    def.triangles = soup->triangles;
    def.pills = pills;
    return def;
}

// The mesh around a graph of pills that is known.
static Soup knobbly_bone(void) {
    const SnVec3 positions[] = {{0.0f, -0.15f, 0.0f},
                                {0.0f, 0.12f, 0.0f},
                                {0.035f, 0.15f, 0.0f},
                                {-0.03f, -0.17f, 0.0f},
                                {0.03f, -0.17f, 0.0f}};
    const float radii[] = {0.014f, 0.012f, 0.03f, 0.018f, 0.016f};
    const int edges[] = {0, 1, 1, 2, 0, 3, 0, 4, 3, 4};
    SnIsoDef def = sn_default_iso_def();
    def.vertex_count = 5;
    def.edge_count = 5;
    def.positions = positions;
    def.radii = radii;
    def.edges = edges;
    def.triangles = 6000;
    def.blend = 0.001f;
    SnMesh mesh;
    assert_ok(sn_iso_mesh(&def, NULL, &mesh));
    Soup soup = {mesh.vertex_count, mesh.triangle_count, NULL, NULL};
    soup.positions = calloc((size_t)mesh.vertex_count, sizeof *soup.positions);
    soup.triangles = calloc(3 * (size_t)mesh.triangle_count, sizeof *soup.triangles);
    assert_true(soup.positions && soup.triangles);
    memcpy(soup.positions, mesh.positions, (size_t)mesh.vertex_count * sizeof *soup.positions);
    memcpy(soup.triangles, mesh.triangles,
           3 * (size_t)mesh.triangle_count * sizeof *soup.triangles);
    sn_mesh_destroy(&mesh);
    return soup;
}

static double distance_to_pills(const SnBonePills *p, SnVec3 x) {
    double least = HUGE_VAL;
    for (int i = 0; i < p->pill_count; ++i) {
        int a = p->edges[2 * i], b = p->edges[2 * i + 1];
        Pill pill = {vec3d(p->positions[a]), vec3d(p->positions[b]), (double)p->radii[a],
                     (double)p->radii[b]};
        least = fmin(least, sn__pill_distance(&pill, vec3d(x), NULL));
    }
    return least;
}

// The reported distance is that of the vertices, or nearly so; more pills fit closer; all hang together.
static void pills_fit_a_bone(void **state) {
    (void)state;
    static const double limits[][2] = {{1, 1.0}, {4, 0.25}, {8, 0.1}, {16, 0.05}};
    Soup soup = knobbly_bone();
    for (size_t n = 0; n < sizeof limits / sizeof limits[0]; ++n) {
        SnBonifyDef def = bonify_def(&soup, (int)limits[n][0]);
        SnBonePills pills;
        assert_ok(sn_bonify(&def, NULL, &pills));
        const SnFitQuality *q = &pills.quality;
        print_message("%d pills: rms %.2f %% of the thickness, volume %.3f\n", pills.pill_count,
                      100.0 * q->rms / q->thickness, q->volume_ratio);
        assert_true(pills.pill_count >= 1 && pills.pill_count <= (int)limits[n][0]);
        assert_true(pills.sphere_count <= pills.pill_count + 1);
        assert_below(q->rms / q->thickness, limits[n][1]);
        double sum = 0.0;
        for (int i = 0; i < soup.vertex_count; ++i) {
            double d = distance_to_pills(&pills, soup.positions[i]);
            sum += d * d / soup.vertex_count;
        }
        assert_near(sqrt(sum) / q->rms, 1.0, 0.4);
        for (int i = 0; i < pills.sphere_count; ++i)
            assert_true(pills.radii[i] > 0.0f);
        for (int i = 0; i < 2 * pills.pill_count; ++i)
            assert_true(pills.edges[i] >= 0 && pills.edges[i] < pills.sphere_count);
        sn_bone_pills_destroy(&pills);
    }
    soup_free(&soup);
}

// The mesh around one pill, simplified to two spheres, gives these back.
static void a_pill_is_found(void **state) {
    (void)state;
    const SnVec3 positions[] = {{0.1f, -0.4f, 0.2f}, {0.0f, 0.5f, 0.0f}};
    const float radii[] = {0.2f, 0.1f};
    const int edges[] = {0, 1};
    SnIsoDef def = sn_default_iso_def();
    def.vertex_count = 2;
    def.edge_count = 1;
    def.positions = positions;
    def.radii = radii;
    def.edges = edges;
    def.triangles = 3000;
    SnMesh mesh;
    assert_ok(sn_iso_mesh(&def, NULL, &mesh));
    FitMemory memory = {sn__default_allocator(), NULL};
    FitSurface surface;
    FitSphereMesh spheres;
    assert_ok(sn__fit_clean(&memory, mesh.positions, mesh.vertex_count, mesh.triangles,
                            mesh.triangle_count, &surface));
    assert_true(sn__fit_simplify(&memory, &surface, 2, &spheres));
    assert_int_equal(spheres.sphere_count, 2);
    assert_int_equal(spheres.edge_count, 1);
    int thick = spheres.spheres[0].radius > spheres.spheres[1].radius ? 0 : 1;
    for (int i = 0; i < 2; ++i) {
        FitSphere sphere = spheres.spheres[i == 0 ? thick : 1 - thick];
        SnVec3 centre = vec3f(addd(sphere.centre, surface.centre));
        assert_near(sphere.radius, radii[i], 0.03);
        assert_near(distance(centre, positions[i]), 0.0, 0.15);
    }
    sn__fit_release(&memory, NULL);
    sn_mesh_destroy(&mesh);
}

static void wrong_bones_are_refused(void **state) {
    (void)state;
    Soup soup = soup_of(SN_MUSCLE_SPINDLE, 0.3f, 1000);
    SnBonePills pills;
    SnBonifyDef def = bonify_def(&soup, 0), zero = {0};
    assert_error(sn_bonify(NULL, NULL, &pills), SN_ERROR_INVALID, "def");
    assert_error(sn_bonify(&def, NULL, NULL), SN_ERROR_INVALID, "out_pills");
    assert_error(sn_bonify(&zero, NULL, &pills), SN_ERROR_INVALID, "sn_default_bonify_def");
    assert_error(sn_bonify(&def, NULL, &pills), SN_ERROR_INVALID, "pills: 0");
    def = bonify_def(&soup, 3);
    def.triangle_count = 0;
    assert_error(sn_bonify(&def, NULL, &pills), SN_ERROR_INVALID, "empty");
    soup.positions[3].z = INFINITY;
    def = bonify_def(&soup, 3);
    assert_error(sn_bonify(&def, NULL, &pills), SN_ERROR_INVALID, "vertex 3");
    soup_free(&soup);
}

// Stretched so that its box has this size; processor time in seconds.
static double time_of_bone(SnVec3 size) {
    Soup soup = soup_of(SN_MUSCLE_SPINDLE, 1.0f, 2000);
    SnVec3 low = soup.positions[0], high = low;
    for (int i = 0; i < soup.vertex_count; ++i) {
        SnVec3 x = soup.positions[i];
        low = sn_vec3(fminf(low.x, x.x), fminf(low.y, x.y), fminf(low.z, x.z));
        high = sn_vec3(fmaxf(high.x, x.x), fmaxf(high.y, x.y), fmaxf(high.z, x.z));
    }
    SnVec3 by = sn_vec3_sub(high, low);
    for (int i = 0; i < soup.vertex_count; ++i) {
        SnVec3 *x = &soup.positions[i];
        *x = sn_vec3(x->x / by.x * size.x, x->y / by.y * size.y, x->z / by.z * size.z);
    }
    SnBonifyDef def = bonify_def(&soup, 12);
    SnBonePills pills;
    double start = (double)clock();
    assert_ok(sn_bonify(&def, NULL, &pills));
    double seconds = ((double)clock() - start) / CLOCKS_PER_SEC;
    sn_bone_pills_destroy(&pills);
    soup_free(&soup);
    return seconds;
}

// What is measured in cubes takes no more of them for what is a thousand times as long or as wide as thick.
static void long_and_flat_bones_take_no_longer(void **state) {
    (void)state;
    double usual = time_of_bone(sn_vec3(1.0f, 8.0f, 1.0f));
    double needle = time_of_bone(sn_vec3(1.0f, 10000.0f, 1.0f));
    double disc = time_of_bone(sn_vec3(1000.0f, 1000.0f, 1.0f));
    print_message("a bone %.2f s, a needle %.2f s, a disc %.2f s\n", usual, needle, disc);
    assert_below(fmax(needle, disc), 30.0 * usual);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pill_is_found),
        cmocka_unit_test(pills_fit_a_bone),
        cmocka_unit_test(long_and_flat_bones_take_no_longer),
        cmocka_unit_test(wrong_bones_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
