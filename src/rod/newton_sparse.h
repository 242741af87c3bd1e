// The linear algebra of Newton's method on creatures: elimination as planned (symbolic.h). Included by
// newton_graph.h only.
//
// A station is dense, so that its own rows are eliminated in registers. Every group behind it (three
// columns or one) is then brought up to date on its own, and every pair of groups is updated at the
// place where it will be needed. Rows of a station that are known to be 0 in a group are left out.
#pragma once

#include "rod/newton_front.h"
#include "rod/symbolic.h"

typedef struct Sparse {
    const RodSymbolic *symbolic;
    Number *A; // symbolic->numbers; the diagonal becomes that of D⁻¹
    Number *r; // symbolic->unknowns: −∇φ, and at last the step
} Sparse;

// LDLᵀ of a station's own n columns; L stays in the caller's registers.
INLINE void factor_own(Number *A, int width, Number *r, Number L[UNKNOWNS][UNKNOWNS], int n) {
    EACH(k, 0, n) {
        EACH(i, 0, k) L[k][i] = A[i * width + k] * A[i * width + i];
        EACH(m, k, n) {
            Number a = A[k * width + m];
            EACH(i, 0, k) a -= L[k][i] * A[i * width + m];
            A[k * width + m] = m == k ? (Number)(1.0f / a) : a;
        }
        Number b = r[k];
        EACH(i, 0, k) b -= L[k][i] * r[i];
        r[k] = b;
    }
}

// The same of `size` columns behind it, which are 0 above row `from`.
INLINE void factor_columns(Number *B, int width, const Number L[UNKNOWNS][UNKNOWNS], int from,
                           int n, int size) {
    EACH(c, 0, size) {
        Number b[UNKNOWNS];
        EACH(k, from, n) {
            b[k] = B[k * width + c];
            EACH(i, from, k) b[k] -= L[k][i] * b[i];
            if (k > from)
                B[k * width + c] = b[k];
        }
    }
}

