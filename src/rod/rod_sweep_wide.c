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
//
// Chains and creatures have the same blocks. In a chain, row j has all of segment j and joint j; in
// a creature, the graph says which rows belong together.
#include <assert.h>

#include "math/lanes.h"
#include "rod/graph.h"
#include "rod/wide.h"

// The rows of one vertex, segment or joint.
typedef struct Row {
    RodState *state;
    const RodPrepared *prepared;
    RodWork *work;
} Row;

// Rotations of one update stay below this (half angle, per axis), where the series below still
// shrinks what is too long: |q|² stays under 1.02 however many updates there are. Only a rod that
// was torn out of shape within one sub-step gets there.
#define HALF_ANGLE_MAX 0.25f

INLINE Lanes3 clamp_turn(Lanes3 t) {
    t.x = lanes_clamp(t.x, -HALF_ANGLE_MAX, HALF_ANGLE_MAX);
    t.y = lanes_clamp(t.y, -HALF_ANGLE_MAX, HALF_ANGLE_MAX);
    t.z = lanes_clamp(t.z, -HALF_ANGLE_MAX, HALF_ANGLE_MAX);
    return t;
}

// 1/√(1 + e) by its series. The next prediction normalises exactly.
INLINE Lanes inverse_norm(Lanes e) { return 1.0f + e * (0.375f * e - 0.5f); }

// How much too long q is, which the next update takes out. A frame is turned several times in a
// sweep; once is enough: at its joint in a chain, with its stretch in a creature.
INLINE Lanes excess(Lanes4 q) { return (q.x * q.x + q.y * q.y) + (q.z * q.z + q.w * q.w) - 1.0f; }

// q turned by the half turn t in world axes: (t, 1) q / |(t, 1)|, less the excess.
INLINE Lanes4 turn_in_world(Lanes4 q, Lanes3 t, bool graph) {
    t = clamp_turn(t);
    Lanes too_long = dot3(t, t);
    if (graph)
        too_long += excess(q);
    Lanes c = inverse_norm(too_long);
    return (Lanes4){c * (q.x + t.x * q.w + t.y * q.z - t.z * q.y),
                    c * (q.y + t.y * q.w + t.z * q.x - t.x * q.z),
                    c * (q.z + t.z * q.w + t.x * q.y - t.y * q.x),
                    c * (q.w - t.x * q.x - t.y * q.y - t.z * q.z)};
}

// q turned by the half turn t in its own axes: q (t, 1) / |(t, 1)|, less the excess.
INLINE Lanes4 turn_in_body(Lanes4 q, Lanes3 t, Lanes too_long) {
    t = clamp_turn(t);
    Lanes c = inverse_norm(dot3(t, t) + too_long);
    return (Lanes4){c * (q.x + q.w * t.x + q.y * t.z - q.z * t.y),
                    c * (q.y + q.w * t.y + q.z * t.x - q.x * t.z),
                    c * (q.z + q.w * t.z + q.x * t.y - q.y * t.x),
                    c * (q.w - q.x * t.x - q.y * t.y - q.z * t.z)};
}

// A fresh multiplier is 0, whatever its memory says; those of the direct pass have been set by it.
INLINE Lanes multiplier(const float *row, int i, bool fresh) {
    return fresh ? splat(0.0f) : load(row + i);
}

INLINE Lanes4 load_frame(const RodState *s, int i) {
    return (Lanes4){load(&s->qx[i]), load(&s->qy[i]), load(&s->qz[i]), load(&s->qw[i])};
}

INLINE void store_frame(RodState *s, int i, Lanes4 q) {
    store(&s->qx[i], q.x);
    store(&s->qy[i], q.y);
    store(&s->qz[i], q.z);
    store(&s->qw[i], q.w);
}

INLINE Lanes3 load_displacement(const RodWork *u, int i) {
    return (Lanes3){load(&u->ux[i]), load(&u->uy[i]), load(&u->uz[i])};
}

INLINE void store_displacement(RodWork *u, int i, Lanes3 x) {
    store(&u->ux[i], x.x);
    store(&u->uy[i], x.y);
    store(&u->uz[i], x.z);
}

