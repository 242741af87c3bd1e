#include "geom/blend.h"

#include <assert.h>

BlendPill sn__blend_pill(const Pill *pill) {
    Vec3d axis = subd(pill->b, pill->a);
    double length = lengthd(axis), rise = pill->radius_b - pill->radius_a;
    // One sphere inside the other: the larger one is all there is.
    if (fabs(rise) >= length) {
        bool second = rise > 0.0;
        return (BlendPill){.start = second ? pill->b : pill->a,
                           .radius = second ? pill->radius_b : pill->radius_a};
    }
    return (BlendPill){.start = pill->a,
                       .axis = scaled(axis, 1.0 / length),
                       .length = length,
                       .radius = pill->radius_a,
                       .sine = rise / length,
                       .tangent = rise / sqrt((length - rise) * (length + rise))};
}

// From the centre of the nearest sphere to x.
static Vec3d offset_of(const BlendPill *pill, Vec3d x, double *out_radius) {
    Vec3d y = subd(x, pill->start);
    double along = dotd(y, pill->axis);
    double across = sqrt(fmax(0.0, dotd(y, y) - along * along));
    double at = fmin(fmax(along + across * pill->tangent, 0.0), pill->length);
    *out_radius = pill->radius + at * pill->sine;
    return subd(y, scaled(pill->axis, at));
}

double sn__blend_distance(const BlendPill *pill, Vec3d x) {
    double radius;
    return lengthd(offset_of(pill, x, &radius)) - radius;
}

// Two distances a ≤ b become a − (w − (b − a))² / 4w where they differ by less than w. The width
// is the less, the more the two surfaces run in the same direction: pills in a row meet in one
// surface already and would swell, and so would two that lie against each other from opposite sides
// be glued together. At a right angle it is the full one. (Beyond the end of a pill its distance
// grows with half the radius times the square of the angle to its neighbour's surface, so a row of
// pills does not swell at all if the width is half the radius, and by 1 % if it is the radius.)
double sn__blend_at(const Blend *blend, const int *list, int count, Vec3d x, Vec3d *out_gradient) {
    assert(count > 0 && blend->width >= 0.0);
    double value = INFINITY;
    Vec3d gradient = {0.0, 1.0, 0.0};
    for (int i = 0; i < count; ++i) {
        double radius;
        Vec3d offset = offset_of(blend->pills + list[i], x, &radius);
        double from_centre = lengthd(offset), distance = from_centre - radius;
        if (distance - value >= blend->width)
            continue;
        Vec3d out = from_centre > 0.0 ? scaled(offset, 1.0 / from_centre) : (Vec3d){0.0, 1.0, 0.0};
        double difference = fabs(distance - value), width = 0.0;
        if (difference < blend->width) {
            double c = dotd(gradient, out), n = dotd(gradient, gradient);
            width = n > 0.0 ? blend->width * fmax(0.0, 1.0 - c * c / n) : 0.0;
        }
        bool nearer = distance < value;
        double least = nearer ? distance : value;
        double share = difference < width ? (width - difference) / (2.0 * width) : 0.0;
        double new_share = nearer ? 1.0 - share : share;
        value = least - share * share * width;
        gradient = addd(scaled(gradient, 1.0 - new_share), scaled(out, new_share));
    }
    *out_gradient = gradient;
    return value;
}
