// The direct solver of trees with rings: fronts are put together and eliminated (fronts.h).
//
// A front is the symmetric matrix N over the motions v = (t, θ) of its segments, each about its own joint. The
// joint of a segment is rigid in t and gives way in θ, as in stiff_solve_wide.c:
//   t = t_p + θ_p × run,  θ = θ_p + φ
// with the parent p. With B the three rows of N of the segment's turn, K the stiffness of its joint and
// w = (t_p + θ_p × run, θ_p, others) the motions that are left,
//   φ = X m − Y w,  X = (B_θ + K)⁻¹,  Y = X B,
// and what w feels is N − Bᵀ Y. Of it, the rows of the segment's own turn are K Y, without a difference. They and
// the rows of its displacement become those of the parent. Where the way to the joint stretches along u
// (StiffStretch), t has a term e u, and e is eliminated after φ as φ was, with 1/c in place of K.
//
// Of the symmetric matrix, what is on and right of the diagonal is there; what is left of it in a row is not
// looked at.
#include <assert.h>
#include <string.h>

#include "stiff/front_lanes.h"
#include "stiff/wide.h"

// Rows of a segment in its front, of its displacement and its turn; columns from `from` on.
typedef struct Rows {
    double *restrict row[6];
    int from, width;
} Rows;

// A 3×3 matrix of numbers, not of lanes.
typedef struct Sym {
    double xx, xy, xz, yy, yz, zz;
} Sym;

INLINE Sym read_sym(const StiffLanes *x, int i) {
    return (Sym){x[0][i], x[1][i], x[2][i], x[3][i], x[4][i], x[5][i]};
}

static Sym inverse_of(Sym m) {
    double xx = m.yy * m.zz - m.yz * m.yz, xy = m.xz * m.yz - m.xy * m.zz;
    double xz = m.xy * m.yz - m.xz * m.yy, yy = m.xx * m.zz - m.xz * m.xz;
    double yz = m.xy * m.xz - m.xx * m.yz, zz = m.xx * m.yy - m.xy * m.xy;
    double per = 1.0 / (m.xx * xx + m.xy * xy + m.xz * xz);
    return (Sym){per * xx, per * xy, per * xz, per * yy, per * yz, per * zz};
}

INLINE void keep_sym(double *to, Sym m) {
    to[0] = m.xx;
    to[1] = m.xy;
    to[2] = m.xz;
    to[3] = m.yy;
    to[4] = m.yz;
    to[5] = m.zz;
}

INLINE void sym_times(const double m[6], const double v[3], double out[3]) {
    out[0] = m[0] * v[0] + m[1] * v[1] + m[2] * v[2];
    out[1] = m[1] * v[0] + m[3] * v[1] + m[4] * v[2];
    out[2] = m[2] * v[0] + m[4] * v[1] + m[5] * v[2];
}

// Adds a block of six by six at two places of the matrix, or its transpose where that is right of the diagonal.
static void add_block(double *f, int width, int row, int column, double m[6][6]) {
    bool turned = row > column;
    for (int r = 0; r < 6; ++r)
        for (int c = 0; c < 6; ++c)
            if (turned)
                f[(size_t)(6 * column + c) * (size_t)width + (size_t)(6 * row + r)] += m[r][c];
            else
                f[(size_t)(6 * row + r) * (size_t)width + (size_t)(6 * column + c)] += m[r][c];
}

// [a]×, times a factor.
static void add_cross(double m[6][6], int row, int column, Vec3d a, double k) {
    m[row][column + 1] -= k * a.z;
    m[row][column + 2] += k * a.y;
    m[row + 1][column] += k * a.z;
    m[row + 1][column + 2] -= k * a.x;
    m[row + 2][column] -= k * a.y;
    m[row + 2][column + 1] += k * a.x;
}

static void add_sym_at(double m[6][6], Sym s, double k) {
    const double full[3][3] = {{s.xx, s.xy, s.xz}, {s.xy, s.yy, s.yz}, {s.xz, s.yz, s.zz}};
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            m[3 + r][3 + c] += k * full[r][c];
}

