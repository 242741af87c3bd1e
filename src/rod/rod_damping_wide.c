// Internal damping (Kelvin-Voigt): every potential's force is −K (W + τ dW/dt), with the rate taken
// over the sub-step, dW/dt = (W − W₀)/h. With κ = τ/h that is
//
//     K (1 + κ) W − K κ W₀,
//
// the same potential with stiffness K (1 + κ) (prepare.c) and a shifted rest value. As eq. 28 only
// sees k W − μ, the shift is nothing but the multiplier to start from: μ₀ = h² K κ W₀. So damping
// is implicit, costs nothing in the sweep and does no work on rigid motion.
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

SN_INLINE void warm_row(RodPack *pack, int j, int i, Lanes share) {
    const RodPrepared *p = pack->prepared + j;
    const RodState *s = pack->state + j;
    RodWork *u = pack->work + j;
    Before prev = before(pack, j - 1, i), a = before(pack, j, i), b = before(pack, j + 1, i);

    // Stretch and shear, in the frame's own axes, turned with the predicted frame.
    Lanes3 d = sub3(b.x, a.x);
    Lanes3 w = quat_axis_z(a.q);
    Lanes mean = 0.5f * (a.s + b.s);
    Lanes s2 = mean * mean;
    Lanes k = load(&p->k_stretch[i]);
    Lanes kv = pack->classic ? splat(0.0f) : load(&p->k_volume[i]);
    Lanes k_across = k + s2 * s2 * kv;
    Lanes3 W = sub3(d, mul3(w, load(&p->active[i])));
    Lanes W_along = dot3(w, W);
    Lanes3 force = add3(mul3(W, k_across), mul3(w, (k - k_across) * W_along));
    Lanes4 now = {load(&s->qx[i]), load(&s->qy[i]), load(&s->qz[i]), load(&s->qw[i])};
    force = mul3(quat_rotate(quat_mul(now, quat_conjugate(a.q)), force), share);
    store(&u->stretch_x[i], force.x);
    store(&u->stretch_y[i], force.y);
    store(&u->stretch_z[i], force.z);

    Lanes4 c = quat_mul(quat_conjugate(prev.q), a.q);
    Lanes3 angle = {lanes_flip_by(c.x + c.x, c.w), lanes_flip_by(c.y + c.y, c.w),
                    lanes_flip_by(c.z + c.z, c.w)};
    Lanes3 rest = {load(&p->rest_u[i]), load(&p->rest_v[i]), load(&p->rest_w[i])};
    Lanes kb = share * load(&p->k_bend[i]), kt = share * load(&p->k_twist[i]);
    store(&u->bend_u[i], kb * (a.s * angle.x - rest.x));
    store(&u->bend_v[i], kb * (a.s * angle.y - rest.y));
    store(&u->bend_w[i], kt * (a.s * angle.z - rest.z));
    if (pack->classic)
        return;

    Lanes s3 = a.s * a.s * a.s;
    Lanes kvb = share * load(&p->k_volume_bend[i]);
    store(&u->volume[i], share * kv * (s2 * dot3(w, d) - load(&p->length[i])));
    store(&u->volume_u[i], kvb * (s3 * angle.x - rest.x));
    store(&u->volume_v[i], kvb * (s3 * angle.y - rest.y));
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
