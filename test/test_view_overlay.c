// The size of pictures, panels in their corners, the camera, and the pace at which frames come.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "studio.h"
#include "view/overlay.h"
#include "view/pace.h"
#include "view/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void pictures_change_their_size(void **state) {
    Studio *studio = *state;
    ViewScene scene = star();
    SnResult result = view_renderer_resize(studio->renderer, 200, 100);
    assert_string_equal(result.message, "");
    ViewImage image = render(studio, &scene, &front);
    assert_int_equal(image.width, 200);
    assert_int_equal(image.height, 100);
    assert_true(is_red(pixel(&image, 100, 50)));
    assert_int_equal(view_renderer_resize(studio->renderer, 0, 100).code, SN_ERROR_INVALID);
    view_image_release(&image);
    result = view_renderer_resize(studio->renderer, WIDTH, HEIGHT);
    assert_string_equal(result.message, "");
    image = render(studio, &scene, &front);
    assert_true(is_red(pixel(&image, 160, 90)));
    view_image_release(&image);
}

static void panels_stand_in_their_corners(void **state) {
    Studio *studio = *state;
    ViewScene scene = empty_scene();
    ViewOverlay *overlay;
    SnResult result = view_overlay_create(&overlay);
    assert_string_equal(result.message, "");
    for (int corner = VIEW_TOP_LEFT; corner <= VIEW_BOTTOM_RIGHT; ++corner) {
        ViewImage image = render(studio, &scene, &front);
        view_image_release(&image);
        result = view_overlay_draw(overlay, studio->renderer, "steps\t12\nall is well",
                                   (ViewCorner)corner, 8.0f);
        assert_string_equal(result.message, "");
        result = view_renderer_read(studio->renderer, &image);
        assert_string_equal(result.message, "");
        int dark[4] = {0}, changed = 0;
        for (int i = 0; i < WIDTH * HEIGHT; ++i) {
            const uint8_t *p = image.pixels + 3 * i;
            int at = (i / WIDTH >= HEIGHT / 2) * 2 + (i % WIDTH >= WIDTH / 2);
            dark[at] += p[0] < 100;
        }
        for (int i = 0; i < 4; ++i)
            assert_true(i == corner ? dark[i] > 1000 : dark[i] == 0);
        ViewImage other = {0};
        result = view_overlay_draw(overlay, studio->renderer, "STEPS\t34\nall is well",
                                   (ViewCorner)corner, 8.0f);
        assert_string_equal(result.message, "");
        result = view_renderer_read(studio->renderer, &other);
        assert_string_equal(result.message, "");
        for (int i = 0; i < 3 * WIDTH * HEIGHT; ++i)
            changed += other.pixels[i] > image.pixels[i] + 60;
        assert_in_range(changed, 30, 3000); // letters, not panels
        view_image_release(&other);
        view_image_release(&image);
    }
    result = view_overlay_draw(overlay, studio->renderer, "", VIEW_TOP_LEFT, 8.0f);
    assert_int_equal(result.code, SN_OK);
    view_overlay_destroy(overlay);
}

static void assert_near(SnVec3 a, SnVec3 b) {
    float away = fabsf(a.x - b.x) + fabsf(a.y - b.y) + fabsf(a.z - b.z);
    if (!(away < 1.0e-4f))
        fail_msg("(%g, %g, %g) is not (%g, %g, %g)", (double)a.x, (double)a.y, (double)a.z,
                 (double)b.x, (double)b.y, (double)b.z);
}

static void cameras_turn_move_and_zoom(void **state) {
    (void)state;
    const float quarter = 1.57079633f;
    ViewCamera camera = view_camera_orbit(&front, quarter, 0.0f);
    assert_near(camera.position, sn_vec3(6.0f, 0.0f, 0.0f));
    camera = view_camera_orbit(&front, 0.0f, 0.5f);
    assert_near(camera.position, sn_vec3(0.0f, 6.0f * sinf(0.5f), 6.0f * cosf(0.5f)));
    camera = view_camera_orbit(&front, 0.0f, 10.0f); // not over the top
    assert_true(camera.position.z > 0.0f && camera.position.y > 5.99f);
    camera = view_camera_pan(&front, 1.0f, 2.0f);
    assert_near(camera.position, sn_vec3(1.0f, 2.0f, 6.0f));
    assert_near(camera.target, sn_vec3(1.0f, 2.0f, 0.0f));
    camera = view_camera_zoom(&front, 0.5f);
    assert_near(camera.position, sn_vec3(0.0f, 0.0f, 3.0f));
    // A ray through a place of the picture meets what is drawn there.
    SnVec3 ray = view_camera_ray(&front, 16.0f / 9.0f, 0.0f, 0.0f);
    assert_near(ray, sn_vec3(0.0f, 0.0f, -1.0f));
    ray = view_camera_ray(&front, 16.0f / 9.0f, 50.0f / 160.0f, -20.0f / 90.0f);
    float s = 6.0f / -ray.z;
    assert_true(fabsf(s * ray.x - 50.0f / 47.6f) < 0.01f);
    assert_true(fabsf(s * ray.y + 20.0f / 47.6f) < 0.01f);
}

// Steps follow the wall clock, and are dropped where they cannot.
static void the_pace_is_kept(void **state) {
    (void)state;
    ViewPace pace = {0};
    int steps = 0;
    for (int frame = 0; frame < 60; ++frame) {
        view_pace_begin_frame(&pace, 1.0 / 60.0, true);
        for (; view_pace_take_step(&pace, 0.01); ++steps) {
        }
        view_pace_end_steps(&pace, 0.01);
    }
    assert_in_range(steps, 99, 100);
    assert_true(fabs(pace.factor - 1.0) < 0.05 && fabs(pace.fps - 60.0) < 0.5);
    assert_false(pace.too_slow);

    pace = (ViewPace){.speed = -2}; // a quarter
    steps = 0;
    for (int frame = 0; frame < 10; ++frame) {
        view_pace_begin_frame(&pace, 0.1, true);
        for (; view_pace_take_step(&pace, 0.01); ++steps) {
        }
    }
    assert_in_range(steps, 24, 25);

    // A machine that takes one step a frame where ten are due.
    pace = (ViewPace){0};
    for (int frame = 0; frame < 20; ++frame) {
        view_pace_begin_frame(&pace, 0.1, true);
        assert_true(view_pace_take_step(&pace, 0.01));
        view_pace_end_steps(&pace, 0.01);
        assert_true(pace.owed < 0.01);
    }
    assert_true(pace.too_slow);
    assert_true(fabs(pace.factor - 0.1) < 0.03);
    view_pace_begin_frame(&pace, 1.0, false);
    assert_false(view_pace_take_step(&pace, 0.01)); // paused
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_change_their_size),
        cmocka_unit_test(panels_stand_in_their_corners),
        cmocka_unit_test(cameras_turn_move_and_zoom),
        cmocka_unit_test(the_pace_is_kept),
    };
    return cmocka_run_group_tests(tests, open_studio, close_studio);
}
