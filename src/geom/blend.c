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

// A surface, as seen from a point.
typedef struct Seen {
    double distance;
    Vec3d gradient;
    double radius; // of the pill there
} Seen;

#define NOTHING ((Seen){INFINITY, {0.0, 1.0, 0.0}, 0.0})

static Seen seen_pill(const BlendPill *pill, Vec3d x) {
    Seen seen;
    Vec3d offset = offset_of(pill, x, &seen.radius);
    double from_centre = lengthd(offset);
    seen.distance = from_centre - seen.radius;
    seen.gradient = from_centre > 0.0 ? scaled(offset, 1.0 / from_centre) : (Vec3d){0.0, 1.0, 0.0};
    return seen;
}

// Two distances a ≤ b become a − (w − (b − a))² / 4w where they differ by less than w. The width
// is the less, the more the two surfaces run in the same direction: what lies in a row meets in one
// surface already and would swell, and so would two that lie against each other from opposite sides
// be glued together. At a right angle it is the full one.
static void join(Seen *all, const Seen *other, double most) {
    double difference = fabs(other->distance - all->distance), width = 0.0;
    if (difference < most) {
        double c = dotd(all->gradient, other->gradient), n = dotd(all->gradient, all->gradient);
        double m = dotd(other->gradient, other->gradient);
        width = n * m > 0.0 ? most * fmax(0.0, 1.0 - c * c / (n * m)) : 0.0;
    }
    bool nearer = other->distance < all->distance;
    double least = nearer ? other->distance : all->distance;
    double share = difference < width ? (width - difference) / (2.0 * width) : 0.0;
    double other_share = nearer ? 1.0 - share : share;
    all->distance = least - share * share * width;
    all->gradient =
        addd(scaled(all->gradient, 1.0 - other_share), scaled(other->gradient, other_share));
    all->radius = nearer ? other->radius : all->radius;
}

// Beyond the end of a pill its distance grows with half the radius times the square of the angle to its
// neighbour's surface, so a row of pills does not swell at all if the width is half the radius, and by 1 % if
// it is the radius; if it is more, every joint becomes a bead. So within a chain the width is at most half the
// radius there, and chains flow into each other by all of it.
double sn__blend_at(const Blend *blend, const int *list, int count, Vec3d x, Vec3d *out_gradient) {
    assert(count > 0 && blend->width >= 0.0);
    Seen all = NOTHING, chain = NOTHING;
    for (int i = 0; i < count; ++i) {
        const BlendPill *pill = blend->pills + list[i];
        if (i > 0 && pill->chain != blend->pills[list[i - 1]].chain) {
            join(&all, &chain, blend->width);
            chain = NOTHING;
        }
        Seen seen = seen_pill(pill, x);
        join(&chain, &seen, fmin(blend->width, 0.5 * fmin(seen.radius, chain.radius)));
    }
    join(&all, &chain, blend->width);
    *out_gradient = all.gradient;
    return all.distance;
}
