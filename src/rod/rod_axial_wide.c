// The direct pass along the rod: length and thickness of a whole chain at once.
//
// A sweep carries a load along a chain one vertex at a time, so a stiff rope stays stretched under
// its own weight however stiff it is, and where a rod shortens, stretch and volume push its
// vertices to and fro. But along the tangents these constraints only couple neighbours. One block
// of Gauss-Seidel that is a whole rod solves them exactly, once per sub-step, before the sweeps.
//
// Classic rods: W = w·d − l (eq. 11 along the tangent) for every segment. With f its multiplier,
// the system is tridiagonal,
//
//     Δf_j + k_j (G Δf)_j = k_j W_j − f_j,
//     (G f)_j = (m_j + m_j+1) f_j − m_j (w_j−1·w_j) f_j−1 − m_j+1 (w_j·w_j+1) f_j+1.
//
// Volume-preserving rods add to every segment eq. 18 along the tangent, V = s²t − l with t = w·d,
// and eqs 12 and 13, C = s_a + s_b − 2 and D = s_b − s_a. Unknown are δs of every vertex and the
// change of the whole axial multiplier, Δf = ΔμA + s²ΔμV, of every segment. With γ = s t, e = k W −
// μ,
//
//     a = k_A + s⁴k_V,  b = s²k_V γ,  β = b/a,  c = e_A + s²e_V,
//     q = k_V γ² k_A/a + k_C,  r = γ e_V − β c + e_C,
//
//     Δf + a G Δf − b (δs_a + δs_b) = c,                                          per segment
//     δs + m_s Σ [β Δf + q (δs_a + δs_b) + r ± (e_D + k_D (δs_b − δs_a))] = 0,    per vertex,
//
// the sum over the two segments of the vertex, + where it is their end b. In the order s₀ f₀ s₁ f₁
// … that is a matrix with two diagonals on either side; it is positive definite, so it needs no
// pivoting.
#include "math/lanes.h"
#include "rod/wide.h"

SN_INLINE Lanes3 displacement(const RodWork *u, int i) {
    return (Lanes3){load(&u->ux[i]), load(&u->uy[i]), load(&u->uz[i])};
}

SN_INLINE void displace(RodWork *u, int i, Lanes3 by) {
    store(&u->ux[i], load(&u->ux[i]) + by.x);
    store(&u->uy[i], load(&u->uy[i]) + by.y);
    store(&u->uz[i], load(&u->uz[i]) + by.z);
}

SN_INLINE Lanes3 tangent(const RodState *s, int i) {
    return quat_axis_z(
        (Lanes4){load(&s->qx[i]), load(&s->qy[i]), load(&s->qz[i]), load(&s->qw[i])});
}

SN_INLINE Lanes length_along(const RodWork *u, int i, Lanes3 w) {
    Lanes3 edge = {load(&u->ex[i]), load(&u->ey[i]), load(&u->ez[i])};
    return dot3(w, add3(edge, sub3(displacement(u + 1, i), displacement(u, i))));
}

SN_INLINE Lanes3 stretch_multiplier(const RodWork *u, int i) {
    return (Lanes3){load(&u->stretch_x[i]), load(&u->stretch_y[i]), load(&u->stretch_z[i])};
}

SN_INLINE void add_stretch_multiplier(RodWork *u, int i, Lanes3 delta, bool fresh) {
    Lanes3 mu = fresh ? delta : add3(stretch_multiplier(u, i), delta);
    store(&u->stretch_x[i], mu.x);
    store(&u->stretch_y[i], mu.y);
    store(&u->stretch_z[i], mu.z);
}

// k W − μ of eq. 11 along the tangent.
SN_INLINE Lanes stretch_error(const RodWork *u, int i, Lanes k, Lanes W, Lanes3 w, bool fresh) {
    return fresh ? k * W : k * W - dot3(w, stretch_multiplier(u, i));
}

// ---- classic

