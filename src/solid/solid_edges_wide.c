// Forces of edges, eight side by side: energy.c has the formulas. What comes of them is added up edge by edge, in
// their order, so that every width gives the same bits.
#include "math/lanes_double.h"
#include "solid/solid.h"

#define PARTS (EDGE_ROW / WIDE_DOUBLE)

typedef double Lanes[EDGE_ROW] __attribute__((aligned(64)));

// Both ends of eight edges, and what is between them.
typedef struct Ends {
    Lanes a[3][3], b[3][3]; // rotations
    Lanes d[3];
} Ends;

INLINE void gather(const SolidRow *row, const SolidWork *work, const Mat3 *R, Ends *out) {
    for (int l = 0; l < EDGE_ROW; ++l) {
        const SolidWork *a = &work[row->i[l]], *b = &work[row->j[l]];
        const Mat3 *A = &R[row->i[l]], *B = &R[row->j[l]];
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c) {
                out->a[r][c][l] = A->m[r][c];
                out->b[r][c][l] = B->m[r][c];
            }
        out->d[0][l] = (b->x_start.x - a->x_start.x + b->u.x) - a->u.x;
        out->d[1][l] = (b->x_start.y - a->x_start.y + b->u.y) - a->u.y;
        out->d[2][l] = (b->x_start.z - a->x_start.z + b->u.z) - a->u.z;
    }
}

INLINE Wide3 load3(const double (*v)[EDGE_ROW], int at) {
    return (Wide3){load(&v[0][at]), load(&v[1][at]), load(&v[2][at])};
}

INLINE void store3(double (*v)[EDGE_ROW], int at, Wide3 a) {
    store(&v[0][at], a.x);
    store(&v[1][at], a.y);
    store(&v[2][at], a.z);
}

INLINE WideMat load33(const double (*v)[3][EDGE_ROW], int at) {
    return (WideMat){load3(v[0], at), load3(v[1], at), load3(v[2], at)};
}

INLINE WideSym load_bend(const double (*v)[EDGE_ROW], int at) {
    return (WideSym){.xx = load(&v[0][at]),
                     .yy = load(&v[1][at]),
                     .zz = load(&v[2][at]),
                     .xy = load(&v[3][at]),
                     .xz = load(&v[4][at]),
                     .yz = load(&v[5][at])};
}

INLINE WideMat product(WideMat A, WideMat B) {
    return (WideMat){transposed_mul3(B, A.x), transposed_mul3(B, A.y), transposed_mul3(B, A.z)};
}

// c of C = A Rᵀ, see energy.c: C₃₂ − C₂₃ and so on.
INLINE Wide3 axial(WideMat A, WideMat R) {
    return (Wide3){dot3(A.z, R.y) - dot3(A.y, R.z), dot3(A.x, R.z) - dot3(A.z, R.x),
                   dot3(A.y, R.x) - dot3(A.x, R.y)};
}

typedef struct Forces {
    Lanes force[3], turn[2][3]; // on i, and its opposite on j; torques on i and j
} Forces;