// The block of two points, a and b away from the joints of their segments, that a spring k joins: with
// P = (1, −[a]×) their motions by v, it is ±k P_aᵀ P_b.
static void add_points(double m[6][6], Vec3d a, Vec3d b, double k) {
    for (int c = 0; c < 3; ++c)
        m[c][c] += k;
    add_cross(m, 0, 3, b, -k);
    add_cross(m, 3, 0, a, k);
    // −[a][b] = a·b − b aᵀ
    const double *x = &a.x, *y = &b.x;
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            m[3 + r][3 + c] += k * ((r == c ? dotd(a, b) : 0.0) - y[r] * x[c]);
}

static void add_own(const Grove *g, const Fronts *fronts, double *f, int width, int block,
                    int slot) {
    int r = slot / STIFF_LANES, i = slot % STIFF_LANES;
    const StiffPivotRow *p = &fronts->row[r];
    double mass = g->rest[r].mass[i], m[6][6] = {{0}};
    for (int c = 0; c < 3; ++c)
        m[c][c] = mass;
    Vec3d arm = {p->arm[0][i], p->arm[1][i], p->arm[2][i]};
    add_cross(m, 0, 3, arm, -1.0);
    add_sym_at(m, read_sym(p->d, i), 1.0);
    add_block(f, width, block, block, m);
}

static void add_prop(const Grove *g, const Fronts *fronts, double *f, int width, int block,
                     int slot) {
    int r = slot / STIFF_LANES, i = slot % STIFF_LANES;
    const StiffFactor *factor = &g->factor[r];
    double m[6][6] = {{0}};
    Vec3d run = {factor->run_x[i], factor->run_y[i], factor->run_z[i]};
    add_points(m, run, run, factor->right_x[i]);
    add_sym_at(m, read_sym(fronts->row[r].stiff, i), 1.0);
    add_block(f, width, block, block, m);
}

// A segment by itself: its inertia, and what holds it.
static void add_segment(const Grove *g, const Fronts *fronts, double *f, int width,
                        const FrontPivot *p) {
    add_own(g, fronts, f, width, p->block, p->slot);
    for (int i = 0; i < p->props; ++i)
        add_prop(g, fronts, f, width, p->block, fronts->prop[p->prop_begin + i]);
}

static void add_loop(const Grove *g, double *f, int width, const FrontLoop *loop) {
    const StiffLoop *l = &g->loops[loop->loop];
    Sym turn = {0};
    for (int c = 0; c < 3; ++c) {
        Vec3d a = l->turn[c];
        double k = l->root[c + 1] * l->root[c + 1];
        turn.xx += k * a.x * a.x;
        turn.xy += k * a.x * a.y;
        turn.xz += k * a.x * a.z;
        turn.yy += k * a.y * a.y;
        turn.yz += k * a.y * a.z;
        turn.zz += k * a.z * a.z;
    }
    double k = l->root[0] * l->root[0];
    for (int e = 0; e < 3; ++e) {
        int one = e < 2 ? e : 0, two = e < 2 ? e : 1;
        double sign = e < 2 ? 1.0 : -1.0, m[6][6] = {{0}};
        add_points(m, l->arm[one], l->arm[two], sign * k);
        add_sym_at(m, turn, sign);
        add_block(f, width, loop->block[one], loop->block[two], m);
    }
}

// Y = X B into the factor, B three of the rows from the `first` on; 0 before column `begin`.
INLINE void multiply_rows(const Rows *rows, int first, const double x[6], double *restrict y,
                          int begin) {
    int n = rows->width - rows->from;
    Wide xx = splat(x[0]), xy = splat(x[1]), xz = splat(x[2]);
    Wide yy = splat(x[3]), yz = splat(x[4]), zz = splat(x[5]);
    for (int k = 0; k < n; k += WIDE_DOUBLE) {
        int at = rows->from + k;
        Wide a = load(rows->row[first] + at), b = load(rows->row[first + 1] + at);
        Wide c = load(rows->row[first + 2] + at);
        store(y + k, xx * a + xy * b + xz * c);
        store(y + n + k, xy * a + yy * b + yz * c);
        store(y + 2 * n + k, xz * a + yz * b + zz * c);
    }
    for (int k = rows->from; k < begin; ++k)
        y[k - rows->from] = y[n + k - rows->from] = y[2 * n + k - rows->from] = 0.0;
}

