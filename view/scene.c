#include "view/scene.h"

ViewScene view_default_scene(void) {
    ViewScene scene = {.has_ground = true, .bounds = view_bounds_empty()};
    return scene;
}

ViewLook view_palette(int index) {
    static const float colours[][3] = {
        {0.86f, 0.30f, 0.27f}, // coral
        {0.16f, 0.50f, 0.66f}, // lagoon
        {0.94f, 0.64f, 0.23f}, // apricot
        {0.30f, 0.62f, 0.47f}, // jade
        {0.56f, 0.36f, 0.62f}, // plum
        {0.88f, 0.49f, 0.54f}, // rose
        {0.24f, 0.34f, 0.55f}, // ink
        {0.72f, 0.70f, 0.38f}, // moss
    };
    const int count = (int)(sizeof colours / sizeof colours[0]);
    const float *colour = colours[(index % count + count) % count];
    ViewLook look = {.colour = {colour[0], colour[1], colour[2]}, .softness = 1.0f};
    return look;
}
