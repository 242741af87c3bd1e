// A muscle field that has the cross-sections of something else, such as a bundle of rods.
#include "base/null.h"
#include "implicit/muscle_field.h"

#define MOST_RADIUS 1e3f // m

static SnResult check_shape(const SnMuscleField *m, const SnVec3 *normals, const float *radii,
                            float eccentricity) {
    float widest = 0.0f;
    for (int i = 0; i < m->count; ++i) {
        if (!sn__finite3(normals[i]))
            return sn_error(SN_ERROR_INVALID, "muscle field: normal %d is not finite", i);
        if (!(radii[i] >= 0.0f && radii[i] <= MOST_RADIUS))
            return sn_error(SN_ERROR_INVALID, "muscle field: radius %d: %g is not in [0, %g] m", i,
                            (double)radii[i], (double)MOST_RADIUS);
        widest = fmaxf(widest, radii[i]);
    }
    if (!(widest > 0.0f))
        return sn_error(SN_ERROR_INVALID, "muscle field: no radius is positive");
    if (!(eccentricity >= 0.0f && eccentricity <= 0.999f))
        return sn_error(SN_ERROR_INVALID, "muscle field: eccentricity: %g is not in [0, 0.999]",
                        (double)eccentricity);
    return sn_ok();
}

// Of the radius along the line, from the neighbours of a point.
static double slope_at(const SnMuscleField *m, int i) {
    int from = i > 0 ? i - 1 : 0, to = i + 1 < m->count ? i + 1 : m->count - 1;
    double way = (m->places[to] - m->places[from]) * m->length;
    return way > 0.0 ? (m->radii[to] - m->radii[from]) / way : 0.0;
}

SnResult sn_muscle_field_shape(SnMuscleField *m, const SnVec3 *line, const SnVec3 *normals,
                               const float *radii, float eccentricity) {
    if (m == NULL || line == NULL || normals == NULL || radii == NULL)
        return sn__null(m == NULL         ? "muscle field: muscle"
                        : line == NULL    ? "muscle field: line"
                        : normals == NULL ? "muscle field: normals"
                                          : "muscle field: radii");
    SnResult result = check_shape(m, normals, radii, eccentricity);
    if (result.code == SN_OK)
        result = sn__muscle_field_set_line(m, line);
    if (result.code != SN_OK)
        return result;
    m->shaped = true;
    m->eccentricity = eccentricity;
    for (int i = 0; i < m->count; ++i) {
        m->radii[i] = (double)radii[i];
        m->normals[i] = sn__muscle_field_across(m, i, vec3d(normals[i]));
        // An axis has no sign; those that follow each other are to be near.
        if (i > 0 && dotd(m->normals[i], m->normals[i - 1]) < 0.0)
            m->normals[i] = scaled(m->normals[i], -1.0);
    }
    for (int i = 0; i < m->count; ++i)
        m->slopes[i] = slope_at(m, i);
    return sn_ok();
}

// With t along a segment of length l, radii r and slopes k at its ends:
//   r₀ + t (k₀ l + t (3 (r₁ − r₀) − (2 k₀ + k₁) l + t (2 (r₀ − r₁) + (k₀ + k₁) l))).
double sn__muscle_shaped_radius(const SnMuscleField *m, double place) {
    int i = 0;
    while (i < m->count - 2 && place > m->places[i + 1])
        ++i;
    double span = m->places[i + 1] - m->places[i], length = span * m->length;
    double t = span > 0.0 ? (place - m->places[i]) / span : 0.0;
    double from = m->radii[i], to = m->radii[i + 1];
    double k0 = m->slopes[i] * length, k1 = m->slopes[i + 1] * length;
    return from +
           t * (k0 + t * (3.0 * (to - from) - 2.0 * k0 - k1 + t * (2.0 * (from - to) + k0 + k1)));
}
