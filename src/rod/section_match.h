// How a section is matched to its rest shape (sections.h): the best move, turn and scale. Included by
// *_wide.c files only.
//
// The best move is that of the centre of mass, the best turn R* that of match_lanes.h with
//
//     A = Σ m (c − μ) c̄ᵀ + Σ R (J₁ + J₂ z zᵀ),
//
// z the direction of the rod at rest, J₁ and J₂ as prepare_turn has them; and the best scale, eq. 35,
//
//     s* = (Σ m (c − μ)·R* c̄ + Σ w s) / (Σ m |c̄|² + Σ w).
#pragma once

#include "math/match_lanes.h"
#include "rod/sections.h"
#include "rod/wide.h"

// What a section is matched with.
typedef struct Match {
    LanesMatrix R;
    Lanes4 q;
    Lanes3 centre; // from the first vertex
    Lanes scale, part;
} Match;

INLINE Lanes3 rest_place(const RodBundle *b, int i) {
    return (Lanes3){load(&b->x[i]), load(&b->y[i]), load(&b->z[i])};
}

INLINE Lanes3 rest_along(const RodBundle *b, int i) {
    return (Lanes3){load(&b->along_x[i]), load(&b->along_y[i]), load(&b->along_z[i])};
}

// From vertex `from` to vertex `to`, as they are displaced now.
INLINE Lanes3 place_from(const RodPack *pack, int from, int to, int i) {
    const RodState *a = pack->state + from, *b = pack->state + to;
    const RodWork *u = pack->work + from, *v = pack->work + to;
    return (Lanes3){
        (load(&b->x[i]) - load(&a->x[i])) + (load(&v->ux[i]) - load(&u->ux[i])),
        (load(&b->y[i]) - load(&a->y[i])) + (load(&v->uy[i]) - load(&u->uy[i])),
        (load(&b->z[i]) - load(&a->z[i])) + (load(&v->uz[i]) - load(&u->uz[i])),
    };
}

INLINE Lanes4 load_frame(const RodState *s, int i) {
    return (Lanes4){load(&s->qx[i]), load(&s->qy[i]), load(&s->qz[i]), load(&s->qw[i])};
}

INLINE Lanes4 segment_turn(const RodPack *pack, int segment, int i) {
    const RodBundle *b = pack->bundle + segment;
    Lanes4 rest = {load(&b->frame_x[i]), load(&b->frame_y[i]), load(&b->frame_z[i]),
                   load(&b->frame_w[i])};
    return quat_mul(load_frame(pack->state + segment, i), rest);
}

// a + b, b taken on the side of a: q and −q are the same turn.
INLINE Lanes4 add_turns(Lanes4 a, Lanes4 b) {
    Lanes dot = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    return (Lanes4){a.x + lanes_flip_by(b.x, dot), a.y + lanes_flip_by(b.y, dot),
                    a.z + lanes_flip_by(b.z, dot), a.w + lanes_flip_by(b.w, dot)};
}

// The turn of a vertex since the rest pose.
INLINE Lanes4 vertex_turn(RodPack *pack, int vertex, int i) {
    SectionSegments s = sn__section_segments(pack->graph, vertex);
    Lanes4 turn = segment_turn(pack, s.first, i);
    if (s.second >= 0)
        turn = add_turns(turn, segment_turn(pack, s.second, i));
    turn = quat_normalise(turn);
    RodBundle *b = pack->bundle + vertex;
    store(&b->rx[i], turn.x);
    store(&b->ry[i], turn.y);
    store(&b->rz[i], turn.z);
    store(&b->rw[i], turn.w);
    return turn;
}

// `leaning` of what frames say about the turn counts.
INLINE Match match(RodPack *pack, int section, int i, Lanes leaning) {
    const RodGraph *graph = pack->graph;
    const RodSection *of = pack->section + section;
    int begin = graph->section_begin[section], end = graph->section_begin[section + 1];
    int first = graph->section_vertex[begin];
    Lanes zero = splat(0.0f);
    Lanes3 none = {zero, zero, zero}, centre = none;
    LanesMatrix places = {none, none, none}, turns = places;
    Lanes scales = zero, weights = zero;
    Lanes4 guess = {zero, zero, zero, zero};
    for (int e = begin; e < end; ++e) {
        int v = graph->section_vertex[e];
        const RodBundle *b = pack->bundle + v;
        Lanes3 weighted = mul3(place_from(pack, first, v, i), load(&pack->rest[v].mass[i]));
        centre = add3(centre, weighted);
        matrix_add_outer(&places, weighted, rest_place(b, i));

        Lanes4 turn = vertex_turn(pack, v, i);
        LanesMatrix R = matrix_of(turn);
        Lanes J = leaning * load(&b->turn[i]), more = leaning * load(&b->turn_more[i]);
        Lanes3 z = rest_along(b, i);
        turns.x = add3(turns.x, mul3(R.x, J));
        turns.y = add3(turns.y, mul3(R.y, J));
        turns.z = add3(turns.z, mul3(R.z, J));
        matrix_add_outer(&turns, mul3(matrix_times(&R, z), more), z);
        guess = add_turns(guess, turn);

        Lanes w = load(&b->scale[i]);
        scales += w * load(&pack->state[v].s[i]);
        weights += w;
    }
    LanesMatrix A = matrix_sum(places, turns);
    Match m;
    m.q = match_rotation(&A, quat_normalise(guess));
    m.R = matrix_of(m.q);
    m.centre = mul3(centre, load(&of->mass[i]));
    Lanes fitted = (matrix_dot(&m.R, &places) + scales) /
                   lanes_max(load(&of->moment[i]) + weights, splat(1e-30f));
    fitted = lanes_clamp(fitted, SCALE_MIN, SCALE_MAX);
    m.scale = lanes_if_less(zero, load(&pack->section_scaled[i]), fitted, splat(1.0f));
    m.part = load(&of->part[i]);
    return m;
}
