// The direct pass of creatures: length and thickness of a whole tree of segments at once.
//
// The equations are those of rod_axial_wide.c. On a graph they are solved for a spanning tree (the
// walk of graph.h), from its leaves to the root and back; segments that close a cycle are left to
// the sweeps.
//
// Cut a tree at a segment. What hangs behind the cut, at vertex v, gives way to a force linearly:
// with f the force of the segment along its tangent w and g that on the scale,
//
//     (δx, δs) = d − M (w f, g),
//
// M a symmetric 4 × 4 matrix, d where the rest behind the cut would go alone. Of a leaf, M is the
// inverse mass and inertia and d is 0. The segment's own equations (σ = 1 if it points to v, −1 if
// away; P = the 2 × 2 part of M for τ = w·δx and δs)
//
//     Δf = c + b (δs_u + δs_v) + a σ (τ_v − τ_u)
//     g_v = β Δf + q (δs_u + δs_v) + r + σ e_D + k_D (δs_v − δs_u),   g_u likewise,
//
// then say what vertex u on this side of it feels,
//
//     δs_v = S₀ − S₁ Δf − S₂ δs_u,   Δf = F₀ + F₁ δs_u − F₂ σ τ_u,
//
// which is a force η + Λ (τ_u, δs_u) with det Λ = F₂ h₂. Taking it into u changes M and d by
//
//     M ← M − M B X Bᵀ M,  X = (1 + Λ P)⁻¹ Λ,   d ← d − M B (1 + Λ P)⁻¹ (η + Λ Bᵀ d),
//
// with B = (w, e_s). All denominators are sums of what cannot be negative.
#include "rod/axial.h"
#include "rod/graph.h"

// How a vertex gives way, M, and where it goes, d.
typedef struct Give {
    Lanes xx, xy, xz, yy, yz, zz, xs, ys, zs, ss;
    Lanes3 d;
    Lanes ds;
} Give;

INLINE Give give_alone(const RodPack *pack, int vertex, int i) {
    Lanes zero = splat(0.0f), m = load(&pack->prepared[vertex].m[i]);
    return (Give){m,
                  zero,
                  zero,
                  m,
                  zero,
                  m,
                  zero,
                  zero,
                  zero,
                  load(&pack->prepared[vertex].m_scale[i]),
                  {zero, zero, zero},
                  zero};
}

INLINE Give give_load(const RodBranch *b, int i) {
    return (Give){load(&b->xx[i]),
                  load(&b->xy[i]),
                  load(&b->xz[i]),
                  load(&b->yy[i]),
                  load(&b->yz[i]),
                  load(&b->zz[i]),
                  load(&b->xs[i]),
                  load(&b->ys[i]),
                  load(&b->zs[i]),
                  load(&b->ss[i]),
                  {load(&b->x[i]), load(&b->y[i]), load(&b->z[i])},
                  load(&b->s[i])};
}

INLINE void give_store(RodBranch *b, int i, const Give *m, bool volume) {
    store(&b->xx[i], m->xx);
    store(&b->xy[i], m->xy);
    store(&b->xz[i], m->xz);
    store(&b->yy[i], m->yy);
    store(&b->yz[i], m->yz);
    store(&b->zz[i], m->zz);
    store(&b->x[i], m->d.x);
    store(&b->y[i], m->d.y);
    store(&b->z[i], m->d.z);
    if (volume) {
        store(&b->xs[i], m->xs);
        store(&b->ys[i], m->ys);
        store(&b->zs[i], m->zs);
        store(&b->ss[i], m->ss);
        store(&b->s[i], m->ds);
    }
}

// The part of M w for positions; that for the scale is w·(xs, ys, zs).
INLINE Lanes3 give_along(const Give *m, Lanes3 w) {
    return (Lanes3){m->xx * w.x + m->xy * w.y + m->xz * w.z,
                    m->xy * w.x + m->yy * w.y + m->yz * w.z,
                    m->xz * w.x + m->yz * w.y + m->zz * w.z};
}

INLINE Lanes3 give_mixed(const Give *m) { return (Lanes3){m->xs, m->ys, m->zs}; }

