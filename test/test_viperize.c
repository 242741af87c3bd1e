// From meshes to rods: every shape of muscle is filled as closely as promised, by measurements of the
// test's own.
#include "fit_kit.h"

// Rods go from the source to the sink, slice by slice, without sharp bends, and no way between two slices
// is longer than two of them: no rod jumps from one head to the other.
static void check_course(const SnViper *viper) {
    const SnFitQuality *q = &viper->quality;
    int slices = viper->slice_count;
    for (int k = 0; k < viper->rod_count; ++k) {
        const SnVec3 *x = viper->positions + k * slices;
        double length = 0.0;
        for (int j = 0; j + 1 < slices; ++j) {
            double step = distance(x[j], x[j + 1]);
            assert_below(step, 2.0 * q->length / slices);
            length += step;
            if (j == 0)
                continue;
            SnVec3 before = sn_vec3_sub(x[j], x[j - 1]), after = sn_vec3_sub(x[j + 1], x[j]);
            assert_true(sn_vec3_dot(before, after) >
                        0.5f * sn_vec3_length(before) * sn_vec3_length(after));
        }
        assert_true(length > 0.6 * q->length && length < 1.2 * q->length);
        assert_true(length >= q->shortest * 0.999 && length <= q->longest * 1.001);
    }
    for (int j = 0; j + 1 < slices; ++j)
        assert_true(viper->levels[j] < viper->levels[j + 1]);
    assert_true(viper->levels[0] > 0.0f && viper->levels[slices - 1] < 1.0f);
}

static void every_shape_is_filled(void **state) {
    (void)state;
    for (int shape = 0; shape < SN_MUSCLE_SHAPE_COUNT; ++shape) {
        Soup soup = soup_of((SnMuscleShape)shape, 0.3f, 8000);
        SnViperizeDef def = viperize_def(&soup, 8, 8);
        SnViper viper = convert(&def);
        const SnFitQuality *q = &viper.quality;
        print_message("%s: volume %.4f, rms %.2f %%, hausdorff %.1f %%\n",
                      sn_muscle_shape_name((SnMuscleShape)shape), q->volume_ratio,
                      100.0 * share(&viper), 100.0 * q->hausdorff / q->thickness);
        assert_int_equal(viper.rod_count, 8);
        assert_int_equal(viper.slice_count, 8);
        assert_near(q->volume_ratio, 1.0, 0.02);
        assert_below(share(&viper), 0.04);
        assert_near(q->thickness, 2.0 * sqrt(q->volume / (SUPPORT_PI * q->length)),
                    1e-6 * q->thickness);
        assert_near(random_volume(&viper, 60000) / q->volume, 1.0, 0.02);
        assert_near(random_rms(&soup, &viper, 6000) / q->rms, 1.0, 0.15);
        assert_true(q->hausdorff > q->rms && q->hausdorff < 2.0 * q->thickness);
        check_course(&viper);
        sn_viper_destroy(&viper);
        soup_free(&soup);
    }
}

// All points of a slice have one radius, unless each may have its own; then the fit is closer.
static void radii_of_their_own_are_closer(void **state) {
    (void)state;
    Soup soup = soup_of(SN_MUSCLE_SPINDLE, 0.3f, 8000);
    SnViperizeDef def = viperize_def(&soup, 5, 8);
    SnViper equal = convert(&def);
    for (int j = 0; j < 8; ++j)
        for (int k = 1; k < 5; ++k)
            assert_near(equal.radii[8 * k + j], equal.radii[j], 0.0);
    def.radii = SN_FIT_RADII_OWN;
    SnViper own = convert(&def);
    bool differs = false;
    for (int k = 1; k < 5; ++k)
        differs |= own.radii[8 * k + 4] != own.radii[4];
    assert_true(differs);
    assert_below(own.quality.rms, equal.quality.rms);
    sn_viper_destroy(&equal);
    sn_viper_destroy(&own);
    soup_free(&soup);
}

// Both heads have rods of their own all the way from their ends.
static void two_heads_have_rods_each(void **state) {
    (void)state;
    Soup soup = soup_of(SN_MUSCLE_TWO_HEADED, 1.0f, 8000);
    SnViperizeDef def = viperize_def(&soup, 8, 8);
    SnViper viper = convert(&def);
    assert_true(says(&viper, "ends: "));
    // Whether source or sink, one end of the rods is at y > 0.2 on either side of x = 0.
    int left = 0, right = 0;
    for (int k = 0; k < 8; ++k) {
        SnVec3 a = viper.positions[8 * k], b = viper.positions[8 * k + 7];
        SnVec3 top = a.y > b.y ? a : b;
        assert_true(top.y > 0.2f);
        *(top.x < 0.0f ? &left : &right) += 1;
    }
    assert_true(left >= 2 && right >= 2);
    sn_viper_destroy(&viper);
    soup_free(&soup);
}

