// The sweep: one Gauss-Seidel pass of eq. 28 over the rows of a pack.
//
// Every constraint W with stiffness K keeps a multiplier μ = h²λ. With k = h²K and
// G = ∇W A⁻¹ ∇Wᵀ, eq. 28 (with its bracket put right) reads
//
//     Δμ = (k W − μ) / (1 + k G),   ΔX = −A⁻¹ ∇Wᵀ Δμ,
//
// which holds for k = 0 and for k → ∞ alike and has neither h nor compliance in the loop. Where G
// does not depend on the state, the gain g = 1 / (1 + k G) is prepared. docs/physics.md derives the
// blocks.
#include "math/lanes.h"
#include "rod/wide.h"

// Rotations of one update stay below this (half angle, per axis), so that the polynomial below
// keeps frames normalised. Only a rod that was torn out of shape within one sub-step gets there.
#define HALF_ANGLE_MAX 0.4f

// The clamped half turn and the norm's series 1/√(1 + t²); the next prediction normalises exactly.
SN_INLINE Lanes3 clamp_turn(Lanes3 t) {
    t.x = lanes_clamp(t.x, -HALF_ANGLE_MAX, HALF_ANGLE_MAX);
    t.y = lanes_clamp(t.y, -HALF_ANGLE_MAX, HALF_ANGLE_MAX);
    t.z = lanes_clamp(t.z, -HALF_ANGLE_MAX, HALF_ANGLE_MAX);
    return t;
}

SN_INLINE Lanes inverse_norm(Lanes3 t) {
    Lanes n = dot3(t, t);
    return 1.0f + n * (0.375f * n - 0.5f);
}

// q turned by the half turn t in world axes: (t, 1) q / |(t, 1)|.
SN_INLINE Lanes4 turn_in_world(Lanes4 q, Lanes3 t) {
    t = clamp_turn(t);
    Lanes c = inverse_norm(t);
    return (Lanes4){c * (q.x + t.x * q.w + t.y * q.z - t.z * q.y),
                    c * (q.y + t.y * q.w + t.z * q.x - t.x * q.z),
                    c * (q.z + t.z * q.w + t.x * q.y - t.y * q.x),
                    c * (q.w - t.x * q.x - t.y * q.y - t.z * q.z)};
}

// q turned by the half turn t in its own axes: q (t, 1) / |(t, 1)|.
SN_INLINE Lanes4 turn_in_body(Lanes4 q, Lanes3 t) {
    t = clamp_turn(t);
    Lanes c = inverse_norm(t);
    return (Lanes4){c * (q.x + q.w * t.x + q.y * t.z - q.z * t.y),
                    c * (q.y + q.w * t.y + q.z * t.x - q.x * t.z),
                    c * (q.z + q.w * t.z + q.x * t.y - q.y * t.x),
                    c * (q.w - q.x * t.x - q.y * t.y - q.z * t.z)};
}

// A fresh multiplier is 0, whatever its memory says; the axial pass has set those of the stretch.
SN_INLINE Lanes multiplier(const float *row, int i, bool fresh) {
    return fresh ? splat(0.0f) : load(row + i);
}

SN_INLINE Lanes4 load_frame(const RodState *s, int i) {
    return (Lanes4){load(&s->qx[i]), load(&s->qy[i]), load(&s->qz[i]), load(&s->qw[i])};
}

SN_INLINE void store_frame(RodState *s, int i, Lanes4 q) {
    store(&s->qx[i], q.x);
    store(&s->qy[i], q.y);
    store(&s->qz[i], q.z);
    store(&s->qw[i], q.w);
}

SN_INLINE void store_displacement(RodWork *u, int i, Lanes3 x) {
    store(&u->ux[i], x.x);
    store(&u->uy[i], x.y);
    store(&u->uz[i], x.z);
}

