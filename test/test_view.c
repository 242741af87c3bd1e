// The headless renderer: what it draws where, and what bad input gets.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "studio.h"

#include <math.h>
#include <stdlib.h>

// A straight red rod along x through the origin, seen from the front.
static const float positions[] = {-1.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f};
static const float radii[] = {0.2f, 0.2f, 0.2f};
static const int vertex_begin[] = {0, 3}, segment_begin[] = {0, 2};

static ViewScene one_rod(void) {
    ViewScene scene = view_default_scene();
    scene.has_ground = false;
    scene.rods = (ViewRods){.count = 1,
                            .vertex_begin = vertex_begin,
                            .segment_begin = segment_begin,
                            .positions = positions,
                            .radii = radii,
                            .looks = &red};
    return scene;
}

static void rod_is_where_it_should_be(void **state) {
    ViewScene scene = one_rod();
    ViewImage image = render(*state, &scene, &front);
    assert_true(is_red(pixel(&image, 160, 90)));
    assert_true(is_red(pixel(&image, 160 - 50, 90)));
    assert_true(is_red(pixel(&image, 160 + 54, 90))); // in the rounded cap
    assert_false(is_red(pixel(&image, 160 + 62, 90)));
    assert_false(is_red(pixel(&image, 160, 90 - 14)));
    assert_false(is_red(pixel(&image, 160, 90 + 14)));
    // A capsule of 2 × 0.4 m with round ends, as the camera sees it.
    double expected = (2.0 * 0.4 + 3.14159 * 0.04) * 47.6 * 47.6;
    assert_in_range(red_count(&image), (int)(0.93 * expected), (int)(1.08 * expected));
    view_image_release(&image);
}

static void top_is_lit_more_than_bottom(void **state) {
    ViewScene scene = one_rod();
    ViewImage image = render(*state, &scene, &front);
    assert_true(pixel(&image, 160, 90 - 6)[0] > pixel(&image, 160, 90 + 7)[0] + 30);
    view_image_release(&image);
}

static void ground_catches_a_shadow(void **state) {
    ViewScene scene = one_rod();
    ViewCamera above = {{0.0f, 5.0f, 4.0f}, {0.0f, 0.0f, 0.0f}, 35.0f};
    scene.has_ground = true;
    scene.ground_height = -0.6f;
    ViewImage with = render(*state, &scene, &above);
    scene.rods.count = 0;
    scene.bounds = (ViewBounds){.low = {-1.2f, -0.6f, -0.2f}, .high = {1.2f, 0.2f, 0.2f}};
    ViewImage without = render(*state, &scene, &above);
    int darker = 0, brighter = 0;
    for (int i = 0; i < WIDTH * HEIGHT; ++i) {
        const uint8_t *a = with.pixels + 3 * i, *b = without.pixels + 3 * i;
        darker += !is_red(a) && a[1] + 20 < b[1];
        brighter += !is_red(a) && a[1] > b[1] + 20;
    }
    assert_true(darker > 200);
    assert_true(brighter < 20);
    view_image_release(&with);
    view_image_release(&without);
}

// Red pixels on the rim between the last vertex and the first, of a thin ring around the view's
// axis.
static int rim_count(const ViewImage *image) {
    int count = 0;
    for (int i = 0; i < 8; ++i) {
        float angle = -6.2831853f / 8.0f * ((float)i + 0.5f) / 8.0f;
        float x = 160.0f + 47.6f * cosf(angle), y = 90.0f - 47.6f * sinf(angle);
        count += is_red(pixel(image, (int)x, (int)y));
    }
    return count;
}

static void closed_rod_has_a_hole_and_no_gap(void **state) {
    enum { COUNT = 8 };
    float ring[3 * COUNT], thickness[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        float angle = 6.2831853f * (float)i / COUNT;
        ring[3 * i] = cosf(angle);
        ring[3 * i + 1] = sinf(angle);
        ring[3 * i + 2] = 0.0f;
        thickness[i] = 0.08f;
    }
    const int vertices[] = {0, COUNT}, closed[] = {0, COUNT}, open[] = {0, COUNT - 1};
    ViewScene scene = one_rod();
    scene.rods.vertex_begin = vertices;
    scene.rods.segment_begin = closed;
    scene.rods.positions = ring;
    scene.rods.radii = thickness;
    ViewImage image = render(*state, &scene, &front);
    assert_false(is_red(pixel(&image, 160, 90)));
    assert_int_equal(rim_count(&image), 8);
    // A ring and nothing else: 2π × 0.16 m².
    assert_in_range(red_count(&image), (int)(0.85 * 1.005 * 2266), (int)(1.15 * 1.005 * 2266));
    view_image_release(&image);
    scene.rods.segment_begin = open;
    image = render(*state, &scene, &front);
    assert_in_range(rim_count(&image), 0, 5);
    view_image_release(&image);
}

