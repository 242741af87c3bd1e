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
        cmocka_unit_test(units_and_places_do_not_matter),
        cmocka_unit_test(the_same_mesh_gives_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
