// Vectors on their way to the factors of a body and back: those lie as the body did when they were made.
#include "solid/turns.h"

// Rotations of so many bodies side by side, or their inverses.
typedef struct Turns {
    double m[3][3][SOLID_GROUP];
} __attribute__((aligned(64))) Turns;

static Turns turns_of(Solid *const *bodies, int count, bool back) {
    Turns t = {{{{0.0}}}};
    for (int l = 0; l < count; ++l) {
        Mat3 R = mat_of(back ? conjugated(bodies[l]->turn) : bodies[l]->turn);
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c)
                t.m[r][c][l] = R.m[r][c];
    }
    return t;
}

INLINE WideMat turn_at(const Turns *t, int at) {
    return (WideMat){{load(&t->m[0][0][at]), load(&t->m[0][1][at]), load(&t->m[0][2][at])},
                     {load(&t->m[1][0][at]), load(&t->m[1][1][at]), load(&t->m[1][2][at])},
                     {load(&t->m[2][0][at]), load(&t->m[2][1][at]), load(&t->m[2][2][at])}};
}

// Lanes without a body are 0.
void WIDE_FUNCTION(solid_collect)(Solid *const *bodies, int count, SparseBlock *lanes) {
    const Turns turns = turns_of(bodies, count, true);
    static const SparseVector nothing;
    for (int k = 0; k < bodies[0]->count; ++k)
        for (int at = 0; at < SPARSE_ROW; at += WIDE_DOUBLE) {
            Lines x;
            for (int p = 0; p < LINE_PARTS; ++p) {
                for (int l = 0; l < WIDE_DOUBLE; ++l) {
                    const SparseVector *from =
                        at + l < count ? &bodies[at + l]->vector[k] : &nothing;
                    x.v[p * WIDE_DOUBLE + l] = load(&from->x[p * WIDE_DOUBLE]);
                }
                wide_transpose(&x.v[p * WIDE_DOUBLE]);
            }
            WideMat R = turn_at(&turns, at);
            Wide3 u = mat_mul3(R, three_at(&x, 0)), t = mat_mul3(R, three_at(&x, 3));
            const Wide all[SPARSE_SIZE] = {u.x, u.y, u.z, t.x, t.y, t.z};
            for (int c = 0; c < SPARSE_SIZE; ++c)
                store(&lanes[k].column[c][at], all[c]);
        }
}

void WIDE_FUNCTION(solid_spread)(Solid *const *bodies, int count, const SparseBlock *lanes) {
    const Turns turns = turns_of(bodies, count, false);
    for (int k = 0; k < bodies[0]->count; ++k)
        for (int at = 0; at < count; at += WIDE_DOUBLE) {
            const double(*x)[SPARSE_ROW] = lanes[k].column;
            WideMat R = turn_at(&turns, at);
            Wide3 u = {load(&x[0][at]), load(&x[1][at]), load(&x[2][at])};
            Wide3 t = {load(&x[3][at]), load(&x[4][at]), load(&x[5][at])};
            Lines out = no_lines();
            set_three(&out, 0, mat_mul3(R, u));
            set_three(&out, 3, mat_mul3(R, t));
            out = lines_back(out);
            for (int l = 0; l < WIDE_DOUBLE && at + l < count; ++l)
                put_line(&out, l, bodies[at + l]->vector[k].x, LINE);
        }
}

// The vector of one body.
void WIDE_FUNCTION(solid_turn)(Solid *s, bool back) {
    Mat3 R = mat_of(back ? conjugated(s->turn) : s->turn);
    const double(*m)[3] = R.m;
    WideMat turn = {{splat(m[0][0]), splat(m[0][1]), splat(m[0][2])},
                    {splat(m[1][0]), splat(m[1][1]), splat(m[1][2])},
                    {splat(m[2][0]), splat(m[2][1]), splat(m[2][2])}};
    for (int k = 0; k < s->count; k += WIDE_DOUBLE) {
        Lines x = load_lines(&s->vector[k], sizeof(SparseVector), s->count - k), out = no_lines();
        set_three(&out, 0, mat_mul3(turn, three_at(&x, 0)));
        set_three(&out, 3, mat_mul3(turn, three_at(&x, 3)));
        store_lines(out, &s->vector[k], sizeof(SparseVector), LINE, s->count - k);
    }
}
