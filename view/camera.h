// Where a picture is taken from, and a camera that frames a motion by itself.
#pragma once

#include "view/bounds.h"

typedef struct ViewCamera {
    SnVec3 position;
    SnVec3 target;
    float fov; // degrees, vertical
} ViewCamera;

// A three-quarter view from slightly above that shows everything within the bounds, with a margin.
// `aspect` is width by height. With `orbit` it also shows all of it while the camera turns around
// its target.
ViewCamera view_camera_frame(const ViewBounds *bounds, float aspect, bool orbit);

// The camera turned about the vertical through its target.
ViewCamera view_camera_turn(const ViewCamera *camera, float radians);

// As a hand turns, moves and zooms it. The angles are radians to the right and up; it never goes
// over the top. Sideways and up in metres. A factor below 1 comes closer to the target.
ViewCamera view_camera_orbit(const ViewCamera *camera, float right, float up);
ViewCamera view_camera_pan(const ViewCamera *camera, float right, float up);
ViewCamera view_camera_zoom(const ViewCamera *camera, float factor);

// Unit vectors of the picture: to its right, its top, and towards the eye.
typedef struct ViewCameraAxes {
    SnVec3 right, up, back;
} ViewCameraAxes;

ViewCameraAxes view_camera_axes(const ViewCamera *camera);

// The unit direction in which a place of the picture is seen: x to the right and y up, −1 to 1.
SnVec3 view_camera_ray(const ViewCamera *camera, float aspect, float x, float y);