// Stretch and shear, eq. 11 × l: W = d − l w, d = x_b − x_a, w the tangent of the frame. Shear is as stiff as
// stretch here, and as the volume: what keeps frames on their segments is what keeps sweeps from going
// astray, and a rod that is slender does not shear.
//     ∂W/∂x = ∓1,  ∂W/∂θ = l [w]×,  G = m_a + m_b + l² m_frame (1 − w wᵀ).
// G has w as an axis, so the 3×3 block is solved exactly along and across w.
INLINE void stretch_shear(Row g, Row a, Row b, int i, bool graph) {
    const RodPrepared *p = g.prepared;
    RodWork *u = g.work;
    Lanes3 edge = {load(&u->ex[i]), load(&u->ey[i]), load(&u->ez[i])};
    Lanes3 ua = load_displacement(a.work, i), ub = load_displacement(b.work, i);
    Lanes4 q = load_frame(g.state, i);
    Lanes3 w = quat_axis_z(q), d = add3(edge, sub3(ub, ua));
    Lanes3 mu = {load(&u->stretch_x[i]), load(&u->stretch_y[i]), load(&u->stretch_z[i])};
    Lanes3 W = sub3(d, mul3(w, load(&p->taut[i])));
    Lanes3 e = sub3(mul3(W, load(&p->k_stretch[i])), mu);
    Lanes gain = load(&p->g_shear[i]);
    Lanes along = (load(&p->g_stretch[i]) - gain) * dot3(w, e);
    Lanes3 delta = add3(mul3(e, gain), mul3(w, along));
    mu = add3(mu, delta);
    store(&u->stretch_x[i], mu.x);
    store(&u->stretch_y[i], mu.y);
    store(&u->stretch_z[i], mu.z);
    store_displacement(a.work, i, add3(ua, mul3(delta, load(&a.prepared->m[i]))));
    store_displacement(b.work, i, sub3(ub, mul3(delta, load(&b.prepared->m[i]))));
    Lanes3 turn = mul3(cross3(w, delta), load(&p->lever[i])); // half of m_frame l w × Δμ
    store_frame(g.state, i, turn_in_world(q, turn, graph));
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
INLINE void stretch_volume(Row g, Row a, Row b, int i, bool graph) {
    const RodPrepared *p = g.prepared;
    RodWork *u = g.work;
    Lanes ma = load(&a.prepared->m[i]), mb = load(&b.prepared->m[i]), pair = ma + mb;
    Lanes msa = load(&a.prepared->m_scale[i]), msb = load(&b.prepared->m_scale[i]);
    Lanes both = msa + msb;
    Lanes3 edge = {load(&u->ex[i]), load(&u->ey[i]), load(&u->ez[i])};
    Lanes3 ua = load_displacement(a.work, i), ub = load_displacement(b.work, i);
    Lanes4 q = load_frame(g.state, i);
    Lanes3 w = quat_axis_z(q), d = add3(edge, sub3(ub, ua));
    Lanes sa = load(&a.state->s[i]), sb = load(&b.state->s[i]), s = 0.5f * (sa + sb), s2 = s * s;
    Lanes k = load(&p->k_stretch[i]), kv = load(&p->k_volume[i]), kc = load(&p->k_cross[i]);
    Lanes active = load(&p->active[i]), length = load(&p->length[i]);

    Lanes kv_s2 = kv * s2, k_across = k + kv_s2 * s2;
    Lanes inv_k = 1.0f / (k_across + 1e-30f);
    Lanes torque_across = k * active + kv_s2 * length, lever = torque_across * inv_k;
    Lanes m_turn = load(&p->m_turn[i]);
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
    Lanes delta_along = load(&p->g_stretch[i]) * (k * (t - load(&p->taut[i])) - mu_along);
    Lanes3 across = sub3(d, mul3(w, dot3(w, d)));
    Lanes3 mu_across = sub3(mu, mul3(w, mu_along));
    Lanes3 delta_across = mul3(sub3(mul3(across, k_across), mu_across), g_across);
    Lanes3 delta = add3(delta_across, mul3(w, delta_along));
    mu = add3(mu, delta);
    store(&u->stretch_x[i], mu.x);
    store(&u->stretch_y[i], mu.y);
    store(&u->stretch_z[i], mu.z);

    Lanes3 push = add3(delta, mul3(w, force));
    store_displacement(a.work, i, add3(ua, mul3(push, ma)));
    store_displacement(b.work, i, sub3(ub, mul3(push, mb)));
    Lanes squeeze = inv_det * (gamma * e_v + (1.0f + kv_s2 * s2 * pair) * e_c); // γ Δμ_v + Δμ_c
    Lanes sheared = kv_s2 * s * inv_k * dot3(across, delta_across);
    store(&a.state->s[i], sa - msa * squeeze - load(&a.prepared->gives[i]) * sheared);
    store(&b.state->s[i], sb - msb * squeeze - load(&b.prepared->gives[i]) * sheared);
    Lanes3 turn = mul3(cross3(w, delta_across), m_turn * lever);
    store_frame(g.state, i, turn_in_world(q, turn, graph));
}

// Bending and twisting, eqs 14 and 40 × L: W = 2 s b, b = Im(conj(q_p h) q_a h̄), h half of the rest rotation, or, in
// creatures, Im(conj(q_p r̄) q_a), the product taken with positive real part b₀. In the axes of q_p h and q_a h̄
//     ∂W/∂θ_a = s (b₀ + [b]×),  ∂W/∂θ_p = −s (b₀ − [b]×),  ∂W/∂s = 2 b.
// (b₀ ± [b]×)(b₀ ± [b]×)ᵀ = 1 − b bᵀ ≤ 1, so G is bounded by the inverse inertias, which is what is
// used; the bound is exact for small angles. Eqs 19 and 20 (with ¼): W = 2 s³ b across the
// axis. Its gradient is s² times that of eq. 14, so the two are solved together: with gradients γ_i
// along one direction and e_i = k_i W_i − μ_i, Δμ_i = e_i − k_i γ_i G Σγe / (1 + G Σkγ²).
// `rest_turn`: NULL where no joint is turned at rest. Of creatures, qa is kept a unit elsewhere.
INLINE void bend_twist(Row p, Row a, Row vertex, Row joint, const RodTurn *rest_turn, int i,
                       bool volume, bool fresh, bool graph) {
    const RodPrepared *pj = joint.prepared;
    RodWork *u = joint.work;
    Lanes4 qp = load_frame(p.state, i), qa = load_frame(a.state, i), from = qp, to = qa, turn;
    if (rest_turn) {
        turn = (Lanes4){load(&rest_turn->x[i]), load(&rest_turn->y[i]), load(&rest_turn->z[i]),
                        load(&rest_turn->w[i])};
        from = quat_mul(qp, turn);
        if (!graph)
            to = quat_mul(qa, quat_conjugate(turn));
    }
    Lanes4 c = quat_mul(quat_conjugate(from), to);
    Lanes3 b = {lanes_flip_by(c.x, c.w), lanes_flip_by(c.y, c.w), lanes_flip_by(c.z, c.w)};
    Lanes b0 = lanes_abs(c.w);
    Lanes3 angle = add3(b, b);
    Lanes kb = load(&pj->k_bend[i]), kt = load(&pj->k_twist[i]);
    Lanes3 mu = {multiplier(u->bend_u, i, fresh), multiplier(u->bend_v, i, fresh),
                 multiplier(u->bend_w, i, fresh)};
    Lanes3 delta, torque;

    if (volume) {
        Lanes s = load(&vertex.state->s[i]), ms = load(&vertex.prepared->gives[i]);
        Lanes kv = load(&pj->k_volume_bend[i]);
        Lanes s2 = s * s, s3 = s2 * s;
        Lanes G_scale = 3.0f * dot3(angle, angle) * ms;
        Lanes G_bend = load(&pj->G_bend[i]) + G_scale;
        Lanes G_twist = load(&pj->G_twist[i]) + G_scale;
        Lanes kb_s = kb * s, kv_s3 = kv * s3;
        Lanes den_bend = 1.0f + G_bend * (kb_s * s + kv_s3 * s3);
        Lanes den_twist = 1.0f + G_twist * kt * s2;
        Lanes inv = 1.0f / (den_bend * den_twist);
        Lanes g_bend = inv * den_twist, g_twist = inv * den_bend;
        Lanes mvu = multiplier(u->volume_u, i, fresh), mvv = multiplier(u->volume_v, i, fresh);
        Lanes3 bent = mul3(angle, s);
        Lanes eu = kb * bent.x - mu.x, ev = kb * bent.y - mu.y;
        Lanes fu = kv * (s2 * bent.x) - mvu, fv = kv * (s2 * bent.y) - mvv;
        torque.x = g_bend * (s * eu + s3 * fu); // Σγ Δμ, without the cancellation in the sum
        torque.y = g_bend * (s * ev + s3 * fv);
        Lanes common_u = G_bend * torque.x, common_v = G_bend * torque.y;
        delta.x = eu - kb_s * common_u;
        delta.y = ev - kb_s * common_v;
        delta.z = g_twist * (kt * bent.z - mu.z);
        Lanes dvu = fu - kv_s3 * common_u, dvv = fv - kv_s3 * common_v;
        store(&u->volume_u[i], mvu + dvu);
        store(&u->volume_v[i], mvv + dvv);
        Lanes work = dot3(angle, delta) + 3.0f * s2 * (angle.x * dvu + angle.y * dvv);
        store(&vertex.state->s[i], s - ms * work);
        torque.z = s * delta.z;
    } else {
        Lanes g = load(&pj->g_bend[i]);
        delta.x = g * (kb * angle.x - mu.x);
        delta.y = g * (kb * angle.y - mu.y);
        delta.z = load(&pj->g_twist[i]) * (kt * angle.z - mu.z);
        torque = delta;
    }
    mu = add3(mu, delta);
    store(&u->bend_u[i], mu.x);
    store(&u->bend_v[i], mu.y);
    store(&u->bend_w[i], mu.z);

    Lanes3 straight = mul3(torque, b0), sideways = cross3(b, torque);
    Lanes3 tp = add3(straight, sideways), ta = sub3(sideways, straight);
    Lanes mp = load(&p.prepared->m_turn[i]), mp_roll = load(&p.prepared->m_roll[i]);
    Lanes ma = load(&a.prepared->m_turn[i]), ma_roll = load(&a.prepared->m_roll[i]);
    if (rest_turn)
        tp = quat_rotate(turn, tp);
    if (rest_turn && !graph)
        ta = quat_rotate(quat_conjugate(turn), ta);
    Lanes3 turn_p = {tp.x * mp, tp.y * mp, tp.z * mp_roll};
    Lanes3 turn_a = {ta.x * ma, ta.y * ma, ta.z * ma_roll};
    store_frame(p.state, i, turn_in_body(qp, turn_p, splat(0.0f)));
    store_frame(a.state, i, turn_in_body(qa, turn_a, graph ? splat(0.0f) : excess(qa)));
}

// Scale gradient, eq. 13 × l: W = s_b − s_a. It is linear, so its gain is prepared.
INLINE void scale_gradient(Row g, Lanes ma, Lanes mb, int i, Lanes *sa, Lanes *sb) {
    Lanes mu = load(&g.work->gradient[i]);
    Lanes k = load(&g.prepared->k_gradient[i]);
    Lanes delta = load(&g.prepared->g_gradient[i]) * (k * (*sb - *sa) - mu);
    store(&g.work->gradient[i], mu + delta);
    *sa += ma * delta;
    *sb -= mb * delta;
}

// Second difference, eqs 15 and 39 × L l_b: W = s_b − s_a − ratio (s_a − s_p), as linear.
INLINE void scale_bend(Row joint, Lanes mp, Lanes ma, Lanes mb, int i, Lanes *sp, Lanes *sa,
                       Lanes *sb, bool fresh) {
    const RodPrepared *p = joint.prepared;
    Lanes ratio = load(&p->lap_ratio[i]);
    Lanes mu = multiplier(joint.work->lap, i, fresh);
    Lanes W = *sb - *sa - ratio * (*sa - *sp);
    Lanes delta = load(&p->g_lap[i]) * (load(&p->k_lap[i]) * W - mu);
    store(&joint.work->lap[i], mu + delta);
    *sp -= mp * (ratio * delta);
    *sa += ma * (delta + ratio * delta);
    *sb -= mb * delta;
}

INLINE Lanes scale_mobility(Row vertex, int i) { return load(&vertex.prepared->m_scale[i]); }

INLINE void store_scale(Row vertex, int i, Lanes s) {
    store(&vertex.state->s[i], lanes_clamp(s, SCALE_MIN, SCALE_MAX));
}

INLINE void scales_of_segment(Row g, Row a, Row b, int i) {
    Lanes sa = load(&a.state->s[i]), sb = load(&b.state->s[i]);
    scale_gradient(g, scale_mobility(a, i), scale_mobility(b, i), i, &sa, &sb);
    store_scale(a, i, sa);
    store_scale(b, i, sb);
}

INLINE void scales_of_joint(Row joint, Row p, Row a, Row b, int i, bool fresh) {
    Lanes sp = load(&p.state->s[i]), sa = load(&a.state->s[i]), sb = load(&b.state->s[i]);
    scale_bend(joint, scale_mobility(p, i), scale_mobility(a, i), scale_mobility(b, i), i, &sp, &sa,
               &sb, fresh);
    store_scale(p, i, sp);
    store_scale(a, i, sa);
    store_scale(b, i, sb);
}

// Both at once, where the joint is at the start of the segment.
INLINE void scales_of_row(Row p, Row a, Row b, int i, bool fresh) {
    Lanes sp = load(&p.state->s[i]), sa = load(&a.state->s[i]), sb = load(&b.state->s[i]);
    Lanes mp = scale_mobility(p, i), ma = scale_mobility(a, i), mb = scale_mobility(b, i);
    scale_gradient(a, ma, mb, i, &sa, &sb);
    scale_bend(a, mp, ma, mb, i, &sp, &sa, &sb, fresh);
    store_scale(p, i, sp);
    store_scale(a, i, sa);
    store_scale(b, i, sb);
}

INLINE Row row(RodPack *pack, int j) {
    return (Row){pack->state + j, pack->prepared + j, pack->work + j};
}

INLINE void sweep_rows(RodPack *pack, int begin, int end, bool volume, bool fresh, bool turned) {
    const RodTurn *turn = pack->turn;
    for (int j = begin; j < end; ++j) {
        Row p = row(pack, j - 1), a = row(pack, j), b = row(pack, j + 1);
        for (int i = 0; i < pack->lanes; i += WIDE) {
            if (volume)
                stretch_volume(a, a, b, i, false);
            else
                stretch_shear(a, a, b, i, false);
            bend_twist(p, a, a, a, turned ? turn + j : NULL, i, volume, fresh, false);
            if (volume)
                scales_of_row(p, a, b, i, fresh);
        }
    }
    // The joint of the last segment with its wall, where a rod fills all rows.
    if (end < pack->rows || !pack->walled)
        return;
    Row p = row(pack, end - 1), wall = row(pack, end);
    for (int i = 0; i < pack->lanes; i += WIDE)
        bend_twist(p, wall, wall, wall, turned ? turn + end : NULL, i, volume, fresh, false);
}

INLINE void sweep_graph(RodPack *pack, bool volume, bool fresh) {
    const RodGraph *graph = pack->graph;
    for (int j = 0; j < graph->segments; ++j) {
        Row g = row(pack, j), a = row(pack, graph->edge[j][0]), b = row(pack, graph->edge[j][1]);
        for (int i = 0; i < pack->lanes; i += WIDE)
            if (volume) {
                stretch_volume(g, a, b, i, true);
                scales_of_segment(g, a, b, i);
            } else {
                stretch_shear(g, a, b, i, true);
            }
    }
    for (int k = 0; k < graph->joints; ++k) {
        const GraphJoint *j = &graph->joint[k];
        Row joint = row(pack, k), vertex = row(pack, j->vertex);
        Row p = row(pack, j->p), a = row(pack, j->a);
        Row far_p = row(pack, j->far_p), far_a = row(pack, j->far_a);
        for (int i = 0; i < pack->lanes; i += WIDE) {
            bend_twist(p, a, vertex, joint, pack->turn + k, i, volume, fresh, true);
            if (volume)
                scales_of_joint(joint, far_p, vertex, far_a, i, fresh);
        }
    }
}

INLINE void sweep(RodPack *pack, int begin, int end, bool volume, bool fresh) {
    if (pack->graph)
        sweep_graph(pack, volume, fresh);
    else if (pack->turn)
        sweep_rows(pack, begin, end, volume, fresh, true);
    else
        sweep_rows(pack, begin, end, volume, fresh, false);
}

void WIDE_FUNCTION(rod_sweep)(RodPack *pack, int begin, int end, bool fresh) {
    assert(begin >= 0 && begin <= end && end <= pack->rows);
    if (pack->classic && fresh)
        sweep(pack, begin, end, false, true);
    else if (pack->classic)
        sweep(pack, begin, end, false, false);
    else if (fresh)
        sweep(pack, begin, end, true, true);
    else
        sweep(pack, begin, end, true, false);
}
