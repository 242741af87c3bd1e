// The rotational part of a matrix, and with it the local step of the paper: rotations that fit best to
// given places.
//
// With G = A Rᵀ, tr(Rᵀ A) changes by β·θ − ½ θ·K θ as R turns by θ, with β = (G₃₂ − G₂₃, G₁₃ − G₃₁,
// G₂₁ − G₁₂) and K = tr G − sym G. Newton's step K⁻¹ β is taken where K is positive, else β/|G|, which goes
// uphill from everywhere.
#include "solid/match.h"

#include "solid/solid.h"

#define STEPS 24
#define REACHED 1e-12 // of |A|
#define LEVEL 1e-3    // of |A|: what K has at least where it is trusted
#define FARTHEST 0.75 // rad, of one step
#define SWEEPS 3      // over all particles

static Vec3d axial(const Mat3 *G) {
    return (Vec3d){G->m[2][1] - G->m[1][2], G->m[0][2] - G->m[2][0], G->m[1][0] - G->m[0][1]};
}

static double norm(const Mat3 *A) {
    double sum = 0.0;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            sum += A->m[i][k] * A->m[i][k];
    return sqrt(sum);
}

static Vec3d uphill(const Mat3 *G, Vec3d beta, double size) {
    double t = G->m[0][0] + G->m[1][1] + G->m[2][2], level = LEVEL * size;
    Sym3 K = {t - G->m[0][0],
              t - G->m[1][1],
              t - G->m[2][2],
              -0.5 * (G->m[0][1] + G->m[1][0]),
              -0.5 * (G->m[0][2] + G->m[2][0]),
              -0.5 * (G->m[1][2] + G->m[2][1])};
    double minor = K.xx * K.yy - K.xy * K.xy;
    double det = K.zz * minor - K.xx * K.yz * K.yz - K.yy * K.xz * K.xz + 2.0 * K.xy * K.xz * K.yz;
    bool positive = K.xx > level && minor > level * level && det > level * level * level;
    if (!positive)
        return scaled(beta, 1.0 / size);
    Sym3 inverse = sym_inverse(&K);
    return sym_times(&inverse, beta);
}

Quatd sn__match_rotation(const Mat3 *A, Quatd guess) {
    double size = norm(A);
    Quatd q = guess;
    if (!(size > 1e-150) || !(size < 1e150))
        return q;
    for (int k = 0; k < STEPS; ++k) {
        Mat3 R = mat_of(q), G = mat_mul_transposed(A, &R);
        Vec3d beta = axial(&G);
        if (!(lengthd(beta) > REACHED * size))
            break;
        q = normalisedq(mulqd(turn_by(shortened(uphill(&G, beta, size), FARTHEST)), q));
    }
    return q;
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
    const Mat3 *R = &s->work[j].R;
    Vec3d d = subd(addd(subd(b->x_start, a->x_start), b->u), a->u);
    Vec3d left = subd(d, scaled(mat_times(R, e->rest), 0.5));
    Mat3 B = mat_of_sym(&e->bend), turned = mat_mul(R, &B);
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
            s->work[i].R = mat_of(s->q[i]);
        }
}
