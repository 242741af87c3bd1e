// The band solver against a dense one.
#include "support.h"

#include "math/band.h"

#include <string.h>

#define MOST 40

static double entry(const BandRow *r, int offset) {
    const double values[] = {r->lower2, r->lower1, r->diag, r->upper1, r->upper2};
    return values[offset + 2];
}

// Gauss with row pivoting.
static void solve_dense(double a[MOST][MOST + 1], int n) {
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i)
            if (fabs(a[i][k]) > fabs(a[best][k]))
                best = i;
        for (int j = 0; j <= n; ++j) {
            double swap = a[k][j];
            a[k][j] = a[best][j];
            a[best][j] = swap;
        }
        for (int i = 0; i < n; ++i) {
            double factor = i == k ? 0.0 : a[i][k] / a[k][k];
            for (int j = k; j <= n; ++j)
                a[i][j] -= factor * a[k][j];
        }
    }
    for (int k = 0; k < n; ++k)
        a[k][n] /= a[k][k];
}

// A matrix with a dominant diagonal, some of it not symmetric, as the direct pass has them.
static void random_rows(Rng *rng, BandRow *rows, int n) {
    for (int i = 0; i < n; ++i) {
        BandRow *r = &rows[i];
        r->lower2 = rng_real(rng, -1.0, 1.0);
        r->lower1 = rng_real(rng, -1.0, 1.0);
        r->upper1 = rng_real(rng, -1.0, 1.0);
        r->upper2 = rng_real(rng, -1.0, 1.0);
        r->diag = 1.0 + fabs(r->lower2) + fabs(r->lower1) + fabs(r->upper1) + fabs(r->upper2);
        r->right[0] = rng_real(rng, -1.0, 1.0);
    }
}

static void check(bool ring) {
    static double a[MOST][MOST + 1];
    BandRow rows[MOST];
    Rng rng = {ring};
    for (int n = ring ? 6 : 1; n <= MOST; ++n) {
        random_rows(&rng, rows, n);
        memset(a, 0, sizeof a);
        for (int i = 0; i < n; ++i) {
            for (int k = -2; k <= 2; ++k)
                if (ring || (i + k >= 0 && i + k < n))
                    a[i][(i + k + n) % n] += entry(&rows[i], k);
            a[i][n] = rows[i].right[0];
        }
        solve_dense(a, n);
        if (ring)
            sn__band_solve_ring(rows, n);
        else
            sn__band_solve(rows, n);
        for (int i = 0; i < n; ++i)
            assert_near(rows[i].right[0], a[i][n], 1e-12);
    }
}

static void bands_are_solved(void **state) {
    (void)state;
    check(false);
}

static void rings_are_solved(void **state) {
    (void)state;
    check(true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bands_are_solved),
        cmocka_unit_test(rings_are_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
