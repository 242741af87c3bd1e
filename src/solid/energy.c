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
#include "solid/solid.h"

// Column c.
static Vec3d column(const Mat3 *A, int c) { return (Vec3d){A->m[0][c], A->m[1][c], A->m[2][c]}; }

// c of C = A Rᵀ: that of a bᵀ is b × a.
static Vec3d axial(const Mat3 *A, const Mat3 *R) {
    Vec3d x = crossd(column(R, 0), column(A, 0)), y = crossd(column(R, 1), column(A, 1));
    return addd(addd(x, y), crossd(column(R, 2), column(A, 2)));
}

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

static Strained strained(const Solid *s, const SolidEdge *e, bool damped) {
    const Mat3 *Ri = &s->work[e->i].R, *Rj = &s->work[e->j].R;
    Strained o = {.d = between(s, e)};
    o.p[0] = scaled(mat_times(Ri, e->rest), 0.5);
    o.p[1] = scaled(mat_times(Rj, e->rest), 0.5);
    o.r = subd(addd(o.p[0], o.p[1]), o.d);
    if (damped) {
        Vec3d a = scaled(mat_times(Ri, e->strain_start[0]), 0.5);
        Vec3d b = scaled(mat_times(Rj, e->strain_start[1]), 0.5);
        o.lag = subd(o.r, addd(a, b));
        o.q[0] = subd(o.p[0], a);
        o.q[1] = subd(o.p[1], b);
    }
    return o;
}

// R_j B, with that of the start.
static Mat3 turned(const Solid *s, const SolidEdge *e, double damping) {
    Mat3 all = mat_of_sym(&e->bend);
    for (int i = 0; i < 3 && damping > 0.0; ++i)
        for (int k = 0; k < 3; ++k)
            all.m[i][k] += damping * e->bend_start.m[i][k];
    return mat_mul(&s->work[e->j].R, &all);
}

double sn__solid_potential(const Solid *s, double damping) {
    double sum = 0.0;
    for (int k = 0; k < s->edge_count; ++k) {
        const SolidEdge *e = &s->edges[k];
        if (e->broken)
            continue;
        Strained o = strained(s, e, damping > 0.0);
        Mat3 A = turned(s, e, damping);
        double all = (1.0 + damping) * (e->bend.xx + e->bend.yy + e->bend.zz);
        sum += 0.5 * e->stretch * (dotd(o.r, o.r) + damping * dotd(o.lag, o.lag));
        sum += all - trace(&A, &s->work[e->i].R);
    }
    return sum;
}

double sn__solid_energy_now(Solid *s) {
    for (int i = 0; i < s->count; ++i) {
        s->work[i].x_start = s->x[i];
        s->work[i].u = (Vec3d){0};
    }
    sn__solid_turn_all(s);
    return sn__solid_potential(s, 0.0);
}

double sn__solid_strain(const Solid *s) {
    double most = 0.0;
    for (int k = 0; k < s->edge_count; ++k) {
        const SolidEdge *e = &s->edges[k];
        Strained o = strained(s, e, false);
        double part = dotd(o.r, o.r) / dotd(e->rest, e->rest);
        most = !e->broken && part > most ? part : most;
    }
    return sqrt(most);
}

void sn__solid_note_strains(Solid *s) {
    for (int k = 0; k < s->edge_count; ++k) {
        SolidEdge *e = &s->edges[k];
        const Mat3 *Ri = &s->work[e->i].R, *Rj = &s->work[e->j].R;
        Strained o = strained(s, e, false);
        e->strain_start[0] = mat_transposed_times(Ri, o.r);
        e->strain_start[1] = mat_transposed_times(Rj, o.r);
        Mat3 B = mat_of_sym(&e->bend), between = mat_transposed_mul(Rj, Ri);
        e->bend_start = mat_mul(&B, &between);
    }
}

static void add(double *to, Vec3d v, double by) {
    to[0] += by * v.x;
    to[1] += by * v.y;
    to[2] += by * v.z;
}

