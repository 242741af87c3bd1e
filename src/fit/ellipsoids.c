#include "fit/ellipsoids.h"

#include "math/principal.h"

bool sn__fit_ellipsoids(FitMemory *memory, const FitPieces *pieces, const FitRegions *regions,
                        double least, FitEllipsoids *out) {
    size_t count = (size_t)regions->count;
    *out = (FitEllipsoids){regions->count, sn__fit_alloc(memory, count, sizeof *out->list)};
    FitBlock *mark = memory->last;
    double(*moments)[3][3] = sn__fit_alloc(memory, count, sizeof *moments);
    double *weights = sn__fit_alloc(memory, count, sizeof *weights);
    if (out->list == NULL || moments == NULL || weights == NULL)
        return false;
    for (int i = 0; i < pieces->count; ++i) {
        int k = regions->owner[i];
        if (k < 0)
            continue;
        Vec3d d = subd(pieces->centres[i], regions->centres[k]);
        const double x[3] = {d.x, d.y, d.z};
        weights[k] += pieces->weights[i];
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b)
                moments[k][a][b] += pieces->weights[i] * x[a] * x[b];
    }
    for (size_t k = 0; k < count; ++k) {
        FitEllipsoid *e = &out->list[k];
        double values[3];
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b)
                moments[k][a][b] = moments[k][a][b] / weights[k] + (a == b ? pieces->inertia : 0.0);
        sn__principal_axes(moments[k], values, &e->axes);
        e->centre = regions->centres[k];
        for (int a = 0; a < 3; ++a)
            e->radii[a] = fmax(sqrt(5.0 * fmax(values[a], 0.0)), least);
        // Bits of a surface have no thickness of their own.
        int thin = values[1] < values[0] ? 1 : 0;
        thin = values[2] < values[thin] ? 2 : thin;
        if (pieces->dimension == 2)
            e->radii[thin] = fmax(sqrt(5.0 * fmax(values[thin] - pieces->inertia, 0.0)), least);
    }
    sn__fit_release(memory, mark);
    return true;
}

static Vec3d in_axes(const FitEllipsoid *e, Vec3d x) {
    return rotated(conjugated(e->axes), subd(x, e->centre));
}

double sn__fit_ellipsoid_level(const FitEllipsoid *e, Vec3d x) {
    Vec3d y = in_axes(e, x);
    double a = y.x / e->radii[0], b = y.y / e->radii[1], c = y.z / e->radii[2];
    return sqrt(a * a + b * b + c * c);
}

// The nearest point p of the surface has x − p along the normal there: p_i = r_i² x_i / (t + r_i²), where t
// is the root of Σ (r_i x_i / (t + r_i²))² = 1 above −min r². The sum falls with t, so that halving finds it
// (Eberly, "Distance from a point to an ellipse, an ellipsoid, or a hyperellipsoid").
double sn__fit_ellipsoid_distance(const FitEllipsoid *e, Vec3d x) {
    Vec3d y = in_axes(e, x);
    const double p[3] = {fabs(y.x), fabs(y.y), fabs(y.z)};
    double least = fmin(e->radii[0], fmin(e->radii[1], e->radii[2]));
    double largest = 0.0, low = -least * least, level = 0.0;
    for (int c = 0; c < 3; ++c) {
        largest += e->radii[c] * e->radii[c] * p[c] * p[c];
        level += p[c] * p[c] / (e->radii[c] * e->radii[c]);
        // Each term alone is at most 1.
        low = fmax(low, e->radii[c] * p[c] - e->radii[c] * e->radii[c]);
    }
    double high = fmax(low, sqrt(largest) - least * least);
    for (int round = 0; round < 60 && high - low > 1e-12 * least * least; ++round) {
        double t = 0.5 * (low + high), sum = 0.0;
        for (int c = 0; c < 3; ++c) {
            double part = e->radii[c] * p[c] / (t + e->radii[c] * e->radii[c]);
            sum += part * part;
        }
        *(sum > 1.0 ? &low : &high) = t;
    }
    double t = 0.5 * (low + high), sum = 0.0, away = 0.0;
    int flat = -1;
    for (int c = 0; c < 3; ++c) {
        double square = e->radii[c] * e->radii[c], below = t + square;
        if (!(below > 1e-9 * square)) { // on the middle plane across the shortest axis
            flat = c;
            continue;
        }
        double foot = square * p[c] / below, d = p[c] - foot;
        sum += foot * foot / square;
        away += d * d;
    }
    if (flat >= 0) {
        double foot = e->radii[flat] * sqrt(fmax(0.0, 1.0 - sum)), d = p[flat] - foot;
        away += d * d;
    }
    return level < 1.0 ? -sqrt(away) : sqrt(away);
}

Vec3d sn__fit_ellipsoid_reach(const FitEllipsoid *e) {
    Vec3d a = scaled(rotated(e->axes, (Vec3d){1.0, 0.0, 0.0}), e->radii[0]);
    Vec3d b = scaled(rotated(e->axes, (Vec3d){0.0, 1.0, 0.0}), e->radii[1]);
    Vec3d c = scaled(rotated(e->axes, (Vec3d){0.0, 0.0, 1.0}), e->radii[2]);
    return (Vec3d){sqrt(a.x * a.x + b.x * b.x + c.x * c.x), sqrt(a.y * a.y + b.y * b.y + c.y * c.y),
                   sqrt(a.z * a.z + b.z * b.z + c.z * c.z)};
}
