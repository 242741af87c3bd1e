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
#include "rod/axial.h"

INLINE void eliminate_classic(RodPack *pack, int i, bool fresh) {
    Lanes upper = splat(0.0f), right = upper, link = upper; // of the row before; link = G_j,j−1
    Lanes3 w = tangent(pack->state, i);
    Lanes m = load(&pack->prepared[0].m[i]);
    for (int j = 0; j < pack->rows; ++j) {
        const RodPrepared *p = pack->prepared + j;
        RodWork *u = pack->work + j;
        Lanes direct = load(&p->direct[i]), k = load(&p->k_stretch[i]) * direct;
        Lanes3 w_next = tangent(pack->state + j + 1, i);
        Lanes m_next = load(&p[1].m[i]);
        Lanes W = length_along(u, u, u + 1, i, w) - load(&p->taut[i]);
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

INLINE void substitute_classic(RodPack *pack, int i, bool fresh) {
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

INLINE Segment inert_segment(void) {
    Lanes zero = splat(0.0f);
    return (Segment){.kD = zero, .eD = zero, .beta = zero, .q = zero, .r = zero};
}

// An unknown as x = right − next·x_next − after·x_after.
typedef struct Solved {
    Lanes next, after, right;
} Solved;

// Eliminates the two unknowns before from lower2 x₋₂ + lower1 x₋₁ + diag x + upper1 x₊₁ + upper2
// x₊₂ = right.
INLINE Solved eliminate(Solved before2, Solved before1, Lanes lower2, Lanes lower1, Lanes diag,
                        Lanes upper1, Lanes upper2, Lanes right) {
    lower1 -= lower2 * before2.next;
    diag -= lower2 * before2.after + lower1 * before1.next;
    upper1 -= lower1 * before1.after;
    right -= lower2 * before2.right + lower1 * before1.right;
    Lanes pivot = 1.0f / diag;
    return (Solved){upper1 * pivot, upper2 * pivot, right * pivot};
}

INLINE void eliminate_volume(RodPack *pack, int i, bool fresh) {
    Lanes zero = splat(0.0f), link = zero;
    Solved s_before = {zero, zero, zero}, f_before = s_before;
    Segment before = inert_segment();
    Lanes3 w = tangent(pack->state, i);
    Lanes m = load(&pack->prepared[0].m[i]);
    for (int j = 0; j <= pack->rows; ++j) {
        const RodPrepared *p = pack->prepared + j;
        RodWork *u = pack->work + j;
        Segment g = j < pack->rows ? segment(pack, j, j, j + 1, i, w, fresh) : inert_segment();

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

INLINE void substitute_volume(RodPack *pack, int i, bool fresh) {
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
        Segment g = segment(pack, j, j, j + 1, i, w, fresh);
        Lanes both = ds + ds_next;
        Lanes dt = (f - g.c - g.b * both) * g.inv_a;
        add_stretch_multiplier(u, i, mul3(w, g.eA + g.kA * dt), fresh);
        store_sum(&u->volume[i], g.eV + g.kV * (g.s2 * dt + g.gamma * both), fresh);
        store_sum(&u->cross[i], g.eC + g.kC * both, fresh);
        store_sum(&u->gradient[i], g.eD + g.kD * (ds_next - ds), fresh);

        Lanes3 force = mul3(w, f);
        displace(u + 1, i, mul3(sub3(push, force), load(&pack->prepared[j + 1].m[i])));
        store(&state[1].s[i], lanes_clamp(load(&state[1].s[i]) + ds_next, SCALE_MIN, SCALE_MAX));
        push = force;
        f_next = f;
        ds_next = ds;
    }
    displace(pack->work, i, mul3(push, load(&pack->prepared[0].m[i])));
    store(&pack->state[0].s[i],
          lanes_clamp(load(&pack->state[0].s[i]) + ds_next, SCALE_MIN, SCALE_MAX));
}

void WIDE_FUNCTION(rod_axial)(RodPack *pack, bool fresh) {
    if (pack->graph) {
        WIDE_FUNCTION(rod_axial_graph)(pack, fresh);
        return;
    }
    for (int i = 0; i < pack->lanes; i += WIDE)
        if (pack->classic) {
            eliminate_classic(pack, i, fresh);
            substitute_classic(pack, i, fresh);
        } else {
            eliminate_volume(pack, i, fresh);
            substitute_volume(pack, i, fresh);
        }
}
