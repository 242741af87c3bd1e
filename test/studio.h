// A small headless renderer, and ways to look at its pictures.
#pragma once

#include "view/context.h"
#include "view/renderer.h"

#define WIDTH 320
#define HEIGHT 180

typedef struct Studio {
    ViewContext *context;
    ViewRenderer *renderer;
} Studio;

static int open_studio(void **state) {
    static Studio studio;
    SnResult result = view_context_create(&studio.context);
    if (result.code == SN_OK)
        result = view_renderer_create(WIDTH, HEIGHT, &studio.renderer);
    if (result.code != SN_OK) {
        print_error("%s\n", result.message);
        return -1;
    }
    *state = &studio;
    return 0;
}

static int close_studio(void **state) {
    Studio *studio = *state;
    view_renderer_destroy(studio->renderer);
    view_context_destroy(studio->context);
    return 0;
}

// Seen from the front there are 90 / (6 tan 17.5°) = 47.6 pixels to a metre at the origin.
static const ViewLook red = {.colour = {0.9f, 0.05f, 0.05f}};
static const ViewCamera front = {{0.0f, 0.0f, 6.0f}, {0.0f, 0.0f, 0.0f}, 35.0f};

static ViewImage render(Studio *studio, const ViewScene *scene, const ViewCamera *camera) {
    ViewImage image = {0};
    SnResult result = view_renderer_draw(studio->renderer, scene, camera);
    assert_string_equal(result.message, "");
    result = view_renderer_read(studio->renderer, &image);
    assert_string_equal(result.message, "");
    return image;
}

static const uint8_t *pixel(const ViewImage *image, int x, int y) {
    return image->pixels + 3 * (y * image->width + x);
}

static bool is_red(const uint8_t *p) { return p[0] > 80 && p[0] > 2 * p[1] && p[0] > 2 * p[2]; }

static inline int red_count(const ViewImage *image) {
    int count = 0;
    for (int i = 0; i < image->width * image->height; ++i)
        count += is_red(image->pixels + 3 * i);
    return count;
}

static inline ViewScene empty_scene(void) {
    ViewScene scene = view_default_scene();
    scene.has_ground = false;
    return scene;
}

// A star: three segments from the first vertex.
static const float star_positions[] = {0, 0, 0, 1.0f, 0, 0, -1.0f, 0, 0, 0, 1.0f, 0};
static const float star_radii[] = {0.2f, 0.2f, 0.2f, 0.2f};
static const int star_edges[] = {0, 1, 0, 2, 0, 3};
static const int star_vertices[] = {0, 4}, star_segments[] = {0, 3};

static inline ViewScene star(void) {
    ViewScene scene = empty_scene();
    scene.rods = (ViewRods){.count = 1,
                            .vertex_begin = star_vertices,
                            .segment_begin = star_segments,
                            .positions = star_positions,
                            .radii = star_radii,
                            .looks = &red,
                            .edges = star_edges};
    return scene;
}
