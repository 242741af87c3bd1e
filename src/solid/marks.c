// Marks that are held: position and direction constraints (Choi and Lee 2017, section 3.4).
//
// A mark is a point of the body at rest, v̄, with a direction n̄. It follows particles j with weights w_j, as
// a vertex of a skin does (2):
//
//     v = Σ w_j (R_j ā_j + x_j), ā_j = v̄ − x̄_j,      n = m/|m|, m = Σ w_j R_j n̄.
//
// Held at v_c and along n_c it has the energies (13) and (15), with the stiffness s in N/m and t in N·m:
//
//     ½ s ‖v − v_c‖²,      ½ t ‖n − n_c‖² = t (1 − n·n_c).
//
// With c = v − v_c, a_j = R_j ā_j, m_j = R_j n̄ and P = 1 − n nᵀ, small motions u and turns θ (world's axes,
// R → exp[θ] R) change them by
//
//     s c·Σ w_j (u_j + θ_j × a_j),      −t/|m| (P n_c)·Σ w_j θ_j × m_j.
//
// The paper takes |m| as a constant, which leaves out P; this is the exact gradient. Both are r·J with a
// row J_j per particle, r = s c and −t n_c; the stiffness is that of Gauss and Newton, s JᵀJ and t JᵀJ, and
// that of tension as edges have it (energy.c): α (|a|² − a aᵀ), α = s w_j max(−c·a, 0)/|a|².
#include "solid/marks.h"

#include <string.h>

#define LEAST_DIRECTION 1e-6 // of |m|: particles that face all ways have no direction

// J of a particle, transposed: how much each of its six unknowns moves the residual.
typedef struct MarkRows {
    double j[SN_MARK_PARTICLES][6][3];
    Vec3d residual; // c, or −n_c
} MarkRows;

static void set_rows(double j[6][3], double weight, double turning, const Mat3 *across) {
    memset(j, 0, 6 * sizeof j[0]);
    for (int c = 0; c < 3; ++c) {
        j[c][c] = weight;
        for (int k = 0; k < 3; ++k)
            j[3 + c][k] = turning * across->m[c][k];
    }
}

static Mat3 cross_of(Vec3d p) {
    return (Mat3){{{0.0, -p.z, p.y}, {p.z, 0.0, -p.x}, {-p.y, p.x, 0.0}}};
}

static Mat3 turn_of(const Solid *s, const SolidMark *m, int k, bool rest) {
    const Quatd none = {0.0, 0.0, 0.0, 1.0};
    return rest ? mat_of(none) : sn__solid_turn(s, m->particle[k]);
}

Vec3d sn__solid_mark_at(const Solid *s, const SolidMark *m) {
    Vec3d at = {0};
    for (int k = 0; k < m->count; ++k) {
        const SolidWork *w = &s->work[m->particle[k]];
        const Mat3 R = sn__solid_turn(s, m->particle[k]);
        Vec3d x = addd(addd(w->x_start, w->u), mat_times(&R, m->arm[k]));
        at = addd(at, scaled(x, m->weight[k]));
    }
    return at;
}

static Vec3d mean_direction(const Solid *s, const SolidMark *m, bool rest) {
    Vec3d sum = {0};
    for (int k = 0; k < m->count; ++k) {
        Mat3 R = turn_of(s, m, k, rest);
        sum = addd(sum, scaled(mat_times(&R, m->direction), m->weight[k]));
    }
    return sum;
}

Vec3d sn__solid_mark_direction(const Solid *s, const SolidMark *m) {
    Vec3d mean = mean_direction(s, m, false);
    double length = lengthd(mean);
    return length > LEAST_DIRECTION ? scaled(mean, 1.0 / length) : m->direction;
}

static MarkRows position_rows(const Solid *s, const SolidMark *m, bool rest) {
    MarkRows rows = {.residual = rest ? (Vec3d){0} : subd(sn__solid_mark_at(s, m), m->target)};
    for (int k = 0; k < m->count; ++k) {
        Mat3 R = turn_of(s, m, k, rest), arm = cross_of(mat_times(&R, m->arm[k]));
        set_rows(rows.j[k], m->weight[k], m->weight[k] / s->size, &arm);
    }
    return rows;
}

// False if it has no direction.
static bool direction_rows(const Solid *s, const SolidMark *m, bool rest, MarkRows *out) {
    Vec3d mean = mean_direction(s, m, rest);
    double length = lengthd(mean);
    if (!(length > LEAST_DIRECTION))
        return false;
    Vec3d n = scaled(mean, 1.0 / length);
    Mat3 P = {{{1.0 - n.x * n.x, -n.x * n.y, -n.x * n.z},
               {-n.y * n.x, 1.0 - n.y * n.y, -n.y * n.z},
               {-n.z * n.x, -n.z * n.y, 1.0 - n.z * n.z}}};
    out->residual = scaled(m->facing, -1.0);
    for (int k = 0; k < m->count; ++k) {
        Mat3 R = turn_of(s, m, k, rest), own = cross_of(mat_times(&R, m->direction));
        Mat3 across = mat_mul(&own, &P);
        set_rows(out->j[k], 0.0, m->weight[k] / (length * s->size), &across);
    }
    return true;
}