// M −= a bᵀ, for positions; a is a multiple of b, or the sum of two such makes it symmetric.
INLINE void give_less(Give *m, Lanes3 a, Lanes3 b) {
    m->xx -= a.x * b.x;
    m->xy -= a.x * b.y;
    m->xz -= a.x * b.z;
    m->yy -= a.y * b.y;
    m->yz -= a.y * b.z;
    m->zz -= a.z * b.z;
}

INLINE Lanes not_negative(Lanes a) { return lanes_max(a, splat(0.0f)); }

INLINE float sign_of(const RodGraph *graph, const GraphStep *step) {
    return graph->edge[step->segment][1] == step->to ? 1.0f : -1.0f;
}

INLINE Segment segment_of(const RodPack *pack, const GraphStep *step, int i, Lanes3 w, bool fresh) {
    const int *edge = pack->graph->edge[step->segment];
    return segment(pack, step->segment, edge[0], edge[1], i, w, fresh);
}

// A segment's force as a function of δs_u and τ_u, and so on; see above.
typedef struct Message {
    Lanes l11, l12, l22, det, e1, e2; // Λ, its determinant, η
} Message;

INLINE Message leave_volume(RodPack *pack, const GraphStep *step, int i, Lanes3 w, bool fresh) {
    Segment g = segment_of(pack, step, i, w, fresh);
    float sign = sign_of(pack->graph, step);
    RodBranch *to = pack->branch + step->to;
    Give v = step->leaf ? give_alone(pack, step->to, i) : give_load(to, i);
    if (step->leaf)
        give_store(to, i, &v, true);
    Lanes p11 = dot3(w, give_along(&v, w)), p12 = sign * dot3(w, give_mixed(&v)), p22 = v.ss;
    Lanes d1 = sign * dot3(w, v.d), eD = sign * g.eD;
    Lanes plus = g.q + g.kD, minus = g.q - g.kD;
    Lanes inv = 1.0f / (1.0f + p22 * plus);
    Lanes s_right = inv * (v.ds - p22 * (g.r + eD));
    Lanes s_force = inv * (p12 + p22 * g.beta), s_scale = inv * p22 * minus;
    Lanes soft = not_negative(p11 + g.beta * (2.0f * p12 + g.beta * p22)) +
                 plus * not_negative(p11 * p22 - p12 * p12);
    Lanes den = 1.0f / (1.0f + g.a * inv * soft);
    Lanes pull = g.r + eD + plus * s_right; // g_v without Δf and δs_u
    Lanes h1 = g.beta - minus * s_force;
    Lanes f = den * (g.c + g.b * s_right + g.a * (d1 - p12 * pull));
    Lanes f_along = den * g.a, f_scale = h1 * f_along;
    store(&to->f[i], f);
    store(&to->f_along[i], f_along);
    store(&to->f_scale[i], f_scale);
    store(&to->s_right[i], s_right);
    store(&to->s_force[i], s_force);
    store(&to->s_scale[i], s_scale);
    Lanes h2 = inv * (plus + 4.0f * p22 * g.q * g.kD);
    return (Message){.l11 = f_along,
                     .l12 = -sign * f_scale,
                     .l22 = h2 + h1 * f_scale,
                     .det = f_along * h2,
                     .e1 = -sign * f,
                     .e2 = g.r - eD + minus * s_right + h1 * f};
}

