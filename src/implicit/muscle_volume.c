// The true volume of a muscle field, and the width at which a bent one has the volume it should.
#include "base/null.h"
#include "implicit/muscle_field.h"

#define CUBES 96      // along the longest side, at least, that a volume is counted in
#define ACROSS 9.0    // along the largest radius, at least
#define CORRECTIONS 3 // each is exact but for overlaps of the muscle with itself

// How much of a cube is inside. One that the surface may go through is cut into eight, and these count by
// how far their middle is inside.
static double part_inside(const SnMuscleField *m, Vec3d middle, double cube) {
    double value = sn__muscle_field_value(m, middle), sum = 0.0;
    if (fabs(value) > 2.0 * cube)
        return value < 0.0 ? 1.0 : 0.0;
    for (int k = 0; k < 8; ++k) {
        Vec3d to = {k & 1 ? 0.25 : -0.25, k & 2 ? 0.25 : -0.25, k & 4 ? 0.25 : -0.25};
        double part =
            0.5 - sn__muscle_field_value(m, addd(middle, scaled(to, cube))) / (0.5 * cube);
        sum += part < 0.0 ? 0.0 : part > 1.0 ? 1.0 : part;
    }
    return 0.125 * sum;
}

double sn_muscle_field_volume(const SnMuscleField *m) {
    if (!GIVEN(m))
        return 0.0;
    Vec3d low = m->points[0], high = low;
    double widest = 0.0, e = fmax((double)m->rest.eccentricity, (double)m->active.eccentricity);
    e = m->shaped ? (double)m->eccentricity : e;
    for (int i = 0; i <= CUBES; ++i)
        widest = fmax(widest, sn_muscle_field_radius(m, (double)i / CUBES));
    widest /= sqrt(sqrt(1.0 - e * e));
    for (int i = 1; i < m->count; ++i) {
        Vec3d p = m->points[i];
        low = (Vec3d){fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z)};
        high = (Vec3d){fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z)};
    }
    Vec3d side = addd(subd(high, low), scaled((Vec3d){1.0, 1.0, 1.0}, 2.0 * widest));
    double cube = fmin(fmax(side.x, fmax(side.y, side.z)) / CUBES, widest / ACROSS), sum = 0.0;
    Vec3d start = subd(low, scaled((Vec3d){1.0, 1.0, 1.0}, widest - 0.5 * cube));
    for (int k = 0; k * cube < side.z; ++k)
        for (int j = 0; j * cube < side.y; ++j)
            for (int i = 0; i * cube < side.x; ++i) {
                Vec3d x = addd(start, scaled((Vec3d){i, j, k}, cube));
                sum += part_inside(m, x, cube);
            }
    return sum * cube * cube * cube;
}

void sn_muscle_field_correct(SnMuscleField *m) {
    if (!GIVEN(m) || m->shaped)
        return;
    double factor = sn__muscle_field_factor(m), wanted = m->volume * factor * factor;
    for (int i = 0; i < CORRECTIONS; ++i) {
        double volume = sn_muscle_field_volume(m);
        m->correction *= volume > 0.0 ? sqrt(wanted / volume) : 1.0;
        sn__muscle_field_find_width(m);
    }
}
