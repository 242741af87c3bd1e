// Loops that are alone in their tree: rings. Six unknowns each, by conjugate gradients: a way up and a way down
// the trees multiply by G for all rings of a grove at once, which is less work than to factorise them.
#include <assert.h>
#include <string.h>

#include "stiff/loops.h"

// They stop when what is left is so much smaller than at the start, or after so many rounds.
#define ENOUGH 1e-10
#define ROUNDS 40

// L⁻ᵀ L⁻¹ of the Cholesky factor of m; its lower half is what counts.
static void invert(double m[6][6], double out[6][6]) {
    for (int c = 0; c < 6; ++c)
        for (int k = c; k < 6; ++k) {
            double v = m[k][c];
            for (int i = 0; i < c; ++i)
                v -= m[k][i] * m[c][i];
            // Not below 1 but for rounding.
            m[k][c] = k == c ? 1.0 / sqrt(fmax(v, 0.5)) : v * m[c][c];
        }
    for (int c = 0; c < 6; ++c)
        for (int k = c + 1; k < 6; ++k) {
            double v = 0.0;
            for (int i = c; i < k; ++i)
                v -= m[k][i] * (i == c ? m[c][c] : m[c][i]);
            m[c][k] = v * m[k][k]; // L⁻¹, by columns, in the upper half
        }
    for (int c = 0; c < 6; ++c)
        for (int k = 0; k <= c; ++k) {
            double v = 0.0;
            for (int i = c; i < 6; ++i)
                v += (i == c ? m[c][c] : m[c][i]) * (i == k ? m[k][k] : m[k][i]);
            out[c][k] = out[k][c] = v;
        }
}

// Blocks on the diagonal, as if the two segments of a loop knew of each other by the loop alone:
// 1 + E (G_aa + G_bb) Eᵀ.
static void invert_block(const Grove *g, StiffLoop *l) {
    double m[6][6] = {{0}};
    for (int c = 0; c < 6; ++c) {
        Vec3d force = scaled((Vec3d){c == 0, c == 1, c == 2}, l->root[0]);
        Vec3d moment = {0}, by = {0}, turn = {0};
        if (c >= 3)
            moment = scaled(l->turn[c - 3], -l->root[c - 2]);
        for (int e = 0; e < 2; ++e) {
            Vec3d t, r;
            sn__grove_answer(g, l->slot[e], l->arm[e], force, moment, &t, &r);
            by = addd(by, t);
            turn = addd(turn, r);
        }
        double row[6];
        sn__loop_gradient(l, by, turn, row);
        for (int k = c; k < 6; ++k)
            m[k][c] = row[k] + (k == c ? 1.0 : 0.0);
    }
    invert(m, l->inverse);
}

static void apply_inverse(const StiffLoop *l, const double in[6], double out[6]) {
    double sum[6] = {0};
    for (int k = 0; k < 6; ++k)
        for (int c = 0; c < 6; ++c)
            sum[c] += l->inverse[k][c] * in[k];
    memcpy(out, sum, sizeof sum);
}

static double dot6(const double a[6], const double b[6]) {
    double sum = 0.0;
    for (int c = 0; c < 6; ++c)
        sum += a[c] * b[c];
    return sum;
}

static double size_of(StiffLoop *l) {
    apply_inverse(l, l->left, l->way);
    return dot6(l->left, l->way);
}

static bool is_done(const StiffLoop *l) {
    return !l->alone || !(l->size > ENOUGH * ENOUGH * l->first_size);
}

// One round for one ring, after `product` = (1 + E G Eᵀ) way.
static void advance(StiffLoop *l) {
    double step = l->size / dot6(l->way, l->product);
    for (int c = 0; c < 6; ++c) {
        l->sum[c] += step * l->way[c];
        l->left[c] -= step * l->product[c];
    }
    apply_inverse(l, l->left, l->product);
    double size = dot6(l->left, l->product), keep = size / l->size;
    l->size = size;
    for (int c = 0; c < 6; ++c)
        l->way[c] = l->product[c] + keep * l->way[c];
}

static bool all_done(const Grove *g) {
    for (int k = 0; k < g->loop_count; ++k)
        if (!is_done(&g->loops[k]))
            return false;
    return true;
}

static void multiply(Grove *g, const StiffKernels *kernels, const SnTaskSystem *tasks) {
    for (int k = 0; k < g->loop_count; ++k)
        if (g->loops[k].alone)
            sn__loop_press(g, &g->loops[k], g->loops[k].way);
    sn__grove_response_of_trees(g, kernels, tasks);
    for (int k = 0; k < g->loop_count; ++k) {
        StiffLoop *l = &g->loops[k];
        if (!l->alone)
            continue;
        sn__loop_feel(g, l, l->product);
        for (int c = 0; c < 6; ++c)
            l->product[c] += l->way[c];
    }
}

// The first solve of a sub-step starts where the last one ended.
static void take_guess(Grove *g, const StiffKernels *kernels, const SnTaskSystem *tasks) {
    bool any = false;
    for (int k = 0; k < g->loop_count; ++k) {
        StiffLoop *l = &g->loops[k];
        if (!l->alone)
            continue;
        if (g->correct)
            memset(l->sum, 0, sizeof l->sum);
        memcpy(l->way, l->sum, sizeof l->sum);
        any = any || dot6(l->sum, l->sum) > 0.0;
    }
    if (!any)
        return;
    multiply(g, kernels, tasks);
    for (int k = 0; k < g->loop_count; ++k)
        for (int c = 0; c < 6 && g->loops[k].alone; ++c)
            g->loops[k].left[c] -= g->loops[k].product[c];
}

void sn__rings_solve(Grove *g, const StiffKernels *kernels, const SnTaskSystem *tasks) {
    bool any = false;
    for (int k = 0; k < g->loop_count; ++k)
        any = any || g->loops[k].alone;
    if (!any)
        return;
    assert(g->compliance);
    sn__grove_compliance_of_trees(g, kernels, tasks);
    for (int k = 0; k < g->loop_count; ++k)
        if (g->loops[k].alone) {
            invert_block(g, &g->loops[k]);
            g->loops[k].first_size = size_of(&g->loops[k]);
        }
    take_guess(g, kernels, tasks);
    for (int k = 0; k < g->loop_count; ++k)
        if (g->loops[k].alone)
            g->loops[k].size = size_of(&g->loops[k]);
    for (int round = 0; round < ROUNDS && !all_done(g); ++round) {
        multiply(g, kernels, tasks);
        for (int k = 0; k < g->loop_count; ++k)
            if (!is_done(&g->loops[k]))
                advance(&g->loops[k]);
    }
}
