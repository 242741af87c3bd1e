// What the elements of a rod add to the stations of newton_front.h. Included by the
// rod_newton*_wide.c files only.
#pragma once

#include "rod/newton_front.h"

// H += Jᵀ κ J with J = b₀ + [b]× (side 1) or −(b₀ − [b]×) (side −1), a joint's gradient for its later
// and its earlier frame; and the mixed part, of the earlier with the later.
INLINE void turn_rows(Wide4 b, double side, Wide rows[3][3]) {
    Wide x = b.x, y = b.y, z = b.z, w = side * b.w;
    rows[0][0] = w, rows[0][1] = -z, rows[0][2] = y;
    rows[1][0] = z, rows[1][1] = w, rows[1][2] = -x;
    rows[2][0] = -y, rows[2][1] = x, rows[2][2] = w;
}

INLINE Wide weighted(const Wide a[3][3], int p, const Wide kb[3][3], int q) {
    return a[0][p] * kb[0][q] + a[1][p] * kb[1][q] + a[2][p] * kb[2][q];
}

INLINE void scale_rows(const Wide rows[3][3], Wide bend, Wide twist, Wide out[3][3]) {
    for (int c = 0; c < 3; ++c) {
        out[0][c] = bend * rows[0][c];
        out[1][c] = bend * rows[1][c];
        out[2][c] = twist * rows[2][c];
    }
}

INLINE void add_segment(Front *f, Rest *next, const NewtonSegment *e, bool volume) {
    Wide3 force = e->f;
    Wide3 lever = mul3(e->f, e->l);
    Wide k_across = e->k, b = e->k * e->l, c = b * e->l;
    if (volume) {
        Wide s2 = e->s * e->s;
        force = add3(force, mul3(e->fv, s2));
        lever = add3(lever, mul3(e->fv, e->l0));
        k_across += e->kv * (s2 * s2);
        b += e->kv * s2 * e->l0;
        c += e->kv * e->l0 * e->l0;
    }
    c += wide_max(dot3(e->w, lever), splat(0.0));
    const Wide F[3] = {force.x, force.y, force.z};
    const Wide a1[3] = {e->a1.x, e->a1.y, e->a1.z}, a2[3] = {e->a2.x, e->a2.y, e->a2.z};
    EACH(k, 0, 3) {
        f->r[X + k] += F[k];
        next->r[X + k] -= F[k];
        f->A[X + k][X + k] += k_across;
        f->B[X + k][X + k] -= k_across;
        next->A[X + k][X + k] += k_across;
        Wide b1 = b * a1[k], b2 = b * a2[k];
        f->A[X + k][T] -= b2;
        f->A[X + k][T + 1] += b1;
        f->B[T][X + k] += b2;
        f->B[T + 1][X + k] -= b1;
    }
    f->r[T] -= dot3(e->a2, lever);
    f->r[T + 1] += dot3(e->a1, lever);
    f->A[T][T] += c;
    f->A[T + 1][T + 1] += c;
    if (!volume)
        return;

    Wide kv_s = e->kv * e->s, kv_s3 = kv_s * (e->s * e->s);
    const Wide d[3] = {e->d.x, e->d.y, e->d.z};
    EACH(k, 0, 3) {
        Wide g = kv_s3 * d[k];
        f->A[X + k][S] -= g;
        f->B[X + k][S] -= g;
        f->B[S][X + k] += g;
        next->A[X + k][S] += g;
    }
    Wide h = kv_s * e->l0, h1 = h * dot3(e->a1, e->d), h2 = h * dot3(e->a2, e->d);
    f->A[T][S] += h2;
    f->B[T][S] += h2;
    f->A[T + 1][S] -= h1;
    f->B[T + 1][S] -= h1;
    Wide v = kv_s * e->s * dot3(e->d, e->d) + e->kc;
    f->A[S][S] += v + e->kd;
    f->B[S][S] += v - e->kd;
    next->A[S][S] += v + e->kd;
    Wide squeeze = e->s * dot3(e->d, e->fv) + e->fc;
    f->r[S] -= squeeze - e->fd;
    next->r[S] -= squeeze + e->fd;
}

INLINE Wide3 rotate(Wide3 v, const Wide3 axes[3]) {
    return add3(add3(mul3(axes[0], v.x), mul3(axes[1], v.y)), mul3(axes[2], v.z));
}

// Rows for turns of q r̄ become rows for turns of q: a turn θ of q is R(r̄)ᵀ θ of q r̄.
INLINE void turn_back(Wide rows[3][3], const Wide3 axes[3]) {
    for (int k = 0; k < 3; ++k) {
        Wide3 row = rotate((Wide3){rows[k][0], rows[k][1], rows[k][2]}, axes);
        rows[k][0] = row.x, rows[k][1] = row.y, rows[k][2] = row.z;
    }
}

