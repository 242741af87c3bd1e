// The sweep: one Gauss-Seidel pass of eq. 28 over the rows of a pack.
//
// Every constraint W with stiffness K keeps a multiplier μ = h²λ. With k = h²K and G = ∇W A⁻¹ ∇Wᵀ,
// eq. 28 (with its bracket put right) reads
//
//     Δμ = (k W − μ) / (1 + k G),   ΔX = −A⁻¹ ∇Wᵀ Δμ,
//
// which holds for k = 0 and for k → ∞ alike and has neither h nor compliance in the loop. Where G
// does not depend on the state, the gain g = 1 / (1 + k G) is prepared. docs/physics.md derives the
// blocks.
#include "math/lanes.h"
#include "rod/wide.h"

// Rotations of one update stay below this (half angle, per axis), where the series below still
// shrinks what is too long: |q|² stays under 1.02 however many updates there are. Only a rod that
// was torn out of shape within one sub-step gets there.
#define HALF_ANGLE_MAX 0.25f

SN_INLINE Lanes3 clamp_turn(Lanes3 t) {
    t.x = lanes_clamp(t.x, -HALF_ANGLE_MAX, HALF_ANGLE_MAX);
    t.y = lanes_clamp(t.y, -HALF_ANGLE_MAX, HALF_ANGLE_MAX);
    t.z = lanes_clamp(t.z, -HALF_ANGLE_MAX, HALF_ANGLE_MAX);
    return t;
}

// 1/√(1 + e) by its series. The next prediction normalises exactly.
SN_INLINE Lanes inverse_norm(Lanes e) { return 1.0f + e * (0.375f * e - 0.5f); }

// How much too long q is, which the next update takes out. A frame is turned three times in a sweep;
// once is enough.
SN_INLINE Lanes excess(Lanes4 q) {
    return (q.x * q.x + q.y * q.y) + (q.z * q.z + q.w * q.w) - 1.0f;
}

// q turned by the half turn t in world axes: (t, 1) q / |(t, 1)|.
SN_INLINE Lanes4 turn_in_world(Lanes4 q, Lanes3 t) {
    t = clamp_turn(t);
    Lanes c = inverse_norm(dot3(t, t));
    return (Lanes4){c * (q.x + t.x * q.w + t.y * q.z - t.z * q.y),
                    c * (q.y + t.y * q.w + t.z * q.x - t.x * q.z),
                    c * (q.z + t.z * q.w + t.x * q.y - t.y * q.x),
                    c * (q.w - t.x * q.x - t.y * q.y - t.z * q.z)};
}

// q turned by the half turn t in its own axes: q (t, 1) / |(t, 1)|, less the excess.
SN_INLINE Lanes4 turn_in_body(Lanes4 q, Lanes3 t, Lanes too_long) {
    t = clamp_turn(t);
    Lanes c = inverse_norm(dot3(t, t) + too_long);
    return (Lanes4){c * (q.x + q.w * t.x + q.y * t.z - q.z * t.y),
                    c * (q.y + q.w * t.y + q.z * t.x - q.x * t.z),
                    c * (q.z + q.w * t.z + q.x * t.y - q.y * t.x),
                    c * (q.w - q.x * t.x - q.y * t.y - q.z * t.z)};
}

// A fresh multiplier is 0, whatever its memory says; those of the direct pass have been set by it.
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

SN_INLINE Lanes3 load_displacement(const RodWork *u, int i) {
    return (Lanes3){load(&u->ux[i]), load(&u->uy[i]), load(&u->uz[i])};
}

SN_INLINE void store_displacement(RodWork *u, int i, Lanes3 x) {
    store(&u->ux[i], x.x);
    store(&u->uy[i], x.y);
    store(&u->uz[i], x.z);
}

// Stretch and shear, eq. 11 × l: W = d − l w, d = x_b − x_a, w the tangent of the frame.
//     ∂W/∂x = ∓1,  ∂W/∂θ = l [w]×,  G = m_a + m_b + l² m_frame (1 − w wᵀ).
// G has w as an axis, so the 3×3 block is solved exactly along and across w.
SN_INLINE void stretch_shear(RodState *a, const RodPrepared *pa, const RodPrepared *pb, RodWork *u,
                             int i) {
    Lanes3 edge = {load(&u->ex[i]), load(&u->ey[i]), load(&u->ez[i])};
    Lanes3 ua = load_displacement(u, i), ub = load_displacement(u + 1, i);
    Lanes4 q = load_frame(a, i);
    Lanes3 w = quat_axis_z(q), d = add3(edge, sub3(ub, ua));
    Lanes3 mu = {load(&u->stretch_x[i]), load(&u->stretch_y[i]), load(&u->stretch_z[i])};
    Lanes3 W = sub3(d, mul3(w, load(&pa->active[i])));
    Lanes3 e = sub3(mul3(W, load(&pa->k_stretch[i])), mu);
    Lanes g = load(&pa->g_shear[i]);
    Lanes along = (load(&pa->g_stretch[i]) - g) * dot3(w, e);
    Lanes3 delta = add3(mul3(e, g), mul3(w, along));
    mu = add3(mu, delta);
    store(&u->stretch_x[i], mu.x);
    store(&u->stretch_y[i], mu.y);
    store(&u->stretch_z[i], mu.z);
    store_displacement(u, i, add3(ua, mul3(delta, load(&pa->m[i]))));
    store_displacement(u + 1, i, sub3(ub, mul3(delta, load(&pb->m[i]))));
    Lanes3 turn = mul3(cross3(w, delta), load(&pa->lever[i])); // half of m_frame l w × Δμ
    store_frame(a, i, turn_in_world(q, turn));
}