INLINE void take_volume(Give *u, Lanes3 w, Message l) {
    Lanes3 along = give_along(u, w), mixed = give_mixed(u);
    Lanes p11 = not_negative(dot3(w, along)), p12 = dot3(w, mixed), p22 = u->ss;
    Lanes det_p = not_negative(p11 * p22 - p12 * p12);
    Lanes inv = 1.0f / (1.0f + not_negative(l.l11 * p11 + 2.0f * l.l12 * p12 + l.l22 * p22) +
                        l.det * det_p);
    Lanes x11 = inv * (l.l11 + p22 * l.det), x12 = inv * (l.l12 - p12 * l.det);
    Lanes x22 = inv * (l.l22 + p11 * l.det);
    Lanes d1 = dot3(w, u->d), z1 = l.e1 + l.l11 * d1 + l.l12 * u->ds;
    Lanes z2 = l.e2 + l.l12 * d1 + l.l22 * u->ds;
    Lanes k12 = l.l11 * p12 + l.l12 * p22, k21 = l.l12 * p11 + l.l22 * p12;
    Lanes y1 = inv * ((1.0f + l.l12 * p12 + l.l22 * p22) * z1 - k12 * z2);
    Lanes y2 = inv * ((1.0f + l.l11 * p11 + l.l12 * p12) * z2 - k21 * z1);
    u->d = sub3(u->d, add3(mul3(along, y1), mul3(mixed, y2)));
    u->ds -= p12 * y1 + p22 * y2;

    Lanes3 a = add3(mul3(along, x11), mul3(mixed, x12)),
           b = add3(mul3(along, x12), mul3(mixed, x22));
    Lanes as = p12 * x11 + p22 * x12, bs = p12 * x12 + p22 * x22;
    give_less(u, a, along);
    give_less(u, b, mixed);
    u->xs -= a.x * p12 + b.x * p22;
    u->ys -= a.y * p12 + b.y * p22;
    u->zs -= a.z * p12 + b.z * p22;
    u->ss = not_negative(p22 - (as * p12 + bs * p22));
}

// The same of a classic rod: Δf = F₀ − F₂ σ τ_u.
INLINE void pass_classic(RodPack *pack, const GraphStep *step, int i, Lanes3 w, Give *u,
                         bool fresh) {
    const int *edge = pack->graph->edge[step->segment];
    RodWork *work = pack->work + step->segment;
    const RodPrepared *p = pack->prepared + step->segment;
    float sign = sign_of(pack->graph, step);
    RodBranch *to = pack->branch + step->to;
    Give v = step->leaf ? give_alone(pack, step->to, i) : give_load(to, i);
    if (step->leaf)
        give_store(to, i, &v, false);
    Lanes k = load(&p->k_stretch[i]);
    Lanes W =
        length_along(work, pack->work + edge[0], pack->work + edge[1], i, w) - load(&p->taut[i]);
    Lanes e = stretch_error(work, i, k, W, w, fresh);
    Lanes den = 1.0f / (1.0f + k * not_negative(dot3(w, give_along(&v, w))));
    Lanes f = den * (e + k * sign * dot3(w, v.d)), f_along = den * k;
    store(&to->f[i], f);
    store(&to->f_along[i], f_along);
    Lanes3 along = give_along(u, w);
    Lanes inv = 1.0f / (1.0f + f_along * not_negative(dot3(w, along)));
    Lanes y = inv * (f_along * dot3(w, u->d) - sign * f);
    u->d = sub3(u->d, mul3(along, y));
    give_less(u, mul3(along, inv * f_along), along);
}

INLINE void gather(RodPack *pack, int i, bool volume, bool fresh) {
    const RodGraph *graph = pack->graph;
    for (int k = graph->segments; k-- > 0;) {
        const GraphStep *step = &graph->walk[k];
        if (step->closes)
            continue;
        Lanes3 w = tangent(pack->state + step->segment, i);
        RodBranch *from = pack->branch + step->from;
        Give u = step->last ? give_alone(pack, step->from, i) : give_load(from, i);
        if (volume)
            take_volume(&u, w, leave_volume(pack, step, i, w, fresh));
        else
            pass_classic(pack, step, i, w, &u, fresh);
        give_store(from, i, &u, volume);
    }
}

