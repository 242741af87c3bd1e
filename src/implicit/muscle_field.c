// The field of a muscle: f(x) = |x − C(s)| − w Φ(s) r(θ) (paper: eqs. 1 and 2), with C the line, s the
// place on it that x belongs to, θ the angle to its normal there, and w = √(V/πl) from volume and length.
#include <string.h>

#include "base/memory.h"
#include "base/null.h"
#include "implicit/muscle_field.h"

#define MUSCLE_COOKIE 0x534e4d46u
#define HALVINGS 20 // of an arc, until a place on it is found
#define PI 3.14159265358979323846

SnMuscleFieldDef sn_default_muscle_field_def(void) {
    return (SnMuscleFieldDef){.cookie = MUSCLE_COOKIE,
                              .rest = {3, 3, 0.0f},
                              .active = {4, 7, 0.0f},
                              .exaggeration = 1.0f};
}

static SnResult check_eccentricity(float eccentricity, const char *name, const char *which) {
    return eccentricity >= 0.0f && eccentricity <= 0.999f
               ? sn_ok()
               : sn_error(SN_ERROR_INVALID, "%.100s: %s: eccentricity: %g is not in [0, 0.999]",
                          name, which, (double)eccentricity);
}

static SnResult check_exaggeration(float exaggeration, const char *name) {
    return exaggeration > 0.0f && exaggeration <= 100.0f
               ? sn_ok()
               : sn_error(SN_ERROR_INVALID, "%.100s: exaggeration: %g is not in (0, 100]", name,
                          (double)exaggeration);
}

static SnResult check_shape(const SnMuscleProfile *shape, const char *name, const char *which) {
    if (shape->alpha < 1 || shape->alpha > SN_MAX_MUSCLE_PROFILE || shape->beta < 1 ||
        shape->beta > SN_MAX_MUSCLE_PROFILE)
        return sn_error(SN_ERROR_INVALID, "%.100s: %s: alpha %d and beta %d are not in [1, %d]",
                        name, which, shape->alpha, shape->beta, SN_MAX_MUSCLE_PROFILE);
    return check_eccentricity(shape->eccentricity, name, which);
}

static SnResult check_def(const SnMuscleFieldDef *def, const char *name) {
    if (def->point_count < 2 || def->point_count > SN_MAX_MUSCLE_POINTS || def->line == NULL)
        return sn_error(SN_ERROR_INVALID, "%.100s: line: %d points are not 2 to %d, or NULL", name,
                        def->point_count, SN_MAX_MUSCLE_POINTS);
    if (!(def->volume > 0.0f && def->volume < 1e9f))
        return sn_error(SN_ERROR_INVALID, "%.100s: volume: %g is not in (0, 1e9) m^3", name,
                        (double)def->volume);
    SnResult result = check_exaggeration(def->exaggeration, name);
    if (result.code == SN_OK)
        result = check_shape(&def->rest, name, "rest");
    return result.code == SN_OK ? check_shape(&def->active, name, "active") : result;
}

SnResult sn_muscle_field_create(const SnMuscleFieldDef *def, const SnAllocator *allocator,
                                SnMuscleField **out_muscle) {
    if (out_muscle == NULL)
        return sn__null("muscle field: out_muscle");
    *out_muscle = NULL;
    if (def == NULL || def->cookie != MUSCLE_COOKIE)
        return sn__no_def(def, "muscle field", "sn_default_muscle_field_def");
    const char *name = def->name ? def->name : "muscle field";
    SnResult result = check_def(def, name);
    if (result.code != SN_OK)
        return result;
    SnAllocator own = allocator ? *allocator : sn__default_allocator();
    SnMuscleField *m = sn__alloc(&own, sizeof *m);
    if (m == NULL)
        return sn_error(SN_ERROR_MEMORY, "%.100s: no memory", name);
    size_t n = (size_t)def->point_count;
    *m = (SnMuscleField){.allocator = own,
                         .count = def->point_count,
                         .points = sn__alloc_array(&own, n, sizeof(Vec3d)),
                         .normals = sn__alloc_array(&own, n, sizeof(Vec3d)),
                         .places = sn__alloc_array(&own, n, sizeof(double)),
                         .radii = sn__alloc_array(&own, n, sizeof(double)),
                         .slopes = sn__alloc_array(&own, n, sizeof(double)),
                         .volume = (double)def->volume,
                         .exaggeration = (double)def->exaggeration,
                         .rest = def->rest,
                         .active = def->active,
                         .overlap = sn__muscle_overlap(&def->rest, &def->active)};
    result = m->points && m->normals && m->places && m->radii && m->slopes
                 ? sn_muscle_field_move(m, def->line, def->first_normal, def->last_normal)
                 : sn_error(SN_ERROR_MEMORY, "%.100s: no memory", name);
    if (result.code == SN_OK)
        *out_muscle = m;
    else
        sn_muscle_field_destroy(m);
    return result;
}

