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
// 2013; closed forms of our own), as a point of a sees it. c is the cosine of the angle between both
// surfaces there. With s going from 0 at c = 0.5 to `mix` at c = 0.9, B = s b, m = max(a, B), t = min(b, ½):
//   g = m + blend + bulge
//   blend = (δ − |a − B|)²/4δ where |a − B| < δ, δ = 2 m² (1 − m) (1 − c²): a fillet where surfaces
//           meet at an angle, nothing where they are parallel. As δ ≤ m, g(a, 0) is a.
//   bulge = β c² · 256 t² (½ − t)² · 4 m (1 − m) where c < 0: surfaces that face each other swell next
//           to where they touch, which is t = ½, and not there.
// `mix` is 1 for points that follow both parts as much and 0 for those that follow a alone.
// Where they face each other, s is 0 and b adds nothing else: a point that is inside the other part is to
// come back to its own surface, not to leave through the far side of the other one.
#define FACING 0.5f
#define BLENDED 0.9f
#define LEAST_BLEND 1e-6f
INLINE Combined combine(Lanes a, Lanes b, Lanes c, Lanes mix, float bulge) {
    Lanes ramp = lanes_clamp((c - FACING) / (BLENDED - FACING), 0.0f, 1.0f);
    Lanes share = mix * ramp * ramp * (3.0f - 2.0f * ramp), other = share * b;
    Lanes m = lanes_max(a, other), apart = m - lanes_min(a, other);
    Lanes angle = 2.0f * lanes_max(1.0f - c * c, splat(0.0f));
    Lanes width = lanes_max(angle * m * m * (1.0f - m), splat(LEAST_BLEND));
    Lanes u = lanes_max(1.0f - apart / width, splat(0.0f));
    Lanes by_width = 0.25f * (2.0f * u - u * u), slope = angle * m * (2.0f - 3.0f * m);

    Lanes facing = lanes_min(c, splat(0.0f)), t = lanes_min(b, splat(0.5f)), rest = 0.5f - t;
    Lanes strength = bulge * facing * facing * 4.0f, hump = 256.0f * t * t * rest * rest;
    Lanes value = m + 0.25f * width * u * u + strength * hump * m * (1.0f - m);
    Lanes by_m = 1.0f - 0.5f * u + by_width * slope + strength * hump * (1.0f - 2.0f * m);
    Lanes by_n = 0.5f * u, by_t = strength * 512.0f * t * rest * (rest - t) * m * (1.0f - m);
    Lanes by_other = share * lanes_if_less(a, other, by_m, by_n) + by_t;
    return (Combined){value, lanes_if_less(a, other, by_n, by_m), by_other};
}
