// The volume of the whole body, and what keeps it.
//
// The piece of particle i is deformed by the F that fits best to its neighbours, and to its own rotation where these do
// not span all directions (the matrix of (5), with equal weights):
//
//     F_i = (Σ_j d d̄ᵀ/l² + ε R_i) A_i,   A_i = (Σ_j d̄ d̄ᵀ/l² + ε)⁻¹,   V = Σ v_i det F_i,
//
// with d̄ from i to its neighbour at rest, l its length, d now, and v_i the volume of the piece. V is that of the body at
// rest, V̄ = Σ v_i, whatever the body's place and rotation. It is kept with the bulk modulus K (Pa):
//
//     U = ½ K V̄ (V/V̄ − 1)²,   dU = K (V/V̄ − 1) dV,
//     dV = Σ_i v_i C_i : (Σ_j (u_j − u_i) d̄ᵀ/l² + ε [θ_i] R_i) A_i,   C_i = det F_i F_i⁻ᵀ.
//
// The stiffness of that is K/V̄ ∇V ∇Vᵀ, which joins all particles and stays out of the sparse matrix H: with g = ∇V,
// y = H⁻¹ g and κ = h² K/V̄, a step is (Sherman and Morrison)
//
//     (H + κ g gᵀ)⁻¹ r = H⁻¹ r − y κ (y·r)/(1 + κ g·y).
#include "solid/volume.h"

#define OWN 0.02 // ε

static Vec3d row_of(const Mat3 *A, int r) { return (Vec3d){A->m[r][0], A->m[r][1], A->m[r][2]}; }
static Vec3d column_of(const Mat3 *A, int c) { return (Vec3d){A->m[0][c], A->m[1][c], A->m[2][c]}; }

static void add_outer(Mat3 *to, Vec3d a, Vec3d b) {
    const double x[3] = {a.x, a.y, a.z}, y[3] = {b.x, b.y, b.z};
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            to->m[r][c] += x[r] * y[c];
}

// From particle i to the other end of an edge at rest, over the square of its length; broken ones have none.
static Vec3d rest_of(const SolidEdge *e, int i) {
    double by = e->broken ? 0.0 : 1.0 / dotd(e->rest, e->rest);
    return scaled(e->rest, e->i == i ? by : -by);
}

void sn__solid_set_pieces(Solid *s) {
    s->volume = 0.0;
    for (int i = 0; i < s->count; ++i) {
        Mat3 sum = {{{OWN, 0.0, 0.0}, {0.0, OWN, 0.0}, {0.0, 0.0, OWN}}};
        for (int k = s->first_edge[i]; k < s->first_edge[i + 1]; ++k) {
            const SolidEdge *e = &s->edges[s->edges_of[k]];
            Vec3d rest = rest_of(e, i);
            add_outer(&sum, scaled(rest, dotd(e->rest, e->rest)), rest);
        }
        Sym3 A = sym_of(&sum);
        s->pieces[i] = sym_inverted(&A);
        s->volume += s->particles[i].volume;
    }
}

// F of a piece.
static Mat3 deformed(const Solid *s, int i) {
    const SolidWork *a = &s->work[i];
    Mat3 sum = {0}, A = mat_of_sym(&s->pieces[i]);
    const Mat3 R = sn__solid_turn(s, i);
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            sum.m[r][c] = OWN * R.m[r][c];
    for (int k = s->first_edge[i]; k < s->first_edge[i + 1]; ++k) {
        const SolidEdge *e = &s->edges[s->edges_of[k]];
        const SolidWork *b = &s->work[e->i == i ? e->j : e->i];
        Vec3d d = addd(subd(b->x_start, a->x_start), subd(b->u, a->u));
        add_outer(&sum, d, rest_of(e, i));
    }
    return mat_mul(&sum, &A);
}

// Its cofactors: det F F⁻ᵀ, which needs no inverse.
static Mat3 cofactors(const Mat3 *F) {
    Vec3d a = row_of(F, 0), b = row_of(F, 1), c = row_of(F, 2);
    Vec3d p = crossd(b, c), q = crossd(c, a), r = crossd(a, b);
    return (Mat3){{{p.x, p.y, p.z}, {q.x, q.y, q.z}, {r.x, r.y, r.z}}};
}