// Stretch and shear, eq. 11 × l:  W = d − l w,  d = x_b − x_a,  w the tangent of the frame.
//     ∂W/∂x = ∓1,  ∂W/∂θ = l [w]×,  G = m_a + m_b + l² m_frame (1 − w wᵀ).
// G has w as an axis, so the 3×3 block is solved exactly along and across w. Eq. 18 × l, volume, is
//     W = s² d − l w,  s the mean of both ends;
// across w it is eq. 11 again with stiffness s⁴, so only its component along w is a constraint of
// its own: W = s² w·d − l, with ∂W/∂x = ∓s²w, ∂W/∂s_a = ∂W/∂s_b = s w·d =: γ.
// The cross-section, eq. 12 × 2, W = s_a + s_b − 2, pulls the same two scales the other way, so both are
// solved together, a 2×2 block with G_vv = s⁴(m_a + m_b) + γ²M, G_vc = γM, G_cc = M, M the sum of
// the scales' inverse inertias.
SN_INLINE void stretch_shear(RodState *a, RodState *b, const RodPrepared *pa, const RodPrepared *pb,
                             RodWork *u, int i, bool volume, bool fresh) {
    Lanes ma = load(&pa->m[i]), mb = load(&pb->m[i]);
    Lanes3 xa = {load(&u->ux[i]), load(&u->uy[i]), load(&u->uz[i])};
    Lanes3 xb = {load(&u[1].ux[i]), load(&u[1].uy[i]), load(&u[1].uz[i])};
    Lanes3 edge = {load(&u->ex[i]), load(&u->ey[i]), load(&u->ez[i])};
    Lanes4 q = load_frame(a, i);
    Lanes3 d = add3(edge, sub3(xb, xa));
    Lanes3 w = quat_axis_z(q);
    Lanes active = load(&pa->active[i]);
    Lanes k = load(&pa->k_stretch[i]);
    Lanes k_across = k, g_across;
    Lanes volume_force = splat(0.0f);

    if (volume) {
        Lanes sa = load(&a->s[i]), sb = load(&b->s[i]);
        Lanes msa = load(&pa->m_scale[i]), msb = load(&pb->m_scale[i]);
        Lanes kv = load(&pa->k_volume[i]), kc = load(&pa->k_cross[i]);
        Lanes s = 0.5f * (sa + sb);
        Lanes s2 = s * s, s4 = s2 * s2;
        Lanes along = dot3(w, d), grad = s * along, pair = ma + mb, both = msa + msb;
        Lanes mu_v = multiplier(u->volume, i, fresh), mu_c = multiplier(u->cross, i, fresh);
        Lanes e_v = kv * (s2 * along - load(&pa->length[i])) - mu_v;
        Lanes e_c = kc * (sa + sb - 2.0f) - mu_c;
        Lanes shared = grad * both;
        Lanes diag_v = 1.0f + kv * (s4 * pair + grad * shared), diag_c = 1.0f + kc * both;
        Lanes det = diag_v * diag_c - (kv * shared) * (kc * shared);
        k_across = k + s4 * kv;
        Lanes den_across = 1.0f + k_across * (pair + load(&pa->G_shear[i]));
        Lanes inv = 1.0f / (det * den_across);
        g_across = inv * det;
        Lanes inv_det = inv * den_across;
        Lanes delta_v = inv_det * (diag_c * e_v - kv * shared * e_c);
        Lanes delta_c = inv_det * (diag_v * e_c - kc * shared * e_v);
        store(&u->volume[i], mu_v + delta_v);
        store(&u->cross[i], mu_c + delta_c);
        volume_force = s2 * delta_v;
        xa = add3(xa, mul3(w, ma * volume_force));
        xb = sub3(xb, mul3(w, mb * volume_force));
        d = sub3(d, mul3(w, pair * volume_force));
        Lanes squeeze = grad * delta_v + delta_c;
        store(&a->s[i], sa - msa * squeeze);
        store(&b->s[i], sb - msb * squeeze);
    } else {
        g_across = load(&pa->g_shear[i]);
    }

    Lanes3 mu = {load(&u->stretch_x[i]), load(&u->stretch_y[i]), load(&u->stretch_z[i])};
    Lanes3 W = sub3(d, mul3(w, active));
    Lanes3 e = sub3(mul3(W, k_across), mu);
    Lanes e_along = dot3(w, e);
    Lanes e_axial = e_along;
    if (volume)
        e_axial += (k - k_across) * dot3(w, W);
    Lanes along = load(&pa->g_stretch[i]) * e_axial - g_across * e_along;
    Lanes3 delta = add3(mul3(e, g_across), mul3(w, along));
    mu = add3(mu, delta);
    store(&u->stretch_x[i], mu.x);
    store(&u->stretch_y[i], mu.y);
    store(&u->stretch_z[i], mu.z);
    store_displacement(u, i, add3(xa, mul3(delta, ma)));
    store_displacement(u + 1, i, sub3(xb, mul3(delta, mb)));

    // Δθ = m_frame l w × Δμ; of the volume term, −m_frame s² (w × d) Δμ.
    Lanes3 turn;
    if (volume) {
        Lanes3 torque = sub3(mul3(delta, active), mul3(d, volume_force));
        turn = mul3(cross3(w, torque), load(&pa->m_turn[i]));
    } else {
        turn = mul3(cross3(w, delta), load(&pa->lever[i]));
    }
    store_frame(a, i, turn_in_world(q, turn));
}