INLINE void factor_group(Number *B, int width, const Number L[UNKNOWNS][UNKNOWNS],
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
INLINE void update_block(Number *to, int stride, const Number l[UNKNOWNS][3], const Number *B,
                         int width, int from, int n, int rows, int columns, bool diagonal) {
    Number a[3][3];
    EACH(i, 0, rows) { EACH(j, diagonal ? i : 0, columns) a[i][j] = to[i * stride + j]; }
    EACH(k, from, n) {
        EACH(i, 0, rows) {
            EACH(j, diagonal ? i : 0, columns) a[i][j] -= l[k][i] * B[k * width + j];
        }
    }
    EACH(i, 0, rows) { EACH(j, diagonal ? i : 0, columns) to[i * stride + j] = a[i][j]; }
}

// The same for a group h behind g, or for g itself; the number of rows that are not 0 is known to the
// compiler.
INLINE void update_pair(Number *to, int stride, const Number l[UNKNOWNS][3], const Number *B,
                        int width, int from, int n, int rows, int columns, bool diagonal) {
    if (from == 0)
        update_block(to, stride, l, B, width, 0, n, rows, columns, diagonal);
    else if (from == T)
        update_block(to, stride, l, B, width, T, n, rows, columns, diagonal);
    else
        update_block(to, stride, l, B, width, S, n, rows, columns, diagonal);
}

// All that the groups from `g` up to `end` have to do with g, of which `rows` unknowns are not 0 from
// row `from` of the station on.
INLINE const int *update_rows(const Sparse *m, const SymbolicStation *s, const SymbolicGroup *g,
                              const SymbolicGroup *end, const int *target, int from, int n,
                              int rows) {
    const Number *A = m->A + s->at, *r = m->r + s->first;
    const int width = s->width;
    Number l[UNKNOWNS][3];
    EACH(k, from, n) { EACH(i, 0, rows) l[k][i] = A[k * width + g->column + i] * A[k * width + k]; }
    EACH(i, 0, rows) {
        Number b = m->r[g->unknown + i];
        EACH(k, from, n) b -= l[k][i] * r[k];
        m->r[g->unknown + i] = b;
    }
    update_block(m->A + *target++, g->width, l, A + g->column, width, from, n, rows, rows, true);
    for (const SymbolicGroup *h = g + 1; h < end; ++h, ++target) {
        int both = from > h->from ? from : h->from;
        if (h->size == 3)
            update_pair(m->A + *target, g->width, l, A + h->column, width, both, n, rows, 3, false);
        else
            update_pair(m->A + *target, g->width, l, A + h->column, width, both, n, rows, 1, false);
    }
    return target;
}

INLINE const int *update_group(const Sparse *m, const SymbolicStation *s, const SymbolicGroup *g,
                               const SymbolicGroup *end, const int *target, int n) {
    if (g->size == 3 && g->from == 0)
        return update_rows(m, s, g, end, target, 0, n, 3);
    if (g->size == 3)
        return update_rows(m, s, g, end, target, T, n, 3);
    if (g->from == 0)
        return update_rows(m, s, g, end, target, 0, n, 1);
    if (g->from == T)
        return update_rows(m, s, g, end, target, T, n, 1);
    return update_rows(m, s, g, end, target, S, n, 1);
}

INLINE void eliminate(const Sparse *m, const SymbolicStation *s, int n) {
    Number L[UNKNOWNS][UNKNOWNS];
    Number *A = m->A + s->at;
    factor_own(A, s->width, m->r + s->first, L, n);
    const SymbolicGroup *begin = m->symbolic->behind + s->behind, *end = begin + s->behind_count;
    for (const SymbolicGroup *g = begin; g < end; ++g)
        factor_group(A + g->column, s->width, L, g, n);
    const int *target = m->symbolic->target + s->targets;
    for (const SymbolicGroup *g = begin; g < end; ++g)
        target = update_group(m, s, g, end, target, n);
}

// The rows of a station from `from` on, less a group behind it times its step.
INLINE void take_group(Number r[UNKNOWNS], const Number *B, int width, const Number *step, int size,
                       int from, int n) {
    for (int c = 0; c < size; ++c)
        EACH(k, from, n) r[k] -= B[k * width + c] * step[c];
}

INLINE void substitute_station(const Sparse *m, const SymbolicStation *s, int n) {
    const Number *A = m->A + s->at;
    Number r[UNKNOWNS];
    EACH(k, 0, n) r[k] = m->r[s->first + k];
    const SymbolicGroup *begin = m->symbolic->behind + s->behind, *end = begin + s->behind_count;
    for (const SymbolicGroup *g = begin; g < end; ++g) {
        const Number *B = A + g->column, *step = m->r + g->unknown;
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

APART eliminate_branch(const Sparse *m, const SymbolicStation *s) { eliminate(m, s, UNKNOWNS); }
APART eliminate_root(const Sparse *m, const SymbolicStation *s) { eliminate(m, s, ROOT_UNKNOWNS); }
APART eliminate_closing(const Sparse *m, const SymbolicStation *s) {
    eliminate(m, s, CLOSING_UNKNOWNS);
}

// Of what is eliminated: one over a pivot that is negative where the matrix is not positive
// definite.
INLINE Number least_pivot(const Sparse *m) {
    Number least = splat(0.0f);
    for (int k = 0; k < m->symbolic->stations; ++k) {
        const SymbolicStation *s = &m->symbolic->station[k];
        for (int i = 0; i < s->count; ++i)
            least = number_min(least, m->A[s->at + i * (s->width + 1)]);
    }
    return least;
}

// Another right side, on the way down.
INLINE void carry_group(Number *r, const Number *B, int width, const Number l[UNKNOWNS], int size,
                        int from, int n) {
    for (int c = 0; c < size; ++c) {
        Number b = r[c];
        EACH(k, from, n) b -= B[k * width + c] * l[k];
        r[c] = b;
    }
}

INLINE void carry_station(const Sparse *m, const SymbolicStation *s, int n) {
    const Number *A = m->A + s->at;
    const int width = s->width;
    Number r[UNKNOWNS], l[UNKNOWNS];
    EACH(k, 0, n) {
        r[k] = m->r[s->first + k];
        EACH(i, 0, k) r[k] -= A[i * width + k] * l[i];
        l[k] = A[k * width + k] * r[k];
        m->r[s->first + k] = r[k];
    }
    const SymbolicGroup *begin = m->symbolic->behind + s->behind, *end = begin + s->behind_count;
    for (const SymbolicGroup *g = begin; g < end; ++g) {
        const Number *B = A + g->column;
        Number *to = m->r + g->unknown;
        if (g->from == 0)
            carry_group(to, B, width, l, g->size, 0, n);
        else if (g->from == T)
            carry_group(to, B, width, l, g->size, T, n);
        else
            carry_group(to, B, width, l, g->size, S, n);
    }
}

INLINE void substitute_sparse(const Sparse *m) {
    for (int k = m->symbolic->stations; k-- > 0;) {
        const SymbolicStation *s = &m->symbolic->station[k];
        if (s->count == UNKNOWNS)
            substitute_station(m, s, UNKNOWNS);
        else if (s->count == ROOT_UNKNOWNS)
            substitute_station(m, s, ROOT_UNKNOWNS);
        else
            substitute_station(m, s, CLOSING_UNKNOWNS);
    }
}

// Solves with the factors that are left.
static void solve_sparse_again(const Sparse *m) {
    for (int k = 0; k < m->symbolic->stations; ++k) {
        const SymbolicStation *s = &m->symbolic->station[k];
        if (s->count == UNKNOWNS)
            carry_station(m, s, UNKNOWNS);
        else if (s->count == ROOT_UNKNOWNS)
            carry_station(m, s, ROOT_UNKNOWNS);
        else
            carry_station(m, s, CLOSING_UNKNOWNS);
    }
    substitute_sparse(m);
}

INLINE void eliminate_sparse(const Sparse *m, int station) {
    const SymbolicStation *s = &m->symbolic->station[station];
    if (s->count == UNKNOWNS)
        eliminate_branch(m, s);
    else if (s->count == ROOT_UNKNOWNS)
        eliminate_root(m, s);
    else
        eliminate_closing(m, s);
}
