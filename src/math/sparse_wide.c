// The factors of a sparse matrix of 6 × 6 blocks, and what they are for. Sums are made in the order of
// places, lane by lane, so that every width gives the same bits.
#include <math.h>

#include "math/lanes_double.h"
#include "math/sparse.h"

#define PARTS (SPARSE_ROW / WIDE_DOUBLE)

// The diagonal block becomes L⁻¹, in place, with nothing above its diagonal: what follows is products then, which do
// not wait for each other as divisions do.
INLINE bool factor_diagonal(SparseBlock *block) {
    double(*a)[SPARSE_ROW] = block->column;
    double inverse[SPARSE_SIZE];
    for (int c = 0; c < SPARSE_SIZE; ++c) {
        double pivot = a[c][c];
        for (int k = 0; k < c; ++k)
            pivot -= a[k][c] * a[k][c];
        if (!(pivot > 0.0))
            return false;
        inverse[c] = 1.0 / sqrt(pivot);
        for (int r = c + 1; r < SPARSE_SIZE; ++r) {
            double sum = a[c][r];
            for (int k = 0; k < c; ++k)
                sum -= a[k][r] * a[k][c];
            a[c][r] = sum * inverse[c];
        }
    }
    // Column c of the inverse, from the top: L x = e_c.
    for (int c = 0; c < SPARSE_SIZE; ++c) {
        double x[SPARSE_SIZE] = {0};
        x[c] = inverse[c];
        for (int r = c + 1; r < SPARSE_SIZE; ++r) {
            double sum = 0.0;
            for (int k = c; k < r; ++k)
                sum -= a[k][r] * x[k];
            x[r] = sum * inverse[r];
        }
        for (int r = 0; r < SPARSE_SIZE; ++r)
            a[c][r] = x[r];
    }
    return true;
}

