// What the direct passes of chains and of creatures share. Included by their *_wide.c files only.
#pragma once

#include "math/lanes.h"
#include "rod/wide.h"

// The direct pass of packs with a graph (rod_axial_graph_wide.c).
void WIDE_FUNCTION(rod_axial_graph)(RodPack *pack, bool fresh);

// Of packs with sections: what the direct pass does across fibres, made implicit (rod_string_wide.c).
void WIDE_FUNCTION(rod_string)(RodPack *pack, int i);

INLINE Lanes3 displacement(const RodWork *u, int i) {
    return (Lanes3){load(&u->ux[i]), load(&u->uy[i]), load(&u->uz[i])};
}

INLINE void displace(RodWork *u, int i, Lanes3 by) {
    store(&u->ux[i], load(&u->ux[i]) + by.x);
    store(&u->uy[i], load(&u->uy[i]) + by.y);
    store(&u->uz[i], load(&u->uz[i]) + by.z);
}

INLINE Lanes3 tangent(const RodState *s, int i) {
    return quat_axis_z(
        (Lanes4){load(&s->qx[i]), load(&s->qy[i]), load(&s->qz[i]), load(&s->qw[i])});
}

// Length of segment u from vertex a to vertex b.
INLINE Lanes length_along(const RodWork *u, const RodWork *a, const RodWork *b, int i, Lanes3 w) {
    Lanes3 edge = {load(&u->ex[i]), load(&u->ey[i]), load(&u->ez[i])};
    return dot3(w, add3(edge, sub3(displacement(b, i), displacement(a, i))));
}

INLINE Lanes3 stretch_multiplier(const RodWork *u, int i) {
    return (Lanes3){load(&u->stretch_x[i]), load(&u->stretch_y[i]), load(&u->stretch_z[i])};
}

INLINE void add_stretch_multiplier(RodWork *u, int i, Lanes3 delta, bool fresh) {
    Lanes3 mu = fresh ? delta : add3(stretch_multiplier(u, i), delta);
    store(&u->stretch_x[i], mu.x);
    store(&u->stretch_y[i], mu.y);
    store(&u->stretch_z[i], mu.z);
}

// k W − μ of eq. 11 along the tangent.
INLINE Lanes stretch_error(const RodWork *u, int i, Lanes k, Lanes W, Lanes3 w, bool fresh) {
    return fresh ? k * W : k * W - dot3(w, stretch_multiplier(u, i));
}

INLINE void store_sum(float *row, Lanes delta, bool fresh) {
    if (!fresh)
        delta += load(row);
    store(row, delta);
}

// What a segment brings into the equations; rod_axial_wide.c has the symbols.
typedef struct Segment {
    Lanes kA, kV, kC, kD, eA, eV, eC, eD;
    Lanes s2, gamma, inv_a, a, b, beta, c, q, r;
} Segment;

// Segment j from vertex a to vertex b.
INLINE Segment segment(const RodPack *pack, int j, int a, int b, int i, Lanes3 w, bool fresh) {
    const RodPrepared *p = pack->prepared + j;
    const RodWork *u = pack->work + j;
    Lanes direct = load(&p->direct[i]);
    Lanes sa = load(&pack->state[a].s[i]), sb = load(&pack->state[b].s[i]);
    Lanes s = 0.5f * (sa + sb), t = length_along(u, pack->work + a, pack->work + b, i, w);
    Segment g;
    g.kA = load(&p->k_stretch[i]) * direct;
    g.kV = load(&p->k_volume[i]) * direct;
    g.kC = load(&p->k_cross[i]) * direct;
    g.kD = load(&p->k_gradient[i]) * direct;
    g.s2 = s * s;
    g.gamma = s * t;
    g.eA = direct * stretch_error(u, i, g.kA, t - load(&p->taut[i]), w, fresh);
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
