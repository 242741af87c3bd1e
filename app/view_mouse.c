// The mouse turns, moves and zooms the camera, and drags bodies.
#include "app/viewer.h"

#include "view/vec.h"

#include <GLFW/glfw3.h>

#include <sinew/muscle.h>

#define RADIANS_PER_HEIGHT 3.5f // of the window
#define ZOOM_PER_LINE 0.9f

typedef struct WindowPlace {
    float x, y;   // -1 to 1, to the right and up
    float aspect; // width by height
    float height; // of the window, in the mouse's units
} WindowPlace;

static WindowPlace place_of(const Viewer *viewer, double x, double y) {
    int width = 1, height = 1;
    glfwGetWindowSize(viewer->window, &width, &height);
    width = width > 0 ? width : 1;
    height = height > 0 ? height : 1;
    return (WindowPlace){(float)(2.0 * x / width - 1.0), (float)(1.0 - 2.0 * y / height),
                         (float)width / (float)height, (float)height};
}

static EyeRay ray_at(const Viewer *viewer, double x, double y) {
    WindowPlace place = place_of(viewer, x, y);
    return (EyeRay){viewer->camera.position,
                    view_camera_ray(&viewer->camera, place.aspect, place.x, place.y)};
}

void mouse_press(Viewer *viewer, bool left, bool shift) {
    Mouse *mouse = &viewer->mouse;
    if (mouse->mode != MOUSE_FREE)
        return;
    mouse->mode = left && !shift ? MOUSE_ORBIT : MOUSE_PAN;
    SnVec3 back = view_camera_axes(&viewer->camera).back;
    if (mouse->mode == MOUSE_ORBIT &&
        drag_begin(&viewer->drag, viewer->simulation.world, &viewer->moment,
                   ray_at(viewer, mouse->x, mouse->y), back))
        mouse->mode = MOUSE_DRAG;
    // A muscle that is taken hold of tells about itself.
    if (mouse->mode == MOUSE_DRAG &&
        sn_body_is_muscle(viewer->simulation.world, viewer->moment.rods.bodies[viewer->drag.body]))
        viewer->muscle = viewer->drag.body;
}

void mouse_release(Viewer *viewer) {
    if (viewer->mouse.mode == MOUSE_DRAG)
        drag_end(&viewer->drag, viewer->simulation.world);
    viewer->mouse.mode = MOUSE_FREE;
}

static void pan(Viewer *viewer, float right, float up) {
    // What is as far away as the target stays under the mouse.
    float distance = sn_vec3_length(sn_vec3_sub(viewer->camera.position, viewer->camera.target));
    float visible = 2.0f * distance * tanf(0.5f * viewer->camera.fov * 0.01745329252f);
    viewer->camera = view_camera_pan(&viewer->camera, -right * visible, -up * visible);
}

void mouse_move(Viewer *viewer, double x, double y) {
    Mouse *mouse = &viewer->mouse;
    float height = place_of(viewer, x, y).height;
    float right = (float)(x - mouse->x) / height, up = (float)(mouse->y - y) / height;
    mouse->x = x;
    mouse->y = y;
    switch (mouse->mode) {
    case MOUSE_FREE:
        return;
    case MOUSE_DRAG:
        drag_move(&viewer->drag, ray_at(viewer, x, y));
        return;
    case MOUSE_ORBIT:
        viewer->camera = view_camera_orbit(&viewer->camera, -RADIANS_PER_HEIGHT * right,
                                           -RADIANS_PER_HEIGHT * up);
        break;
    case MOUSE_PAN:
        pan(viewer, right, up);
        break;
    }
    viewer->camera_is_free = true;
}

void mouse_scroll(Viewer *viewer, double lines) {
    viewer->camera = view_camera_zoom(&viewer->camera, powf(ZOOM_PER_LINE, (float)lines));
    viewer->camera_is_free = true;
}