SN_INLINE void eliminate_classic(RodPack *pack, int i, bool fresh) {
    Lanes upper = splat(0.0f), right = upper, link = upper; // of the row before; link = G_j,j−1
    Lanes3 w = tangent(pack->state, i);
    Lanes m = load(&pack->prepared[0].m[i]);
    for (int j = 0; j < pack->rows; ++j) {
        const RodPrepared *p = pack->prepared + j;
        RodWork *u = pack->work + j;
        Lanes direct = load(&p->direct[i]), k = load(&p->k_stretch[i]) * direct;
        Lanes3 w_next = tangent(pack->state + j + 1, i);
        Lanes m_next = load(&p[1].m[i]);
        Lanes W = length_along(u, i, w) - load(&p->active[i]);
        Lanes e = direct * stretch_error(u, i, k, W, w, fresh);
        Lanes next_link = -m_next * dot3(w, w_next);
        Lanes lower = k * link;
        Lanes pivot = 1.0f / (1.0f + k * (m + m_next) - lower * upper);
        upper = k * next_link * pivot;
        right = (e - lower * right) * pivot;
        store(&u->f_next[i], upper);
        store(&u->f_right[i], right);
        w = w_next;
        m = m_next;
        link = next_link;
    }
}

SN_INLINE void substitute_classic(RodPack *pack, int i, bool fresh) {
    Lanes f = splat(0.0f);
    Lanes3 push = {f, f, f}; // of the segment behind the vertex
    for (int j = pack->rows; j-- > 0;) {
        RodWork *u = pack->work + j;
        f = load(&u->f_right[i]) - load(&u->f_next[i]) * f;
        Lanes3 force = mul3(tangent(pack->state + j, i), f);
        add_stretch_multiplier(u, i, force, fresh);
        displace(u + 1, i, mul3(sub3(push, force), load(&pack->prepared[j + 1].m[i])));
        push = force;
    }
    displace(pack->work, i, mul3(push, load(&pack->prepared[0].m[i])));
}

// ---- volume-preserving

typedef struct Segment {
    Lanes kA, kV, kC, kD, eA, eV, eC, eD;
    Lanes s2, gamma, inv_a, a, b, beta, c, q, r;
} Segment;

SN_INLINE Segment inert_segment(void) {
    Lanes zero = splat(0.0f);
    return (Segment){.kD = zero, .eD = zero, .beta = zero, .q = zero, .r = zero};
}

SN_INLINE Segment segment(const RodPack *pack, int j, int i, Lanes3 w, bool fresh) {
    const RodPrepared *p = pack->prepared + j;
    const RodWork *u = pack->work + j;
    Lanes direct = load(&p->direct[i]);
    Lanes sa = load(&pack->state[j].s[i]), sb = load(&pack->state[j + 1].s[i]);
    Lanes s = 0.5f * (sa + sb), t = length_along(u, i, w);
    Segment g;
    g.kA = load(&p->k_stretch[i]) * direct;
    g.kV = load(&p->k_volume[i]) * direct;
    g.kC = load(&p->k_cross[i]) * direct;
    g.kD = load(&p->k_gradient[i]) * direct;
    g.s2 = s * s;
    g.gamma = s * t;
    g.eA = direct * stretch_error(u, i, g.kA, t - load(&p->active[i]), w, fresh);
    g.eV = g.kV * (g.s2 * t - load(&p->length[i]));
    g.eC = g.kC * (sa + sb - 2.0f);
    g.eD = g.kD * (sb - sa);
    if (!fresh) {
        g.eV -= direct * load(&u->volume[i]);
        g.eC -= direct * load(&u->cross[i]);
        g.eD -= direct * load(&u->gradient[i]);
    }
    Lanes kV_s2 = g.kV * g.s2;
    g.a = g.kA + kV_s2 * g.s2;
    g.inv_a = 1.0f / (g.a + 1e-30f);
    g.b = kV_s2 * g.gamma;
    g.beta = g.b * g.inv_a;
    g.c = g.eA + g.s2 * g.eV;
    g.q = g.kV * g.gamma * g.gamma * (g.kA * g.inv_a) + g.kC;
    g.r = g.gamma * g.eV - g.beta * g.c + g.eC;
    return g;
}

// An unknown as x = right − next·x_next − after·x_after.
typedef struct Solved {
    Lanes next, after, right;
} Solved;

// Eliminates the two unknowns before from lower2 x₋₂ + lower1 x₋₁ + diag x + upper1 x₊₁ + upper2
// x₊₂ = right.
SN_INLINE Solved eliminate(Solved before2, Solved before1, Lanes lower2, Lanes lower1, Lanes diag,
                           Lanes upper1, Lanes upper2, Lanes right) {
    lower1 -= lower2 * before2.next;
    diag -= lower2 * before2.after + lower1 * before1.next;
    upper1 -= lower1 * before1.after;
    right -= lower2 * before2.right + lower1 * before1.right;
    Lanes pivot = 1.0f / diag;
    return (Solved){upper1 * pivot, upper2 * pivot, right * pivot};
}

