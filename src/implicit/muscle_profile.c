#include "implicit/muscle_profile.h"

#include <math.h>

double sn__beta(int a, int b) {
    // (a − 1)! (b − 1)!/(a + b − 1)! = Π_{k=1}^{b−1} k/(a + k) / a
    double value = 1.0 / a;
    for (int k = 1; k < b; ++k)
        value *= (double)k / (a + k);
    return value;
}

static double power(double x, int n) {
    double value = 1.0;
    for (int i = 0; i < n; ++i)
        value *= x;
    return value;
}

double sn__muscle_profile(int alpha, int beta, double s) {
    return power(s, alpha - 1) * power(1.0 - s, beta - 1) /
           sqrt(sn__beta(2 * alpha - 1, 2 * beta - 1));
}

double sn__muscle_overlap(const SnMuscleProfile *a, const SnMuscleProfile *b) {
    double own = sn__beta(2 * a->alpha - 1, 2 * a->beta - 1);
    double other = sn__beta(2 * b->alpha - 1, 2 * b->beta - 1);
    return sn__beta(a->alpha + b->alpha - 1, a->beta + b->beta - 1) / sqrt(own * other);
}

double sn__muscle_blend(const SnMuscleProfile *rest, const SnMuscleProfile *active, double overlap,
                        double activation, double s) {
    double a = activation, b = 1.0 - a;
    double sum = b * sn__muscle_profile(rest->alpha, rest->beta, s) +
                 a * sn__muscle_profile(active->alpha, active->beta, s);
    return sum / sqrt(b * b + a * a + 2.0 * a * b * overlap);
}

double sn__muscle_ellipse(double eccentricity, double cosine, double sine) {
    double u = sqrt(sqrt(1.0 - eccentricity * eccentricity)), v = 1.0 / u;
    return 1.0 / sqrt(u * u * cosine * cosine + v * v * sine * sine);
}