// Rows [begin, end) of the front, right of the diagonal, less Bᵀ Y.
INLINE void take_off(double *f, int begin, int end, const Rows *rows, int first,
                     const double *restrict y) {
    int width = rows->width, n = width - rows->from;
    for (int j = begin; j < end; j += 3) {
        double *restrict to[3];
        Wide b[3][3];
        for (int r = 0; r < 3; ++r) {
            to[r] = f + (size_t)(j + r) * (size_t)width;
            for (int c = 0; c < 3; ++c)
                b[r][c] = splat(rows->row[first + c][j + r]);
        }
        for (int k = j / STIFF_LANES * STIFF_LANES; k < width; k += WIDE_DOUBLE) {
            int at = k - rows->from;
            Wide y0 = load(y + at), y1 = load(y + n + at), y2 = load(y + 2 * n + at);
            for (int r = 0; r < 3; ++r)
                store(to[r] + k, load(to[r] + k) - (b[r][0] * y0 + b[r][1] * y1 + b[r][2] * y2));
        }
    }
}

// What is left of the own rows: N − Bᵀ Y of the displacement, K Y of the turn.
INLINE void reduce_own(const Rows *rows, Sym k, const double *restrict y, int own) {
    int n = rows->width - rows->from;
    double b[3][3];
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            b[r][c] = rows->row[r][own + 3 + c];
    for (int i = 0; i < n; i += WIDE_DOUBLE) {
        Wide y0 = load(y + i), y1 = load(y + n + i), y2 = load(y + 2 * n + i);
        int at = rows->from + i;
        for (int r = 0; r < 3; ++r)
            store(rows->row[r] + at,
                  load(rows->row[r] + at) - (b[r][0] * y0 + b[r][1] * y1 + b[r][2] * y2));
        store(rows->row[3] + at, k.xx * y0 + k.xy * y1 + k.xz * y2);
        store(rows->row[4] + at, k.xy * y0 + k.yy * y1 + k.yz * y2);
        store(rows->row[5] + at, k.xz * y0 + k.yz * y1 + k.zz * y2);
    }
}

// e, which moves the joint's point along u: its row is u·(rows of t), and Y that times its share.
static void stretch_rows(double *f, int blocks, const Rows *rows, double give, double *head,
                         double *restrict y, int own) {
    const double *u = head + PIVOT_U;
    double row[6], b[6];
    for (int c = 0; c < 6; ++c)
        row[c] = u[0] * rows->row[0][own + c] + u[1] * rows->row[1][own + c] +
                 u[2] * rows->row[2][own + c];
    double share = give / (1.0 + give * (row[0] * u[0] + row[1] * u[1] + row[2] * u[2]));
    for (int c = 0; c < 6; ++c)
        b[c] = row[c];
    for (int k = rows->from; k < rows->width; ++k)
        y[k - rows->from] = k < own ? 0.0
                                    : share * (u[0] * rows->row[0][k] + u[1] * rows->row[1][k] +
                                               u[2] * rows->row[2][k]);
    for (int k = rows->from; k < rows->width; ++k)
        for (int r = 0; r < 3; ++r) {
            rows->row[r][k] -= b[r] * y[k - rows->from];
            rows->row[3 + r][k] -= b[r + 3] * y[k - rows->from];
        }
    for (int j = own + 6; j < 6 * blocks && share > 0.0; ++j) {
        double *to = f + (size_t)j * (size_t)rows->width, n = y[j - rows->from] / share;
        for (int k = j; k < rows->width; ++k)
            to[k] -= n * y[k - rows->from];
    }
    head[PIVOT_SHARE] = share;
}

