// How far a pill goes in a direction before it touches something.
#pragma once

#include "geom/pill.h"

static inline Pill sn__pill_moved(const Pill *pill, Vec3d direction, double by) {
    Vec3d way = scaled(direction, by);
    return (Pill){addd(pill->a, way), addd(pill->b, way), pill->radius_a, pill->radius_b};
}

// The gap between a pill and a convex solid, negative if they overlap, and the normal from the solid to
// the pill where they are nearest, a unit vector.
typedef double CastGap(const void *solid, const Pill *pill, Vec3d *out_normal);

// The way, up to `most`; 0 if they overlap at the start, negative if they do not touch. The direction is
// a unit vector.
double sn__convex_cast(CastGap *gap, const void *solid, const Pill *pill, Vec3d direction,
                       double most);
// Against another pill.
double sn__pill_cast(const Pill *still, const Pill *pill, Vec3d direction, double most);
