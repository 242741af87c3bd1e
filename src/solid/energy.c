// The potential of a solid: the energy of its edges, their forces and their stiffness.
//
// The energy (4) of Choi and Lee 2017 sums, over both directions of every edge, how far the neighbour is
// from where the particle would carry it as a rigid piece. With d̄ = x̄_j − x̄_i at rest, d now, and both
// volumes v, the two directions are a mean and a difference:
//
//     k/2 (v ‖R_i d̄ − d‖² + v ‖R_j d̄ − d‖² + tr (R_i − R_j)(Ā_i + Ā_j)(R_i − R_j)ᵀ)
//   = ½ s ‖r‖² + ½ tr (R_i − R_j) B (R_i − R_j)ᵀ,      r = ½ (R_i + R_j) d̄ − d,  s = 2 k v,
//     B = k (Ā_i + Ā_j + ½ v d̄ d̄ᵀ).
//
// This is what we have, with s (N/m) and B (N·m) from Young's modulus: the printed B makes a row of
// particles several times too stiff in bending (shape.c). With f = s r, p_i = ½ R_i d̄, p_j = ½ R_j d̄,
// C = R_j B R_iᵀ and c = (C₃₂ − C₂₃, C₁₃ − C₃₁, C₂₁ − C₁₂), small motions u and turns θ (world's axes,
// R → exp[θ] R) change it by
//
//     f·(u_i − u_j) + (p_i × f)·θ_i + (p_j × f)·θ_j + c·(θ_j − θ_i).
//
// Its stiffness is that of ½ s ‖u_i − u_j + θ_i × p_i + θ_j × p_j‖² + ½ (θ_i − θ_j)·K (θ_i − θ_j), K being
// tr B − B turned with i, both positive (Gauss-Newton), and of tension, which holds a particle along its
// edge with α (|p|² − p pᵀ), α = max(−f·p, 0)/|p|².
//
// Damping (Kelvin-Voigt, time τ) adds τ/h times the same energy with the strains of the start of the
// sub-step, r₀ in the axes of both particles and R_jᵀ R_i, in place of those at rest: it is 0 where
// nothing has moved, and turns with the body.
#include "solid/volume.h"

// Column c.
static Vec3d column(const Mat3 *A, int c) { return (Vec3d){A->m[0][c], A->m[1][c], A->m[2][c]}; }

// tr A Rᵀ
static double trace(const Mat3 *A, const Mat3 *R) {
    double sum = 0.0;
    for (int c = 0; c < 3; ++c)
        sum += dotd(column(A, c), column(R, c));
    return sum;
}

// An edge, as its ends are now.
typedef struct Strained {
    Vec3d d, r, p[2]; // p of both ends
    Vec3d lag, q[2];  // r − r₀ turned along, and p of that
} Strained;

static Vec3d between(const Solid *s, const SolidEdge *e) {
    const SolidWork *a = &s->work[e->i], *b = &s->work[e->j];
    return subd(addd(subd(b->x_start, a->x_start), b->u), a->u);
}

static Strained strained(const Solid *s, int k, bool damped) {
    const SolidEdge *e = &s->edges[k];
    const Mat3 Ri = sn__solid_turn(s, e->i), Rj = sn__solid_turn(s, e->j);
    Strained o = {.d = between(s, e)};
    o.p[0] = scaled(mat_times(&Ri, e->rest), 0.5);
    o.p[1] = scaled(mat_times(&Rj, e->rest), 0.5);
    o.r = subd(addd(o.p[0], o.p[1]), o.d);
    if (damped) {
        Vec3d a = scaled(mat_times(&Ri, sn__solid_strain_start(s, k, 0)), 0.5);
        Vec3d b = scaled(mat_times(&Rj, sn__solid_strain_start(s, k, 1)), 0.5);
        o.lag = subd(o.r, addd(a, b));
        o.q[0] = subd(o.p[0], a);
        o.q[1] = subd(o.p[1], b);
    }
    return o;
}

// ½ tr (R_i − R_j) B (R_i − R_j)ᵀ: as a difference of traces, what is left of a small turn would be rounding.
static double bent(const Solid *s, const SolidEdge *e) {
    double sum = 0.0;
    const Mat3 Ri = sn__solid_turn(s, e->i), Rj = sn__solid_turn(s, e->j);
    for (int r = 0; r < 3; ++r) {
        const double *a = Ri.m[r], *b = Rj.m[r];
        Vec3d off = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
        sum += 0.5 * dotd(off, sym_times(&e->bend, off));
    }
    return sum;
}

// tr B − tr R_j B (R_jᵀ R_i)₀ R_iᵀ, the same from the start of the sub-step on.
static double bent_since(const Solid *s, int k) {
    const SolidRow *row = &s->rows[k / EDGE_ROW];
    const SolidEdge *e = &s->edges[k];
    Mat3 start;
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            start.m[r][c] = row->bend_start[r][c][k % EDGE_ROW];
    const Mat3 Ri = sn__solid_turn(s, e->i), Rj = sn__solid_turn(s, e->j);
    Mat3 A = mat_mul(&Rj, &start);
    return e->bend.xx + e->bend.yy + e->bend.zz - trace(&A, &Ri);
}

double sn__solid_potential(const Solid *s, double damping) {
    double sum = 0.0;
    for (int k = 0; k < s->edge_count; ++k) {
        const SolidEdge *e = &s->edges[k];
        if (e->broken)
            continue;
        Strained o = strained(s, k, damping > 0.0);
        sum += 0.5 * e->stretch * (dotd(o.r, o.r) + damping * dotd(o.lag, o.lag)) + bent(s, e);
        if (damping > 0.0)
            sum += damping * bent_since(s, k);
    }
    return sum;
}

