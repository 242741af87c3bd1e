// The linear algebra of Newton's method on creatures: elimination as planned (symbolic.h). Included by
// rod_newton_graph_wide.c only.
//
// A station is dense, so that its own rows are eliminated in registers. Every group behind it (three
// columns or one) is then brought up to date on its own, and every pair of groups is updated at the
// place where it will be needed. Rows of a station that are known to be 0 in a group are left out.
#pragma once

#include "rod/newton_front.h"
#include "rod/symbolic.h"

typedef struct Sparse {
    const RodSymbolic *symbolic;
    Wide *A; // plan->numbers; the diagonal becomes that of D⁻¹
    Wide *r; // plan->unknowns: −∇φ, and at last the step
} Sparse;

// LDLᵀ of a station's own n columns; L stays in the caller's registers.
INLINE void factor_own(Wide *A, int width, Wide *r, Wide L[UNKNOWNS][UNKNOWNS], int n) {
    EACH(k, 0, n) {
        EACH(i, 0, k) L[k][i] = A[i * width + k] * A[i * width + i];
        EACH(m, k, n) {
            Wide a = A[k * width + m];
            EACH(i, 0, k) a -= L[k][i] * A[i * width + m];
            A[k * width + m] = m == k ? (Wide)(1.0 / a) : a;
        }
        Wide b = r[k];
        EACH(i, 0, k) b -= L[k][i] * r[i];
        r[k] = b;
    }
}

// The same of `size` columns behind it, which are 0 above row `from`.
INLINE void factor_columns(Wide *B, int width, const Wide L[UNKNOWNS][UNKNOWNS], int from, int n,
                           int size) {
    EACH(c, 0, size) {
        Wide b[UNKNOWNS];
        EACH(k, from, n) {
            b[k] = B[k * width + c];
            EACH(i, from, k) b[k] -= L[k][i] * b[i];
            if (k > from)
                B[k * width + c] = b[k];
        }
    }
}

INLINE void factor_group(Wide *B, int width, const Wide L[UNKNOWNS][UNKNOWNS],
                         const SymbolicGroup *g, int n) {
    if (g->from == 0 && g->size == 3)
        factor_columns(B, width, L, 0, n, 3);
    else if (g->from == 0)
        factor_columns(B, width, L, 0, n, 1);
    else if (g->from == T && g->size == 3)
        factor_columns(B, width, L, T, n, 3);
    else if (g->from == T)
        factor_columns(B, width, L, T, n, 1);
}

// A block of the rows that are yet to be eliminated, less what the rows of the station have to do
// with it; of one on the diagonal, the upper part. l is that of the block's rows, already times D⁻¹.
INLINE void update_block(Wide *to, int stride, const Wide l[UNKNOWNS][3], const Wide *B, int width,
                         int from, int n, int rows, int columns, bool diagonal) {
    Wide a[3][3];
    EACH(i, 0, rows) { EACH(j, diagonal ? i : 0, columns) a[i][j] = to[i * stride + j]; }
    for (int k = from; k < n; ++k) {
        EACH(i, 0, rows) {
            EACH(j, diagonal ? i : 0, columns) a[i][j] -= l[k][i] * B[k * width + j];
        }
    }
    EACH(i, 0, rows) { EACH(j, diagonal ? i : 0, columns) to[i * stride + j] = a[i][j]; }
}