// From the segment's own joint to that of its parent: rows, and the columns of its own block.
INLINE void move_rows(const Rows *rows, const double *run, int own, double own_block[6][6]) {
    Wide x = splat(run[0]), y = splat(run[1]), z = splat(run[2]);
    for (int k = rows->from; k < rows->width; k += WIDE_DOUBLE) {
        Wide tx = load(rows->row[0] + k), ty = load(rows->row[1] + k), tz = load(rows->row[2] + k);
        store(rows->row[3] + k, load(rows->row[3] + k) + (y * tz - z * ty));
        store(rows->row[4] + k, load(rows->row[4] + k) + (z * tx - x * tz));
        store(rows->row[5] + k, load(rows->row[5] + k) + (x * ty - y * tx));
    }
    for (int r = 0; r < 6; ++r) {
        const double *from = rows->row[r] + own;
        double *m = own_block[r];
        memcpy(m, from, 6 * sizeof(double));
        m[3] += run[1] * m[2] - run[2] * m[1];
        m[4] += run[2] * m[0] - run[0] * m[2];
        m[5] += run[0] * m[1] - run[1] * m[0];
    }
}

// The own rows, moved, become part of those of the parent, which is block `up`.
INLINE void hand_to_parent(double *f, const Rows *rows, int own, int up, double own_block[6][6]) {
    size_t width = (size_t)rows->width;
    for (int j = own + 6; j < 6 * up; ++j)
        for (int r = 0; r < 6; ++r)
            f[(size_t)j * width + (size_t)(6 * up + r)] += rows->row[r][j];
    for (int r = 0; r < 6; ++r) {
        double *restrict to = f + (size_t)(6 * up + r) * width;
        for (int c = r; c < 6; ++c)
            to[6 * up + c] += rows->row[c][6 * up + r] + own_block[r][c];
        for (int k = 6 * up / STIFF_LANES * STIFF_LANES; k < rows->width; k += WIDE_DOUBLE)
            store(to + k, load(to + k) + load(rows->row[r] + k));
    }
}

static void eliminate(const Grove *g, Fronts *fronts, const Front *front, double *f,
                      const FrontPivot *p) {
    int row = p->slot / STIFF_LANES, lane = p->slot % STIFF_LANES, own = 6 * p->block;
    int blocks = front->blocks, width = front->width;
    double *head = fronts->factor + p->at, *y = head + PIVOT_HEAD;
    Rows rows = {.from = p->from, .width = width};
    for (int c = 0; c < 6; ++c)
        rows.row[c] = f + (size_t)(own + c) * (size_t)width;
    for (int r = 1; r < 6; ++r)
        for (int c = 0; c < r; ++c)
            rows.row[r][own + c] = rows.row[c][own + r];
    const StiffFactor *factor = &g->factor[row];
    const double run[3] = {factor->run_x[lane], factor->run_y[lane], factor->run_z[lane]};
    memcpy(head + PIVOT_RUN, run, sizeof run);
    Sym k = read_sym(fronts->row[row].stiff, lane);
    keep_sym(head + PIVOT_X,
             inverse_of((Sym){rows.row[3][own + 3] + k.xx, rows.row[3][own + 4] + k.xy,
                              rows.row[3][own + 5] + k.xz, rows.row[4][own + 4] + k.yy,
                              rows.row[4][own + 5] + k.yz, rows.row[5][own + 5] + k.zz}));
    multiply_rows(&rows, 3, head + PIVOT_X, y, own);
    take_off(f, own + 6, 6 * blocks, &rows, 3, y);
    reduce_own(&rows, k, y, own);
    if (p->stretches) {
        for (int c = 0; c < 3; ++c)
            head[PIVOT_U + c] = g->stretch[row].u[c][lane];
        stretch_rows(f, blocks, &rows, fronts->row[row].give[lane], head, y + 3 * (width - p->from),
                     own);
    }
    if (p->parent == -2) {
        keep_sym(head + PIVOT_LOOSE, inverse_of((Sym){rows.row[0][own], rows.row[0][own + 1],
                                                      rows.row[0][own + 2], rows.row[1][own + 1],
                                                      rows.row[1][own + 2], rows.row[2][own + 2]}));
        multiply_rows(&rows, 0, head + PIVOT_LOOSE, y + 3 * (width - p->from), own + 6);
        take_off(f, own + 6, 6 * blocks, &rows, 0, y + 3 * (width - p->from));
    }
    if (p->parent < 0)
        return;
    double own_block[6][6];
    move_rows(&rows, run, own, own_block);
    if (!p->goes_on)
        hand_to_parent(f, &rows, own, p->parent, own_block);
    for (int r = 0; r < 6 && p->goes_on; ++r)
        memcpy(rows.row[r] + own, own_block[r], sizeof own_block[r]);
    if (p->goes_on)
        add_segment(g, fronts, f, width, p + 1);
}