void sn_muscle_field_destroy(SnMuscleField *m) {
    if (m == NULL)
        return;
    SnAllocator a = m->allocator;
    size_t n = (size_t)m->count;
    sn__free(&a, m->points, n * sizeof(Vec3d));
    sn__free(&a, m->normals, n * sizeof(Vec3d));
    sn__free(&a, m->places, n * sizeof(double));
    sn__free(&a, m->radii, n * sizeof(double));
    sn__free(&a, m->slopes, n * sizeof(double));
    sn__free(&a, m, sizeof *m);
}

static Vec3d unit(Vec3d a, Vec3d otherwise) {
    double length = lengthd(a);
    return length > 1e-12 ? scaled(a, 1.0 / length) : otherwise;
}

// Any unit vector across a.
static Vec3d across(Vec3d a) {
    Vec3d other = fabs(a.x) < 0.6 ? (Vec3d){1.0, 0.0, 0.0} : (Vec3d){0.0, 1.0, 0.0};
    return unit(crossd(a, other), (Vec3d){0.0, 0.0, 1.0});
}

// The part of n across the unit vector t.
static Vec3d squared(Vec3d n, Vec3d t) { return unit(subd(n, scaled(t, dotd(n, t))), across(t)); }

// Along the great circle from a to b; its halves are halved towards t, which needs square roots only.
static Vec3d slerp(Vec3d a, Vec3d b, double t) {
    double low = 0.0, high = 1.0;
    for (int i = 0; i < HALVINGS; ++i) {
        double middle = 0.5 * (low + high);
        Vec3d half = unit(addd(a, b), across(a));
        if (t < middle) {
            high = middle;
            b = half;
        } else {
            low = middle;
            a = half;
        }
    }
    return a;
}

static Vec3d tangent(const SnMuscleField *m, int i) {
    int from = i > 0 ? i - 1 : 0, to = i + 1 < m->count ? i + 1 : m->count - 1;
    return unit(subd(m->points[to], m->points[from]), (Vec3d){1.0, 0.0, 0.0});
}

// The normals of both ends, interpolated along the great circle and made square to the line. (The paper
// projects them onto the plane of three neighbouring points, which a line that is almost straight does
// not have.)
static void find_normals(SnMuscleField *m, Vec3d first, Vec3d last) {
    Vec3d t0 = tangent(m, 0), t1 = tangent(m, m->count - 1);
    first = squared(unit(first, across(t0)), t0);
    last = lengthd(last) > 1e-12 ? squared(last, t1) : squared(first, t1);
    for (int i = 0; i < m->count; ++i)
        m->normals[i] = squared(slerp(first, last, m->places[i]), tangent(m, i));
}

double sn__muscle_field_factor(const SnMuscleField *m) {
    return 1.0 + (m->exaggeration - 1.0) * m->activation;
}

void sn__muscle_field_find_width(SnMuscleField *m) {
    m->width = sn__muscle_field_factor(m) * m->correction * sqrt(m->volume / (PI * m->length));
}

Vec3d sn__muscle_field_across(const SnMuscleField *m, int point, Vec3d n) {
    return squared(n, tangent(m, point));
}

SnResult sn__muscle_field_set_line(SnMuscleField *m, const SnVec3 *line) {
    double length = 0.0;
    for (int i = 0; i < m->count; ++i) {
        if (!sn__within3(line[i], SN_MAX_POSITION))
            return sn_error(SN_ERROR_INVALID, "muscle field: line: point %d is not within %g m", i,
                            (double)SN_MAX_POSITION);
        length += i > 0 ? lengthd(subd(vec3d(line[i]), vec3d(line[i - 1]))) : 0.0;
    }
    if (!(length > 1e-9))
        return sn_error(SN_ERROR_INVALID, "muscle field: line: its length, %g m, is not positive",
                        length);
    m->length = length;
    for (int i = 0; i < m->count; ++i) {
        m->points[i] = vec3d(line[i]);
        m->places[i] =
            i > 0 ? m->places[i - 1] + lengthd(subd(m->points[i], m->points[i - 1])) / length : 0.0;
    }
    return sn_ok();
}

