#include "geom/solid.h"

// Steps of a bisection: 2⁻⁴⁰ of the pill's length.
#define BISECTIONS 40
// Slopes (per metre of the pill) below this are level ground.
#define LEVEL 1e-10

static double sign_of(double x) { return x < 0.0 ? -1.0 : 1.0; }

double sn__box_distance(Vec3d half, Vec3d x, Vec3d *out_gradient) {
    Vec3d over = {fabs(x.x) - half.x, fabs(x.y) - half.y, fabs(x.z) - half.z};
    Vec3d out = {fmax(over.x, 0.0), fmax(over.y, 0.0), fmax(over.z, 0.0)};
    double distance = lengthd(out);
    if (distance > 0.0) {
        if (out_gradient)
            *out_gradient =
                (Vec3d){sign_of(x.x) * out.x / distance, sign_of(x.y) * out.y / distance,
                        sign_of(x.z) * out.z / distance};
        return distance;
    }
    bool by_x = over.x >= over.y && over.x >= over.z, by_y = !by_x && over.y >= over.z;
    if (out_gradient)
        *out_gradient = (Vec3d){by_x ? sign_of(x.x) : 0.0, by_y ? sign_of(x.y) : 0.0,
                                by_x || by_y ? 0.0 : sign_of(x.z)};
    return by_x ? over.x : (by_y ? over.y : over.z);
}

// The part [enter, leave] of the ray that is between the two planes at ±half.
static void cut_slab(double half, double origin, double direction, double *enter, double *leave) {
    if (direction == 0.0) {
        if (fabs(origin) > half)
            *leave = -1.0;
        return;
    }
    double near = (-sign_of(direction) * half - origin) / direction;
    double far = (sign_of(direction) * half - origin) / direction;
    *enter = fmax(*enter, near);
    *leave = fmin(*leave, far);
}

double sn__box_ray(Vec3d half, Vec3d origin, Vec3d direction) {
    double enter = 0.0, leave = INFINITY;
    cut_slab(half.x, origin.x, direction.x, &enter, &leave);
    cut_slab(half.y, origin.y, direction.y, &enter, &leave);
    cut_slab(half.z, origin.z, direction.z, &enter, &leave);
    return enter <= leave ? enter : -1.0;
}

// How fast the gap between box and sphere grows with the way along the pill; it never falls.
typedef struct BoxWay {
    Vec3d half, from, along; // along: a unit vector
    double length, rise;     // rise: growth of the radius per metre
} BoxWay;

static double slope_at(const BoxWay *way, double t) {
    Vec3d gradient;
    sn__box_distance(way->half, addd(way->from, scaled(way->along, t * way->length)), &gradient);
    return dotd(gradient, way->along) - way->rise;
}

// Where the slope rises above `level`.
static double rise_above(const BoxWay *way, double level) {
    double low = 0.0, high = 1.0;
    for (int i = 0; i < BISECTIONS; ++i) {
        double middle = 0.5 * (low + high);
        if (slope_at(way, middle) > level)
            high = middle;
        else
            low = middle;
    }
    return 0.5 * (low + high);
}

double sn__box_pill(Vec3d half, const Vec3d a, double ra, const Vec3d b, double rb) {
    Vec3d along = subd(b, a);
    double length = lengthd(along);
    if (!(length > fabs(rb - ra)))
        return rb > ra ? 1.0 : 0.0;
    BoxWay way = {half, a, scaled(along, 1.0 / length), length, (rb - ra) / length};
    double start = slope_at(&way, 0.0), end = slope_at(&way, 1.0);
    if (start > LEVEL)
        return 0.0;
    if (end < -LEVEL)
        return 1.0;
    // The middle of the level ground, so that a contact does not jump between its ends.
    double low = start >= -LEVEL ? 0.0 : rise_above(&way, -LEVEL);
    double high = end <= LEVEL ? 1.0 : rise_above(&way, LEVEL);
    return 0.5 * (low + high);
}