// Right of the diagonal, from the vector on that it lies in.
static void clear(const Fronts *fronts, const Front *front) {
    for (int r = 0; r < 6 * front->blocks; ++r) {
        int from = r / STIFF_LANES * STIFF_LANES;
        memset(fronts->work + front->at + (size_t)r * (size_t)front->width + from, 0,
               (size_t)(front->width - from) * sizeof(double));
    }
}

// What is left of a front, into that of its parent. Blocks that lie side by side there are added at once.
static void add_to_parent(Fronts *fronts, const Front *front, const double *f) {
    const Front *up = &fronts->front[front->parent];
    double *g = fronts->work + up->at;
    const int *place = fronts->place + front->rest_begin;
    int own = front->blocks - front->rest;
    if (front->first_child)
        clear(fronts, up);
    for (int a = 0; a < front->rest; ++a)
        for (int b = a, end; b < front->rest; b = end) {
            for (end = b + 1; end < front->rest && place[end] == place[end - 1] + 1;)
                ++end;
            for (int r = 0; r < 6; ++r) {
                const double *restrict from = f +
                                              (size_t)(6 * (own + a) + r) * (size_t)front->width +
                                              (size_t)(6 * (own + b));
                double *restrict to =
                    g + (size_t)(6 * place[a] + r) * (size_t)up->width + (size_t)(6 * place[b]);
                for (int k = 0; k < 6 * (end - b); ++k)
                    to[k] += from[k];
            }
        }
}

void WIDE_FUNCTION(stiff_fronts_factor)(Grove *g) {
    Fronts *fronts = g->fronts;
    for (int k = 0; k < fronts->front_count; ++k) {
        const Front *front = &fronts->front[k];
        double *f = fronts->work + front->at;
        int width = front->width;
        const FrontPivot *pivot = fronts->pivot + front->first;
        if (front->leaf)
            clear(fronts, front);
        for (int i = 0; i < front->pivots; ++i)
            if (i == 0 || !pivot[i - 1].goes_on)
                add_segment(g, fronts, f, width, &pivot[i]);
        for (int i = 0; i < front->loops; ++i)
            add_loop(g, f, width, &fronts->loop[front->loop_begin + i]);
        for (int i = 0; i < front->pivots; ++i)
            eliminate(g, fronts, front, f, &pivot[i]);
        if (front->parent >= 0)
            add_to_parent(fronts, front, f);
    }
}

INLINE void cross_add(double *to, const double *a, const double *b) {
    to[0] += a[1] * b[2] - a[2] * b[1];
    to[1] += a[2] * b[0] - a[0] * b[2];
    to[2] += a[0] * b[1] - a[1] * b[0];
}

// w − Yᵀ m.
INLINE void take_moment(double *restrict w, const double *restrict y, int n, const double m[3]) {
    for (int k = 0; k < n; k += WIDE_DOUBLE)
        store(w + k, load(w + k) - (load(y + k) * m[0] + load(y + n + k) * m[1] +
                                    load(y + 2 * n + k) * m[2]));
}

