// What moving air does to segments: drag by shape and orientation (math/drag.h has the formulas), in
// lanes.
#include "math/drag.h"
#include "stiff/lanes.h"
#include "stiff/wide.h"

#define TWO_PI 6.2831853071795865

void WIDE_FUNCTION(stiff_blow)(Grove *g, int begin, int end, double h, double density) {
    for (int r = begin; r < end; ++r) {
        const StiffState *s = &g->state[r];
        const StiffRest *c = &g->rest[r];
        StiffMotion *m = &g->motion[r];
        for (int i = 0; i < STIFF_LANES; i += WIDE_DOUBLE) {
            Wide4 q = pose_of(s, i).q;
            Wide3 dx = quat_axis_x(q), dy = quat_axis_y(q), dz = quat_axis_z(q);
            Wide3 u = sub3(load3(&g->loads[r].ax, i), load3(&s->vx, i));
            Wide a = load(&c->wide_x[i]), b = load(&c->wide_y[i]), l = load(&c->length[i]);
            // The wider half width A is along the one axis, the narrower B along the other.
            Wide3 wide = {wide_if_less(a, b, dy.x, dx.x), wide_if_less(a, b, dy.y, dx.y),
                          wide_if_less(a, b, dy.z, dx.z)};
            Wide3 thin = {wide_if_less(a, b, dx.x, dy.x), wide_if_less(a, b, dx.y, dy.y),
                          wide_if_less(a, b, dx.z, dy.z)};
            Wide A = wide_max(wide_max(a, b), splat(1e-12)), B = wide_min(a, b);
            Wide ratio = B / A, flat = 1.0 - ratio;
            Wide u_wide = dot3(u, wide), u_thin = dot3(u, thin), t = dot3(u, dz);
            Wide speed = wide_sqrt(u_wide * u_wide + u_thin * u_thin + flat * t * t);
            Wide half = (0.5 * density) * l;
            Wide plate = DRAG_ACROSS + (DRAG_PLATE - DRAG_ACROSS) * flat;
            Wide edge = 2.0 * B * DRAG_ACROSS * ratio + 4.0 * (A - B) * DRAG_ALONG;
            Wide face = half * 2.0 * A * plate;
            Wide c_thin = face * speed, c_wide = half * edge * speed;
            Wide perimeter = 4.0 * A + (TWO_PI - 4.0) * B;
            Wide c_along = half * perimeter * DRAG_ALONG * wide_abs(t);
            Wide most = wide_max(c_thin, wide_max(c_wide, c_along));
            Wide mass = load(&c->mass[i]);
            // In lanes that are not in use there is nothing to move.
            Wide used = wide_if_less(splat(0.0), mass, splat(1.0), splat(0.0));
            Wide h2 = outside_of(load(&c->second[i])) * (h * h);
            Wide slow = used * h2 * mass / (mass + h * most + (1.0 - used));
            Wide3 p =
                add3(add3(mul3(thin, slow * c_thin * u_thin), mul3(wide, slow * c_wide * u_wide)),
                     mul3(dz, slow * c_along * t));

            // Turning, the ends of a segment move across the air: ∫ c/l x² dx = c l²/12.
            Wide3 w = load3(&s->wx, i);
            Wide3 across = sub3(w, mul3(dz, dot3(dz, w)));
            Wide fast = speed + 0.5 * l * wide_sqrt(dot3(across, across));
            Wide c_turn = face * fast * l * l * (1.0 / 12.0);
            Wide inertia = load(&c->i1[i]);
            Wide late = share_of(load(&c->second[i])) * (h * h);
            Wide brake = used * late * c_turn * inertia / (inertia + h * c_turn);
            // Air that moves a light segment by more than its length turns it along: the force falls
            // off on the way, as if it was a stiffness against turning further.
            Wide lean = wide_abs(load(&c->end[i])) * wide_sqrt(dot3(p, p));
            store(&m->lean[i], lean);
            store3(&m->kx, i, add3(load3(&m->kx, i), p));
            store3(&m->ux, i, sub3(load3(&m->ux, i), mul3(across, brake)));
        }
    }
}
