// The elements of a rod for Newton's method: potentials and forces as they are. Included by
// the rod_newton*_wide.c files only.
//
// A sub-step minimises (physics.md, "A sub-step"; all of it × h², so that k = h²K)
//
//     φ = ½ ‖X − X̂‖²_A + Σ (½ k W² − μ₀ W),
//
// with μ₀ what internal damping starts from (rod_damping_wide.c), else 0. The Hessian is that of
// Gauss and Newton, A + Σ k ∇Wᵀ∇W, which is positive definite whatever the state is, plus the
// stiffness that tension gives to the direction of a segment.
#pragma once

#include "math/lanes_double.h"
#include "rod/wide.h"

// Inertia of what is held.
#define HELD 1e30

typedef struct NewtonVertex {
    Wide3 u; // displacement
    Wide s;  // scale
} NewtonVertex;

INLINE Wide newton_multiplier(const float *row, int i, bool damped) {
    return damped ? load_floats(row + i) : splat(0.0);
}

INLINE Wide4 newton_frame(const RodState *s, int i) {
    return (Wide4){load_floats(&s->qx[i]), load_floats(&s->qy[i]), load_floats(&s->qz[i]),
                   load_floats(&s->qw[i])};
}

INLINE NewtonVertex newton_vertex(const RodState *s, const RodWork *u, int i, bool volume) {
    return (NewtonVertex){{load_floats(&u->ux[i]), load_floats(&u->uy[i]), load_floats(&u->uz[i])},
                          volume ? load_floats(&s->s[i]) : splat(1.0)};
}

// q turned by θ in its own axes: by 2 atan(|θ|/2), so that any θ is fine.
INLINE Wide4 newton_turn(Wide4 q, Wide3 theta) {
    Wide4 half = {0.5 * theta.x, 0.5 * theta.y, 0.5 * theta.z, splat(1.0)};
    return quat_normalise(quat_mul(q, half));
}

// Eqs 11, 12, 13 and 18 of a segment from vertex a to vertex b, scaled as in the sweep: W = d − l w,
// V = s²d − l₀w, C = s_a + s_b − 2, D = s_b − s_a.
typedef struct NewtonSegment {
    Wide3 d, a1, a2, w; // the edge, and the axes of the frame
    Wide k, kv, kc, kd;
    Wide l, l0, s;
    Wide3 f, fv; // k W − μ₀, k V
    Wide fc, fd; // the same of C and D
} NewtonSegment;

INLINE NewtonSegment newton_segment(const RodPrepared *p, const RodWork *g, int i, NewtonVertex a,
                                    NewtonVertex b, Wide4 q, bool volume, bool damped) {
    NewtonSegment e;
    Wide x = q.x + q.x, y = q.y + q.y, z = q.z + q.z;
    e.a1 = (Wide3){1.0 - (y * q.y + z * q.z), x * q.y + z * q.w, x * q.z - y * q.w};
    e.a2 = (Wide3){x * q.y - z * q.w, 1.0 - (x * q.x + z * q.z), y * q.z + x * q.w};
    e.w = (Wide3){x * q.z + y * q.w, y * q.z - x * q.w, 1.0 - (x * q.x + y * q.y)};
    e.d = add3((Wide3){load_floats(&g->ex[i]), load_floats(&g->ey[i]), load_floats(&g->ez[i])},
               sub3(b.u, a.u));
    e.k = load_floats(&p->k_stretch[i]);
    e.l = load_floats(&p->active[i]);
    Wide3 mu = {newton_multiplier(g->stretch_x, i, damped),
                newton_multiplier(g->stretch_y, i, damped),
                newton_multiplier(g->stretch_z, i, damped)};
    Wide3 W = sub3(e.d, mul3(e.w, e.l));
    e.f = sub3(mul3(W, e.k), mu);
    if (!volume)
        return e;

    e.kv = load_floats(&p->k_volume[i]);
    e.kc = load_floats(&p->k_cross[i]);
    e.kd = load_floats(&p->k_gradient[i]);
    e.l0 = load_floats(&p->length[i]);
    e.s = 0.5 * (a.s + b.s);
    Wide3 V = sub3(mul3(e.d, e.s * e.s), mul3(e.w, e.l0));
    Wide C = (a.s - 1.0) + (b.s - 1.0), D = b.s - a.s;
    Wide mu_c = newton_multiplier(g->cross, i, damped);
    Wide mu_d = newton_multiplier(g->gradient, i, damped);
    e.fv = mul3(V, e.kv);
    e.fc = e.kc * C - mu_c;
    e.fd = e.kd * D - mu_d;
    return e;
}

