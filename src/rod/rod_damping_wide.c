// Internal damping (Kelvin-Voigt): every potential's force is −K (W + τ dW/dt), with the rate taken
// over the sub-step, dW/dt = (W − W₀)/h. With κ = τ/h that is
//
//     K (1 + κ) W − K κ W₀,
//
// the same potential with stiffness K (1 + κ) (prepare.c) and a shifted rest value. As eq. 28 only
// sees k W − μ, the shift is nothing but the multiplier to start from: μ₀ = h² K κ W₀. So damping
// is implicit, costs nothing in the sweep and does no work on rigid motion.
//
// The volume potentials are left undamped: what the sweeps leave over of a constraint would be kept
// as W₀ and die out with τ only, and a rod that is damped would lose its volume.
#include "math/lanes.h"
#include "rod/wide.h"

typedef struct Before {
    Lanes3 x;
    Lanes s;
    Lanes4 q;
} Before;

SN_INLINE Before before(const RodPack *pack, int j, int i) {
    const RodWork *u = pack->work + j;
    const RodState *s = pack->state + j;
    Before b = {{load(&s->x[i]), load(&s->y[i]), load(&s->z[i])},
                pack->classic ? splat(1.0f) : load(&u->ps[i]),
                {load(&u->pqx[i]), load(&u->pqy[i]), load(&u->pqz[i]), load(&u->pqw[i])}};
    return b;
}

SN_INLINE Lanes4 frame_now(const RodState *s, int i) {
    return (Lanes4){load(&s->qx[i]), load(&s->qy[i]), load(&s->qz[i]), load(&s->qw[i])};
}

SN_INLINE void warm_row(RodPack *pack, int j, int i, Lanes share) {
    const RodPrepared *p = pack->prepared + j;
    const RodState *s = pack->state + j;
    RodWork *u = pack->work + j;
    Before prev = before(pack, j - 1, i), a = before(pack, j, i), b = before(pack, j + 1, i);
    Lanes4 now = frame_now(s, i), now_prev = frame_now(s - 1, i);

    // Stretch and shear, in the frame's own axes, turned with the predicted frame.
    Lanes3 w = quat_axis_z(a.q);
    Lanes3 W = sub3(sub3(b.x, a.x), mul3(w, load(&p->active[i])));
    Lanes3 force = quat_rotate(quat_mul(now, quat_conjugate(a.q)), W);
    force = mul3(force, share * load(&p->k_stretch[i]));
    store(&u->stretch_x[i], force.x);
    store(&u->stretch_y[i], force.y);
    store(&u->stretch_z[i], force.z);

    // On the side of half a turn that the predicted frames are on: a joint that passes it must not
    // see a jump of a whole turn as a rate.
    Lanes4 c = quat_mul(quat_conjugate(prev.q), a.q);
    Lanes side = quat_mul(quat_conjugate(now_prev), now).w;
    Lanes3 angle = {lanes_flip_by(c.x + c.x, side), lanes_flip_by(c.y + c.y, side),
                    lanes_flip_by(c.z + c.z, side)};
    Lanes3 rest = {load(&p->rest_u[i]), load(&p->rest_v[i]), load(&p->rest_w[i])};
    Lanes kb = share * load(&p->k_bend[i]), kt = share * load(&p->k_twist[i]);
    store(&u->bend_u[i], kb * (a.s * angle.x - rest.x));
    store(&u->bend_v[i], kb * (a.s * angle.y - rest.y));
    store(&u->bend_w[i], kt * (a.s * angle.z - rest.z));
    if (pack->classic)
        return;

    Lanes zero = splat(0.0f);
    store(&u->volume[i], zero);
    store(&u->volume_u[i], zero);
    store(&u->volume_v[i], zero);
    store(&u->cross[i], share * load(&p->k_cross[i]) * (a.s + b.s - 2.0f));
    store(&u->gradient[i], share * load(&p->k_gradient[i]) * (b.s - a.s));
    Lanes lap = b.s - a.s - load(&p->lap_ratio[i]) * (a.s - prev.s);
    store(&u->lap[i], share * load(&p->k_lap[i]) * lap);
}

void SN_WIDE_FUNCTION(rod_warm)(RodPack *pack, float h) {
    for (int j = 0; j < pack->rows; ++j) {
        for (int i = 0; i < pack->lanes; i += SN_WIDE) {
            Lanes tau = load(&pack->damping[i]);
            warm_row(pack, j, i, tau / (h + tau)); // h²Kκ as a share of the prepared h²K(1 + κ)
        }
    }
}
