// How a rigid body lies and spins so that its points come nearest to what is given for them.
//
// With a the arms of the points about their mean and b those given, the rotation is the q that makes
// Σ b·(q a q*) largest: the first eigenvector of a symmetric matrix of 4 × 4 (Horn 1987). Squaring the
// matrix again and again leaves the projection on what belongs to the largest eigenvalue. No turn, seen
// through it, is the least turn of all that fit equally well: points in a line turn as they must and
// not about it, and a single point not at all.
#include "rigid/rigid.h"

// Eigenvalues that differ by less than 2^-SQUARINGS of themselves count as one: points that are so
// nearly in a line are.
#define SQUARINGS 24

// Σ b·(q a q*) = qᵀ N q, for q as x, y, z, w.
static void add_pair(double N[4][4], Vec3d a, Vec3d b) {
    Vec3d c = crossd(a, b);
    const double av[3] = {a.x, a.y, a.z}, bv[3] = {b.x, b.y, b.z}, cv[3] = {c.x, c.y, c.z};
    double dot = dotd(a, b), most = lengthd(a) * lengthd(b);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
            N[i][j] += av[i] * bv[j] + av[j] * bv[i];
        N[i][i] += most - dot; // with `most`, no eigenvalue is negative
        N[i][3] += cv[i];
        N[3][i] += cv[i];
    }
    N[3][3] += most + dot;
}

static void square(double N[4][4]) {
    double trace = N[0][0] + N[1][1] + N[2][2] + N[3][3], S[4][4] = {{0.0}};
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            for (int k = 0; k < 4; ++k)
                S[i][j] += (N[i][k] / trace) * (N[k][j] / trace);
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            N[i][j] = S[i][j];
}

static Vec3d mean_of(const SnVec3 *x, int count) {
    Vec3d sum = {0};
    for (int i = 0; i < count; ++i)
        sum = addd(sum, vec3d(x[i]));
    return scaled(sum, 1.0 / (double)count);
}

static Vec3d middle_of(const Rigid *r) {
    Vec3d sum = {0};
    for (int i = 0; i < r->points; ++i)
        sum = addd(sum, r->local[i]);
    return scaled(sum, 1.0 / (double)r->points);
}

Quatd sn__rigid_fit_rotation(const Rigid *r, const SnVec3 *positions) {
    Vec3d at = mean_of(positions, r->points), middle = middle_of(r);
    double N[4][4] = {{0.0}};
    for (int i = 0; i < r->points; ++i)
        add_pair(N, rotated(r->pose.q, subd(r->local[i], middle)), subd(vec3d(positions[i]), at));
    if (!(N[0][0] + N[1][1] + N[2][2] + N[3][3] > 0.0))
        return r->pose.q;
    for (int k = 0; k < SQUARINGS; ++k)
        square(N);
    // The least turn is the last column; half a turn has nothing there.
    int column = 3;
    for (int k = 0; k < 3 && N[3][3] < 1e-12; ++k)
        column = N[k][k] > N[column][column] ? k : column;
    Quatd turn = {N[0][column], N[1][column], N[2][column], N[3][column]};
    return normalisedq(mulqd(normalisedq(turn), r->pose.q));
}

// Least squares for ω × a = b, from the spin there is: (Σ (a·a − a aᵀ) + soft) Δω = Σ a × Δb. What
// the points do not tell, a spin about their line, is held by the little that makes it soft.
#define SOFT 1e-6

Vec3d sn__rigid_fit_spin(const Rigid *r, const SnVec3 *velocities) {
    Vec3d spin = sn__rigid_spin(r), at = mean_of(velocities, r->points), middle = middle_of(r);
    Vec3d rows[3] = {{0}}, turn = {0};
    double trace = 0.0;
    for (int i = 0; i < r->points; ++i) {
        Vec3d a = rotated(r->pose.q, subd(r->local[i], middle));
        Vec3d b = subd(subd(vec3d(velocities[i]), at), crossd(spin, a));
        double square_length = dotd(a, a);
        rows[0] = addd(rows[0], (Vec3d){square_length - a.x * a.x, -a.x * a.y, -a.x * a.z});
        rows[1] = addd(rows[1], (Vec3d){-a.x * a.y, square_length - a.y * a.y, -a.y * a.z});
        rows[2] = addd(rows[2], (Vec3d){-a.x * a.z, -a.y * a.z, square_length - a.z * a.z});
        turn = addd(turn, crossd(a, b));
        trace += square_length;
    }
    if (!(trace > 0.0))
        return spin;
    rows[0].x += SOFT * trace;
    rows[1].y += SOFT * trace;
    rows[2].z += SOFT * trace;
    // Cramer's rule; the matrix is symmetric, so its rows are its columns.
    double det = dotd(rows[0], crossd(rows[1], rows[2]));
    return addd(spin, (Vec3d){dotd(turn, crossd(rows[1], rows[2])) / det,
                              dotd(rows[0], crossd(turn, rows[2])) / det,
                              dotd(rows[0], crossd(rows[1], turn)) / det});
}
