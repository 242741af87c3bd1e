// Bundles that are swept: every section is matched to its rest shape, moved, turned and scaled
// (section_match.h).
//
// Every vertex then goes a part p = h²κ/(1 + h²κ) of its way to where the section wants it, less what
// it has been given before in this sub-step: with d the sum of that, d = h²κ (goal − c) is reached by
//
//     Δ = p (goal − c) − (1 − p) d.
//
// Positions change by their inertia, so that Σ m Δc = 0; and Σ m c × Δc + Σ τ = 0 with the torques
//
//     τ = J₁ Σ (R e) × (R* e) + J₂ (R z) × (R* z),   the first sum over all three axes e,
//
// because A R*ᵀ is symmetric. They are shared by the two segments of the vertex. Where a fibre bends, the
// second part is also one about the axes of its segments, which have next to no inertia about them and
// would roll ever faster to and fro. That component is left out: so much of the angular momentum that
// sections pass on between frames and positions is lost in bent fibres.
#include "rod/section_match.h"

// Half of a turn in one update, per axis, is at most this (rod_sweep_wide.c).
#define HALF_ANGLE_MAX 0.25f

// What is given now, on the way `wrong` that is left; it is added to `given`.
INLINE Lanes give(float *given, Lanes wrong, Lanes part, Lanes mobility, bool fresh) {
    Lanes before = fresh ? splat(0.0f) : load(given);
    Lanes now = part * wrong - (1.0f - part) * before;
    now = lanes_if_less(splat(0.0f), mobility, now, splat(0.0f));
    store(given, before + now);
    return now;
}

// Lanes whose section is left alone keep their bits.
INLINE void put(float *to, Lanes part, Lanes value) {
    store(to, lanes_if_less(splat(0.0f), part, value, load(to)));
}

// A segment turned by a torque that has acted so long that it is an angular momentum times h.
INLINE void turn_segment(RodPack *pack, int segment, int i, Lanes3 torque, Lanes3 lean,
                         Lanes part) {
    RodState *s = pack->state + segment;
    const RodPrepared *p = pack->prepared + segment;
    Lanes4 q = load_frame(s, i);
    Lanes3 own = quat_rotate(quat_conjugate(q), torque);
    Lanes3 own_lean = quat_rotate(quat_conjugate(q), lean);
    own.x += own_lean.x;
    own.y += own_lean.y;
    Lanes across = load(&p->m_turn[i]), along = load(&p->m_roll[i]); // halves
    Lanes4 by = {lanes_clamp(own.x * across, -HALF_ANGLE_MAX, HALF_ANGLE_MAX),
                 lanes_clamp(own.y * across, -HALF_ANGLE_MAX, HALF_ANGLE_MAX),
                 lanes_clamp(own.z * along, -HALF_ANGLE_MAX, HALF_ANGLE_MAX), splat(1.0f)};
    q = quat_normalise(quat_mul(q, by));
    put(&s->qx[i], part, q.x);
    put(&s->qy[i], part, q.y);
    put(&s->qz[i], part, q.z);
    put(&s->qw[i], part, q.w);
}

INLINE void turn_vertex(RodPack *pack, int vertex, int i, const Match *m, bool fresh) {
    RodBundle *b = pack->bundle + vertex;
    Lanes4 turn = {load(&b->rx[i]), load(&b->ry[i]), load(&b->rz[i]), load(&b->rw[i])};
    // (R e) × (R* e) over all axes: with q* conj(r) = (v, w), it is 4 w v.
    Lanes4 off = quat_mul(m->q, quat_conjugate(turn));
    Lanes3 all = mul3((Lanes3){off.x, off.y, off.z}, 4.0f * off.w * load(&b->turn[i]));
    Lanes3 z = rest_along(b, i);
    Lanes3 lean = cross3(quat_rotate(turn, z), matrix_times(&m->R, z));
    Lanes always = splat(1.0f);
    all.x = give(&b->tx[i], all.x, m->part, always, fresh);
    all.y = give(&b->ty[i], all.y, m->part, always, fresh);
    all.z = give(&b->tz[i], all.z, m->part, always, fresh);
    lean = mul3(lean, load(&b->turn_more[i]));
    lean.x = give(&b->lean_x[i], lean.x, m->part, always, fresh);
    lean.y = give(&b->lean_y[i], lean.y, m->part, always, fresh);
    lean.z = give(&b->lean_z[i], lean.z, m->part, always, fresh);
    SectionSegments s = sn__section_segments(pack->graph, vertex);
    Lanes share = load(&b->first[i]);
    turn_segment(pack, s.first, i, mul3(all, share), mul3(lean, share), m->part);
    share = 1.0f - share;
    if (s.second >= 0)
        turn_segment(pack, s.second, i, mul3(all, share), mul3(lean, share), m->part);
}

