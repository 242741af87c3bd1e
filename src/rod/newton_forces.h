// The forces of Newton's method, −∇φ × h². Included by the files of the method only.
//
// An element lies between two stations (newton_front.h): what it does to the unknowns of the first
// one goes to `a`, what it does to those behind to `b`.
#pragma once

#include "rod/newton.h"

// So many lanes have forces: elimination in float reads WIDE at a time.
INLINE int lanes_with_forces(const RodPack *pack) { return (pack->lanes + WIDE - 1) / WIDE * WIDE; }

INLINE void pull_by_segment(Number a[UNKNOWNS], Number b[BEHIND], const NewtonSegment *e,
                            bool volume, bool damped) {
    Number pull = e->f;
    if (volume)
        pull += e->fv * (e->s * e->s);
    Number about = e->shear + e->turned;
    // Shear with `off`, of which the torque is made, too: both have its rounding, and it spins nothing up.
    Number3 off = newton_off(e->d, e->w, e->length);
    Number3 force = add3(mul3(e->n, pull), mul3(off, e->shear * e->over_length));
    if (e->any_turned)
        force = sub3(force, mul3(e->w, e->turned));
    if (damped) {
        about += e->mu.z;
        force = sub3(force, mul3(e->w, e->mu.z));
    }
    // d along the axes, which turn with the frame.
    Number d1 = dot3(e->a1, off), d2 = dot3(e->a2, off);
    if (damped) {
        Number t = dot3(e->w, e->d);
        force = sub3(force, add3(mul3(e->a1, e->mu.x), mul3(e->a2, e->mu.y)));
        a[T] += e->mu.y * t;
        a[T + 1] -= e->mu.x * t;
        a[T + 2] += e->mu.x * d2 - e->mu.y * d1;
    }
    const Number F[3] = {force.x, force.y, force.z};
    EACH(k, 0, 3) {
        a[X + k] += F[k];
        b[X + k] -= F[k];
    }
    a[T] -= about * d2;
    a[T + 1] += about * d1;
    if (!volume)
        return;
    Number squeeze = e->s * (e->length * e->fv) + e->fc;
    a[S] -= squeeze - e->fd;
    b[S] -= squeeze + e->fd;
}

INLINE void pull_by_joint(Number a[UNKNOWNS], Number b[BEHIND], const NewtonJoint *e,
                          NewtonLanes at) {
    Number s = e->s, s2 = s * s;
    Number3 torque = mul3(e->f, s), axis = {e->b.x, e->b.y, e->b.z};
    if (at.volume) {
        torque.x += s2 * s * e->fu;
        torque.y += s2 * s * e->fv;
    }
    Number3 straight = mul3(torque, e->b.w), sideways = cross3(axis, torque);
    Number3 back = add3(straight, sideways), forth = sub3(sideways, straight);
    if (at.turned)
        back = rotate(back, e->turn);
    if (at.halved)
        forth = rotate_back(forth, e->turn);
    a[T] += back.x;
    a[T + 1] += back.y;
    a[T + 2] += back.z;
    b[T] += forth.x;
    b[T + 1] += forth.y;
    b[T + 2] += forth.z;
    if (!at.volume)
        return;
    Number bulge = 6.0f * (s2 * (axis.x * e->fu + axis.y * e->fv));
    a[S] -= e->ratio * e->f_lap;
    b[S] += (1.0f + e->ratio) * e->f_lap - (2.0f * dot3(axis, e->f) + bulge);
    b[SS] -= e->f_lap;
}

// Towards where the vertex and the frame would go alone. Turns τ of the sub-step and τ̂ of the aim are
// compared as they are counted, by rod_finish_wide.c too. The inertia is that at the start of the sub-step, by which torques were made
// turns, and the torque turns with the frame. So what is along the rod stays along it: a torque there
// would turn a light frame far, if the rod did not withstand it, and seen across, with an inertia that is
// hundreds of times larger, rods under torques would whirl.
INLINE void pull_frame(Number a[UNKNOWNS], NewtonLanes c, int j, NewtonInertia n, Number4 q) {
    const RodAim *aim = c.pack->aim + j;
    Number3 turn = newton_turn_since(newton_frame_before(c.pack->work + j, c.i), q);
    a[T] -= n.turn * (turn.x - load_row(&aim->own_x[c.i]));
    a[T + 1] -= n.turn * (turn.y - load_row(&aim->own_y[c.i]));
    a[T + 2] -= n.roll * (turn.z - load_row(&aim->own_z[c.i]));
}

INLINE void pull_vertex(Number a[UNKNOWNS], NewtonLanes c, int j, NewtonInertia n, Number3 u) {
    const RodAim *aim = c.pack->aim + j;
    Number3 off = mul3(sub3(u, newton_aim(aim, c.i)), n.mass);
    a[X] -= off.x;
    a[X + 1] -= off.y;
    a[X + 2] -= off.z;
    if (c.volume)
        a[S] -= n.scale * (load_row(&c.pack->work[j].us[c.i]) - load_row(&aim->us[c.i]));
}
