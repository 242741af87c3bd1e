#include "math/band.h"

#include <assert.h>

// Row i becomes x = right − upper1·x₊₁ − upper2·x₊₂, for `sides` right-hand sides.
static void eliminate(BandRow *rows, int count, int sides) {
    for (int i = 0; i < count; ++i) {
        BandRow *r = &rows[i];
        if (i >= 2) {
            const BandRow *b = r - 2;
            r->lower1 -= r->lower2 * b->upper1;
            r->diag -= r->lower2 * b->upper2;
            for (int k = 0; k < sides; ++k)
                r->right[k] -= r->lower2 * b->right[k];
        }
        if (i >= 1) {
            const BandRow *b = r - 1;
            r->diag -= r->lower1 * b->upper1;
            r->upper1 -= r->lower1 * b->upper2;
            for (int k = 0; k < sides; ++k)
                r->right[k] -= r->lower1 * b->right[k];
        }
        double pivot = 1.0 / r->diag;
        r->upper1 *= pivot;
        r->upper2 *= pivot;
        for (int k = 0; k < sides; ++k)
            r->right[k] *= pivot;
    }
}

static void substitute(BandRow *rows, int count, int sides) {
    for (int i = count - 2; i >= 0; --i)
        for (int k = 0; k < sides; ++k) {
            rows[i].right[k] -= rows[i].upper1 * rows[i + 1].right[k];
            if (i + 2 < count)
                rows[i].right[k] -= rows[i].upper2 * rows[i + 2].right[k];
        }
}

void sn__band_solve(BandRow *rows, int count) {
    assert(rows && count > 0);
    eliminate(rows, count, 1);
    substitute(rows, count, 1);
}

// Bordering: with p and q the last two unknowns, the others are x = x₀ + p x₁ + q x₂, where x₁ and
// x₂ answer to the columns of p and q. The last two rows then are two equations for p and q.
void sn__band_solve_ring(BandRow *rows, int count) {
    assert(rows && count >= 6);
    int n = count - 2;
    for (int i = 0; i < n; ++i)
        rows[i].right[1] = rows[i].right[2] = 0.0;
    rows[0].right[1] -= rows[0].lower2;
    rows[0].right[2] -= rows[0].lower1;
    rows[1].right[2] -= rows[1].lower2;
    rows[n - 2].right[1] -= rows[n - 2].upper2;
    rows[n - 1].right[1] -= rows[n - 1].upper1;
    rows[n - 1].right[2] -= rows[n - 1].upper2;
    eliminate(rows, n, 3);
    substitute(rows, n, 3);

    // p: lower2 x₋₄ + lower1 x₋₃ + diag p + upper1 q + upper2 x₀; q likewise, with x₀ and x₁.
    const BandRow *p = &rows[n], *q = &rows[n + 1];
    const double *before2 = rows[n - 2].right, *before1 = rows[n - 1].right;
    const double *first = rows[0].right, *second = rows[1].right;
    double pp = p->diag + p->lower2 * before2[1] + p->lower1 * before1[1] + p->upper2 * first[1];
    double pq = p->upper1 + p->lower2 * before2[2] + p->lower1 * before1[2] + p->upper2 * first[2];
    double pr =
        p->right[0] - p->lower2 * before2[0] - p->lower1 * before1[0] - p->upper2 * first[0];
    double qp = q->lower1 + q->lower2 * before1[1] + q->upper1 * first[1] + q->upper2 * second[1];
    double qq = q->diag + q->lower2 * before1[2] + q->upper1 * first[2] + q->upper2 * second[2];
    double qr = q->right[0] - q->lower2 * before1[0] - q->upper1 * first[0] - q->upper2 * second[0];
    double inv = 1.0 / (pp * qq - pq * qp);
    double x = inv * (qq * pr - pq * qr), y = inv * (pp * qr - qp * pr);
    for (int i = 0; i < n; ++i)
        rows[i].right[0] += x * rows[i].right[1] + y * rows[i].right[2];
    rows[n].right[0] = x;
    rows[n + 1].right[0] = y;
}
