#include "view/camera.h"

#include "view/vec.h"

#define FOV 35.0f
#define AZIMUTH 0.45f  // rad, from +z towards +x
#define ELEVATION 0.3f // rad, above the horizon
#define MARGIN 1.05f
#define ORBIT_STEPS 24
#define STEEPEST 1.55f // rad, just below straight down

// How far back the eye must be, and how far its target must shift, along one axis of the screen,
// for all to lie within the view's wedge |x − shift| ≤ slope·(distance − z).
typedef struct Fit {
    float plus, minus; // the largest ±x + slope·z
} Fit;

static void include_view(Fit *fit, const ViewBounds *bounds, SnVec3 middle, SnVec3 axis,
                         SnVec3 back, float slope) {
    SnVec3 up = sn_vec3_add_scaled(axis, back, slope);
    SnVec3 down = sn_vec3_add_scaled(sn_vec3_scale(axis, -1.0f), back, slope);
    fit->plus = fmaxf(fit->plus, view_bounds_reach(bounds, up) - sn_vec3_dot(up, middle));
    fit->minus = fmaxf(fit->minus, view_bounds_reach(bounds, down) - sn_vec3_dot(down, middle));
}

static SnVec3 view_back(float azimuth) {
    return sn_vec3(sinf(azimuth) * cosf(ELEVATION), sinf(ELEVATION),
                   cosf(azimuth) * cosf(ELEVATION));
}

static ViewBounds unit_bounds(void) {
    const float points[6] = {-0.5f, 0.5f, -0.5f, 0.5f, 0.5f, 0.5f};
    const float radii[2] = {0.5f, 0.5f};
    ViewBounds bounds = view_bounds_empty();
    view_bounds_add(&bounds, points, radii, 2);
    return bounds;
}

ViewCamera view_camera_frame(const ViewBounds *given, float aspect, bool orbit) {
    const ViewBounds bounds = view_bounds_is_empty(given) ? unit_bounds() : *given;
    SnVec3 middle = sn_vec3_scale(sn_vec3_add(bounds.low, bounds.high), 0.5f);
    float slope = tanf(0.5f * FOV * 3.14159265f / 180.0f) / MARGIN;
    Fit across = {0.0f, 0.0f}, upright = {0.0f, 0.0f};
    for (int i = 0; i < (orbit ? ORBIT_STEPS : 1); ++i) {
        float azimuth = AZIMUTH + 6.2831853f * (float)i / ORBIT_STEPS;
        SnVec3 back = view_back(azimuth), right = sn_vec3(cosf(azimuth), 0.0f, -sinf(azimuth));
        include_view(&across, &bounds, middle, right, back, slope * aspect);
        include_view(&upright, &bounds, middle, sn_vec3_cross(back, right), back, slope);
    }
    float distance = fmaxf((across.plus + across.minus) / (2.0f * slope * aspect),
                           (upright.plus + upright.minus) / (2.0f * slope));
    distance = fmaxf(distance, 1.0e-4f);
    float shift_x = 0.5f * (across.plus - across.minus);
    float shift_y = 0.5f * (upright.plus - upright.minus);

    SnVec3 back = view_back(AZIMUTH), right = sn_vec3(cosf(AZIMUTH), 0.0f, -sinf(AZIMUTH));
    SnVec3 up = sn_vec3_cross(back, right);
    ViewCamera camera = {.fov = FOV};
    if (orbit) {
        // The target stays on the axis it turns about; a shift along that also moves it in depth.
        distance = fmaxf(distance, fmaxf(across.plus, across.minus) / (slope * aspect));
        camera.target = sn_vec3_add(middle, sn_vec3(0.0f, shift_y / cosf(ELEVATION), 0.0f));
        distance -= shift_y * tanf(ELEVATION);
    } else {
        camera.target = sn_vec3_add_scaled(sn_vec3_add_scaled(middle, right, shift_x), up, shift_y);
    }
    camera.position = sn_vec3_add_scaled(camera.target, back, distance);
    return camera;
}

ViewCamera view_camera_turn(const ViewCamera *camera, float radians) {
    SnVec3 arm = sn_vec3_sub(camera->position, camera->target);
    float c = cosf(radians), s = sinf(radians);
    ViewCamera turned = *camera;
    turned.position =
        sn_vec3_add(camera->target, sn_vec3(c * arm.x + s * arm.z, arm.y, c * arm.z - s * arm.x));
    return turned;
}

ViewCameraAxes view_camera_axes(const ViewCamera *camera) {
    SnVec3 front = sn_vec3(0.0f, 0.0f, 1.0f), across = sn_vec3(1.0f, 0.0f, 0.0f);
    SnVec3 back = sn_vec3_normalise(sn_vec3_sub(camera->position, camera->target), front);
    SnVec3 side = sn_vec3_cross(sn_vec3(0.0f, 1.0f, 0.0f), back);
    // Straight down or up there is no side; any will do.
    SnVec3 right = sn_vec3_length(side) > 1.0e-4f ? sn_vec3_normalise(side, across) : across;
    return (ViewCameraAxes){right, sn_vec3_cross(back, right), back};
}

ViewCamera view_camera_orbit(const ViewCamera *camera, float right, float up) {
    SnVec3 arm = sn_vec3_sub(camera->position, camera->target);
    float distance = sn_vec3_length(arm);
    float height = asinf(fmaxf(-1.0f, fminf(1.0f, arm.y / fmaxf(distance, 1.0e-20f))));
    float raised = fmaxf(-STEEPEST, fminf(STEEPEST, height + up));
    float flat = hypotf(arm.x, arm.z);
    SnVec3 away = flat > 0.0f ? sn_vec3(arm.x / flat, 0.0f, arm.z / flat) : sn_vec3(0, 0, 1.0f);
    ViewCamera turned = *camera;
    SnVec3 level = sn_vec3_add_scaled(camera->target, away, distance * cosf(raised));
    turned.position = sn_vec3_add(level, sn_vec3(0.0f, distance * sinf(raised), 0.0f));
    return view_camera_turn(&turned, right);
}

ViewCamera view_camera_pan(const ViewCamera *camera, float right, float up) {
    ViewCameraAxes axes = view_camera_axes(camera);
    SnVec3 way = sn_vec3_add_scaled(sn_vec3_scale(axes.right, right), axes.up, up);
    return (ViewCamera){sn_vec3_add(camera->position, way), sn_vec3_add(camera->target, way),
                        camera->fov};
}

ViewCamera view_camera_zoom(const ViewCamera *camera, float factor) {
    SnVec3 arm = sn_vec3_sub(camera->position, camera->target);
    ViewCamera zoomed = *camera;
    zoomed.position = sn_vec3_add_scaled(camera->target, arm, factor);
    return zoomed;
}

SnVec3 view_camera_ray(const ViewCamera *camera, float aspect, float x, float y) {
    ViewCameraAxes axes = view_camera_axes(camera);
    float slope = tanf(0.5f * camera->fov * 3.14159265f / 180.0f);
    SnVec3 way =
        sn_vec3_add_scaled(sn_vec3_scale(axes.right, slope * aspect * x), axes.up, slope * y);
    return sn_vec3_normalise(sn_vec3_sub(way, axes.back), sn_vec3(0.0f, 0.0f, -1.0f));
}
