#include "geom/pill.h"

#include <assert.h>
#include <float.h>

// Gaps closer than this, relative to the size of the pair, are the same: of all places that are as
// near, the middle is taken, so that the contact of parallel pills does not jump between their ends.
#define SAME_GAP 1e-12

static double clamp01(double t) { return t > 0.0 ? (t < 1.0 ? t : 1.0) : 0.0; }

static Vec3d centre_at(const Pill *pill, double t) {
    return addd(pill->a, scaled(subd(pill->b, pill->a), t));
}

static double radius_at(const Pill *pill, double t) {
    return pill->radius_a + t * (pill->radius_b - pill->radius_a);
}

// With s along the axis and h across it, f(t) = √(h² + (s − t l)²) − r_a − t Δ is least where
// (t l − s) / √(h² + (s − t l)²) = Δ / l = sin θ, that is t l = s + h tan θ.
double sn__pill_nearest(const Pill *pill, Vec3d x) {
    Vec3d axis = subd(pill->b, pill->a);
    double length = lengthd(axis), rise = pill->radius_b - pill->radius_a;
    if (fabs(rise) >= length)
        return rise > 0.0 ? 1.0 : 0.0;
    axis = scaled(axis, 1.0 / length);
    Vec3d y = subd(x, pill->a);
    double along = dotd(y, axis);
    double across = lengthd(subd(y, scaled(axis, along)));
    return clamp01((along + across * rise / sqrt((length - rise) * (length + rise))) / length);
}

double sn__pill_distance(const Pill *pill, Vec3d x, double *out_t) {
    double t = sn__pill_nearest(pill, x);
    if (out_t)
        *out_t = t;
    return lengthd(subd(x, centre_at(pill, t))) - radius_at(pill, t);
}

// Two pills with what both cases below need of them.
typedef struct Problem {
    const Pill *first, *second;
    Vec3d between;      // from the start of the second to that of the first
    Vec3d axis1, axis2; // unit vectors, or zero
    double length1, length2;
    Vec3d across; // axis1 × axis2
    double sine2; // its square
    double size;
} Problem;

typedef struct Place {
    double t, u, gap;
} Place;

static Vec3d direction_of(const Pill *pill, double *out_length) {
    Vec3d axis = subd(pill->b, pill->a);
    *out_length = lengthd(axis);
    return *out_length > 0.0 ? scaled(axis, 1.0 / *out_length) : axis;
}

static Problem pose_problem(const Pill *first, const Pill *second) {
    Problem p = {.first = first, .second = second};
    p.between = subd(first->a, second->a);
    p.axis1 = direction_of(first, &p.length1);
    p.axis2 = direction_of(second, &p.length2);
    p.across = crossd(p.axis1, p.axis2);
    p.sine2 = dotd(p.across, p.across);
    p.size = lengthd(p.between) + p.length1 + p.length2 + fabs(first->radius_a) +
             fabs(first->radius_b) + fabs(second->radius_a) + fabs(second->radius_b);
    return p;
}

// From the second centre to the first.
static Vec3d offset_at(const Problem *p, double t, double u) {
    return subd(addd(p->between, scaled(p->axis1, t * p->length1)),
                scaled(p->axis2, u * p->length2));
}

static Place place_at(const Problem *p, double t, double u) {
    double gap = lengthd(offset_at(p, t, u)) - radius_at(p->first, t) - radius_at(p->second, u);
    return (Place){t, u, gap};
}

// With the sphere at one end of a pill.
static Place end_of_first(const Problem *p, double t) {
    return place_at(p, t, sn__pill_nearest(p->second, centre_at(p->first, t)));
}
static Place end_of_second(const Problem *p, double u) {
    return place_at(p, sn__pill_nearest(p->first, centre_at(p->second, u)), u);
}

