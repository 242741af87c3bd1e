// The elements of a rod for Newton's method: potentials and forces as they are. Included by
// rod_newton_wide.c only.
//
// A sub-step minimises (physics.md, "A sub-step"; all of it × h², so that k = h²K)
//
//     φ = ½ ‖X − X̂‖²_A + Σ (½ k W² − μ₀ W),
//
// with μ₀ what internal damping starts from (rod_damping_wide.c), else 0. The Hessian is that of
// Gauss and Newton, A + Σ k ∇Wᵀ∇W, which is positive definite whatever the state is, plus the
// stiffness that tension gives to the direction of a segment.
#pragma once

#include "math/reals.h"
#include "rod/wide.h"

// Inertia of what is held.
#define HELD 1e30

typedef struct NewtonVertex {
    Reals3 u; // displacement
    Reals s;  // scale
} NewtonVertex;

SN_INLINE Reals newton_multiplier(const float *row, int i, bool damped) {
    return damped ? reals(row + i) : real(0.0);
}

SN_INLINE Reals4 newton_frame(const RodState *s, int i) {
    return (Reals4){reals(&s->qx[i]), reals(&s->qy[i]), reals(&s->qz[i]), reals(&s->qw[i])};
}

SN_INLINE NewtonVertex newton_vertex(const RodState *s, const RodWork *u, int i, bool volume) {
    return (NewtonVertex){{reals(&u->ux[i]), reals(&u->uy[i]), reals(&u->uz[i])},
                          volume ? reals(&s->s[i]) : real(1.0)};
}

// q turned by θ in its own axes: by 2 atan(|θ|/2), so that any θ is fine.
SN_INLINE Reals4 newton_turn(Reals4 q, Reals3 theta) {
    Reals4 half = {0.5 * theta.x, 0.5 * theta.y, 0.5 * theta.z, real(1.0)};
    return rquat_normalise(rquat_mul(q, half));
}

// Eqs 11, 12, 13 and 18 of a segment from vertex a to vertex b, scaled as in the sweep: W = d − l w,
// V = s²d − l₀w, C = s_a + s_b − 2, D = s_b − s_a.
typedef struct NewtonSegment {
    Reals3 d, a1, a2, w; // the edge, and the axes of the frame
    Reals k, kv, kc, kd;
    Reals l, l0, s;
    Reals3 f, fv; // k W − μ₀, k V
    Reals fc, fd; // the same of C and D
} NewtonSegment;

SN_INLINE NewtonSegment newton_segment(const RodPrepared *p, const RodWork *g, int i,
                                       NewtonVertex a, NewtonVertex b, Reals4 q, bool volume,
                                       bool damped) {
    NewtonSegment e;
    Reals x = q.x + q.x, y = q.y + q.y, z = q.z + q.z;
    e.a1 = (Reals3){1.0 - (y * q.y + z * q.z), x * q.y + z * q.w, x * q.z - y * q.w};
    e.a2 = (Reals3){x * q.y - z * q.w, 1.0 - (x * q.x + z * q.z), y * q.z + x * q.w};
    e.w = (Reals3){x * q.z + y * q.w, y * q.z - x * q.w, 1.0 - (x * q.x + y * q.y)};
    e.d = radd3((Reals3){reals(&g->ex[i]), reals(&g->ey[i]), reals(&g->ez[i])}, rsub3(b.u, a.u));
    e.k = reals(&p->k_stretch[i]);
    e.l = reals(&p->active[i]);
    Reals3 mu = {newton_multiplier(g->stretch_x, i, damped),
                 newton_multiplier(g->stretch_y, i, damped),
                 newton_multiplier(g->stretch_z, i, damped)};
    Reals3 W = rsub3(e.d, rmul3(e.w, e.l));
    e.f = rsub3(rmul3(W, e.k), mu);
    if (!volume)
        return e;

    e.kv = reals(&p->k_volume[i]);
    e.kc = reals(&p->k_cross[i]);
    e.kd = reals(&p->k_gradient[i]);
    e.l0 = reals(&p->length[i]);
    e.s = 0.5 * (a.s + b.s);
    Reals3 V = rsub3(rmul3(e.d, e.s * e.s), rmul3(e.w, e.l0));
    Reals C = (a.s - 1.0) + (b.s - 1.0), D = b.s - a.s;
    Reals mu_c = newton_multiplier(g->cross, i, damped);
    Reals mu_d = newton_multiplier(g->gradient, i, damped);
    e.fv = rmul3(V, e.kv);
    e.fc = e.kc * C - mu_c;
    e.fd = e.kd * D - mu_d;
    return e;
}

