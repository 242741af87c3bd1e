// Force fields that act on bodies point by point.
#pragma once

#include "math/vec.h"
#include "sinew/field.h"

// m/s² at x; see SnFieldKind. The direction is normalised, and it is no wind.
Vec3d sn__field_acceleration(const SnFieldDef *field, Vec3d x);