// X = X L⁻ᵀ
INLINE void divide(SparseBlock *x, const SparseBlock *inverse) {
    for (int p = 0; p < PARTS; ++p) {
        Wide column[SPARSE_SIZE];
        for (int k = 0; k < SPARSE_SIZE; ++k)
            column[k] = load(&x->column[k][p * WIDE_DOUBLE]);
        for (int c = 0; c < SPARSE_SIZE; ++c) {
            Wide sum = column[0] * inverse->column[0][c];
            for (int k = 1; k <= c; ++k)
                sum += column[k] * inverse->column[k][c];
            store(&x->column[c][p * WIDE_DOUBLE], sum);
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

// A part of block × x, as a sum of pairs.
INLINE Wide times(const SparseBlock *block, const double *x, int p) {
    const double(*a)[SPARSE_ROW] = block->column;
    int at = p * WIDE_DOUBLE;
    Wide one = load(&a[0][at]) * x[0] + load(&a[1][at]) * x[1];
    Wide two = load(&a[2][at]) * x[2] + load(&a[3][at]) * x[3];
    Wide three = load(&a[4][at]) * x[4] + load(&a[5][at]) * x[5];
    return (one + two) + three;
}

INLINE double sum_of(const double *x) { return ((x[0] + x[1]) + (x[2] + x[3])) + (x[4] + x[5]); }

// x = L⁻¹ x
INLINE void solve_forward(const SparseBlock *inverse, double *x) {
    Wide all[PARTS];
    for (int p = 0; p < PARTS; ++p)
        all[p] = times(inverse, x, p);
    for (int p = 0; p < PARTS; ++p)
        store(&x[p * WIDE_DOUBLE], all[p]);
}

// x = L⁻ᵀ (x − Σ), the sums of products of which are given lane by lane.
INLINE void solve_back(const SparseBlock *inverse, double sums[SPARSE_SIZE][SPARSE_ROW],
                       double *x) {
    for (int c = 0; c < SPARSE_SIZE; ++c)
        x[c] -= sum_of(sums[c]);
    for (int p = 0; p < PARTS; ++p) {
        Wide from = load(&x[p * WIDE_DOUBLE]);
        for (int c = 0; c < SPARSE_SIZE; ++c)
            store(&sums[c][p * WIDE_DOUBLE], load(&inverse->column[c][p * WIDE_DOUBLE]) * from);
    }
    for (int c = 0; c < SPARSE_SIZE; ++c)
        x[c] = sum_of(sums[c]);
}

void WIDE_FUNCTION(sparse_solve)(const SparsePlan *plan, const SparseBlock *diagonal,
                                 const SparseBlock *below, SparseVector *x) {
    for (int j = 0; j < plan->size; ++j) {
        solve_forward(&diagonal[j], x[j].x);
        for (int b = plan->first[j]; b < plan->first[j + 1]; ++b) {
            double *to = x[plan->rows[b]].x;
            for (int p = 0; p < PARTS; ++p)
                store(&to[p * WIDE_DOUBLE],
                      load(&to[p * WIDE_DOUBLE]) - times(&below[b], x[j].x, p));
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
        solve_back(&diagonal[j], sums, x[j].x);
    }
}

// Six unknowns of a place, for a part of the right sides.
typedef struct Six {
    Wide x[SPARSE_SIZE];
} Six;

INLINE Six load_six(const SparseBlock *x, int p) {
    Six six;
    for (int c = 0; c < SPARSE_SIZE; ++c)
        six.x[c] = load(&x->column[c][p * WIDE_DOUBLE]);
    return six;
}

INLINE void store_six(SparseBlock *x, int p, const Six *six) {
    for (int c = 0; c < SPARSE_SIZE; ++c)
        store(&x->column[c][p * WIDE_DOUBLE], six->x[c]);
}

// L⁻¹ x
INLINE Six forward_six(const SparseBlock *inverse, const Six *x) {
    Six y;
    for (int r = 0; r < SPARSE_SIZE; ++r) {
        y.x[r] = x->x[0] * inverse->column[0][r];
        for (int c = 1; c <= r; ++c)
            y.x[r] += x->x[c] * inverse->column[c][r];
    }
    return y;
}

// L⁻ᵀ x
INLINE Six back_six(const SparseBlock *inverse, const Six *x) {
    Six y;
    for (int c = 0; c < SPARSE_SIZE; ++c) {
        y.x[c] = x->x[SPARSE_SIZE - 1] * inverse->column[c][SPARSE_SIZE - 1];
        for (int r = SPARSE_SIZE - 2; r >= c; --r)
            y.x[c] += x->x[r] * inverse->column[c][r];
    }
    return y;
}

void WIDE_FUNCTION(sparse_solve_all)(const SparsePlan *plan, const SparseBlock *diagonal,
                                     const SparseBlock *below, SparseBlock *x) {
    for (int p = 0; p < PARTS; ++p) {
        for (int j = 0; j < plan->size; ++j) {
            Six right = load_six(&x[j], p), y = forward_six(&diagonal[j], &right);
            store_six(&x[j], p, &y);
            for (int b = plan->first[j]; b < plan->first[j + 1]; ++b) {
                Six to = load_six(&x[plan->rows[b]], p);
                for (int c = 0; c < SPARSE_SIZE; ++c)
                    for (int r = 0; r < SPARSE_SIZE; ++r)
                        to.x[r] -= y.x[c] * below[b].column[c][r];
                store_six(&x[plan->rows[b]], p, &to);
            }
        }
        for (int j = plan->size - 1; j >= 0; --j) {
            Six sum = load_six(&x[j], p);
            for (int b = plan->first[j]; b < plan->first[j + 1]; ++b) {
                Six from = load_six(&x[plan->rows[b]], p);
                for (int r = 0; r < SPARSE_SIZE; ++r)
                    for (int c = 0; c < SPARSE_SIZE; ++c)
                        sum.x[c] -= from.x[r] * below[b].column[c][r];
            }
            sum = back_six(&diagonal[j], &sum);
            store_six(&x[j], p, &sum);
        }
    }
}
