// The rotation about an axis of any length, for files that speak of degrees.
#pragma once

#include "math/vec.h"

#define RADIANS (3.14159265358979323846 / 180.0)

static inline Quatd sn__rotation_about(Vec3d axis, double degrees) {
    double half = 0.5 * RADIANS * degrees, s = sin(half) / lengthd(axis);
    return (Quatd){axis.x * s, axis.y * s, axis.z * s, cos(half)};
}
