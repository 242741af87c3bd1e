// The longitudinal profile of a muscle field and its activation at constant volume.
#pragma once

#include "sinew/muscle_field.h"

// B(a, b) = (a − 1)! (b − 1)! / (a + b − 1)! of positive integers.
double sn__beta(int a, int b);
// φ(α, β; s) = s^(α−1) (1 − s)^(β−1) / √B(2α − 1, 2β − 1), whose square has the integral 1 over [0, 1]
// (paper: eq. 4). s is dimensionless.
double sn__muscle_profile(int alpha, int beta, double s);
// K = ∫ φ₀ φ₁ ds = B(α₀ + α₁ − 1, β₀ + β₁ − 1) / √(B(2α₀ − 1, 2β₀ − 1) B(2α₁ − 1, 2β₁ − 1)). (The paper's
// appendix B prints the exponent β₀ + β₁ − 1 in the integrand; it is β₀ + β₁ − 2.)
double sn__muscle_overlap(const SnMuscleProfile *a, const SnMuscleProfile *b);
// Φ(s) = ((1 − a) φ₀ + a φ₁)/√F with F = (1 − a)² + a² + 2 a (1 − a) K: its square has the integral 1
// for every activation a.
double sn__muscle_blend(const SnMuscleProfile *rest, const SnMuscleProfile *active, double overlap,
                        double activation, double s);
// r(θ) = u v/√(u² cos²θ + v² sin²θ) with u = (1 − e²)^¼ and v = 1/u (paper: eq. 5): an ellipse of area π
// for every eccentricity e. The paper's formula has semi-axis v along the normal, θ = 0.
double sn__muscle_ellipse(double eccentricity, double cosine, double sine);