static void pivot_up(const FrontPivot *p, double *head, double *restrict w, int own, int width) {
    int n = width - p->from;
    const double *y = head + PIVOT_HEAD, m[3] = {w[own + 3], w[own + 4], w[own + 5]};
    sym_times(head + PIVOT_X, m, head + PIVOT_RIGHT);
    take_moment(w + p->from, y, n, m);
    if (p->stretches) {
        const double *u = head + PIVOT_U;
        double along = u[0] * w[own] + u[1] * w[own + 1] + u[2] * w[own + 2];
        head[PIVOT_LONGER] = head[PIVOT_SHARE] * along;
        for (int k = 0; k < n; ++k)
            w[p->from + k] -= y[3 * n + k] * along;
    }
    if (p->parent == -2) {
        const double force[3] = {w[own], w[own + 1], w[own + 2]};
        sym_times(head + PIVOT_LOOSE, force, head + PIVOT_PLACE);
        take_moment(w + p->from, y + 3 * n, n, force);
    }
    if (p->parent < 0)
        return;
    double *up = w + 6 * p->parent;
    for (int c = 0; c < 6 && !p->goes_on; ++c)
        up[c] += w[own + c];
    cross_add(up + 3, head + PIVOT_RUN, w + own);
}

static void pivot_down(const FrontPivot *p, const double *head, double *w, int own, int width) {
    int n = width - p->from;
    const double *y = head + PIVOT_HEAD;
    double *v = w + own;
    for (int c = 0; c < 3 && p->parent == -2; ++c)
        v[c] = head[PIVOT_PLACE + c] - product_of(y + (3 + c) * n, w + p->from, n);
    if (p->parent >= 0) {
        const double *up = w + 6 * p->parent;
        if (!p->goes_on)
            memcpy(v, up, 6 * sizeof(double));
        cross_add(v, up + 3, head + PIVOT_RUN);
    }
    if (p->stretches) {
        double longer = head[PIVOT_LONGER] - product_of(y + 3 * n, w + p->from, n);
        for (int c = 0; c < 3; ++c)
            v[c] += longer * head[PIVOT_U + c];
    }
    double by[3];
    for (int c = 0; c < 3; ++c)
        by[c] = head[PIVOT_RIGHT + c] - product_of(y + c * n, w + p->from, n);
    for (int c = 0; c < 3; ++c)
        v[3 + c] += by[c];
}

static void front_up(Fronts *fronts, const Front *front) {
    double *w = fronts->local, *v = fronts->vector;
    const int *rest = fronts->rest + front->rest_begin;
    memset(w, 0, (size_t)front->width * sizeof(double));
    for (int i = front->first; i < front->first + front->pivots; ++i) {
        const FrontPivot *p = &fronts->pivot[i];
        for (int c = 0; c < 6; ++c)
            w[6 * p->block + c] += v[6 * i + c];
        pivot_up(p, fronts->factor + p->at, w, 6 * p->block, front->width);
    }
    const double *left = w + 6 * (front->blocks - front->rest);
    for (int i = 0; i < front->rest; ++i)
        for (int c = 0; c < 6; ++c)
            v[6 * rest[i] + c] += left[6 * i + c];
}

static void front_down(Fronts *fronts, const Front *front) {
    double *w = fronts->local, *v = fronts->vector;
    const int *rest = fronts->rest + front->rest_begin;
    int own = 6 * (front->blocks - front->rest);
    memset(w, 0, (size_t)front->width * sizeof(double));
    for (int i = 0; i < front->rest; ++i)
        memcpy(w + own + 6 * i, v + (size_t)(6 * rest[i]), 6 * sizeof(double));
    for (int i = front->first + front->pivots; i-- > front->first;) {
        const FrontPivot *p = &fronts->pivot[i];
        pivot_down(p, fronts->factor + p->at, w, 6 * p->block, front->width);
        memcpy(v + (size_t)(6 * i), w + 6 * p->block, 6 * sizeof(double));
    }
}

void WIDE_FUNCTION(stiff_fronts_solve)(Grove *g) {
    Fronts *fronts = g->fronts;
    for (int k = 0; k < fronts->front_count; ++k)
        front_up(fronts, &fronts->front[k]);
    for (int k = fronts->front_count; k-- > 0;)
        front_down(fronts, &fronts->front[k]);
}
