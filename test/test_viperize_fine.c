// Many rods and slices: every shape of muscle is filled more closely, as promised.
#include "fit_kit.h"

static void every_shape_is_filled_closely(void **state) {
    (void)state;
    for (int shape = 0; shape < SN_MUSCLE_SHAPE_COUNT; ++shape) {
        Soup soup = soup_of((SnMuscleShape)shape, 300.0f, 6000);
        SnViperizeDef def = viperize_def(&soup, 24, 16);
        SnViper viper = convert(&def);
        const SnFitQuality *q = &viper.quality;
        print_message("%s: volume %.4f, rms %.2f %%, hausdorff %.1f %%\n",
                      sn_muscle_shape_name((SnMuscleShape)shape), q->volume_ratio,
                      100.0 * share(&viper), 100.0 * q->hausdorff / q->thickness);
        assert_near(q->volume_ratio, 1.0, 0.02);
        assert_below(share(&viper), 0.025);
        assert_near(random_volume(&viper, 20000) / q->volume, 1.0, 0.03);
        assert_below(random_rms(&soup, &viper, 2000), 0.025 * q->thickness);
        sn_viper_destroy(&viper);
        soup_free(&soup);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape_is_filled_closely),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
