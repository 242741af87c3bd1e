// How the segments of trees with rings answer to forces on them: the blocks on the diagonal of the inverse of
// what stiff_fronts_wide.c has factorised, from the roots to the leaves.
//
// As in stiff_compliance_wide.c, with all that a front has left in place of the parent. With Z the inverse over
// w, the motions that a segment's turn φ depends on, φ = n − Y w with n of variance X, so that
//   Z_φ· = −Y Z,  Z_φφ = X + Y Z Yᵀ.
// Only the inverse over the rest of a front is needed for its pivots, and that is part of its parent's.
#include <string.h>

#include "stiff/front_lanes.h"
#include "stiff/wide.h"

// The inverse over the blocks of a front, whole rows; those of one segment begin at `own`.
typedef struct Inverse {
    double *z;
    size_t width;
    int own, from, columns;
} Inverse;

static double *row_of(const Inverse *v, int row) { return v->z + (size_t)row * v->width; }

// Adds to the segment's motion along `along`, by row, what depends on all motions by −Y and has its own
// variance besides.
static void add_dependent(const Inverse *v, int count, const double *y, double along[6][3],
                          double variance[3][3]) {
    int n = (int)v->width - v->from;
    double *p[3], own[3][6], all[3][3];
    StiffLanes sums[3];
    for (int d = 0; d < count; ++d)
        for (int c = 0; c < 6; ++c)
            own[d][c] = product_of(y + d * n, row_of(v, v->own + c) + v->from, n);
    for (int d = 0; d < count; ++d)
        p[d] = sums[d];
    for (int d = 0; d < count; ++d)
        for (int e = 0; e < count; ++e)
            all[d][e] = variance[d][e];
    for (int k = (v->own + 6) / STIFF_LANES * STIFF_LANES; k < (int)v->width; k += STIFF_LANES) {
        for (int i = 0; i < STIFF_LANES; i += WIDE_DOUBLE) {
            Wide sum[3] = {splat(0.0), splat(0.0), splat(0.0)};
            for (int r = v->own; r < v->columns; ++r) {
                Wide z = load(row_of(v, r) + k + i);
                for (int d = 0; d < count; ++d)
                    sum[d] += y[d * n + r - v->from] * z;
            }
            for (int d = 0; d < count; ++d)
                store(&sums[d][i], sum[d]);
        }
        for (int i = k < v->own + 6 ? v->own + 6 - k : 0; i < STIFF_LANES; ++i)
            for (int d = 0; d < count; ++d) {
                for (int e = 0; e < count; ++e)
                    all[d][e] += p[d][i] * y[e * n + k + i - v->from];
                for (int c = 0; c < 6; ++c)
                    row_of(v, v->own + c)[k + i] -= along[c][d] * p[d][i];
            }
    }
    for (int d = 0; d < count; ++d)
        for (int e = 0; e < count; ++e)
            for (int c = 0; c < 6; ++c)
                all[d][e] += own[d][c] * y[e * n + v->own + c - v->from];
    for (int r = 0; r < 6; ++r)
        for (int c = 0; c < 6; ++c) {
            double *z = &row_of(v, v->own + r)[v->own + c];
            for (int d = 0; d < count; ++d) {
                *z -= along[r][d] * own[d][c] + along[c][d] * own[d][r];
                for (int e = 0; e < count; ++e)
                    *z += along[r][d] * all[d][e] * along[c][e];
            }
        }
}

static void move_columns(double *m, const double *run) {
    m[0] += m[4] * run[2] - m[5] * run[1];
    m[1] += m[5] * run[0] - m[3] * run[2];
    m[2] += m[3] * run[1] - m[4] * run[0];
}

// t = t_p + θ_p × run, θ = θ_p: from block `up`, which may be the own one.
static void take_parent(const Inverse *v, int up, const double *run) {
    const double *from[6];
    double *to[6], across[6][6];
    for (int c = 0; c < 6; ++c) {
        from[c] = row_of(v, 6 * up + c);
        to[c] = row_of(v, v->own + c);
    }
    for (int r = 0; r < 6; ++r) {
        memcpy(across[r], from[r] + 6 * up, sizeof across[r]);
        move_columns(across[r], run);
    }
    for (int c = 0; c < 6; ++c) {
        double column[6];
        for (int r = 0; r < 6; ++r)
            column[r] = across[r][c];
        move_columns(column, run);
        for (int r = 0; r < 6; ++r)
            across[r][c] = column[r];
    }
    for (int k = v->from; k < (int)v->width; ++k) {
        double m[6];
        for (int c = 0; c < 6; ++c)
            m[c] = from[c][k];
        move_columns(m, run);
        for (int c = 0; c < 6; ++c)
            to[c][k] = m[c];
    }
    for (int r = 0; r < 6; ++r)
        memcpy(to[r] + v->own, across[r], sizeof across[r]);
}

