// Forces of edges, eight side by side: energy.c has the formulas. What comes of them is added up edge by edge, in
// their order, so that every width gives the same bits.
#include "solid/turns.h"

#define PARTS (EDGE_ROW / WIDE_DOUBLE)

// Both ends of some edges, and what is between them.
typedef struct Ends {
    WideMat a, b; // rotations
    Wide3 d;
} Ends;

INLINE Ends ends_of(const Solid *s, const int *i, const int *j) {
    Lines a = load_lines_at(s->poses, sizeof *s->poses, i, WIDE_DOUBLE);
    Lines b = load_lines_at(s->poses, sizeof *s->poses, j, WIDE_DOUBLE);
    return (Ends){wide_mat_of(four_at(&a, 0)), wide_mat_of(four_at(&b, 0)),
                  sub3(three_at(&b, 4), three_at(&a, 4))};
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

// What eight edges do to their ends, line by line: force and torque.
typedef struct Forces {
    SparseVector on[2][EDGE_ROW];
} Forces;

INLINE void keep_lines(Wide3 force, Wide3 turn, SparseVector *out) {
    Lines a = no_lines();
    set_three(&a, 0, force);
    set_three(&a, 3, turn);
    store_lines(a, out, sizeof *out, LINE, WIDE_DOUBLE);
}

// One part of a row; returns the squares of its strains.
INLINE Wide pull(const Solid *s, const SolidRow *row, int at, double h2, double per_turn,
                 double damping, Forces *out) {
    Ends ends = ends_of(s, &row->i[at], &row->j[at]);
    Wide3 rest = mul3(load3(row->rest, at), splat(0.5));
    Wide stretch = load(&row->stretch[at]);
    Wide3 p = mat_mul3(ends.a, rest), q = mat_mul3(ends.b, rest);
    Wide3 r = sub3(add3(p, q), ends.d);
    Wide3 f = mul3(r, stretch), both = f, turn_i = cross3(p, f), turn_j = cross3(q, f);
    WideMat B = full(load_bend(row->bend, at));
    if (damping > 0.0) {
        WideMat start = load33(row->bend_start, at);
        Wide3 a = mul3(mat_mul3(ends.a, load3(row->strain_start[0], at)), splat(0.5));
        Wide3 b = mul3(mat_mul3(ends.b, load3(row->strain_start[1], at)), splat(0.5));
        Wide3 late = mul3(sub3(r, add3(a, b)), stretch * damping);
        both = add3(both, late);
        turn_i = add3(turn_i, cross3(sub3(p, a), late));
        turn_j = add3(turn_j, cross3(sub3(q, b), late));
        B.x = add3(B.x, mul3(start.x, splat(damping)));
        B.y = add3(B.y, mul3(start.y, splat(damping)));
        B.z = add3(B.z, mul3(start.z, splat(damping)));
    }
    Wide3 c = axial(product(ends.b, B), ends.a), force = mul3(both, splat(h2));
    Wide no = splat(0.0);
    keep_lines(force, mul3(sub3(turn_i, c), splat(per_turn)), &out->on[0][at]);
    keep_lines(sub3((Wide3){no, no, no}, force), mul3(add3(turn_j, c), splat(per_turn)),
               &out->on[1][at]);
    return dot3(r, r) * load(&row->inverse[at]);
}

INLINE void add_line(SparseVector *to, const SparseVector *by) {
    for (int p = 0; p < LINE_PARTS; ++p)
        store(&to->x[p * WIDE_DOUBLE],
              load(&to->x[p * WIDE_DOUBLE]) + load(&by->x[p * WIDE_DOUBLE]));
}

// Places are taken from the first particle on, so that nothing of them is lost far from the origin.
INLINE void find_poses(Solid *s) {
    Vec3d first = s->work[0].x_start;
    Wide3 from = {splat(first.x), splat(first.y), splat(first.z)};
    for (int i = 0; i < s->count; i += WIDE_DOUBLE) {
        Lines at = load_lines(&s->work[i].x_start, sizeof(SolidWork), s->count - i);
        Lines q = load_lines(&s->q[i], sizeof(Quatd), s->count - i), out = no_lines();
        set_four(&out, 0, four_at(&q, 0));
        set_three(&out, 4, add3(sub3(three_at(&at, 0), from), three_at(&at, 3)));
        store_lines(out, &s->poses[i], sizeof *s->poses, LINE, s->count - i);
    }
}

double WIDE_FUNCTION(solid_gradient)(Solid *s, double h2, double per_turn, double damping) {
    double strain = 0.0;
    find_poses(s);
    Wide most = splat(0.0);
    for (int k = 0; k < sn__solid_row_count(s); ++k) {
        const SolidRow *row = &s->rows[k];
        Forces forces;
        for (int p = 0; p < PARTS; ++p)
            most = wide_max(most, pull(s, row, p * WIDE_DOUBLE, h2, per_turn, damping, &forces));
        for (int l = 0; l < row->count; ++l) {
            add_line(&s->vector[row->place_i[l]], &forces.on[0][l]);
            add_line(&s->vector[row->place_j[l]], &forces.on[1][l]);
        }
    }
    for (int l = 0; l < WIDE_DOUBLE; ++l)
        strain = most[l] > strain ? most[l] : strain;
    return strain;
}

void WIDE_FUNCTION(solid_note)(Solid *s) {
    find_poses(s);
    for (int k = 0; k < sn__solid_row_count(s); ++k)
        for (int at = 0; at < EDGE_ROW; at += WIDE_DOUBLE) {
            SolidRow *row = &s->rows[k];
            Ends ends = ends_of(s, &row->i[at], &row->j[at]);
            WideMat Ri = ends.a, Rj = ends.b;
            Wide3 rest = mul3(load3(row->rest, at), splat(0.5));
            Wide3 r = sub3(add3(mat_mul3(Ri, rest), mat_mul3(Rj, rest)), ends.d);
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