// The same with the volume, eq. 18 × l: V = s²d − l₀w, s the mean scale of both ends, l₀ the length
// without activation. ∂V/∂x = ∓s², ∂V/∂θ = l₀ [w]×, ∂V/∂s_a = ∂V/∂s_b = s d.
//
// Along w, with t = w·d and γ = s t, it is the scalar s²t − l₀. The cross-section, eq. 12 × 2, C =
// s_a + s_b − 2, pulls the same two scales the other way, so both are solved together, a 2×2 block
// with G_vv = s⁴(m_a + m_b) + γ²M, G_vc = γM, G_cc = M, M the sum of the scales' 1/inertia.
//
// Across w both W and V are multiples of d_across, so one multiplier, the force μ = (k + s⁴k_v)
// d_across, stands for both. Of it, the frame feels the torque L d_across with L = k l + k_v s² l₀,
// and the scales k_v s³ |d_across|².
SN_INLINE void stretch_volume(RodState *a, RodState *b, const RodPrepared *pa,
                              const RodPrepared *pb, RodWork *u, int i) {
    Lanes ma = load(&pa->m[i]), mb = load(&pb->m[i]), pair = ma + mb;
    Lanes msa = load(&pa->m_scale[i]), msb = load(&pb->m_scale[i]), both = msa + msb;
    Lanes3 edge = {load(&u->ex[i]), load(&u->ey[i]), load(&u->ez[i])};
    Lanes3 ua = load_displacement(u, i), ub = load_displacement(u + 1, i);
    Lanes4 q = load_frame(a, i);
    Lanes3 w = quat_axis_z(q), d = add3(edge, sub3(ub, ua));
    Lanes sa = load(&a->s[i]), sb = load(&b->s[i]), s = 0.5f * (sa + sb), s2 = s * s;
    Lanes k = load(&pa->k_stretch[i]), kv = load(&pa->k_volume[i]), kc = load(&pa->k_cross[i]);
    Lanes active = load(&pa->active[i]), length = load(&pa->length[i]);

    Lanes kv_s2 = kv * s2, k_across = k + kv_s2 * s2;
    Lanes inv_k = 1.0f / (k_across + 1e-30f);
    Lanes torque_across = k * active + kv_s2 * length, lever = torque_across * inv_k;
    Lanes m_turn = load(&pa->m_turn[i]);
    Lanes den_across = 1.0f + k_across * pair + 2.0f * m_turn * torque_across * lever;

    Lanes t = dot3(w, d), gamma = s * t, shared = gamma * both;
    Lanes mu_v = load(&u->volume[i]), mu_c = load(&u->cross[i]);
    Lanes e_v = kv * (s2 * t - length) - mu_v;
    Lanes e_c = kc * (sa + sb - 2.0f) - mu_c;
    Lanes diag_v = 1.0f + kv_s2 * s2 * pair + kv * gamma * shared, diag_c = 1.0f + kc * both;
    Lanes det = diag_v * diag_c - (kv * shared) * (kc * shared);
    Lanes inv = 1.0f / (det * den_across);
    Lanes g_across = inv * det, inv_det = inv * den_across;
    Lanes delta_v = inv_det * (diag_c * e_v - kv * shared * e_c);
    Lanes delta_c = inv_det * (diag_v * e_c - kc * shared * e_v);
    store(&u->volume[i], mu_v + delta_v);
    store(&u->cross[i], mu_c + delta_c);
    Lanes force = s2 * delta_v;
    t -= pair * force; // d along w, after the volume has moved its ends

    Lanes3 mu = {load(&u->stretch_x[i]), load(&u->stretch_y[i]), load(&u->stretch_z[i])};
    Lanes mu_along = dot3(w, mu);
    Lanes delta_along = load(&pa->g_stretch[i]) * (k * (t - active) - mu_along);
    Lanes3 across = sub3(d, mul3(w, dot3(w, d)));
    Lanes3 mu_across = sub3(mu, mul3(w, mu_along));
    Lanes3 delta_across = mul3(sub3(mul3(across, k_across), mu_across), g_across);
    Lanes3 delta = add3(delta_across, mul3(w, delta_along));
    mu = add3(mu, delta);
    store(&u->stretch_x[i], mu.x);
    store(&u->stretch_y[i], mu.y);
    store(&u->stretch_z[i], mu.z);

    Lanes3 push = add3(delta, mul3(w, force));
    store_displacement(u, i, add3(ua, mul3(push, ma)));
    store_displacement(u + 1, i, sub3(ub, mul3(push, mb)));
    Lanes squeeze = inv_det * (gamma * e_v + (1.0f + kv_s2 * s2 * pair) * e_c) + // γ Δμ_v + Δμ_c
                    kv_s2 * s * inv_k * dot3(across, delta_across);
    store(&a->s[i], sa - msa * squeeze);
    store(&b->s[i], sb - msb * squeeze);
    Lanes3 turn = mul3(cross3(w, delta_across), m_turn * lever);
    store_frame(a, i, turn_in_world(q, turn));
}

