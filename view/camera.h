// Where a picture is taken from, and a camera that frames a motion by itself.
#pragma once

#include "view/bounds.h"

typedef struct SnvCamera {
    SnVec3 position;
    SnVec3 target;
    float fov; // degrees, vertical
} SnvCamera;

// A three-quarter view from slightly above that shows everything within the bounds, with a margin.
// `aspect` is width by height. With `orbit` it also shows all of it while the camera turns around
// its target.
SnvCamera snv_camera_frame(const SnvBounds *bounds, float aspect, bool orbit);

// The camera turned about the vertical through its target.
SnvCamera snv_camera_turn(const SnvCamera *camera, float radians);
