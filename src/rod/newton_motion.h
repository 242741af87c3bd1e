// How Newton's method moves the vertices and frames of a pack. Included by the rod_newton*_wide.c
// files only.
#pragma once

#include "rod/newton.h"

// WIDE_DOUBLE lanes of a pack from lane i up.
typedef struct NewtonLanes {
    RodPack *pack;
    int i;
    bool volume, damped;
} NewtonLanes;

INLINE void move_to(NewtonLanes c, int j, NewtonVertex v, Wide4 q) {
    RodState *s = c.pack->state + j;
    RodWork *u = c.pack->work + j;
    store_floats(&u->ux[c.i], v.u.x);
    store_floats(&u->uy[c.i], v.u.y);
    store_floats(&u->uz[c.i], v.u.z);
    store_floats(&s->qx[c.i], q.x);
    store_floats(&s->qy[c.i], q.y);
    store_floats(&s->qz[c.i], q.z);
    store_floats(&s->qw[c.i], q.w);
    if (c.volume)
        store_floats(&s->s[c.i], v.s);
}

INLINE Wide within_scale(Wide s) {
    return wide_max(wide_min(s, splat(SCALE_MAX)), splat(SCALE_MIN));
}

INLINE Wide chosen(Wide free, Wide a, Wide b) { return wide_if_less(splat(0.5), free, a, b); }

// Keeps where everything would go alone, the aim, and starts from where it would go if nothing acted
// on it. A force on one vertex of a stiff rod takes its aim far away, and a rod that is linearised
// there is not like the one that is to be found.
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
    store_floats(&aim->s[i], v.s);
    store_floats(&aim->qx[i], q.x);
    store_floats(&aim->qy[i], q.y);
    store_floats(&aim->qz[i], q.z);
    store_floats(&aim->qw[i], q.w);

    NewtonInertia n = newton_inertia(c.pack->prepared + j, c.pack->rest + j, i);
    v.u.x = chosen(n.free, h * load_floats(&s->vx[i]), v.u.x);
    v.u.y = chosen(n.free, h * load_floats(&s->vy[i]), v.u.y);
    v.u.z = chosen(n.free, h * load_floats(&s->vz[i]), v.u.z);
    if (c.volume)
        v.s = chosen(n.free_scale,
                     within_scale(load_floats(&u->ps[i]) + h * load_floats(&s->vs[i])), v.s);
    Wide4 before = {load_floats(&u->pqx[i]), load_floats(&u->pqy[i]), load_floats(&u->pqz[i]),
                    load_floats(&u->pqw[i])};
    Wide4 half = {0.5 * h * load_floats(&s->wx[i]), 0.5 * h * load_floats(&s->wy[i]),
                  0.5 * h * load_floats(&s->wz[i]), splat(1.0)};
    Wide4 turned = quat_normalise(quat_mul(half, before));
    q = (Wide4){chosen(n.free_frame, turned.x, q.x), chosen(n.free_frame, turned.y, q.y),
                chosen(n.free_frame, turned.z, q.z), chosen(n.free_frame, turned.w, q.w)};
    move_to(c, j, v, q);
}

// What an iteration asks of vertex and frame j.
typedef struct NewtonStep {
    Wide3 by, turn;
    Wide swell;
} NewtonStep;

INLINE void move_by(NewtonLanes c, int j, NewtonStep step, Wide part) {
    const RodState *s = c.pack->state + j;
    NewtonVertex v = newton_vertex(s, c.pack->work + j, c.i, c.volume);
    v.u = add3(v.u, mul3(step.by, part));
    if (c.volume)
        v.s = within_scale(v.s + step.swell * part);
    move_to(c, j, v, newton_turn(newton_frame(s, c.i), mul3(step.turn, part)));
}

// No frame turns by more than this in an iteration, and no scale changes by more than that part.
#define TURN_MAX 0.5
#define SWELL_MAX 0.5

// The largest of all turns and relative changes of scales, squared.
typedef struct NewtonReach {
    Wide turn, swell;
} NewtonReach;

INLINE void reach(NewtonReach *most, NewtonLanes c, int j, NewtonStep step) {
    most->turn = wide_max(dot3(step.turn, step.turn), most->turn);
    if (!c.volume)
        return;
    Wide by = step.swell / load_floats(&c.pack->state[j].s[c.i]);
    most->swell = wide_max(by * by, most->swell);
}

INLINE Wide part_to_take(NewtonReach most) {
    Wide over = wide_max(most.turn / (TURN_MAX * TURN_MAX), most.swell / (SWELL_MAX * SWELL_MAX));
    return 1.0 / wide_sqrt(wide_max(over, splat(1.0)));
}