SnResult sn_muscle_field_move(SnMuscleField *m, const SnVec3 *line, SnVec3 first_normal,
                              SnVec3 last_normal) {
    if (m == NULL || line == NULL)
        return sn__null(m == NULL ? "muscle field: muscle" : "muscle field: line");
    if (!sn__finite3(first_normal) || !sn__finite3(last_normal))
        return sn_error(SN_ERROR_INVALID, "muscle field: a normal is not finite");
    SnResult result = sn__muscle_field_set_line(m, line);
    if (result.code != SN_OK)
        return result;
    m->correction = 1.0;
    m->shaped = false;
    sn__muscle_field_find_width(m);
    find_normals(m, vec3d(first_normal), vec3d(last_normal));
    return sn_ok();
}

SnResult sn_muscle_field_set_volume(SnMuscleField *m, float volume) {
    if (m == NULL)
        return sn__null("muscle field: muscle");
    if (!(volume > 0.0f && volume < 1e9f))
        return sn_error(SN_ERROR_INVALID, "muscle field: volume: %g is not in (0, 1e9) m^3",
                        (double)volume);
    m->volume = (double)volume;
    sn__muscle_field_find_width(m);
    return sn_ok();
}

SnResult sn_muscle_field_set_exaggeration(SnMuscleField *m, float exaggeration) {
    if (m == NULL)
        return sn__null("muscle field: muscle");
    SnResult result = check_exaggeration(exaggeration, "muscle field");
    if (result.code == SN_OK)
        m->exaggeration = (double)exaggeration;
    sn__muscle_field_find_width(m);
    return result;
}

SnResult sn_muscle_field_set_eccentricity(SnMuscleField *m, float rest, float active) {
    if (m == NULL)
        return sn__null("muscle field: muscle");
    SnResult result = check_eccentricity(rest, "muscle field", "rest");
    if (result.code == SN_OK)
        result = check_eccentricity(active, "muscle field", "active");
    if (result.code == SN_OK) {
        m->rest.eccentricity = rest;
        m->active.eccentricity = active;
    }
    return result;
}

void sn_muscle_field_activate(SnMuscleField *m, float activation) {
    if (!GIVEN(m))
        return;
    m->activation = activation > 0.0f ? fmin(1.0, (double)activation) : 0.0;
    sn__muscle_field_find_width(m);
}

// The nearest point of segment i.
typedef struct Foot {
    double along;  // 0 to 1 of the segment
    double square; // of the distance
} Foot;

static Foot find_foot(const SnMuscleField *m, int i, Vec3d x) {
    Vec3d way = subd(m->points[i + 1], m->points[i]), from = subd(x, m->points[i]);
    double square = dotd(way, way), t = square > 0.0 ? dotd(from, way) / square : 0.0;
    t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    Vec3d apart = subd(from, scaled(way, t));
    return (Foot){t, dotd(apart, apart)};
}

static double place_of(const SnMuscleField *m, int i, Foot foot) {
    return m->places[i] + foot.along * (m->places[i + 1] - m->places[i]);
}

static bool is_inner(Foot foot) { return foot.along > 0.0 && foot.along < 1.0; }

// Algorithm 1: where x has its foot inside two segments that follow each other, of which one is nearest,
// the place goes over from one to the other. The cotangent of the angle at their common point between
// the segment and x is the distance of the foot from that point over the distance of x: it is 0 where
// the foot leaves its segment, so that the place is continuous there.
static double join_feet(const SnMuscleField *m, int i, Foot a, Foot b) {
    double first = (1.0 - a.along) * (m->places[i + 1] - m->places[i]) * m->length;
    double second = b.along * (m->places[i + 2] - m->places[i + 1]) * m->length;
    double w0 = first * sqrt(b.square), w1 = second * sqrt(a.square), sum = w0 + w1;
    if (!(sum > 0.0))
        return m->places[i + 1];
    return (place_of(m, i, a) * w0 + place_of(m, i + 1, b) * w1) / sum;
}