// Bending and twisting, eqs 14 and 40 × L: W = 2 s b − L Ω̄, b = Im(q̄_p q_q), the product taken
// with positive real part b₀. In the frames' own axes
//     ∂W/∂θ_q = s (b₀ + [b]×),  ∂W/∂θ_p = −s (b₀ − [b]×),  ∂W/∂s = 2 b.
// (b₀ ± [b]×)(b₀ ± [b]×)ᵀ = 1 − b bᵀ ≤ 1, so G is bounded by the inverse inertias, which is what is
// used; the bound is exact for small angles. Eqs 19 and 20 (with ¼): W = 2 s³ b − L Ω̄ across the
// axis. Its gradient is s² times that of eq. 14, so the two are solved together: with gradients γ_i
// along one direction and e_i = k_i W_i − μ_i, Δμ_i = e_i − k_i γ_i G Σγe / (1 + G Σkγ²).
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
        Lanes g_bend = inv * den_twist, g_twist = inv * den_bend;
        Lanes mvu = multiplier(u->volume_u, i, fresh), mvv = multiplier(u->volume_v, i, fresh);
        Lanes3 bent = mul3(angle, s);
        Lanes eu = kb * (bent.x - rest.x) - mu.x, ev = kb * (bent.y - rest.y) - mu.y;
        Lanes fu = kv * (s2 * bent.x - rest.x) - mvu, fv = kv * (s2 * bent.y - rest.y) - mvv;
        torque.x = g_bend * (s * eu + s3 * fu); // Σγ Δμ, without the cancellation in the sum
        torque.y = g_bend * (s * ev + s3 * fv);
        Lanes common_u = G_bend * torque.x, common_v = G_bend * torque.y;
        delta.x = eu - kb_s * common_u;
        delta.y = ev - kb_s * common_v;
        delta.z = g_twist * (kt * (bent.z - rest.z) - mu.z);
        Lanes dvu = fu - kv_s3 * common_u, dvv = fv - kv_s3 * common_v;
        store(&u->volume_u[i], mvu + dvu);
        store(&u->volume_v[i], mvv + dvv);
        Lanes work = dot3(angle, delta) + 3.0f * s2 * (angle.x * dvu + angle.y * dvv);
        store(&a->s[i], s - ms * work);
        torque.z = s * delta.z;
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
    Lanes3 turn_p = {tp.x * mp, tp.y * mp, tp.z * mp_roll};
    Lanes3 turn_a = {ta.x * ma, ta.y * ma, ta.z * ma_roll};
    store_frame(p, i, turn_in_body(qp, turn_p, splat(0.0f)));
    store_frame(a, i, turn_in_body(qa, turn_a, excess(qa)));
}

// Scale gradient, eq. 13 × l: W = s_b − s_a. Second difference, eqs 15 and 39 × L l_b: W = s_b −
// s_a − ratio (s_a − s_p). Both are linear, so their gains are prepared.
SN_INLINE void scales(RodState *p, RodState *a, RodState *b, const RodPrepared *pp,
                      const RodPrepared *pa, const RodPrepared *pb, RodWork *u, int i, bool fresh) {
    Lanes sp = load(&p->s[i]), sa = load(&a->s[i]), sb = load(&b->s[i]);
    Lanes mp = load(&pp->m_scale[i]), ma = load(&pa->m_scale[i]), mb = load(&pb->m_scale[i]);

    Lanes mu = load(&u->gradient[i]);
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
            if (volume)
                stretch_volume(s, s + 1, p, p + 1, u, i);
            else
                stretch_shear(s, p, p + 1, u, i);
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
