// The smooth union of pills as a function of space: about the distance to it, negative inside.
#pragma once

#include "geom/pill.h"

// A pill made ready for many points.
typedef struct BlendPill {
    Vec3d start, axis; // axis: a unit vector
    double length, radius;
    double sine, tangent; // of the angle between the cone and its axis
    int chain;            // pills in a row have the same number, and follow each other
} BlendPill;

typedef struct Blend {
    const BlendPill *pills;
    double width; // m: chains whose distances differ by less flow into each other
} Blend;

BlendPill sn__blend_pill(const Pill *pill);
double sn__blend_distance(const BlendPill *pill, Vec3d x); // as sn__pill_distance

// The union of the pills in `list`, at least one and in order, and about its gradient. It is never above the
// least distance of a pill, and never more than `width` below. A pill that is three widths farther
// than the nearest one changes it by next to nothing.
double sn__blend_at(const Blend *blend, const int *list, int count, Vec3d x, Vec3d *out_gradient);