double sn__solid_energy_now(Solid *s) {
    sn__solid_stand_still(s);
    return sn__solid_potential(s, 0.0) + sn__solid_volume_energy(s);
}

double sn__solid_strain(const Solid *s) {
    double most = 0.0;
    for (int k = 0; k < s->edge_count; ++k) {
        const SolidEdge *e = &s->edges[k];
        Strained o = strained(s, k, false);
        double part = dotd(o.r, o.r) / dotd(e->rest, e->rest);
        most = !e->broken && part > most ? part : most;
    }
    return sqrt(most);
}

static void add_at(SparseBlock *block, int row, int column, const Mat3 *m, double by) {
    for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r)
            block->column[column + c][row + r] += by * m->m[r][c];
}

static void add_diagonal(SparseBlock *block, double by) {
    for (int c = 0; c < 3; ++c)
        block->column[c][c] += by;
}

static Mat3 cross_of(Vec3d p) {
    return (Mat3){{{0.0, -p.z, p.y}, {p.z, 0.0, -p.x}, {-p.y, p.x, 0.0}}};
}

// (a·b) − b aᵀ
static Mat3 levers(Vec3d a, Vec3d b) {
    double dot = dotd(a, b);
    return (Mat3){{{dot - b.x * a.x, -b.x * a.y, -b.x * a.z},
                   {-b.y * a.x, dot - b.y * a.y, -b.y * a.z},
                   {-b.z * a.x, -b.z * a.y, dot - b.z * a.z}}};
}

// w ½ ‖u_i − u_j + θ_i × p + θ_j × q‖²
static void add_squares(Solid *s, const SolidFactors *f, const SolidEdge *e, double w, Vec3d p,
                        Vec3d q) {
    int a = s->graph->plan.place[e->i], b = s->graph->plan.place[e->j];
    Mat3 P = cross_of(p), Q = cross_of(q), pp = levers(p, p), qq = levers(q, q);
    add_diagonal(&f->diagonal[a], w);
    add_diagonal(&f->diagonal[b], w);
    add_at(&f->diagonal[a], 3, 0, &P, w);
    add_at(&f->diagonal[b], 3, 0, &Q, -w);
    add_at(&f->diagonal[a], 3, 3, &pp, w);
    add_at(&f->diagonal[b], 3, 3, &qq, w);
    // Rows are those of the one that comes later.
    SparseBlock *block = &f->below[e->block];
    bool i_later = a > b;
    Mat3 across = i_later ? levers(p, q) : levers(q, p);
    add_diagonal(block, -w);
    add_at(block, 0, 3, i_later ? &Q : &P, i_later ? -w : w);
    add_at(block, 3, 0, i_later ? &P : &Q, i_later ? -w : w);
    add_at(block, 3, 3, &across, w);
}

static void add_bending(Solid *s, const SolidFactors *f, const SolidEdge *e, const Sym3 *K,
                        double by) {
    Mat3 bend = mat_of_sym(K);
    const int *place = s->graph->plan.place;
    add_at(&f->diagonal[place[e->i]], 3, 3, &bend, by);
    add_at(&f->diagonal[place[e->j]], 3, 3, &bend, by);
    add_at(&f->below[e->block], 3, 3, &bend, -by);
}

static void add_edge(Solid *s, const SolidFactors *f, int k, double h2, double damping) {
    const SolidEdge *e = &s->edges[k];
    Strained o = strained(s, k, damping > 0.0);
    double l = 1.0 / s->size, w = h2 * e->stretch;
    Vec3d p = scaled(o.p[0], l), q = scaled(o.p[1], l);
    const Mat3 R = sn__solid_turn(s, e->i);
    Sym3 about = sym_about(&e->bend), K = sym_turned(&R, &about);
    Mat3 pp = levers(p, p), qq = levers(q, q);
    const int *place = s->graph->plan.place;
    add_squares(s, f, e, w, p, q);
    if (damping > 0.0)
        add_squares(s, f, e, w * damping, scaled(o.q[0], l), scaled(o.q[1], l));
    add_at(&f->diagonal[place[e->i]], 3, 3, &pp, w * l * fmax(-dotd(o.r, p) / dotd(p, p), 0.0));
    add_at(&f->diagonal[place[e->j]], 3, 3, &qq, w * l * fmax(-dotd(o.r, q) / dotd(q, q), 0.0));
    add_bending(s, f, e, &K, h2 * (1.0 + damping) * l * l);
}

void sn__solid_add_hessian(Solid *s, const SolidFactors *f, double h2, double damping) {
    for (int k = 0; k < s->edge_count; ++k)
        if (!s->edges[k].broken)
            add_edge(s, f, k, h2, damping);
}

void sn__solid_add_rest_hessian(Solid *s, const SolidFactors *f, double h2, double damping) {
    double l = 1.0 / s->size, all = h2 * (1.0 + damping);
    for (int k = 0; k < s->edge_count; ++k) {
        const SolidEdge *e = &s->edges[k];
        if (e->broken)
            continue;
        Vec3d p = scaled(e->rest, 0.5 * l);
        Sym3 K = sym_about(&e->bend);
        add_squares(s, f, e, all * e->stretch, p, p);
        add_bending(s, f, e, &K, all * l * l);
    }
}