static void stripes_follow_the_frames(void **state) {
    ViewLook striped = red;
    striped.stripes = 2;
    // Frames whose third axis is x: turned a quarter about y, and then also about x.
    const float h = 0.70710678f;
    const float straight[] = {0, h, 0, h, 0, h, 0, h};
    const float turned[] = {0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f};
    ViewScene scene = one_rod();
    scene.rods.looks = &striped;
    scene.rods.frames = straight;
    ViewImage a = render(*state, &scene, &front);
    scene.rods.frames = turned;
    ViewImage b = render(*state, &scene, &front);
    int before = pixel(&a, 160, 90)[1], after = pixel(&b, 160, 90)[1];
    assert_true(abs(before - after) > 25);
    view_image_release(&a);
    view_image_release(&b);
}

static void bad_rods_are_left_out(void **state) {
    Studio *studio = *state;
    float broken[9], thin[3] = {0.2f, -1.0f, 0.2f};
    const float bad[] = {NAN, INFINITY, -INFINITY, 1.0e30f};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        for (int k = 0; k < 9; ++k)
            broken[k] = k == 4 ? bad[i] : positions[k];
        ViewScene scene = one_rod();
        scene.rods.positions = broken;
        ViewImage image = render(studio, &scene, &front);
        assert_int_equal(red_count(&image), 0);
        assert_int_equal(view_renderer_stats(studio->renderer).skipped_rods, 1);
        view_image_release(&image);
    }
    ViewScene scene = one_rod();
    scene.rods.radii = thin;
    ViewImage image = render(studio, &scene, &front);
    assert_int_equal(view_renderer_stats(studio->renderer).skipped_rods, 1);
    view_image_release(&image);

    const int single[] = {0, 1}, none[] = {0, 0};
    scene = one_rod();
    scene.rods.vertex_begin = single;
    scene.rods.segment_begin = none;
    image = render(studio, &scene, &front);
    assert_int_equal(view_renderer_stats(studio->renderer).skipped_rods, 1);
    view_image_release(&image);
}

static void degenerate_shapes_are_drawn(void **state) {
    const float same[9] = {0.0f};
    const float zero_frames[8] = {0.0f};
    ViewScene scene = one_rod();
    scene.rods.positions = same;
    scene.rods.frames = zero_frames;
    ViewPeg ball = {{0, 1, 0}, {0, 1, 0}, 0.3f, red}, lost = {{NAN, 0, 0}, {0, 1, 0}, 0.3f, red};
    ViewPeg pegs[] = {ball, lost};
    scene.pegs = pegs;
    scene.peg_count = 2;
    ViewImage image = render(*state, &scene, &front);
    assert_true(is_red(pixel(&image, 160, 90 - 48)));
    view_image_release(&image);
}

// Green far above the rod, where without a background there is a pale studio.
static void the_background_has_its_colour(void **state) {
    ViewScene scene = one_rod();
    ViewImage plain = render(*state, &scene, &front);
    scene.has_background = true;
    scene.background[0] = 0.1f;
    scene.background[1] = 0.6f;
    scene.background[2] = 0.2f;
    ViewImage green = render(*state, &scene, &front);
    const uint8_t *a = pixel(&plain, 160, 40), *b = pixel(&green, 160, 40);
    assert_true(abs(a[1] - a[0]) < 30);
    assert_true(b[1] > 2 * b[0] && b[1] > 2 * b[2]);
    view_image_release(&plain);
    view_image_release(&green);
}

// A peg from a to b is a cylinder, and a ball where they are the same.
static void pegs_are_cylinders_and_balls(void **state) {
    ViewScene scene = one_rod();
    scene.rods.count = 0;
    ViewPeg peg = {{-0.5f, 0.0f, 0.0f}, {0.5f, 0.0f, 0.0f}, 0.4f, red};
    scene.pegs = &peg;
    scene.peg_count = 1;
    ViewImage image = render(*state, &scene, &front);
    int cylinder = red_count(&image);
    assert_true(is_red(pixel(&image, 160 + 20, 90 - 14)));
    assert_false(is_red(pixel(&image, 160 + 36, 90)));
    view_image_release(&image);
    peg.b = peg.a;
    image = render(*state, &scene, &front);
    int ball = red_count(&image);
    view_image_release(&image);
    double round = 3.14159 * 0.16, oblong = 1.0 * 0.8;
    assert_true(fabs((double)ball / cylinder - round / oblong) < 0.12);
}

static void empty_scene_is_the_backdrop(void **state) {
    ViewScene scene = view_default_scene();
    ViewImage image = render(*state, &scene, &front);
    for (int i = 0; i < 3 * WIDTH * HEIGHT; ++i)
        assert_in_range(image.pixels[i], 120, 255);
    view_image_release(&image);
}

