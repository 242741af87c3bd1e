// Where Newton's method starts in a sub-step. Included by rod_newton_forces_wide.c only, as it is in
// double.
#pragma once

#include "rod/newton_move.h"

// What the rod's acceleration adds to h v, along one axis. Of it, the part `newton_guess` is taken.
INLINE Wide sped_up(const RodScheme *c, int i, double h, const float *kick, const float *a) {
    return h * load_floats(&c->guess[i]) * (load_floats(kick) + h * load_floats(a));
}

// And of frames and scales at most.
#define GUESS_TURN 0.02

// How far it goes with its velocity, and with this part of its acceleration.
INLINE Wide mean_way(const RodScheme *c, int i, double h, const float *v, const float *kick,
                     const float *a, Wide part) {
    return h * load_floats(v) + part * sped_up(c, i, h, kick, a);
}

INLINE Wide mean_turn(const RodScheme *c, int i, double h, const float *v, const float *kick,
                      const float *a, Wide part) {
    Wide by = part * sped_up(c, i, h, kick, a), most = splat(GUESS_TURN);
    return h * load_floats(v) + wide_max(wide_min(by, most), -most);
}

// How far a frame would turn alone, as rod_motion_wide.c predicts it, but for the bound that it has there: a
// torque may turn a light frame by any number of times, if the rod did not withstand it. What contacts
// have turned it by since is small.
INLINE Wide3 turn_of_aim(NewtonLanes c, int j, Wide4 q) {
    const RodScheme *scheme = &c.pack->scheme;
    const RodState *s = c.pack->state + j;
    const RodWork *u = c.pack->work + j;
    const int i = c.i;
    const double h = (double)c.pack->prepared_h;
    Wide outside = h * load_floats(&scheme->outside[i]);
    Wide carried = h * h * load_floats(&scheme->carried[i]);
    Wide3 v = {load_floats(&s->wx[i]), load_floats(&s->wy[i]), load_floats(&s->wz[i])};
    Wide3 kick = {load_floats(&u->tx[i]), load_floats(&u->ty[i]), load_floats(&u->tz[i])};
    Wide3 a = {load_floats(&s->bx[i]), load_floats(&s->by[i]), load_floats(&s->bz[i])};
    Wide3 way = add3(mul3(v, splat(h)), add3(mul3(kick, outside), mul3(a, carried)));
    if (!c.pack->touched)
        return way;
    Wide4 half = {0.5 * way.x, 0.5 * way.y, 0.5 * way.z, splat(1.0)};
    Wide4 predicted = quat_normalise(quat_mul(half, newton_frame_before(u, i)));
    return add3(way, newton_turn_since(predicted, q));
}

// Keeps where everything would go alone, the aim, and starts from where it would go as it has been
// accelerated, or with its velocity alone in implicit Euler. A force on one vertex of a stiff rod takes
// its aim far away, and a rod that is linearised there is not like the one that is to be found; what is
// remembered of the rod's own forces cancels it in the start.
INLINE void begin_from_motion(NewtonLanes c, int j) {
    RodAim *aim = c.pack->aim + j;
    const RodState *s = c.pack->state + j;
    const RodWork *u = c.pack->work + j;
    const int i = c.i;
    const double h = (double)c.pack->prepared_h;
    NewtonVertex v = newton_vertex(s, u, i, c.volume);
    Wide4 q = newton_frame(s, i);
    store_floats(&aim->ux[i], v.u.x);
    store_floats(&aim->uy[i], v.u.y);
    store_floats(&aim->uz[i], v.u.z);
    store_row(&aim->us[i], load_row(&u->us[i]));
    Wide3 way = turn_of_aim(c, j, q);
    store_floats(&aim->tx[i], way.x);
    store_floats(&aim->ty[i], way.y);
    store_floats(&aim->tz[i], way.z);

    NewtonInertia n = newton_inertia(c, j);
    const RodScheme *scheme = &c.pack->scheme;
    const Wide part = load_floats(&c.pack->newton_guess[i]);
    v.u.x = chosen(n.free, mean_way(scheme, i, h, &s->vx[i], &u->kx[i], &s->ax[i], part), v.u.x);
    v.u.y = chosen(n.free, mean_way(scheme, i, h, &s->vy[i], &u->ky[i], &s->ay[i], part), v.u.y);
    v.u.z = chosen(n.free, mean_way(scheme, i, h, &s->vz[i], &u->kz[i], &s->az[i], part), v.u.z);
    if (c.volume)
        v.s = chosen(n.free_scale,
                     load_floats(&u->ps[i]) +
                         mean_turn(scheme, i, h, &s->vs[i], &u->ks[i], &s->as[i], part),
                     v.s);
    Wide4 before = newton_frame_before(u, i);
    Wide4 half = {0.5 * mean_turn(scheme, i, h, &s->wx[i], &u->tx[i], &s->bx[i], part),
                  0.5 * mean_turn(scheme, i, h, &s->wy[i], &u->ty[i], &s->by[i], part),
                  0.5 * mean_turn(scheme, i, h, &s->wz[i], &u->tz[i], &s->bz[i], part), splat(1.0)};
    Wide4 turned = quat_normalise(quat_mul(half, before));
    q = (Wide4){chosen(n.free_frame, turned.x, q.x), chosen(n.free_frame, turned.y, q.y),
                chosen(n.free_frame, turned.z, q.z), chosen(n.free_frame, turned.w, q.w)};
    move_to(c, j, v.u, v.s - load_floats(&u->ps[i]), q);
}
