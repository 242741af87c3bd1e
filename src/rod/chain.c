#include "rod/chain.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "rod/kernels.h"

bool sn__chain_reserve(const SnAllocator *allocator, RodPack *pack, int segments) {
    assert(segments > 0);
    if (pack->chain_work && pack->chain_work->capacity >= segments)
        return true;
    sn__chain_release(allocator, pack);
    RodChainWork *work = sn__alloc(allocator, sizeof *work);
    if (work == NULL)
        return false;
    pack->chain_work = work;
    work->capacity = segments;
    work->segments = sn__alloc_array(allocator, (size_t)segments, sizeof(ChainSegment));
    work->rows = sn__alloc_array(allocator, 2 * (size_t)segments + 1, sizeof(BandRow));
    if (work->segments && work->rows)
        return true;
    sn__chain_release(allocator, pack);
    return false;
}

void sn__chain_release(const SnAllocator *allocator, RodPack *pack) {
    RodChainWork *work = pack->chain_work;
    if (work == NULL)
        return;
    size_t n = (size_t)work->capacity;
    sn__free(allocator, work->segments, n * sizeof(ChainSegment));
    sn__free(allocator, work->rows, (2 * n + 1) * sizeof(BandRow));
    sn__free(allocator, work, sizeof *work);
    pack->chain_work = NULL;
}

// A row of a lane. Going on from the last row of a piece leads to the next piece, and round a
// closed rod.
typedef struct At {
    int lane, row;
} At;

static At next(const RodPack *pack, const RodChain *chain, At at) {
    assert(at.lane >= chain->lane && at.lane < chain->lane + chain->pieces);
    if (++at.row < pack->lane[at.lane].segments)
        return at;
    int last = chain->lane + chain->pieces - 1;
    if (at.lane < last)
        return (At){at.lane + 1, 0};
    return chain->closed ? (At){chain->lane, 0} : at;
}

static void tangent(const RodState *s, int i, double w[3]) {
    double x = (double)s->qx[i], y = (double)s->qy[i], z = (double)s->qz[i], q = (double)s->qw[i];
    w[0] = 2.0 * (x * z + q * y);
    w[1] = 2.0 * (y * z - q * x);
    w[2] = 1.0 - 2.0 * (x * x + y * y);
}

static ChainSegment segment(const RodPack *pack, At a, At b, bool fresh) {
    const RodPrepared *p = pack->prepared + a.row;
    const RodWork *u = pack->work + a.row, *v = pack->work + b.row;
    int i = a.lane, k = b.lane;
    ChainSegment g;
    tangent(pack->state + a.row, i, g.w);
    double sa = (double)pack->state[a.row].s[i], sb = (double)pack->state[b.row].s[k];
    double s = 0.5 * (sa + sb);
    double t = g.w[0] * ((double)u->ex[i] + (double)v->ux[k] - (double)u->ux[i]) +
               g.w[1] * ((double)u->ey[i] + (double)v->uy[k] - (double)u->uy[i]) +
               g.w[2] * ((double)u->ez[i] + (double)v->uz[k] - (double)u->uz[i]);
    g.kA = (double)p->k_stretch[i];
    g.kV = pack->classic ? 0.0 : (double)p->k_volume[i];
    g.kC = pack->classic ? 0.0 : (double)p->k_cross[i];
    g.kD = pack->classic ? 0.0 : (double)p->k_gradient[i];
    g.s2 = s * s;
    g.gamma = s * t;
    g.eA = g.kA * (t - (double)p->taut[i]);
    g.eV = g.kV * (g.s2 * t - (double)p->length[i]);
    g.eC = g.kC * (sa + sb - 2.0);
    g.eD = g.kD * (sb - sa);
    if (!fresh)
        g.eA -= g.w[0] * (double)u->stretch_x[i] + g.w[1] * (double)u->stretch_y[i] +
                g.w[2] * (double)u->stretch_z[i];
    if (!fresh && !pack->classic) {
        g.eV -= (double)u->volume[i];
        g.eC -= (double)u->cross[i];
        g.eD -= (double)u->gradient[i];
    }
    g.a = g.kA + g.kV * g.s2 * g.s2;
    g.inv_a = g.a > 0.0 ? 1.0 / g.a : 0.0;
    g.b = g.s2 * g.kV * g.gamma;
    g.beta = g.b * g.inv_a;
    g.c = g.eA + g.s2 * g.eV;
    g.q = g.kV * g.gamma * g.gamma * g.kA * g.inv_a + g.kC;
    g.r = g.gamma * g.eV - g.beta * g.c + g.eC;
    return g;
}

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// The equation of the vertex between two segments; NULL at the end of an open rod.
static void vertex_row(BandRow *row, double ms, const ChainSegment *before, const ChainSegment *g) {
    static const ChainSegment none = {.kA = 0.0};
    before = before ? before : &none;
    g = g ? g : &none;
    *row = (BandRow){.lower2 = ms * (before->q - before->kD),
                     .lower1 = ms * before->beta,
                     .diag = 1.0 + ms * (before->q + g->q + before->kD + g->kD),
                     .upper1 = ms * g->beta,
                     .upper2 = ms * (g->q - g->kD),
                     .right = {-ms * (before->r + g->r + before->eD - g->eD)}};
}

static void segment_row(BandRow *row, double ma, double mb, const ChainSegment *before,
                        const ChainSegment *g, const ChainSegment *after) {
    *row = (BandRow){.lower2 = before ? -g->a * ma * dot(before->w, g->w) : 0.0,
                     .lower1 = -g->b,
                     .diag = 1.0 + g->a * (ma + mb),
                     .upper1 = -g->b,
                     .upper2 = after ? -g->a * mb * dot(g->w, after->w) : 0.0,
                     .right = {g->c}};
}