// Where both derivatives of ‖x(t) − y(u)‖ − r₁(t) − r₂(u) vanish, inside the unit square: with
// n = (x − y)/‖x − y‖, that is n·e₁ = s₁ = Δ₁/l₁ and n·e₂ = s₂ = −Δ₂/l₂. Both fix the part of n in
// the plane of the axes; the rest, along m = e₁ × e₂, makes it a unit vector. The two lines are
// w·m apart, which gives ‖x − y‖, and then t and u. It holds for axes that cross, too. False: there
// is no such place, or the axes are so close to parallel that an end is as good.
static bool find_inside(const Problem *p, Place *out, Vec3d *out_normal) {
    if (p->sine2 < 1e-24)
        return false;
    double cosine = dotd(p->axis1, p->axis2);
    double s1 = (p->first->radius_b - p->first->radius_a) / p->length1;
    double s2 = (p->second->radius_a - p->second->radius_b) / p->length2;
    double alpha = (s1 - cosine * s2) / p->sine2, beta = (s2 - cosine * s1) / p->sine2;
    double rest = 1.0 - alpha * s1 - beta * s2;
    if (!(rest > 0.0))
        return false;
    Vec3d m = scaled(p->across, 1.0 / sqrt(p->sine2));
    double apart = dotd(p->between, m), up = apart < 0.0 ? -sqrt(rest) : sqrt(rest);
    double distance = apart / up;
    double v1 = distance * s1 - dotd(p->between, p->axis1);
    double v2 = distance * s2 - dotd(p->between, p->axis2);
    double t = clamp01((v1 - cosine * v2) / (p->sine2 * p->length1));
    double u = clamp01((cosine * v1 - v2) / (p->sine2 * p->length2));
    // Rounding of nearly parallel axes moves (t, u) along the valley, where it does not matter, and
    // off its floor, where it does.
    u = sn__pill_nearest(p->second, centre_at(p->first, t));
    t = sn__pill_nearest(p->first, centre_at(p->second, u));
    *out = place_at(p, t, u);
    *out_normal = addd(addd(scaled(p->axis1, alpha), scaled(p->axis2, beta)), scaled(m, up));
    return true;
}

// The middle of the two places of the boundary that are farthest from each other among the best.
static Place middle_of_best(const Problem *p, const Place *ends, double best) {
    Place middle = ends[0];
    double farthest = -1.0;
    for (int i = 0; i < 4; ++i)
        for (int j = i; j < 4; ++j) {
            if (!(ends[i].gap <= best) || !(ends[j].gap <= best))
                continue;
            double apart = fabs(ends[i].t - ends[j].t) + fabs(ends[i].u - ends[j].u);
            if (apart <= farthest)
                continue;
            farthest = apart;
            middle =
                i == j ? ends[i]
                       : place_at(p, 0.5 * (ends[i].t + ends[j].t), 0.5 * (ends[i].u + ends[j].u));
        }
    return middle;
}

static Vec3d perpendicular(Vec3d axis) {
    Vec3d other = fabs(axis.y) < 0.7 ? (Vec3d){0.0, 1.0, 0.0} : (Vec3d){1.0, 0.0, 0.0};
    Vec3d n = subd(other, scaled(axis, dotd(axis, other)));
    return scaled(n, 1.0 / lengthd(n));
}

// Where the centres coincide: across both axes, on the side the first line is on.
static Vec3d normal_of_touching_axes(const Problem *p) {
    if (p->sine2 > 1e-16) {
        double side = dotd(p->between, p->across) < 0.0 ? -1.0 : 1.0;
        return scaled(p->across, side / sqrt(p->sine2));
    }
    return perpendicular(p->length1 > 0.0 ? p->axis1 : p->axis2);
}

// The function is convex in both parameters, so the least value on the boundary of the unit square
// is the least of all, unless there is a stationary place inside.
PillPair sn__pill_pair(const Pill *first, const Pill *second) {
    Problem p = pose_problem(first, second);
    Place ends[4] = {end_of_first(&p, 0.0), end_of_first(&p, 1.0), end_of_second(&p, 0.0),
                     end_of_second(&p, 1.0)};
    double best = ends[0].gap, tolerance = SAME_GAP * p.size;
    for (int i = 1; i < 4; ++i)
        best = fmin(best, ends[i].gap);
    Place place;
    Vec3d normal;
    bool inside = find_inside(&p, &place, &normal) && place.gap < best - tolerance;
    if (!inside)
        place = middle_of_best(&p, ends, best + tolerance);
    Vec3d offset = offset_at(&p, place.t, place.u);
    double distance = lengthd(offset);
    if (distance > 1e-9 * p.size)
        normal = scaled(offset, 1.0 / distance);
    else if (!inside)
        normal = normal_of_touching_axes(&p);
    normal = scaled(normal, 1.0 / lengthd(normal));
    return (PillPair){place.t, place.u, place.gap, normal};
}