// All that the groups from `g` up to `end` have to do with g.
INLINE const int *update_rows(const Sparse *m, const SymbolicStation *s, const SymbolicGroup *g,
                              const SymbolicGroup *end, const int *target, int n, int rows) {
    const Wide *A = m->A + s->at, *r = m->r + s->first;
    const int width = s->width;
    Wide l[UNKNOWNS][3];
    for (int k = g->from; k < n; ++k)
        EACH(i, 0, rows) l[k][i] = A[k * width + g->column + i] * A[k * width + k];
    EACH(i, 0, rows) {
        Wide b = m->r[g->unknown + i];
        for (int k = g->from; k < n; ++k)
            b -= l[k][i] * r[k];
        m->r[g->unknown + i] = b;
    }
    update_block(m->A + *target++, g->width, l, A + g->column, width, g->from, n, rows, rows, true);
    for (const SymbolicGroup *h = g + 1; h < end; ++h, ++target) {
        int from = g->from > h->from ? g->from : h->from;
        if (h->size == 3)
            update_block(m->A + *target, g->width, l, A + h->column, width, from, n, rows, 3,
                         false);
        else
            update_block(m->A + *target, g->width, l, A + h->column, width, from, n, rows, 1,
                         false);
    }
    return target;
}

INLINE void eliminate(const Sparse *m, const SymbolicStation *s, int n) {
    Wide L[UNKNOWNS][UNKNOWNS];
    Wide *A = m->A + s->at;
    factor_own(A, s->width, m->r + s->first, L, n);
    const SymbolicGroup *begin = m->symbolic->behind + s->behind, *end = begin + s->behind_count;
    for (const SymbolicGroup *g = begin; g < end; ++g)
        factor_group(A + g->column, s->width, L, g, n);
    const int *target = m->symbolic->target + s->targets;
    for (const SymbolicGroup *g = begin; g < end; ++g)
        target = g->size == 3 ? update_rows(m, s, g, end, target, n, 3)
                              : update_rows(m, s, g, end, target, n, 1);
}

// The rows of a station from `from` on, less a group behind it times its step.
INLINE void take_group(Wide r[UNKNOWNS], const Wide *B, int width, const Wide *step, int size,
                       int from, int n) {
    for (int c = 0; c < size; ++c)
        EACH(k, from, n) r[k] -= B[k * width + c] * step[c];
}

INLINE void substitute_station(const Sparse *m, const SymbolicStation *s, int n) {
    const Wide *A = m->A + s->at;
    Wide r[UNKNOWNS];
    EACH(k, 0, n) r[k] = m->r[s->first + k];
    const SymbolicGroup *begin = m->symbolic->behind + s->behind, *end = begin + s->behind_count;
    for (const SymbolicGroup *g = begin; g < end; ++g) {
        const Wide *B = A + g->column, *step = m->r + g->unknown;
        if (g->from == 0)
            take_group(r, B, s->width, step, g->size, 0, n);
        else if (g->from == T)
            take_group(r, B, s->width, step, g->size, T, n);
        else
            take_group(r, B, s->width, step, g->size, S, n);
    }
    EACH(back, 0, n) {
        int k = n - 1 - back;
        EACH(i, k + 1, n) r[k] -= A[k * s->width + i] * r[i];
        r[k] *= A[k * s->width + k];
        m->r[s->first + k] = r[k];
    }
}

// What stations there are: see symbolic.h.
enum { ROOT_UNKNOWNS = 4, CLOSING_UNKNOWNS = 3 };

INLINE void solve_sparse(const Sparse *m) {
    const RodSymbolic *symbolic = m->symbolic;
    for (int k = 0; k < symbolic->stations; ++k) {
        const SymbolicStation *s = &symbolic->station[k];
        if (s->count == UNKNOWNS)
            eliminate(m, s, UNKNOWNS);
        else if (s->count == ROOT_UNKNOWNS)
            eliminate(m, s, ROOT_UNKNOWNS);
        else
            eliminate(m, s, CLOSING_UNKNOWNS);
    }
    for (int k = symbolic->stations; k-- > 0;) {
        const SymbolicStation *s = &symbolic->station[k];
        if (s->count == UNKNOWNS)
            substitute_station(m, s, UNKNOWNS);
        else if (s->count == ROOT_UNKNOWNS)
            substitute_station(m, s, ROOT_UNKNOWNS);
        else
            substitute_station(m, s, CLOSING_UNKNOWNS);
    }
}