// Bending and twisting, eqs 14 and 40 × L:  W = 2 s b − L Ω̄,  b = Im(q̄_p q_q), the product taken
// with positive real part b₀. In the frames' own axes
//     ∂W/∂θ_q = s (b₀ + [b]×),  ∂W/∂θ_p = −s (b₀ − [b]×),  ∂W/∂s = 2 b.
// (b₀ ± [b]×)(b₀ ± [b]×)ᵀ = 1 − b bᵀ ≤ 1, so G is bounded by the inverse inertias, which is what is
// used; the bound is exact for small angles. Eqs 19 and 20 (with ¼): W = 2 s³ b − L Ω̄ across the
// axis. Its gradient is s² times that of eq. 14, so the two are solved together: with gradients γ_i
// along one direction and e_i = k_i W_i − μ_i,  Δμ_i = e_i − k_i γ_i G Σγe / (1 + G Σkγ²).
SN_INLINE void bend_twist(RodState *p, RodState *a, const RodPrepared *pp, const RodPrepared *pa,
                          RodWork *u, int i, bool volume, bool fresh) {
    Lanes4 qp = load_frame(p, i), qa = load_frame(a, i);
    Lanes4 c = quat_mul(quat_conjugate(qp), qa);
    Lanes3 b = {lanes_flip_by(c.x, c.w), lanes_flip_by(c.y, c.w), lanes_flip_by(c.z, c.w)};
    Lanes b0 = lanes_abs(c.w);
    Lanes3 angle = add3(b, b);
    Lanes3 rest = {load(&pa->rest_u[i]), load(&pa->rest_v[i]), load(&pa->rest_w[i])};
    Lanes kb = load(&pa->k_bend[i]), kt = load(&pa->k_twist[i]);
    Lanes3 mu = {multiplier(u->bend_u, i, fresh), multiplier(u->bend_v, i, fresh),
                 multiplier(u->bend_w, i, fresh)};
    Lanes3 delta, torque;

    if (volume) {
        Lanes s = load(&a->s[i]), ms = load(&pa->m_scale[i]);
        Lanes kv = load(&pa->k_volume_bend[i]);
        Lanes s2 = s * s, s3 = s2 * s;
        Lanes G_scale = 3.0f * dot3(angle, angle) * ms;
        Lanes G_bend = load(&pa->G_bend[i]) + G_scale;
        Lanes G_twist = load(&pa->G_twist[i]) + G_scale;
        Lanes kb_s = kb * s, kv_s3 = kv * s3;
        Lanes den_bend = 1.0f + G_bend * (kb_s * s + kv_s3 * s3);
        Lanes den_twist = 1.0f + G_twist * kt * s2;
        Lanes inv = 1.0f / (den_bend * den_twist);
        Lanes g_bend = G_bend * (inv * den_twist), g_twist = inv * den_bend;
        Lanes mvu = multiplier(u->volume_u, i, fresh), mvv = multiplier(u->volume_v, i, fresh);
        Lanes3 bent = mul3(angle, s);
        Lanes eu = kb * (bent.x - rest.x) - mu.x, ev = kb * (bent.y - rest.y) - mu.y;
        Lanes fu = kv * (s2 * bent.x - rest.x) - mvu, fv = kv * (s2 * bent.y - rest.y) - mvv;
        Lanes common_u = g_bend * (s * eu + s3 * fu), common_v = g_bend * (s * ev + s3 * fv);
        delta.x = eu - kb_s * common_u;
        delta.y = ev - kb_s * common_v;
        delta.z = g_twist * (kt * (bent.z - rest.z) - mu.z);
        Lanes dvu = fu - kv_s3 * common_u, dvv = fv - kv_s3 * common_v;
        store(&u->volume_u[i], mvu + dvu);
        store(&u->volume_v[i], mvv + dvv);
        Lanes work = dot3(angle, delta) + 3.0f * s2 * (angle.x * dvu + angle.y * dvv);
        store(&a->s[i], s - ms * work);
        torque = (Lanes3){s * delta.x + s3 * dvu, s * delta.y + s3 * dvv, s * delta.z};
    } else {
        Lanes g = load(&pa->g_bend[i]);
        delta.x = g * (kb * (angle.x - rest.x) - mu.x);
        delta.y = g * (kb * (angle.y - rest.y) - mu.y);
        delta.z = load(&pa->g_twist[i]) * (kt * (angle.z - rest.z) - mu.z);
        torque = delta;
    }
    mu = add3(mu, delta);
    store(&u->bend_u[i], mu.x);
    store(&u->bend_v[i], mu.y);
    store(&u->bend_w[i], mu.z);

    Lanes3 straight = mul3(torque, b0), sideways = cross3(b, torque);
    Lanes3 tp = add3(straight, sideways), ta = sub3(sideways, straight);
    Lanes mp = load(&pp->m_turn[i]), mp_roll = load(&pp->m_roll[i]);
    Lanes ma = load(&pa->m_turn[i]), ma_roll = load(&pa->m_roll[i]);
    store_frame(p, i, turn_in_body(qp, (Lanes3){tp.x * mp, tp.y * mp, tp.z * mp_roll}));
    store_frame(a, i, turn_in_body(qa, (Lanes3){ta.x * ma, ta.y * ma, ta.z * ma_roll}));
}