// `turned`: with the rest rotation of a creature's joint.
INLINE void add_joint(Front *f, Rest *next, const NewtonJoint *e, bool volume, bool turned) {
    Wide s = e->s, bend = e->kb * (s * s), twist = e->kt * (s * s);
    Wide3 torque = mul3(e->f, s), b = {e->b.x, e->b.y, e->b.z};
    if (volume) {
        Wide s3 = s * s * s;
        bend += e->kv * (s3 * s3);
        torque.x += s3 * e->fu;
        torque.y += s3 * e->fv;
    }
    Wide3 straight = mul3(torque, e->b.w), sideways = cross3(b, torque);
    Wide3 back = add3(straight, sideways);
    if (turned)
        back = rotate(back, e->turn);
    const Wide to_p[3] = {back.x, back.y, back.z};
    const Wide to_a[3] = {sideways.x - straight.x, sideways.y - straight.y,
                          sideways.z - straight.z};
    Wide P[3][3], A[3][3], KP[3][3], KA[3][3];
    turn_rows(e->b, -1.0, P);
    turn_rows(e->b, 1.0, A);
    if (turned)
        turn_back(P, e->turn);
    scale_rows(P, bend, twist, KP);
    scale_rows(A, bend, twist, KA);
    EACH(k, 0, 3) {
        f->r[T + k] += to_p[k];
        next->r[T + k] += to_a[k];
        for (int m = 0; m < 3; ++m) {
            if (m >= k) {
                f->A[T + k][T + m] += weighted(P, k, KP, m);
                next->A[T + k][T + m] += weighted(A, k, KA, m);
            }
            f->B[T + k][T + m] += weighted(P, k, KA, m);
        }
    }
    if (!volume)
        return;

    Wide s5 = s * s * (s * s) * s;
    Wide by_bend = 2.0 * (e->kb * s) + 6.0 * (e->kv * s5), by_twist = 2.0 * (e->kt * s);
    const Wide pull[3] = {by_bend * b.x, by_bend * b.y, by_twist * b.z};
    EACH(k, 0, 3) {
        f->B[T + k][S] += P[0][k] * pull[0] + P[1][k] * pull[1] + P[2][k] * pull[2];
        next->A[T + k][S] += A[0][k] * pull[0] + A[1][k] * pull[1] + A[2][k] * pull[2];
    }
    Wide both = b.x * b.x + b.y * b.y, s2 = s * s;
    Wide ratio = e->ratio, middle = 1.0 + ratio, k_lap = e->k_lap;
    next->A[S][S] += 4.0 * (e->kb * both + e->kt * (b.z * b.z)) +
                     36.0 * (e->kv * (s2 * s2) * both) + k_lap * (middle * middle);
    next->r[S] -= 2.0 * dot3(b, e->f) + 6.0 * (s2 * (b.x * e->fu + b.y * e->fv));
    next->r[S] += middle * e->f_lap;
    f->r[S] -= ratio * e->f_lap;
    next->r[SS] -= e->f_lap;
    f->A[S][S] += k_lap * (ratio * ratio);
    f->B[S][S] -= k_lap * (ratio * middle);
    f->B[S][SS] += k_lap * ratio;
    next->A[S][SS] -= k_lap * middle;
    next->A[SS][SS] += k_lap;
}

INLINE void add_inertia(Front *f, const RodAim *aim, NewtonInertia n, int i, NewtonVertex v,
                        Wide4 q, bool volume) {
    Wide one = splat(1.0);
    Wide mass = n.mass + HELD * (one - n.free), held = HELD * (one - n.free_frame);
    EACH(k, 0, 3) {
        f->A[X + k][X + k] += mass;
        f->A[T + k][T + k] += held;
    }
    if (volume)
        f->A[S][S] += n.scale + HELD * (one - n.free_scale);
    NewtonVertex to = newton_aim(aim, i, volume);
    Wide3 off = sub3(v.u, to.u);
    f->r[X] -= n.mass * off.x;
    f->r[X + 1] -= n.mass * off.y;
    f->r[X + 2] -= n.mass * off.z;
    if (volume)
        f->r[S] -= n.scale * (v.s - to.s);
    Wide4 t = newton_turned(aim, i, q);
    Wide J[3][3], KJ[3][3];
    turn_rows(t, 1.0, J);
    scale_rows(J, n.turn, n.roll, KJ);
    const Wide turned[3] = {2.0 * t.x, 2.0 * t.y, 2.0 * t.z};
    EACH(k, 0, 3) {
        f->r[T + k] -= KJ[0][k] * turned[0] + KJ[1][k] * turned[1] + KJ[2][k] * turned[2];
        for (int m = k; m < 3; ++m)
            f->A[T + k][T + m] += weighted(J, k, KJ, m);
    }
}
