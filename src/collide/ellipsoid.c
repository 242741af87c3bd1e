#include "collide/ellipsoid.h"

#define STEPS 16
#define ARRIVED 1e-7 // rad
#define FARTHEST 0.5 // rad of one step
#define HALVINGS 6
#define TINY 1e-300
#define SURFACE_STEPS 4

static Vec3d times(const float s[6], Vec3d n) {
    double xy = (double)s[3], xz = (double)s[4], yz = (double)s[5];
    return (Vec3d){(double)s[0] * n.x + xy * n.y + xz * n.z,
                   xy * n.x + (double)s[1] * n.y + yz * n.z,
                   xz * n.x + yz * n.y + (double)s[2] * n.z};
}

double sn__ellipsoid_reach(const float shape[6], Vec3d n, Vec3d *out_point) {
    Vec3d Sn = times(shape, n);
    double h = sqrt(fmax(dotd(n, Sn), TINY));
    if (out_point)
        *out_point = scaled(Sn, 1.0 / h);
    return h;
}

// How the two are seen along n.
typedef struct View {
    Vec3d n, a, b; // points of both from their centres
    double ha, hb, gap;
} View;

static View view_along(Vec3d apart, const float a[6], const float b[6], Vec3d n) {
    View v = {.n = n};
    v.ha = sn__ellipsoid_reach(a, n, &v.a);
    v.hb = sn__ellipsoid_reach(b, n, &v.b);
    v.gap = dotd(n, apart) - v.ha - v.hb;
    return v;
}

static Vec3d unit(Vec3d v, Vec3d otherwise) {
    double length = lengthd(v);
    return length > TINY ? scaled(v, 1.0 / length) : otherwise;
}

static double curvature(const float s[6], Vec3d p, double h, Vec3d d, Vec3d e) {
    return (dotd(d, times(s, e)) - dotd(d, p) * dotd(e, p)) / h;
}

// Newton's step across the normal.
static Vec3d step_of(const View *v, Vec3d apart, const float a[6], const float b[6]) {
    Vec3d other = fabs(v->n.x) < 0.5 ? (Vec3d){1.0, 0.0, 0.0} : (Vec3d){0.0, 1.0, 0.0};
    Vec3d d = unit(crossd(v->n, other), other), e = crossd(v->n, d);
    Vec3d w = subd(subd(apart, v->a), v->b);
    double x = dotd(d, w), y = dotd(e, w), g = v->gap;
    double dd = curvature(a, v->a, v->ha, d, d) + curvature(b, v->b, v->hb, d, d) + g;
    double ee = curvature(a, v->a, v->ha, e, e) + curvature(b, v->b, v->hb, e, e) + g;
    double de = curvature(a, v->a, v->ha, d, e) + curvature(b, v->b, v->hb, d, e);
    double det = dd * ee - de * de, size = v->ha + v->hb;
    // Deep inside, where it is no hill, along the slope.
    if (!(dd > 0.0 && det > 1e-12 * size * size)) {
        double slow = 1.0 / (size + fabs(g));
        return addd(scaled(d, slow * x), scaled(e, slow * y));
    }
    return addd(scaled(d, (ee * x - de * y) / det), scaled(e, (dd * y - de * x) / det));
}

// (S_a + S_b)⁻¹ apart, but for a factor.
static Vec3d first_normal(Vec3d apart, const float a[6], const float b[6]) {
    double s[6];
    for (int k = 0; k < 6; ++k)
        s[k] = (double)a[k] + (double)b[k];
    Vec3d x = {s[0], s[3], s[4]}, y = {s[3], s[1], s[5]}, z = {s[4], s[5], s[2]};
    Vec3d n = {dotd(crossd(y, z), apart), dotd(crossd(z, x), apart), dotd(crossd(x, y), apart)};
    return unit(n, unit(apart, (Vec3d){0.0, 1.0, 0.0}));
}

double sn__ellipsoids_gap(Vec3d apart, const float a[6], const float b[6], Vec3d *out_normal) {
    View v = view_along(apart, a, b, first_normal(apart, a, b));
    for (int k = 0; k < STEPS; ++k) {
        Vec3d step = shortened(step_of(&v, apart, a, b), FARTHEST);
        double size = lengthd(step);
        View next = v;
        for (int half = 0; half < HALVINGS; ++half, step = scaled(step, 0.5)) {
            next = view_along(apart, a, b, unit(addd(v.n, step), v.n));
            if (next.gap >= v.gap)
                break;
        }
        if (!(next.gap >= v.gap))
            break;
        v = next;
        if (size < ARRIVED)
            break;
    }
    *out_normal = v.n;
    return v.gap;
}

double sn__ellipsoid_surface_gap(Vec3d centre, const float shape[6], SurfaceDistance *distance,
                                 const void *surface, Vec3d *out_normal) {
    Vec3d n, at;
    distance(surface, centre, &n);
    double least = 1e300;
    // The point of the ellipsoid that is farthest against the normal, and the normal there.
    for (int k = 0; k < SURFACE_STEPS; ++k) {
        Vec3d next;
        sn__ellipsoid_reach(shape, n, &at);
        double gap = distance(surface, subd(centre, at), &next);
        if (!(gap < least))
            break;
        least = gap;
        *out_normal = n = next;
    }
    return least;
}