INLINE void spread_volume(RodPack *pack, const GraphStep *step, int i, bool fresh) {
    float sign = sign_of(pack->graph, step);
    const RodBranch *from = pack->branch + step->from;
    RodBranch *to = pack->branch + step->to;
    RodWork *work = pack->work + step->segment;
    Lanes3 w = tangent(pack->state + step->segment, i);
    Segment g = segment_of(pack, step, i, w, fresh);
    Lanes3 at = {load(&from->x[i]), load(&from->y[i]), load(&from->z[i])};
    Lanes su = load(&from->s[i]);
    Lanes f =
        load(&to->f[i]) + load(&to->f_scale[i]) * su - sign * load(&to->f_along[i]) * dot3(w, at);
    Lanes sv = load(&to->s_right[i]) - load(&to->s_force[i]) * f - load(&to->s_scale[i]) * su;
    Lanes squeeze = g.beta * f + (g.q - g.kD) * su + (g.q + g.kD) * sv + g.r + sign * g.eD;
    Give v = give_load(to, i);
    Lanes3 moved =
        sub3(v.d, add3(mul3(give_along(&v, w), sign * f), mul3(give_mixed(&v), squeeze)));
    store(&to->x[i], moved.x);
    store(&to->y[i], moved.y);
    store(&to->z[i], moved.z);
    store(&to->s[i], sv);

    Lanes both = su + sv, dt = (f - g.c - g.b * both) * g.inv_a;
    add_stretch_multiplier(work, i, mul3(w, g.eA + g.kA * dt), fresh);
    store_sum(&work->volume[i], g.eV + g.kV * (g.s2 * dt + g.gamma * both), fresh);
    store_sum(&work->cross[i], g.eC + g.kC * both, fresh);
    store_sum(&work->gradient[i], g.eD + g.kD * sign * (sv - su), fresh);
}

INLINE void spread_classic(RodPack *pack, const GraphStep *step, int i, bool fresh) {
    float sign = sign_of(pack->graph, step);
    const RodBranch *from = pack->branch + step->from;
    RodBranch *to = pack->branch + step->to;
    Lanes3 w = tangent(pack->state + step->segment, i);
    Lanes3 at = {load(&from->x[i]), load(&from->y[i]), load(&from->z[i])};
    Lanes f = load(&to->f[i]) - sign * load(&to->f_along[i]) * dot3(w, at);
    Give v = give_load(to, i);
    Lanes3 moved = sub3(v.d, mul3(give_along(&v, w), sign * f));
    store(&to->x[i], moved.x);
    store(&to->y[i], moved.y);
    store(&to->z[i], moved.z);
    add_stretch_multiplier(pack->work + step->segment, i, mul3(w, f), fresh);
}

// Segments that close a cycle have no part in this.
INLINE void clear_multipliers(RodWork *work, int i) {
    Lanes zero = splat(0.0f);
    add_stretch_multiplier(work, i, (Lanes3){zero, zero, zero}, true);
    store(&work->volume[i], zero);
    store(&work->cross[i], zero);
    store(&work->gradient[i], zero);
}

INLINE void spread(RodPack *pack, int i, bool volume, bool fresh) {
    const RodGraph *graph = pack->graph;
    for (int k = 0; k < graph->segments; ++k) {
        const GraphStep *step = &graph->walk[k];
        if (!step->closes && volume)
            spread_volume(pack, step, i, fresh);
        else if (!step->closes)
            spread_classic(pack, step, i, fresh);
        else if (fresh)
            clear_multipliers(pack->work + step->segment, i);
    }
}

INLINE void move_vertices(RodPack *pack, int i, bool volume) {
    for (int j = 0; j < pack->graph->vertices; ++j) {
        const RodBranch *b = pack->branch + j;
        float *s = &pack->state[j].s[i];
        displace(pack->work + j, i, (Lanes3){load(&b->x[i]), load(&b->y[i]), load(&b->z[i])});
        if (volume)
            store(s, lanes_clamp(load(s) + load(&b->s[i]), SCALE_MIN, SCALE_MAX));
    }
}

void WIDE_FUNCTION(rod_axial_graph)(RodPack *pack, bool fresh) {
    for (int i = 0; i < pack->lanes; i += WIDE)
        if (pack->classic) {
            gather(pack, i, false, fresh);
            spread(pack, i, false, fresh);
            if (pack->bundle)
                WIDE_FUNCTION(rod_string)(pack, i);
            move_vertices(pack, i, false);
        } else {
            gather(pack, i, true, fresh);
            spread(pack, i, true, fresh);
            if (pack->bundle)
                WIDE_FUNCTION(rod_string)(pack, i);
            move_vertices(pack, i, true);
        }
}
