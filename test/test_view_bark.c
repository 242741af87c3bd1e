// Bark in pictures: a birch's has dark marks on white, others have ridges, and what has none stays plain.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "studio.h"

#include <math.h>

static const float positions[] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
static const float uvs[] = {0, 0, 1, 0, 1, 1, 0, 1};
static const uint32_t triangles[] = {0, 1, 2, 0, 2, 3};

typedef struct Shades {
    int dark, all; // pixels of the sheet
    double mean, spread;
} Shades;

static Shades shades_of(Studio *studio, ViewBark bark, bool painted) {
    ViewMesh sheet = {.vertex_count = 4,
                      .triangle_count = 2,
                      .positions = positions,
                      .triangles = triangles,
                      .pose = sn_pose_identity(),
                      .look = {.colour = {0.85f, 0.85f, 0.82f}},
                      .uvs = painted ? uvs : NULL,
                      .bark = bark};
    ViewScene scene = view_default_scene();
    scene.meshes = &sheet;
    scene.mesh_count = 1;
    ViewImage image = render(studio, &scene, &front);
    Shades shades = {0};
    double sum = 0, squares = 0;
    for (int y = 90 - 40; y < 90 + 40; ++y)
        for (int x = 160 - 40; x < 160 + 40; ++x) {
            double light = pixel(&image, x, y)[1];
            shades.dark += light < 90;
            shades.all += 1;
            sum += light;
            squares += light * light;
        }
    view_image_release(&image);
    shades.mean = sum / shades.all;
    shades.spread = sqrt(squares / shades.all - shades.mean * shades.mean);
    return shades;
}

static void birches_have_marks(void **state) {
    Shades shades = shades_of(*state, VIEW_BARK_MARKS, true);
    assert_true(shades.dark > shades.all / 100 && shades.dark < shades.all / 5);
    assert_true(shades.mean > 120);
}

static void others_have_furrows(void **state) {
    Shades shades = shades_of(*state, VIEW_BARK_FURROWS, true);
    assert_true(shades.spread > 25);
}

static void without_coordinates_there_is_no_bark(void **state) {
    for (int bark = VIEW_NO_BARK; bark <= VIEW_BARK_FURROWS; ++bark) {
        Shades shades = shades_of(*state, (ViewBark)bark, false);
        assert_true(shades.dark == 0 && shades.spread < 10);
    }
    assert_true(shades_of(*state, VIEW_NO_BARK, true).spread < 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(birches_have_marks),
        cmocka_unit_test(others_have_furrows),
        cmocka_unit_test(without_coordinates_there_is_no_bark),
    };
    return cmocka_run_group_tests(tests, open_studio, close_studio);
}