// Scale gradient, eq. 13 × l: W = s_b − s_a. Second difference, eqs 15 and 39 × L l_b:
// W = s_b − s_a − ratio (s_a − s_p). Both are linear, so their gains are prepared.
SN_INLINE void scales(RodState *p, RodState *a, RodState *b, const RodPrepared *pp,
                      const RodPrepared *pa, const RodPrepared *pb, RodWork *u, int i, bool fresh) {
    Lanes sp = load(&p->s[i]), sa = load(&a->s[i]), sb = load(&b->s[i]);
    Lanes mp = load(&pp->m_scale[i]), ma = load(&pa->m_scale[i]), mb = load(&pb->m_scale[i]);

    Lanes mu = multiplier(u->gradient, i, fresh);
    Lanes delta = load(&pa->g_gradient[i]) * (load(&pa->k_gradient[i]) * (sb - sa) - mu);
    store(&u->gradient[i], mu + delta);
    sa += ma * delta;
    sb -= mb * delta;

    Lanes ratio = load(&pa->lap_ratio[i]);
    mu = multiplier(u->lap, i, fresh);
    delta = load(&pa->g_lap[i]) * (load(&pa->k_lap[i]) * (sb - sa - ratio * (sa - sp)) - mu);
    store(&u->lap[i], mu + delta);
    sp -= mp * (ratio * delta);
    sa += ma * (delta + ratio * delta);
    sb -= mb * delta;

    store(&p->s[i], lanes_clamp(sp, SN_SCALE_MIN, SN_SCALE_MAX));
    store(&a->s[i], lanes_clamp(sa, SN_SCALE_MIN, SN_SCALE_MAX));
    store(&b->s[i], lanes_clamp(sb, SN_SCALE_MIN, SN_SCALE_MAX));
}

SN_INLINE void sweep_rows(RodPack *pack, int begin, int end, bool volume, bool fresh) {
    for (int j = begin; j < end; ++j) {
        RodState *s = pack->state + j;
        const RodPrepared *p = pack->prepared + j;
        RodWork *u = pack->work + j;
        for (int i = 0; i < pack->lanes; i += SN_WIDE) {
            stretch_shear(s, s + 1, p, p + 1, u, i, volume, fresh);
            bend_twist(s - 1, s, p - 1, p, u, i, volume, fresh);
            if (volume)
                scales(s - 1, s, s + 1, p - 1, p, p + 1, u, i, fresh);
        }
    }
}

void SN_WIDE_FUNCTION(rod_sweep)(RodPack *pack, int begin, int end, bool fresh) {
    if (pack->classic && fresh)
        sweep_rows(pack, begin, end, false, true);
    else if (pack->classic)
        sweep_rows(pack, begin, end, false, false);
    else if (fresh)
        sweep_rows(pack, begin, end, true, true);
    else
        sweep_rows(pack, begin, end, true, false);
}
