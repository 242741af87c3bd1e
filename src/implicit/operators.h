// How two compactly supported fields become one. A field is 0 far outside, ½ on the surface and 1 deep
// inside; an operator g(a, b) gives back a where b is 0. Beside its value, each gives its derivatives
// by a and by b, so that the gradient of the whole is g_a ∇a + g_b ∇b. Included by *_wide.c files only.
#pragma once

#include "math/lanes.h"

typedef struct Combined {
    Lanes value, by_a, by_b;
} Combined;

// The transfer from a signed distance d to a field of reach r (Vaillant et al. 2013): with x = d/r,
//   t(x) = 1 for x < −1, 0 for x > 1, else −3/16 x⁵ + 5/8 x³ − 15/16 x + 1/2,
//   t'(x) = −15/16 (1 − x²)².
INLINE Lanes transfer(Lanes x, Lanes *out_slope) {
    Lanes y = lanes_clamp(x, -1.0f, 1.0f), square = y * y, rest = 1.0f - square;
    *out_slope = -0.9375f * rest * rest;
    return 0.5f - y * (0.9375f - square * (0.625f - 0.1875f * square));
}

// Gradient-controlled blending with a bulge in contact (after Gourmel et al. 2013 and Vaillant et al.
// 2013; closed forms of our own). c is the cosine of the angle between the gradients of a and b, which
// counts as constant in the derivatives. With m = max(a, b), t = min(a, b, ½):
//   g = m + blend + bulge
//   blend = (δ − |a − b|)²/4δ where |a − b| < δ, δ = 2 m² (1 − m) (1 − c²): a fillet where surfaces
//           meet at an angle, nothing where they are parallel or face each other. As δ ≤ m, g(a, 0) is a.
//   bulge = β c² · 256 t² (½ − t)² · 4 m (1 − m) where c < 0: surfaces that face each other swell next
//           to where they touch, which is t = ½, and not there.
#define LEAST_BLEND 1e-6f
INLINE Combined combine(Lanes a, Lanes b, Lanes c, float bulge) {
    Lanes m = lanes_max(a, b), n = lanes_min(a, b), apart = m - n;
    Lanes angle = 2.0f * lanes_max(1.0f - c * c, splat(0.0f));
    Lanes width = lanes_max(angle * m * m * (1.0f - m), splat(LEAST_BLEND));
    Lanes u = lanes_max(1.0f - apart / width, splat(0.0f));
    Lanes by_width = 0.25f * (2.0f * u - u * u), slope = angle * m * (2.0f - 3.0f * m);

    Lanes facing = lanes_min(c, splat(0.0f)), t = lanes_min(n, splat(0.5f)), rest = 0.5f - t;
    Lanes strength = bulge * facing * facing * 4.0f, hump = 256.0f * t * t * rest * rest;
    Lanes value = m + 0.25f * width * u * u + strength * hump * m * (1.0f - m);
    Lanes by_m = 1.0f - 0.5f * u + by_width * slope + strength * hump * (1.0f - 2.0f * m);
    Lanes by_n = 0.5f * u + strength * 512.0f * t * rest * (rest - t) * m * (1.0f - m);
    return (Combined){value, lanes_if_less(a, b, by_n, by_m), lanes_if_less(a, b, by_m, by_n)};
}