// Eqs 14, 19 and 20 between the frames p and a, W = 2 s b − L Ω̄ and 2 s³ b − L Ω̄ with b = Im(q̄_p q_a),
// and eqs 15 and 39, W = s_a − s − ratio (s − s_p), with the scales of the far vertices.
typedef struct NewtonJoint {
    Reals4 b;
    Reals s;
    Reals kb, kt, kv, k_lap, ratio;
    Reals3 f;     // k W − μ₀
    Reals fu, fv; // of eqs 19 and 20
    Reals f_lap;
} NewtonJoint;

SN_INLINE NewtonJoint newton_joint(const RodPrepared *p, const RodWork *g, int i, Reals4 qp,
                                   Reals4 qa, Reals sp, Reals s, Reals sa, bool volume,
                                   bool damped) {
    NewtonJoint e;
    e.b = rquat_between(qp, qa);
    e.s = s;
    e.kb = reals(&p->k_bend[i]);
    e.kt = reals(&p->k_twist[i]);
    Reals3 mu = {newton_multiplier(g->bend_u, i, damped), newton_multiplier(g->bend_v, i, damped),
                 newton_multiplier(g->bend_w, i, damped)};
    Reals3 rest = {reals(&p->rest_u[i]), reals(&p->rest_v[i]), reals(&p->rest_w[i])};
    Reals3 bent = {(e.b.x + e.b.x) * s, (e.b.y + e.b.y) * s, (e.b.z + e.b.z) * s};
    Reals3 W = rsub3(bent, rest);
    e.f = (Reals3){e.kb * W.x - mu.x, e.kb * W.y - mu.y, e.kt * W.z - mu.z};
    if (!volume)
        return e;

    e.kv = reals(&p->k_volume_bend[i]);
    Reals U = s * s * bent.x - rest.x, V = s * s * bent.y - rest.y;
    e.fu = e.kv * U;
    e.fv = e.kv * V;
    e.k_lap = reals(&p->k_lap[i]);
    e.ratio = reals(&p->lap_ratio[i]);
    Reals mu_lap = newton_multiplier(g->lap, i, damped);
    Reals lap = sa - s - e.ratio * (s - sp);
    e.f_lap = e.k_lap * lap - mu_lap;
    return e;
}

// Where a vertex and a frame would go alone, and what keeps them there.
typedef struct NewtonInertia {
    Reals mass, scale, turn, roll; // 0 where it is held
    Reals free, free_scale, free_frame;
} NewtonInertia;

SN_INLINE NewtonInertia newton_inertia(const RodPrepared *p, const RodRest *r, int i) {
    Reals zero = real(0.0), one = real(1.0);
    NewtonInertia n;
    n.free = reals_if_less(zero, reals(&p->m[i]), one, zero);
    n.free_scale = reals_if_less(zero, reals(&p->m_scale[i]), one, zero);
    n.free_frame = reals_if_less(zero, reals(&p->m_turn[i]), one, zero);
    n.mass = n.free * reals(&r->mass[i]);
    n.scale = n.free_scale * reals(&r->scale_inertia[i]);
    n.turn = n.free_frame * reals(&r->frame_inertia[i]);
    n.roll = n.free_frame * reals(&r->spin_inertia[i]);
    return n;
}

SN_INLINE NewtonVertex newton_aim(const RodAim *aim, int i, bool volume) {
    return (NewtonVertex){{reals(&aim->ux[i]), reals(&aim->uy[i]), reals(&aim->uz[i])},
                          volume ? reals(&aim->s[i]) : real(1.0)};
}

// The turn from where the frame would go alone: 2 Im(conj(q̂) q).
SN_INLINE Reals4 newton_turned(const RodAim *aim, int i, Reals4 q) {
    return rquat_between(
        (Reals4){reals(&aim->qx[i]), reals(&aim->qy[i]), reals(&aim->qz[i]), reals(&aim->qw[i])},
        q);
}
