// The factors of a sparse matrix of 6 × 6 blocks, and what they are for. Sums are made in the order of
// places, lane by lane, so that every width gives the same bits.
#include <math.h>

#include "math/lanes_double.h"
#include "math/sparse.h"

#define PARTS (SPARSE_ROW / WIDE_DOUBLE)

// The diagonal block, in place; its upper triangle is not used.
INLINE bool factor_diagonal(SparseBlock *block) {
    double(*a)[SPARSE_ROW] = block->column;
    for (int c = 0; c < SPARSE_SIZE; ++c) {
        double pivot = a[c][c];
        for (int k = 0; k < c; ++k)
            pivot -= a[k][c] * a[k][c];
        if (!(pivot > 0.0))
            return false;
        double root = sqrt(pivot), inverse = 1.0 / root;
        a[c][c] = root;
        for (int r = c + 1; r < SPARSE_SIZE; ++r) {
            double sum = a[c][r];
            for (int k = 0; k < c; ++k)
                sum -= a[k][r] * a[k][c];
            a[c][r] = sum * inverse;
        }
    }
    return true;
}

// X = X L⁻ᵀ
INLINE void divide(SparseBlock *x, const SparseBlock *l) {
    for (int p = 0; p < PARTS; ++p) {
        Wide column[SPARSE_SIZE];
        for (int c = 0; c < SPARSE_SIZE; ++c) {
            column[c] = load(&x->column[c][p * WIDE_DOUBLE]);
            for (int k = 0; k < c; ++k)
                column[c] -= column[k] * l->column[k][c];
            column[c] *= 1.0 / l->column[c][c];
            store(&x->column[c][p * WIDE_DOUBLE], column[c]);
        }
    }
}

// A −= X Yᵀ
INLINE void subtract(SparseBlock *a, const SparseBlock *x, const SparseBlock *y) {
    for (int p = 0; p < PARTS; ++p) {
        Wide column[SPARSE_SIZE];
        for (int k = 0; k < SPARSE_SIZE; ++k)
            column[k] = load(&x->column[k][p * WIDE_DOUBLE]);
        for (int c = 0; c < SPARSE_SIZE; ++c) {
            Wide sum = load(&a->column[c][p * WIDE_DOUBLE]);
            for (int k = 0; k < SPARSE_SIZE; ++k)
                sum -= column[k] * y->column[k][c];
            store(&a->column[c][p * WIDE_DOUBLE], sum);
        }
    }
}

bool WIDE_FUNCTION(sparse_factor)(const SparsePlan *plan, SparseBlock *diagonal,
                                  SparseBlock *below) {
    for (int j = 0; j < plan->size; ++j) {
        int begin = plan->first[j], end = plan->first[j + 1];
        if (!factor_diagonal(&diagonal[j]))
            return false;
        for (int b = begin; b < end; ++b)
            divide(&below[b], &diagonal[j]);
        // Rows of this column are rows, or the place itself, of the columns of all before them.
        for (int b = begin; b < end; ++b) {
            int column = plan->rows[b], at = plan->first[column];
            subtract(&diagonal[column], &below[b], &below[b]);
            for (int r = b + 1; r < end; ++r) {
                while (plan->rows[at] != plan->rows[r])
                    ++at;
                subtract(&below[at], &below[r], &below[b]);
            }
        }
    }
    return true;
}

INLINE void solve_forward(const SparseBlock *l, double *x) {
    for (int c = 0; c < SPARSE_SIZE; ++c) {
        x[c] /= l->column[c][c];
        for (int r = c + 1; r < SPARSE_SIZE; ++r)
            x[r] -= l->column[c][r] * x[c];
    }
}

INLINE void solve_back(const SparseBlock *l, double *x) {
    for (int c = SPARSE_SIZE - 1; c >= 0; --c) {
        for (int r = c + 1; r < SPARSE_SIZE; ++r)
            x[c] -= l->column[c][r] * x[r];
        x[c] /= l->column[c][c];
    }
}

INLINE double sum_of(const double *x) { return ((x[0] + x[1]) + (x[2] + x[3])) + (x[4] + x[5]); }

void WIDE_FUNCTION(sparse_solve)(const SparsePlan *plan, const SparseBlock *diagonal,
                                 const SparseBlock *below, SparseVector *x) {
    for (int j = 0; j < plan->size; ++j) {
        solve_forward(&diagonal[j], x[j].x);
        for (int b = plan->first[j]; b < plan->first[j + 1]; ++b) {
            double *to = x[plan->rows[b]].x;
            for (int p = 0; p < PARTS; ++p) {
                Wide sum = load(&to[p * WIDE_DOUBLE]);
                for (int c = 0; c < SPARSE_SIZE; ++c)
                    sum -= load(&below[b].column[c][p * WIDE_DOUBLE]) * x[j].x[c];
                store(&to[p * WIDE_DOUBLE], sum);
            }
        }
    }
    for (int j = plan->size - 1; j >= 0; --j) {
        double sums[SPARSE_SIZE][SPARSE_ROW] __attribute__((aligned(64)));
        for (int p = 0; p < PARTS; ++p) {
            Wide sum[SPARSE_SIZE];
            for (int c = 0; c < SPARSE_SIZE; ++c)
                sum[c] = splat(0.0);
            for (int b = plan->first[j]; b < plan->first[j + 1]; ++b) {
                Wide from = load(&x[plan->rows[b]].x[p * WIDE_DOUBLE]);
                for (int c = 0; c < SPARSE_SIZE; ++c)
                    sum[c] += load(&below[b].column[c][p * WIDE_DOUBLE]) * from;
            }
            for (int c = 0; c < SPARSE_SIZE; ++c)
                store(&sums[c][p * WIDE_DOUBLE], sum[c]);
        }
        for (int c = 0; c < SPARSE_SIZE; ++c)
            x[j].x[c] -= sum_of(sums[c]);
        solve_back(&diagonal[j], x[j].x);
    }
}
