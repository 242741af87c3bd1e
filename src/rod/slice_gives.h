// How the vertices of a bundle give way to contacts. Included by the files of their solver only.
//
// A contact moves a vertex as if it were alone, by 1/m for an impulse, and the solve that follows shares that with
// the whole bundle: of n fibres, a vertex goes 1/n of what the contact has asked for, or less. So contacts are told a
// part of 1/m, and the impulse is found again from it (rod_touch_wide.c).
//
// Before the first contacts of a sub-step, that is what a single impulse on the vertex does, |A⁻¹_vv|, with the
// Hessian A of the last iteration. Its blocks on the diagonal are found from the last section to the first. With
// the factors of a section, A_k = L D Lᵀ and W = L⁻¹ times the block beside it, and S' that of the next section,
//
//     S = L⁻ᵀ (D⁻¹ + D⁻¹ W S' Wᵀ D⁻¹) L⁻¹,
//
// and a vertex with the lever r has J S Jᵀ, J = (1, −[r], ρ) its displacement by the unknowns of its section.
//
// Several contacts at one section move it further than each of them knows of. From the second pass on, how far a
// section has gone for what pressed on it in the pass before tells how many they are, and what there is behind
// them: with the impulses p of that pass and what came of them, u, it is Σ p·u / Σ p·p/m of what each vertex
// alone would do. So that none goes too far where more contacts press than did, they are told CAUTION times as much.
//
// That sees nothing of stiff bundles that are squeezed from many sides, which answer to all of it by next to
// nothing, and to a little less on one side by far. Where contacts press with more than in the pass before, Σ p·p/m
// of the bundle, all are told GROWTH times as much from then on.
#pragma once

#include "rod/slice_solve.h"

#define CAUTION 2.0
#define LEAST_TOLD 0.25 // over the number of vertices of the section
#define GROWTH 4.0

typedef Number Square[SLICE_UNKNOWNS][SLICE_UNKNOWNS];

// S of section k, from that of the next one.
INLINE void answer_of_section(const Slices *c, int k, Square inverse) {
    RodSlice *slice = c->pack->slice + k;
    const int i = c->lanes.i;
    Square L, U;
    Number over[SLICE_UNKNOWNS];
    int below = 0;
    EACH(n, 0, SLICE_UNKNOWNS) {
        EACH(m, 0, n) L[n][m] = load(&slice->lower[below + m][i]);
        EACH(m, 0, SLICE_UNKNOWNS) U[n][m] = splat(0.0);
        below += n;
        U[n][n] = over[n] = load(&slice->pivot[n][i]);
    }
    for (int r = 0; r < SLICE_UNKNOWNS && k + 1 < c->graph->sections; ++r) {
        Number row[SLICE_UNKNOWNS]; // of W S'
        EACH(m, 0, SLICE_UNKNOWNS) {
            row[m] = splat(0.0);
            EACH(l, 0, SLICE_UNKNOWNS)
            row[m] += load(&slice->next[l * SLICE_UNKNOWNS + r][i]) * inverse[l][m];
        }
        for (int n = 0; n <= r; ++n) {
            Number sum = splat(0.0);
            EACH(l, 0, SLICE_UNKNOWNS)
            sum += row[l] * load(&slice->next[l * SLICE_UNKNOWNS + n][i]);
            sum *= over[r] * over[n];
            U[r][n] += sum;
            if (n < r)
                U[n][r] = U[r][n];
        }
    }
    for (int n = SLICE_UNKNOWNS - 1; n > 0; --n)
        for (int m = 0; m < n; ++m)
            EACH(l, 0, SLICE_UNKNOWNS) U[m][l] -= L[n][m] * U[n][l];
    for (int n = SLICE_UNKNOWNS - 1; n > 0; --n)
        for (int m = 0; m < n; ++m)
            EACH(l, 0, SLICE_UNKNOWNS) U[l][m] -= L[n][m] * U[l][n];
    EACH(n, 0, SLICE_UNKNOWNS) EACH(m, 0, SLICE_UNKNOWNS) inverse[n][m] = U[n][m];
}

