// Internal damping (Kelvin-Voigt): every potential's force is −K (W + τ dW/dt), with the rate taken
// over the sub-step, dW/dt = (W − W₀)/h. With κ = τ/h that is
//
//     K (1 + κ) W − K κ W₀,
//
// the same potential with stiffness K (1 + κ) (prepare.c) and a shifted rest value. As eq. 28 only
// sees k W − μ, the shift is nothing but the multiplier to start from: μ₀ = h² K κ W₀. So damping
// is implicit, costs nothing in the sweep and does no work on rigid motion.
//
// Sweeps leave the volume potentials undamped: what they leave over of a constraint would be kept as
// W₀ and die out with τ only, and a rod that is damped would lose its volume. What is solved directly
// damps the volume of its segments (newton_volume_before).
#include "math/lanes.h"
#include "rod/graph.h"
#include "rod/wide.h"

INLINE Lanes4 frame_now(const RodState *s, int i) {
    return (Lanes4){load(&s->qx[i]), load(&s->qy[i]), load(&s->qz[i]), load(&s->qw[i])};
}

INLINE Lanes4 frame_before(const RodWork *u, int i) {
    return (Lanes4){load(&u->pqx[i]), load(&u->pqy[i]), load(&u->pqz[i]), load(&u->pqw[i])};
}

INLINE Lanes scale_before(const RodPack *pack, int j, int i) {
    return pack->classic ? splat(1.0f) : load(&pack->work[j].ps[i]);
}

// Less 1, with what float has rounded off it.
INLINE Lanes grown_before(const RodPack *pack, int j, int i) {
    return (load(&pack->work[j].ps[i]) - 1.0f) + load(&pack->state[j].s_rounded[i]);
}

// Segment j from vertex a to vertex b.
// Stretch and shear of sweeps, in the frame's own axes, turned with the predicted frame. What is solved
// directly finds its own (newton_before).
INLINE void warm_stretch(RodPack *pack, int j, int a, int b, int i) {
    const RodPrepared *p = pack->prepared + j;
    RodWork *u = pack->work + j;
    const RodState *xa = pack->state + a, *xb = pack->state + b;
    Lanes4 q = frame_before(u, i), now = frame_now(pack->state + j, i);
    Lanes3 d = {load(&xb->x[i]) - load(&xa->x[i]), load(&xb->y[i]) - load(&xa->y[i]),
                load(&xb->z[i]) - load(&xa->z[i])};
    Lanes3 W = sub3(d, mul3(quat_axis_z(q), load(&p->taut[i])));
    Lanes3 force = quat_rotate(quat_mul(now, quat_conjugate(q)), W);
    force = mul3(force, (1.0f - load(&pack->undamped_along[i])) * load(&p->k_stretch[i]));
    store(&u->stretch_x[i], force.x);
    store(&u->stretch_y[i], force.y);
    store(&u->stretch_z[i], force.z);
}

INLINE void warm_segment(RodPack *pack, int j, int a, int b, int i, Lanes share) {
    const RodPrepared *p = pack->prepared + j;
    RodWork *u = pack->work + j;
    if (pack->aim == NULL)
        warm_stretch(pack, j, a, b, i);
    if (pack->classic)
        return;
    Lanes grown_a = grown_before(pack, a, i), grown_b = grown_before(pack, b, i);
    store(&u->volume[i], splat(0.0f));
    store(&u->cross[i], share * load(&p->k_cross[i]) * (grown_a + grown_b));
    store(&u->gradient[i], share * load(&p->k_gradient[i]) * (grown_b - grown_a));
}

// Cosine of half the angle of a joint, below which it may be on the other side by the end of a sub-step.
#define NEAR_HALF_TURN 0.3f

// The joint in row k.
INLINE void warm_joint(RodPack *pack, int k, GraphJoint joint, int i, Lanes share) {
    const RodPrepared *p = pack->prepared + k;
    RodWork *u = pack->work + k;
    Lanes4 qp = frame_before(pack->work + joint.p, i), qa = frame_before(pack->work + joint.a, i);
    Lanes4 now_p = frame_now(pack->state + joint.p, i), now_a = frame_now(pack->state + joint.a, i);
    if (pack->turn) {
        const RodTurn *t = pack->turn + k;
        Lanes4 turn = {load(&t->x[i]), load(&t->y[i]), load(&t->z[i]), load(&t->w[i])};
        qp = quat_mul(qp, turn);
        now_p = quat_mul(now_p, turn);
        if (pack->graph == NULL) {
            qa = quat_mul(qa, quat_conjugate(turn));
            now_a = quat_mul(now_a, quat_conjugate(turn));
        }
    }

    // Near half a turn, on the side of it that the predicted frames are on: a joint that passes it must not
    // see a jump of a whole turn as a rate. Elsewhere on its own: a torque on a thin stiff rod predicts any turn.
    Lanes4 c = quat_mul(quat_conjugate(qp), qa);
    Lanes side = quat_mul(quat_conjugate(now_p), now_a).w;
    side = lanes_if_less(splat(NEAR_HALF_TURN), lanes_abs(c.w), c.w, side);
    Lanes3 angle = {lanes_flip_by(c.x + c.x, side), lanes_flip_by(c.y + c.y, side),
                    lanes_flip_by(c.z + c.z, side)};
    Lanes kb = share * load(&p->k_bend[i]), kt = share * load(&p->k_twist[i]);
    Lanes s = scale_before(pack, joint.vertex, i);
    store(&u->bend_u[i], kb * (s * angle.x));
    store(&u->bend_v[i], kb * (s * angle.y));
    store(&u->bend_w[i], kt * (s * angle.z));
    if (pack->classic)
        return;
    Lanes grown = grown_before(pack, joint.vertex, i);
    Lanes before = grown_before(pack, joint.far_p, i), after = grown_before(pack, joint.far_a, i);
    store(&u->volume_u[i], splat(0.0f));
    store(&u->volume_v[i], splat(0.0f));
    Lanes lap = after - grown - load(&p->lap_ratio[i]) * (grown - before);
    store(&u->lap[i], share * load(&p->k_lap[i]) * lap);
}

void WIDE_FUNCTION(rod_warm)(RodPack *pack) {
    const RodGraph *graph = pack->graph;
    for (int i = 0; i < pack->lanes; i += WIDE) {
        Lanes share = 1.0f - load(&pack->undamped[i]); // h²Kκ, of the prepared h²K(1 + κ)
        for (int j = 0; graph == NULL && j < pack->rows; ++j) {
            GraphJoint joint = {.p = j - 1, .a = j, .vertex = j, .far_p = j - 1, .far_a = j + 1};
            warm_segment(pack, j, j, j + 1, i, share);
            warm_joint(pack, j, joint, i, share);
        }
        if (pack->walled) {
            const int n = pack->rows;
            GraphJoint wall = {.p = n - 1, .a = n, .vertex = n, .far_p = n - 1, .far_a = n};
            warm_joint(pack, n, wall, i, share);
        }
        for (int j = 0; graph && j < graph->segments; ++j)
            warm_segment(pack, j, graph->edge[j][0], graph->edge[j][1], i, share);
        for (int k = 0; graph && k < graph->joints; ++k)
            warm_joint(pack, k, graph->joint[k], i, share);
    }
}
