// The linear system of slices: a section has to do with the next one only, so its blocks are eliminated
// one after the other, L D Lᵀ, without pivoting, as it is positive definite. Included by the files of their
// solver only.
#pragma once

#include "rod/slice_terms.h"

// A scale that is as small or as large as scales may be, and would be more so after the step, is held where it is, and
// the step is found anew. Else its neighbours would go as far as if it had followed, and to and fro.
INLINE Number beyond_bounds(const RodSlice *slice, int i) {
    const Number s = load(&slice->s[i]), to = s + load(&slice->step[6][i]);
    const Number zero = splat(0.0), one = splat(1.0);
    Number small = number_if_less(splat(SCALE_MIN), s, zero, number_if_less(to, s, one, zero));
    Number large = number_if_less(s, splat(SCALE_MAX), zero, number_if_less(s, to, one, zero));
    return small + large;
}

INLINE void leave_bounds(const Slices *c) {
    for (int k = 0; k < c->graph->sections; ++k)
        store_row(&c->pack->slice[k].bounded[c->lanes.i], splat(0.0));
}

// False: there are none.
INLINE bool hold_at_bounds(const Slices *c) {
    const int i = c->lanes.i;
    bool any = false;
    for (int k = 0; k < c->graph->sections; ++k) {
        RodSlice *slice = c->pack->slice + k;
        Number beyond = beyond_bounds(slice, i);
        store_row(&slice->bounded[i], beyond);
        any |= number_any_less(splat(0.5), beyond);
    }
    return any;
}

// What is left of the steps of those: next to nothing, but with it they would no longer be where scales end.
INLINE void stay_at_bounds(const Slices *c) {
    const int i = c->lanes.i;
    for (int k = 0; k < c->graph->sections; ++k) {
        RodSlice *slice = c->pack->slice + k;
        Number held = load_row(&slice->bounded[i]);
        store(&slice->step[6][i], (1.0 - held) * load(&slice->step[6][i]));
    }
}

// The block of a section to L D Lᵀ, and what it leaves to the next one.
INLINE void eliminate(const Slices *c, int k, Front *front) {
    Block *D = &front->own[k & 1], *D_next = &front->own[~k & 1];
    const Block *M = &front->beside;
    Forces *f = &front->f[k & 1], *f_next = &front->f[~k & 1];
    RodSlice *slice = c->pack->slice + k;
    const int i = c->lanes.i;
    const Number bounded = load_row(&slice->bounded[i]);
    D->a[6][6] += bounded * (HELD_WEIGHT * D->a[6][6]);
    f->s -= bounded * f->s;
    Number L[SLICE_UNKNOWNS][SLICE_UNKNOWNS], over[SLICE_UNKNOWNS];
    Number r[SLICE_UNKNOWNS] = {f->c.x, f->c.y, f->c.z, f->t.x, f->t.y, f->t.z, f->s};
    int below = 0;
    EACH(n, 0, SLICE_UNKNOWNS) {
        EACH(m, 0, n) {
            Number sum = D->a[m][n];
            EACH(l, 0, m) sum -= L[n][l] * L[m][l] * D->a[l][l];
            L[n][m] = sum * over[m];
        }
        EACH(l, 0, n) D->a[n][n] -= L[n][l] * L[n][l] * D->a[l][l];
        D->a[n][n] = number_max(D->a[n][n], splat(LEAST_PIVOT));
        over[n] = 1.0 / D->a[n][n];
        EACH(m, 0, n) r[n] -= L[n][m] * r[m];
        EACH(m, 0, n) store(&slice->lower[below + m][i], L[n][m]);
        below += n;
        store(&slice->pivot[n][i], over[n]);
        store(&slice->step[n][i], r[n]);
    }
    if (k + 1 == c->graph->sections)
        return;
    Number next[SLICE_UNKNOWNS];
    EACH(m, 0, SLICE_UNKNOWNS) next[m] = splat(0.0);
    EACH(m, 0, SLICE_UNKNOWNS) {
        Number w[SLICE_UNKNOWNS];
        EACH(n, 0, SLICE_UNKNOWNS) {
            w[n] = M->a[n][m];
            EACH(l, 0, n) w[n] -= L[n][l] * w[l];
            store(&slice->next[m * SLICE_UNKNOWNS + n][i], w[n]);
            next[m] -= w[n] * over[n] * r[n];
        }
        EACH(p, 0, m + 1) {
            Number sum = splat(0.0);
            EACH(n, 0, SLICE_UNKNOWNS)
            sum += w[n] * (over[n] * load(&slice->next[p * SLICE_UNKNOWNS + n][i]));
            D_next->a[p][m] -= sum;
        }
    }
    f_next->c = add3(f_next->c, (Number3){next[0], next[1], next[2]});
    f_next->t = add3(f_next->t, (Number3){next[3], next[4], next[5]});
    f_next->s += next[6];
}

// From the last section back to the first.
INLINE void substitute_slices(const Slices *c) {
    const int i = c->lanes.i;
    Number x[SLICE_UNKNOWNS];
    EACH(n, 0, SLICE_UNKNOWNS) x[n] = splat(0.0);
    for (int k = c->graph->sections - 1; k >= 0; --k) {
        RodSlice *slice = c->pack->slice + k;
        Number r[SLICE_UNKNOWNS];
        EACH(n, 0, SLICE_UNKNOWNS) {
            r[n] = load(&slice->step[n][i]);
            if (k + 1 < c->graph->sections)
                EACH(m, 0, SLICE_UNKNOWNS)
            r[n] -= load(&slice->next[m * SLICE_UNKNOWNS + n][i]) * x[m];
            r[n] *= load(&slice->pivot[n][i]);
        }
        int below = SLICE_BELOW;
        for (int n = SLICE_UNKNOWNS - 1; n >= 0; --n) {
            below -= n;
            EACH(m, 0, n) r[m] -= load(&slice->lower[below + m][i]) * r[n];
        }
        EACH(n, 0, SLICE_UNKNOWNS) {
            x[n] = r[n];
            store(&slice->step[n][i], r[n]);
        }
    }
}

// As `eliminate` has it, with another right side.
INLINE void carry_down(const Slices *c, int k, const Forces *f, Forces *f_next) {
    RodSlice *slice = c->pack->slice + k;
    const int i = c->lanes.i;
    Number r[SLICE_UNKNOWNS] = {f->c.x, f->c.y, f->c.z, f->t.x, f->t.y, f->t.z, f->s};
    Number over[SLICE_UNKNOWNS], next[SLICE_UNKNOWNS];
    int below = 0;
    EACH(n, 0, SLICE_UNKNOWNS) {
        EACH(m, 0, n) r[n] -= load(&slice->lower[below + m][i]) * r[m];
        below += n;
        store(&slice->step[n][i], r[n]);
        over[n] = r[n] * load(&slice->pivot[n][i]);
    }
    EACH(m, 0, SLICE_UNKNOWNS) {
        next[m] = splat(0.0);
        EACH(n, 0, SLICE_UNKNOWNS)
        next[m] -= load(&slice->next[m * SLICE_UNKNOWNS + n][i]) * over[n];
    }
    f_next->c = add3(f_next->c, (Number3){next[0], next[1], next[2]});
    f_next->t = add3(f_next->t, (Number3){next[3], next[4], next[5]});
    f_next->s += next[6];
}