// The size of J S Jᵀ (Frobenius): no less than it is in any direction, and the same in all axes.
INLINE Number answer_of_vertex(const Square inverse, Number3 r, Number by_scale) {
    const Number zero = splat(0.0);
    Number3 rho = mul3(r, by_scale);
    // What a force along an axis does to the turn and the scale of its section.
    const Number by[3][4] = {
        {zero, r.z, -r.y, rho.x}, {-r.z, zero, r.x, rho.y}, {r.y, -r.x, zero, rho.z}};
    Number sum = zero;
    EACH(a, 0, 3) {
        Number moved[SLICE_UNKNOWNS];
        EACH(n, 0, SLICE_UNKNOWNS) {
            moved[n] = inverse[n][a];
            EACH(l, 0, 4) moved[n] += inverse[n][3 + l] * by[a][l];
        }
        EACH(b, 0, 3) {
            Number along = moved[b];
            EACH(l, 0, 4) along += moved[3 + l] * by[b][l];
            sum += along * along;
        }
    }
    return number_sqrt(sum);
}

APART find_answers(const Slices *c, bool first) {
    const RodPack *pack = c->pack;
    const RodGraph *graph = c->graph;
    const int i = c->lanes.i;
    const Number one = splat(1.0);
    Square inverse;
    if (first) {
        store_row(&pack->slice->pressed[i], splat(1e30));
        store_row(&pack->slice->careful[i], one);
    }
    EACH(n, 0, SLICE_UNKNOWNS) EACH(m, 0, SLICE_UNKNOWNS) inverse[n][m] = splat(0.0);
    for (int k = graph->sections - 1; k >= 0; --k) {
        answer_of_section(c, k, inverse);
        const Number by_scale = spread_of(pack->slice + k, i);
        const int begin = graph->section_begin[k], end = graph->section_begin[k + 1];
        const Number least = splat(LEAST_TOLD / (end - begin));
        for (int e = begin; e < end; ++e) {
            int v = graph->section_vertex[e];
            SliceMember *member = pack->member + v;
            Number m = load_row(&pack->rest[v].mass[i]);
            Number own = m * answer_of_vertex(inverse, slice_load3(member->lever, i), by_scale);
            own = number_max(number_min(own, one), least);
            store_row(&member->own[i], own);
            if (first)
                store_row(&member->told[i], own);
        }
    }
}

INLINE Number moved_since(const float *aim, const float *seen, int i) {
    return load_row(aim + i) - load_row(seen + i);
}

// How far contacts have moved a vertex since the last iteration, if it were alone.
INLINE Number3 moved_by_contacts(const Slices *c, int v) {
    const RodAim *aim = c->pack->aim + v;
    const SliceMember *seen = c->pack->member + v;
    const int i = c->lanes.i;
    return (Number3){moved_since(aim->ux, seen->aim[0], i), moved_since(aim->uy, seen->aim[1], i),
                     moved_since(aim->uz, seen->aim[2], i)};
}

INLINE void look_for_growth(const Slices *c) {
    RodSlice *slice = c->pack->slice;
    const int i = c->lanes.i;
    Number sum = splat(0.0);
    for (int e = 0; e < c->graph->section_begin[c->graph->sections]; ++e) {
        int v = c->graph->section_vertex[e];
        Number3 off = moved_by_contacts(c, v);
        sum += load_row(&c->pack->rest[v].mass[i]) * dot3(off, off);
    }
    Number careful = load_row(&slice->careful[i]), before = load_row(&slice->pressed[i]);
    store_row(&slice->careful[i], number_if_less(before, sum, GROWTH * careful, careful));
    store_row(&slice->pressed[i], sum);
}

// After what contacts did has been answered, and before it is written down (RodWork).
INLINE void tell_section(const Slices *c, int k) {
    const RodPack *pack = c->pack;
    const int i = c->lanes.i, begin = c->graph->section_begin[k],
              end = c->graph->section_begin[k + 1];
    const Number one = splat(1.0), least = splat(LEAST_PIVOT);
    const Number careful = load_row(&pack->slice->careful[i]);
    Number went = splat(0.0), alone = went;
    for (int e = begin; e < end; ++e) {
        int v = c->graph->section_vertex[e];
        const RodWork *w = pack->work + v;
        Number m = load_row(&pack->rest[v].mass[i]);
        Number3 off = moved_by_contacts(c, v), u = slice_load3(pack->member[v].u, i);
        Number3 was = {load_row(&w->ux[i]), load_row(&w->uy[i]), load_row(&w->uz[i])};
        went += m * dot3(off, sub3(u, was));
        alone += m * dot3(off, off);
    }
    Number part = number_if_less(least, alone, CAUTION * went / alone, splat(0.0));
    for (int e = begin; e < end; ++e) {
        SliceMember *member = pack->member + c->graph->section_vertex[e];
        Number own = load_row(&member->own[i]) * careful;
        store_row(&member->told[i], number_min(number_max(own, part), one));
    }
}