// Around a way of pills.
static Soup soup_along(const SnVec3 *way, const float *radii, int points) {
    int edges[2 * 32];
    assert_true(points <= 32);
    for (int i = 0; i + 1 < points; ++i) {
        edges[2 * i] = i;
        edges[2 * i + 1] = i + 1;
    }
    SnIsoDef def = sn_default_iso_def();
    def.vertex_count = points;
    def.edge_count = points - 1;
    def.positions = way;
    def.radii = radii;
    def.edges = edges;
    def.triangles = 6000;
    def.blend = 0.002f;
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

// How many rods have an end at the place.
static int rods_that_end_at(const SnViper *viper, SnVec3 at, float near) {
    int count = 0;
    for (int k = 0; k < viper->rod_count; ++k) {
        const SnVec3 *x = viper->positions + k * viper->slice_count;
        count += sn_vec3_length(sn_vec3_sub(x[0], at)) < near ||
                 sn_vec3_length(sn_vec3_sub(x[viper->slice_count - 1], at)) < near;
    }
    return count;
}

// Two heads that meet in a point, without a belly that they share: rods go from the heads to the point, and not from
// head to head. At any opening that is sharp, and with heads of different lengths.
static void a_v_has_two_heads(void **state) {
    (void)state;
    static const double openings[] = {0.35, 0.6, 0.9, 1.1};
    for (size_t n = 0; n < sizeof openings / sizeof openings[0]; ++n)
        for (int shorter = 0; shorter < 2; ++shorter) {
            double half = 0.5 * openings[n], reach = shorter ? 0.22 : 0.3;
            const SnVec3 way[5] = {
                {(float)(-0.3 * sin(half)), (float)(0.3 * cos(half)), 0.0f},
                {(float)(-0.15 * sin(half)), (float)(0.15 * cos(half)), 0.0f},
                {0.0f, 0.0f, 0.0f},
                {(float)(0.5 * reach * sin(half)), (float)(0.5 * reach * cos(half)), 0.0f},
                {(float)(reach * sin(half)), (float)(reach * cos(half)), 0.0f}};
            const float radii[5] = {0.012f, 0.024f, 0.012f, 0.024f, 0.012f};
            Soup soup = soup_along(way, radii, 5);
            SnViperizeDef def = viperize_def(&soup, 8, 8);
            SnViper viper = convert(&def);
            int left = rods_that_end_at(&viper, way[0], 0.06f),
                right = rods_that_end_at(&viper, way[4], 0.06f),
                point = rods_that_end_at(&viper, way[2], 0.06f);
            print_message("opening %.2f: %d + %d rods, %d to the point, rms %.2f %%\n", openings[n],
                          left, right, point, 100.0 * share(&viper));
            assert_true(left >= 2 && right >= 2 && left + right == 8 && point == 8);
            assert_below(share(&viper), 0.06);
            sn_viper_destroy(&viper);
            soup_free(&soup);
        }
}

// What is curved has one end at each end, even as three quarters of a circle.
static void a_bow_has_no_corner(void **state) {
    (void)state;
    SnVec3 way[25];
    float radii[25];
    for (int i = 0; i < 25; ++i) {
        double angle = 1.5 * 3.14159265358979323846 * i / 24.0;
        way[i] = sn_vec3((float)(0.1 * cos(angle)), (float)(0.1 * sin(angle)), 0.0f);
        radii[i] = (float)(0.008 + 0.014 * sin(3.14159265358979323846 * i / 24.0));
    }
    Soup soup = soup_along(way, radii, 25);
    SnViperizeDef def = viperize_def(&soup, 8, 16);
    SnViper viper = convert(&def);
    assert_int_equal(rods_that_end_at(&viper, way[0], 0.04f), 8);
    assert_int_equal(rods_that_end_at(&viper, way[24], 0.04f), 8);
    sn_viper_destroy(&viper);
    soup_free(&soup);
}

// Millimetres, turned and far from the origin.
static void units_and_places_do_not_matter(void **state) {
    (void)state;
    Soup soup = soup_of(SN_MUSCLE_BIPENNATE, 0.3f, 8000);
    SnViperizeDef def = viperize_def(&soup, 8, 8);
    SnViper near = convert(&def);
    SnQuat turn = turn_about(0.3, -0.7, 0.4, 1.0);
    for (int i = 0; i < soup.vertex_count; ++i) {
        SnVec3 x = sn_quat_rotate(turn, sn_vec3_scale(soup.positions[i], 1000.0f));
        soup.positions[i] = sn_vec3_add(x, sn_vec3(900.0f, -1500.0f, 1200.0f));
    }
    SnViper far = convert(&def);
    assert_near(far.quality.thickness / near.quality.thickness, 1000.0, 10.0);
    assert_near(far.quality.volume_ratio, 1.0, 0.02);
    assert_below(share(&far), 0.04);
    assert_near(random_rms(&soup, &far, 6000) / far.quality.rms, 1.0, 0.15);
    sn_viper_destroy(&near);
    sn_viper_destroy(&far);
    soup_free(&soup);
}

static void the_same_mesh_gives_the_same_bits(void **state) {
    (void)state;
    Soup soup = soup_of(SN_MUSCLE_CURVED, 0.3f, 2000);
    SnViperizeDef def = viperize_def(&soup, 7, 9);
    SnViper first = convert(&def), second = convert(&def);
    assert_memory_equal(first.positions, second.positions, 63 * sizeof *first.positions);
    assert_memory_equal(first.radii, second.radii, 63 * sizeof *first.radii);
    sn_viper_destroy(&first);
    sn_viper_destroy(&second);
    soup_free(&soup);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape_is_filled),
        cmocka_unit_test(radii_of_their_own_are_closer),
        cmocka_unit_test(two_heads_have_rods_each),
        cmocka_unit_test(a_v_has_two_heads),
        cmocka_unit_test(a_bow_has_no_corner),
        cmocka_unit_test(units_and_places_do_not_matter),
        cmocka_unit_test(the_same_mesh_gives_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
