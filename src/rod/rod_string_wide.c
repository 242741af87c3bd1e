// Fibres under tension are strings: what pulls them straight must not be explicit.
//
// The direct pass (rod_axial_graph_wide.c) moves vertices by the tensions that it finds, along the
// segments as they lie. Across them that is a force that is not asked what it leads to: where
// τ = tension × h²/length is more than a third of a vertex's mass, strings swing ever farther. In the
// fibres of a muscle it is ten times as much. The displacement Δ⊥ across the fibre is therefore
// replaced by v, which takes the tensions at its end,
//
//     m v + Σ τ (v − v') = m Δ⊥,   the sum over the segments of the vertex, v' at their other ends,
//
// one band solve along every fibre, from its end to its beginning and back. Its forces are equal and
// opposite, and along the segments as they lie in the end, so both momenta are conserved.
#include "rod/axial.h"
#include "rod/graph.h"
#include "rod/sections.h"

// What is solved, in memory of the direct pass that it needs no more: x_v = (right + a τ x_u)/pivot.
typedef struct Unknown {
    float *pivot, *x, *y, *z, *pull;
} Unknown;

INLINE Unknown unknown(RodPack *pack, int vertex, int i) {
    RodBranch *b = pack->branch + vertex;
    return (Unknown){&b->xx[i], &b->xy[i], &b->xz[i], &b->yy[i], &b->yz[i]};
}

INLINE Lanes3 load3(Unknown u) { return (Lanes3){load(u.x), load(u.y), load(u.z)}; }

INLINE void store3(Unknown u, Lanes3 v) {
    store(u.x, v.x);
    store(u.y, v.y);
    store(u.z, v.z);
}

// The direction of the fibre at a vertex.
INLINE Lanes3 along_vertex(const RodPack *pack, int vertex, int i) {
    SectionSegments s = sn__section_segments(pack->graph, vertex);
    Lanes3 w = tangent(pack->state + s.first, i);
    if (s.second < 0)
        return w;
    Lanes3 next = tangent(pack->state + s.second, i);
    Lanes side = dot3(w, next);
    w = add3(w, (Lanes3){lanes_flip_by(next.x, side), lanes_flip_by(next.y, side),
                         lanes_flip_by(next.z, side)});
    return mul3(w, 1.0f / lanes_sqrt(lanes_max(dot3(w, w), splat(1e-12f))));
}

INLINE Lanes3 displaced(const RodPack *pack, int vertex, int i) {
    const RodBranch *b = pack->branch + vertex;
    return (Lanes3){load(&b->x[i]), load(&b->y[i]), load(&b->z[i])};
}

// τ: what the segment pulls with after the direct pass, over its length; what pushes does not count.
INLINE Lanes string_of(const RodPack *pack, int segment, int i) {
    const RodWork *u = pack->work + segment;
    const RodPrepared *p = pack->prepared + segment;
    const int *edge = pack->graph->edge[segment];
    Lanes pull = dot3(tangent(pack->state + segment, i), stretch_multiplier(u, i));
    if (!pack->classic) {
        Lanes s = 0.5f * (load(&pack->state[edge[0]].s[i]) + load(&pack->state[edge[1]].s[i]));
        pull += s * s * load(&u->volume[i]);
    }
    return lanes_max(pull, splat(0.0f)) / lanes_max(load(&p->length[i]), splat(1e-12f));
}

void WIDE_FUNCTION(rod_string)(RodPack *pack, int i) {
    const RodGraph *graph = pack->graph;
    for (int v = 0; v < graph->vertices; ++v) {
        Unknown u = unknown(pack, v, i);
        Lanes3 d = displaced(pack, v, i), w = along_vertex(pack, v, i);
        store(u.pivot, splat(1.0f));
        store3(u, sub3(d, mul3(w, dot3(w, d))));
    }
    for (int k = graph->segments; k-- > 0;) {
        const GraphStep *step = &graph->walk[k];
        Unknown from = unknown(pack, step->from, i), to = unknown(pack, step->to, i);
        Lanes tau = step->closes ? splat(0.0f) : string_of(pack, step->segment, i);
        Lanes a = tau * load(&pack->prepared[step->from].m[i]);
        Lanes b = tau * load(&pack->prepared[step->to].m[i]);
        Lanes inv = 1.0f / (load(to.pivot) + b);
        store(to.pivot, inv);
        store(to.pull, b);
        // from.pivot gets a more from this segment, less what the other end takes of it.
        store(from.pivot, load(from.pivot) + a * (1.0f - b * inv));
        store3(from, add3(load3(from), mul3(load3(to), a * inv)));
    }
    for (int k = 0; k < graph->segments; ++k) {
        const GraphStep *step = &graph->walk[k];
        if (step->closes)
            continue;
        Unknown from = unknown(pack, step->from, i), to = unknown(pack, step->to, i);
        if (step->before < 0)
            store3(from, mul3(load3(from), 1.0f / load(from.pivot)));
        store3(to, mul3(add3(load3(to), mul3(load3(from), load(to.pull))), load(to.pivot)));
    }
    for (int v = 0; v < graph->vertices; ++v) {
        Lanes3 d = displaced(pack, v, i), w = along_vertex(pack, v, i);
        Lanes3 moved = add3(mul3(w, dot3(w, d)), load3(unknown(pack, v, i)));
        RodBranch *b = pack->branch + v;
        store(&b->x[i], moved.x);
        store(&b->y[i], moved.y);
        store(&b->z[i], moved.z);
    }
}
