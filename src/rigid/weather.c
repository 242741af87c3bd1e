// What moving air does to rigid bodies, part by part, as it is when a step begins.
#include "rigid/weather.h"

#include <assert.h>

#include "math/air.h"
#include "math/drag.h"

#define PI 3.14159265358979323846
#define MAX_WINDS 4 // winds beyond these do not reach rigid bodies, nor stiff rods
// Of a sphere on its frontal area, Reynolds numbers 10³ to 2·10⁵ (Hoerner, Fluid-Dynamic Drag, 1965).
#define DRAG_SPHERE 0.47

// The ends of a part have the drag of a sphere, what is between them that of a cylinder.
static Drag drag_of(const Rigid *r, int part, Vec3d u, double density) {
    const int *e = r->edge[part];
    double radius = 0.5 * (double)(r->radius[e[0]] + r->radius[e[1]]);
    double length = lengthd(subd(r->local[e[1]], r->local[e[0]]));
    Quatd q = mulqd(r->pose.q, r->frame[part]);
    const Vec3d axes[3] = {rotated(q, (Vec3d){1.0, 0.0, 0.0}), rotated(q, (Vec3d){0.0, 1.0, 0.0}),
                           rotated(q, (Vec3d){0.0, 0.0, 1.0})};
    Drag drag = sn__drag(u, axes, length, radius, radius, density);
    double sphere = 0.5 * density * DRAG_SPHERE * PI * radius * radius * lengthd(u);
    return (Drag){addd(drag.force, scaled(u, sphere)), drag.coefficient + sphere};
}

static void feel_parts(Rigid *r, const BodyStep *step, const WindField *winds, int count, int first,
                       int parts) {
    assert(parts > 0 && parts <= WIND_LANES && first + parts <= r->parts && count > 0);
    float at[3][WIND_LANES] __attribute__((aligned(64))) = {{0}};
    Vec3d centre[WIND_LANES], spin = sn__rigid_spin(r);
    for (int k = 0; k < parts; ++k) {
        const int *e = r->edge[first + k];
        centre[k] = scaled(
            addd(sn__rigid_point(r, &r->pose, e[0]), sn__rigid_point(r, &r->pose, e[1])), 0.5);
        at[0][k] = (float)centre[k].x;
        at[1][k] = (float)centre[k].y;
        at[2][k] = (float)centre[k].z;
    }
    sn__air_kernel(step->isa)(winds, count, at[0], at[1], at[2], WIND_LANES, at[0], at[1], at[2]);
    for (int k = 0; k < parts; ++k) {
        Vec3d arm = subd(centre[k], r->pose.x), v = addd(r->v, crossd(spin, arm));
        Vec3d air = {(double)at[0][k], (double)at[1][k], (double)at[2][k]};
        Drag drag = drag_of(r, first + k, subd(air, v), (double)step->air->density);
        // It cannot turn the relative motion round within the step. What moves freely sees to that
        // by r->air, and has its terminal velocity; what turns has less of the force.
        double bound = 1.0 / (1.0 + (double)step->dt * drag.coefficient * r->parts / r->mass);
        bool moves = r->freedom == RIGID_FREE || r->freedom == RIGID_UPRIGHT;
        r->air += drag.coefficient;
        r->force = addd(r->force, scaled(drag.force, moves ? 1.0 : bound));
        r->torque = addd(r->torque, crossd(arm, scaled(drag.force, bound)));
    }
}

void sn__rigid_feel_air(Rigid *r, const BodyStep *step) {
    WindField winds[MAX_WINDS];
    r->air = 0.0;
    r->air_from = r->v;
    int count = step->air->count < MAX_WINDS ? step->air->count : MAX_WINDS;
    const double origin[1][3] = {{r->origin[0], r->origin[1], r->origin[2]}};
    for (int w = 0; w < count; ++w)
        sn__wind_place(&step->air->winds[w], origin, 1, &winds[w]);
    for (int first = 0; count > 0 && first < r->parts; first += WIND_LANES) {
        int left = r->parts - first;
        feel_parts(r, step, winds, count, first, left < WIND_LANES ? left : WIND_LANES);
    }
}