SN_INLINE void eliminate_volume(RodPack *pack, int i, bool fresh) {
    Lanes zero = splat(0.0f), link = zero;
    Solved s_before = {zero, zero, zero}, f_before = s_before;
    Segment before = inert_segment();
    Lanes3 w = tangent(pack->state, i);
    Lanes m = load(&pack->prepared[0].m[i]);
    for (int j = 0; j <= pack->rows; ++j) {
        const RodPrepared *p = pack->prepared + j;
        RodWork *u = pack->work + j;
        Segment g = j < pack->rows ? segment(pack, j, i, w, fresh) : inert_segment();

        Lanes ms = load(&p->m_scale[i]);
        Lanes diag = 1.0f + ms * (before.q + g.q + before.kD + g.kD);
        Lanes right = -ms * (before.r + g.r + before.eD - g.eD);
        Solved s = eliminate(s_before, f_before, ms * (before.q - before.kD), ms * before.beta,
                             diag, ms * g.beta, ms * (g.q - g.kD), right);
        store(&u->s_next[i], s.next);
        store(&u->s_after[i], s.after);
        store(&u->s_right[i], s.right);
        if (j == pack->rows)
            break;

        Lanes3 w_next = tangent(pack->state + j + 1, i);
        Lanes m_next = load(&p[1].m[i]);
        Lanes next_link = -m_next * dot3(w, w_next);
        Solved f = eliminate(f_before, s, g.a * link, -g.b, 1.0f + g.a * (m + m_next), -g.b,
                             g.a * next_link, g.c);
        store(&u->f_next[i], f.next);
        store(&u->f_after[i], f.after);
        store(&u->f_right[i], f.right);
        s_before = s;
        f_before = f;
        before = g;
        w = w_next;
        m = m_next;
        link = next_link;
    }
}

SN_INLINE void store_sum(float *row, Lanes delta, bool fresh) {
    if (!fresh)
        delta += load(row);
    store(row, delta);
}

SN_INLINE void substitute_volume(RodPack *pack, int i, bool fresh) {
    Lanes f_next = splat(0.0f);
    Lanes3 push = {f_next, f_next, f_next};
    Lanes ds_next = load(&pack->work[pack->rows].s_right[i]);
    for (int j = pack->rows; j-- > 0;) {
        RodWork *u = pack->work + j;
        RodState *state = pack->state + j;
        Lanes f =
            load(&u->f_right[i]) - load(&u->f_next[i]) * ds_next - load(&u->f_after[i]) * f_next;
        Lanes ds = load(&u->s_right[i]) - load(&u->s_next[i]) * f - load(&u->s_after[i]) * ds_next;

        Lanes3 w = tangent(state, i);
        Segment g = segment(pack, j, i, w, fresh);
        Lanes both = ds + ds_next;
        Lanes dt = (f - g.c - g.b * both) * g.inv_a;
        add_stretch_multiplier(u, i, mul3(w, g.eA + g.kA * dt), fresh);
        store_sum(&u->volume[i], g.eV + g.kV * (g.s2 * dt + g.gamma * both), fresh);
        store_sum(&u->cross[i], g.eC + g.kC * both, fresh);
        store_sum(&u->gradient[i], g.eD + g.kD * (ds_next - ds), fresh);

        Lanes3 force = mul3(w, f);
        displace(u + 1, i, mul3(sub3(push, force), load(&pack->prepared[j + 1].m[i])));
        store(&state[1].s[i],
              lanes_clamp(load(&state[1].s[i]) + ds_next, SN_SCALE_MIN, SN_SCALE_MAX));
        push = force;
        f_next = f;
        ds_next = ds;
    }
    displace(pack->work, i, mul3(push, load(&pack->prepared[0].m[i])));
    store(&pack->state[0].s[i],
          lanes_clamp(load(&pack->state[0].s[i]) + ds_next, SN_SCALE_MIN, SN_SCALE_MAX));
}

void SN_WIDE_FUNCTION(rod_axial)(RodPack *pack, bool fresh) {
    for (int i = 0; i < pack->lanes; i += SN_WIDE) {
        if (pack->classic) {
            eliminate_classic(pack, i, fresh);
            substitute_classic(pack, i, fresh);
        } else {
            eliminate_volume(pack, i, fresh);
            substitute_volume(pack, i, fresh);
        }
    }
}