// One part of a row; returns the squares of its strains.
INLINE Wide pull(const SolidRow *row, const Ends *ends, int at, double h2, double per_turn,
                 double damping, Forces *out) {
    WideMat Ri = load33((const double(*)[3][EDGE_ROW])ends->a, at);
    WideMat Rj = load33((const double(*)[3][EDGE_ROW])ends->b, at);
    Wide3 rest = mul3(load3(row->rest, at), splat(0.5));
    Wide stretch = load(&row->stretch[at]);
    Wide3 p = mat_mul3(Ri, rest), q = mat_mul3(Rj, rest);
    Wide3 r = sub3(add3(p, q), load3((const double(*)[EDGE_ROW])ends->d, at));
    Wide3 f = mul3(r, stretch), both = f, turn_i = cross3(p, f), turn_j = cross3(q, f);
    WideMat B = full(load_bend(row->bend, at));
    if (damping > 0.0) {
        WideMat start = load33(row->bend_start, at);
        Wide3 a = mul3(mat_mul3(Ri, load3(row->strain_start[0], at)), splat(0.5));
        Wide3 b = mul3(mat_mul3(Rj, load3(row->strain_start[1], at)), splat(0.5));
        Wide3 late = mul3(sub3(r, add3(a, b)), stretch * damping);
        both = add3(both, late);
        turn_i = add3(turn_i, cross3(sub3(p, a), late));
        turn_j = add3(turn_j, cross3(sub3(q, b), late));
        B.x = add3(B.x, mul3(start.x, splat(damping)));
        B.y = add3(B.y, mul3(start.y, splat(damping)));
        B.z = add3(B.z, mul3(start.z, splat(damping)));
    }
    Wide3 c = axial(product(Rj, B), Ri);
    store3(out->force, at, mul3(both, splat(h2)));
    store3(out->turn[0], at, mul3(sub3(turn_i, c), splat(per_turn)));
    store3(out->turn[1], at, mul3(add3(turn_j, c), splat(per_turn)));
    return dot3(r, r) * load(&row->inverse[at]);
}

double WIDE_FUNCTION(solid_gradient)(const SolidRow *rows, int count, const SolidWork *work,
                                     const Mat3 *R, double h2, double per_turn, double damping,
                                     SparseVector *vector) {
    Lanes strains;
    Wide most[PARTS];
    for (int p = 0; p < PARTS; ++p)
        most[p] = splat(0.0);
    for (int k = 0; k < count; ++k) {
        const SolidRow *row = &rows[k];
        Ends ends;
        Forces forces;
        gather(row, work, R, &ends);
        for (int p = 0; p < PARTS; ++p)
            most[p] = wide_max(most[p],
                               pull(row, &ends, p * WIDE_DOUBLE, h2, per_turn, damping, &forces));
        for (int l = 0; l < row->count; ++l) {
            double *a = vector[row->place_i[l]].x, *b = vector[row->place_j[l]].x;
            for (int c = 0; c < 3; ++c) {
                a[c] += forces.force[c][l];
                b[c] -= forces.force[c][l];
                a[3 + c] += forces.turn[0][c][l];
                b[3 + c] += forces.turn[1][c][l];
            }
        }
    }
    double strain = 0.0;
    for (int p = 0; p < PARTS; ++p)
        store(&strains[p * WIDE_DOUBLE], most[p]);
    for (int l = 0; l < EDGE_ROW; ++l)
        strain = strains[l] > strain ? strains[l] : strain;
    return strain;
}

void WIDE_FUNCTION(solid_note)(SolidRow *rows, int count, const SolidWork *work, const Mat3 *R) {
    for (int k = 0; k < count; ++k) {
        SolidRow *row = &rows[k];
        Ends ends;
        gather(row, work, R, &ends);
        for (int p = 0; p < PARTS; ++p) {
            int at = p * WIDE_DOUBLE;
            WideMat Ri = load33((const double(*)[3][EDGE_ROW])ends.a, at);
            WideMat Rj = load33((const double(*)[3][EDGE_ROW])ends.b, at);
            Wide3 rest = mul3(load3(row->rest, at), splat(0.5));
            Wide3 r = sub3(add3(mat_mul3(Ri, rest), mat_mul3(Rj, rest)),
                           load3((const double(*)[EDGE_ROW])ends.d, at));
            store3(row->strain_start[0], at, transposed_mul3(Ri, r));
            store3(row->strain_start[1], at, transposed_mul3(Rj, r));
            WideMat back = {
                {Rj.x.x, Rj.y.x, Rj.z.x}, {Rj.x.y, Rj.y.y, Rj.z.y}, {Rj.x.z, Rj.y.z, Rj.z.z}};
            WideMat start = sym_mul(load_bend(row->bend, at), product(back, Ri));
            store3(row->bend_start[0], at, start.x);
            store3(row->bend_start[1], at, start.y);
            store3(row->bend_start[2], at, start.z);
        }
    }
}