static void bad_cameras_and_sizes_are_refused(void **state) {
    Studio *studio = *state;
    ViewScene scene = one_rod();
    ViewCamera camera = front;
    camera.position = camera.target;
    assert_int_equal(view_renderer_draw(studio->renderer, &scene, &camera).code, SN_ERROR_INVALID);
    camera = front;
    camera.position.x = NAN;
    assert_int_equal(view_renderer_draw(studio->renderer, &scene, &camera).code, SN_ERROR_INVALID);
    camera = front;
    camera.fov = 0.0f;
    assert_int_equal(view_renderer_draw(studio->renderer, &scene, &camera).code, SN_ERROR_INVALID);
    ViewRenderer *renderer = NULL;
    SnResult result = view_renderer_create(0, 100, &renderer);
    assert_int_equal(result.code, SN_ERROR_INVALID);
    assert_null(renderer);
    result = view_renderer_create(100, 1 << 20, &renderer);
    assert_int_equal(result.code, SN_ERROR_INVALID);
}

static void camera_frames_everything(void **state) {
    ViewScene scene = one_rod();
    ViewBounds bounds = view_bounds_empty();
    assert_true(view_bounds_is_empty(&bounds));
    view_bounds_add(&bounds, positions, radii, 3);
    for (int orbit = 0; orbit < 2; ++orbit) {
        ViewCamera camera = view_camera_frame(&bounds, (float)WIDTH / HEIGHT, orbit);
        for (int turn = 0; turn < (orbit ? 8 : 1); ++turn) {
            ViewCamera turned = view_camera_turn(&camera, (float)turn * 0.785f);
            ViewImage image = render(*state, &scene, &turned);
            assert_true(red_count(&image) > (orbit ? 300 : 2000));
            for (int x = 0; x < WIDTH; ++x)
                assert_false(is_red(pixel(&image, x, 2)) || is_red(pixel(&image, x, HEIGHT - 3)));
            for (int y = 0; y < HEIGHT; ++y)
                assert_false(is_red(pixel(&image, 2, y)) || is_red(pixel(&image, WIDTH - 3, y)));
            view_image_release(&image);
        }
    }
}

static void far_from_the_origin_looks_the_same(void **state) {
    const float far = 524288.0f; // floats are 6 cm apart here, and the rod lies on them
    float moved[9];
    for (int i = 0; i < 9; ++i)
        moved[i] = positions[i] + (i % 3 == 0 ? far : 0.0f);
    ViewScene scene = one_rod();
    ViewImage near_image = render(*state, &scene, &front);
    ViewCamera camera = front;
    camera.position.x += far;
    camera.target.x += far;
    scene.rods.positions = moved;
    ViewImage far_image = render(*state, &scene, &camera);
    int different = 0;
    for (int i = 0; i < 3 * WIDTH * HEIGHT; ++i)
        different += abs(near_image.pixels[i] - far_image.pixels[i]) > 12;
    assert_true(different < 3 * WIDTH * HEIGHT / 200);
    view_image_release(&near_image);
    view_image_release(&far_image);
}

static void bounds_reach_is_tight(void **state) {
    (void)state;
    float points[300];
    uint32_t noise = 7;
    for (int i = 0; i < 300; ++i) {
        noise = noise * 1664525u + 1013904223u;
        points[i] = (float)(noise >> 8) / 8388608.0f - 1.0f;
    }
    ViewBounds bounds = view_bounds_empty();
    view_bounds_add(&bounds, points, NULL, 100);
    for (int i = 0; i + 2 < 300; ++i) { // any three numbers in a row make a direction
        SnVec3 d = sn_vec3(points[i], points[i + 1], points[i + 2]);
        float most = -1.0e9f;
        for (int k = 0; k < 100; ++k) {
            const float *p = points + 3 * k;
            most = fmaxf(most, d.x * p[0] + d.y * p[1] + d.z * p[2]);
        }
        float reach = view_bounds_reach(&bounds, d);
        assert_true(reach >= most - 1.0e-4f);
        assert_true(reach <= 1.15f * most + 1.0e-4f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rod_is_where_it_should_be),
        cmocka_unit_test(top_is_lit_more_than_bottom),
        cmocka_unit_test(ground_catches_a_shadow),
        cmocka_unit_test(closed_rod_has_a_hole_and_no_gap),
        cmocka_unit_test(stripes_follow_the_frames),
        cmocka_unit_test(bad_rods_are_left_out),
        cmocka_unit_test(degenerate_shapes_are_drawn),
        cmocka_unit_test(the_background_has_its_colour),
        cmocka_unit_test(pegs_are_cylinders_and_balls),
        cmocka_unit_test(empty_scene_is_the_backdrop),
        cmocka_unit_test(bad_cameras_and_sizes_are_refused),
        cmocka_unit_test(bounds_reach_is_tight),
        cmocka_unit_test(camera_frames_everything),
        cmocka_unit_test(far_from_the_origin_looks_the_same),
    };
    return cmocka_run_group_tests(tests, open_studio, close_studio);
}