static void move_vertex(RodPack *pack, At at, double ds, const double push[3]) {
    RodWork *u = pack->work + at.row;
    float *s = &pack->state[at.row].s[at.lane];
    double m = (double)pack->prepared[at.row].m[at.lane];
    u->ux[at.lane] += (float)(m * push[0]);
    u->uy[at.lane] += (float)(m * push[1]);
    u->uz[at.lane] += (float)(m * push[2]);
    *s = fminf(fmaxf(*s + (float)ds, SCALE_MIN), SCALE_MAX);
}

static void add(float *mu, double delta, bool fresh) {
    *mu = (float)(fresh ? delta : (double)*mu + delta);
}

static void move_multipliers(RodPack *pack, At at, const ChainSegment *g, double f, double ds_a,
                             double ds_b, bool fresh) {
    RodWork *u = pack->work + at.row;
    double both = ds_a + ds_b;
    double dt = (f - g->c - g->b * both) * g->inv_a;
    double stretch = g->eA + g->kA * dt;
    add(&u->stretch_x[at.lane], g->w[0] * stretch, fresh);
    add(&u->stretch_y[at.lane], g->w[1] * stretch, fresh);
    add(&u->stretch_z[at.lane], g->w[2] * stretch, fresh);
    if (pack->classic)
        return;
    add(&u->volume[at.lane], g->eV + g->kV * (g->s2 * dt + g->gamma * both), fresh);
    add(&u->cross[at.lane], g->eC + g->kC * both, fresh);
    add(&u->gradient[at.lane], g->eD + g->kD * (ds_b - ds_a), fresh);
}

static void assemble(RodPack *pack, const RodChain *chain, bool fresh) {
    ChainSegment *g = pack->chain_work->segments;
    BandRow *rows = pack->chain_work->rows;
    int n = chain->segments;
    At at = {chain->lane, 0};
    for (int j = 0; j < n; ++j, at = next(pack, chain, at))
        g[j] = segment(pack, at, next(pack, chain, at), fresh);
    at = (At){chain->lane, 0};
    for (int j = 0; j < n; ++j) {
        At after = next(pack, chain, at);
        const RodPrepared *pa = pack->prepared + at.row, *pb = pack->prepared + after.row;
        const ChainSegment *before = j > 0 ? &g[j - 1] : (chain->closed ? &g[n - 1] : NULL);
        const ChainSegment *behind = j + 1 < n ? &g[j + 1] : (chain->closed ? &g[0] : NULL);
        vertex_row(&rows[2 * j], (double)pa->m_scale[at.lane], before, &g[j]);
        segment_row(&rows[2 * j + 1], (double)pa->m[at.lane], (double)pb->m[after.lane], before,
                    &g[j], behind);
        at = after;
    }
    if (!chain->closed)
        vertex_row(&rows[2 * n], (double)pack->prepared[at.row].m_scale[at.lane], &g[n - 1], NULL);
}

static void apply(RodPack *pack, const RodChain *chain, bool fresh) {
    const ChainSegment *g = pack->chain_work->segments;
    const BandRow *rows = pack->chain_work->rows;
    int n = chain->segments;
    double behind[3] = {0}; // push of the segment before the vertex
    if (chain->closed)
        for (int c = 0; c < 3; ++c)
            behind[c] = g[n - 1].w[c] * rows[2 * n - 1].right[0];
    At at = {chain->lane, 0};
    for (int j = 0; j < n; ++j, at = next(pack, chain, at)) {
        double ds = rows[2 * j].right[0], f = rows[2 * j + 1].right[0];
        double ds_next = j + 1 == n && chain->closed ? rows[0].right[0] : rows[2 * j + 2].right[0];
        double push[3];
        for (int c = 0; c < 3; ++c) {
            push[c] = g[j].w[c] * f - behind[c];
            behind[c] = g[j].w[c] * f;
        }
        move_multipliers(pack, at, &g[j], f, ds, ds_next, fresh);
        move_vertex(pack, at, ds, push);
    }
    if (!chain->closed)
        move_vertex(pack, at, rows[2 * n].right[0],
                    (double[3]){-behind[0], -behind[1], -behind[2]});
}

// Rows behind the segments of a lane have no stiffness, and no multipliers either.
static void clear_rest(RodPack *pack, const RodChain *chain) {
    for (int lane = chain->lane; lane < chain->lane + chain->pieces; ++lane)
        for (int j = pack->lane[lane].segments; j < pack->rows; ++j) {
            RodWork *u = pack->work + j;
            u->stretch_x[lane] = u->stretch_y[lane] = u->stretch_z[lane] = 0.0f;
            u->volume[lane] = u->cross[lane] = u->gradient[lane] = 0.0f;
        }
}

void sn__chains_solve(RodPack *pack, bool fresh) {
    for (int k = 0; k < pack->chain_count; ++k) {
        const RodChain *chain = &pack->chains[k];
        assert(pack->chain_work && chain->segments <= pack->chain_work->capacity);
        assert(chain->lane >= 0 && chain->lane + chain->pieces <= PACK_LANES);
        clear_rest(pack, chain);
        assemble(pack, chain, fresh);
        if (chain->closed)
            sn__band_solve_ring(pack->chain_work->rows, 2 * chain->segments);
        else
            sn__band_solve(pack->chain_work->rows, 2 * chain->segments + 1);
        apply(pack, chain, fresh);
    }
}