static double project(const SnMuscleField *m, Vec3d x) {
    int nearest = 0;
    Foot best = find_foot(m, 0, x);
    for (int i = 1; i < m->count - 1; ++i) {
        Foot foot = find_foot(m, i, x);
        if (foot.square < best.square) {
            best = foot;
            nearest = i;
        }
    }
    if (!is_inner(best))
        return place_of(m, nearest, best);
    if (nearest > 0) {
        Foot before = find_foot(m, nearest - 1, x);
        if (is_inner(before))
            return join_feet(m, nearest - 1, before, best);
    }
    if (nearest + 2 < m->count) {
        Foot after = find_foot(m, nearest + 1, x);
        if (is_inner(after))
            return join_feet(m, nearest, best, after);
    }
    return place_of(m, nearest, best);
}

double sn_muscle_field_project(const SnMuscleField *m, SnVec3 x) {
    return GIVEN(m) ? project(m, vec3d(x)) : 0.0;
}

static double mean_radius(const SnMuscleField *m, double place) {
    if (m->shaped)
        return sn__muscle_shaped_radius(m, place);
    return m->width * sn__muscle_blend(&m->rest, &m->active, m->overlap, m->activation, place);
}

double sn_muscle_field_radius(const SnMuscleField *m, double place) {
    double s = place < 0.0 ? 0.0 : place > 1.0 ? 1.0 : place;
    return GIVEN(m) ? mean_radius(m, s) : 0.0;
}

double sn__muscle_field_eccentricity(const SnMuscleField *m) {
    if (m->shaped)
        return (double)m->eccentricity;
    return (1.0 - m->activation) * (double)m->rest.eccentricity +
           m->activation * (double)m->active.eccentricity;
}

double sn__muscle_field_value(const SnMuscleField *m, Vec3d x) {
    double s = project(m, x);
    int i = 0;
    while (i < m->count - 2 && s > m->places[i + 1])
        ++i;
    double span = m->places[i + 1] - m->places[i], t = span > 0.0 ? (s - m->places[i]) / span : 0.0;
    Vec3d way = subd(m->points[i + 1], m->points[i]);
    Vec3d r = subd(x, addd(m->points[i], scaled(way, t)));
    double distance = lengthd(r), radius = mean_radius(m, s);
    double e = sn__muscle_field_eccentricity(m);
    if (e > 0.0) {
        // The part of r across the line tells the angle.
        Vec3d along = unit(way, (Vec3d){1.0, 0.0, 0.0});
        Vec3d normal =
            unit(addd(scaled(m->normals[i], 1.0 - t), scaled(m->normals[i + 1], t)), m->normals[i]);
        Vec3d side = subd(r, scaled(along, dotd(r, along)));
        double length = lengthd(side);
        double c = length > 0.0 ? dotd(side, normal) / length : 1.0;
        radius *= sn__muscle_ellipse(e, c, sqrt(fmax(0.0, 1.0 - c * c)));
    }
    return distance - radius;
}

double sn_muscle_field_at(const SnMuscleField *m, SnVec3 x) {
    return GIVEN(m) ? sn__muscle_field_value(m, vec3d(x)) : 0.0;
}

#define SLOPE_STEP 1e-4 // of the length

static double radius_slope(const SnMuscleField *m, double s) {
    double low = fmax(0.0, s - SLOPE_STEP), high = fmin(1.0, s + SLOPE_STEP);
    return (mean_radius(m, high) - mean_radius(m, low)) / ((high - low) * m->length);
}

void sn__muscle_field_nodes(const SnMuscleField *m, MuscleNode *out) {
    for (int i = 0; i < m->count; ++i) {
        SnVec3 place = vec3f(m->points[i]), side = vec3f(m->normals[i]);
        double s = fmin(1.0, m->places[i]);
        double slope = m->shaped ? m->slopes[i] : radius_slope(m, s);
        out[i] = (MuscleNode){{place.x, place.y, place.z, (float)(s * m->length)},
                              {(float)mean_radius(m, s), (float)slope, 0.0f, 0.0f},
                              {side.x, side.y, side.z, 0.0f}};
    }
}
