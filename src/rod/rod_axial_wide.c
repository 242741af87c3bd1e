// The direct pass along the rod: all stretch constraints of a chain at once.
//
// A sweep carries a load one way along a chain and a stiff rope under its own weight stays
// stretched however stiff it is. But the component of eq. 11 along the tangent couples only
// neighbours, so its linear system is tridiagonal,
//
//     (1 + k_j G_jj) Δμ_j + k_j (G_j,j−1 Δμ_j−1 + G_j,j+1 Δμ_j+1) = k_j W_j − μ_j,
//     W_j = w_j·d_j − l_j,   G_jj = m_j + m_j+1,   G_j,j+1 = −m_j+1 w_j·w_j+1,
//
// and is solved exactly in two passes: one block of Gauss-Seidel that is a whole rod. It runs once
// per sub-step, before the sweeps.
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

SN_INLINE Lanes3 stretch_multiplier(const RodWork *u, int i) {
    return (Lanes3){load(&u->stretch_x[i]), load(&u->stretch_y[i]), load(&u->stretch_z[i])};
}

SN_INLINE void eliminate(RodPack *pack, int i, bool fresh) {
    Lanes upper = splat(0.0f), right = upper, link = upper; // of the row before; link = G_j,j−1
    Lanes3 x = displacement(pack->work, i), w = tangent(pack->state, i);
    Lanes m = load(&pack->prepared[0].m[i]);
    for (int j = 0; j < pack->rows; ++j) {
        const RodPrepared *p = pack->prepared + j;
        RodWork *u = pack->work + j;
        Lanes3 x_next = displacement(u + 1, i), w_next = tangent(pack->state + j + 1, i);
        Lanes3 edge = {load(&u->ex[i]), load(&u->ey[i]), load(&u->ez[i])};
        Lanes m_next = load(&p[1].m[i]);
        Lanes k = load(&p->k_axial[i]);
        Lanes W = dot3(w, add3(edge, sub3(x_next, x))) - load(&p->active[i]);
        Lanes e = k * W;
        if (!fresh)
            e -= dot3(w, stretch_multiplier(u, i));
        Lanes next_link = -m_next * dot3(w, w_next);
        Lanes lower = k * link;
        Lanes pivot = 1.0f / (1.0f + k * (m + m_next) - lower * upper);
        upper = k * next_link * pivot;
        right = (e - lower * right) * pivot;
        store(&u->axial_upper[i], upper);
        store(&u->axial_right[i], right);
        x = x_next;
        w = w_next;
        m = m_next;
        link = next_link;
    }
}

SN_INLINE void substitute(RodPack *pack, int i, bool fresh) {
    Lanes delta = splat(0.0f);
    Lanes3 push = {delta, delta, delta}; // of the segment behind the vertex
    for (int j = pack->rows; j-- > 0;) {
        const RodPrepared *p = pack->prepared + j;
        RodWork *u = pack->work + j;
        Lanes3 w = tangent(pack->state + j, i);
        delta = load(&u->axial_right[i]) - load(&u->axial_upper[i]) * delta;
        Lanes3 force = mul3(w, delta);
        Lanes3 mu = fresh ? force : add3(stretch_multiplier(u, i), force);
        store(&u->stretch_x[i], mu.x);
        store(&u->stretch_y[i], mu.y);
        store(&u->stretch_z[i], mu.z);
        displace(u + 1, i, mul3(sub3(push, force), load(&p[1].m[i])));
        push = force;
    }
    displace(pack->work, i, mul3(push, load(&pack->prepared[0].m[i])));
}

void SN_WIDE_FUNCTION(rod_axial)(RodPack *pack, bool fresh) {
    for (int i = 0; i < pack->lanes; i += SN_WIDE) {
        eliminate(pack, i, fresh);
        substitute(pack, i, fresh);
    }
}