void sn__solid_add_gradient(Solid *s, double h2, double damping) {
    double per_turn = h2 / s->size;
    const int *place = s->graph->plan.place;
    for (int k = 0; k < s->edge_count; ++k) {
        const SolidEdge *e = &s->edges[k];
        if (e->broken)
            continue;
        Strained o = strained(s, e, damping > 0.0);
        Vec3d f = scaled(o.r, e->stretch), late = scaled(o.lag, damping * e->stretch);
        Vec3d both = addd(f, late);
        Mat3 A = turned(s, e, damping);
        Vec3d c = axial(&A, &s->work[e->i].R);
        double *a = s->vector[place[e->i]].x, *b = s->vector[place[e->j]].x;
        add(a, both, h2);
        add(b, both, -h2);
        add(a + 3, subd(addd(crossd(o.p[0], f), crossd(o.q[0], late)), c), per_turn);
        add(b + 3, addd(addd(crossd(o.p[1], f), crossd(o.q[1], late)), c), per_turn);
    }
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
static void add_squares(Solid *s, const SolidEdge *e, double w, Vec3d p, Vec3d q) {
    int a = s->graph->plan.place[e->i], b = s->graph->plan.place[e->j];
    Mat3 P = cross_of(p), Q = cross_of(q), pp = levers(p, p), qq = levers(q, q);
    add_diagonal(&s->diagonal[a], w);
    add_diagonal(&s->diagonal[b], w);
    add_at(&s->diagonal[a], 3, 0, &P, w);
    add_at(&s->diagonal[b], 3, 0, &Q, -w);
    add_at(&s->diagonal[a], 3, 3, &pp, w);
    add_at(&s->diagonal[b], 3, 3, &qq, w);
    // Rows are those of the one that comes later.
    SparseBlock *block = &s->below[e->block];
    bool i_later = a > b;
    Mat3 across = i_later ? levers(p, q) : levers(q, p);
    add_diagonal(block, -w);
    add_at(block, 0, 3, i_later ? &Q : &P, i_later ? -w : w);
    add_at(block, 3, 0, i_later ? &P : &Q, i_later ? -w : w);
    add_at(block, 3, 3, &across, w);
}

static void add_bending(Solid *s, const SolidEdge *e, const Sym3 *K, double by) {
    Mat3 bend = mat_of_sym(K);
    const int *place = s->graph->plan.place;
    add_at(&s->diagonal[place[e->i]], 3, 3, &bend, by);
    add_at(&s->diagonal[place[e->j]], 3, 3, &bend, by);
    add_at(&s->below[e->block], 3, 3, &bend, -by);
}

static void add_edge(Solid *s, const SolidEdge *e, double h2, double damping) {
    Strained o = strained(s, e, damping > 0.0);
    double l = 1.0 / s->size, w = h2 * e->stretch;
    Vec3d p = scaled(o.p[0], l), q = scaled(o.p[1], l);
    Sym3 about = sym_about(&e->bend), K = sym_turned(&s->work[e->i].R, &about);
    Mat3 pp = levers(p, p), qq = levers(q, q);
    const int *place = s->graph->plan.place;
    add_squares(s, e, w, p, q);
    if (damping > 0.0)
        add_squares(s, e, w * damping, scaled(o.q[0], l), scaled(o.q[1], l));
    add_at(&s->diagonal[place[e->i]], 3, 3, &pp, w * l * fmax(-dotd(o.r, p) / dotd(p, p), 0.0));
    add_at(&s->diagonal[place[e->j]], 3, 3, &qq, w * l * fmax(-dotd(o.r, q) / dotd(q, q), 0.0));
    add_bending(s, e, &K, h2 * (1.0 + damping) * l * l);
}

void sn__solid_add_hessian(Solid *s, double h2, double damping) {
    for (int k = 0; k < s->edge_count; ++k)
        if (!s->edges[k].broken)
            add_edge(s, &s->edges[k], h2, damping);
}

void sn__solid_add_rest_hessian(Solid *s, double h2, double damping) {
    double l = 1.0 / s->size, all = h2 * (1.0 + damping);
    for (int k = 0; k < s->edge_count; ++k) {
        const SolidEdge *e = &s->edges[k];
        if (e->broken)
            continue;
        Vec3d p = scaled(e->rest, 0.5 * l);
        Sym3 K = sym_about(&e->bend);
        add_squares(s, e, all * e->stretch, p, p);
        add_bending(s, e, &K, all * l * l);
    }
}
