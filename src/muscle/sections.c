// The cross-sections of a muscle, as ellipses.
#include "base/null.h"
#include "body/world.h"
#include "math/principal.h"
#include "muscle/muscle.h"
#include "muscle/world.h"
#include "rod/inside.h"

#define LEAST_RATIO 0.05 // of an ellipse's axes: flatter ones are as flat as this

// Fibres of a muscle, as arrays or as the rods of a world have them.
typedef struct Fibres {
    int rods, slices;
    const SnVec3 *positions; // NULL: those of a rod
    const float *radii;
    const RodSystem *system;
    const Rod *rod;
} Fibres;

typedef struct Disc {
    Vec3d x;
    double radius;
} Disc;

static Disc disc_at(const Fibres *fibres, int point) {
    if (fibres->positions)
        return (Disc){vec3d(fibres->positions[point]), (double)fibres->radii[point]};
    RodVertex v = sn__rod_vertex_at(fibres->system, fibres->rod, point);
    return (Disc){v.x, v.s * v.radius};
}

// The area-weighted second moments of the discs of a slice about their middle, over their area: a disc of
// radius r adds r²/4 in both directions across the muscle.
typedef struct Moments {
    double area; // over π
    Vec3d middle;
    double m[3][3];
} Moments;

static Moments moments_of(const Fibres *fibres, int slice) {
    Moments out = {.area = 0.0};
    for (int k = 0; k < fibres->rods; ++k) {
        Disc disc = disc_at(fibres, k * fibres->slices + slice);
        double square = disc.radius * disc.radius;
        out.area += square;
        out.middle = addd(out.middle, scaled(disc.x, square));
    }
    out.middle = scaled(out.middle, out.area > 0.0 ? 1.0 / out.area : 0.0);
    for (int k = 0; k < fibres->rods && out.area > 0.0; ++k) {
        Disc disc = disc_at(fibres, k * fibres->slices + slice);
        double square = disc.radius * disc.radius, share = square / out.area;
        Vec3d r = subd(disc.x, out.middle);
        const double e[3] = {r.x, r.y, r.z};
        for (int a = 0; a < 9; ++a)
            out.m[a / 3][a % 3] += share * e[a / 3] * e[a % 3];
        for (int a = 0; a < 3; ++a)
            out.m[a][a] += 0.25 * share * square;
    }
    return out;
}

// The longest axis of the slice, and the one across it and the way of the fibres: the three of the moments, as
// discs add the same to all of them.
static SnMuscleSection section_of(const Moments *moments, Vec3d along, double packing) {
    double values[3];
    Quatd axes;
    double m[3][3];
    for (int a = 0; a < 9; ++a)
        m[a / 3][a % 3] = moments->m[a / 3][a % 3];
    sn__principal_axes(m, values, &axes);
    int way = 0, longest = -1, other = -1;
    Vec3d axis[3];
    for (int a = 0; a < 3; ++a) {
        axis[a] = rotated(axes, (Vec3d){a == 0, a == 1, a == 2});
        way = fabs(dotd(axis[a], along)) > fabs(dotd(axis[way], along)) ? a : way;
    }
    for (int a = 0; a < 3; ++a)
        if (a != way && (longest < 0 || values[a] > values[longest]))
            longest = a;
    other = 3 - way - longest;
    // Of an ellipse with half axes a and b, the moments are a²/4 and b²/4: 1 − e² = b²/a².
    double ratio = values[longest] > 0.0 ? values[other] / values[longest] : 1.0;
    ratio = fmin(1.0, fmax(LEAST_RATIO * LEAST_RATIO, ratio));
    return (SnMuscleSection){.position = vec3f(moments->middle),
                             .normal = vec3f(axis[longest]),
                             .radius = (float)sqrt(packing * moments->area),
                             .eccentricity = (float)fmin(0.999, sqrt(1.0 - ratio))};
}

static void find_sections(const Fibres *fibres, double packing, SnMuscleSection *out) {
    for (int j = 0; j < fibres->slices; ++j) {
        Moments moments = moments_of(fibres, j);
        int from = j > 0 ? j - 1 : 0, to = j + 1 < fibres->slices ? j + 1 : j;
        Vec3d along = subd(moments_of(fibres, to).middle, moments_of(fibres, from).middle);
        out[j] = section_of(&moments, along, packing);
    }
}

SnResult sn_muscle_sections(const SnWorld *world, SnBodyId id, SnMuscleSection *out_sections) {
    const Muscle *m = world ? sn__muscle_of(sn__world_muscles((SnWorld *)world), id) : NULL;
    if (m == NULL)
        return sn__muscle_missing(world, id);
    if (out_sections == NULL)
        return sn__null("muscle: out_sections");
    const Body *body = sn__world_body(world, id);
    const Fibres fibres = {m->rods, m->slices, NULL, NULL, rods_of(body), rod_of(body)};
    find_sections(&fibres, (double)m->packing, out_sections);
    return sn_ok();
}

SnResult sn_fibre_sections(int rod_count, int slice_count, const SnVec3 *positions,
                           const float *radii, float packing, SnMuscleSection *out_sections) {
    if (positions == NULL || radii == NULL || out_sections == NULL)
        return sn__null(positions == NULL ? "muscle: positions"
                        : radii == NULL   ? "muscle: radii"
                                          : "muscle: out_sections");
    if (rod_count < 1 || slice_count < 2)
        return sn_error(SN_ERROR_INVALID, "muscle: %d fibres of %d points have no sections",
                        rod_count, slice_count);
    const Fibres fibres = {rod_count, slice_count, positions, radii, NULL, NULL};
    find_sections(&fibres, (double)packing, out_sections);
    return sn_ok();
}
