// What moving air does to solids, particle by particle, as it is when a step begins.
#include "math/air.h"
#include "solid/solid.h"

#define PI 3.14159265358979323846
#define MAX_WINDS 4 // winds beyond these do not reach solids, nor rigid bodies
// Of a sphere on its frontal area, Reynolds numbers 10³ to 2·10⁵ (Hoerner, Fluid-Dynamic Drag, 1965).
#define DRAG_SPHERE 0.47

// The frontal area of an ellipsoid with the radii a, b, c along its axes, seen along the unit vector n in
// them: π √(b²c² n₁² + a²c² n₂² + a²b² n₃²).
static double frontal_area(Vec3d r, Vec3d n) {
    double x = r.y * r.z * n.x, y = r.x * r.z * n.y, z = r.x * r.y * n.z;
    return PI * sqrt(x * x + y * y + z * z);
}

static void feel(Solid *s, const BodyStep *step, int i, Vec3d air) {
    Vec3d u = subd(air, s->v[i]);
    double speed = lengthd(u);
    if (!(speed > 0.0))
        return;
    Vec3d n = rotated(conjugated(sn__solid_frame(s, i)), scaled(u, 1.0 / speed));
    double c = 0.5 * (double)step->air->density * DRAG_SPHERE *
               frontal_area(s->particles[i].radii, n) * speed;
    // It cannot turn the relative motion round within the step.
    double bound = 1.0 / (1.0 + (double)step->dt * c / s->particles[i].mass);
    s->force[i] = addd(s->force[i], scaled(u, c * bound));
}

void sn__solid_feel_air(Solid *s, const BodyStep *step) {
    WindField winds[MAX_WINDS];
    int count = step->air->count < MAX_WINDS ? step->air->count : MAX_WINDS;
    const double origin[1][3] = {{s->origin[0], s->origin[1], s->origin[2]}};
    for (int w = 0; w < count; ++w)
        sn__wind_place(&step->air->winds[w], origin, 1, &winds[w]);
    for (int first = 0; count > 0 && first < s->count; first += WIND_LANES) {
        float at[3][WIND_LANES] __attribute__((aligned(64))) = {{0}};
        int n = s->count - first < WIND_LANES ? s->count - first : WIND_LANES;
        for (int k = 0; k < n; ++k) {
            at[0][k] = (float)s->x[first + k].x;
            at[1][k] = (float)s->x[first + k].y;
            at[2][k] = (float)s->x[first + k].z;
        }
        sn__air_kernel(step->isa)(winds, count, at[0], at[1], at[2], WIND_LANES, at[0], at[1],
                                  at[2]);
        for (int k = 0; k < n; ++k)
            feel(s, step, first + k, (Vec3d){(double)at[0][k], (double)at[1][k], (double)at[2][k]});
    }
}