double sn__solid_marks_energy(const Solid *s) {
    double sum = 0.0;
    for (int k = 0; k < s->mark_count; ++k) {
        const SolidMark *m = &s->marks[k];
        if (m->held_x) {
            Vec3d off = subd(sn__solid_mark_at(s, m), m->target);
            sum += 0.5 * m->stiffness * dotd(off, off);
        }
        Vec3d mean = m->held_n ? mean_direction(s, m, false) : (Vec3d){0};
        double length = lengthd(mean);
        if (length > LEAST_DIRECTION) {
            Vec3d off = subd(scaled(mean, 1.0 / length), m->facing);
            sum += 0.5 * m->turning * dotd(off, off);
        }
    }
    return sum;
}

static void add_gradient(Solid *s, const SolidMark *m, const MarkRows *rows, double by) {
    for (int k = 0; k < m->count; ++k) {
        double *g = s->vector[s->graph->plan.place[m->particle[k]]].x;
        for (int r = 0; r < 6; ++r) {
            const double *j = rows->j[k][r];
            Vec3d row = {j[0], j[1], j[2]};
            g[r] += by * dotd(row, rows->residual);
        }
    }
}

void sn__solid_marks_add_gradient(Solid *s, double h2) {
    for (int k = 0; k < s->mark_count; ++k) {
        const SolidMark *m = &s->marks[k];
        MarkRows rows;
        if (m->held_x) {
            rows = position_rows(s, m, false);
            add_gradient(s, m, &rows, h2 * m->stiffness);
        }
        if (m->held_n && direction_rows(s, m, false, &rows))
            add_gradient(s, m, &rows, h2 * m->turning);
    }
}

// The block of particles a and b of the mark; rows are those of the one that comes later.
static void add_pair(Solid *s, const SolidFactors *f, const SolidMark *m, int a, int b,
                     const MarkRows *rows, double by) {
    int place_a = s->graph->plan.place[m->particle[a]];
    int place_b = s->graph->plan.place[m->particle[b]];
    SparseBlock *block = a == b ? &f->diagonal[place_a] : &f->below[m->block[a][b]];
    int later = place_a > place_b ? a : b, earlier = place_a > place_b ? b : a;
    for (int c = 0; c < 6; ++c)
        for (int r = 0; r < 6; ++r) {
            const double *p = rows->j[later][r], *q = rows->j[earlier][c];
            block->column[c][r] += by * (p[0] * q[0] + p[1] * q[1] + p[2] * q[2]);
        }
}

static void add_squares(Solid *s, const SolidFactors *f, const SolidMark *m, const MarkRows *rows,
                        double by) {
    for (int a = 0; a < m->count; ++a)
        for (int b = a; b < m->count; ++b)
            add_pair(s, f, m, a, b, rows, by);
}

static void add_tension(Solid *s, const SolidFactors *f, const SolidMark *m, Vec3d off, double by) {
    for (int k = 0; k < m->count; ++k) {
        const Mat3 R = sn__solid_turn(s, m->particle[k]);
        Vec3d a = mat_times(&R, m->arm[k]);
        double square = dotd(a, a), pull = fmax(-dotd(off, a), 0.0);
        double alpha = square > 0.0 ? by * m->weight[k] * pull / square : 0.0;
        SparseBlock *block = &f->diagonal[s->graph->plan.place[m->particle[k]]];
        const double arm[3] = {a.x, a.y, a.z};
        for (int c = 0; c < 3; ++c)
            for (int r = 0; r < 3; ++r)
                block->column[3 + c][3 + r] +=
                    alpha * ((r == c ? square : 0.0) - arm[r] * arm[c]) / (s->size * s->size);
    }
}

void sn__solid_marks_add_hessian(Solid *s, const SolidFactors *f, double h2, bool rest) {
    for (int k = 0; k < s->mark_count; ++k) {
        const SolidMark *m = &s->marks[k];
        MarkRows rows;
        if (m->held_x) {
            rows = position_rows(s, m, rest);
            add_squares(s, f, m, &rows, h2 * m->stiffness);
            add_tension(s, f, m, rows.residual, h2 * m->stiffness);
        }
        if (m->held_n && direction_rows(s, m, rest, &rows))
            add_squares(s, f, m, &rows, h2 * m->turning);
    }
}

// What holds the mark does so with this: the slope of its energy, summed over all that it moves.
Vec3d sn__solid_mark_force(const Solid *s, const SolidMark *m) {
    return scaled(subd(m->target, sn__solid_mark_at(s, m)), m->stiffness);
}

Vec3d sn__solid_mark_torque(const Solid *s, const SolidMark *m) {
    return scaled(crossd(sn__solid_mark_direction(s, m), m->facing), m->turning);
}
