// The rotational part of a matrix, and with it the local step of the paper: rotations that fit best to
// given places.
//
// With the quaternion q = (v, w), tr(Rᵀ A) is the quadratic form q·N q,
//
//     N = | A + Aᵀ − tr A   a  |,   a = (A₃₂ − A₂₃, A₁₃ − A₃₁, A₂₁ − A₁₂)
//         |      aᵀ        tr A |
//
// (Horn 1987), so the best rotation is the eigenvector of its largest eigenvalue, which Jacobi's rotations
// find whatever A is. Where several are equally good, it is the one nearest to the guess.
#include "solid/match.h"

#include "solid/solid.h"

#define JACOBI_SWEEPS 12
#define AS_GOOD 1e-9 // of |N|: eigenvalues that are equal
#define SWEEPS 3     // over all particles

static void rotate(double n[4][4], double v[4][4], int p, int r) {
    double apart = (n[r][r] - n[p][p]) / (2.0 * n[p][r]);
    double t = 1.0 / (fabs(apart) + sqrt(apart * apart + 1.0));
    t = apart < 0.0 ? -t : t;
    double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    for (int k = 0; k < 4; ++k) {
        double a = n[k][p], b = n[k][r], x = v[k][p], y = v[k][r];
        n[k][p] = c * a - s * b;
        n[k][r] = s * a + c * b;
        v[k][p] = c * x - s * y;
        v[k][r] = s * x + c * y;
    }
    for (int k = 0; k < 4; ++k) {
        double a = n[p][k], b = n[r][k];
        n[p][k] = c * a - s * b;
        n[r][k] = s * a + c * b;
    }
}

// The part of the guess that is among the best eigenvectors; the first of these if there is none.
static Quatd nearest(double n[4][4], double v[4][4], double size, Quatd guess) {
    const double g[4] = {guess.x, guess.y, guess.z, guess.w};
    int best = 0;
    for (int k = 1; k < 4; ++k)
        best = n[k][k] > n[best][best] ? k : best;
    double q[4] = {0}, square = 0.0;
    for (int k = 0; k < 4; ++k) {
        double dot = v[0][k] * g[0] + v[1][k] * g[1] + v[2][k] * g[2] + v[3][k] * g[3];
        for (int i = 0; i < 4 && n[k][k] > n[best][best] - AS_GOOD * size; ++i)
            q[i] += dot * v[i][k];
    }
    for (int i = 0; i < 4; ++i)
        square += q[i] * q[i];
    if (!(square > 1e-12))
        return (Quatd){v[0][best], v[1][best], v[2][best], v[3][best]};
    return normalisedq((Quatd){q[0], q[1], q[2], q[3]});
}

Quatd sn__match_rotation(const Mat3 *A, Quatd guess) {
    const double(*a)[3] = A->m;
    double t = a[0][0] + a[1][1] + a[2][2], size = 0.0;
    double x = a[2][1] - a[1][2], y = a[0][2] - a[2][0], z = a[1][0] - a[0][1];
    double n[4][4] = {{a[0][0] + a[0][0] - t, a[0][1] + a[1][0], a[0][2] + a[2][0], x},
                      {a[1][0] + a[0][1], a[1][1] + a[1][1] - t, a[1][2] + a[2][1], y},
                      {a[2][0] + a[0][2], a[2][1] + a[1][2], a[2][2] + a[2][2] - t, z},
                      {x, y, z, t}};
    double v[4][4] = {
        {1.0, 0.0, 0.0, 0.0}, {0.0, 1.0, 0.0, 0.0}, {0.0, 0.0, 1.0, 0.0}, {0.0, 0.0, 0.0, 1.0}};
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 4; ++k)
            size = fmax(size, fabs(n[i][k]));
    if (!(size > 1e-150) || !(size < 1e150))
        return guess;
    for (int sweep = 0; sweep < JACOBI_SWEEPS; ++sweep)
        for (int p = 0; p < 3; ++p)
            for (int r = p + 1; r < 4; ++r)
                if (fabs(n[p][r]) > 1e-15 * size)
                    rotate(n, v, p, r);
    return nearest(n, v, size, guess);
}

static void add_outer(Mat3 *to, Vec3d a, Vec3d b, double by) {
    const double x[3] = {a.x, a.y, a.z}, y[3] = {b.x, b.y, b.z};
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            to->m[i][k] += by * x[i] * y[k];
}

// What edge e says of the rotation of particle i (eq. 5): s (d − ½ R_j d̄) (½ d̄)ᵀ + R_j B.
static void add_wish(const Solid *s, const SolidEdge *e, int i, Mat3 *A) {
    int j = e->i == i ? e->j : e->i;
    const SolidWork *a = &s->work[e->i], *b = &s->work[e->j];
    const Mat3 R = sn__solid_turn(s, j);
    Vec3d d = subd(addd(subd(b->x_start, a->x_start), b->u), a->u);
    Vec3d left = subd(d, scaled(mat_times(&R, e->rest), 0.5));
    Mat3 B = mat_of_sym(&e->bend), turned = mat_mul(&R, &B);
    add_outer(A, left, e->rest, 0.5 * e->stretch);
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            A->m[r][c] += turned.m[r][c];
}

void sn__solid_match_turns(Solid *s) {
    for (int sweep = 0; sweep < SWEEPS; ++sweep)
        for (int i = 0; i < s->count; ++i) {
            if (s->work[i].held_q)
                continue;
            Mat3 A = {0};
            for (int k = s->first_edge[i]; k < s->first_edge[i + 1]; ++k) {
                const SolidEdge *e = &s->edges[s->edges_of[k]];
                if (!e->broken)
                    add_wish(s, e, i, &A);
            }
            s->q[i] = sn__match_rotation(&A, s->q[i]);
        }
}