static double piece_volume(const Solid *s, int i, const Mat3 *F) {
    return s->particles[i].volume * dotd(row_of(F, 0), crossd(row_of(F, 1), row_of(F, 2)));
}

double sn__solid_volume(const Solid *s) {
    double sum = 0.0;
    for (int i = 0; i < s->count; ++i) {
        Mat3 F = deformed(s, i);
        sum += piece_volume(s, i, &F);
    }
    return sum;
}

double sn__solid_volume_energy(const Solid *s) {
    if (!(s->material.volume > 0.0f))
        return 0.0;
    double part = sn__solid_volume(s) / s->volume - 1.0;
    return 0.5 * (double)s->material.volume * s->volume * part * part;
}

static void add3(double *to, Vec3d v) {
    to[0] += v.x;
    to[1] += v.y;
    to[2] += v.z;
}

// Adds v_i C_i : dF to the gradient; returns the volume of the piece.
static double add_piece(Solid *s, int i) {
    const int *place = s->graph->plan.place;
    Mat3 F = deformed(s, i), C = cofactors(&F), A = mat_of_sym(&s->pieces[i]);
    const Mat3 R = sn__solid_turn(s, i);
    Mat3 CA = mat_mul(&C, &A), own = mat_mul(&R, &A);
    double v = s->particles[i].volume;
    Vec3d turn = {0};
    for (int k = s->first_edge[i]; k < s->first_edge[i + 1]; ++k) {
        const SolidEdge *e = &s->edges[s->edges_of[k]];
        Vec3d by = scaled(mat_times(&CA, rest_of(e, i)), v);
        add3(s->slope[place[e->i == i ? e->j : e->i]].x, by);
        add3(s->slope[place[i]].x, scaled(by, -1.0));
    }
    for (int c = 0; c < 3; ++c)
        turn = addd(turn, crossd(column_of(&own, c), column_of(&C, c)));
    add3(s->slope[place[i]].x + 3, scaled(turn, OWN * v / s->size));
    return piece_volume(s, i, &F);
}

void sn__solid_add_volume_gradient(Solid *s, double h2) {
    double sum = 0.0;
    if (!(s->material.volume > 0.0f))
        return;
    for (int k = 0; k < s->count; ++k)
        s->slope[k] = (SparseVector){{0}};
    for (int i = 0; i < s->count; ++i)
        sum += add_piece(s, i);
    double by = h2 * (double)s->material.volume * (sum / s->volume - 1.0);
    for (int i = 0; i < s->count; ++i) {
        const SolidWork *w = &s->work[i];
        int place = s->graph->plan.place[i];
        double *g = s->slope[place].x;
        for (int c = 0; c < 3; ++c) {
            g[c] = w->held_x ? 0.0 : g[c];
            g[3 + c] = w->held_q ? 0.0 : g[3 + c];
        }
        for (int c = 0; c < SPARSE_SIZE; ++c)
            s->vector[place].x[c] += by * g[c];
    }
}

static double product(const Solid *s, const SparseVector *a, const SparseVector *b) {
    double sum = 0.0;
    for (int k = 0; k < s->count; ++k)
        for (int c = 0; c < SPARSE_SIZE; ++c)
            sum += a[k].x[c] * b[k].x[c];
    return sum;
}

double sn__solid_volume_share(const Solid *s, const SolidStep *step) {
    double kappa = step->h2 * (double)s->material.volume / s->volume;
    return kappa / (1.0 + kappa * product(s, s->slope, s->swell));
}

void sn__solid_keep_volume(Solid *s, const SolidStep *step) {
    double by = sn__solid_volume_share(s, step) * product(s, s->slope, s->vector);
    for (int k = 0; k < s->count; ++k)
        for (int c = 0; c < SPARSE_SIZE; ++c)
            s->vector[k].x[c] -= by * s->swell[k].x[c];
}