// Eqs 14, 19 and 20 between the frames p and a, W = 2 s b − L Ω̄ and 2 s³ b − L Ω̄ with b = Im(q̄_p q_a),
// and eqs 15 and 39, W = s_a − s − ratio (s − s_p), with the scales of the far vertices.
typedef struct NewtonJoint {
    Wide4 b;
    Wide3 turn[3]; // of creatures: the axes of the rest rotation r̄, by which p is turned before
    Wide s;
    Wide kb, kt, kv, k_lap, ratio;
    Wide3 f;     // k W − μ₀
    Wide fu, fv; // of eqs 19 and 20
    Wide f_lap;
} NewtonJoint;

INLINE NewtonJoint newton_joint(const RodPrepared *p, const RodWork *g, int i, Wide4 qp, Wide4 qa,
                                Wide sp, Wide s, Wide sa, bool volume, bool damped) {
    NewtonJoint e;
    e.b = quat_between(qp, qa);
    e.s = s;
    e.kb = load_floats(&p->k_bend[i]);
    e.kt = load_floats(&p->k_twist[i]);
    Wide3 mu = {newton_multiplier(g->bend_u, i, damped), newton_multiplier(g->bend_v, i, damped),
                newton_multiplier(g->bend_w, i, damped)};
    Wide3 rest = {load_floats(&p->rest_u[i]), load_floats(&p->rest_v[i]),
                  load_floats(&p->rest_w[i])};
    Wide3 bent = {(e.b.x + e.b.x) * s, (e.b.y + e.b.y) * s, (e.b.z + e.b.z) * s};
    Wide3 W = sub3(bent, rest);
    e.f = (Wide3){e.kb * W.x - mu.x, e.kb * W.y - mu.y, e.kt * W.z - mu.z};
    if (!volume)
        return e;

    e.kv = load_floats(&p->k_volume_bend[i]);
    Wide U = s * s * bent.x - rest.x, V = s * s * bent.y - rest.y;
    e.fu = e.kv * U;
    e.fv = e.kv * V;
    e.k_lap = load_floats(&p->k_lap[i]);
    e.ratio = load_floats(&p->lap_ratio[i]);
    Wide mu_lap = newton_multiplier(g->lap, i, damped);
    Wide lap = sa - s - e.ratio * (s - sp);
    e.f_lap = e.k_lap * lap - mu_lap;
    return e;
}

// Where a vertex and a frame would go alone, and what keeps them there.
typedef struct NewtonInertia {
    Wide mass, scale, turn, roll; // 0 where it is held
    Wide free, free_scale, free_frame;
} NewtonInertia;

INLINE NewtonInertia newton_inertia(const RodPrepared *p, const RodRest *r, int i) {
    Wide zero = splat(0.0), one = splat(1.0);
    NewtonInertia n;
    n.free = wide_if_less(zero, load_floats(&p->m[i]), one, zero);
    n.free_scale = wide_if_less(zero, load_floats(&p->m_scale[i]), one, zero);
    n.free_frame = wide_if_less(zero, load_floats(&p->m_turn[i]), one, zero);
    n.mass = n.free * load_floats(&r->mass[i]);
    n.scale = n.free_scale * load_floats(&r->scale_inertia[i]);
    n.turn = n.free_frame * load_floats(&r->frame_inertia[i]);
    n.roll = n.free_frame * load_floats(&r->spin_inertia[i]);
    return n;
}

INLINE NewtonVertex newton_aim(const RodAim *aim, int i, bool volume) {
    return (NewtonVertex){
        {load_floats(&aim->ux[i]), load_floats(&aim->uy[i]), load_floats(&aim->uz[i])},
        volume ? load_floats(&aim->s[i]) : splat(1.0)};
}

// The turn from where the frame would go alone: 2 Im(conj(q̂) q).
INLINE Wide4 newton_turned(const RodAim *aim, int i, Wide4 q) {
    return quat_between((Wide4){load_floats(&aim->qx[i]), load_floats(&aim->qy[i]),
                                load_floats(&aim->qz[i]), load_floats(&aim->qw[i])},
                        q);
}