// How far every vertex is from its place. What float rounds of the centre of mass is small, but the same
// in every sub-step, and would push the bundle along: so it is taken from the sum of the ways themselves.
INLINE Lanes3 measure_ways(RodPack *pack, int section, int i, const Match *m) {
    const RodGraph *graph = pack->graph;
    int begin = graph->section_begin[section], first = graph->section_vertex[begin];
    Lanes zero = splat(0.0f);
    Lanes3 sum = {zero, zero, zero};
    for (int e = begin; e < graph->section_begin[section + 1]; ++e) {
        int v = graph->section_vertex[e];
        RodBundle *b = pack->bundle + v;
        Lanes3 goal = mul3(matrix_times(&m->R, rest_place(b, i)), m->scale);
        Lanes3 off = sub3(add3(m->centre, goal), place_from(pack, first, v, i));
        sum = add3(sum, mul3(off, load(&pack->rest[v].mass[i])));
        store(&b->off_x[i], off.x);
        store(&b->off_y[i], off.y);
        store(&b->off_z[i], off.z);
    }
    return mul3(sum, load(&pack->section[section].mass[i]));
}

INLINE void move_vertex(RodPack *pack, int vertex, int i, Lanes3 rounded, const Match *m,
                        bool fresh) {
    RodBundle *b = pack->bundle + vertex;
    RodWork *u = pack->work + vertex;
    Lanes mobility = load(&pack->prepared[vertex].m[i]);
    Lanes3 off = {load(&b->off_x[i]), load(&b->off_y[i]), load(&b->off_z[i])};
    off = sub3(off, rounded);
    put(&u->ux[i], m->part, load(&u->ux[i]) + give(&b->gx[i], off.x, m->part, mobility, fresh));
    put(&u->uy[i], m->part, load(&u->uy[i]) + give(&b->gy[i], off.y, m->part, mobility, fresh));
    put(&u->uz[i], m->part, load(&u->uz[i]) + give(&b->gz[i], off.z, m->part, mobility, fresh));
    if (pack->classic)
        return;
    float *scale = &pack->state[vertex].s[i];
    Lanes s = load(scale), gives = load(&pack->prepared[vertex].m_scale[i]) * load(&b->scale[i]);
    put(scale, m->part, s + give(&b->gs[i], m->scale - s, m->part, gives, fresh));
}

void WIDE_FUNCTION(rod_bundle)(RodPack *pack, bool fresh) {
    const RodGraph *graph = pack->graph;
    for (int k = 0; k < graph->sections; ++k)
        for (int i = 0; i < pack->lanes; i += WIDE) {
            if (!lanes_any_less(splat(0.0f), load(&pack->section[k].part[i])))
                continue;
            Match m = match(pack, k, i, splat(1.0f));
            Lanes3 rounded = measure_ways(pack, k, i, &m);
            for (int e = graph->section_begin[k]; e < graph->section_begin[k + 1]; ++e) {
                move_vertex(pack, graph->section_vertex[e], i, rounded, &m, fresh);
                turn_vertex(pack, graph->section_vertex[e], i, &m, fresh);
            }
        }
}
