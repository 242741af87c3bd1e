#include "math/principal.h"

// Turns the pair of axes p, q so that their product vanishes (Jacobi).
static void turn_axes(double A[3][3], double V[3][3], int p, int q) {
    if (fabs(A[p][q]) <= 1e-15 * sqrt(fabs(A[p][p] * A[q][q])))
        return;
    double theta = (A[q][q] - A[p][p]) / (2.0 * A[p][q]);
    double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    for (int k = 0; k < 3; ++k) {
        double x = A[k][p], y = A[k][q];
        A[k][p] = c * x - s * y;
        A[k][q] = s * x + c * y;
    }
    for (int k = 0; k < 3; ++k) {
        double x = A[p][k], y = A[q][k], u = V[k][p], v = V[k][q];
        A[p][k] = c * x - s * y;
        A[q][k] = s * x + c * y;
        V[k][p] = c * u - s * v;
        V[k][q] = s * u + c * v;
    }
}

// The rotation whose matrix has these columns.
static Quatd quat_of(double V[3][3]) {
    double trace = V[0][0] + V[1][1] + V[2][2];
    int i = V[1][1] > V[0][0] ? 1 : 0;
    i = V[2][2] > V[i][i] ? 2 : i;
    if (trace > 0.0)
        return normalisedq(
            (Quatd){V[2][1] - V[1][2], V[0][2] - V[2][0], V[1][0] - V[0][1], 1.0 + trace});
    int j = (i + 1) % 3, k = (i + 2) % 3;
    double q[4];
    q[i] = 1.0 + V[i][i] - V[j][j] - V[k][k];
    q[j] = V[i][j] + V[j][i];
    q[k] = V[i][k] + V[k][i];
    q[3] = V[k][j] - V[j][k];
    return normalisedq((Quatd){q[0], q[1], q[2], q[3]});
}

void sn__principal_axes(double matrix[3][3], double out_values[3], Quatd *out_axes) {
    double V[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    for (int round = 0; round < 12; ++round)
        for (int k = 0; k < 3; ++k)
            turn_axes(matrix, V, k, (k + 1) % 3);
    for (int k = 0; k < 3; ++k)
        out_values[k] = matrix[k][k];
    *out_axes = quat_of(V);
}