// The first root k ≥ 0 of k² + 2 half_b k + c, the way into a sphere; DBL_MAX if there is none.
static double enter_sphere(Vec3d centre, double radius, Vec3d origin, Vec3d direction) {
    Vec3d y = subd(origin, centre);
    double half_b = dotd(y, direction);
    // The distance of the line from the centre, squared, without the cancellation of half_b² − c.
    Vec3d across = subd(y, scaled(direction, half_b));
    double room = radius * radius - dotd(across, across);
    if (!(radius > 0.0) || room < 0.0)
        return DBL_MAX;
    double k = -half_b - sqrt(room);
    return k >= 0.0 ? k : DBL_MAX;
}

// A root counts if it is on the cone between the two circles where it touches the spheres.
static double accept_root(const Pill *pill, Vec3d origin, Vec3d direction, double sine, double k) {
    if (!(k >= 0.0 && k < DBL_MAX))
        return DBL_MAX;
    Vec3d y = subd(addd(origin, scaled(direction, k)), pill->a);
    double length;
    Vec3d axis = direction_of(pill, &length);
    double along = dotd(y, axis), across = lengthd(subd(y, scaled(axis, along)));
    double at = along + across * sine / sqrt((1.0 - sine) * (1.0 + sine));
    // The other half of the double cone is not a part of the pill.
    return pill->radius_a + along * sine > 0.0 && at >= 0.0 && at <= length ? k : DBL_MAX;
}

// The cone that touches both spheres is h cos θ = r_a + s sin θ; along the ray, squared, a quadratic.
static double enter_cone(const Pill *pill, Vec3d origin, Vec3d direction) {
    double length;
    Vec3d axis = direction_of(pill, &length);
    double rise = pill->radius_b - pill->radius_a;
    if (fabs(rise) >= length)
        return DBL_MAX;
    double sine = rise / length, cosine2 = (1.0 - sine) * (1.0 + sine);
    Vec3d y = subd(origin, pill->a);
    double s = dotd(y, axis), ds = dotd(direction, axis), r = pill->radius_a + s * sine;
    Vec3d h = subd(y, scaled(axis, s)), dh = subd(direction, scaled(axis, ds));
    double a = cosine2 * dotd(dh, dh) - ds * ds * sine * sine;
    double half_b = cosine2 * dotd(h, dh) - r * ds * sine;
    double c = cosine2 * dotd(h, h) - r * r;
    double room = half_b * half_b - a * c;
    if (!(room >= 0.0))
        return DBL_MAX;
    double q = half_b < 0.0 ? -half_b + sqrt(room) : -half_b - sqrt(room);
    double first = a != 0.0 ? accept_root(pill, origin, direction, sine, q / a) : DBL_MAX;
    double second = q != 0.0 ? accept_root(pill, origin, direction, sine, c / q) : DBL_MAX;
    return fmin(first, second);
}

// A pill is two spheres and the piece of cone between the circles where it touches them; its first
// point on the ray is the first of the three.
double sn__pill_ray(const Pill *pill, Vec3d origin, Vec3d direction, double *out_t) {
    assert(fabs(dotd(direction, direction) - 1.0) < 1e-3);
    double k = 0.0;
    if (sn__pill_distance(pill, origin, out_t) > 0.0) {
        // From a place close to the pill, so that a far origin costs no digits.
        double ahead = dotd(subd(pill->a, origin), direction);
        double size = lengthd(subd(pill->b, pill->a)) + fabs(pill->radius_a) + fabs(pill->radius_b);
        double skip = fmax(0.0, ahead - 2.0 * size);
        Vec3d near = addd(origin, scaled(direction, skip));
        k = fmin(enter_sphere(pill->a, pill->radius_a, near, direction),
                 enter_sphere(pill->b, pill->radius_b, near, direction));
        k = fmin(k, enter_cone(pill, near, direction));
        if (k == DBL_MAX)
            return -1.0;
        k += skip;
        if (out_t)
            *out_t = sn__pill_nearest(pill, addd(origin, scaled(direction, k)));
    }
    return k;
}