static void full_of(const double m[6], double out[3][3]) {
    const double full[3][3] = {{m[0], m[1], m[2]}, {m[1], m[3], m[4]}, {m[2], m[4], m[5]}};
    memcpy(out, full, sizeof full);
}

static void take_pivot(const Inverse *v, const FrontPivot *p, const double *head) {
    int n = (int)v->width - v->from;
    const double *y = head + PIVOT_HEAD;
    double variance[3][3] = {{head[PIVOT_SHARE]}}, along[6][3] = {{0}}, turn[6][3] = {{0}};
    if (p->parent >= 0)
        take_parent(v, p->parent, head + PIVOT_RUN);
    else
        for (int c = 0; c < 6; ++c)
            memset(row_of(v, v->own + c) + v->from, 0, (size_t)n * sizeof(double));
    if (p->stretches) {
        for (int c = 0; c < 3; ++c)
            along[c][0] = head[PIVOT_U + c];
        add_dependent(v, 1, y + 3 * n, along, variance);
    }
    for (int c = 0; c < 3; ++c)
        turn[c + 3][c] = along[c][c] = 1.0;
    if (p->parent == -2) {
        full_of(head + PIVOT_LOOSE, variance);
        add_dependent(v, 3, y + 3 * n, along, variance);
    }
    full_of(head + PIVOT_X, variance);
    add_dependent(v, 3, y, turn, variance);
}

static void give_answer(const Grove *g, const Inverse *v, int slot) {
    StiffCompliance *to = &g->compliance[slot / STIFF_LANES];
    int i = slot % STIFF_LANES, count = 0;
    for (int r = 0; r < 3; ++r) {
        const double *t = row_of(v, v->own + r) + v->own,
                     *turn = row_of(v, v->own + 3 + r) + v->own;
        for (int c = r; c < 3; ++c, ++count) {
            to->tt[count][i] = t[c];
            to->rr[count][i] = turn[3 + c];
        }
        for (int c = 0; c < 3; ++c)
            to->rt[3 * r + c][i] = turn[c];
    }
}

// Over the rest of a front, as it is in its parent.
static void take_rest(const Fronts *fronts, const Front *front, double *z) {
    const Front *up = &fronts->front[front->parent];
    const int *place = fronts->place + front->rest_begin;
    int own = front->blocks - front->rest;
    for (int a = 0; a < front->rest; ++a)
        for (int r = 0; r < 6; ++r) {
            const double *from =
                fronts->work + up->at + (size_t)(6 * place[a] + r) * (size_t)up->width;
            double *to = z + (size_t)(6 * (own + a) + r) * (size_t)front->width;
            for (int b = 0; b < front->rest; ++b)
                memcpy(to + 6 * (own + b), from + 6 * place[b], 6 * sizeof(double));
            for (int k = 6 * front->blocks; k < front->width; ++k)
                to[k] = 0.0;
        }
}

void WIDE_FUNCTION(stiff_fronts_inverse)(Grove *g) {
    const Fronts *fronts = g->fronts;
    for (int k = fronts->front_count; k-- > 0;) {
        const Front *front = &fronts->front[k];
        double *z = fronts->work + front->at;
        if (front->parent >= 0)
            take_rest(fronts, front, z);
        for (int i = front->first + front->pivots; i-- > front->first;) {
            const FrontPivot *p = &fronts->pivot[i];
            Inverse v = {z, (size_t)front->width, 6 * p->block, p->from, 6 * front->blocks};
            take_pivot(&v, p, fronts->factor + p->at);
            give_answer(g, &v, p->slot);
            // The first of a strand is what others depend on.
            for (int r = v.own + 6; r < v.columns && (i == 0 || !p[-1].goes_on); ++r)
                for (int c = 0; c < 6; ++c)
                    row_of(&v, r)[v.own + c] = row_of(&v, v.own + c)[r];
        }
    }
}
