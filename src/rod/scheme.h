// How a rod goes from one sub-step to the next: second order in time as long as nothing can touch it.
//
// The method of Wood, Bossak and Zienkiewicz with ρ∞ = ½: what happens so fast that a sub-step cannot
// show it is halved in each one, and what is slow keeps its amplitude. Forces are those at the end of
// the sub-step, as in implicit Euler, so a sub-step is the same minimum of inertia and potentials. With
// u the displacement, v the velocity, g what acts from outside and is known, f the rod's own force per
// mass at the end and a that which is remembered of it,
//
//     u  = h v + h²/2 g + h²/6 a + h²/3 f,
//     v' = v + h g + h (3/8 a + 5/8 f),
//     a' = 1/4 a + 3/4 f.
//
// v + h a/2 changes by h (f + g) in every sub-step, so momentum is conserved as it is by Euler. f is
// known by the displacement only: with the mean m = u/h − h g/2, v' = h g + α m + β v + γ h a and
// a' = δ (m − v)/h + ε a.
//
// What is hit cannot be extrapolated. Where contacts or links may act in a step, it is made with
// implicit Euler: u = h v + h² (g + f), v' = u/h. Of f = (v' − v)/h − g, only what can hold against g is
// remembered; a blow is not. Rods whose sweeps do not find f are made with Euler, too: what they miss
// would excite them.
#pragma once

#define PACK_LANES 16

typedef float PackRow[PACK_LANES] __attribute__((aligned(64)));

typedef struct RodScheme {
    PackRow share;   // of h² f in u: 1/3
    PackRow carried; // of h² a in u: 1/6
    PackRow outside; // of h² g in u: 1/2
    PackRow guess;   // of h² a in where Newton's method starts: 1/2
    PackRow alpha, beta, gamma, delta, epsilon;
    PackRow euler; // 1 or 0
} RodScheme;

static inline void sn__scheme_set(RodScheme *scheme, int lane, bool euler) {
    scheme->share[lane] = euler ? 1.0f : 1.0f / 3.0f;
    scheme->carried[lane] = euler ? 0.0f : 1.0f / 6.0f;
    scheme->outside[lane] = euler ? 1.0f : 0.5f;
    scheme->guess[lane] = euler ? 0.0f : 0.5f;
    scheme->alpha[lane] = euler ? 1.0f : 15.0f / 8.0f;
    scheme->beta[lane] = euler ? 0.0f : -7.0f / 8.0f;
    scheme->gamma[lane] = euler ? 0.0f : 1.0f / 16.0f;
    scheme->delta[lane] = euler ? 1.0f : 9.0f / 4.0f;
    scheme->epsilon[lane] = euler ? 0.0f : -1.0f / 8.0f;
    scheme->euler[lane] = euler ? 1.0f : 0.0f;
}
